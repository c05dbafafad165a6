/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of edges, as readers and generators make it */
#ifndef HBSGRAPH_EDGES_H
#define HBSGRAPH_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct edges {
	uint32_t vertices;
	uint64_t count;
	uint64_t back; /* the last ones were added for mode gals, and have no weight: so many */
	uint64_t room;
	uint32_t *from;
	uint32_t *to;
	uint32_t *weight; /* NULL if all are 1 */
	bool weighted;
	bool failed;   /* there was no memory, or there were too many */
	bool too_many; /* vertices, and that is why */
	/* the mapped file that the arrays are in; NULL if they are allocated */
	void *file;
	size_t file_size;
	/*
	 * By a vertex's number in the graph as it was given: its number in these arrays; and the other
	 * way round. NULL if both are the same.
	 */
	uint32_t *place;
	uint32_t *name;
};

/* The number of a vertex, by which arrays have it, of one of the graph as it was given */
static inline uint32_t edges_place(const struct edges *edges, uint32_t name)
{
	return edges->place ? edges->place[name] : name;
}

/* The number that users know a vertex by */
static inline uint32_t edges_name(const struct edges *edges, uint32_t place)
{
	return edges->name ? edges->name[place] : place;
}

/* Add one; if that fails, so does edges_good() from then on */
void edges_add(struct edges *edges, uint32_t from, uint32_t to, uint32_t weight);

/* Both ways */
void edges_add_both(struct edges *edges, uint32_t a, uint32_t b, uint32_t weight);

/* Whether all that were added are there; else stderr says why, with @what before it */
bool edges_good(const struct edges *edges, const char *what);

/* Copy arrays that are in a mapped file, so that they can grow; if that fails, so does edges_good() */
void edges_own(struct edges *edges);

void edges_free(struct edges *edges);

#endif /* HBSGRAPH_EDGES_H */
