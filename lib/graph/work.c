// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a thread does in a run: it calls the handlers of its vertices, until all have finished */
#include <errno.h>

#include "../spin.h"
#include "../ticks.h"
#include "ahead.h"
#include "deliver.h"
#include "graph.h"

/*
 * How often a thread looks for messages and for others, at least, before it begins with vertices of a greater
 * order while others may still send with a smaller one
 */
#define LOOKS	     512
#define LOOKS_A_TURN 64

/* How many vertices of a list before its turn what is known of one is fetched */
#define AHEAD_LISTED 32

/* So many chunks send before the thread looks for messages, and passes on its own */
#define CHUNKS_IN_TURN 4

int hbsi_graph_tell_host(struct graph_worker *worker, uint32_t vertex, const void *message)
{
	return worker->type.host ? worker->type.host(worker->run->arg, vertex, message) : 0;
}

int hbsi_graph_send_to_host(struct graph_worker *worker, uint32_t index, const void *message)
{
	uint32_t vertex = worker->part->vertices.first + index;

	if (!worker->type.host)
		return 0;
	if (!worker->thread)
		return hbsi_graph_tell_host(worker, vertex, message);
	return hbsi_graph_append(worker, 0, BATCH_HOST, vertex, message);
}

/* Of two parts: whether there is something to send to the other one */
static bool goes_away(const struct graph_part *part, uint32_t slice)
{
	return part->away[2 * (size_t)slice] != part->away[2 * ((size_t)slice + 1)];
}

/* To the other threads that have vertices to receive it. @slice: the one in the own part */
static int send_away(struct graph_worker *worker, uint32_t slice, const void *message)
{
	const struct graph_part *part = worker->part;
	int ret = 0;

	if (worker->run->graph->threads == 1)
		return 0;
	if (part->away)
		return goes_away(part, slice) ? hbsi_graph_append(worker, !worker->thread,
								  BATCH_EDGES, slice, message)
					      : 0;
	for (uint32_t r = part->first_route[slice]; !ret && r < part->first_route[slice + 1]; r++)
		ret = hbsi_graph_append(worker, part->routes[r].thread, BATCH_EDGES,
					part->routes[r].slice, message);
	return ret;
}

/* Vertices that have left the queue to send, one after the other */
struct chunk {
	uint32_t count;
	uint32_t index[GRAPH_CHUNK];
	/* along which it wants to send, if it does not change its mind */
	uint32_t slice[GRAPH_CHUNK];
	/* where this begins and ends in the own part */
	uint32_t first[GRAPH_CHUNK];
	uint32_t end[GRAPH_CHUNK];
};

/* Along which slice a vertex wants to send */
static uint32_t slice_of(const struct graph_worker *worker, uint32_t index)
{
	uint32_t pin = (worker->part->vertices.wants[index] & HBS_VERTEX_PIN_) - HBS_PIN(0);

	return worker->part->own_slice + index * worker->pins + (pin < worker->pins ? pin : 0);
}

static inline void find_slice(const struct graph_worker *worker, struct chunk *chunk, uint32_t i)
{
	const struct graph_part *part = worker->part;
	uint32_t slice = slice_of(worker, chunk->index[i]);

	chunk->slice[i] = slice;
	chunk->first[i] = graph_slice(part, slice);
	chunk->end[i] = graph_slice(part, slice + 1);
}

/* Fetch what the vertices of a chunk need to send, and find their slices */
static void look_ahead(const struct graph_worker *worker, struct chunk *chunk)
{
	const struct graph_part *part = worker->part;

	for (uint32_t i = 0; i < chunk->count; i++) {
		uint32_t index = chunk->index[i];

		ahead_load(&part->vertices.wants[index]);
		ahead_load(part->states + (size_t)index * worker->type.state);
		if (part->first_route)
			ahead_load(&part->first_route[(size_t)index * worker->pins]);
		ahead_load(ahead_place(part, part->own_slice + index * worker->pins));
	}
	for (uint32_t i = 0; i < chunk->count; i++) {
		find_slice(worker, chunk, i);
		ahead_edges(part, chunk->first[i], chunk->end[i]);
		if (part->first_route && part->first_route[chunk->slice[i]] < part->route_count)
			ahead_load(&part->routes[part->first_route[chunk->slice[i]]]);
	}
}

