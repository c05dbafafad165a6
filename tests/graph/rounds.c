// SPDX-License-Identifier: GPL-2.0-or-later
/* Vertices that send in rounds: when their handlers are called, what they get, and what errors do */
#include <pthread.h>
#include <unistd.h>

#include "graph_test.h"

#define THREADS_MAX 8
#define BAD	    (-EDOM)

static struct hbs *hbs;

enum where { NOWHERE, IN_INIT, IN_SEND, IN_RECV, IN_STEP, IN_FINISH, IN_HOST };

struct plan {
	uint32_t turns; /* vertex number N sends N modulo this in a step; 0: all of them once */
	uint32_t steps; /* that each vertex wants */
	bool tells_host;
	enum where fails;
	uint32_t fails_at; /* a vertex */
	enum where sleeps; /* at that vertex, too */
	pthread_t host;
	uint32_t *heard; /* by vertex: messages that the host got */
};

struct note {
	uint32_t inits, steps, finishes, sends, received;
	uint32_t turn; /* how often it has sent in this step */
	uint32_t seen; /* the latest turn of which a message has come in this step */
	uint64_t data; /* the sum of the edges' data */
};

struct letter {
	uint32_t from;
	uint32_t step;
	uint32_t turn;
};

static int result(const struct hbs_vertex *vertex, enum where where)
{
	const struct plan *plan = hbs_vertex_arg(vertex);

	if (hbs_vertex_number(vertex) != plan->fails_at)
		return 0;
	if (plan->sleeps == where)
		usleep(100);
	return plan->fails == where ? BAD : 0;
}

static uint32_t turns_of(const struct plan *plan, uint32_t number)
{
	return plan->turns ? number % plan->turns : 1;
}

static bool tells_host_first(const struct plan *plan, uint32_t number)
{
	return plan->tells_host && number % 5 == 0;
}

static void begin_step(const struct hbs_vertex *vertex, struct note *note)
{
	note->turn = 0;
	note->seen = 0;
	if (turns_of(hbs_vertex_arg(vertex), hbs_vertex_number(vertex)))
		hbs_vertex_ready(vertex, HBS_PIN(0));
}

static int noting_init(struct hbs_vertex *vertex, struct note *note)
{
	const struct plan *plan = hbs_vertex_arg(vertex);

	*note = (struct note){ .inits = note->inits + 1 };
	begin_step(vertex, note);
	if (tells_host_first(plan, hbs_vertex_number(vertex)))
		hbs_vertex_ready(vertex, HBS_PIN_HOST);
	return result(vertex, IN_INIT);
}

static int noting_send(struct hbs_vertex *vertex, struct note *note, struct letter *letter)
{
	const struct plan *plan = hbs_vertex_arg(vertex);
	uint32_t number = hbs_vertex_number(vertex), left = turns_of(plan, number);

	*letter = (struct letter){ number, hbs_vertex_steps(vertex), note->turn++ };
	note->sends++;
	if (tells_host_first(plan, number) && !note->steps)
		left++;
	hbs_vertex_ready(vertex, note->turn < left ? HBS_PIN(0) : HBS_PIN_NONE);
	return result(vertex, IN_SEND);
}

/* All of a step and its messages belong together, and so do those of a round */
static int noting_recv(struct hbs_vertex *vertex, struct note *note, const struct letter *letter,
		       const uint16_t *datum)
{
	if (letter->step != hbs_vertex_steps(vertex) || letter->step != note->steps ||
	    letter->turn < note->seen || !note->inits)
		return -EPROTO;
	note->seen = letter->turn;
	note->received++;
	note->data += *datum * (letter->from + 1ULL);
	return result(vertex, IN_RECV);
}

static int noting_step(struct hbs_vertex *vertex, struct note *note)
{
	const struct plan *plan = hbs_vertex_arg(vertex);

	note->steps++;
	begin_step(vertex, note);
	return result(vertex, IN_STEP) ? BAD : note->steps < plan->steps;
}

