/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own count of this thread's system calls */
#ifndef HEAT_COUNT_H
#define HEAT_COUNT_H

#include <stdbool.h>
#include <stdint.h>

struct count {
	int fd;
	uint64_t cost; /* how many calls starting and stopping count as */
	char why[160]; /* why it is not available */
};

/* Return: whether it can count; if not, count->why says why not */
bool count_open(struct count *count);
void count_start(struct count *count);

/* Return: system calls since count_start() */
uint64_t count_stop(struct count *count);
void count_close(struct count *count);

#endif /* HEAT_COUNT_H */
