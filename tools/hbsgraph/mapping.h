/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread has which vertices, if not blocks of them in the order of their numbers */
#ifndef HBSGRAPH_MAPPING_H
#define HBSGRAPH_MAPPING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "edges.h"

struct mapping {
	uint32_t threads;
	uint32_t *first;  /* for struct hbs_graph_attr; NULL if the library is to choose */
	uint64_t cut;	  /* edges between vertices of different threads */
	double imbalance; /* what the thread with the most has, in times of the mean */
	double ns;	  /* that METIS took */
};

/**
 * mapping_by_metis() - have METIS find parts with few edges between them, and renumber vertices by them
 * @edges: the graph; vertices of a part get numbers next to each other, in their order
 * @threads: how many parts; 0 for one for each CPU that the caller may use. There are fewer if METIS
 *           leaves one empty
 * @mapping: out; mapping_free() frees it
 *
 * Return: false, with a message on stderr, if there is no memory, or the graph is too large.
 */
bool mapping_by_metis(struct edges *edges, uint32_t threads, struct mapping *mapping);

void mapping_free(struct mapping *mapping);

/* A line about it, if METIS has made it */
void mapping_print(const struct mapping *mapping, uint64_t edges, FILE *to);

#endif /* HBSGRAPH_MAPPING_H */
