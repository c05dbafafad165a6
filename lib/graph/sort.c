// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sorts edges by their keys, which are the vertex and the pin at their beginnings, and by which of two
 * parts they end in. Each thread counts a share of the edges, and then places these: so edges of one
 * key stay in their order. Threads add up what comes before a key for some of the keys each.
 */
#include <errno.h>
#include <string.h>

#include "graph.h"
#include "sort.h"

/* How many edges before its turn an edge's place is fetched */
#define AHEAD 12

/* Keys that differ by less are near: what is counted for them, and their edges, are in the cache */
#define NEAR 4096

/* Edges that are looked at to find out whether those that follow each other are near */
#define SAMPLES 256

/* What the loops over all edges read, in variables of their own: they write numbers */
struct input {
	const uint32_t *from;
	const uint32_t *to;
	const uint16_t *pin;
	const char *data;
	uint32_t pins;
	uint32_t second; /* where the second part begins; no vertex if there is one way */
	uint32_t shift;	 /* of keys, for the way */
	uint32_t base;	 /* what is taken off vertices of the second part */
	bool is_near;	 /* most edges are near those before them */
};

struct sorting {
	const struct hbs_graph *graph;
	struct sorted *sorted;
	struct input input;
	uint32_t shares;
	/* by key and way: where edges of this share end; those of the first are the result */
	uint32_t *ends[GRAPH_SHARES_MAX];
	uint64_t sums[GRAPH_SHARES_MAX]
		     [2]; /* by range of keys, and way: its edges; then those before it */
};

INLINE uint64_t place_of(struct input in, uint64_t edge, bool has_pins)
{
	uint64_t key = in.from[edge];

	if (has_pins)
		key = key * in.pins + (in.pin ? in.pin[edge] : 0);
	return key << in.shift | (in.to[edge] >= in.second);
}

INLINE int count(struct input in, uint64_t begin, uint64_t end, uint32_t vertices, uint32_t *counts,
		 bool has_pins)
{
	for (uint64_t e = begin; e < end; e++) {
		if (in.from[e] >= vertices || in.to[e] >= vertices ||
		    (has_pins && in.pin && in.pin[e] >= in.pins))
			return -ERANGE;
		counts[place_of(in, e, has_pins)]++;
	}
	return 0;
}

static int count_share(void *arg, uint32_t share)
{
	struct sorting *sorting = arg;
	const struct sorted *sorted = sorting->sorted;
	uint64_t edges = sorting->graph->edge_count;
	uint64_t begin = graph_share(edges, sorting->shares, share),
		 end = graph_share(edges, sorting->shares, share + 1);
	uint32_t vertices = sorting->graph->vertex_count;
	uint32_t *counts = hbsi_graph_zeros((sorted->keys + 1) * sorted->ways, sizeof(*counts));

	sorting->ends[share] = counts;
	if (!counts)
		return -ENOMEM;
	if (sorting->input.pin || sorting->input.pins > 1)
		return count(sorting->input, begin, end, vertices, counts, true);
	return count(sorting->input, begin, end, vertices, counts, false);
}

/* How many edges a range of keys has, by way */
static int sum_range(void *arg, uint32_t range)
{
	struct sorting *sorting = arg;
	uint64_t end = graph_share(sorting->sorted->keys, sorting->shares, range + 1);
	uint32_t ways = sorting->sorted->ways;
	uint64_t sums[2] = { 0 };

	for (uint32_t s = 0; s < sorting->shares; s++) {
		const uint32_t *counts = sorting->ends[s];

		for (uint64_t k = graph_share(sorting->sorted->keys, sorting->shares, range);
		     k < end; k++) {
			sums[0] += counts[k * ways];
			sums[1] += counts[k * ways + ways - 1];
		}
	}
	memcpy(sorting->sums[range], sums, sizeof(sums));
	return 0;
}

