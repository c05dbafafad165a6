/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as text for people */
#ifndef HBSCTL_FORMAT_H
#define HBSCTL_FORMAT_H

#include <stdint.h>
#include <time.h>

/* Room that each of these functions needs */
#define FORMAT_SIZE 40

/* A time with three digits at least, and its unit; "-" for 0. */
const char *format_ns(uint64_t ns, char text[FORMAT_SIZE]);

/* A number of something in a second: 12.3, 4567 or 1.23M */
const char *format_rate(double rate, char text[FORMAT_SIZE]);

/* A time of day as ISO 8601 has it, with microseconds and the distance from UTC */
const char *format_time(const struct timespec *time, char text[FORMAT_SIZE]);

#endif /* HBSCTL_FORMAT_H */
