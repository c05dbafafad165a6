// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "hbs_graph.h"
#include "shared/random.h"

#define PI	    3.14159265358979323846
#define NUMBERS_MAX 3

/* What is being made */
struct making {
	const struct weights *weights;
	uint64_t seed;
	uint64_t random;
	double number[NUMBERS_MAX];
	struct edges *edges;
};

struct generator {
	const char *name;
	const char *form; /* of the numbers after it: W is a whole one, P one of any kind */
	const char *numbers;
	const char *what;
	void (*make)(struct making *making);
};

/* The same both ways, and in whatever order edges are made */
static uint32_t weight_of(const struct making *making, uint32_t a, uint32_t b)
{
	uint64_t range = (uint64_t)making->weights->high - making->weights->low + 1;
	uint64_t low = a < b ? a : b, high = a < b ? b : a;
	uint64_t state = random_start(making->seed ^ (low << 32 | high));

	/* the first numbers of neighbouring states are alike */
	random_next(&state);
	return making->weights->low + (uint32_t)(random_next(&state) % range);
}

static void connect(struct making *making, uint32_t a, uint32_t b)
{
	edges_add_both(making->edges, a, b, weight_of(making, a, b));
}

static void set_vertices(struct making *making, double vertices)
{
	making->edges->too_many = vertices > HBS_GRAPH_VERTICES_MAX;
	making->edges->failed = making->edges->too_many;
	if (!making->edges->failed)
		making->edges->vertices = (uint32_t)vertices;
}

static uint32_t any_vertex(struct making *making)
{
	return (uint32_t)(random_next(&making->random) % making->edges->vertices);
}

/* Neighbours differ by at most 1 in each direction, and in at most @ways directions */
static void grid(struct making *making, int ways)
{
	int64_t side[3];

	for (int i = 0; i < 3; i++)
		side[i] = (int64_t)making->number[i];
	set_vertices(making, making->number[0] * making->number[1] * making->number[2]);
	if (making->edges->failed)
		return;
	for (uint32_t v = 0; v < making->edges->vertices; v++) {
		int64_t x = v % side[0], y = v / side[0] % side[1], z = v / side[0] / side[1];

		/* only to those after it: the others have it as their neighbour */
		for (int i = 14; i < 27; i++) {
			int64_t dx = i % 3 - 1, dy = i / 3 % 3 - 1, dz = i / 9 - 1;
			int64_t to = v + dx + side[0] * (dy + side[1] * dz);

			if (llabs(dx) + llabs(dy) + llabs(dz) <= ways && x + dx >= 0 &&
			    x + dx < side[0] && y + dy >= 0 && y + dy < side[1] && z + dz < side[2])
				connect(making, v, (uint32_t)to);
		}
	}
}

static void make_grid4(struct making *making)
{
	making->number[2] = 1;
	grid(making, 1);
}

static void make_grid8(struct making *making)
{
	making->number[2] = 1;
	grid(making, 2);
}

static void make_grid6(struct making *making)
{
	grid(making, 1);
}

static void make_grid26(struct making *making)
{
	grid(making, 3);
}

/* A share of the edges of a grid ends anywhere instead */
static void make_mixed_grid(struct making *making)
{
	struct edges plain = { .weighted = making->edges->weighted };
	struct making of_plain = *making;
	double share = making->number[2];

	of_plain.edges = &plain;
	make_grid4(&of_plain);
	making->edges->vertices = plain.vertices;
	making->edges->failed |= plain.failed;
	making->edges->too_many |= plain.too_many;
	for (uint64_t e = 0; e < plain.count; e += 2) {
		uint32_t to = plain.to[e];

		if (random_part(&making->random) < share)
			to = any_vertex(making);
		connect(making, plain.from[e], to);
	}
	edges_free(&plain);
}

/* So many edges for each vertex, between any two: the degrees are normal, nearly */
static void make_normal(struct making *making)
{
	set_vertices(making, making->number[0]);
	for (uint64_t left = (uint64_t)(making->number[0] * making->number[1]);
	     left && making->edges->vertices > 1 && !making->edges->failed; left--) {
		uint32_t a = any_vertex(making), b = any_vertex(making);

		while (b == a)
			b = any_vertex(making);
		connect(making, a, b);
	}
}

