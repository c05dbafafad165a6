/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of graphs share.
 *
 * Each thread has a part of the graph: a block of vertices, and the edges that end there. The edges
 * that one message goes along lie next to each other, in a slice. A message to another thread is the
 * number of a slice there, and what the vertex has written.
 *
 * With one or two threads, slices have the numbers of vertices and pins in the whole graph, and their
 * places in both parts lie next to each other in one table. With more, such a table would be too
 * large: a part has slices of its own vertices, by vertex and pin, and then those of others that
 * are not empty. A vertex has routes to these: a number of a thread, and one of a slice there.
 */
#ifndef HBS_GRAPH_INTERNAL_H
#define HBS_GRAPH_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -fvisibility=hidden applies to everything but the public header */
#pragma GCC visibility push(default)
#include "../hbs.h"
#include "../hbs_graph.h"
#include "../hbs_messages.h"
#pragma GCC visibility pop

#define GRAPH_LINE 64

/*
 * For functions whose arguments are constants where they are called; and for those that only prefetch: to GCC such a
 * function does nothing, and it forgets a call of it. One that is inline by then stays.
 */
#define INLINE static inline __attribute__((always_inline))

/* Vertices that leave the queue together, so that waits for memory overlap */
#define GRAPH_CHUNK 32

/* Edges of a message are gathered with those of others if they have up to so many bytes */
#define GRAPH_GATHERED_SLICE 512

/* Bytes of all that are gathered, and of some more that are read behind them */
#define GRAPH_GATHERED (2 * GRAPH_CHUNK * GRAPH_GATHERED_SLICE)

struct graph_route {
	uint32_t thread;
	uint32_t slice;
};

/* Each thread writes into its own all the time: on lines of its own */
struct graph_part {
	_Alignas(GRAPH_LINE) struct hbs_vertices vertices;
	char *states;
	uint32_t *
		slices; /* by number: where each begins in the edges; one more is the end of the last */
	uint32_t slice_shift; /* what is between two of these: 1 << slice_shift */
	uint32_t own_slice;   /* of the first vertex and pin of the part */
	const uint32_t *away; /* the same of the other one of two parts; NULL otherwise */
	uint32_t slice_count;
	uint32_t route_count;
	uint64_t edge_count;
	uint64_t edge_end; /* the number of the last edge, and one more */
	char *edges; /* records: the vertex of this part, whether it ends a slice, and the datum */
	uint32_t *first_route; /* by vertex and pin, and one more; NULL with one or two parts */
	struct graph_route *routes;
	void *lists;	      /* the memory of those of the vertices */
	uint32_t *also_woken; /* the list that is not in use */
};

/* Where vertices send in rounds, in place of slices and routes. By vertex of the graph, not of a part. */
struct graph_pull {
	uint32_t *start;     /* by vertex, and one more: where the edges begin that end there */
	uint32_t *from;	     /* by edge: the vertex where it begins */
	char *data;	     /* by edge: its datum; NULL if all edges have the same */
	char *messages;	     /* by vertex: what it has sent in this round */
	unsigned char *sent; /* by vertex: whether it has; nobody looks if all have */
};

struct hbs_graph {
	struct hbs_graph_type type;
	uint32_t vertex_count;
	uint32_t threads;
	uint32_t slot;
	uint32_t depth;
	uint64_t edge_count;
	bool has_data;
	uint32_t record; /* bytes of an edge */
	uint32_t *table; /* of one or two parts: the slices, by number and part; NULL otherwise */
	char *edges;	 /* of these: all */
	char *states;
	char *datum;	 /* if all edges have the same */
	uint32_t *first; /* by part: its first vertex; and one more: how many vertices there are */
	struct graph_part *parts;
	struct graph_pull pull;
	uint64_t edge_bytes;
	uint64_t vertex_bytes;
	atomic_flag runs;
};

static inline uint32_t graph_part_size(const struct hbs_graph *graph, uint32_t part)
{
	return graph->first[part + 1] - graph->first[part];
}

/* Bytes of a datum of each edge; 0 if all have the same one */
static inline uint32_t graph_datum_size(const struct hbs_graph *graph)
{
	return graph->has_data ? graph->type.edge : 0;
}

/* Where a slice begins in the edges, and the one before it ends */
static inline uint32_t graph_slice(const struct graph_part *part, uint32_t slice)
{
	return part->slices[(size_t)slice << part->slice_shift];
}

/* An edge is the number of a vertex, and a bit */
static inline const uint32_t *graph_edge(const struct graph_part *part, size_t edge)
{
	return (const uint32_t *)(const void *)(part->edges + edge * part->vertices.edge_stride);
}

/* So many bytes behind the last edge may be read; they are zeros */
#define GRAPH_EDGES_SLACK 128

/* memory.c: zeros, which hbsi_graph_free() frees; NULL if there is no memory */
void *hbsi_graph_zeros(uint64_t count, size_t size);
/* The same, without a value */
void *hbsi_graph_room(uint64_t count, size_t size);
/* The same for edges, with GRAPH_EDGES_SLACK */
void *hbsi_graph_edges(uint64_t count, size_t record);
void hbsi_graph_free(void *array);
/* Have the kernel give the memory of the first bytes of an array now, not when they are written */
void hbsi_graph_populate(void *array, size_t bytes);

