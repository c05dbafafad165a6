// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runs: the threads, what they meet in, and how an error of one ends all */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "../internal.h"
#include "../ticks.h"
#include "graph.h"

/* The first error of a run is the one that its caller gets. The others find the group broken. */
static void fail(struct graph_run *run, int error)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&run->error, &none, error) && run->group)
		hbs_group_destroy(run->group);
}

/* Who wants to send in a round is found without a list: all are as if they were in it already */
static void reset(struct graph_worker *worker)
{
	struct hbs_vertices *vertices = &worker->part->vertices;
	bool in_rounds = worker->type.send_order == HBS_SEND_ROUNDS;

	vertices->queue_end = 0;
	vertices->queued = 0;
	vertices->later_count = 0;
	vertices->later_stale = 0;
	/* either bit will do: the lists change their places later */
	vertices->in_queue = HBS_VERTEX_LISTED_ & ~(HBS_VERTEX_LISTED_ - 1);
	for (uint32_t i = 0; i < vertices->count; i++)
		vertices->wants[i] = in_rounds ? (uint16_t)vertices->in_queue : 0;
	vertices->level = 0;
	vertices->woken_count = 0;
	vertices->step = 0;
	vertices->arg = worker->run->arg;
}

static int take_part(struct graph_worker *worker)
{
	struct graph_run *run = worker->run;
	int ret;

	reset(worker);
	if (!run->group)
		return hbsi_graph_work(worker);
	ret = hbs_join_tagged(run->group, worker->thread, &worker->member);
	/* a card's driver may be too old for tags */
	if (ret == -EOPNOTSUPP)
		ret = hbs_join(run->group, &worker->member);
	if (!ret)
		ret = hbs_mailbox_open(run->messages, worker->thread, &worker->mailbox);
	if (!ret)
		ret = hbs_mailbox_bind(worker->mailbox, worker->member);
	return ret ? ret : hbsi_graph_work(worker);
}

static void *work(void *arg)
{
	struct graph_worker *worker = arg;
	int ret = take_part(worker);

	if (ret)
		fail(worker->run, ret);
	if (worker->mailbox)
		hbs_mailbox_close(worker->mailbox);
	if (worker->member)
		hbs_leave(worker->member);
	return NULL;
}

static void add(struct hbs_graph_stats *sum, const struct hbs_graph_stats *more)
{
	sum->steps = more->steps;
	sum->sent += more->sent;
	sum->received += more->received;
	sum->copies += more->copies;
	sum->batches += more->batches;
}

static int prepare(struct graph_worker *worker, struct graph_run *run, uint32_t thread)
{
	struct hbs_graph *graph = run->graph;

	*worker = (struct graph_worker){
		.run = run,
		.part = &graph->parts[thread],
		.type = graph->type,
		.thread = thread,
		.pins = graph->type.pins,
		.payload = graph->slot - HBS_MESSAGES_HEADER,
	};
	worker->capacity = hbsi_graph_capacity(worker->payload, graph->type.message);
	/* on lines that no other thread writes to */
	worker->batches = hbsi_graph_zeros(graph->threads, sizeof(*worker->batches));
	if (!worker->batches)
		return -ENOMEM;
	if (!graph->type.combine)
		return 0;
	worker->last =
		hbsi_graph_zeros((uint64_t)graph->threads * BATCH_LAST, sizeof(*worker->last));
	for (uint32_t i = 0; worker->last && i < graph->threads; i++)
		worker->batches[i].last = worker->last + (size_t)i * BATCH_LAST;
	return worker->last ? 0 : -ENOMEM;
}

static void forget(struct graph_worker *worker)
{
	hbsi_graph_free(worker->batches);
	hbsi_graph_free(worker->last);
}

/* The caller is thread 0 */
static void run_threads(struct graph_run *run, struct graph_worker *workers, pthread_t *threads)
{
	bool is_long = hbsi_graph_shares(run->graph) > 1;
	uint32_t started = 1;
	int ret = 0;

	while (started < run->graph->threads && !ret) {
		ret = hbsi_graph_thread(&threads[started], is_long, work, &workers[started]);
		started += !ret;
	}
	if (ret)
		fail(run, ret);
	else
		work(&workers[0]);
	while (--started)
		pthread_join(threads[started], NULL);
}

static int run_workers(struct graph_run *run, struct hbs_graph_stats *stats)
{
	uint32_t count = run->graph->threads;
	struct graph_worker *workers =
		aligned_alloc(_Alignof(struct graph_worker), count * sizeof(*workers));
	pthread_t *threads = calloc(count, sizeof(*threads));
	uint32_t prepared = 0;
	int ret;

	run->levels = hbsi_graph_zeros(count, sizeof(*run->levels));
	ret = workers && threads && run->levels ? 0 : -ENOMEM;

	while (!ret && prepared < count) {
		ret = prepare(&workers[prepared], run, prepared);
		prepared++;
	}
	if (!ret)
		run_threads(run, workers, threads);
	while (prepared--) {
		add(stats, &workers[prepared].stats);
		forget(&workers[prepared]);
	}
	hbsi_graph_free(run->levels);
	free(threads);
	free(workers);
	return ret ? ret : graph_run_error(run);
}

static int meet(struct graph_run *run, struct hbs *hbs)
{
	struct hbs_graph *graph = run->graph;
	struct hbs_group_attr group = { .members = graph->threads, .type = HBS_REFUTABLE };
	struct hbs_messages_attr messages = { .members = graph->threads,
					      .slot = graph->slot,
					      .depth = graph->depth };
	int ret;

	if (graph->threads == 1)
		return 0;
	ret = hbs_group_create(hbs, &group, &run->group);
	return ret ? ret : hbs_messages_create(&messages, &run->messages);
}

static void part_company(struct graph_run *run)
{
	if (run->messages)
		hbs_messages_close(run->messages);
	if (run->group)
		hbs_group_close(run->group);
}

int hbs_graph_run(struct hbs_graph *graph, struct hbs *hbs, void *arg,
		  struct hbs_graph_stats *stats)
{
	struct graph_run run = { .graph = graph, .arg = arg };
	struct hbs_graph_stats sum = { 0 };
	uint64_t begin;
	int cancel, ret;

	if (!graph || !hbs)
		return -EINVAL;
	if (atomic_flag_test_and_set(&graph->runs))
		return -EBUSY;
	cancel = cancel_off();
	begin = hbsi_clock_ns();
	ret = meet(&run, hbs);
	if (!ret)
		ret = run_workers(&run, &sum);
	part_company(&run);
	sum.ns = hbsi_clock_ns() - begin;
	if (stats)
		*stats = sum;
	atomic_flag_clear(&graph->runs);
	cancel_restore(cancel);
	return ret;
}
