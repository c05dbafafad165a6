// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "clock.h"
#include "cpus.h"

#define CALIBRATION_NS 50000000
#define STAMPS	       10000
#define ROUNDS	       2000

static double ticks_per_ns;

double clock_ns(uint64_t ticks)
{
	return (double)ticks / ticks_per_ns;
}

uint64_t clock_ticks(double ns)
{
	return (uint64_t)(ns * ticks_per_ns);
}

static void calibrate(void)
{
	uint64_t ns = hbsi_clock_ns(), now, ticks = ticks_now();

	do
		now = hbsi_clock_ns();
	while (now - ns < CALIBRATION_NS);
	ticks_per_ns = (double)(ticks_now() - ticks) / (double)(now - ns);
}

static double resolution(void)
{
	uint64_t best = UINT64_MAX, last = ticks_now();

	for (int i = 0; i < STAMPS; i++) {
		uint64_t now = ticks_now();

		if (now != last && now - last < best)
			best = now - last;
		last = now;
	}
	return clock_ns(best);
}

static double cost(void)
{
	uint64_t start = clock_stamp();

	for (int i = 0; i < STAMPS; i++)
		(void)clock_stamp();
	return clock_ns(clock_stamp() - start) / STAMPS;
}

/* The processor says that its counter neither stops nor changes its rate */
static bool is_steady(void)
{
#if defined(TICKS_TSC)
	FILE *file = hbsi_ticks_by_clock ? NULL : fopen("/proc/cpuinfo", "re");
	bool constant = false, nonstop = false;
	char line[8192];

	if (!file)
		return hbsi_ticks_by_clock;
	while (fgets(line, sizeof(line), file) && strncmp(line, "flags", 5))
		;
	constant = strstr(line, " constant_tsc");
	nonstop = strstr(line, " nonstop_tsc");
	fclose(file);
	return constant && nonstop;
#else
	return true;
#endif
}

/* A round trip between two CPUs: one asks, and the other answers with its time */
struct echo {
	_Alignas(CACHE_LINE) atomic_uint asked;
	_Alignas(CACHE_LINE) atomic_uint answered;
	uint64_t answer;
	unsigned int cpu;
	bool placed;
	sem_t ready;
};

static void *echo(void *arg)
{
	struct echo *echo = arg;

	echo->placed = cpus_pin(echo->cpu);
	sem_post(&echo->ready);
	for (unsigned int round = 1; echo->placed && round <= ROUNDS; round++) {
		while (atomic_load_explicit(&echo->asked, memory_order_acquire) != round)
			ticks_pause();
		echo->answer = clock_stamp();
		atomic_store_explicit(&echo->answered, round, memory_order_release);
	}
	return NULL;
}

/* How far CPU @cpu is ahead of this one, by the fastest of many round trips */
static void measure_skew(unsigned int cpu, struct clock_facts *facts)
{
	struct echo shared = { .cpu = cpu };
	uint64_t fastest = UINT64_MAX;
	double ahead = 0;
	pthread_t thread;

	sem_init(&shared.ready, 0, 0);
	if (pthread_create(&thread, NULL, echo, &shared)) {
		sem_destroy(&shared.ready);
		return;
	}
	/*
	 * The thread starts on this CPU, and under SCHED_FIFO would never leave it if we
	 * spun; on one CPU the two would measure nothing.
	 */
	while (sem_wait(&shared.ready))
		;
	for (unsigned int round = 1; shared.placed && round <= ROUNDS; round++) {
		uint64_t start = clock_stamp(), trip;

		atomic_store_explicit(&shared.asked, round, memory_order_release);
		while (atomic_load_explicit(&shared.answered, memory_order_acquire) != round)
			ticks_pause();
		trip = clock_stamp() - start;
		if (trip < fastest) {
			fastest = trip;
			ahead = (double)(int64_t)(shared.answer - start) - (double)trip / 2;
		}
	}
	pthread_join(thread, NULL);
	sem_destroy(&shared.ready);
	if (!shared.placed)
		return;
	ahead = (ahead < 0 ? -ahead : ahead) / ticks_per_ns;
	if (ahead > facts->skew_ns)
		facts->skew_ns = ahead;
	if (clock_ns(fastest) / 2 > facts->skew_error_ns)
		facts->skew_error_ns = clock_ns(fastest) / 2;
}

struct clock_facts clock_start(void)
{
	struct clock_facts facts = { .name = "CLOCK_MONOTONIC" };

	/* this lets the library decide whether its counter is usable */
	hbsi_ticks_from_ns(1);
	calibrate();
#if defined(TICKS_TSC)
	if (!hbsi_ticks_by_clock)
		facts.name = "TSC";
#elif defined(TICKS_CNTVCT)
	if (!hbsi_ticks_by_clock)
		facts.name = "CNTVCT";
#endif
	facts.steady = is_steady();
	facts.ticks_per_ns = ticks_per_ns;
	facts.resolution_ns = resolution();
	facts.stamp_ns = cost();
	if (cpus_pin(0)) {
		for (unsigned int cpu = 1; cpu < cpus_count(); cpu++)
			measure_skew(cpu, &facts);
		cpus_unpin();
	}
	return facts;
}
