// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "points.h"

#define RADIUS 10000.0

static char wrong[160];

static const char *take_places(struct points *points)
{
	static const double minute = 3.14159265358979323846 / 180 / 60;

	points->point = calloc(PLACES, sizeof(*points->point));
	if (!points->point)
		return strerror(ENOMEM);
	points->count = PLACES;
	for (unsigned int i = 0; i < PLACES; i++) {
		double latitude = places[i].latitude * minute;
		double longitude = places[i].longitude * minute;

		points->point[i] = (struct point){ {
			(int32_t)lround(RADIUS * cos(latitude) * cos(longitude)),
			(int32_t)lround(RADIUS * cos(latitude) * sin(longitude)),
			(int32_t)lround(RADIUS * sin(latitude)),
		} };
	}
	return NULL;
}

/* Whether @line has 1 to 3 numbers with commas between them */
static int read_point(const char *line, struct point *point)
{
	for (int i = 0; i < DIMENSIONS; i++) {
		char *end;
		long value = strtol(line, &end, 10);

		if (end == line || value < -COORDINATE_MAX || value > COORDINATE_MAX)
			return 0;
		point->at[i] = (int32_t)value;
		if (*end == '\n' || *end == '\0')
			return 1;
		if (*end != ',')
			return 0;
		line = end + 1;
	}
	return 0;
}

static const char *read_points(FILE *file, struct points *points)
{
	char line[256];
	size_t room = 0;

	while (fgets(line, sizeof(line), file)) {
		if (points->count == room) {
			struct point *more;

			room = room ? 2 * room : 1024;
			more = realloc(points->point, room * sizeof(*more));
			if (!more)
				return strerror(ENOMEM);
			points->point = more;
		}
		memset(&points->point[points->count], 0, sizeof(struct point));
		if (!read_point(line, &points->point[points->count]) ||
		    ++points->count > POINTS_MAX) {
			snprintf(wrong, sizeof(wrong),
				 "line %u is not 1 to %d numbers from -%d to %d, or one too many",
				 points->count + 1, DIMENSIONS, COORDINATE_MAX, COORDINATE_MAX);
			return wrong;
		}
	}
	if (ferror(file))
		return strerror(errno);
	return points->count ? NULL : "it has no points";
}

const char *points_load(const char *file, struct points *points)
{
	const char *why;
	FILE *opened;

	*points = (struct points){ 0, NULL };
	if (!file)
		return take_places(points);
	opened = fopen(file, "re");
	if (!opened)
		return strerror(errno);
	why = read_points(opened, points);
	fclose(opened);
	return why;
}
