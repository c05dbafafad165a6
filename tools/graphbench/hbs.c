// SPDX-License-Identifier: GPL-2.0-or-later
/* hbs itself: the applications of hbsgraph, with a thread for each CPU, and with one */
#include <string.h>

#include "app.h"
#include "hbs.h"
#include "peer.h"

/* States are what the benchmark wants: a number for each vertex */
_Static_assert(sizeof(float) == sizeof(uint32_t), "ranks and distances are of the same size");

struct choice_of_task {
	const struct app *app;
	enum mode mode;
	bool is_weighted;
};

static const struct choice_of_task tasks[TASKS] = {
	[TASK_RANKS] = { &app_pagerank, MODE_SYNC, false },
	[TASK_PATHS] = { &app_sssp, MODE_ASYNC, true },
	[TASK_HOPS] = { &app_sssp, MODE_ASYNC, false },
	[TASK_HEAT] = { &app_heat, MODE_SYNC, true },
};

static void must(const char *what, int ret)
{
	if (ret)
		peer_fails(what, hbs_strerror(ret));
}

static struct hbs_graph *make(const struct problem *problem, const struct choice_of_task *task,
			      const struct edges *edges, unsigned int threads)
{
	static const uint32_t one = 1;
	const struct hbs_graph_type *type = app_type(task->app, task->mode, edges);
	struct hbs_graph_attr attr = {
		.type = type,
		.from = problem->from,
		.to = problem->to,
		.data = task->is_weighted ? problem->weight : NULL,
		.datum = task->app->uses_weights && !task->is_weighted ? &one : NULL,
		.edges = problem->edges,
		.vertices = problem->vertices,
		.threads = threads,
	};
	struct hbs_graph *graph;

	if (type->state != sizeof(uint32_t))
		peer_fails(task->app->name, "the state has more than a number");
	must("hbs_graph_create", hbs_graph_create(&attr, &graph));
	return graph;
}

static void solve(const struct problem *problem, struct answer *answer, enum task number,
		  unsigned int threads)
{
	const struct choice_of_task *task = &tasks[number];
	struct edges edges = {
		.vertices = problem->vertices,
		.count = problem->edges,
		.from = (uint32_t *)(uintptr_t)problem->from,
		.to = (uint32_t *)(uintptr_t)problem->to,
		.weight = task->is_weighted ? (uint32_t *)(uintptr_t)problem->weight : NULL,
		.weighted = task->is_weighted,
	};
	struct choice choice = {
		.source = problem->source,
		.iterations = problem->iterations,
		.share = 1 / (float)problem->vertices,
	};
	struct hbs_graph *graph;
	struct hbs *hbs;

	must("hbs_open", hbs_open(&hbs, NULL));
	if (!app_shape(task->app, task->mode, &edges, &choice))
		peer_fails(task->app->name, "the edges do not fit");
	graph = make(problem, task, &edges, threads);
	if (!task->app->prepare(graph, &edges, &choice))
		peer_fails(task->app->name, "no memory");
	peer_has_built(answer);
	must("hbs_graph_run", app_run(task->app, graph, hbs, &choice, NULL));
	memcpy(answer->distance, hbs_graph_state(graph, 0),
	       (size_t)problem->vertices * sizeof(*answer->distance));
}

#define SOLVE(name, task, threads)                                             \
	static void name(const struct problem *problem, struct answer *answer) \
	{                                                                      \
		solve(problem, answer, task, threads);                         \
	}

SOLVE(ranks, TASK_RANKS, problem->threads)
SOLVE(paths, TASK_PATHS, problem->threads)
SOLVE(hops, TASK_HOPS, problem->threads)
SOLVE(heat, TASK_HEAT, problem->threads)
SOLVE(ranks_alone, TASK_RANKS, 1)
SOLVE(paths_alone, TASK_PATHS, 1)
SOLVE(hops_alone, TASK_HOPS, 1)
SOLVE(heat_alone, TASK_HEAT, 1)

const struct peer peer_hbs = {
	.name = "hbs",
	.what = "hbs_graph.h, with as many threads as the others may have",
	.is_hbs = true,
	.solve = { ranks, paths, hops, heat },
};

const struct peer peer_hbs_alone = {
	.name = "hbs-1",
	.what = "the same with one thread",
	.is_hbs = true,
	.solve = { ranks_alone, paths_alone, hops_alone, heat_alone },
};