/* Of vertices that follow each other, the CPU expects all of that itself */
static void look_along(const struct graph_worker *worker, struct chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->count; i++)
		find_slice(worker, chunk, i);
}

/* Have what the next chunk will load be there by then. @at: where it begins in the queue */
INLINE void look_far_ahead(const struct graph_worker *worker, uint32_t at)
{
	const struct graph_part *part = worker->part;
	const struct hbs_vertices *vertices = &part->vertices;

	for (uint32_t i = 0; i < vertices->queued && i < GRAPH_CHUNK; i++) {
		uint32_t index = vertices->queue[at];

		ahead_fetch(&vertices->wants[index]);
		ahead_fetch(part->states + (size_t)index * worker->type.state);
		if (part->first_route)
			ahead_fetch(&part->first_route[(size_t)index * worker->pins]);
		ahead_fetch(ahead_place(part, part->own_slice + index * worker->pins));
		at = at + 1 < vertices->count ? at + 1 : 0;
	}
}

/* Take those that have waited longest */
static void take_chunk(struct graph_worker *worker, struct chunk *chunk)
{
	struct hbs_vertices *vertices = &worker->part->vertices;
	uint32_t at = vertices->queue_end - vertices->queued;

	if (vertices->queue_end < vertices->queued)
		at += vertices->count;
	chunk->count = vertices->queued < GRAPH_CHUNK ? vertices->queued : GRAPH_CHUNK;
	vertices->queued -= chunk->count;
	for (uint32_t i = 0; i < chunk->count; i++) {
		chunk->index[i] = vertices->queue[at];
		at = at + 1 < vertices->count ? at + 1 : 0;
	}
	if (chunk->count && chunk->index[chunk->count - 1] - chunk->index[0] == chunk->count - 1) {
		look_along(worker, chunk);
		return;
	}
	look_far_ahead(worker, at);
	look_ahead(worker, chunk);
}

static char *message_of(struct graph_worker *worker, uint32_t number)
{
	return worker->messages + (size_t)number * worker->type.message;
}

/* Have a vertex write a message. Return: 0 or an error. */
static int write_message(struct graph_worker *worker, uint32_t index, void *message)
{
	struct hbs_vertices *vertices = &worker->part->vertices;
	struct hbs_vertex vertex = { vertices, index };
	uint32_t after;
	int ret;

	vertices->wants[index] &= (uint16_t)~vertices->in_queue;
	ret = worker->type.send(&vertex, worker->part->states + (size_t)index * worker->type.state,
				message);
	worker->stats.sent++;
	after = vertices->wants[index];
	if ((after & HBS_VERTEX_PIN_) && !(after & HBS_VERTEX_LISTED_))
		hbs_vertex_ready(&vertex, after & HBS_VERTEX_PIN_);
	return ret < 0 ? ret : 0;
}

/* Whether a vertex of a chunk wants to send along the slice of when it left the queue */
static bool is_steady(const struct graph_worker *worker, const struct chunk *chunk, uint32_t i)
{
	const struct graph_part *part = worker->part;
	uint32_t wants = part->vertices.wants[chunk->index[i]] & HBS_VERTEX_PIN_;

	return wants >= HBS_PIN(0) && wants < HBS_PIN(worker->pins) &&
	       chunk->slice[i] ==
		       part->own_slice + chunk->index[i] * worker->pins + wants - HBS_PIN(0);
}

