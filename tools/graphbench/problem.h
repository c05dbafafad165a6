/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What contenders solve, and where they put what they have found */
#ifndef GRAPHBENCH_PROBLEM_H
#define GRAPHBENCH_PROBLEM_H

#include <stdint.h>

enum task {
	TASK_RANKS, /* page rank as GAP has it */
	TASK_PATHS, /* shortest paths, weighted */
	TASK_HOPS,  /* paths with the fewest edges */
	TASK_HEAT,  /* Newton's law of cooling, as hbsgraph has it */
	TASKS
};

#define DAMPING	  0.85
#define HEAT_PART 0.5 /* of the difference to its neighbours' mean that a vertex takes in a step */

/* A list of edges in memory, as a program has it. No edge is there twice, none goes to its beginning */
struct problem {
	uint32_t vertices;
	uint64_t edges;
	const uint32_t *from;
	const uint32_t *to;
	const uint32_t *weight;
	uint32_t source;
	uint32_t iterations; /* of ranks and heat */
	unsigned int threads;
};

#define UNREACHABLE UINT32_MAX

/* In memory that the program shares with the children that the contenders run in */
struct answer {
	double built_ns; /* when the contender had its own form of the graph, as now_ns() has it */
	uint32_t *distance; /* by vertex, for paths and hops */
	float *value;	    /* by vertex, for ranks and heat */
};

#endif /* GRAPHBENCH_PROBLEM_H */