static int noting_finish(struct hbs_vertex *vertex, struct note *note, struct letter *letter)
{
	const struct plan *plan = hbs_vertex_arg(vertex);

	note->finishes++;
	*letter = (struct letter){ .from = hbs_vertex_number(vertex) };
	/* nobody would get this */
	hbs_vertex_ready(vertex, HBS_PIN(0));
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

HBS_GRAPH_TYPE_ROUNDS(noting, struct note, uint16_t, struct letter, HBS_STEP_ALL, host);

/* Each vertex has edges to some next ones, to itself, and to one of them twice */
#define VERTICES 97u
#define EDGES	 (7 * VERTICES)

static uint32_t from[EDGES], to[EDGES];
static uint16_t data[EDGES];

static void make_edges(void)
{
	for (uint32_t e = 0; e < EDGES; e++) {
		uint32_t number = e / VERTICES;

		from[e] = e * 31 % VERTICES;
		to[e] = (from[e] + (number < 5 ? number * 11 : 33)) % VERTICES;
		data[e] = (uint16_t)(e + 1);
	}
}

static struct hbs_graph *make_wheel(uint32_t threads, uint32_t slot, uint32_t depth)
{
	struct hbs_graph_attr attr = {
		.type = &noting,
		.from = from,
		.to = to,
		.data = data,
		.edges = EDGES,
		.vertices = VERTICES,
		.threads = threads,
		.slot = slot,
		.depth = depth,
	};

	return make_graph(&attr);
}

static const struct note *notes_of(struct hbs_graph *graph)
{
	return hbs_graph_state(graph, 0);
}

/* Against what the edges say, one by one */
static void check_notes(struct hbs_graph *graph, const struct plan *plan,
			const struct hbs_graph_stats *stats)
{
	const struct note *notes = notes_of(graph);
	uint64_t rounds = plan->steps + 1UL, sent = 0, received = 0;
	uint32_t count[VERTICES] = { 0 };
	uint64_t sum[VERTICES] = { 0 };

	for (uint32_t e = 0; e < EDGES; e++) {
		count[to[e]] += turns_of(plan, from[e]) * rounds;
		sum[to[e]] += turns_of(plan, from[e]) * rounds * data[e] * (from[e] + 1ULL);
	}
	for (uint32_t v = 0; v < VERTICES; v++) {
		uint64_t sends = turns_of(plan, v) * rounds + tells_host_first(plan, v);

		assert_int_equal(notes[v].inits, 1);
		assert_int_equal(notes[v].steps, plan->steps);
		assert_int_equal(notes[v].finishes, 1);
		assert_int_equal(notes[v].sends, sends);
		assert_int_equal(notes[v].received, count[v]);
		assert_int_equal(notes[v].data, sum[v]);
		if (plan->heard)
			assert_int_equal(plan->heard[v],
					 plan->tells_host + tells_host_first(plan, v));
		sent += sends;
		received += count[v];
	}
	assert_int_equal(stats->steps, plan->steps);
	assert_int_equal(stats->sent, sent);
	assert_int_equal(stats->received, received);
}

static void each_handler(void **state)
{
	static const uint32_t queues[][2] = { { 0, 0 }, { 64, 1 } };
	static const uint32_t turns[] = { 0, 2, 4, VERTICES };

	(void)state;
	for (uint32_t threads = 1; threads <= THREADS_MAX; threads++) {
		for (size_t i = 0; i < 2 * sizeof(turns) / sizeof(turns[0]); i++) {
			uint32_t heard[VERTICES] = { 0 };
			struct plan plan = { .turns = turns[i / 2],
					     .steps = 3,
					     .tells_host = i % 2,
					     .fails_at = UINT32_MAX,
					     .host = pthread_self(),
					     .heard = heard };
			struct hbs_graph *graph =
				make_wheel(threads, queues[i % 2][0], queues[i % 2][1]);
			struct hbs_graph_stats stats;

			/* a second run is like the first */
			for (int run = 0; run < 2; run++) {
				assert_int_equal(hbs_graph_run(graph, hbs, &plan, &stats), 0);
				check_notes(graph, &plan, &stats);
				memset(hbs_graph_state(graph, 0), 0,
				       VERTICES * sizeof(struct note));
				memset(heard, 0, sizeof(heard));
			}
			assert_int_equal(hbs_graph_close(graph), 0);
		}
	}
}

/* Some of very many edges bring a message to a vertex, which are looked through in blocks */
static void some_to_one(void **state)
{
	uint32_t before[EDGES];

	(void)state;
	memcpy(before, to, sizeof(before));
	for (uint32_t e = 0; e < EDGES; e++)
		to[e] = 40;
	for (uint32_t threads = 1; threads <= 3; threads++) {
		struct hbs_graph *graph = make_wheel(threads, 0, 0);
		struct plan plan = { .steps = 2, .fails_at = UINT32_MAX };
		struct hbs_graph_stats stats;

		for (plan.turns = 2; plan.turns < 5; plan.turns++) {
			assert_int_equal(hbs_graph_run(graph, hbs, &plan, &stats), 0);
			check_notes(graph, &plan, &stats);
			memset(hbs_graph_state(graph, 0), 0, VERTICES * sizeof(struct note));
		}
		hbs_graph_close(graph);
	}
	memcpy(to, before, sizeof(before));
}

/* One vertex is much slower than all others, in each of its handlers: nobody goes on without it */
static void slow_vertex(void **state)
{
	(void)state;
	for (uint32_t threads = 2; threads <= 4; threads++) {
		struct hbs_graph *graph = make_wheel(threads, 64, 1);

		for (enum where where = IN_INIT; where <= IN_FINISH; where++) {
			for (uint32_t at = 0; at < VERTICES; at += VERTICES - 1) {
				struct plan plan = {
					.turns = 3, .steps = 9, .fails_at = at, .sleeps = where
				};
				struct hbs_graph_stats stats;

				memset(hbs_graph_state(graph, 0), 0,
				       VERTICES * sizeof(struct note));
				assert_int_equal(hbs_graph_run(graph, hbs, &plan, &stats), 0);
				check_notes(graph, &plan, &stats);
			}
		}
		hbs_graph_close(graph);
	}
}

/* Any handler that fails ends the run of all threads, and the graph can run again */
static void failing_handlers(void **state)
{
	/* some of them tell the host first, and others do not; all of them send */
	static const uint32_t places[] = { 5, 34, 64, 95 };

	(void)state;
	for (uint32_t threads = 1; threads <= THREADS_MAX; threads++) {
		struct hbs_graph *graph = make_wheel(threads, 64, 1);

		for (int i = 0; i < 2 * IN_HOST; i++) {
			/* with those who all send, and with some who do not */
			struct plan plan = { .turns = i % 2 ? 3 : 0,
					     .steps = 2,
					     .tells_host = i % 2 || IN_INIT + i / 2 == IN_HOST,
					     .fails = IN_INIT + i / 2,
					     .host = pthread_self() };
			struct hbs_graph_stats stats;

			for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
				plan.fails_at = places[p];
				assert_int_equal(hbs_graph_run(graph, hbs, &plan, NULL), BAD);
				memset(hbs_graph_state(graph, 0), 0,
				       VERTICES * sizeof(struct note));
			}
			plan.fails = NOWHERE;
			assert_int_equal(hbs_graph_run(graph, hbs, &plan, &stats), 0);
			check_notes(graph, &plan, &stats);
		}
		hbs_graph_close(graph);
	}
}