/* A vertex that does not do what it wanted when it left the queue, or sends to the host */
static int send_alone(struct graph_worker *worker, uint32_t index)
{
	struct graph_part *part = worker->part;
	uint16_t *wants = &part->vertices.wants[index];
	uint32_t pin = *wants & HBS_VERTEX_PIN_;
	uint32_t slice = part->own_slice + index * worker->pins + pin - HBS_PIN(0);
	struct graph_slices slices;
	int ret;

	if (pin == HBS_PIN_NONE) {
		*wants &= (uint16_t)~part->vertices.in_queue;
		return 0;
	}
	if (pin >= HBS_PIN(worker->pins))
		return -ERANGE;
	ret = write_message(worker, index, worker->messages);
	if (ret)
		return ret;
	if (pin == HBS_PIN_HOST)
		return hbsi_graph_send_to_host(worker, index, worker->messages);
	slices.count = 0;
	graph_slices_add(&slices, graph_slice(part, slice), graph_slice(part, slice + 1));
	ret = hbsi_graph_deliver(worker, &slices, worker->messages);
	return ret ? ret : send_away(worker, slice, worker->messages);
}

/* The others send together: all have written their messages when vertices of the own part receive them */
static int send_chunk(struct graph_worker *worker)
{
	struct graph_slices slices;
	struct chunk chunk;
	int ret = 0;

	take_chunk(worker, &chunk);
	slices.count = 0;
	for (uint32_t i = 0; !ret && i < chunk.count; i++) {
		char *message = message_of(worker, slices.count);

		if (is_steady(worker, &chunk, i)) {
			ret = write_message(worker, chunk.index[i], message);
			graph_slices_add(&slices, chunk.first[i], chunk.end[i]);
			if (!ret)
				ret = send_away(worker, chunk.slice[i], message);
			continue;
		}
		ret = hbsi_graph_deliver(worker, &slices, worker->messages);
		slices.count = 0;
		if (!ret)
			ret = send_alone(worker, chunk.index[i]);
	}
	return ret ? ret : hbsi_graph_deliver(worker, &slices, worker->messages);
}

/* Vertices that are to send later have one order, so they are the queue as they are */
static void take_all_later(struct hbs_vertices *vertices)
{
	uint32_t *queue = vertices->queue;

	vertices->queue = vertices->later;
	vertices->queued = vertices->later_count;
	vertices->queue_end = vertices->later_count % vertices->count;
	vertices->level = vertices->later_least;
	vertices->in_queue ^= HBS_VERTEX_LISTED_;
	vertices->later = queue;
	vertices->later_count = 0;
}

/*
 * Forget who does not want to send any more: a vertex has been in the queue meanwhile, or has changed its
 * mind, and stays in the list until now
 */
static void tidy_later(struct hbs_vertices *vertices)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < vertices->later_count; i++) {
		uint32_t index = vertices->later[i];

		if (vertices->wants[index] & HBS_VERTEX_PIN_)
			vertices->later[kept++] = index;
		else
			vertices->wants[index] &= (uint16_t)~HBS_VERTEX_LISTED_;
	}
	vertices->later_count = kept;
	vertices->later_stale = 0;
}

/* Whose turn it is soon, in a list of vertices; near its end any one will do */
static inline uint32_t soon_in(const uint32_t *list, uint32_t count, uint32_t i)
{
	return list[i + AHEAD_LISTED < count ? i + AHEAD_LISTED : i];
}

/*
 * Divide those that are to send later: up to an order they get into the queue, which is empty, and the others stay.
 * Without a branch for that, which the CPU would guess wrongly. Return: how many are in the queue.
 */
static uint32_t divide_later(struct hbs_vertices *vertices, uint32_t level)
{
	uint32_t *later = vertices->later, *queue = vertices->queue;
	uint32_t kept = 0, taken = 0;
	uint32_t least = UINT32_MAX, most = 0; /* of those that stay */

	for (uint32_t i = 0; i < vertices->later_count; i++) {
		uint32_t index = later[i], order = vertices->order[index];
		bool stays = order > level;

		ahead_fetch(&vertices->order[soon_in(later, vertices->later_count, i)]);

		later[kept] = index;
		queue[taken] = index;
		kept += stays;
		taken += !stays;
		least = stays && order < least ? order : least;
		most = stays && order > most ? order : most;
	}
	vertices->later_count = kept;
	vertices->later_least = least;
	vertices->later_most = most;
	return taken;
}