/* The numbers of edges that begin at the vertices are exponential */
static void make_exponential(struct making *making)
{
	set_vertices(making, making->number[0]);
	for (uint32_t v = 0; v < making->edges->vertices && making->edges->vertices > 1; v++) {
		double degree = -log(1 - random_part(&making->random)) * making->number[1];

		for (uint64_t left = (uint64_t)(degree + random_part(&making->random)); left;
		     left--) {
			uint32_t to = any_vertex(making);

			while (to == v)
				to = any_vertex(making);
			connect(making, v, to);
		}
	}
}

/* Each vertex gets edges to ends of earlier edges: who has many gets more */
static void make_scale_free(struct making *making)
{
	struct edges *edges = making->edges;
	uint32_t degree = (uint32_t)making->number[1];

	set_vertices(making, making->number[0]);
	for (uint32_t v = 1; v < edges->vertices && !edges->failed; v++) {
		uint64_t before = edges->count;

		for (uint32_t i = 0; i < degree; i++) {
			uint32_t to = (uint32_t)(random_next(&making->random) % v);

			if (before)
				to = edges->from[random_next(&making->random) % before];
			connect(making, v, to);
			if (edges->failed)
				break;
		}
	}
}

static void make_tree(struct making *making)
{
	set_vertices(making, making->number[0]);
	for (uint32_t v = 1; v < making->edges->vertices; v++)
		connect(making, (v - 1) / 2, v);
}

static void make_ring(struct making *making)
{
	uint32_t vertices;

	set_vertices(making, making->number[0]);
	vertices = making->edges->vertices;
	for (uint32_t v = 1; v < vertices; v++)
		connect(making, v - 1, v);
	if (vertices > 2)
		connect(making, vertices - 1, 0);
}

/* Points in a square, sorted into cells whose side is the distance at which they are neighbours */
struct points {
	uint32_t cells; /* on each side */
	double reach;
	double *x;
	double *y;
	uint32_t *start; /* by cell, and one more */
};

static uint32_t cell_of(const struct points *points, double x, double y)
{
	return (uint32_t)(y * points->cells) * points->cells + (uint32_t)(x * points->cells);
}

static bool place_points(struct making *making, struct points *points)
{
	uint32_t count = making->edges->vertices;
	size_t cells = (size_t)points->cells * points->cells;
	uint64_t again = making->random;

	points->x = calloc(count, sizeof(*points->x));
	points->y = calloc(count, sizeof(*points->y));
	points->start = calloc(cells + 1, sizeof(*points->start));
	if (!points->x || !points->y || !points->start)
		return false;
	for (uint32_t v = 0; v < count; v++) {
		double x = random_part(&again), y = random_part(&again);

		points->start[cell_of(points, x, y)]++;
	}
	for (size_t c = 1; c <= cells; c++)
		points->start[c] += points->start[c - 1];
	for (uint32_t v = 0; v < count; v++) {
		double x = random_part(&making->random), y = random_part(&making->random);
		uint32_t at = --points->start[cell_of(points, x, y)];

		points->x[at] = x;
		points->y[at] = y;
	}
	return true;
}

static void connect_cells(struct making *making, const struct points *points, uint32_t a,
			  uint32_t b)
{
	for (uint32_t i = points->start[a]; i < points->start[a + 1]; i++) {
		for (uint32_t j = a == b ? i + 1 : points->start[b]; j < points->start[b + 1];
		     j++) {
			double dx = points->x[i] - points->x[j], dy = points->y[i] - points->y[j];

			if (dx * dx + dy * dy <= points->reach * points->reach)
				connect(making, i, j);
		}
	}
}

static void connect_points(struct making *making, const struct points *points)
{
	uint32_t side = points->cells;

	for (uint32_t y = 0; y < side; y++) {
		for (uint32_t x = 0; x < side; x++) {
			uint32_t cell = y * side + x;

			connect_cells(making, points, cell, cell);
			if (x + 1 < side)
				connect_cells(making, points, cell, cell + 1);
			if (y + 1 == side)
				continue;
			connect_cells(making, points, cell, cell + side);
			if (x)
				connect_cells(making, points, cell, cell + side - 1);
			if (x + 1 < side)
				connect_cells(making, points, cell, cell + side + 1);
		}
	}
}

