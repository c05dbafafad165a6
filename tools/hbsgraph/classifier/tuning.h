/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of shortest paths on the graphs of paper 002, and how well models of them choose the mode */
#ifndef HBSGRAPH_TUNING_H
#define HBSGRAPH_TUNING_H

#include <stdbool.h>
#include <stdint.h>

#include "classifier.h"
#include "hbs.h"
#include "measure.h"
#include "topologies.h"

#define TUNING_SIZES 3

/* So many times as many vertices has the next greater size */
#define TUNING_GROWTH 4

/* A graph that was measured */
struct tuned {
	const struct topology *topology;
	int size; /* from 0, the smallest */
	bool weighted;
	struct model_case one;
	struct pairs pairs; /* of runs */
};

/**
 * struct tuning - what to measure, and what was measured
 * @hbs: a context
 * @threads: how many run a graph; 0 for one on each CPU, until they have
 * @vertices: of the largest graphs
 * @repetitions: runs in each mode at least, an odd number; see measure_modes()
 * @cases: what was measured
 * @count: of @cases
 */
struct tuning {
	struct hbs *hbs;
	uint32_t threads;
	uint32_t vertices;
	uint32_t repetitions;
	struct tuned cases[TOPOLOGIES * TUNING_SIZES * 2];
	uint32_t count;
};

/* Measure, and print a line for each graph. Return: false, with a message on stderr, if it fails. */
bool tuning_measure(struct tuning *tuning);

/* The classifier of all cases but those of a topology, which may be NULL. Return: false, as above. */
bool tuning_classifier(const struct tuning *tuning, const struct topology *without,
		       struct classifier *classifier);

/*
 * Print what a classifier chooses for the largest graphs, which is the paper's table 2 and its
 * figure 11, and what one would choose that has not seen graphs of the same kind
 */
bool tuning_print(const struct tuning *tuning, const struct classifier *classifier);

#endif /* HBSGRAPH_TUNING_H */
