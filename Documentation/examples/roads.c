/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A graph from a file: the shortest way between two towns. The file is one of DIMACS, with a line
 * "a FROM TO LENGTH" for each road; towns are numbered from 1.
 *
 * usage: roads FILE FROM TO
 */
#include <hbs_graph.h>

#include "must.h"

#define ROADS 1000000

struct town {
	uint32_t distance;
	uint32_t before; /* the town before it on the way */
};

struct news {
	uint32_t distance;
	uint32_t town;
};

static uint32_t from[ROADS], to[ROADS], length[ROADS];

static int roads_init(struct hbs_vertex *vertex, struct town *town)
{
	const uint32_t *source = (const uint32_t *)hbs_vertex_arg(vertex);
	int is_source = hbs_vertex_number(vertex) == *source;

	town->distance = is_source ? 0 : UINT32_MAX;
	hbs_vertex_ready(vertex, is_source ? HBS_PIN(0) : HBS_PIN_NONE);
	return 0;
}

static int roads_send(struct hbs_vertex *vertex, struct town *town, struct news *news)
{
	news->distance = town->distance;
	news->town = hbs_vertex_number(vertex);
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int roads_recv(struct hbs_vertex *vertex, struct town *town, const struct news *news,
		      const uint32_t *road)
{
	uint32_t distance = news->distance + *road;

	if (distance < town->distance) {
		*town = (struct town){ distance, news->town };
		hbs_vertex_ready(vertex, HBS_PIN(0));
	}
	return 0;
}

HBS_GRAPH_TYPE_ASYNC(roads, struct town, uint32_t, struct news);

/* The roads of the file. Return: how many; the number of towns is that of its line "p sp" */
static uint32_t read_roads(const char *path, uint32_t *towns)
{
	FILE *file = fopen(path, "r");
	uint32_t count = 0;
	char line[100];

	while (file && fgets(line, sizeof(line), file)) {
		if (count < ROADS &&
		    sscanf(line, "a %u %u %u", &from[count], &to[count], &length[count]) == 3) {
			from[count]--;
			to[count++]--;
		} else if (sscanf(line, "p sp %u", towns) != 1 && *line != 'c') {
			fprintf(stderr, "%s: what is this: %s", path, line);
			exit(1);
		}
	}
	if (!file || ferror(file) | fclose(file)) {
		perror(path);
		exit(1);
	}
	return count;
}

/* From the end back to the beginning */
static void print_way(struct hbs_graph *graph, uint32_t source, uint32_t town)
{
	struct town *state = (struct town *)hbs_graph_state(graph, town);

	if (town != source)
		print_way(graph, source, state->before);
	printf(" %u", town + 1);
}

int main(int argc, char **argv)
{
	struct hbs_graph_attr attr = { .type = &roads, .from = from, .to = to, .data = length };
	uint32_t source = argc == 4 ? (uint32_t)atoi(argv[2]) - 1 : 0;
	struct hbs_graph *graph;
	struct town *end;
	struct hbs *hbs;

	if (argc != 4) {
		fprintf(stderr, "usage: roads FILE FROM TO\n");
		return 1;
	}
	attr.edges = read_roads(argv[1], &attr.vertices);
	must(hbs_open(&hbs, NULL));
	must(hbs_graph_create(&attr, &graph));
	must(hbs_graph_run(graph, hbs, &source, NULL));
	end = (struct town *)hbs_graph_state(graph, (uint32_t)atoi(argv[3]) - 1);
	if (!end || end->distance == UINT32_MAX) {
		printf("no way leads from %s to %s\n", argv[2], argv[3]);
	} else {
		printf("%u from %s to %s, by", end->distance, argv[2], argv[3]);
		print_way(graph, source, (uint32_t)atoi(argv[3]) - 1);
		printf("\n");
	}
	must(hbs_graph_close(graph));
	must(hbs_close(hbs));
	return 0;
}
