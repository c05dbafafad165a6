// SPDX-License-Identifier: GPL-2.0-or-later
/* When handlers are called, what they get, and what their errors do */
#include <pthread.h>
#include <unistd.h>

#include "graph_test.h"

#define THREADS_MAX 8

static struct hbs *hbs;

/* Vertices that note what happens to them, as their plan says */
enum where { NOWHERE, IN_INIT, IN_SEND, IN_RECV, IN_STEP, IN_FINISH, IN_HOST };

struct note {
	uint32_t inits, sends, steps, finishes;
	uint32_t received[2]; /* by pin */
	uint64_t data[2];     /* sums of the edges' data, likewise */
};

struct plan {
	uint32_t sends;	 /* messages that each vertex sends along each pin */
	uint32_t steps;	 /* that each vertex wants */
	bool tells_host; /* when it finishes */
	enum where fails;
	uint32_t fails_at; /* a vertex */
	uint32_t sleeps_at;
	bool is_over; /* the handlers after the first finish */
	pthread_t host;
	uint32_t *heard; /* by vertex: messages that the host got */
	uint32_t host_sends;
};

struct letter {
	uint32_t from;
	uint32_t pin;
};

#define BAD (-EDOM)

static int result(struct hbs_vertex *vertex, enum where where)
{
	const struct plan *plan = hbs_vertex_arg(vertex);
	bool is_it = hbs_vertex_number(vertex) == plan->fails_at;

	return plan->fails == where && is_it ? BAD : 0;
}

static int noting_init(struct hbs_vertex *vertex, struct note *note)
{
	const struct plan *plan = hbs_vertex_arg(vertex);

	*note = (struct note){ .inits = note->inits + 1 };
	if (plan->sends || plan->host_sends)
		hbs_vertex_ready(vertex, plan->host_sends ? HBS_PIN_HOST : HBS_PIN(0));
	return result(vertex, IN_INIT);
}

/* First to the host, then along pin 0, then along pin 1 */
static int noting_send(struct hbs_vertex *vertex, struct note *note, struct letter *letter)
{
	const struct plan *plan = hbs_vertex_arg(vertex);
	uint32_t along = ++note->sends;

	letter->from = hbs_vertex_number(vertex);
	letter->pin = along <= plan->host_sends ? 9 : along - plan->host_sends > plan->sends;
	if (along == plan->host_sends && plan->sends)
		hbs_vertex_ready(vertex, HBS_PIN(0));
	else if (along == plan->host_sends + plan->sends && plan->sends)
		hbs_vertex_ready(vertex, HBS_PIN(1));
	else if (along >= plan->host_sends + 2 * plan->sends)
		hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return result(vertex, IN_SEND);
}

static int noting_recv(struct hbs_vertex *vertex, struct note *note, const struct letter *letter,
		       const uint16_t *datum)
{
	const struct plan *plan = hbs_vertex_arg(vertex);

	if (letter->pin > 1 || !note->inits)
		return -EPROTO;
	note->received[letter->pin]++;
	note->data[letter->pin] += *datum;
	if (plan->sleeps_at == hbs_vertex_number(vertex))
		usleep(100);
	return result(vertex, IN_RECV);
}

static int noting_step(struct hbs_vertex *vertex, struct note *note)
{
	const struct plan *plan = hbs_vertex_arg(vertex);

	note->steps++;
	if (note->steps != hbs_vertex_steps(vertex))
		return -EPROTO;
	return result(vertex, IN_STEP) ? BAD : note->steps < plan->steps;
}

static int noting_finish(struct hbs_vertex *vertex, struct note *note, struct letter *letter)
{
	const struct plan *plan = hbs_vertex_arg(vertex);

	note->finishes++;
	*letter = (struct letter){ hbs_vertex_number(vertex), 9 };
	return result(vertex, IN_FINISH) ? BAD : plan->tells_host;
}

static int host(void *arg, uint32_t vertex, const void *message)
{
	const struct letter *letter = message;
	struct plan *plan = arg;

	if (!pthread_equal(plan->host, pthread_self()) || letter->from != vertex)
		return -EPROTO;
	if (plan->fails == IN_HOST && plan->fails_at == vertex)
		return BAD;
	if (plan->heard)
		plan->heard[vertex]++;
	return 0;
}

HBS_GRAPH_TYPE(noting, struct note, uint16_t, struct letter, .pins = 2, .host = host);

/* Each vertex has edges to the next ones: on pin 0 to 5, on pin 1 to one of them, twice */
#define VERTICES 97u
#define EDGES	 (7 * VERTICES)

static struct hbs_graph *make_wheel(uint32_t threads, uint32_t slot, uint32_t depth)
{
	uint32_t from[EDGES], to[EDGES];
	uint16_t pin[EDGES], data[EDGES];
	struct hbs_graph_attr attr = {
		.type = &noting,
		.from = from,
		.to = to,
		.pin = pin,
		.data = data,
		.edges = EDGES,
		.vertices = VERTICES,
		.threads = threads,
		.slot = slot,
		.depth = depth,
	};

