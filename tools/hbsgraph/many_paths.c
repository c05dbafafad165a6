// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "many_paths.h"

/* Where a vertex looks for what it has to tell: no word of the set before it has any */
struct many_state {
	uint32_t at;
};

/*
 * In mode async: of those changes that come first. An order is a distance without its lowest bits, and
 * MANY_NOBODY if there is no change.
 */
struct ordered_state {
	uint32_t at;	/* no word before it has any */
	uint32_t order; /* theirs */
	uint32_t next;	/* of those after them, as far as they have been seen */
};

struct sets_message {
	uint32_t first; /* word */
	uint32_t set[MANY_SETS];
};

struct changes_message {
	uint32_t source[MANY_CHANGES]; /* MANY_NOBODY after the last one */
	uint32_t distance[MANY_CHANGES];
};

static struct many_paths *many_of(const struct hbs_vertex *vertex)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	return choice->aside;
}

static inline uint32_t *set_of(const struct many_paths *many, uint32_t vertex, enum many_set set)
{
	return many->sets + ((size_t)vertex * MANY_SET_COUNT + set) * many->words;
}

/* Go on to what is to be told. Return: whether there is any. */
static inline bool has_news(const struct many_paths *many, struct many_state *state,
			    const uint32_t *untold)
{
	while (state->at < many->words && !untold[state->at])
		state->at++;
	return state->at < many->words;
}

