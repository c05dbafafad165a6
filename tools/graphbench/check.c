// SPDX-License-Identifier: GPL-2.0-or-later
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#define EXIT_ERROR 2
#define ALL_MOST   1e-4 /* the difference of all values, as a part of their sum */
#define EACH_MOST  1e-2 /* of one of them, as a part of it or of the mean */
#define AT_END	   1e-14

static void *need(uint64_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		errx(EXIT_ERROR, "no memory");
	return memory;
}

/* Relax all edges until nothing changes: slow, and like nothing that contenders do */
static uint32_t *make_distances(const struct problem *problem, bool is_weighted)
{
	uint32_t *distance = need(problem->vertices, sizeof(*distance));
	bool changes = true;

	for (uint32_t v = 0; v < problem->vertices; v++)
		distance[v] = v == problem->source ? 0 : UNREACHABLE;
	while (changes) {
		changes = false;
		for (uint64_t e = 0; e < problem->edges; e++) {
			uint32_t begin = distance[problem->from[e]];
			uint32_t sum = begin + (is_weighted ? problem->weight[e] : 1);

			if (begin == UNREACHABLE || sum >= distance[problem->to[e]])
				continue;
			distance[problem->to[e]] = sum;
			changes = true;
		}
	}
	return distance;
}

static uint32_t *make_degrees(const struct problem *problem)
{
	uint32_t *degrees = need(problem->vertices, sizeof(*degrees));

	for (uint64_t e = 0; e < problem->edges; e++)
		degrees[problem->from[e]]++;
	return degrees;
}

/* The next ranks. Return: how much they have changed, all together */
static double iterate(const struct problem *problem, const uint32_t *degrees, double *ranks,
		      double *next)
{
	double change = 0;

	for (uint32_t v = 0; v < problem->vertices; v++)
		next[v] = 0;
	for (uint64_t e = 0; e < problem->edges; e++)
		next[problem->to[e]] += ranks[problem->from[e]] / degrees[problem->from[e]];
	for (uint32_t v = 0; v < problem->vertices; v++) {
		double rank = (1 - DAMPING) / problem->vertices + DAMPING * next[v];

		change += fabs(rank - ranks[v]);
		ranks[v] = rank;
	}
	return change;
}

static void scale(const struct problem *problem, double *ranks, double by)
{
	for (uint32_t v = 0; v < problem->vertices; v++)
		ranks[v] *= by;
}

static double sum_of(const struct problem *problem, const double *values)
{
	double sum = 0;

	for (uint32_t v = 0; v < problem->vertices; v++)
		sum += values[v];
	return sum;
}

static double *make_ranks(const struct problem *problem, enum ranks_kind kind)
{
	uint32_t *degrees = make_degrees(problem);
	double *ranks = need(problem->vertices, sizeof(*ranks));
	double *next = need(problem->vertices, sizeof(*next));
	double first = 1.0 / problem->vertices;

	/* Boost's ranks are larger by the number of vertices, but those that it begins with */
	if (kind == RANKS_FROM_SQUARE)
		first /= problem->vertices;
	for (uint32_t v = 0; v < problem->vertices; v++)
		ranks[v] = first;
	for (uint32_t i = 0; kind == RANKS_AT_END || i < problem->iterations; i++)
		if (iterate(problem, degrees, ranks, next) < AT_END && kind == RANKS_AT_END)
			break;
	if (kind == RANKS_FROM_SQUARE)
		scale(problem, ranks, problem->vertices);
	else if (kind == RANKS_AT_END)
		scale(problem, ranks, 1 / sum_of(problem, ranks));
	free(degrees);
	free(next);
	return ranks;
}

static double *make_heat(const struct problem *problem)
{
	double *now = need(problem->vertices, sizeof(*now));
	double *next = need(problem->vertices, sizeof(*next));
	double *weights = need(problem->vertices, sizeof(*weights));

	now[problem->source] = 1;
	for (uint64_t e = 0; e < problem->edges; e++)
		weights[problem->to[e]] += problem->weight[e];
	for (uint32_t i = 0; i < problem->iterations; i++) {
		for (uint32_t v = 0; v < problem->vertices; v++)
			next[v] = 0;
		for (uint64_t e = 0; e < problem->edges; e++)
			next[problem->to[e]] += now[problem->from[e]] * problem->weight[e];
		for (uint32_t v = 0; v < problem->vertices; v++)
			if (weights[v] > 0 && v != problem->source)
				now[v] += HEAT_PART * (next[v] / weights[v] - now[v]);
	}
	free(next);
	free(weights);
	return now;
}

struct wanted wanted_make(const struct problem *problem)
{
	struct wanted wanted = { 0 };

	wanted.distance[TASK_PATHS] = make_distances(problem, true);
	wanted.distance[TASK_HOPS] = make_distances(problem, false);
	for (enum ranks_kind kind = 0; kind <= RANKS_AT_END; kind++)
		wanted.ranks[kind] = make_ranks(problem, kind);
	wanted.heat = make_heat(problem);
	return wanted;
}

void wanted_free(struct wanted *wanted)
{
	for (enum task task = 0; task < TASKS; task++)
		free(wanted->distance[task]);
	for (enum ranks_kind kind = 0; kind <= RANKS_AT_END; kind++)
		free(wanted->ranks[kind]);
	free(wanted->heat);
}

static bool same_distances(const struct problem *problem, const uint32_t *wanted,
			   const uint32_t *found, char *wrong, size_t size)
{
	for (uint32_t v = 0; v < problem->vertices; v++)
		if (found[v] != wanted[v]) {
			snprintf(wrong, size,
				 "wrong: vertex %" PRIu32 " is %" PRIu32 " away, not %" PRIu32, v,
				 wanted[v], found[v]);
			return false;
		}
	return true;
}

static bool near_values(const struct problem *problem, const double *wanted, const float *found,
			char *wrong, size_t size)
{
	double sum = sum_of(problem, wanted), mean = sum / problem->vertices, all = 0;

	for (uint32_t v = 0; v < problem->vertices; v++) {
		double difference = fabs((double)found[v] - wanted[v]);

		all += difference;
		/* a number that is none is not near either */
		if (difference <= EACH_MOST * fmax(wanted[v], mean))
			continue;
		snprintf(wrong, size, "wrong: vertex %" PRIu32 " has %g, not %g", v, wanted[v],
			 (double)found[v]);
		return false;
	}
	if (all <= ALL_MOST * sum)
		return true;
	snprintf(wrong, size, "wrong: all together differ by %g of their sum", all / sum);
	return false;
}

bool check(const struct wanted *wanted, const struct problem *problem, const struct peer *peer,
	   enum task task, const struct answer *answer, char *wrong, size_t size)
{
	if (task == TASK_RANKS)
		return near_values(problem, wanted->ranks[peer->ranks], answer->value, wrong, size);
	if (task == TASK_HEAT)
		return near_values(problem, wanted->heat, answer->value, wrong, size);
	return same_distances(problem, wanted->distance[task], answer->distance, wrong, size);
}