/*
 * A wave: who is told its distance tells the next ones in the next round, all of them in one step. In rounds
 * no distance is told that is not the shortest.
 */
static int wave_init(struct hbs_vertex *vertex, uint32_t *distance)
{
	*distance = hbs_vertex_number(vertex) ? UINT32_MAX : 0;
	hbs_vertex_ready(vertex, *distance ? HBS_PIN_NONE : HBS_PIN(0));
	return 0;
}

static int wave_send(struct hbs_vertex *vertex, uint32_t *distance, uint32_t *message)
{
	*message = *distance + 1;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int wave_recv(struct hbs_vertex *vertex, uint32_t *distance, const uint32_t *message,
		     const char *none)
{
	(void)none;
	if (*message >= *distance)
		return 0;
	if (*distance != UINT32_MAX)
		return -EPROTO;
	*distance = *message;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

/* Nobody is woken */
static int wave_step(struct hbs_vertex *vertex, uint32_t *distance)
{
	(void)vertex, (void)distance;
	return -EPROTO;
}

static int wave_finish(struct hbs_vertex *vertex, uint32_t *distance, uint32_t *message)
{
	(void)vertex, (void)distance, (void)message;
	return 0;
}

HBS_GRAPH_TYPE_ROUNDS(wave, uint32_t, char, uint32_t, HBS_STEP_WOKEN, NULL);

static void rounds_of_a_step(void **state)
{
	struct hbs_graph_attr attr = {
		.type = &wave, .from = from, .to = to, .edges = 2 * VERTICES, .vertices = VERTICES
	};

	(void)state;
	/* a ring of those 11 apart, and edges to oneself */
	for (attr.threads = 1; attr.threads <= THREADS_MAX; attr.threads++) {
		struct hbs_graph *graph = make_graph(&attr);
		const uint32_t *distances = hbs_graph_state(graph, 0);
		struct hbs_graph_stats stats;

		assert_int_equal(hbs_graph_run(graph, hbs, NULL, &stats), 0);
		assert_int_equal(stats.steps, 1);
		assert_int_equal(stats.sent, VERTICES);
		assert_int_equal(stats.received, 2 * VERTICES);
		for (uint32_t i = 0; i < VERTICES; i++)
			assert_int_equal(distances[11 * i % VERTICES], i);
		hbs_graph_close(graph);
	}
}

/* Steps of those only that are woken, where one of them asks for another one */
static int woken_init(struct hbs_vertex *vertex, uint32_t *steps)
{
	*steps = 0;
	if (hbs_vertex_number(vertex) % 3 == 0)
		hbs_vertex_wake(vertex);
	return 0;
}

/* To the next one, which gets its step by that */
static int woken_send(struct hbs_vertex *vertex, uint32_t *steps, uint32_t *message)
{
	*message = *steps;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int woken_recv(struct hbs_vertex *vertex, uint32_t *steps, const uint32_t *message,
		      const uint32_t *datum)
{
	(void)steps;
	hbs_vertex_wake(vertex);
	return *message == 1 && *datum == 7 ? 0 : -EPROTO;
}

static int woken_step(struct hbs_vertex *vertex, uint32_t *steps)
{
	if (hbs_vertex_steps(vertex) != 1 + hbs_vertex_number(vertex) % 3)
		return -EPROTO;
	++*steps;
	if (hbs_vertex_number(vertex) % 3 != 2)
		hbs_vertex_ready(vertex, HBS_PIN(0));
	return hbs_vertex_number(vertex) % 3 != 2;
}

#define woken_finish wave_finish
HBS_GRAPH_TYPE_ROUNDS(woken, uint32_t, uint32_t, uint32_t, HBS_STEP_WOKEN, NULL);

static void steps_of_the_woken(void **state)
{
	uint32_t ends[VERTICES];
	const uint32_t seven = 7;
	struct hbs_graph_attr attr = { .type = &woken,
				       .from = ends,
				       .to = ends + 1,
				       .datum = &seven,
				       .edges = VERTICES - 1,
				       .vertices = VERTICES };

	(void)state;
	for (uint32_t v = 0; v < VERTICES; v++)
		ends[v] = v;
	for (attr.threads = 1; attr.threads <= THREADS_MAX; attr.threads++) {
		struct hbs_graph *graph = make_graph(&attr);
		const uint32_t *steps = hbs_graph_state(graph, 0);
		struct hbs_graph_stats stats;

		assert_int_equal(hbs_graph_run(graph, hbs, NULL, &stats), 0);
		assert_int_equal(stats.steps, 3);
		for (uint32_t v = 0; v < VERTICES; v++)
			assert_int_equal(steps[v], 1);
		hbs_graph_close(graph);
	}
}

/* The largest message, with data of 24 bytes */
struct wide {
	double number[7];
};

struct three {
	double number[3];
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
		     const struct three *datum)
{
	(void)vertex;
	state->number[0] += message->number[0];
	state->number[1] += message->number[6] * datum->number[2];
	return 0;
}

static int wide_step(struct hbs_vertex *vertex, struct wide *state)
{
	(void)vertex, (void)state;
	return 0;
}

static int wide_finish(struct hbs_vertex *vertex, struct wide *state, struct wide *message)
{
	(void)vertex, (void)state, (void)message;
	return 0;
}

HBS_GRAPH_TYPE_ROUNDS(wide, struct wide, struct three, struct wide, HBS_STEP_ALL, NULL);

static void wide_messages(void **state)
{
	struct three numbers[EDGES];
	struct hbs_graph_attr attr = {
		.type = &wide,
		.from = from,
		.to = to,
		.data = numbers,
		.edges = EDGES,
		.vertices = VERTICES,
		.threads = 3,
	};
	const struct wide *states;
	struct hbs_graph *graph;

	(void)state;
	for (uint32_t e = 0; e < EDGES; e++)
		numbers[e] = (struct three){ { 1e9, 1e9, e * 0.25 } };
	graph = make_graph(&attr);
	assert_int_equal(hbs_graph_run(graph, hbs, NULL, NULL), 0);
	states = hbs_graph_state(graph, 0);
	for (uint32_t v = 0; v < VERTICES; v++) {
		double sum = 0;

		for (uint32_t e = 0; e < EDGES; e++)
			if (to[e] == v)
				sum += (from[e] + 1) * numbers[e].number[2];
		assert_true(states[v].number[0] == 3.5 && states[v].number[1] == sum);
	}
	hbs_graph_close(graph);
}

/* Many edges are sorted by several threads: in their order, and what is wrong in a share is found */
static int in_order_init(struct hbs_vertex *vertex, uint32_t *last)
{
	*last = 0;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

#define in_order_send wave_send

static int in_order_recv(struct hbs_vertex *vertex, uint32_t *last, const uint32_t *message,
			 const uint32_t *datum)
{
	(void)vertex, (void)message;
	if (*datum <= *last)
		return -EPROTO;
	*last = *datum;
	return 0;
}

static int in_order_step(struct hbs_vertex *vertex, uint32_t *last)
{
	(void)vertex, (void)last;
	return 0;
}

#define in_order_finish wave_finish
HBS_GRAPH_TYPE_ROUNDS(in_order, uint32_t, uint32_t, uint32_t, HBS_STEP_ALL, NULL);

static void many_edges(void **state)
{
	enum { MANY = 400000 };
	static const uint64_t places[] = { 0, MANY / 3, MANY / 2, MANY - 1 };
	uint32_t *ends = calloc(2UL * MANY, sizeof(*ends)), *numbers = ends + MANY;
	uint16_t *pins = calloc(MANY, sizeof(*pins));
	static const uint32_t zeros[MANY];
	struct hbs_graph_attr attr = { .type = &in_order,
				       .from = ends,
				       .to = zeros,
				       .pin = pins,
				       .data = numbers,
				       .edges = MANY,
				       .vertices = 7,
				       .threads = 3 };
	struct hbs_graph *graph;

	(void)state;
	assert_non_null(ends);
	assert_non_null(pins);
	for (uint32_t e = 0; e < MANY; e++)
		numbers[e] = e + 1;
	for (size_t i = 0; i < 3 * sizeof(places) / sizeof(places[0]); i++) {
		attr.from = i % 3 == 1 ? zeros : ends;
		attr.to = i % 3 == 1 ? ends : zeros;
		ends[places[i / 3]] = i % 3 == 2 ? 0 : 7;
		pins[places[i / 3]] = i % 3 == 2;
		assert_int_equal(hbs_graph_create(&attr, &graph), -ERANGE);
		ends[places[i / 3]] = (uint32_t)i % 7;
		pins[places[i / 3]] = 0;
	}
	for (attr.threads = 1; attr.threads <= 4; attr.threads++) {
		graph = make_graph(&attr);
		assert_int_equal(hbs_graph_run(graph, hbs, NULL, NULL), 0);
		assert_int_equal(*(uint32_t *)hbs_graph_state(graph, 0), MANY);
		assert_int_equal(hbs_graph_close(graph), 0);
	}
	free(ends);
	free(pins);
}

/* Vertices that note which thread they belong to */
static int placed_init(struct hbs_vertex *vertex, pthread_t *thread)
{
	*thread = pthread_self();
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

static int placed_send(struct hbs_vertex *vertex, pthread_t *thread, uint32_t *message)
{
	*message = 0;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return pthread_equal(*thread, pthread_self()) ? 0 : -EPROTO;
}

static int placed_recv(struct hbs_vertex *vertex, pthread_t *thread, const uint32_t *message,
		       const uint32_t *datum)
{
	(void)vertex;
	return pthread_equal(*thread, pthread_self()) ? (int)(*message + *datum) : -EPROTO;
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

HBS_GRAPH_TYPE_ROUNDS(placed, pthread_t, uint32_t, uint32_t, HBS_STEP_ALL, NULL);

/* Blocks of vertices that the caller chooses, and the library's own: each thread has one */
static void blocks(void **state)
{
	static const uint32_t first[] = { 0, 1, 90, 92, VERTICES }, none[] = { 0, 0 };
	struct hbs_graph_attr attr = { .type = &placed,
				       .from = from,
				       .to = to,
				       .edges = EDGES,
				       .vertices = VERTICES,
				       .threads = 4,
				       .first = first };
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

/* Each thread has a vertex, also where all edges end at one */
static void a_hub(void **state)
{
	static const uint32_t hubs[] = { 0, VERTICES / 2, VERTICES - 1 };
	uint32_t ends[EDGES];
	struct hbs_graph_attr attr = {
		.type = &placed, .from = from, .to = ends, .edges = EDGES, .vertices = VERTICES
	};

	(void)state;
	for (size_t h = 0; h < sizeof(hubs) / sizeof(hubs[0]); h++) {
		for (uint32_t e = 0; e < EDGES; e++)
			ends[e] = hubs[h];
		for (attr.threads = 2; attr.threads <= THREADS_MAX; attr.threads++) {
			struct hbs_graph *graph = make_graph(&attr);
			const pthread_t *threads = hbs_graph_state(graph, 0);
			uint32_t others = 0;

			assert_int_equal(hbs_graph_run(graph, hbs, NULL, NULL), 0);
			for (uint32_t v = 1; v < VERTICES; v++)
				others += !pthread_equal(threads[v], threads[v - 1]);
			assert_int_equal(others, attr.threads - 1);
			hbs_graph_close(graph);
		}
	}
}

/* Where all have as many edges, half of the vertices */
static void halves(void **state)
{
	struct hbs_graph_attr attr = { .type = &placed,
				       .from = from,
				       .to = to,
				       .edges = EDGES,
				       .vertices = VERTICES,
				       .threads = 2 };
	struct hbs_graph *graph = make_graph(&attr);
	const pthread_t *threads = hbs_graph_state(graph, 0);

	(void)state;
	assert_int_equal(hbs_graph_run(graph, hbs, NULL, NULL), 0);
	assert_true(pthread_equal(threads[0], threads[VERTICES / 2 - 1]));
	assert_true(pthread_equal(threads[VERTICES / 2 + 1], threads[VERTICES - 1]));
	assert_false(pthread_equal(threads[0], threads[VERTICES - 1]));
	hbs_graph_close(graph);
}

/* A pin that there is not */
static int lost_init(struct hbs_vertex *vertex, pthread_t *thread)
{
	(void)thread;
	if (hbs_vertex_number(vertex) == VERTICES - 1)
		hbs_vertex_ready(vertex, HBS_PIN(1));
	return 0;
}

#define lost_send   placed_send
#define lost_recv   placed_recv
#define lost_step   placed_step
#define lost_finish placed_finish
HBS_GRAPH_TYPE_ROUNDS(lost, pthread_t, uint32_t, uint32_t, HBS_STEP_ALL, NULL);

static void nothing(void *into, const void *message)
{
	(void)into, (void)message;
}

static int unused_recv(struct hbs_vertices *of, void *states, const void *messages,
		       const void *edges, const void *datum, uint32_t count, const void *ahead)
{
	(void)of, (void)states, (void)messages, (void)edges, (void)datum, (void)count, (void)ahead;
	return 0;
}

static void wrong_arguments(void **state)
{
	struct hbs_graph_type type = placed;
	struct hbs_graph_attr attr = { .type = &type, .vertices = VERTICES, .threads = 2 };
	struct hbs_graph *graph;

#define REFUSED(change)                                                     \
	do {                                                                \
		type = placed;                                              \
		change;                                                     \
		assert_int_equal(hbs_graph_create(&attr, &graph), -EINVAL); \
	} while (0)
	(void)state;
	REFUSED(type.turn = NULL);
	REFUSED(type.gather = NULL);
	REFUSED(type.send = NULL);
	REFUSED(type.recv = unused_recv);
	REFUSED(type.combine = nothing);
	REFUSED(type.pins = 2);
	REFUSED(type.send_order = HBS_SEND_FIFO);
	REFUSED(type.send_order = HBS_SEND_FIFO; type.recv = unused_recv);
	REFUSED(type.send_order = HBS_SEND_ROUNDS + 1);
	type = placed;
	type.pins = 1;
	graph = make_graph(&attr);
	assert_int_equal(hbs_graph_close(graph), 0);
	attr.type = &lost;
	graph = make_graph(&attr);
	assert_int_equal(hbs_graph_run(graph, hbs, NULL, NULL), -ERANGE);
	assert_int_equal(hbs_graph_close(graph), 0);
}

static void memory(void **state)
{
	struct hbs_graph *graph = make_wheel(3, 0, 0);
	struct hbs_graph_info info;

	(void)state;
	assert_int_equal(hbs_graph_info(graph, &info), 0);
	assert_int_equal(info.threads, 3);
	assert_int_equal(info.edges, EDGES);
	/* where it begins, and its datum */
	assert_int_equal(info.edge_bytes, EDGES * 6);
	/* its state and message, what it wants, where its edges are, and whether it has sent */
	assert_int_equal(info.vertex_bytes,
			 VERTICES * (sizeof(struct note) + sizeof(struct letter) + 2 + 4 + 1) + 4);
	hbs_graph_close(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_handler),	    cmocka_unit_test(some_to_one),
		cmocka_unit_test(slow_vertex),	    cmocka_unit_test(failing_handlers),
		cmocka_unit_test(rounds_of_a_step), cmocka_unit_test(steps_of_the_woken),
		cmocka_unit_test(wide_messages),    cmocka_unit_test(many_edges),
		cmocka_unit_test(blocks),	    cmocka_unit_test(a_hub),
		cmocka_unit_test(halves),	    cmocka_unit_test(wrong_arguments),
		cmocka_unit_test(memory),
	};
	int ret;

	make_edges();
	hbs = open_hbs();
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	return hbs_close(hbs) || ret;
}
