// SPDX-License-Identifier: LGPL-2.1-or-later
/* Threads: those of a run, and those that help to make a graph */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "../internal.h"
#include "graph.h"

uint32_t hbsi_graph_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

/* Of a thread that is to start */
struct start {
	void *(*work)(void *arg);
	void *arg;
	bool is_elsewhere;
	cpu_set_t cpus; /* that it may use from then on */
};

static void *begin(void *arg)
{
	struct start start = *(struct start *)arg;

	free(arg);
	if (start.is_elsewhere)
		sched_setaffinity(0, sizeof(start.cpus), &start.cpus);
	return start.work(start.arg);
}

/*
 * Have the thread start on another CPU than the caller's. Linux may put a new thread on that one,
 * also if others are idle, and then it waits for milliseconds until the caller has had its turn. If all
 * others are busy, it may wait as long for one of them, so this is for work that takes longer.
 */
static void start_elsewhere(struct start *start, pthread_attr_t *attr)
{
	cpu_set_t others;
	int cpu = sched_getcpu();

	if (cpu < 0 || sched_getaffinity(0, sizeof(start->cpus), &start->cpus))
		return;
	others = start->cpus;
	CPU_CLR(cpu, &others);
	start->is_elsewhere =
		CPU_COUNT(&others) && !pthread_attr_setaffinity_np(attr, sizeof(others), &others);
}

static int start_thread(pthread_t *thread, struct start *start, bool elsewhere)
{
	pthread_attr_t attr;
	int ret = -pthread_attr_init(&attr);

	if (ret)
		return ret;
	if (elsewhere)
		start_elsewhere(start, &attr);
	ret = -pthread_create(thread, &attr, begin, start);
	pthread_attr_destroy(&attr);
	/* the CPUs may have changed meanwhile */
	if (ret == -EINVAL && start->is_elsewhere) {
		start->is_elsewhere = false;
		ret = -pthread_create(thread, NULL, begin, start);
	}
	return ret;
}

/* Signals are for the program's own threads */
int hbsi_graph_thread(pthread_t *thread, bool elsewhere, void *(*work)(void *arg), void *arg)
{
	struct start *start = calloc(1, sizeof(*start));
	sigset_t all, before;
	int ret;

	if (!start)
		return -ENOMEM;
	start->work = work;
	start->arg = arg;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = start_thread(thread, start, elsewhere);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		free(start);
	return ret;
}

/* With fewer edges for each, threads take longer to start than to count */
#define EDGES_WORTH_A_THREAD 65536

uint32_t hbsi_graph_shares(const struct hbs_graph *graph)
{
	uint64_t worth = graph->edge_count / EDGES_WORTH_A_THREAD;
	uint32_t shares = graph->threads < GRAPH_SHARES_MAX ? graph->threads : GRAPH_SHARES_MAX;

	if (shares > worth)
		shares = (uint32_t)worth;
	return shares ? shares : 1;
}

struct crew {
	int (*work)(void *arg, uint32_t number);
	void *arg;
	uint32_t count;
	_Atomic uint32_t next;
	_Atomic int error; /* the first one */
};

static void *labour(void *arg)
{
	struct crew *crew = arg;
	uint32_t number;

	while (!crew->error && (number = atomic_fetch_add(&crew->next, 1)) < crew->count) {
		int ret = crew->work(crew->arg, number), none = 0;

		if (ret)
			atomic_compare_exchange_strong(&crew->error, &none, ret);
	}
	return NULL;
}

int hbsi_graph_crew(uint32_t threads, uint32_t count, int (*work)(void *arg, uint32_t number),
		    void *arg)
{
	struct crew crew = { .work = work, .arg = arg, .count = count };
	uint32_t most = threads < count ? threads : count, cpus = hbsi_graph_cpus();
	uint32_t helpers = (most < cpus ? most : cpus) - !!most, started = 0;
	pthread_t *others = calloc(helpers ? helpers : 1, sizeof(*others));
	int cancel;

	if (!others)
		return -ENOMEM;
	cancel = cancel_off();
	/* where there may be no more threads, those that there are do all of it */
	while (started < helpers && !hbsi_graph_thread(&others[started], true, labour, &crew))
		started++;
	labour(&crew);
	while (started--)
		pthread_join(others[started], NULL);
	cancel_restore(cancel);
	free(others);
	return crew.error;
}
