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

/* Signals are for the program's own threads */
int hbsi_graph_thread(pthread_t *thread, void *(*work)(void *arg), void *arg)
{
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = -pthread_create(thread, NULL, work, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
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
	while (started < helpers && !hbsi_graph_thread(&others[started], labour, &crew))
		started++;
	labour(&crew);
	while (started--)
		pthread_join(others[started], NULL);
	cancel_restore(cancel);
	free(others);
	return crew.error;
}