/* What all ranges have, to what comes before each of them */
static void add_sums(struct sorting *sorting)
{
	uint64_t sum = 0;

	for (uint32_t way = 0; way < sorting->sorted->ways; way++) {
		for (uint32_t range = 0; range < sorting->shares; range++) {
			uint64_t size = sorting->sums[range][way];

			sorting->sums[range][way] = sum;
			sum += size;
		}
	}
}

/*
 * Where edges of one key and way end in each share, which filling moves to where they begin. The mark is
 * for the last one, which is the first to be placed of the last share that has any. Return: the end.
 */
INLINE uint32_t end_place(struct sorting *sorting, uint32_t shares, uint64_t place, uint32_t begin,
			  uint32_t mark)
{
	uint32_t *last = NULL, sum = begin;

	for (uint32_t s = 0; s < shares; s++) {
		uint32_t *end = &sorting->ends[s][place];

		if (*end)
			last = end;
		sum += *end;
		*end = sum;
	}
	if (last)
		*last |= mark;
	return sum;
}

INLINE void end_keys(struct sorting *sorting, uint32_t shares, uint64_t begin, uint64_t end,
		     uint32_t *sums)
{
	const struct sorted sorted = *sorting->sorted;
	uint32_t mark = sorted.is_marked ? SORT_MARK : 0, first = sums[0], second = sums[1];

	for (uint64_t k = begin; k < end; k++) {
		first = end_place(sorting, shares, k * sorted.ways, first, mark);
		if (sorted.ways == 2)
			second = end_place(sorting, shares, k * 2 + 1, second, mark);
	}
	sums[0] = first;
	sums[1] = second;
}

static int end_range(void *arg, uint32_t range)
{
	struct sorting *sorting = arg;
	const struct sorted *sorted = sorting->sorted;
	uint64_t begin = graph_share(sorted->keys, sorting->shares, range);
	uint64_t end = graph_share(sorted->keys, sorting->shares, range + 1);
	uint32_t sums[2] = { (uint32_t)sorting->sums[range][0], (uint32_t)sorting->sums[range][1] };

	/* of two, the compiler makes a loop of its own */
	if (sorting->shares == 2)
		end_keys(sorting, 2, begin, end, sums);
	else
		end_keys(sorting, sorting->shares, begin, end, sums);
	if (range == sorting->shares - 1)
		memcpy(&sorting->ends[0][sorted->keys * sorted->ways], sums,
		       sorted->ways * sizeof(*sums));
	return 0;
}

/* Fetch where an edge will go, before its turn: edges may come in any order */
INLINE void look_ahead(struct input in, const uint32_t *ends, const char *edges, uint64_t edge,
		       uint64_t begin, uint32_t record, bool has_pins)
{
	if (edge >= begin + 2 * AHEAD)
		__builtin_prefetch(&ends[place_of(in, edge - 2 * AHEAD, has_pins)], 1);
	if (edge >= begin + AHEAD) {
		size_t at = ends[place_of(in, edge - AHEAD, has_pins)] & ~SORT_MARK;

		__builtin_prefetch(edges + (at - !!at) * record, 1);
	}
}

/*
 * From the last to the first, so that edges of one key stay in their order. A mark goes to the first
 * one that is placed.
 */
INLINE void fill(struct input in, uint64_t begin, uint64_t end, uint32_t *ends, char *edges,
		 uint32_t mark, uint32_t record, uint32_t datum_at, uint32_t size, bool has_pins)
{
	for (uint64_t e = end; e-- > begin;) {
		uint64_t place = place_of(in, e, has_pins);
		uint32_t at = ends[place] - 1, to = in.to[e];
		char *edge = edges + (size_t)(at & ~mark) * record;

		if (!in.is_near)
			look_ahead(in, ends, edges, e, begin, record, has_pins);
		ends[place] = at & ~mark;
		to = (to - (to >= in.second ? in.base : 0)) | (at & mark);
		memcpy(edge, &to, sizeof(to));
		if (size)
			memcpy(edge + datum_at, in.data + e * size, size);
	}
}

