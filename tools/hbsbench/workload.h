/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A workload is something to do with a barrier: a file below workloads/ and a line in
 * workloads.c.
 */
#ifndef HBSBENCH_WORKLOAD_H
#define HBSBENCH_WORKLOAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "condition.h"
#include "contender.h"

/* Samples of one repetition: enough for a p99.9 */
#define SAMPLES_MAX 16384

/**
 * struct report - what one repetition found, in memory that outlives its process
 * @samples: a time each, in ticks
 * @sample_count: how many samples
 * @mean_ns: mean time without time stamps between; 0 if not measured
 * @barriers: number of barriers for the CPU times; 0 if not measured
 * @cpu_ns: CPU time of all members
 * @system_ns: the part of it in the kernel
 * @burn: CPU time of a member that waits, as a part of the time; below 0 if not measured
 * @violations: how often it was not a barrier, or a program's result was wrong
 * @misplaced: members that were not on the CPU where they had been put
 * @load: CPUs that neighbours took; below 0 if there were none
 */
struct report {
	uint64_t samples[SAMPLES_MAX];
	uint32_t sample_count;
	double mean_ns;
	uint64_t barriers;
	_Atomic uint64_t cpu_ns;
	_Atomic uint64_t system_ns;
	double burn;
	_Atomic uint64_t violations;
	_Atomic uint64_t misplaced;
	double load;
};

/**
 * struct run - one repetition, in memory that all members share
 * @wait: the contender's @wait, for quick access
 * @members: how many
 * @time_ns: how long it should take
 * @jitter_ns: for workloads whose members come at random times
 * @pinned: member i is on CPU i
 * @processes: members are processes, not threads
 * @points: the point set of the clustering, or NULL for its own
 * @condition: what else goes on meanwhile, or NULL
 * @control: a barrier of the harness, which is never measured
 * @count: how much the members agree to do next, see pace.h
 * @paced: the same
 * @report: out
 * @data: the workload's own
 */
struct run {
	const struct contender *contender;
	const struct workload *workload;
	void (*wait)(unsigned int member);
	unsigned int members;
	double time_ns;
	double jitter_ns;
	bool pinned;
	bool processes;
	const char *points;
	const struct condition *condition;
	pthread_barrier_t control;
	unsigned long count;
	bool paced;
	struct report *report;
	void *data;
};

/**
 * struct workload - something to do with a barrier
 * @name: the name by which users choose it, and which is printed
 * @what: one line about it
 * @unit: what its samples measure
 * @hidden: it is not measured unless the user asks for it
 * @strict: it needs a real barrier
 * @distribution: it has enough samples for a plot of them
 * @conditions: it is measured in each of them, ended by one without a name; or NULL
 * @contenders: the names of its contenders unless the user asks for others, ended by NULL; the
 *              fixed policies of these are added. NULL: all but the fixed policies
 * @repetitions: how many, unless the user says so; 0: as most workloads
 * @time_ns: how long a repetition takes, likewise
 * @limit_s: how long a repetition may take, likewise
 * @begin: called before there is a barrier; may be NULL. @program runs the contender and the
 *         members of a run, so that a process forked here can be another such program.
 * @prepare: called once before the members start; may be NULL
 * @work: called in each member
 * @end: called after the barrier is gone; may be NULL
 */
struct workload {
	const char *name;
	const char *what;
	const char *unit;
	bool hidden;
	bool strict;
	bool distribution;
	const struct condition *conditions;
	const char *const *contenders;
	unsigned int repetitions;
	double time_ns;
	unsigned int limit_s;
	void (*begin)(struct run *run, void (*program)(struct run *run));
	void (*prepare)(struct run *run);
	void (*work)(struct run *run, unsigned int member);
	void (*end)(struct run *run);
};

/* All there are, ended by NULL */
extern const struct workload *const workloads[];

const struct workload *workload_find(const char *name);

/* All members meet here, however broken the contender is */
static inline void run_meet(struct run *run)
{
	pthread_barrier_wait(&run->control);
}

#endif /* HBSBENCH_WORKLOAD_H */
