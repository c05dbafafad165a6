// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a thread does in a run: it calls the handlers of its vertices, until all have finished */
#include <errno.h>

#include "ahead.h"
#include "graph.h"

/* Vertices that send before the thread looks for messages, and passes on its own */
#define SENDS_IN_TURN 128

int hbsi_graph_deliver(struct graph_worker *worker, uint32_t slice, const void *message)
{
	struct graph_part *part = worker->part;
	uint32_t first = part->slices[slice];
	uint32_t count = part->slices[slice + 1] - first;

	worker->stats.received += count;
	return worker->type.recv(&part->vertices, part->states, message, part->to + first,
				 part->data + first * part->vertices.stride, count);
}

int hbsi_graph_tell_host(struct graph_worker *worker, uint32_t vertex, const void *message)
{
	return worker->type.host ? worker->type.host(worker->run->arg, vertex, message) : 0;
}

static int send_to_host(struct graph_worker *worker, uint32_t index)
{
	uint32_t vertex = worker->part->vertices.first + index;

	if (!worker->type.host)
		return 0;
	if (!worker->thread)
		return hbsi_graph_tell_host(worker, vertex, worker->message);
	return hbsi_graph_append(worker, 0, BATCH_HOST, vertex);
}

static int send_along(struct graph_worker *worker, uint32_t index, uint32_t pin)
{
	const struct graph_part *part = worker->part;
	size_t key = (size_t)index * worker->pins + pin;
	int ret = hbsi_graph_deliver(worker, (uint32_t)key, worker->message);

	if (!part->first_route)
		return ret;
	for (uint32_t r = part->first_route[key]; !ret && r < part->first_route[key + 1]; r++)
		ret = hbsi_graph_append(worker, part->routes[r].thread, BATCH_EDGES,
					part->routes[r].slice);
	return ret;
}

/* The vertex that is to send as the one with that number, from 0, which has waited longest */
static uint32_t in_queue(const struct hbs_vertices *vertices, uint32_t number)
{
	uint32_t at = vertices->queue_end - vertices->queued + number;

	if (vertices->queue_end < vertices->queued - number)
		at += vertices->count;
	return vertices->queue[at];
}

static uint32_t pop(struct hbs_vertices *vertices)
{
	uint32_t index = in_queue(vertices, 0);

	vertices->queued--;
	return index;
}

/* The slice along which a vertex wants to send; mostly it will not have changed its mind */
static uint32_t slice_of(const struct graph_worker *worker, uint32_t index)
{
	uint32_t wants = worker->part->vertices.wants[index] & HBS_VERTEX_PIN_;
	uint32_t pin =
		wants >= HBS_PIN(0) && wants < HBS_PIN(worker->pins) ? wants - HBS_PIN(0) : 0;

	return index * worker->pins + pin;
}

static void look_ahead(const struct graph_worker *worker)
{
	const struct graph_part *part = worker->part;
	const struct hbs_vertices *vertices = &part->vertices;

	if (vertices->queued > AHEAD_SLICE) {
		uint32_t index = in_queue(vertices, AHEAD_SLICE);

		__builtin_prefetch(&vertices->wants[index], 1);
		ahead_slice(part, index * worker->pins);
	}
	if (vertices->queued > AHEAD_EDGES) {
		uint32_t index = in_queue(vertices, AHEAD_EDGES);

		__builtin_prefetch(part->states + (size_t)index * worker->type.state, 1);
		if (part->first_route)
			__builtin_prefetch(&part->first_route[index * worker->pins]);
		ahead_edges(part, slice_of(worker, index));
	}
	if (vertices->queued > AHEAD_STATES)
		ahead_states(part, slice_of(worker, in_queue(vertices, AHEAD_STATES)),
			     worker->type.state);
}

static int send_one(struct graph_worker *worker)
{
	struct hbs_vertices *vertices = &worker->part->vertices;
	struct hbs_vertex vertex = { vertices, 0 };
	uint32_t wants, after;
	int ret;

	look_ahead(worker);
	vertex.index = pop(vertices);
	wants = vertices->wants[vertex.index] & HBS_VERTEX_PIN_;
	vertices->wants[vertex.index] &= (uint16_t)~HBS_VERTEX_QUEUED_;
	/* it may have changed its mind */
	if (wants == HBS_PIN_NONE)
		return 0;
	if (wants >= HBS_PIN(worker->pins))
		return -ERANGE;
	ret = worker->type.send(&vertex,
				worker->part->states + (size_t)vertex.index * worker->type.state,
				worker->message);
	if (ret < 0)
		return ret;
	worker->stats.sent++;
	after = vertices->wants[vertex.index];
	if ((after & HBS_VERTEX_PIN_) && !(after & (HBS_VERTEX_QUEUED_ | HBS_VERTEX_LATER_)))
		hbs_vertex_ready(&vertex, after & HBS_VERTEX_PIN_);
	return wants == HBS_PIN_HOST ? send_to_host(worker, vertex.index)
				     : send_along(worker, vertex.index, wants - HBS_PIN(0));
}

/*
 * When nobody is in the queue, those whose order is the smallest get there. A vertex has been in
 * the queue meanwhile, or does not want to send any more: then it stays in the list until now.
 */
static void begin_level(struct hbs_vertices *vertices)
{
	uint32_t kept = 0, level = UINT32_MAX;

	for (uint32_t i = 0; i < vertices->later_count; i++) {
		uint32_t index = vertices->later[i];

		if (vertices->wants[index] & HBS_VERTEX_PIN_) {
			vertices->later[kept++] = index;
			if (vertices->order[index] < level)
				level = vertices->order[index];
		} else {
			vertices->wants[index] &= (uint16_t)~HBS_VERTEX_LATER_;
		}
	}
	vertices->later_count = 0;
	if (kept)
		vertices->level = level;
	for (uint32_t i = 0; i < kept; i++) {
		struct hbs_vertex vertex = { vertices, vertices->later[i] };
		uint32_t wants = vertices->wants[vertex.index];

		if (vertices->order[vertex.index] > level) {
			vertices->later[vertices->later_count++] = vertex.index;
			continue;
		}
		vertices->wants[vertex.index] = (uint16_t)(wants & ~HBS_VERTEX_LATER_);
		hbs_vertex_ready(&vertex, wants & HBS_VERTEX_PIN_);
	}
}

static int send_some(struct graph_worker *worker)
{
	struct hbs_vertices *vertices = &worker->part->vertices;
	int ret = 0;

	if (!vertices->queued)
		begin_level(vertices);
	for (uint32_t i = 0; !ret && i < SENDS_IN_TURN && vertices->queued; i++)
		ret = send_one(worker);
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
		if (!ret)
			ret = worker->mailbox ? hbs_idle(worker->mailbox, worker->is_satisfied)
					      : 1 + worker->is_satisfied;
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
		ret = worker->type.finish(&vertex, state, worker->message);
		if (ret > 0)
			ret = send_to_host(worker, vertex.index);
		state += worker->type.state;
	}
	/* what a vertex wanted to send by now, nobody would get */
	vertex.of->queued = 0;
	vertex.of->later_count = 0;
	return ret;
}

int hbsi_graph_work(struct graph_worker *worker)
{
	int ret = init(worker);

	while (!ret && (ret = await_quiet(worker)) == 1)
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
