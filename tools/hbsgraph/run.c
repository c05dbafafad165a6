// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "classifier/choose.h"
#include "context.h"
#include "load.h"
#include "mapping.h"
#include "output.h"
#include "run.h"
#include "shared/now.h"
#include "shared/replace.h"

/* What comes before a run, in ns */
struct before {
	double load;
	double make;
	struct mapping mapping;
};

static int complain(const char *what, int error)
{
	fprintf(stderr, "hbsgraph: %s: %s\n", what, hbs_strerror(error));
	return EXIT_ERROR;
}

static int explain(const struct hbs *hbs, const struct hbs_graph *graph, int error)
{
	struct hbs_graph_info info;

	/* all other arguments of the call are right */
	if (error != -EINVAL || hbs_backend(hbs) != HBS_BACKEND_CARD)
		return complain("the run ended", error);
	hbs_graph_info(graph, &info);
	fprintf(stderr, "hbsgraph: --threads: %" PRIu32 " is more than %s has ports\n",
		info.threads, hbs_backend_name(hbs));
	return EXIT_ERROR;
}

static int make_graph(const struct options *options, const struct edges *edges,
		      const struct mapping *mapping, struct hbs_graph **graph)
{
	static const uint32_t one = 1;
	struct hbs_graph_attr attr = {
		.type = app_type(options->app, options->mode, edges),
		.from = edges->from,
		.to = edges->to,
		.edges = edges->count,
		.vertices = edges->vertices,
		.threads = mapping->first ? mapping->threads : (uint32_t)options->threads,
		.first = mapping->first,
		.slot = (uint32_t)options->slot,
		.depth = (uint32_t)options->depth,
	};

	if (options->app->uses_weights || options->mode == MODE_GALS) {
		attr.data = edges->weight;
		attr.datum = edges->weight ? NULL : &one;
	}
	return hbs_graph_create(&attr, graph);
}

/* By edge or vertex; there may be none */
static double each(uint64_t bytes, uint64_t count)
{
	return count ? (double)bytes / (double)count : 0;
}

static void print_run(const struct options *options, const struct before *before,
		      const struct edges *edges, const struct hbs_graph *graph,
		      const struct hbs *hbs, const struct hbs_graph_stats *stats)
{
	struct hbs_graph_info info;

	hbs_graph_info(graph, &info);
	printf("backend          %s\n",
	       info.threads > 1 ? hbs_backend_name(hbs) : "none, for one thread");
	printf("graph            %s: %" PRIu32 " vertices, %" PRIu64 " edges\n", options->graph,
	       info.vertices, info.edges);
	if (edges->back)
		printf("back edges       %" PRIu64
		       " of them, for neighbours to stay within a step\n",
		       edges->back);
	printf("memory           %.1f bytes per edge, %.1f per vertex, %.1f MiB of queues at "
	       "most\n",
	       each(info.edge_bytes, info.edges), each(info.vertex_bytes, info.vertices),
	       (double)info.queue_bytes / (1 << 20));
	mapping_print(&before->mapping, info.edges, stdout);
	printf("run              %s, %s, %" PRIu32 " thread%s\n", options->app->name,
	       mode_names[options->mode], info.threads, info.threads == 1 ? "" : "s");
	printf("steps            %" PRIu64 "\n", stats->steps);
	printf("messages         %" PRIu64 " sent, along %" PRIu64 " edges; %" PRIu64
	       " copies to other threads, in %" PRIu64 " slots\n",
	       stats->sent, stats->received, stats->copies, stats->batches);
	printf("time             %.6f s, %.2f ns for each edge that a message went along\n",
	       (double)stats->ns * 1e-9, each(stats->ns, stats->received));
	printf("  before         %.3f s to %s the edges, %.3f s to give them to the threads\n",
	       before->load * 1e-9, generate_is_named(options->graph) ? "make" : "read",
	       before->make * 1e-9);
}

