// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "lists.h"
#include "peer.h"

struct lists lists_make(const struct problem *problem, int by_end, int with_weights)
{
	const uint32_t *key = by_end ? problem->to : problem->from;
	const uint32_t *other = by_end ? problem->from : problem->to;
	struct lists lists = {
		.start = peer_room((uint64_t)problem->vertices + 2, sizeof(*lists.start)),
		.other = peer_room(problem->edges, sizeof(*lists.other)),
		.weight = with_weights ? peer_room(problem->edges, sizeof(*lists.weight)) : NULL,
	};
	/* one later, so that placing edges leaves each at its beginning */
	uint64_t *place = lists.start + 1;

	memset(lists.start, 0, ((uint64_t)problem->vertices + 2) * sizeof(*lists.start));
	for (uint64_t e = 0; e < problem->edges; e++)
		place[key[e] + 1]++;
	for (uint32_t v = 0; v < problem->vertices; v++)
		place[v + 1] += place[v];
	for (uint64_t e = 0; e < problem->edges; e++) {
		uint64_t at = place[key[e]]++;

		lists.other[at] = other[e];
		if (with_weights)
			lists.weight[at] = problem->weight[e];
	}
	return lists;
}

void lists_free(struct lists *lists)
{
	free(lists->start);
	free(lists->other);
	free(lists->weight);
}