/* Those with the smallest order get into the queue. The least that is noted may be that of one that has left. */
static void take_level(struct hbs_vertices *vertices)
{
	uint32_t taken = 0;

	for (; !taken; taken = divide_later(vertices, vertices->level))
		vertices->level = vertices->later_least;
	for (uint32_t i = 0; i < taken; i++) {
		uint16_t *wants = &vertices->wants[vertices->queue[i]];

		ahead_fetch(&vertices->wants[soon_in(vertices->queue, taken, i)]);
		*wants = (uint16_t)((*wants & ~HBS_VERTEX_LISTED_) | vertices->in_queue);
	}
	vertices->queued = taken;
	vertices->queue_end = taken % vertices->count;
}

/* Nobody is in the queue, and somebody is to send later */
static void begin_level(struct hbs_vertices *vertices)
{
	if (vertices->later_stale)
		tidy_later(vertices);
	if (!vertices->later_count)
		return;
	if (vertices->later_least == vertices->later_most)
		take_all_later(vertices);
	else
		take_level(vertices);
}

static void tell_level(const struct graph_worker *worker, uint32_t level)
{
	atomic_store_explicit(&worker->run->levels[worker->thread].level, level,
			      memory_order_relaxed);
}

static bool others_are_behind(const struct graph_worker *worker, uint32_t level)
{
	const struct graph_run *run = worker->run;

	for (uint32_t i = 0; i < run->graph->threads; i++)
		if (i != worker->thread &&
		    atomic_load_explicit(&run->levels[i].level, memory_order_relaxed) <= level)
			return true;
	return false;
}

/*
 * Wait a little for others who may still send something that is to be passed on first: as long as this
 * thread's own part has taken, since theirs may take a little longer. Nothing depends on it but how often
 * vertices send in vain. Return: how many slots have come, or an error.
 */
static int await_others(struct graph_worker *worker)
{
	uint32_t level = worker->part->vertices.level;
	uint64_t begin = ticks_now(), taken = begin - worker->level_begin;
	int ret = 0;

	tell_level(worker, level + 1);
	for (uint32_t looks = 0; !ret && others_are_behind(worker, level) &&
				 (looks < LOOKS || ticks_now() - begin < taken);
	     looks++) {
		ret = hbsi_graph_receive(worker);
		if (looks % LOOKS_A_TURN == LOOKS_A_TURN - 1)
			hbsi_spin_let_others_run();
		else
			ticks_pause();
	}
	if (ret)
		tell_level(worker, level);
	/* the wait is no part of what it has taken, if it comes to wait once more */
	worker->level_begin += ticks_now() - begin;
	return ret;
}

/* Make sure that somebody is in the queue, or a message may have come. Return: 0 or an error. */
static int go_on(struct graph_worker *worker)
{
	int ret = 0;

	if (worker->run->graph->threads > 1)
		ret = await_others(worker);
	if (ret)
		return ret < 0 ? ret : 0;
	begin_level(&worker->part->vertices);
	worker->level_begin = ticks_now();
	tell_level(worker, worker->part->vertices.level);
	return 0;
}

static int send_some(struct graph_worker *worker)
{
	struct hbs_vertices *vertices = &worker->part->vertices;
	int ret = 0;

	if (!vertices->queued)
		ret = go_on(worker);
	for (uint32_t i = 0; !ret && i < CHUNKS_IN_TURN && vertices->queued; i++)
		ret = send_chunk(worker);
	return ret ? ret : hbsi_graph_flush(worker);
}

static bool wants_to_send(const struct graph_worker *worker)
{
	return worker->part->vertices.queued || worker->part->vertices.later_count;
}

/* Receive and send until there is neither a message nor a vertex that wants to send */
static int be_busy(struct graph_worker *worker)
{
	int ret;

	do {
		ret = hbsi_graph_receive(worker);
		if (ret >= 0 && wants_to_send(worker))
			ret = send_some(worker);
		if (ret >= 0 && graph_run_error(worker->run))
			ret = graph_run_error(worker->run);
	} while (ret >= 0 && wants_to_send(worker));
	return ret < 0 ? ret : 0;
}

