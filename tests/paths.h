/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shortest paths in a graph, by threads that send each other messages of the library until none
 * knows a shorter one: with one epoch for all of it, or with one for each step; and alone.
 */
#ifndef PATHS_H
#define PATHS_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "hbs_messages.h"

#define MOST_VERTICES 20000
#define EDGES	      5 /* from each vertex */
#define FAR	      UINT32_MAX

/* Its vertices belong to the threads in turn */
struct graph {
	unsigned int vertices;
	bool in_steps;
	uint32_t to[MOST_VERTICES][EDGES];
	uint32_t length[MOST_VERTICES][EDGES];
	uint32_t distance[MOST_VERTICES];
	bool waits[MOST_VERTICES]; /* its edges are to be looked at */
};

struct news {
	uint32_t vertex, distance;
};

/* What a thread has to look at, the oldest first: its own vertices, each once */
struct list {
	uint32_t *vertex;
	unsigned int first, count;
};

static inline void make_graph(struct graph *graph, unsigned int vertices)
{
	unsigned int seed = 42;

	graph->vertices = vertices;
	for (unsigned int v = 0; v < vertices; v++) {
		graph->distance[v] = FAR;
		for (unsigned int e = 0; e < EDGES; e++) {
			graph->to[v][e] = (uint32_t)rand_r(&seed) % vertices;
			graph->length[v][e] = (uint32_t)rand_r(&seed) % 100 + 1;
		}
	}
}

static inline void improve(struct graph *graph, struct list *list, struct news news)
{
	if (news.distance >= graph->distance[news.vertex])
		return;
	graph->distance[news.vertex] = news.distance;
	if (!graph->waits[news.vertex])
		list->vertex[(list->first + list->count++) % graph->vertices] = news.vertex;
	graph->waits[news.vertex] = true;
}

static inline void take_news(struct graph *graph, struct list *list, struct hbs_mailbox *me)
{
	struct hbs_message message;

	while (!hbs_message_recv(me, &message)) {
		improve(graph, list, *(struct news *)message.data);
		hbs_message_free(me, &message);
	}
}

/* Tell the neighbours of a vertex; while there is no room, take what others have sent */
static inline int tell(struct graph *graph, struct hbs_mailbox *me, unsigned int threads,
		       struct list *list, uint32_t vertex)
{
	for (unsigned int e = 0; e < EDGES; e++) {
		struct news news = {
			.vertex = graph->to[vertex][e],
			.distance = graph->distance[vertex] + graph->length[vertex][e],
		};
		int ret;

		while ((ret = hbs_message_send(me, news.vertex % threads, &news, sizeof(news))) ==
		       -EAGAIN) {
			take_news(graph, list, me);
			/* with one thread for all CPUs, the emulation goes on to the next here */
			__builtin_ia32_pause();
			sched_yield();
		}
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * In steps, what comes in one epoch is passed on in the next one, and the threads vote for the
 * end when they have nothing to pass on. Otherwise there is one epoch. Returns how the last one
 * ended, and counts them.
 */
static inline int find_paths(struct graph *graph, struct hbs_mailbox *me, unsigned int rank,
			     unsigned int threads, unsigned int *epochs)
{
	struct list now = { .vertex = calloc(graph->vertices, sizeof(uint32_t)) };
	struct list next = { .vertex = calloc(graph->vertices, sizeof(uint32_t)) };
	struct list *into = graph->in_steps ? &next : &now;
	int ret = now.vertex && next.vertex ? 0 : -ENOMEM;

	*epochs = 0;
	if (!rank && !ret)
		improve(graph, &now, (struct news){ .vertex = 0 });
	while (!ret) {
		while (now.count && !ret) {
			uint32_t vertex = now.vertex[now.first++ % graph->vertices];

			now.count--;
			graph->waits[vertex] = false;
			ret = tell(graph, me, threads, into, vertex);
		}
		if (!ret)
			ret = hbs_idle(me, !into->count);
		if (!ret)
			take_news(graph, into, me);
		if (ret > 0)
			++*epochs;
		if (ret == 1 && graph->in_steps) {
			struct list empty = now;

			now = next;
			next = empty;
			ret = 0;
		}
	}
	free(now.vertex);
	free(next.vertex);
	return ret;
}

static inline void find_paths_alone(struct graph *graph)
{
	bool better = true;

	graph->distance[0] = 0;
	while (better) {
		better = false;
		for (unsigned int v = 0; v < graph->vertices; v++) {
			for (unsigned int e = 0; e < EDGES && graph->distance[v] != FAR; e++) {
				uint32_t *known = &graph->distance[graph->to[v][e]];
				uint32_t found = graph->distance[v] + graph->length[v][e];

				if (found < *known) {
					*known = found;
					better = true;
				}
			}
		}
	}
}

#endif /* PATHS_H */