	for (uint32_t e = 0; e < EDGES; e++) {
		uint32_t number = e / VERTICES;

		from[e] = e % VERTICES;
		pin[e] = number >= 5;
		to[e] = (from[e] + (number < 5 ? number * 11 : 33)) % VERTICES;
		data[e] = (uint16_t)(number < 5 ? 10 + number : 100 * (number - 4));
	}
	return make_graph(&attr);
}

static const struct note *notes_of(struct hbs_graph *graph)
{
	return hbs_graph_state(graph, 0);
}

static void each_handler(void **state)
{
	static const uint32_t queues[][2] = { { 0, 0 }, { 64, 1 }, { 128, 2 } };

	(void)state;
	for (uint32_t threads = 1; threads <= THREADS_MAX; threads++) {
		for (size_t q = 0; q < sizeof(queues) / sizeof(queues[0]); q++) {
			uint32_t heard[VERTICES] = { 0 };
			struct plan plan = { .sends = 3,
					     .steps = 4,
					     .tells_host = true,
					     .host_sends = 2,
					     .sleeps_at = UINT32_MAX,
					     .host = pthread_self(),
					     .heard = heard };
			struct hbs_graph *graph = make_wheel(threads, queues[q][0], queues[q][1]);
			struct hbs_graph_stats stats;

			assert_int_equal(hbs_graph_run(graph, hbs, &plan, &stats), 0);
			assert_int_equal(stats.steps, 4);
			assert_int_equal(stats.sent, 8 * VERTICES);
			assert_int_equal(stats.received, 3 * EDGES);
			assert_true(threads > 1 ? stats.copies : !stats.copies);
			for (uint32_t v = 0; v < VERTICES; v++) {
				const struct note *note = &notes_of(graph)[v];

				assert_int_equal(note->inits, 1);
				assert_int_equal(note->sends, 8);
				assert_int_equal(note->steps, 4);
				assert_int_equal(note->finishes, 1);
				assert_int_equal(note->received[0], 15);
				assert_int_equal(note->data[0], 3 * (10 + 11 + 12 + 13 + 14));
				assert_int_equal(note->received[1], 6);
				assert_int_equal(note->data[1], 3 * 300);
				assert_int_equal(heard[v], 3);
			}
			assert_int_equal(hbs_graph_close(graph), 0);
		}
	}
}

/* One vertex is much slower than all others: nothing is lost, and nobody goes on without it */
static void slow_vertex(void **state)
{
	(void)state;
	for (uint32_t threads = 2; threads <= 4; threads++) {
		struct plan plan = { .sends = 20, .sleeps_at = VERTICES - 1 };
		struct hbs_graph *graph = make_wheel(threads, 64, 1);

		plan.fails_at = UINT32_MAX;
		assert_int_equal(hbs_graph_run(graph, hbs, &plan, NULL), 0);
		for (uint32_t v = 0; v < VERTICES; v++) {
			assert_int_equal(notes_of(graph)[v].received[0], 100);
			assert_int_equal(notes_of(graph)[v].finishes, 1);
		}
		hbs_graph_close(graph);
	}
}

/* Any handler that fails ends the run of all threads, and the graph can run again */
static void failing_handlers(void **state)
{
	(void)state;
	for (uint32_t threads = 1; threads <= THREADS_MAX; threads++) {
		struct hbs_graph *graph = make_wheel(threads, 64, 1);

		for (enum where where = IN_INIT; where <= IN_HOST; where++) {
			for (uint32_t at = 0; at < VERTICES; at += VERTICES / 3) {
				struct plan plan = { .sends = 2,
						     .steps = 3,
						     .host_sends = where == IN_HOST,
						     .fails = where,
						     .fails_at = at,
						     .sleeps_at = UINT32_MAX,
						     .host = pthread_self() };

				assert_int_equal(hbs_graph_run(graph, hbs, &plan, NULL), BAD);
				plan.fails = NOWHERE;
				memset(hbs_graph_state(graph, 0), 0,
				       VERTICES * sizeof(struct note));
				assert_int_equal(hbs_graph_run(graph, hbs, &plan, NULL), 0);
				assert_int_equal(notes_of(graph)[at].received[1], 4);
			}
		}
		hbs_graph_close(graph);
	}
}

