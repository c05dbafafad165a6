// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How messages reach the vertices of a thread's own part. The edges of several messages are copied to one place, and
 * one loop goes over all of them: of a loop for each slice the CPU would guess the end wrongly, and the states of most
 * who receive something soon would have to be guessed, too.
 */
#include <string.h>

#include "ahead.h"
#include "deliver.h"

/*
 * Bytes of a slice that are copied whether there are so many or not, and by how many at once the others are. With
 * AT_FIRST the CPU knows mostly that there are no others, where a slice has some ten edges.
 */
#define AT_FIRST 96
#define AT_ONCE	 32
_Static_assert(AT_FIRST <= GRAPH_EDGES_SLACK && AT_ONCE <= AT_FIRST,
	       "may be read behind the edges");

/* How many edges before its turn the state of a vertex is fetched */
#define AHEAD_EDGES 16
_Static_assert((GRAPH_CHUNK + AHEAD_EDGES) * GRAPH_GATHERED_SLICE + AT_FIRST <= GRAPH_GATHERED,
	       "edges of a chunk, and what is read or written behind them");

/* @count edges, where they lie or copied, and from @ahead on those whose states may be fetched */
static int receive(struct graph_worker *worker, const char *edges, size_t count,
		   const void *messages, const void *ahead)
{
	struct graph_part *part = worker->part;
	const char *data =
		part->vertices.stride ? edges + worker->type.datum_at : worker->run->graph->datum;

	worker->stats.received += count;
	return worker->type.recv(&part->vertices, part->states, messages, edges, data,
				 (uint32_t)count, ahead);
}

/* What has been gathered, up to @end. There may be nothing. */
static int receive_gathered(struct graph_worker *worker, const char *end, const char *messages)
{
	const struct graph_part *part = worker->part;
	const char *edges = worker->gathered;
	size_t record = part->vertices.edge_stride;

	if (end == edges)
		return 0;
	for (size_t i = 0; i < AHEAD_EDGES; i++)
		ahead_fetch(part->states +
			    (size_t)hbs_edge_vertex_(edges + i * record) * worker->type.state);
	return receive(worker, edges, (size_t)(end - edges) / record, messages,
		       edges + AHEAD_EDGES * record);
}

/* A long slice is received where it lies */
static int receive_slice(struct graph_worker *worker, uint32_t first, uint32_t end,
			 const char *message)
{
	const struct graph_part *part = worker->part;
	uint64_t count = end - first, ahead = (uint64_t)first + AHEAD_EDGES;

	if (ahead > part->edge_end - count)
		ahead = part->edge_end - count;
	return receive(worker, (const char *)graph_edge(part, first), count, message,
		       graph_edge(part, ahead));
}

static inline char *gather(char *to, const char *from, size_t bytes)
{
	memcpy(to, from, AT_FIRST);
	for (size_t i = AT_FIRST; i < bytes; i += AT_ONCE)
		memcpy(to + i, from + i, AT_ONCE);
	return to + bytes;
}

int hbsi_graph_deliver(struct graph_worker *worker, const struct graph_slices *slices,
		       const char *messages)
{
	const struct graph_part *part = worker->part;
	size_t record = part->vertices.edge_stride, size = worker->type.message;
	char *gathered = worker->gathered;
	uint32_t received = 0;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < slices->count; i++) {
		uint32_t first = slices->first[i], end = slices->end[i];
		size_t bytes = (end - first) * record;

		if (bytes <= GRAPH_GATHERED_SLICE) {
			gathered = gather(gathered, (const char *)graph_edge(part, first), bytes);
			continue;
		}
		ret = receive_gathered(worker, gathered, messages + received * size);
		if (!ret)
			ret = receive_slice(worker, first, end, messages + i * size);
		gathered = worker->gathered;
		received = i + 1;
	}
	return ret ? ret : receive_gathered(worker, gathered, messages + received * size);
}
