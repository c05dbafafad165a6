/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A graph in steps: a plate that is hot on its left side and cold on the others, drawn as a picture (PGM,
 * which most programs show) after so many steps. plate 10 >10.pgm; plate 500 >500.pgm
 */
#include <hbs_graph.h>

#include "must.h"

#define WIDTH  24
#define HEIGHT 12
#define HOT    65535u

struct place {
	uint32_t heat;
	uint32_t sum; /* of the heat of its neighbours */
};

static int is_inside(uint32_t place)
{
	uint32_t x = place % WIDTH, y = place / WIDTH;

	return x && x < WIDTH - 1 && y && y < HEIGHT - 1;
}

static int plate_init(struct hbs_vertex *vertex, struct place *place)
{
	place->heat = hbs_vertex_number(vertex) % WIDTH ? 0 : HOT;
	place->sum = 0;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

static int plate_send(struct hbs_vertex *vertex, struct place *place, uint32_t *heat)
{
	*heat = place->heat;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int plate_recv(struct hbs_vertex *vertex, struct place *place, const uint32_t *heat,
		      const char *none)
{
	(void)vertex, (void)none;
	place->sum += *heat;
	return 0;
}

/* All have sent, and all messages have been received */
static int plate_step(struct hbs_vertex *vertex, struct place *place)
{
	const uint32_t *steps = (const uint32_t *)hbs_vertex_arg(vertex);

	if (is_inside(hbs_vertex_number(vertex)))
		place->heat = place->sum / 4;
	place->sum = 0;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return hbs_vertex_steps(vertex) < *steps; /* another step */
}

static int plate_finish(struct hbs_vertex *vertex, struct place *place, uint32_t *message)
{
	(void)vertex, (void)place, (void)message;
	return 0;
}

HBS_GRAPH_TYPE(plate, struct place, char, uint32_t);

static uint32_t from[4 * WIDTH * HEIGHT], to[4 * WIDTH * HEIGHT];

static uint32_t make_edges(void)
{
	const int next[] = { 1, -1, WIDTH, -WIDTH };
	uint32_t edges = 0;

	for (uint32_t place = 0; place < WIDTH * HEIGHT; place++) {
		for (int i = 0; is_inside(place) && i < 4; i++) {
			from[edges] = place + (uint32_t)next[i];
			to[edges++] = place;
		}
	}
	return edges;
}

int main(int argc, char **argv)
{
	struct hbs_graph_attr attr = { .type = &plate, .from = from, .to = to };
	uint32_t steps = argc > 1 ? (uint32_t)atoi(argv[1]) : 100;
	struct hbs_graph *graph;
	struct place *places;
	struct hbs *hbs;

	attr.edges = make_edges();
	attr.vertices = WIDTH * HEIGHT;
	must(hbs_open(&hbs, NULL));
	must(hbs_graph_create(&attr, &graph));
	must(hbs_graph_run(graph, hbs, &steps, NULL));
	places = (struct place *)hbs_graph_state(graph, 0);
	printf("P2 %d %d 255\n", WIDTH, HEIGHT);
	for (int place = 0; place < WIDTH * HEIGHT; place++)
		printf("%u%c", places[place].heat / 257, place % WIDTH == WIDTH - 1 ? '\n' : ' ');
	must(hbs_graph_close(graph));
	must(hbs_close(hbs));
	return 0;
}
