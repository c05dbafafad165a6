// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graphbench: how long hbs and libraries of graphs take for the same tasks on the same graphs, in
 * turns in one run. See Documentation/graphbench.rst.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cpus.h"
#include "interrupt.h"
#include "machine.h"
#include "options.h"
#include "shared/standard.h"
#include "simple.h"
#include "steps.h"
#include "trial.h"

/* The Makefile says which libraries are here */
static const struct peer *const peers[] = {
	&peer_hbs,	 &peer_hbs_alone,	  &peer_serial,
#ifdef HAS_IGRAPH
	&peer_igraph,
#endif
#ifdef HAS_BOOST
	&peer_boost,
#endif
#ifdef HAS_GRAPHBLAS
	&peer_graphblas, &peer_graphblas_bellman,
#endif
};

#define PEERS (sizeof(peers) / sizeof(peers[0]))

static void describe(const struct options *options, const char *topology)
{
	struct results results = { 0 };

	machine_describe(&results, topology, NULL);
	results_add_fact(&results, "rounds",
			 "%lu of each contender in turn, after one to warm up, each in a process "
			 "of its own",
			 options->rounds);
	results_add_fact(&results, "threads", "%lu, on %u CPUs", options->threads, cpus_count());
	for (size_t i = 0; i < results.fact_count; i++)
		printf("%-19s %s\n", results.facts[i].name, results.facts[i].value);
	results_free(&results);
	printf("\n%-13s %s\n", "contender", "what it is");
	for (size_t i = 0; i < PEERS; i++)
		printf("%-13s %s%s%s%s\n", peers[i]->name, peers[i]->what,
		       peers[i]->version ? " (" : "", peers[i]->version ? peers[i]->version() : "",
		       peers[i]->version ? ")" : "");
#ifndef HAS_IGRAPH
	puts("igraph was not here when graphbench was built (make setup-bench)");
#endif
#ifndef HAS_BOOST
	puts("Boost Graph was not here when graphbench was built (make setup-bench)");
#endif
#ifndef HAS_GRAPHBLAS
	puts("GraphBLAS was not here when graphbench was built (make setup-bench)");
#endif
}

/* Return: false if hbs failed, or a result was wrong */
static bool try(struct trials *trials, enum task task, struct line *line, bool is_warm_up)
{
	if (*line->error || !line->peer->solve[task] || interrupted())
		return true;
	if (trial_run(trials, task, line, is_warm_up))
		return true;
	return !line->peer->is_hbs && strncmp(line->error, "wrong:", strlen("wrong:")) != 0;
}

/* All contenders in turns, with another one first in each round */
static bool measure_task(struct trials *trials, const struct options *options, enum task task)
{
	static struct line lines[PEERS];
	bool good = true;

	for (size_t i = 0; i < PEERS; i++)
		lines[i] = (struct line){ .peer = peers[i] };
	for (unsigned long round = 0; round <= options->rounds; round++)
		for (size_t i = 0; i < PEERS; i++)
			good &= try(trials, task, &lines[(round + i) % PEERS], !round);
	report_task(task, &trials->problem, lines, PEERS);
	report_threads(lines, PEERS, trials->problem.threads);
	fflush(stdout);
	return good;
}

static bool measure_edges(const struct options *options, const char *graph,
			  const struct edges *edges)
{
	struct trials trials = {
		.problem = { .vertices = edges->vertices,
			     .edges = edges->count,
			     .from = edges->from,
			     .to = edges->to,
			     .weight = edges->weight,
			     .iterations = (uint32_t)options->iterations,
			     .threads = (unsigned int)options->threads },
		.limit_s = (unsigned int)options->limit_s,
	};
	bool good = true;

	printf("\n%s: %" PRIu32 " vertices, %" PRIu64 " edges, weights %" PRIu32 " to %" PRIu32
	       "\n",
	       graph, edges->vertices, edges->count, options->weights.low, options->weights.high);
	trials.answer = answer_make(&trials.problem);
	trials.wanted = wanted_make(&trials.problem);
	for (enum task task = 0; task < TASKS && !interrupted(); task++)
		good &= measure_task(&trials, options, task);
	wanted_free(&trials.wanted);
	return good;
}

/* All edges have a weight, also where all are 1 */
static bool add_weights(struct edges *edges)
{
	if (edges->weighted)
		return true;
	edges->weight = malloc((edges->count + 1) * sizeof(*edges->weight));
	for (uint64_t e = 0; edges->weight && e < edges->count; e++)
		edges->weight[e] = 1;
	edges->weighted = edges->weight;
	return edges->weighted;
}

static bool measure_graph(const struct options *options, const char *graph)
{
	struct edges edges = { 0 };
	bool good = false;

	if (!generate(graph, &options->weights, 1, &edges))
		return false;
	if (!add_weights(&edges) || !simple_make(&edges))
		fprintf(stderr, "graphbench: %s: no memory\n", graph);
	else if (!edges.count)
		fprintf(stderr, "graphbench: %s: there is no edge\n", graph);
	else
		good = measure_edges(options, graph, &edges);
	edges_free(&edges);
	return good;
}

static void measure_both(void *steps)
{
	steps_measure(steps);
}

static bool measure_steps(const struct options *options)
{
	struct series step = { .count = 0 }, barrier = { .count = 0 };
	struct steps *steps = arena_map(sizeof(*steps));
	char error[CHILD_ERROR_SIZE] = "";

	steps->threads = (unsigned int)options->threads;
	for (unsigned long round = 0; round < options->rounds && !interrupted(); round++) {
		if (!child_run(measure_both, steps, (unsigned int)options->limit_s, error)) {
			printf("\na step with nothing to do was not measured: %s\n", error);
			return false;
		}
		step.ns[step.count++] = steps->step_ns;
		barrier.ns[barrier.count++] = steps->barrier_ns;
	}
	if (step.count)
		printf("\na step with nothing to do, %u threads: %.0f ns by median (mean %.0f), "
		       "%.2f barriers of hbs (%.0f ns, mean %.0f)\n",
		       steps->threads, series_median(&step), series_mean(&step),
		       series_median(&step) / series_median(&barrier), series_median(&barrier),
		       series_mean(&barrier));
	return true;
}

int main(int argc, char **argv)
{
	struct options options;
	const char *topology;
	bool good = true;

	standard_start("graphbench", EXIT_ERROR);
	if (!options_parse(argc, argv, &options))
		return EXIT_ERROR;
	topology = cpus_start();
	if (!options.threads)
		options.threads = cpus_count();
	interrupt_watch();
	describe(&options, topology);
	for (unsigned int i = 0; i < options.graph_count && !interrupted(); i++)
		good &= measure_graph(&options, options.graphs[i]);
	if (!interrupted() && options.threads > 1)
		good &= measure_steps(&options);
	fflush(stdout);
	interrupt_end();
	return good ? EXIT_GOOD : EXIT_WRONG;
}
