// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "way.h"

struct hbs *way_hbs;
bool way_few;

/* How often the slow thread sleeps in a run, at most */
#define SLEEPS 200

/* Of the run with a slow thread: one at a time */
static struct hbs_graph_type usual;
static uint32_t calls;

static int slow_recv(struct hbs_vertices *of, void *states, const void *messages, const void *edges,
		     const void *datum, uint32_t count, const void *ahead)
{
	if (!of->first && calls < 8 * SLEEPS && calls++ % 8 == 0)
		usleep(100);
	return usual.recv(of, states, messages, edges, datum, count, ahead);
}

static int64_t slow_gather(struct hbs_vertices *of, void *states, const struct hbs_round *round)
{
	if (!of->first)
		usleep(1000);
	return usual.gather(of, states, round);
}

static void copy_array(uint32_t **array, uint64_t count)
{
	uint32_t *copy = malloc((count + 1) * sizeof(*copy));

	assert_non_null(copy);
	if (count)
		memcpy(copy, *array, count * sizeof(*copy));
	*array = copy;
}

static struct edges copy_edges(const struct edges *edges)
{
	struct edges copy = *edges;

	copy.room = copy.count;
	copy_array(&copy.from, copy.count);
	copy_array(&copy.to, copy.count);
	if (copy.weight)
		copy_array(&copy.weight, copy.count);
	return copy;
}

void way_run(const struct edges *edges, const struct way *way, struct ran *ran)
{
	static const uint32_t one = 1;
	struct hbs_graph_type slow;
	struct hbs_graph_attr attr = {
		.vertices = 0,
		.threads = way->threads,
		.slot = way->slot,
		.depth = way->depth,
	};

	*ran = (struct ran){ .edges = copy_edges(edges), .choice = way->choice };
	ran->choice.share = edges->vertices ? 1 / (float)edges->vertices : 0;
	assert_true(app_shape(way->app, way->mode, &ran->edges, &ran->choice));
	assert_true(app_settle(way->mode, &ran->edges, &ran->choice));
	attr.type = app_type(way->app, way->mode, &ran->edges);
	if (way->is_slow) {
		usual = *attr.type;
		slow = usual;
		if (usual.gather)
			slow.gather = slow_gather;
		else
			slow.recv = slow_recv;
		attr.type = &slow;
		calls = 0;
	}
	attr.from = ran->edges.from;
	attr.to = ran->edges.to;
	attr.edges = ran->edges.count;
	attr.vertices = ran->edges.vertices;
	if (way->app->uses_weights || way->mode == MODE_GALS) {
		attr.data = ran->edges.weight;
		attr.datum = ran->edges.weight ? NULL : &one;
	}
	ran->graph = make_graph(&attr);
	assert_true(way->app->prepare(ran->graph, &ran->edges, &ran->choice));
	assert_int_equal(app_run(way->app, ran->graph, way_hbs, &ran->choice, &ran->stats), 0);
}

void way_forget(struct ran *ran)
{
	app_forget(&ran->choice);
	hbs_graph_close(ran->graph);
	edges_free(&ran->edges);
}

/* As small as a message allows: see struct hbs_graph_attr */
static uint32_t smallest_slot(const struct edges *edges, const struct way *way)
{
	return app_type(way->app, way->mode, edges)->message + 4 <= 64 - 16 - 8 ? 64 : 128;
}

void way_each(const struct edges *edges, struct way *way, uint32_t threads,
	      void (*check)(const struct edges *edges, const struct way *way, void *wanted),
	      void *wanted)
{
	for (way->threads = 1; way->threads <= threads;
	     way->threads += SANITIZED ? way->threads : 1) {
		way->slot = 0;
		way->depth = 0;
		check(edges, way, wanted);
		way->slot = smallest_slot(edges, way);
		way->depth = 1;
		check(edges, way, wanted);
	}
	way->threads = threads < 3 ? threads : 3;
	way->is_slow = true;
	check(edges, way, wanted);
	way->is_slow = false;
}

int way_main(const struct CMUnitTest *tests, size_t count)
{
	int ret;

	way_few = getenv("GRAPH_TEST_FEW");
	way_hbs = open_hbs();
	ret = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
	return hbs_close(way_hbs) || ret;
}