/* The vertices are numbered by where they are, in rows of cells */
static void make_geometric(struct making *making)
{
	struct points points = { 0 };

	set_vertices(making, making->number[0]);
	if (making->edges->failed || !making->edges->vertices)
		return;
	points.reach = sqrt(making->number[1] / (PI * making->number[0]));
	points.cells = points.reach > 0 && points.reach < 1 ? (uint32_t)(1 / points.reach) : 1;
	/* no more of them than points */
	if (points.cells > sqrt(making->number[0]))
		points.cells = (uint32_t)sqrt(making->number[0]);
	if (place_points(making, &points))
		connect_points(making, &points);
	else
		making->edges->failed = true;
	free(points.x);
	free(points.y);
	free(points.start);
}

static const struct generator generators[] = {
	{ "grid4", "WW", "WxH", "2-D grid, neighbours left, right, above, below", make_grid4 },
	{ "grid8", "WW", "WxH", "2-D grid, diagonal neighbours too", make_grid8 },
	{ "grid6", "WWW", "WxHxD", "3-D grid, neighbours in the six directions", make_grid6 },
	{ "grid26", "WWW", "WxHxD", "3-D grid, diagonal neighbours too", make_grid26 },
	{ "mixed", "WWP", "WxHxR", "grid4 with the part R of its edges (0 to 1) ending anywhere",
	  make_mixed_grid },
	{ "normal", "WP", "VxE", "V vertices, E edges each between any two: normal degrees",
	  make_normal },
	{ "exponential", "WP", "VxE", "E edges each on average, exponential degrees",
	  make_exponential },
	{ "scale-free", "WW", "VxE", "E edges each to where many edges are already",
	  make_scale_free },
	{ "geometric", "WP", "VxD",
	  "points in a square; the near ones, D on average, are neighbours", make_geometric },
	{ "tree", "W", "V", "binary tree", make_tree },
	{ "ring", "W", "V", "ring", make_ring },
};

#define GENERATORS (sizeof(generators) / sizeof(generators[0]))

static const struct generator *find(const char *text)
{
	const char *colon = strchr(text, ':');

	for (size_t i = 0; colon && i < GENERATORS; i++)
		if (strlen(generators[i].name) == (size_t)(colon - text) &&
		    !strncmp(generators[i].name, text, (size_t)(colon - text)))
			return &generators[i];
	return NULL;
}

bool generate_is_named(const char *text)
{
	return find(text);
}

/* One number, and what comes after it */
static bool take_number(const char **text, char form, double *number)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	/* strtod would take the "x" of "0x10" for a sign of base 16 */
	if (form == 'P' && !((*text)[0] == '0' && (*text)[1] == 'x'))
		*number = strtod(*text, &end);
	else
		*number = (double)strtoull(*text, &end, 10);
	*text = end;
	return isfinite(*number) && *number <= HBS_GRAPH_EDGES_MAX;
}

static bool take_numbers(const struct generator *generator, const char *text, double *number)
{
	for (const char *form = generator->form; *form; form++) {
		if (form != generator->form && *text++ != 'x')
			return false;
		if (!take_number(&text, *form, number++))
			return false;
	}
	return !*text;
}

bool generate(const char *text, const struct weights *weights, uint64_t seed, struct edges *edges)
{
	const struct generator *generator = find(text);
	struct making making = { .weights = weights, .seed = seed, .edges = edges };

	*edges = (struct edges){ .weighted = weights->low != 1 || weights->high != 1 };
	if (!generator || !take_numbers(generator, strchr(text, ':') + 1, making.number)) {
		fprintf(stderr, "hbsgraph: --graph: '%s' is not of the form %s:%s\n", text,
			generator ? generator->name : "NAME",
			generator ? generator->numbers : "NUMBERS");
		return false;
	}
	making.random = random_start(seed);
	generator->make(&making);
	return edges_good(edges, text);
}

void generate_list(FILE *to)
{
	for (size_t i = 0; i < GENERATORS; i++)
		fprintf(to, "  %s:%-*s %s\n", generators[i].name,
			17 - (int)strlen(generators[i].name), generators[i].numbers,
			generators[i].what);
}
