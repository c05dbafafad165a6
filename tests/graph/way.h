/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of applications in many ways: modes, threads, queues, and a thread that is slow */
#ifndef WAY_H
#define WAY_H

#include "app.h"
#include "graph_test.h"

#define THREADS_MAX 8

struct way {
	const struct app *app;
	enum mode mode;
	uint32_t threads;
	uint32_t slot;
	uint32_t depth;
	bool is_slow; /* the thread of vertex 0 sleeps now and then */
	struct choice choice;
};

/* What a run has left, which way_forget() frees */
struct ran {
	struct hbs_graph *graph;
	struct edges edges; /* as the application has shaped them */
	struct choice choice;
	struct hbs_graph_stats stats;
};

/* In these, by way_open() */
extern struct hbs *way_hbs;

/* Where all takes much longer, as in an emulated guest: fewer graphs, and fewer threads */
extern bool way_few;

/* Run the tests of a program: main() returns what this does */
int way_main(const struct CMUnitTest *tests, size_t count);

void way_run(const struct edges *edges, const struct way *way, struct ran *ran);
void way_forget(struct ran *ran);

/*
 * With queues that are large, and those that are as small as can be, by 1 to @threads threads (1, 2, 4
 * and 8 may do); and once with a slow thread. @check runs it, and looks at what it has found.
 */
void way_each(const struct edges *edges, struct way *way, uint32_t threads,
	      void (*check)(const struct edges *edges, const struct way *way, void *wanted),
	      void *wanted);

#endif /* WAY_H */