static int run_graph(const struct options *options, const struct before *before,
		     const struct edges *edges, struct choice *choice, struct hbs *hbs,
		     struct hbs_graph *graph, struct replacement *output)
{
	struct hbs_graph_stats stats;
	int ret;

	if (!options->app->prepare(graph, edges, choice)) {
		fprintf(stderr, "hbsgraph: no memory for what vertices need\n");
		return EXIT_ERROR;
	}
	ret = app_run(options->app, graph, hbs, choice, &stats);
	if (ret)
		return explain(hbs, graph, ret);
	print_run(options, before, edges, graph, hbs, &stats);
	options->app->print(graph, edges, choice, stdout);
	return options->output ? output_write(output, options, graph, edges, choice) : EXIT_SUCCESS;
}

static int make_and_run(const struct options *options, struct before *before,
			const struct edges *edges, struct choice *choice, struct hbs *hbs,
			struct replacement *output)
{
	double begin = now_ns();
	struct hbs_graph *graph;
	int ret = make_graph(options, edges, &before->mapping, &graph);

	if (ret == -EINVAL) {
		fprintf(stderr, "hbsgraph: --slot is no multiple of 64 with room for a message, or "
				"--depth is no power of two\n");
		return EXIT_ERROR;
	}
	if (ret)
		return complain(options->graph, ret);
	before->make = now_ns() - begin;
	ret = run_graph(options, before, edges, choice, hbs, graph, output);
	hbs_graph_close(graph);
	return ret;
}

/* After the application has its edges: clones, and edges that lead back, are mapped as well */
static bool map(const struct options *options, struct edges *edges, struct mapping *mapping)
{
	return options->mapping != MAPPING_METIS ||
	       mapping_by_metis(edges, (uint32_t)options->threads, mapping);
}

static int shape_and_run(const struct options *options, struct before *before, struct edges *edges,
			 struct hbs *hbs, struct replacement *output)
{
	struct choice choice = {
		.seed = options->seed,
		.is_kept = options->output,
		.source = (uint32_t)options->source,
		.sources = options->sources,
		.scale = options->scale,
		.iterations = (uint32_t)options->iterations,
		.tolerance = (float)options->tolerance,
		.share = edges->vertices ? 1 / (float)edges->vertices : 0,
	};
	int ret = EXIT_ERROR;

	if (app_shape(options->app, options->mode, edges, &choice) &&
	    map(options, edges, &before->mapping) && app_settle(options->mode, edges, &choice))
		ret = make_and_run(options, before, edges, &choice, hbs, output);
	app_forget(&choice);
	return ret;
}

static int run_on(struct options *options, struct before *before, struct edges *edges,
		  struct hbs *hbs, struct replacement *output)
{
	if (options->source >= edges->vertices && options->source) {
		fprintf(stderr,
			"hbsgraph: --source: the graph has no vertex %lu, but %" PRIu32
			" vertices from 0\n",
			options->source, edges->vertices);
		return EXIT_ERROR;
	}
	if (options->chooses && !choose_mode(options, edges, hbs, &options->mode))
		return EXIT_ERROR;
	return shape_and_run(options, before, edges, hbs, output);
}

int run(struct options *options)
{
	struct replacement output = { .fd = -1 };
	struct before before = { 0 };
	struct edges edges = { 0 };
	struct hbs *hbs = NULL;
	double begin;
	int ret = EXIT_ERROR;

	if (options->output && !output_prepare(&output, options->output))
		return EXIT_ERROR;
	begin = now_ns();
	if (load(options, &edges)) {
		before.load = now_ns() - begin;
		hbs = context_open(&options->attr);
	}
	if (hbs) {
		ret = run_on(options, &before, &edges, hbs, &output);
		hbs_close(hbs);
	}
	mapping_free(&before.mapping);
	edges_free(&edges);
	replace_forget(&output);
	return ret;
}
