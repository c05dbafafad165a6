// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count.h"
#include "solve.h"

#define WARM_UP 8 /* barriers before counting begins */

struct worker {
	struct run *run;
	pthread_t thread;
	unsigned int number;
	double residual;
	struct hbs_member *member;
	struct count count;
	bool counting;
	uint64_t system_calls;
	uint64_t end_ns;
};

struct run {
	struct field *field;
	struct hbs_group *group;
	struct worker *workers;
	unsigned int threads;
	unsigned long sweeps;
	struct solve_result *result;
	atomic_uint parked;
	atomic_bool go;
	atomic_bool failed;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The first failure is the one to report; the others must not wait for ever */
static void fail(struct run *run, const char *call, int error)
{
	if (atomic_exchange(&run->failed, true))
		return;
	run->result->call = call;
	run->result->error = error;
	hbs_group_destroy(run->group);
}

static void warm_up(struct worker *worker)
{
	struct run *run = worker->run;
	int ret = hbs_join(run->group, &worker->member);

	if (ret) {
		fail(run, "hbs_join", ret);
		return;
	}
	worker->counting = count_open(&worker->count);
	for (int i = 0; i < WARM_UP && !ret; i++)
		ret = hbs_barwait(worker->member);
	if (ret)
		fail(run, "hbs_barwait", ret);
}

/*
 * All threads wait here, awake, while one reads the counters. So they go on
 * together, and no first wait is long.
 */
static void park(struct run *run)
{
	atomic_fetch_add(&run->parked, 1);
	while (!atomic_load(&run->go))
		sched_yield();
}

static double largest_residual(const struct run *run)
{
	double residual = 0.0;

	for (unsigned int i = 0; i < run->threads; i++)
		if (run->workers[i].residual > residual)
			residual = run->workers[i].residual;
	return residual;
}

static int sweep(struct worker *worker, size_t first, size_t last)
{
	struct run *run = worker->run;
	int ret;

	worker->residual = field_sweep(run->field, first, last);
	/* nobody turns the field before all rows are there */
	ret = hbs_barwait(worker->member);
	if (ret)
		return ret;
	if (!worker->number)
		field_turn(run->field, largest_residual(run));
	/* nobody sweeps on before the field is turned */
	return hbs_barwait(worker->member);
}

static int sweep_all(struct worker *worker)
{
	const struct run *run = worker->run;
	size_t first, last;
	int ret = 0;

	field_share(run->field, worker->number, run->threads, &first, &last);
	for (unsigned long i = 0; i < run->sweeps && !ret; i++)
		ret = sweep(worker, first, last);
	return ret;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct run *run = worker->run;
	int ret;

	warm_up(worker);
	park(run);
	if (!atomic_load(&run->failed)) {
		if (worker->counting)
			count_start(&worker->count);
		ret = sweep_all(worker);
		if (worker->counting)
			worker->system_calls = count_stop(&worker->count);
		worker->end_ns = now_ns();
		if (ret)
			fail(run, "hbs_barwait", ret);
	}
	count_close(&worker->count);
	if (worker->member)
		hbs_leave(worker->member);
	return NULL;
}

static unsigned int start_workers(struct run *run)
{
	unsigned int started;

	for (started = 0; started < run->threads; started++) {
		struct worker *worker = &run->workers[started];
		int ret;

		worker->run = run;
		worker->number = started;
		worker->count.fd = -1;
		ret = pthread_create(&worker->thread, NULL, work, worker);
		if (ret) {
			fail(run, "pthread_create", -ret);
			break;
		}
	}
	return started;
}

static void collect(struct run *run, uint64_t start_ns)
{
	struct solve_result *result = run->result;
	uint64_t end_ns = start_ns;

	result->system_calls_known = true;
	for (unsigned int i = 0; i < run->threads; i++) {
		struct worker *worker = &run->workers[i];

		if (worker->end_ns > end_ns)
			end_ns = worker->end_ns;
		result->system_calls += worker->system_calls;
		if (!worker->counting) {
			result->system_calls_known = false;
			memcpy(result->why_not, worker->count.why, sizeof(result->why_not));
		}
	}
	result->seconds = (double)(end_ns - start_ns) * 1e-9;
}

static void run_workers(struct run *run)
{
	struct solve_result *result = run->result;
	unsigned int started = start_workers(run);
	uint64_t start_ns;
	int ret;

	while (atomic_load(&run->parked) < started)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	ret = hbs_group_stats(run->group, &result->before);
	if (ret)
		fail(run, "hbs_group_stats", ret);
	start_ns = now_ns();
	atomic_store(&run->go, true);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(run->workers[i].thread, NULL);
	if (atomic_load(&run->failed))
		return;
	ret = hbs_group_stats(run->group, &result->after);
	if (ret)
		fail(run, "hbs_group_stats", ret);
	collect(run, start_ns);
}

int solve(struct hbs *hbs, struct field *field, unsigned int threads, unsigned long sweeps,
	  struct solve_result *result)
{
	struct run run = { .field = field, .threads = threads, .sweeps = sweeps, .result = result };
	int ret;

	memset(result, 0, sizeof(*result));
	result->call = "hbs_group_create";
	ret = hbs_group_create(hbs, &(struct hbs_group_attr){ .members = threads }, &run.group);
	if (ret)
		return ret;
	run.workers = calloc(threads, sizeof(*run.workers));
	if (run.workers)
		run_workers(&run);
	else
		fail(&run, "calloc", -ENOMEM);
	free(run.workers);
	hbs_group_close(run.group);
	return result->error;
}