static int start(struct hbs_vertex *vertex, struct many_state *state)
{
	const struct choice *choice = hbs_vertex_arg(vertex);
	const struct many_paths *many = choice->aside;
	uint32_t number = hbs_vertex_number(vertex), name = edges_name(choice->edges, number);
	const uint32_t *source = many->source + (size_t)(name / many->vertices) * many->sources;
	uint32_t *distance = many_paths_distances(many, number);
	uint32_t *reached = set_of(many, number, MANY_REACHED);
	uint32_t *untold = set_of(many, number, MANY_UNTOLD);

	memset(distance, 0xff, many->sources * sizeof(*distance));
	memset(reached, 0, (size_t)many->words * MANY_SET_COUNT * sizeof(*reached));
	for (uint32_t s = 0; s < many->sources; s++) {
		if (source[s] != name % many->vertices)
			continue;
		distance[s] = 0;
		reached[s / 32] |= 1U << s % 32;
		untold[s / 32] |= 1U << s % 32;
	}
	state->at = 0;
	if (has_news(many, state, untold))
		hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

/* The next step: tell what was learned in the last one */
static int next_step(struct hbs_vertex *vertex, struct many_state *state)
{
	const struct many_paths *many = many_of(vertex);
	uint32_t *learned = set_of(many, hbs_vertex_number(vertex), MANY_LEARNED);

	memcpy(set_of(many, hbs_vertex_number(vertex), MANY_UNTOLD), learned,
	       many->words * sizeof(*learned));
	memset(learned, 0, many->words * sizeof(*learned));
	state->at = 0;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 1;
}

static int front_init(struct hbs_vertex *vertex, struct many_state *state)
{
	return start(vertex, state);
}

static int front_send(struct hbs_vertex *vertex, struct many_state *state,
		      struct sets_message *message)
{
	const struct many_paths *many = many_of(vertex);
	uint32_t *untold = set_of(many, hbs_vertex_number(vertex), MANY_UNTOLD);

	*message = (struct sets_message){ .first = state->at };
	for (int i = 0; i < MANY_SETS && state->at < many->words; i++, state->at++) {
		message->set[i] = untold[state->at];
		untold[state->at] = 0;
	}
	if (!has_news(many, state, untold))
		hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

/* Sources whose front has come to the vertex in this step */
static inline void learn_set(struct hbs_vertex *vertex, const struct many_paths *many,
			     uint32_t word, uint32_t new)
{
	uint32_t number = hbs_vertex_number(vertex);
	uint32_t *distance = many_paths_distances(many, number) + (size_t)word * 32;

	set_of(many, number, MANY_REACHED)[word] |= new;
	set_of(many, number, MANY_LEARNED)[word] |= new;
	for (; new; new &= new - 1)
		distance[__builtin_ctz(new)] = hbs_vertex_steps(vertex) + 1;
	hbs_vertex_wake(vertex);
}

static int front_recv(struct hbs_vertex *vertex, struct many_state *state,
		      const struct sets_message *message, const char *none)
{
	const struct many_paths *many = many_of(vertex);
	const uint32_t *reached = set_of(many, hbs_vertex_number(vertex), MANY_REACHED);
	uint32_t words = many->words - message->first;

	(void)state;
	(void)none;
	for (uint32_t i = 0; i < MANY_SETS && i < words; i++) {
		uint32_t new = message->set[i] & ~reached[message->first + i];

		if (new)
			learn_set(vertex, many, message->first + i, new);
	}
	return 0;
}

static int front_step(struct hbs_vertex *vertex, struct many_state *state)
{
	return next_step(vertex, state);
}

static int front_finish(struct hbs_vertex *vertex, struct many_state *state,
			struct sets_message *message)
{
	(void)vertex;
	(void)state;
	(void)message;
	return 0;
}

HBS_GRAPH_TYPE(front, struct many_state, char, struct sets_message, .step_when = HBS_STEP_WOKEN);

static void end_changes(struct changes_message *message, uint32_t count)
{
	for (; count < MANY_CHANGES; count++) {
		message->source[count] = MANY_NOBODY;
		message->distance[count] = 0;
	}
}

static int sync_init(struct hbs_vertex *vertex, struct many_state *state)
{
	return start(vertex, state);
}

/* Tell what has changed, of as many sources as there is room for */
static int sync_send(struct hbs_vertex *vertex, struct many_state *state,
		     struct changes_message *message)
{
	const struct many_paths *many = many_of(vertex);
	uint32_t *untold = set_of(many, hbs_vertex_number(vertex), MANY_UNTOLD);
	const uint32_t *distance = many_paths_distances(many, hbs_vertex_number(vertex));
	uint32_t count = 0;

	for (; count < MANY_CHANGES && has_news(many, state, untold); count++) {
		uint32_t source = state->at * 32 + (uint32_t)__builtin_ctz(untold[state->at]);

		untold[state->at] &= untold[state->at] - 1;
		message->source[count] = source;
		message->distance[count] = distance[source];
	}
	end_changes(message, count);
	if (!has_news(many, state, untold))
		hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int sync_recv(struct hbs_vertex *vertex, struct many_state *state,
		     const struct changes_message *message, const uint32_t *weight)
{
	const struct many_paths *many = many_of(vertex);
	uint32_t *distance = many_paths_distances(many, hbs_vertex_number(vertex));
	uint32_t *learned = set_of(many, hbs_vertex_number(vertex), MANY_LEARNED);

	(void)state;
	for (int i = 0; i < MANY_CHANGES && message->source[i] != MANY_NOBODY; i++) {
		uint32_t source = message->source[i];
		uint32_t sum = sssp_sum(message->distance[i], *weight);

		if (sum >= distance[source])
			continue;
		distance[source] = sum;
		learned[source / 32] |= 1U << source % 32;
		hbs_vertex_wake(vertex);
	}
	return 0;
}

static int sync_step(struct hbs_vertex *vertex, struct many_state *state)
{
	return next_step(vertex, state);
}

static int sync_finish(struct hbs_vertex *vertex, struct many_state *state,
		       struct changes_message *message)
{
	(void)vertex;
	(void)state;
	(void)message;
	return 0;
}

HBS_GRAPH_TYPE(sync, struct many_state, uint32_t, struct changes_message,
	       .step_when = HBS_STEP_WOKEN);

static int async_init(struct hbs_vertex *vertex, struct ordered_state *state)
{
	struct many_state from = { 0 };
	int ret = start(vertex, &from);

	*state = (struct ordered_state){ .order = MANY_NOBODY, .next = MANY_NOBODY };
	/* a source is at distance 0 */
	if (from.at < many_of(vertex)->words)
		state->order = 0;
	return ret;
}

/* Tell those changes whose turn it is; the others wait for theirs */
static int async_send(struct hbs_vertex *vertex, struct ordered_state *state,
		      struct changes_message *message)
{
	const struct choice *choice = hbs_vertex_arg(vertex);
	const struct many_paths *many = choice->aside;
	uint32_t *untold = set_of(many, hbs_vertex_number(vertex), MANY_UNTOLD);
	const uint32_t *distance = many_paths_distances(many, hbs_vertex_number(vertex));
	uint32_t count = 0;

	for (; state->at < many->words; state->at++) {
		uint32_t *word = &untold[state->at];

		for (uint32_t left = *word; left; left &= left - 1) {
			uint32_t source = state->at * 32 + (uint32_t)__builtin_ctz(left);
			uint32_t order = distance[source] >> choice->shift;

			if (order > state->order) {
				state->next = order < state->next ? order : state->next;
				continue;
			}
			if (count == MANY_CHANGES)
				return 0; /* the vertex wants to send again, from here on */
			*word &= ~(left & -left);
			message->source[count] = source;
			message->distance[count++] = distance[source];
		}
	}
	end_changes(message, count);
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	if (state->next != MANY_NOBODY)
		hbs_vertex_ready_at(vertex, HBS_PIN(0), state->next);
	*state = (struct ordered_state){ .order = state->next, .next = MANY_NOBODY };
	return 0;
}

/* A change is to be told, in that order */
static inline void put_in_order(struct hbs_vertex *vertex, struct ordered_state *state,
				uint32_t word, uint32_t order)
{
	if (order < state->order) {
		*state = (struct ordered_state){ .order = order, .next = MANY_NOBODY };
		hbs_vertex_ready_at(vertex, HBS_PIN(0), order);
	} else if (order > state->order) {
		state->next = order < state->next ? order : state->next;
	} else if (word < state->at) {
		state->at = word;
	}
}

static int async_recv(struct hbs_vertex *vertex, struct ordered_state *state,
		      const struct changes_message *message, const uint32_t *weight)
{
	const struct choice *choice = hbs_vertex_arg(vertex);
	const struct many_paths *many = choice->aside;
	uint32_t *distance = many_paths_distances(many, hbs_vertex_number(vertex));
	uint32_t *untold = set_of(many, hbs_vertex_number(vertex), MANY_UNTOLD);

	for (int i = 0; i < MANY_CHANGES && message->source[i] != MANY_NOBODY; i++) {
		uint32_t source = message->source[i];
		uint32_t sum = sssp_sum(message->distance[i], *weight);

		if (sum >= distance[source])
			continue;
		distance[source] = sum;
		untold[source / 32] |= 1U << source % 32;
		put_in_order(vertex, state, source / 32, sum >> choice->shift);
	}
	return 0;
}

HBS_GRAPH_TYPE_ASYNC(async, struct ordered_state, uint32_t, struct changes_message,
		     .step_when = HBS_STEP_WOKEN, .send_order = HBS_SEND_ORDERED);

static uint32_t words_of(uint32_t sources)
{
	return sources / 32 + !!(sources % 32);
}

double many_paths_size(uint32_t vertices, uint32_t copies, uint32_t sources, bool keeps)
{
	double row = (double)sources + MANY_SET_COUNT * (double)words_of(sources);
	double all = (double)vertices * copies * row + (double)sources * copies;

	return sizeof(uint32_t) * (all + (keeps ? (double)vertices * vertices : 0));
}

struct many_paths *many_paths_make(uint32_t vertices, uint32_t copies, uint32_t sources, bool keeps)
{
	size_t all = (size_t)vertices * copies, names = (size_t)sources * copies;
	uint32_t words = words_of(sources);
	double size = many_paths_size(vertices, copies, sources, keeps);
	struct many_paths *many = NULL;

	if (size < (double)(SIZE_MAX / 2))
		many = malloc(sizeof(*many) + (size_t)size);
	if (!many)
		return NULL;
	*many = (struct many_paths){ .vertices = vertices,
				     .copies = copies,
				     .sources = sources,
				     .words = words,
				     .source = (uint32_t *)(many + 1) };
	many->distance = many->source + names;
	many->sets = many->distance + all * sources;
	if (keeps)
		many->kept = many->sets + all * words * MANY_SET_COUNT;
	memset(many->source, 0xff, names * sizeof(*many->source));
	return many;
}

static void add_distance(uint32_t distance, struct many_result *result)
{
	result->pairs++;
	result->reached += distance != SSSP_NONE;
	result->too_far += distance == SSSP_FAR;
	if (distance >= SSSP_FAR)
		return;
	if (__builtin_add_overflow(result->sum, distance, &result->sum))
		result->sum = UINT64_MAX;
	if (distance > result->farthest)
		result->farthest = distance;
}

void many_paths_add(const struct many_paths *many, const struct edges *edges,
		    struct many_result *result)
{
	for (uint32_t v = 0; v < many->copies * many->vertices; v++) {
		const uint32_t *distance = many_paths_distances(many, edges_place(edges, v));
		const uint32_t *source =
			many->source + (size_t)(v / many->vertices) * many->sources;

		for (uint32_t s = 0; s < many->sources; s++)
			if (source[s] != MANY_NOBODY)
				add_distance(distance[s], result);
	}
}

void many_paths_print(const struct many_result *result, FILE *to)
{
	uint64_t near = result->reached - result->too_far;

	fprintf(to, "reached          %" PRIu64 " of %" PRIu64 " pairs\n", result->reached,
		result->pairs);
	if (result->too_far)
		fprintf(to, "too far          %" PRIu64 " of them are %" PRIu32 " or more apart\n",
			result->too_far, SSSP_FAR);
	if (near)
		fprintf(to,
			"distance         at most %" PRIu32 ", on average %.6g, %s%" PRIu64
			" all together\n",
			result->farthest, (double)result->sum / (double)near,
			result->sum == UINT64_MAX ? "at least " : "", result->sum);
}

void many_paths_write(uint32_t distance, FILE *to)
{
	if (distance == SSSP_NONE)
		fputs(" unreachable", to);
	else if (distance == SSSP_FAR)
		fputs(" far", to);
	else
		fprintf(to, " %" PRIu32, distance);
}

const struct app app_mssp = {
	.name = "mssp",
	.what = "shortest paths from several vertices at once",
	.type = { [MODE_SYNC] = &sync, [MODE_ASYNC] = &async },
	.unweighted = { [MODE_SYNC] = &front },
	.uses_weights = true,
	.uses_sources = true,
	.shape = mssp_shape,
	.prepare = mssp_prepare,
	.print = mssp_print,
	.write = mssp_write,
};

const struct app app_apsp = {
	.name = "apsp",
	.what = "shortest paths between all pairs of vertices",
	.type = { [MODE_SYNC] = &sync, [MODE_ASYNC] = &async },
	.unweighted = { [MODE_SYNC] = &front },
	.uses_weights = true,
	.uses_scale = true,
	.shape = apsp_shape,
	.prepare = apsp_prepare,
	.run = apsp_run,
	.print = apsp_print,
	.write = apsp_write,
};
