// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rounds: all vertices that want to send do so once, each into a place of its own, and the threads meet.
 * Then each thread has its vertices receive what those with an edge to them have sent, and they meet
 * again, since only now nobody needs the messages any more, and all know who wants to send in the next round.
 *
 * If nobody has sent, the first meeting is the end of it. A meeting has one bit from each thread, that it
 * wants nothing more; what else all have to know is in the run's news, as the number of the last round in
 * which it was so. Another thread can be a round ahead while this one looks only if nobody has sent in this
 * one's: then neither number says so. So all find the same.
 */
#include <errno.h>
#include <string.h>

#include "graph.h"

/* Four vertices at once: what they want, without the library's own bits */
#define FOUR	      4
#define FOUR_OF(want) (0x0001000100010001ULL * (want))

static inline uint64_t four_wants(const uint16_t *wants)
{
	uint64_t four;

	memcpy(&four, wants, sizeof(four));
	return four & FOUR_OF(HBS_VERTEX_PIN_);
}

/* How many vertices from one on want the same */
static uint32_t run_of(const struct hbs_vertices *vertices, uint32_t from)
{
	const uint16_t *wants = vertices->wants;
	uint16_t pin = wants[from] & HBS_VERTEX_PIN_;
	uint32_t end = from + 1;

	while (end + FOUR <= vertices->count && four_wants(wants + end) == FOUR_OF(pin))
		end += FOUR;
	while (end < vertices->count && (wants[end] & HBS_VERTEX_PIN_) == pin)
		end++;
	return end - from;
}

static bool is_anybody_ready(const struct hbs_vertices *vertices)
{
	return vertices->count &&
	       (run_of(vertices, 0) < vertices->count || (vertices->wants[0] & HBS_VERTEX_PIN_));
}

static void tell(const struct graph_worker *worker, _Atomic uint64_t *news)
{
	atomic_store_explicit(news, worker->round, memory_order_relaxed);
}

static bool is_told(const struct graph_worker *worker, const _Atomic uint64_t *news)
{
	return atomic_load_explicit(news, memory_order_relaxed) == worker->round;
}

/* Note whether vertices have sent along their edges, for those at the other ends */
static void note(struct graph_worker *worker, uint32_t from, uint32_t run, bool have_sent)
{
	unsigned char *sent = worker->run->graph->pull.sent + worker->part->vertices.first;

	if (have_sent && worker->all_sent)
		return;
	memset(sent + from, have_sent, run);
	if (have_sent)
		return;
	worker->all_sent = false;
	tell(worker, &worker->run->news.silent);
}

static int send_along(struct graph_worker *worker, uint32_t from, uint32_t run)
{
	struct hbs_vertices *vertices = &worker->part->vertices;
	char *messages =
		worker->run->graph->pull.messages + (size_t)vertices->first * worker->type.message;

	note(worker, from, run, true);
	if (run == vertices->count)
		worker->all_sent = true;
	worker->stats.sent += run;
	return worker->type.turn(vertices, worker->part->states, messages, from, from + run);
}

static int send_to_host(struct graph_worker *worker, uint32_t from, uint32_t run)
{
	struct hbs_vertex vertex = { &worker->part->vertices, from };
	int ret = 0;

	note(worker, from, run, false);
	for (; ret >= 0 && vertex.index < from + run; vertex.index++) {
		char *state = worker->part->states + (size_t)vertex.index * worker->type.state;

		worker->stats.sent++;
		ret = worker->type.send(&vertex, state, worker->messages);
		if (ret >= 0)
			ret = hbsi_graph_send_to_host(worker, vertex.index, worker->messages);
	}
	return ret;
}

/* The turn of vertices that all want the same */
static int send_run(struct graph_worker *worker, uint32_t from, uint32_t run)
{
	uint32_t pin = worker->part->vertices.wants[from] & HBS_VERTEX_PIN_;

	switch (pin) {
	case HBS_PIN_NONE:
		note(worker, from, run, false);
		return 0;
	case HBS_PIN_HOST:
		return send_to_host(worker, from, run);
	case HBS_PIN(0):
		return send_along(worker, from, run);
	default:
		return -ERANGE;
	}
}

/* Return: whether a vertex has sent, or an error */
static int send_all(struct graph_worker *worker)
{
	struct hbs_vertices *vertices = &worker->part->vertices;
	uint64_t before = worker->stats.sent;
	int ret = 0;

	worker->round++;
	for (uint32_t i = 0, run; ret >= 0 && i < vertices->count; i += run) {
		run = run_of(vertices, i);
		ret = send_run(worker, i, run);
	}
	return ret < 0 ? ret : worker->stats.sent > before;
}

/* Have the vertices of the thread receive. Return: whether one of them wants to send now, or an error. */
static int receive_all(struct graph_worker *worker)
{
	const struct hbs_graph *graph = worker->run->graph;
	struct hbs_vertices *vertices = &worker->part->vertices;
	struct hbs_round round = {
		.messages = graph->pull.messages,
		.start = graph->pull.start + vertices->first,
		.from = graph->pull.from,
		.data = graph->has_data ? graph->pull.data : graph->datum,
	};
	int64_t ret;

	if (is_told(worker, &worker->run->news.silent))
		round.sent = graph->pull.sent;
	ret = worker->type.gather(vertices, worker->part->states, &round);
	if (ret < 0)
		return (int)ret;
	worker->stats.received += (uint64_t)ret;
	return is_anybody_ready(vertices);
}

/*
 * Wait for all others, and meanwhile take messages to the host. @more: the vertices of this thread
 * want something more. Return: 1; 2 if those of no thread do; or an error.
 */
static int meet(struct graph_worker *worker, bool more)
{
	int ret = hbsi_graph_flush(worker);

	while (!ret) {
		ret = hbsi_graph_receive(worker);
		if (ret >= 0)
			ret = worker->mailbox ? hbs_idle(worker->mailbox, !more) : 1 + !more;
	}
	return ret;
}

int hbsi_graph_rounds(struct graph_worker *worker)
{
	struct graph_news *news = &worker->run->news;
	int ret;

	do {
		int active = send_all(worker);

		if (active > 0)
			tell(worker, &news->sent);
		ret = active < 0 ? active : meet(worker, active || !worker->is_satisfied);
		if (ret != 1 || !is_told(worker, &news->sent))
			return ret;
		active = receive_all(worker);
		if (active > 0)
			tell(worker, &news->ready);
		ret = active < 0 ? active : meet(worker, active || !worker->is_satisfied);
	} while (ret == 1 && is_told(worker, &news->ready));
	return ret;
}
