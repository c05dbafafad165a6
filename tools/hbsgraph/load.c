// SPDX-License-Identifier: GPL-2.0-or-later
#include "load.h"

/* What only a file has, or only a graph that is made */
static const char *no_use(const struct options *options, bool is_made)
{
	if (is_made && options->both_ways)
		return "--both-ways: a graph that is made is so anyway";
	if (is_made && options->format != READ_AUTO)
		return "--format: a graph that is made is no file";
	if (!is_made && (options->weights.low != 1 || options->weights.high != 1))
		return "--weights: a file has its own";
	return NULL;
}

bool load(const struct options *options, struct edges *edges)
{
	bool is_made = generate_is_named(options->graph);
	const char *wrong = no_use(options, is_made);

	*edges = (struct edges){ 0 };
	if (wrong) {
		fprintf(stderr, "hbsgraph: %s\n", wrong);
		return false;
	}
	if (is_made)
		return generate(options->graph, &options->weights, options->seed, edges);
	return read_graph(options->graph, options->format, options->both_ways, edges);
}
