// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "memory.h"
#include "mesh.h"

enum direction { EAST, WEST, SOUTH, NORTH, BRIDGE, DIRECTIONS };

void mesh_start(struct mesh *mesh, const struct config *config, struct queue *queue)
{
	size_t links = (size_t)(mesh_bridge(config) + 1) * DIRECTIONS;

	*mesh = (struct mesh){ .config = config,
			       .queue = queue,
			       .free_at = memory_new(links, sizeof(*mesh->free_at)) };
}

void mesh_end(struct mesh *mesh)
{
	free(mesh->free_at);
}

uint32_t mesh_bridge(const struct config *config)
{
	return config->width * config->height;
}

uint32_t mesh_centre(const struct config *config)
{
	return config->height / 2 * config->width + config->width / 2;
}

unsigned int mesh_distance(const struct config *config, uint32_t from, uint32_t to)
{
	uint32_t bridge = mesh_bridge(config);
	int x, y;

	if (from == to)
		return 0;
	if (from == bridge)
		return 1 + mesh_distance(config, 0, to);
	if (to == bridge)
		return 1 + mesh_distance(config, from, 0);
	x = (int)(from % config->width) - (int)(to % config->width);
	y = (int)(from / config->width) - (int)(to / config->width);
	return (unsigned int)(abs(x) + abs(y));
}

static enum direction way(const struct config *config, uint32_t from, uint32_t to)
{
	uint32_t bridge = mesh_bridge(config);
	uint32_t x = from % config->width, to_x;

	if (from == bridge || (to == bridge && from == 0))
		return BRIDGE;
	if (to == bridge)
		to = 0;
	to_x = to % config->width;
	if (x != to_x)
		return x < to_x ? EAST : WEST;
	return from < to ? SOUTH : NORTH;
}

static uint32_t neighbour(const struct config *config, uint32_t place, enum direction direction)
{
	switch (direction) {
	case EAST:
		return place + 1;
	case WEST:
		return place - 1;
	case SOUTH:
		return place + config->width;
	case NORTH:
		return place - config->width;
	default:
		return place ? 0 : mesh_bridge(config);
	}
}

void mesh_forward(struct mesh *mesh, uint32_t from, uint64_t now, const struct packet *packet)
{
	enum direction direction = way(mesh->config, from, packet->place);
	uint64_t *free_at = &mesh->free_at[(size_t)from * DIRECTIONS + direction];
	uint64_t start = *free_at > now ? *free_at : now;

	*free_at = start + mesh->config->gap;
	queue_add(mesh->queue, &(struct event){ .time = start + mesh->config->hop,
						.kind = EVENT_PACKET,
						.at = neighbour(mesh->config, from, direction),
						.packet = *packet });
}