/* A message takes one copy for each thread with a vertex that receives it, and none in its own */
static void copies(void **state)
{
	uint32_t from[VERTICES - 1], to[VERTICES - 1];
	uint16_t data[VERTICES - 1];
	struct hbs_graph_attr attr = {
		.type = &noting,
		.from = from,
		.to = to,
		.data = data,
		.edges = VERTICES - 1,
		.vertices = VERTICES,
	};

	(void)state;
	for (uint32_t e = 0; e < VERTICES - 1; e++) {
		from[e] = 50;
		to[e] = e < 50 ? e : e + 1;
		data[e] = (uint16_t)to[e];
	}
	for (attr.threads = 1; attr.threads <= THREADS_MAX; attr.threads++) {
		struct plan plan = { .sends = 4, .fails_at = UINT32_MAX, .sleeps_at = UINT32_MAX };
		struct hbs_graph *graph = make_graph(&attr);
		struct hbs_graph_stats stats;

		assert_int_equal(hbs_graph_run(graph, hbs, &plan, &stats), 0);
		assert_int_equal(stats.copies, 4 * (attr.threads - 1));
		assert_int_equal(stats.received, 4 * (VERTICES - 1));
		for (uint32_t v = 0; v < VERTICES; v++)
			if (v != 50)
				assert_int_equal(notes_of(graph)[v].data[0], 4 * v);
		hbs_graph_close(graph);
	}
}

/* What a thread does in a run that another one must not do meanwhile */
struct nested {
	struct hbs_graph *graph;
	int run, close;
};

static int nesting_init(struct hbs_vertex *vertex, uint32_t *unused)
{
	struct nested *nested = hbs_vertex_arg(vertex);

	(void)unused;
	nested->run = hbs_graph_run(nested->graph, hbs, NULL, NULL);
	nested->close = hbs_graph_close(nested->graph);
	return 0;
}

static int nesting_send(struct hbs_vertex *vertex, uint32_t *unused, uint32_t *message)
{
	(void)vertex;
	*message = *unused;
	return 0;
}

static int nesting_recv(struct hbs_vertex *vertex, uint32_t *unused, const uint32_t *message,
			const uint32_t *datum)
{
	(void)vertex;
	(void)unused;
	return *message == *datum;
}

static int nesting_step(struct hbs_vertex *vertex, uint32_t *unused)
{
	(void)vertex;
	(void)unused;
	return 0;
}

static int nesting_finish(struct hbs_vertex *vertex, uint32_t *unused, uint32_t *message)
{
	(void)vertex;
	(void)message;
	return *unused != 0;
}

HBS_GRAPH_TYPE(nesting, uint32_t, uint32_t, uint32_t, .pins = 0);

static void while_it_runs(void **state)
{
	struct hbs_graph_attr attr = { .type = &nesting, .vertices = 1 };
	struct nested nested = { .graph = make_graph(&attr) };

	(void)state;
	assert_int_equal(hbs_graph_run(nested.graph, hbs, &nested, NULL), 0);
	assert_int_equal(nested.run, -EBUSY);
	assert_int_equal(nested.close, -EBUSY);
	assert_int_equal(hbs_graph_close(nested.graph), 0);
}

/* The largest message, in the smallest slot that has room for it, with data of 8 bytes */
struct wide {
	double number[7];
};

