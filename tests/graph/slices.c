// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages of vertices with no, few and many edges, with data of several sizes: each arrives along its own edges */
#include "graph_test.h"

#define VERTICES    500u
#define THREADS_MAX 8

static struct hbs *hbs;

/* Edges of a vertex, around all sizes where the library does something else */
static const uint32_t degrees[] = {
	3, 0, 1, 7, 64, 65, 2, 24, 25, 0, 8, 129, 4, 128, 12, 300, 5, 6
};

#define KINDS ((uint32_t)(sizeof(degrees) / sizeof(degrees[0])))

/* What a vertex has received: how many, of whom */
struct inbox {
	uint64_t count;
	uint64_t senders;
	uint32_t sent;
};

struct letter {
	uint32_t from;
	uint32_t turn;
};

/* Which vertices send, and what else they do */
enum pattern { ALL, MANY, WITH_HOST, PATTERNS };

struct plan {
	enum pattern pattern;
	uint32_t heard; /* by the host */
};

static bool sends(const struct plan *plan, uint32_t vertex)
{
	return plan->pattern == ALL || vertex % 7 != 3;
}

static bool tells_host(const struct plan *plan, uint32_t vertex)
{
	return plan->pattern == WITH_HOST && vertex % 5 == 4;
}

static int start(struct hbs_vertex *vertex, struct inbox *inbox)
{
	const struct plan *plan = hbs_vertex_arg(vertex);
	uint32_t number = hbs_vertex_number(vertex);

	*inbox = (struct inbox){ 0 };
	hbs_vertex_ready(vertex, tells_host(plan, number) ? HBS_PIN_HOST : HBS_PIN(0));
	/* it is in the list, and wants nothing */
	if (!sends(plan, number))
		hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

/* Twice along its edges, after what it has for the host */
static int tell(struct hbs_vertex *vertex, struct inbox *inbox, struct letter *letter)
{
	const struct plan *plan = hbs_vertex_arg(vertex);
	uint32_t number = hbs_vertex_number(vertex);
	uint32_t all = 2 + tells_host(plan, number);

	*letter = (struct letter){ .from = number, .turn = inbox->sent++ };
	hbs_vertex_ready(vertex, inbox->sent < all ? HBS_PIN(0) : HBS_PIN_NONE);
	return 0;
}

static int note(struct inbox *inbox, const struct letter *letter)
{
	inbox->count++;
	inbox->senders += letter->from;
	return 0;
}

static int host(void *arg, uint32_t vertex, const void *message)
{
	const struct letter *letter = message;
	struct plan *plan = arg;

	plan->heard++;
	return letter->from == vertex && !letter->turn && tells_host(plan, vertex) ? 0 : -EPROTO;
}

/* An edge's datum says where it leads */
struct ends {
	uint32_t from;
	uint32_t to;
};

static int check_ends(const struct hbs_vertex *vertex, struct inbox *inbox,
		      const struct letter *letter, struct ends ends)
{
	if (ends.from != letter->from || ends.to != hbs_vertex_number(vertex))
		return -EPROTO;
	return note(inbox, letter);
}

#define TYPE(name, datum)                                                      \
	static int name##_init(struct hbs_vertex *vertex, struct inbox *inbox) \
	{                                                                      \
		return start(vertex, inbox);                                   \
	}                                                                      \
	static int name##_send(struct hbs_vertex *vertex, struct inbox *inbox, \
			       struct letter *letter)                          \
	{                                                                      \
		return tell(vertex, inbox, letter);                            \
	}                                                                      \
	HBS_GRAPH_TYPE_ASYNC(name, struct inbox, datum, struct letter, .host = host)

static int bare_recv(struct hbs_vertex *vertex, struct inbox *inbox, const struct letter *letter,
		     const char *none)
{
	(void)vertex;
	return *none ? -EPROTO : note(inbox, letter);
}
TYPE(bare, char);