/* crew.c: how many CPUs the caller may use */
uint32_t hbsi_graph_cpus(void);
/* Start a thread that gets no signals, on another CPU than this or anywhere; 0 or an error */
int hbsi_graph_thread(pthread_t *thread, bool elsewhere, void *(*work)(void *arg), void *arg);
/*
 * Have up to so many threads, one of which is the caller and no more than there are CPUs, do @work of each number below @count. The first
 * error ends it. Return: 0 or that one.
 */
int hbsi_graph_crew(uint32_t threads, uint32_t count, int (*work)(void *arg, uint32_t number),
		    void *arg);

/* Edges are counted and placed in so many shares at most: each has counts of its own */
#define GRAPH_SHARES_MAX 8

/* crew.c: into how many shares to divide the edges, one for each thread that is worth it */
uint32_t hbsi_graph_shares(const struct hbs_graph *graph);

/* Where a share begins, of so many things */
static inline uint64_t graph_share(uint64_t count, uint32_t shares, uint32_t share)
{
	return count / shares * share + count % shares * share / shares;
}

/* divide.c: where the block of vertices of each thread begins, by where edges end; 0 or an error */
int hbsi_graph_divide(struct hbs_graph *graph, const uint32_t *to);

/* map.c: give the vertices and edges to the threads; 0 or an error */
int hbsi_graph_map(struct hbs_graph *graph, const struct hbs_graph_attr *attr);

/* pull_map.c: the same for vertices that send in rounds */
int hbsi_graph_pull_map(struct hbs_graph *graph, const struct hbs_graph_attr *attr);

/* The last round, counted from 1, in which some thread had something to tell the others */
struct graph_news {
	_Alignas(GRAPH_LINE) _Atomic uint64_t sent; /* a vertex has sent */
	_Atomic uint64_t silent;		    /* a vertex has not sent along its edges */
	_Atomic uint64_t ready;			    /* a vertex wants to send in the next round */
};

/* What all threads of a run share */
struct graph_run {
	struct hbs_graph *graph;
	struct hbs_group *group;
	struct hbs_messages *messages;
	void *arg;
	_Atomic int error;	 /* the first one */
	_Atomic uint32_t joined; /* threads whose vertices have begun */
	struct graph_level *levels;
	struct graph_news news;
};

/* By thread: the smallest order in which it may still send, as the others know it */
struct graph_level {
	_Alignas(GRAPH_LINE) _Atomic uint32_t level;
};

enum batch_kind { BATCH_EDGES, BATCH_HOST };

/* In a slot: as many messages, and from the end of the slot on backwards a number for each */
struct batch_header {
	uint32_t count;
	uint32_t kind;
};

/*
 * What a thread collects for another one. The count and the kind do not lie next to each other: GCC would load both at
 * once, and such a load waits until the store to the count, just before it, has reached the cache.
 */
struct graph_batch {
	struct batch_header *header; /* in a slot of the queue; NULL if there is none */
	uint32_t count;
	uint16_t *last; /* by slice, modulo BATCH_LAST: the last message along it; may be wrong */
	enum batch_kind kind;
};

#define BATCH_LAST 256

struct graph_worker {
	struct graph_run *run;
	struct graph_part *part;
	struct hbs_graph_type type;
	uint32_t thread;
	uint32_t pins;
	uint32_t capacity; /* messages in a slot */
	uint32_t payload;  /* bytes of a slot */
	struct hbs_member *member;
	struct hbs_mailbox *mailbox;
	struct graph_batch *batches; /* by thread */
	uint16_t *last;		     /* of all batches, if messages can be combined */
	uint64_t level_begin;	     /* when it began with the order of now, in ticks */
	bool is_satisfied;	     /* no vertex of this thread wants another step */
	bool all_sent;		     /* each vertex of this thread is noted as one that has sent */
	uint64_t round;
	struct hbs_graph_stats stats;
	/* what the vertices have just written, one after the other */
	_Alignas(GRAPH_LINE) char messages[GRAPH_CHUNK * HBS_GRAPH_MESSAGE_MAX];
	/* edges along which messages go, of one message after the other */
	_Alignas(GRAPH_LINE) char gathered[GRAPH_GATHERED];
};

/* post.c: messages to other threads, several in a slot */

/* Messages in a slot of so many bytes without its header */
uint32_t hbsi_graph_capacity(uint32_t payload, uint32_t message);
/* Add a message, with its slice or, for the host, its vertex */
int hbsi_graph_append(struct graph_worker *worker, uint32_t thread, enum batch_kind kind,
		      uint32_t number, const void *message);
/* Send what has been collected */
int hbsi_graph_flush(struct graph_worker *worker);
/* Receive what is there. Return: how many slots, or an error. */
int hbsi_graph_receive(struct graph_worker *worker);

/* work.c: the thread's part of a run; 0 or an error */
int hbsi_graph_work(struct graph_worker *worker);
int hbsi_graph_tell_host(struct graph_worker *worker, uint32_t vertex, const void *message);
/* What a vertex of the worker's own part has for the host */
int hbsi_graph_send_to_host(struct graph_worker *worker, uint32_t index, const void *message);

/* rounds.c: send in rounds until all is quiet. Return: 1; 2 if all are satisfied, besides; or an error. */
int hbsi_graph_rounds(struct graph_worker *worker);

/* run.c: the first error of any thread; 0 if there is none */
static inline int graph_run_error(const struct graph_run *run)
{
	return atomic_load_explicit(&run->error, memory_order_relaxed);
}

#endif /* HBS_GRAPH_INTERNAL_H */