static int wide_init(struct hbs_vertex *vertex, struct wide *state)
{
	*state = (struct wide){ .number = { [6] = hbs_vertex_number(vertex) + 1 } };
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

static int wide_send(struct hbs_vertex *vertex, struct wide *state, struct wide *message)
{
	*message = *state;
	message->number[0] = 0.5;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int wide_recv(struct hbs_vertex *vertex, struct wide *state, const struct wide *message,
		     const double *datum)
{
	(void)vertex;
	state->number[0] += message->number[0];
	state->number[1] += message->number[6] * *datum;
	return 0;
}

static int wide_step(struct hbs_vertex *vertex, struct wide *state)
{
	(void)vertex;
	(void)state;
	return 0;
}

static int wide_finish(struct hbs_vertex *vertex, struct wide *state, struct wide *message)
{
	(void)vertex;
	(void)state;
	(void)message;
	return 0;
}

HBS_GRAPH_TYPE(wide, struct wide, double, struct wide, .step_when = HBS_STEP_WOKEN);

static void wide_messages(void **state)
{
	uint32_t from[VERTICES * 3], to[VERTICES * 3];
	double data[VERTICES * 3];
	struct hbs_graph_attr attr = {
		.type = &wide,
		.from = from,
		.to = to,
		.data = data,
		.edges = VERTICES * 3,
		.vertices = VERTICES,
		.threads = 3,
		.slot = 128,
		.depth = 1,
	};
	const struct wide *states;
	struct hbs_graph *graph;

	(void)state;
	for (uint32_t e = 0; e < VERTICES * 3; e++) {
		from[e] = e % VERTICES;
		to[e] = (e * 37 + e / VERTICES) % VERTICES;
		data[e] = e / VERTICES * 0.25;
	}
	graph = make_graph(&attr);
	assert_int_equal(hbs_graph_run(graph, hbs, NULL, NULL), 0);
	states = hbs_graph_state(graph, 0);
	for (uint32_t v = 0; v < VERTICES; v++) {
		double sum = 0;

		for (uint32_t e = 0; e < VERTICES * 3; e++)
			if (to[e] == v)
				sum += (from[e] + 1) * data[e];
		assert_true(states[v].number[0] == 1.5 && states[v].number[1] == sum);
	}
	hbs_graph_close(graph);
	attr.slot = 64;
	assert_int_equal(hbs_graph_create(&attr, &graph), -EINVAL);
}

/* A vertex that changes its mind: it wants to send, and then not, and then again */
static int fickle_init(struct hbs_vertex *vertex, uint32_t *sent)
{
	*sent = 0;
	for (int i = 0; i < 5; i++) {
		hbs_vertex_ready(vertex, HBS_PIN(0));
		hbs_vertex_ready(vertex, HBS_PIN_NONE);
	}
	if (hbs_vertex_number(vertex) % 2)
		hbs_vertex_ready(vertex, HBS_PIN(0));
	/* once is enough */
	hbs_vertex_wake(vertex);
	hbs_vertex_wake(vertex);
	return 0;
}

static int fickle_send(struct hbs_vertex *vertex, uint32_t *sent, uint32_t *message)
{
	*message = ++*sent;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	hbs_vertex_ready(vertex, HBS_PIN(0));
	if (*sent == 3)
		hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int fickle_recv(struct hbs_vertex *vertex, uint32_t *sent, const uint32_t *message,
		       const uint32_t *datum)
{
	(void)vertex;
	(void)sent;
	return *message > 3 || *datum ? -EPROTO : 0;
}

/* Only who is woken has a step; at the second one nobody is */
static int fickle_step(struct hbs_vertex *vertex, uint32_t *sent)
{
	*sent += 10;
	return hbs_vertex_steps(vertex) == 1 ? 1 : -EPROTO;
}

static int fickle_finish(struct hbs_vertex *vertex, uint32_t *sent, uint32_t *message)
{
	(void)vertex;
	*message = *sent;
	/* there is no host: nobody gets it */
	return 1;
}

HBS_GRAPH_TYPE(fickle, uint32_t, uint32_t, uint32_t, .step_when = HBS_STEP_WOKEN);

static void minds_that_change(void **state)
{
	uint32_t from[] = { 0, 1, 2, 3, 4, 5, 6 }, to[] = { 1, 2, 3, 4, 5, 6, 0 };
	struct hbs_graph_attr attr = {
		.type = &fickle, .from = from, .to = to, .edges = 7, .vertices = 7, .threads = 2
	};
	struct hbs_graph *graph = make_graph(&attr);
	struct hbs_graph_stats stats;
	const uint32_t *sent;

	(void)state;
	assert_int_equal(hbs_graph_run(graph, hbs, NULL, &stats), 0);
	assert_int_equal(stats.steps, 2);
	sent = hbs_graph_state(graph, 0);
	for (uint32_t v = 0; v < 7; v++)
		assert_int_equal(sent[v], v % 2 ? 13 : 10);
	hbs_graph_close(graph);
}

/* Vertices that send in an order that they give */
struct ordered {
	uint32_t sent[2];
	uint32_t count;
};

static uint32_t order_of(uint32_t number)
{
	return 10 + number * 7 % 5;
}

static int ordered_init(struct hbs_vertex *vertex, struct ordered *state)
{
	uint32_t number = hbs_vertex_number(vertex);

	state->count = 0;
	hbs_vertex_ready_at(vertex, HBS_PIN(0), order_of(number));
	/* 3 is to be the first one after all, and 5 does not want to send until it gets something */
	if (number == 3)
		hbs_vertex_ready_at(vertex, HBS_PIN(0), 0);
	if (number == 5)
		hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int ordered_send(struct hbs_vertex *vertex, struct ordered *state, uint32_t *message)
{
	uint32_t *sends = hbs_vertex_arg(vertex);

	*message = 0;
	state->sent[state->count++] = (*sends)++;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	/* 6 sends once more, at the end */
	if (hbs_vertex_number(vertex) == 6 && state->count < 2)
		hbs_vertex_ready_at(vertex, HBS_PIN(0), UINT32_MAX);
	return 0;
}

static int ordered_recv(struct hbs_vertex *vertex, struct ordered *state, const uint32_t *message,
			const uint32_t *datum)
{
	(void)state;
	hbs_vertex_ready_at(vertex, HBS_PIN(0), 1000);
	return *message != *datum ? -EPROTO : 0;
}

static int ordered_step(struct hbs_vertex *vertex, struct ordered *state)
{
	(void)vertex;
	(void)state;
	return 0;
}

static int ordered_finish(struct hbs_vertex *vertex, struct ordered *state, uint32_t *message)
{
	(void)vertex;
	(void)state;
	(void)message;
	return 0;
}

HBS_GRAPH_TYPE(ordered, struct ordered, uint32_t, uint32_t, .send_order = HBS_SEND_ORDERED);

static void orders(void **state)
{
	const uint32_t from = 6, to = 5;
	struct hbs_graph_attr attr = {
		.type = &ordered,
		.from = &from,
		.to = &to,
		.edges = 1,
		.vertices = VERTICES,
		.threads = 1,
	};
	struct hbs_graph *graph = make_graph(&attr);

	(void)state;
	/* a second run is like the first */
	for (int i = 0; i < 2; i++) {
		const struct ordered *states = hbs_graph_state(graph, 0);
		uint32_t sends = 0, place = 1;

		assert_int_equal(hbs_graph_run(graph, hbs, &sends, NULL), 0);
		assert_int_equal(sends, VERTICES + 2);
		assert_int_equal(states[3].sent[0], 0);
		for (uint32_t order = 10; order < 15; order++)
			for (uint32_t v = 0; v < VERTICES; v++)
				if (order_of(v) == order && v != 3 && v != 5)
					assert_int_equal(states[v].sent[0], place++);
		assert_int_equal(states[5].sent[0], VERTICES - 1);
		assert_int_equal(states[6].sent[1], VERTICES);
		assert_int_equal(states[5].sent[1], VERTICES + 1);
	}
	hbs_graph_close(graph);
}

/* Vertices that want to send at random, with orders that are at most so much above that of now */
struct levelled {
	uint32_t order;
	uint32_t is_waiting;
	uint32_t left; /* messages that still make it want to send */
};

struct levels {
	struct levelled *all;
	uint32_t spread;
	uint32_t level;
	uint32_t fickle; /* whether vertices change their minds */
	uint32_t wanted;
	uint32_t sent;
	uint32_t random;
};

static uint32_t levels_random(struct levels *levels, uint32_t below)
{
	levels->random = levels->random * 1664525 + 1013904223;
	return (levels->random >> 8) % below;
}

static void levelled_want(struct hbs_vertex *vertex, struct levelled *state, uint32_t order)
{
	struct levels *levels = hbs_vertex_arg(vertex);

	/* what is less urgent changes nothing, or vertices would send before their turn */
	if (state->is_waiting && state->order <= order)
		return;
	levels->wanted += !state->is_waiting;
	state->is_waiting = 1;
	state->order = order;
	hbs_vertex_ready_at(vertex, HBS_PIN(0), order);
}

/* One in so many does not want any more, and never again */
static void levelled_change_mind(struct hbs_vertex *vertex, struct levelled *state, uint32_t one_in)
{
	struct levels *levels = hbs_vertex_arg(vertex);

	if (!state->is_waiting || !levels->fickle || levels_random(levels, one_in))
		return;
	levels->wanted--;
	*state = (struct levelled){ 0 };
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
}

static int levelled_init(struct hbs_vertex *vertex, struct levelled *state)
{
	struct levels *levels = hbs_vertex_arg(vertex);

	*state = (struct levelled){ .left = 6 };
	levelled_want(vertex, state, 1 + levels_random(levels, levels->spread));
	levelled_change_mind(vertex, state, 8);
	return 0;
}

static int levelled_send(struct hbs_vertex *vertex, struct levelled *state, uint32_t *message)
{
	struct levels *levels = hbs_vertex_arg(vertex);

	if (!state->is_waiting)
		return -EPROTO;
	/* a new level is the smallest order of all */
	for (uint32_t v = 0; state->order > levels->level && v < VERTICES; v++)
		if (levels->all[v].is_waiting && levels->all[v].order < state->order)
			return -EPROTO;
	if (state->order > levels->level)
		levels->level = state->order;
	if (vertex->of->level != levels->level)
		return -EPROTO;
	*message = levels->level;
	levels->sent++;
	state->is_waiting = 0;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int levelled_recv(struct hbs_vertex *vertex, struct levelled *state, const uint32_t *message,
			 const char *none)
{
	struct levels *levels = hbs_vertex_arg(vertex);

	(void)none;
	if (!state->left)
		return 0;
	state->left--;
	levelled_want(vertex, state, *message + levels_random(levels, levels->spread + 1));
	levelled_change_mind(vertex, state, 32);
	return 0;
}

HBS_GRAPH_TYPE_ASYNC(levelled, struct levelled, char, uint32_t, .send_order = HBS_SEND_ORDERED);

/* With one order at a time, few or many: what waits for its turn is kept in other ways */
static void levels_of_random_orders(void **state)
{
	static const uint32_t spreads[] = { 1, 2, 3, 20 };
	uint32_t from[VERTICES * 4], to[VERTICES * 4];
	struct hbs_graph_attr attr = {
		.type = &levelled,
		.from = from,
		.to = to,
		.edges = VERTICES * 4,
		.vertices = VERTICES,
		.threads = 1,
	};

	(void)state;
	for (uint32_t seed = 0; seed < 400; seed++) {
		struct levels levels = {
			.spread = spreads[seed % 4],
			.fickle = seed % 3,
			.random = seed,
		};
		struct hbs_graph *graph;

		for (uint32_t e = 0; e < VERTICES * 4; e++) {
			from[e] = levels_random(&levels, VERTICES);
			to[e] = levels_random(&levels, VERTICES);
		}
		graph = make_graph(&attr);
		levels.all = hbs_graph_state(graph, 0);
		memset(levels.all, 0, VERTICES * sizeof(*levels.all));
		assert_int_equal(hbs_graph_run(graph, hbs, &levels, NULL), 0);
		assert_int_equal(levels.sent, levels.wanted);
		for (uint32_t v = 0; v < VERTICES; v++)
			assert_false(levels.all[v].is_waiting);
		hbs_graph_close(graph);
	}
}

/* Messages to another thread that are one before they are sent: what arrives adds up */
static int adding_init(struct hbs_vertex *vertex, struct ordered *state)
{
	*state = (struct ordered){ 0 };
	if (hbs_vertex_number(vertex) < VERTICES / 2)
		hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

static int adding_send(struct hbs_vertex *vertex, struct ordered *state, uint32_t *message)
{
	*message = ++state->sent[0];
	hbs_vertex_ready(vertex, state->sent[0] < 100 ? HBS_PIN(0) : HBS_PIN_NONE);
	return 0;
}

static int adding_recv(struct hbs_vertex *vertex, struct ordered *state, const uint32_t *message,
		       const uint32_t *datum)
{
	(void)vertex;
	state->count += *message * *datum;
	return 0;
}

#define adding_step   ordered_step
#define adding_finish ordered_finish

static void add(void *into, const void *message)
{
	*(uint32_t *)into += *(const uint32_t *)message;
}

HBS_GRAPH_TYPE(adding, struct ordered, uint32_t, uint32_t, .combine = add);

/* One vertex to some others: all 100 messages, of which few were copied */
static void combined(void **state)
{
	uint32_t from[] = { 0, 0, 1, 0, 2 }, to[] = { 90, 91, 91, 1, 96 };
	uint32_t data[] = { 1, 2, 4, 8, 16 };
	struct hbs_graph_attr attr = { .type = &adding,
				       .from = from,
				       .to = to,
				       .data = data,
				       .edges = 5,
				       .vertices = VERTICES };

	(void)state;
	for (attr.threads = 1; attr.threads <= 4; attr.threads++) {
		struct hbs_graph *graph = make_graph(&attr);
		const struct ordered *states = hbs_graph_state(graph, 0);
		struct hbs_graph_stats stats;

		assert_int_equal(hbs_graph_run(graph, hbs, NULL, &stats), 0);
		assert_int_equal(states[90].count, 5050);
		assert_int_equal(states[91].count, 5050 * 6);
		assert_int_equal(states[1].count, 5050 * 8);
		assert_int_equal(states[96].count, 5050 * 16);
		if (attr.threads == 2)
			assert_in_range(stats.copies, 3, 299);
		hbs_graph_close(graph);
	}
}

/* Vertices that note which thread they belong to */
static int placed_init(struct hbs_vertex *vertex, pthread_t *thread)
{
	(void)vertex;
	*thread = pthread_self();
	return 0;
}

static int placed_send(struct hbs_vertex *vertex, pthread_t *thread, uint32_t *message)
{
	(void)vertex, (void)thread, (void)message;
	return -EPROTO;
}

static int placed_recv(struct hbs_vertex *vertex, pthread_t *thread, const uint32_t *message,
		       const uint32_t *datum)
{
	(void)vertex, (void)thread, (void)message, (void)datum;
	return -EPROTO;
}

static int placed_step(struct hbs_vertex *vertex, pthread_t *thread)
{
	(void)vertex;
	return pthread_equal(*thread, pthread_self()) ? 0 : -EPROTO;
}

static int placed_finish(struct hbs_vertex *vertex, pthread_t *thread, uint32_t *message)
{
	(void)message;
	return placed_step(vertex, thread);
}

HBS_GRAPH_TYPE(placed, pthread_t, uint32_t, uint32_t);

/* Blocks of vertices that the caller chooses, of whatever sizes */
static void own_blocks(void **state)
{
	static const uint32_t first[] = { 0, 1, 90, 92, VERTICES }, none[] = { 0, 0 };
	struct hbs_graph_attr attr = {
		.type = &placed, .vertices = VERTICES, .threads = 4, .first = first
	};
	struct hbs_graph *graph = make_graph(&attr);
	const pthread_t *threads = hbs_graph_state(graph, 0);

	(void)state;
	assert_int_equal(hbs_graph_run(graph, hbs, NULL, NULL), 0);
	for (uint32_t t = 0; t < attr.threads; t++) {
		for (uint32_t v = first[t]; v < first[t + 1]; v++)
			assert_true(pthread_equal(threads[v], threads[first[t]]));
		for (uint32_t other = 0; other < t; other++)
			assert_false(pthread_equal(threads[first[other]], threads[first[t]]));
	}
	hbs_graph_close(graph);
	attr = (struct hbs_graph_attr){ .type = &placed, .threads = 1, .first = none };
	graph = make_graph(&attr);
	assert_int_equal(hbs_graph_run(graph, hbs, NULL, NULL), 0);
	hbs_graph_close(graph);
}

/* A pin that there is not */
static int lost_init(struct hbs_vertex *vertex, uint32_t *unused)
{
	(void)unused;
	hbs_vertex_ready(vertex, HBS_PIN(1));
	return 0;
}

#define lost_send   nesting_send
#define lost_recv   nesting_recv
#define lost_step   nesting_step
#define lost_finish nesting_finish
HBS_GRAPH_TYPE(lost, uint32_t, uint32_t, uint32_t, .pins = 1);

static void wrong_arguments(void **state)
{
	uint32_t from[] = { 0, 1 }, to[] = { 1, 0 }, data[] = { 1, 2 };
	uint16_t pin[] = { 0, 0 };
	uint32_t blocks[3];
	struct hbs_graph_attr good = {
		.type = &nesting, .from = from, .to = to, .edges = 2, .vertices = 2, .threads = 2
	};
	struct hbs_graph_type type = nesting;
	struct hbs_graph_info info;
	struct hbs_graph_attr attr;
	struct hbs_graph *graph;

#define REFUSED(error, change)                                            \
	do {                                                              \
		attr = good;                                              \
		type = nesting;                                           \
		blocks[0] = 0, blocks[1] = 1, blocks[2] = 2;              \
		change;                                                   \
		assert_int_equal(hbs_graph_create(&attr, &graph), error); \
	} while (0)
	(void)state;
	assert_int_equal(hbs_graph_create(NULL, &graph), -EINVAL);
	assert_int_equal(hbs_graph_create(&good, NULL), -EINVAL);
	REFUSED(-EINVAL, attr.type = NULL);
	REFUSED(-EINVAL, attr.from = NULL);
	REFUSED(-EINVAL, attr.to = NULL);
	REFUSED(-EINVAL, attr.vertices = HBS_GRAPH_VERTICES_MAX + 1);
	REFUSED(-EINVAL, attr.edges = (uint64_t)HBS_GRAPH_EDGES_MAX + 1);
	REFUSED(-EINVAL, attr.vertices = 1U << 30; attr.type = &type; type.pins = 4);
	REFUSED(-EINVAL, attr.threads = HBS_GRAPH_THREADS_MAX + 1);
	REFUSED(-EINVAL, attr.slot = 100);
	REFUSED(-EINVAL, attr.slot = 8192);
	REFUSED(-EINVAL, attr.depth = 3);
	REFUSED(-EINVAL, attr.depth = 65536);
	REFUSED(-EINVAL, attr.reserved[4] = 1);
	REFUSED(-EINVAL, attr.first = blocks; attr.threads = 0);
	REFUSED(-EINVAL, attr.first = blocks; blocks[0] = 1);
	REFUSED(-EINVAL, attr.first = blocks; blocks[1] = 0);
	REFUSED(-EINVAL, attr.first = blocks; blocks[1] = 2);
	REFUSED(-EINVAL, attr.first = blocks; blocks[2] = 3);
	REFUSED(-EINVAL, attr.data = data; attr.datum = data);
	REFUSED(-EINVAL, attr.type = &type; type.edge = 0; attr.data = data);
	REFUSED(-EINVAL, attr.type = &type; type.state = 0);
	REFUSED(-EINVAL, attr.type = &type; type.message = 0);
	REFUSED(-EINVAL, attr.type = &type; type.message = 57);
	REFUSED(-EINVAL, attr.type = &type; type.pins = HBS_GRAPH_PINS_MAX + 1);
	REFUSED(-EINVAL, attr.type = &type; type.step_when = 2);
	REFUSED(-EINVAL, attr.type = &type; type.send_order = HBS_SEND_ROUNDS);
	REFUSED(-EINVAL, attr.type = &type; type.send_order = HBS_SEND_ROUNDS + 1);
	REFUSED(-EINVAL, attr.type = &type; type.recv = NULL);
	REFUSED(-EINVAL, attr.type = &type; type.reserved[1] = 1);
	REFUSED(-ERANGE, attr.vertices = 1);
	REFUSED(-ERANGE, attr.pin = pin; pin[1] = 1);
	attr = good;
	attr.type = &lost;
	graph = make_graph(&attr);
	assert_int_equal(hbs_graph_run(graph, hbs, NULL, NULL), -ERANGE);
	assert_int_equal(hbs_graph_run(NULL, hbs, NULL, NULL), -EINVAL);
	assert_int_equal(hbs_graph_run(graph, NULL, NULL, NULL), -EINVAL);
	assert_null(hbs_graph_state(graph, 2));
	assert_null(hbs_graph_state(NULL, 0));
	assert_int_equal(hbs_graph_info(graph, NULL), -EINVAL);
	assert_int_equal(hbs_graph_info(NULL, &info), -EINVAL);
	assert_int_equal(hbs_graph_close(graph), 0);
	assert_int_equal(hbs_graph_close(NULL), -EINVAL);
}

/* Many edges are sorted by several threads: each of them finds what is wrong in its share */
static void a_wrong_edge_of_many_is_found(void **state)
{
	enum { MANY = 400000 };
	static const uint64_t places[] = { 0, MANY / 3, MANY / 2, MANY - 1 };
	uint32_t *ends = calloc(MANY, sizeof(*ends));
	struct hbs_graph_attr attr = { .type = &nesting,
				       .from = ends,
				       .to = ends,
				       .edges = MANY,
				       .vertices = 7,
				       .threads = 3 };
	struct hbs_graph *graph;

	(void)state;
	assert_non_null(ends);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		ends[places[i]] = 7;
		assert_int_equal(hbs_graph_create(&attr, &graph), -ERANGE);
		ends[places[i]] = 6;
	}
	assert_int_equal(hbs_graph_create(&attr, &graph), 0);
	assert_int_equal(hbs_graph_close(graph), 0);
	free(ends);
}

/* So many threads cannot have queues of 32 slots; each has a vertex */
static void many_threads(void **state)
{
	static uint32_t from[HBS_GRAPH_THREADS_MAX], to[HBS_GRAPH_THREADS_MAX];
	uint32_t sends = 0;
	struct hbs_graph_attr attr = {
		.type = &adding,
		.from = from,
		.to = to,
		.edges = HBS_GRAPH_THREADS_MAX,
		.vertices = HBS_GRAPH_THREADS_MAX,
		.threads = HBS_GRAPH_THREADS_MAX,
		.depth = 32,
	};
	const uint32_t one = 1;
	struct hbs_graph_info info;
	struct hbs_graph *graph;

	(void)state;
	for (uint32_t v = 0; v < HBS_GRAPH_THREADS_MAX; v++) {
		from[v] = v;
		to[v] = HBS_GRAPH_THREADS_MAX - 1;
	}
	attr.datum = &one;
	assert_int_equal(hbs_graph_create(&attr, &graph), -EINVAL);
	attr.depth = 0;
	graph = make_graph(&attr);
	assert_int_equal(hbs_graph_info(graph, &info), 0);
	assert_int_equal(info.threads, HBS_GRAPH_THREADS_MAX);
	assert_true(info.queue_bytes < (uint64_t)1 << 35);
	/* on a card, as many as it has ports */
	if (SANITIZED || hbs_backend(hbs) == HBS_BACKEND_CARD) {
		hbs_graph_close(graph);
		return;
	}
	assert_int_equal(hbs_graph_run(graph, hbs, &sends, NULL), 0);
	for (uint32_t v = 0; v < HBS_GRAPH_THREADS_MAX; v++) {
		const struct ordered *ordered = hbs_graph_state(graph, v);

		assert_int_equal(ordered->count,
				 v < HBS_GRAPH_THREADS_MAX - 1 ? 0 : VERTICES / 2 * 5050);
	}
	hbs_graph_close(graph);
}

/* There are as many threads as CPUs or as asked for, and no more than vertices */
static void information(void **state)
{
	struct hbs_graph_attr attr = { .type = &nesting, .vertices = 100 };
	struct hbs_graph_info info;
	struct hbs_graph *graph;

	(void)state;
	for (attr.threads = 0; attr.threads <= 128; attr.threads += 32) {
		graph = make_graph(&attr);
		assert_int_equal(hbs_graph_info(graph, &info), 0);
		assert_int_equal(info.vertices, 100);
		assert_int_equal(info.edges, 0);
		assert_true(!attr.threads	 ? info.threads >= 1
			    : attr.threads > 100 ? info.threads == 100
						 : info.threads == attr.threads);
		assert_int_equal(info.queue_bytes,
				 (uint64_t)info.threads * (info.threads - 1) * 4096 * 32);
		hbs_graph_close(graph);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_handler),
		cmocka_unit_test(slow_vertex),
		cmocka_unit_test(failing_handlers),
		cmocka_unit_test(copies),
		cmocka_unit_test(while_it_runs),
		cmocka_unit_test(wide_messages),
		cmocka_unit_test(minds_that_change),
		cmocka_unit_test(wrong_arguments),
		cmocka_unit_test(information),
		cmocka_unit_test(orders),
		cmocka_unit_test(levels_of_random_orders),
		cmocka_unit_test(combined),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(own_blocks),
		cmocka_unit_test(a_wrong_edge_of_many_is_found),
	};
	int ret;

	hbs = open_hbs();
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	return hbs_close(hbs) || ret;
}
