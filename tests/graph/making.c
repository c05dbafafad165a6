// SPDX-License-Identifier: GPL-2.0-or-later
/* Graphs as they are made: the order of edges, where blocks begin, what is refused, and too little memory */
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "graph_test.h"
#include "shared/random.h"

/* Enough for several threads to sort them, with some edges between any two vertices */
#define VERTICES 300
#define EDGES	 (SANITIZED ? 150000 : 400000)
#define PINS	 3

static struct hbs *hbs;

/* What a vertex has got, from each other one */
struct got {
	uint64_t last[VERTICES];
	uint64_t sum; /* of numbers times their senders */
	uint32_t count;
};

/* Each vertex sends its number once along each pin */
static int got_init(struct hbs_vertex *vertex, struct got *got)
{
	*got = (struct got){ 0 };
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

static int send_number(struct hbs_vertex *vertex, uint32_t *sent, uint32_t pins, uint32_t *message)
{
	*message = hbs_vertex_number(vertex);
	hbs_vertex_ready(vertex, ++*sent < pins ? HBS_PIN(*sent) : HBS_PIN_NONE);
	return 0;
}

/* Edges of one vertex and pin have greater numbers the later they come; those of later pins as well */
static int get(struct got *got, uint32_t from, uint64_t number, bool is_ordered)
{
	if (is_ordered && number <= got->last[from])
		return -EPROTO;
	got->last[from] = number;
	got->sum += number * (from + 1);
	got->count++;
	return 0;
}

/* Types whose edges have data of all sizes */
#define TYPE(name, E, pins_, is_ordered, ...)                                         \
	struct name##_state {                                                         \
		uint32_t sent;                                                        \
		struct got got;                                                       \
	};                                                                            \
	static int name##_init(struct hbs_vertex *vertex, struct name##_state *state) \
	{                                                                             \
		state->sent = 0;                                                      \
		return got_init(vertex, &state->got);                                 \
	}                                                                             \
	static int name##_send(struct hbs_vertex *vertex, struct name##_state *state, \
			       uint32_t *message)                                     \
	{                                                                             \
		return send_number(vertex, &state->sent, pins_, message);             \
	}                                                                             \
	static int name##_recv(struct hbs_vertex *vertex, struct name##_state *state, \
			       const uint32_t *message, const E *datum)               \
	{                                                                             \
		(void)vertex;                                                         \
		return get(&state->got, *message, name##_number(datum), is_ordered);  \
	}                                                                             \
	static void name##_put(void *data, uint64_t edge, uint64_t number)            \
	{                                                                             \
		((E *)data)[edge] = name##_datum(number);                             \
	}                                                                             \
	static const struct got *name##_got(struct hbs_graph *graph, uint32_t vertex) \
	{                                                                             \
		return &((struct name##_state *)hbs_graph_state(graph, vertex))->got; \
	}                                                                             \
	HBS_GRAPH_TYPE_ASYNC(name, struct name##_state, E, uint32_t, .pins = pins_)

static uint64_t byte_number(const uint8_t *datum)
{
	return *datum;
}

static uint8_t byte_datum(uint64_t number)
{
	return (uint8_t)number;
}
TYPE(byte, uint8_t, 1, false);

static uint64_t word_number(const uint32_t *datum)
{
	return *datum;
}

static uint32_t word_datum(uint64_t number)
{
	return (uint32_t)number;
}
TYPE(word, uint32_t, 1, true);

#define pinned_number word_number
#define pinned_datum  word_datum
TYPE(pinned, uint32_t, PINS, true);

#define loose_number word_number
#define loose_datum  word_datum
TYPE(loose, uint32_t, PINS, false);

static uint64_t wide_number(const uint64_t *datum)
{
	return *datum >> 20;
}

static uint64_t wide_datum(uint64_t number)
{
	return number << 20;
}
TYPE(wide, uint64_t, 1, true);

struct triple {
	uint16_t part[3];
};

static uint64_t triple_number(const struct triple *datum)
{
	return (uint64_t)datum->part[2] << 32 | (uint64_t)datum->part[1] << 16 | datum->part[0];
}

static struct triple triple_datum(uint64_t number)
{
	return (struct triple){ { (uint16_t)number, (uint16_t)(number >> 16),
				  (uint16_t)(number >> 32) } };
}
TYPE(triple, struct triple, PINS, true);

struct kind {
	const struct hbs_graph_type *type;
	void (*put)(void *data, uint64_t edge, uint64_t number);
	const struct got *(*got)(struct hbs_graph *graph, uint32_t vertex);
	uint64_t mask; /* of a number, as the datum has it */
};

static const struct kind kinds[] = {
	{ &byte, byte_put, byte_got, UINT8_MAX },	 { &word, word_put, word_got, UINT32_MAX },
	{ &pinned, pinned_put, pinned_got, UINT32_MAX }, { &wide, wide_put, wide_got, UINT64_MAX },
	{ &triple, triple_put, triple_got, UINT64_MAX },
};

static const struct kind kinds_of_one_datum[] = {
	{ &byte, byte_put, byte_got, UINT8_MAX },
	{ &loose, loose_put, loose_got, UINT32_MAX },
};

/* Edges whose numbers are the greater the later they come, of each vertex and pin */
struct made {
	uint32_t count_of_edges;
	uint32_t from[400000];
	uint32_t to[400000];
	uint16_t pin[400000];
	uint64_t data[400000];
	uint64_t sum[VERTICES];
	uint32_t count[VERTICES];
};

enum order { SORTED, REVERSED, IN_PAIRS, IN_NO_ORDER, FEW, FROM_ONE, TO_ONE, ORDERS };

static uint32_t beginning(enum order order, uint32_t edge, uint64_t *random)
{
	uint64_t nth = (uint64_t)edge * VERTICES / EDGES;

	switch (order) {
	case SORTED:
		return (uint32_t)nth;
	case REVERSED:
		return (uint32_t)(VERTICES - 1 - nth);
	case IN_PAIRS:
		return (uint32_t)((nth + edge % 2) % VERTICES);
	case FROM_ONE:
		return VERTICES / 2 + 1;
	default:
		return (uint32_t)(random_next(random) >> 40) % VERTICES;
	}
}

static void make_edges(struct made *made, const struct kind *kind, enum order order)
{
	uint64_t random = random_start(order);

	memset(made->sum, 0, sizeof(made->sum));
	memset(made->count, 0, sizeof(made->count));
	/* few: most vertices have none that end in some of the parts */
	made->count_of_edges = order == FEW ? 2 * VERTICES : EDGES;
	for (uint32_t e = 0; e < made->count_of_edges; e++) {
		uint32_t to = (uint32_t)(random_next(&random) >> 40) % VERTICES;
		uint16_t pin = (uint16_t)((random_next(&random) >> 40) % PINS);
		uint64_t number = (uint64_t)(kind->type->pins > 1 ? pin : 0) * EDGES + e + 1;

		made->from[e] = beginning(order, e, &random);
		made->to[e] = order == TO_ONE ? 7 : to;
		made->pin[e] = pin;
		kind->put(made->data, e, number);
		made->sum[made->to[e]] += (number & kind->mask) * (made->from[e] + 1);
		made->count[made->to[e]]++;
	}
}

static void check_got(const struct made *made, const struct kind *kind, struct hbs_graph *graph)
{
	assert_int_equal(hbs_graph_run(graph, hbs, NULL, NULL), 0);
	for (uint32_t v = 0; v < VERTICES; v++) {
		assert_int_equal(kind->got(graph, v)->count, made->count[v]);
		assert_true(kind->got(graph, v)->sum == made->sum[v]);
	}
	assert_int_equal(hbs_graph_close(graph), 0);
}

/* In whatever order edges come, each brings its datum, and those of a vertex and pin stay in their order */
static void orders_of_edges(void **state)
{
	static const uint32_t first[] = { 0, 1, 290, 291, VERTICES };
	struct made *made = malloc(sizeof(*made));

	(void)state;
	assert_non_null(made);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (enum order order = 0; order < ORDERS; order++) {
			struct hbs_graph_attr attr = { .type = kinds[k].type,
						       .from = made->from,
						       .to = made->to,
						       .data = made->data,
						       .vertices = VERTICES };

			make_edges(made, &kinds[k], order);
			attr.edges = made->count_of_edges;
			attr.pin = kinds[k].type->pins > 1 ? made->pin : NULL;
			for (attr.threads = 1; attr.threads <= (SANITIZED ? 3 : 5); attr.threads++)
				check_got(made, &kinds[k], make_graph(&attr));
			attr.threads = 4;
			attr.first = first;
			check_got(made, &kinds[k], make_graph(&attr));
			attr.threads = 2;
			attr.first = (const uint32_t[]){ 0, 291, VERTICES };
			check_got(made, &kinds[k], make_graph(&attr));
		}
	}
	free(made);
}

/* Without data of their own, also with pins where no edge says that it is of another one than the first */
static void the_same_datum(void **state)
{
	struct made *made = malloc(sizeof(*made));
	const uint64_t datum = 5; /* in whatever size: bytes of smaller numbers come first */

	(void)state;
	assert_non_null(made);
	for (uint32_t i = 0; i < 3 * ORDERS; i++) {
		const struct kind *kind = &kinds_of_one_datum[i % 3 > 0];
		struct hbs_graph_attr attr = { .type = kind->type,
					       .from = made->from,
					       .to = made->to,
					       .datum = &datum,
					       .vertices = VERTICES };

		make_edges(made, kind, i / 3);
		attr.edges = made->count_of_edges;
		attr.pin = i % 3 > 1 ? made->pin : NULL;
		memset(made->sum, 0, sizeof(made->sum));
		for (uint32_t e = 0; e < attr.edges; e++)
			made->sum[made->to[e]] += datum * (made->from[e] + 1);
		for (attr.threads = 1; attr.threads <= 4; attr.threads++)
			check_got(made, kind, make_graph(&attr));
	}
	free(made);
}

/* One wrong number, in whichever share of the edges, with each number of threads */
static void a_wrong_edge_is_refused(void **state)
{
	static const uint32_t first[] = { 0, 50, 100, VERTICES };
	const uint64_t places[] = { 0, 1, EDGES / 3, EDGES / 2, EDGES - 1 };
	struct made *made = malloc(sizeof(*made));
	struct hbs_graph_attr attr = { .type = &pinned, .vertices = VERTICES };
	struct hbs_graph *graph;

	(void)state;
	assert_non_null(made);
	make_edges(made, &kinds[2], IN_NO_ORDER);
	attr.from = made->from;
	attr.to = made->to;
	attr.pin = made->pin;
	attr.data = made->data;
#define REFUSED(array, wrong)                                               \
	do {                                                                \
		__typeof__((array)[0]) right = (array)[place];              \
                                                                            \
		(array)[place] = (wrong);                                   \
		assert_int_equal(hbs_graph_create(&attr, &graph), -ERANGE); \
		(array)[place] = right;                                     \
	} while (0)
	for (uint32_t way = 0; way < 2 * 4; way++) {
		attr.threads = way % 4 + 1;
		attr.first = way < 4 || attr.threads != 3 ? NULL : first;
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			uint64_t place = places[i];

			attr.edges = way < 4 ? EDGES : place + 1;
			REFUSED(made->from, VERTICES);
			REFUSED(made->from, UINT32_MAX);
			REFUSED(made->to, VERTICES);
			REFUSED(made->to, UINT32_MAX);
			REFUSED(made->pin, PINS);
			REFUSED(made->pin, UINT16_MAX);
		}
		assert_int_equal(hbs_graph_create(&attr, &graph), 0);
		assert_int_equal(hbs_graph_close(graph), 0);
	}
	free(made);
}

/* Vertices that note which thread they belong to */
static int noted_init(struct hbs_vertex *vertex, uint64_t *thread)
{
	static _Thread_local char mine;

	(void)vertex;
	*thread = (uintptr_t)&mine;
	return 0;
}

static int noted_send(struct hbs_vertex *vertex, uint64_t *thread, uint32_t *message)
{
	(void)vertex, (void)thread, (void)message;
	return -EPROTO;
}

static int noted_recv(struct hbs_vertex *vertex, uint64_t *thread, const uint32_t *message,
		      const uint32_t *datum)
{
	(void)vertex, (void)thread, (void)message, (void)datum;
	return -EPROTO;
}

HBS_GRAPH_TYPE_ASYNC(noted, uint64_t, uint32_t, uint32_t);

/* What the vertices of each thread cost: it differs by so much at most */
static void is_even(const struct hbs_graph_attr *attr, double most)
{
	struct hbs_graph *graph = make_graph(attr);
	double mean = (double)(attr->edges + (uint64_t)HBS_GRAPH_VERTEX_COST * attr->vertices) /
		      attr->threads;
	uint32_t *ending = calloc(attr->vertices, sizeof(*ending)), blocks = 0;
	double cost = 0;

	assert_non_null(ending);
	assert_int_equal(hbs_graph_run(graph, hbs, NULL, NULL), 0);
	for (uint64_t e = 0; e < attr->edges; e++)
		ending[attr->to[e]]++;
	for (uint32_t v = 0; v < attr->vertices; v++) {
		const uint64_t *thread = hbs_graph_state(graph, v);

		if (v && thread[0] != thread[-1]) {
			assert_true(cost >= mean - most && cost <= mean + most);
			blocks++;
			cost = 0;
		}
		cost += HBS_GRAPH_VERTEX_COST + ending[v];
	}
	assert_true(cost >= mean - most && cost <= mean + most);
	assert_int_equal(blocks + 1, attr->threads);
	free(ending);
	hbs_graph_close(graph);
}

/* Parts take as long as each other, also where only a sample of the edges is counted */
static void even_blocks(void **state)
{
	enum { MANY = 3 << 19 };
	uint32_t *to = calloc(MANY, sizeof(*to));
	struct hbs_graph_attr attr = { .type = &noted, .from = to, .to = to };
	uint64_t random = random_start(3);

	(void)state;
	assert_non_null(to);
	for (attr.threads = 2; attr.threads <= 4; attr.threads++) {
		/* a pattern that a sample at equal distances would not see */
		attr.vertices = 64;
		attr.edges = MANY;
		for (uint32_t e = 0; e < MANY; e++)
			to[e] = e % 64;
		is_even(&attr, 2 * (MANY / 64. + HBS_GRAPH_VERTEX_COST));
		/* most end at the last vertices, many of which lie next to each other */
		attr.vertices = 100000;
		for (uint32_t e = 0; e < MANY; e++)
			to[e] = 99999 -
				(uint32_t)(random_next(&random) >> 40) % (e % 4 ? 9000 : 99999);
		is_even(&attr, 0.03 * MANY);
		/* few enough to count all */
		attr.vertices = 500;
		attr.edges = 20000;
		for (uint32_t e = 0; e < 20000; e++)
			to[e] = (uint32_t)(random_next(&random) >> 40) % (e % 4 ? 500 : 50);
		is_even(&attr, 400);
	}
	free(to);
}

/* Threads start elsewhere than their maker, and may use the same CPUs as it does from then on */
static int placed_init(struct hbs_vertex *vertex, uint64_t *state)
{
	const cpu_set_t *wanted = hbs_vertex_arg(vertex);
	cpu_set_t cpus;

	(void)state;
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return -errno;
	return CPU_EQUAL(&cpus, wanted) ? 0 : -EPROTO;
}

/* nobody sends there either */
#define placed_send noted_send
#define placed_recv noted_recv

HBS_GRAPH_TYPE_ASYNC(placed, uint64_t, uint32_t, uint32_t);

static void cpus_of_threads(void **state)
{
	/* so large that it is worth it */
	uint32_t *ends = calloc(EDGES, sizeof(*ends));
	struct hbs_graph_attr attr = { .type = &placed,
				       .from = ends,
				       .to = ends,
				       .edges = EDGES,
				       .vertices = 100,
				       .threads = 4 };
	struct hbs_graph *graph;
	cpu_set_t all, one;

	(void)state;
	assert_non_null(ends);
	graph = make_graph(&attr);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	assert_int_equal(hbs_graph_run(graph, hbs, &all, NULL), 0);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(hbs_graph_run(graph, hbs, &one, NULL), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	hbs_graph_close(graph);
	free(ends);
}

/* After so many calls for memory, one fails; below 0 none does */
static _Atomic int calls_left = -1;

static bool fails(void)
{
	int left = atomic_load(&calls_left);

	while (left >= 0 && !atomic_compare_exchange_weak(&calls_left, &left, left - 1))
		;
	return !left;
}

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_mmap(void *at, size_t size, int access, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int access, int flags, int fd, off_t offset);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_mmap(void *at, size_t size, int access, int flags, int fd, off_t offset)
{
	return fails() ? MAP_FAILED : __real_mmap(at, size, access, flags, fd, offset);
}

/* Whichever call for memory fails: there is no graph, or a good one where a thread less has made it */
static void too_little_memory(void **state)
{
	struct made *made = malloc(sizeof(*made));
	struct hbs_graph_attr attr = { .type = &pinned, .vertices = VERTICES };

	(void)state;
	assert_non_null(made);
	make_edges(made, &kinds[2], IN_NO_ORDER);
	attr.from = made->from;
	attr.to = made->to;
	attr.pin = made->pin;
	attr.data = made->data;
	attr.edges = EDGES;
	for (attr.threads = 1; attr.threads <= 3; attr.threads++) {
		int refused = 0, left = -1;

		for (int calls = 0; left < 0; calls++) {
			struct hbs_graph *graph = NULL;
			int ret;

			atomic_store(&calls_left, calls);
			ret = hbs_graph_create(&attr, &graph);
			left = atomic_exchange(&calls_left, -1);
			assert_true(!ret || (ret == -ENOMEM && left < 0));
			refused += !!ret;
			if (!ret)
				check_got(made, &kinds[2], graph);
		}
		assert_true(refused >= 10);
	}
	free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_of_edges),	   cmocka_unit_test(the_same_datum),
		cmocka_unit_test(a_wrong_edge_is_refused), cmocka_unit_test(even_blocks),
		cmocka_unit_test(cpus_of_threads),	   cmocka_unit_test(too_little_memory),
	};
	int ret;

	hbs = open_hbs();
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	return hbs_close(hbs) || ret;
}
