// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>

#include "hbs.h"
#include "hbs_graph.h"
#include "hbsbench/cpus.h"
#include "peer.h"
#include "shared/now.h"
#include "steps.h"

#define WARM_UP 20000
#define STEPS	200000

static void must(const char *what, int ret)
{
	if (ret < 0)
		peer_fails(what, hbs_strerror(ret));
}

/*
 * Threads are where they would be in a program that runs for long: a barrier of two that have just
 * started on one CPU takes several times as long, until Linux moves one of them
 */
static void pin(unsigned int thread)
{
	if (!cpus_pin(thread))
		peer_fails("pinning threads", "a CPU was not given");
}

/* Vertices that want step after step, and nothing else; each thread has one */
static int idle_init(struct hbs_vertex *vertex, uint32_t *state)
{
	(void)state;
	pin(hbs_vertex_number(vertex));
	return 0;
}

static int idle_send(struct hbs_vertex *vertex, uint32_t *state, uint32_t *message)
{
	(void)vertex, (void)state, (void)message;
	return 0;
}

static int idle_recv(struct hbs_vertex *vertex, uint32_t *state, const uint32_t *message,
		     const char *none)
{
	(void)vertex, (void)state, (void)message, (void)none;
	return 0;
}

static int idle_step(struct hbs_vertex *vertex, uint32_t *state)
{
	uint32_t step = hbs_vertex_steps(vertex);
	double *ns = hbs_vertex_arg(vertex);

	(void)state;
	if (hbs_vertex_number(vertex) == 0 && step == WARM_UP)
		*ns = now_ns();
	if (hbs_vertex_number(vertex) == 0 && step == WARM_UP + STEPS)
		*ns = now_ns() - *ns;
	return step < WARM_UP + STEPS;
}

static int idle_finish(struct hbs_vertex *vertex, uint32_t *state, uint32_t *message)
{
	(void)vertex, (void)state, (void)message;
	return 0;
}

HBS_GRAPH_TYPE(idle, uint32_t, char, uint32_t, .step_when = HBS_STEP_ALL);

static double measure_steps(struct hbs *hbs, unsigned int threads)
{
	struct hbs_graph_attr attr = { .type = &idle, .vertices = threads, .threads = threads };
	struct hbs_graph *graph;
	double ns = 0;

	must("hbs_graph_create", hbs_graph_create(&attr, &graph));
	must("hbs_graph_run", hbs_graph_run(graph, hbs, &ns, NULL));
	must("hbs_graph_close", hbs_graph_close(graph));
	return ns / STEPS;
}

static void wait_often(struct hbs_member *member, int count)
{
	for (int i = 0; i < count; i++)
		must("hbs_barwait", hbs_barwait(member));
}

struct meeting {
	struct hbs_group *group;
	unsigned int thread;
};

static void *meet(void *arg)
{
	const struct meeting *meeting = arg;
	struct hbs_member *member;

	pin(meeting->thread);
	must("hbs_join", hbs_join(meeting->group, &member));
	wait_often(member, WARM_UP + STEPS);
	must("hbs_leave", hbs_leave(member));
	return NULL;
}

static double measure_barriers(struct hbs *hbs, unsigned int threads)
{
	struct hbs_group_attr attr = { .members = threads };
	struct meeting meetings[HBS_GRAPH_THREADS_MAX];
	pthread_t others[HBS_GRAPH_THREADS_MAX];
	struct hbs_member *member;
	struct hbs_group *group;
	double ns;

	must("hbs_group_create", hbs_group_create(hbs, &attr, &group));
	for (unsigned int i = 1; i < threads; i++) {
		meetings[i] = (struct meeting){ group, i };
		must("pthread_create", -pthread_create(&others[i], NULL, meet, &meetings[i]));
	}
	pin(0);
	must("hbs_join", hbs_join(group, &member));
	wait_often(member, WARM_UP);
	ns = now_ns();
	wait_often(member, STEPS);
	ns = now_ns() - ns;
	must("hbs_leave", hbs_leave(member));
	for (unsigned int i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	must("hbs_group_close", hbs_group_close(group));
	return ns / STEPS;
}

void steps_measure(struct steps *steps)
{
	struct hbs *hbs;

	must("hbs_open", hbs_open(&hbs, NULL));
	steps->step_ns = measure_steps(hbs, steps->threads);
	cpus_unpin();
	steps->barrier_ns = measure_barriers(hbs, steps->threads);
	must("hbs_close", hbs_close(hbs));
}
