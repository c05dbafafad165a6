/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of graphs share */
#ifndef GRAPH_TEST_H
#define GRAPH_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "edges.h"
#include "hbs.h"
#include "hbs_graph.h"

/* Sanitizers make all slower, and need no large graphs to find what they look for */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* As the environment says: a card, or software */
static inline struct hbs *open_hbs(void)
{
	struct hbs *hbs = NULL;

	assert_int_equal(hbs_open(&hbs, NULL), 0);
	return hbs;
}

static inline struct hbs_graph *make_graph(const struct hbs_graph_attr *attr)
{
	struct hbs_graph *graph = NULL;

	assert_int_equal(hbs_graph_create(attr, &graph), 0);
	assert_non_null(graph);
	return graph;
}

#endif /* GRAPH_TEST_H */
