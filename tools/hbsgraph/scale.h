/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How shortest paths from all vertices are done (paper, section 5.4): one source after the other
 * ("time scaling"), several in one run, with as many distances at each vertex ("data scaling"), several
 * copies of the graph beside each other ("cloning"), or mixtures of them.
 */
#ifndef HBSGRAPH_SCALE_H
#define HBSGRAPH_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/* As many as are left */
#define SCALE_ALL UINT32_MAX

struct scale {
	uint32_t data;	 /* sources of a copy in one run; 0: the default */
	uint32_t copies; /* in one run; 0: the default */
};

/* Without a scale: as many as a message of sets has room for */
#define SCALE_DATA_DEFAULT 416

/*
 * "time", "data", "data:8", "clone", "clone:8", or several of them with commas. Return: false, with a
 * message on stderr, if it is none of these.
 */
bool scale_parse(const char *text, struct scale *scale);

/* What it is for so many vertices: no more than there are, but 1 */
struct scale scale_fit(const struct scale *scale, uint32_t vertices);

#endif /* HBSGRAPH_SCALE_H */
