/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contenders: hbs, and what a user would take instead */
#ifndef GRAPHBENCH_PEER_H
#define GRAPHBENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a contender takes for ranks: all of them are checked against what they should have found */
enum ranks_kind {
	RANKS_FROM_SHARE,  /* after the iterations, beginning with 1 / vertices, as GAP */
	RANKS_FROM_SQUARE, /* times the vertices, beginning with 1 / vertices, as Boost */
	RANKS_AT_END,	   /* when they do not change any more, with a sum of 1 */
};

/**
 * struct peer - a contender
 * @name: one word
 * @what: for the reader
 * @version: of the library, or NULL
 * @is_hbs: it is ours
 * @ranks: enum ranks_kind
 * @solve: by task: from the list of edges to the array of results; NULL if it has no such thing. It
 *         runs in a child of its own, which ends afterwards, so it frees nothing
 */
struct peer {
	const char *name;
	const char *what;
	const char *(*version)(void);
	bool is_hbs;
	enum ranks_kind ranks;
	void (*solve[TASKS])(const struct problem *problem, struct answer *answer);
};

extern const struct peer peer_hbs, peer_hbs_alone, peer_serial, peer_igraph, peer_boost,
	peer_graphblas, peer_graphblas_bellman;

/* End the child because of an error */
void peer_fails(const char *what, const char *why) __attribute__((noreturn));

/* Memory, not zeroed; ends the child if there is none */
void *peer_room(uint64_t count, size_t size);

/* The contender has its form of the graph */
void peer_has_built(struct answer *answer);

#ifdef __cplusplus
}
#endif

#endif /* GRAPHBENCH_PEER_H */