static int fill_share(void *arg, uint32_t share)
{
	const struct sorting *sorting = arg;
	const struct hbs_graph *graph = sorting->graph;
	const struct hbs_graph_type *type = &graph->type;
	uint64_t begin = graph_share(graph->edge_count, sorting->shares, share);
	uint64_t end = graph_share(graph->edge_count, sorting->shares, share + 1);
	uint32_t *ends = sorting->ends[share], mark = sorting->sorted->is_marked ? SORT_MARK : 0;
	char *edges = sorting->sorted->edges;
	struct input in = sorting->input;

	/* the usual ones, of which the compiler makes loops of their own */
	if (in.pin || in.pins > 1)
		fill(in, begin, end, ends, edges, mark, graph->record, type->datum_at,
		     graph->has_data ? type->edge : 0, true);
	else if (!graph->has_data)
		fill(in, begin, end, ends, edges, mark, 4, 0, 0, false);
	else if (type->edge == 4 && type->datum_at == 4 && type->record == 8)
		fill(in, begin, end, ends, edges, mark, 8, 4, 4, false);
	else
		fill(in, begin, end, ends, edges, mark, type->record, type->datum_at, type->edge,
		     false);
	return 0;
}

/* Then to fetch what they need before their turn takes longer than it helps */
static bool is_near(const struct hbs_graph_attr *attr, uint32_t pins)
{
	uint64_t step = attr->edges ? (attr->edges - 1) / SAMPLES : 0;
	uint32_t far = 0;

	for (uint64_t i = 0; i < SAMPLES && step > 1; i++) {
		/* both of pairs of edges, one of which may lead back */
		uint64_t edge = step * i + i % 2;
		uint32_t one = attr->from[edge], other = attr->from[edge + 1];

		far += (uint64_t)(one < other ? other - one : one - other) * pins >= NEAR;
	}
	return far <= SAMPLES / 8;
}

static int sort(struct sorting *sorting)
{
	uint32_t shares = sorting->shares;
	int ret = hbsi_graph_crew(shares, shares, count_share, sorting);

	if (!ret)
		ret = hbsi_graph_crew(shares, shares, sum_range, sorting);
	if (ret)
		return ret;
	add_sums(sorting);
	ret = hbsi_graph_crew(shares, shares, end_range, sorting);
	return ret ? ret : hbsi_graph_crew(shares, shares, fill_share, sorting);
}

int hbsi_graph_sort(const struct hbs_graph *graph, const struct hbs_graph_attr *attr,
		    struct sorted *sorted)
{
	struct sorting sorting = {
		.graph = graph,
		.sorted = sorted,
		.input = { .from = attr->from,
			   .to = attr->to,
			   .pin = attr->pin,
			   .data = attr->data,
			   .pins = graph->type.pins,
			   .second = sorted->ways == 2 ? graph->first[1] : UINT32_MAX,
			   .shift = sorted->ways - 1,
			   .base = sorted->is_marked && sorted->ways == 2 ? graph->first[1] : 0 },
		.shares = hbsi_graph_shares(graph),
	};
	int ret;

	sorting.input.is_near = is_near(attr, graph->type.pins);
	sorted->keys = (uint64_t)graph->vertex_count * graph->type.pins;
	sorted->edges = hbsi_graph_edges(graph->edge_count, graph->record);
	ret = sorted->edges ? sort(&sorting) : -ENOMEM;
	sorted->start = sorting.ends[0];
	for (uint32_t s = 1; s < sorting.shares; s++)
		hbsi_graph_free(sorting.ends[s]);
	return ret;
}

void hbsi_graph_sorted_free(struct sorted *sorted)
{
	hbsi_graph_free(sorted->start);
	hbsi_graph_free(sorted->edges);
	*sorted = (struct sorted){ 0 };
}