/* Until all is quiet. Return: 1; 2 if all are satisfied, besides; or an error. */
static int await_quiet(struct graph_worker *worker)
{
	int ret;

	do {
		ret = be_busy(worker);
		tell_level(worker, UINT32_MAX);
		if (!ret)
			ret = worker->mailbox ? hbs_idle(worker->mailbox, worker->is_satisfied)
					      : 1 + worker->is_satisfied;
		tell_level(worker, worker->part->vertices.level);
	} while (!ret);
	return ret;
}

static int step_woken(struct graph_worker *worker)
{
	struct graph_part *part = worker->part;
	struct hbs_vertices *vertices = &part->vertices;
	uint32_t *list = vertices->woken;
	uint32_t count = vertices->woken_count;

	vertices->woken = part->also_woken;
	vertices->woken_count = 0;
	part->also_woken = list;
	for (uint32_t i = 0; i < count; i++)
		vertices->wants[list[i]] &= (uint16_t)~HBS_VERTEX_WOKEN_;
	return worker->type.step(vertices, part->states, list, count);
}

static int step(struct graph_worker *worker)
{
	struct hbs_vertices *vertices = &worker->part->vertices;
	int ret;

	worker->stats.steps++;
	vertices->step++;
	if (worker->type.step_when == HBS_STEP_WOKEN)
		ret = step_woken(worker);
	else
		ret = worker->type.step(vertices, worker->part->states, NULL, vertices->count);
	worker->is_satisfied = !ret;
	return ret < 0 ? ret : 0;
}

static int init(struct graph_worker *worker)
{
	struct hbs_vertex vertex = { &worker->part->vertices, 0 };
	char *state = worker->part->states;
	int ret = 0;

	for (; ret >= 0 && vertex.index < vertex.of->count; vertex.index++) {
		ret = worker->type.init(&vertex, state);
		state += worker->type.state;
	}
	return ret < 0 ? ret : 0;
}

static int finish(struct graph_worker *worker)
{
	struct hbs_vertex vertex = { &worker->part->vertices, 0 };
	char *state = worker->part->states;
	int ret = 0;

	for (; !ret && vertex.index < vertex.of->count; vertex.index++) {
		ret = worker->type.finish(&vertex, state, worker->messages);
		if (ret > 0)
			ret = hbsi_graph_send_to_host(worker, vertex.index, worker->messages);
		state += worker->type.state;
	}
	/* what a vertex wanted to send by now, nobody would get */
	vertex.of->queued = 0;
	vertex.of->later_count = 0;
	return ret;
}

/*
 * Where there is an order, a thread that starts before another one would send much in vain: vertices of the
 * other one come too late with what is to be passed on first. In a short run it is not worth a wait.
 */
static int await_all(struct graph_worker *worker)
{
	struct graph_run *run = worker->run;
	uint32_t looks = 0;

	atomic_fetch_add(&run->joined, 1);
	if (worker->type.send_order != HBS_SEND_ORDERED || hbsi_graph_shares(run->graph) == 1)
		return 0;
	while (atomic_load_explicit(&run->joined, memory_order_relaxed) < run->graph->threads &&
	       !graph_run_error(run)) {
		if (++looks % LOOKS_A_TURN == 0)
			hbsi_spin_let_others_run();
		else
			ticks_pause();
	}
	return graph_run_error(run);
}

int hbsi_graph_work(struct graph_worker *worker)
{
	bool in_rounds = worker->type.send_order == HBS_SEND_ROUNDS;
	int ret = init(worker);

	if (!ret)
		ret = await_all(worker);
	worker->level_begin = ticks_now();
	while (!ret && (ret = in_rounds ? hbsi_graph_rounds(worker) : await_quiet(worker)) == 1)
		ret = step(worker);
	if (ret < 0)
		return ret;
	ret = finish(worker);
	if (!ret)
		ret = hbsi_graph_flush(worker);
	/* the host's messages are on their way */
	if (!ret)
		ret = await_quiet(worker);
	return ret < 0 ? ret : 0;
}
