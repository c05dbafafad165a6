// SPDX-License-Identifier: GPL-2.0-or-later
/* Online clustering, three barriers a proposal (HARP paper, figure 2) */
#include <stddef.h>

#include "child.h"
#include "clock.h"
#include "clustering.h"
#include "pace.h"
#include "usage.h"
#include "workload.h"

struct cluster {
	struct clustering *clustering;
	struct points points;
	unsigned long steps; /* since it was made */
};

static struct cluster cluster;

static void cluster_prepare(struct run *run)
{
	const char *why = points_load(run->points, &cluster.points);

	if (why)
		child_die(run->points ? run->points : "the places", why);
	cluster.clustering = clustering_make(&cluster.points, run->members);
}

static void steps(struct run *run, unsigned int member, unsigned long count)
{
	uint64_t *samples = run->report->samples;

	if (!member)
		cluster.steps += count;
	for (unsigned long i = 0; i < count; i++) {
		uint64_t start = ticks_now();

		clustering_step(cluster.clustering, member, run->wait);
		if (!member)
			samples[i] = ticks_now() - start;
	}
}

static void alone(unsigned int member)
{
	(void)member;
}

/* The same by one member: each barrier has to give this result */
static void check(struct run *run)
{
	struct clustering *serial = clustering_make(&cluster.points, 1);

	for (unsigned long i = 0; i < cluster.steps; i++)
		clustering_step(serial, 0, alone);
	if (clustering_digest(serial) != clustering_digest(cluster.clustering))
		run->report->violations++;
}

static void cluster_work(struct run *run, unsigned int member)
{
	unsigned long count = pace(run, member, steps, SAMPLES_MAX);
	struct usage usage;

	run_meet(run);
	usage = usage_now();
	steps(run, member, count);
	usage_add(run->report, usage_since(usage));
	run_meet(run);
	if (member)
		return;
	run->report->sample_count = (uint32_t)count;
	run->report->barriers = count * CLUSTERING_BARRIERS;
	check(run);
}

const struct workload workload_cluster = {
	.name = "cluster",
	.what = "online clustering of real points (HARP paper, figure 2)",
	.unit = "proposal of 3 barriers",
	.strict = true,
	.distribution = true,
	.prepare = cluster_prepare,
	.work = cluster_work,
};
