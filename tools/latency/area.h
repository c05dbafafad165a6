/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What barriers take of a chip */
#ifndef LATENCY_AREA_H
#define LATENCY_AREA_H

#include <stdbool.h>

/* The memory of the structure in a processor, with so many masks for each group */
double area_hbs_bytes(unsigned int masks);
double area_hbs_um2(unsigned int masks);

/**
 * area_print() - the table
 * @path: results of a synthesis, or NULL. A line of such a file has five words: the device, the
 *	configuration, the resource, how much of it the card takes, and how much the device has.
 *	A line that begins with # is a remark.
 *
 * Return: false if the file cannot be read; then stderr says why.
 */
bool area_print(const char *path);

#endif /* LATENCY_AREA_H */
