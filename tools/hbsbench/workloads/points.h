/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The point set for the clustering */
#ifndef HBSBENCH_POINTS_H
#define HBSBENCH_POINTS_H

#include <stdint.h>

#define PLACES 418

struct place {
	int16_t latitude;
	int16_t longitude;
};

extern const struct place places[PLACES];

#define POINTS_MAX     1000000
#define DIMENSIONS     3
#define COORDINATE_MAX 100000

struct point {
	int32_t at[DIMENSIONS];
};

struct points {
	unsigned int count;
	struct point *point;
};

/**
 * points_load() - take the point set of a file, or the places of this program
 * @file: lines of up to 3 whole numbers with commas between; NULL for the places, as
 *        points on a sphere
 * @points: out
 *
 * Return: NULL, or what is wrong with the file. The text is static.
 */
const char *points_load(const char *file, struct points *points);

#endif /* HBSBENCH_POINTS_H */