/* With so many bytes more */
#define TYPE_WITH_ENDS(name, bytes)                                                           \
	struct name##_datum {                                                                 \
		struct ends ends;                                                             \
		char more[bytes];                                                             \
	};                                                                                    \
	static int name##_recv(struct hbs_vertex *vertex, struct inbox *inbox,                \
			       const struct letter *letter, const struct name##_datum *datum) \
	{                                                                                     \
		return check_ends(vertex, inbox, letter, datum->ends);                        \
	}                                                                                     \
	TYPE(name, struct name##_datum)

TYPE_WITH_ENDS(small, 1);
TYPE_WITH_ENDS(middle, 20);
TYPE_WITH_ENDS(large, 140);
TYPE_WITH_ENDS(huge, 700);

static struct graph_edges {
	uint32_t count;
	uint32_t *from;
	uint32_t *to;
} edges;

/* Those of two vertices of three lead anywhere, and of the third one to one half of them */
static uint32_t end_of(uint32_t vertex, uint32_t number)
{
	uint32_t to = (vertex * 131 + number * 37 + number / 9) % VERTICES;

	return vertex % 3 ? to : to / 2 + (vertex % 2 ? VERTICES / 2 : 0);
}

static void make_edges(void)
{
	for (uint32_t v = 0; v < VERTICES; v++)
		edges.count += degrees[v % KINDS];
	edges.from = calloc(edges.count, sizeof(*edges.from));
	edges.to = calloc(edges.count, sizeof(*edges.to));
	assert_true(edges.from && edges.to);
	for (uint32_t v = 0, e = 0; v < VERTICES; v++)
		for (uint32_t i = 0; i < degrees[v % KINDS]; i++, e++) {
			edges.from[e] = v;
			edges.to[e] = end_of(v, i);
		}
}

static void *make_data(uint32_t size)
{
	char *data = calloc(edges.count, size);

	assert_non_null(data);
	for (uint32_t e = 0; e < edges.count; e++)
		memcpy(data + (size_t)e * size, &(struct ends){ edges.from[e], edges.to[e] },
		       sizeof(struct ends));
	return data;
}

static void check_inboxes(struct hbs_graph *graph, const struct plan *plan)
{
	const struct inbox *inboxes = hbs_graph_state(graph, 0);
	struct inbox expected[VERTICES] = { 0 };
	uint32_t heard = 0;

	for (uint32_t e = 0; e < edges.count; e++) {
		if (!sends(plan, edges.from[e]))
			continue;
		expected[edges.to[e]].count += 2;
		expected[edges.to[e]].senders += 2 * edges.from[e];
	}
	for (uint32_t v = 0; v < VERTICES; v++) {
		assert_int_equal(inboxes[v].count, expected[v].count);
		assert_int_equal(inboxes[v].senders, expected[v].senders);
		heard += sends(plan, v) && tells_host(plan, v);
	}
	assert_int_equal(plan->heard, heard);
}

static void check_type(const struct hbs_graph_type *type)
{
	void *data = type->edge > 1 ? make_data(type->edge) : NULL;

	for (uint32_t threads = 1; threads <= THREADS_MAX; threads += 1 + threads / 3)
		for (uint32_t pattern = 0; pattern < 2 * PATTERNS; pattern++) {
			struct plan plan = { .pattern = pattern % PATTERNS };
			struct hbs_graph *graph = make_graph(&(struct hbs_graph_attr){
				.type = type,
				.from = edges.from,
				.to = edges.to,
				.data = data,
				.edges = edges.count,
				.vertices = VERTICES,
				.threads = threads,
				.slot = pattern < PATTERNS ? 0 : 64,
				.depth = pattern < PATTERNS ? 0 : 1,
			});

			assert_int_equal(hbs_graph_run(graph, hbs, &plan, NULL), 0);
			check_inboxes(graph, &plan);
			hbs_graph_close(graph);
		}
	free(data);
}

static void no_data(void **state)
{
	(void)state;
	check_type(&bare);
}

static void small_data(void **state)
{
	(void)state;
	check_type(&small);
}

static void middle_data(void **state)
{
	(void)state;
	check_type(&middle);
}

static void large_data(void **state)
{
	(void)state;
	check_type(&large);
}

static void huge_data(void **state)
{
	(void)state;
	check_type(&huge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_data),     cmocka_unit_test(small_data),
		cmocka_unit_test(middle_data), cmocka_unit_test(large_data),
		cmocka_unit_test(huge_data),
	};
	int ret;

	make_edges();
	hbs = open_hbs();
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	free(edges.from);
	free(edges.to);
	return hbs_close(hbs) || ret;
}
