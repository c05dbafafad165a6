// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "memory.h"
#include "mesh.h"
#include "shape.h"

/* Each thread of a tree of threads sends to that many of its board, at most */
#define FAN_OUT 2

static uint32_t boards(const struct config *config)
{
	return config->width * config->height;
}

static void allocate(struct shape *shape, uint32_t count)
{
	shape->count = count;
	shape->place = memory_new(count, sizeof(*shape->place));
	shape->machine = memory_new(count, sizeof(*shape->machine));
	shape->parent = memory_new(count, sizeof(*shape->parent));
	shape->first = memory_new((size_t)count + 1, sizeof(*shape->first));
	shape->children = memory_new(count, sizeof(*shape->children));
}

/* Make the lists of children, each in the order of the nodes in @order */
static void list_children(struct shape *shape, const uint32_t *order)
{
	uint32_t *next = memory_new(shape->count, sizeof(*next)), sum = 0;

	for (uint32_t node = 0; node < shape->count; node++)
		if (shape->parent[node] != NOWHERE)
			next[shape->parent[node]]++;
	for (uint32_t node = 0; node < shape->count; node++) {
		shape->first[node] = sum;
		sum += next[node];
		next[node] = shape->first[node];
	}
	shape->first[shape->count] = sum;
	for (uint32_t i = 0; i < shape->count; i++)
		if (shape->parent[order[i]] != NOWHERE)
			shape->children[next[shape->parent[order[i]]]++] = order[i];
	free(next);
}

/* The master sends to each board. It is the last node. */
static void make_star(struct shape *shape, const struct config *config)
{
	uint32_t master = boards(config), *order, count = 0;
	uint32_t place = config->master == CORNER ? mesh_bridge(config) : mesh_centre(config);

	allocate(shape, master + 1);
	order = memory_new(shape->count, sizeof(*order));
	shape->root = master;
	shape->place[master] = place;
	shape->machine[master] = NOWHERE;
	shape->parent[master] = NOWHERE;
	for (uint32_t board = 0; board < master; board++) {
		shape->place[board] = board;
		shape->machine[board] = board;
		shape->parent[board] = master;
		order[board] = board;
	}
	order[master] = master;
	if (config->order == FAR_FIRST)
		for (unsigned int far = config->width + config->height; far-- > 0;)
			for (uint32_t board = 0; board < master; board++)
				if (mesh_distance(config, place, board) == far)
					order[count++] = board;
	list_children(shape, order);
	free(order);
}

/* The board that a board has its tokens from: they go along the root's row, then the columns */
static uint32_t parent_board(const struct config *config, uint32_t root, uint32_t board)
{
	uint32_t x = board % config->width, y = board / config->width;
	uint32_t root_x = root % config->width, root_y = root / config->width;

	if (y != root_y)
		return y < root_y ? board + config->width : board - config->width;
	if (x != root_x)
		return x < root_x ? board + 1 : board - 1;
	return NOWHERE;
}

static uint32_t root_board(const struct config *config)
{
	return config->master == CORNER ? 0 : mesh_centre(config);
}

/*
 * When its parent sends to a node: first to other boards, and of these to those along the row,
 * since more boards are on that way
 */
static int turn_of(const struct shape *shape, const struct config *config, uint32_t node)
{
	uint32_t parent = shape->parent[node], row = shape->place[shape->root] / config->width;

	if (parent == NOWHERE || shape->place[parent] == shape->place[node])
		return 2;
	return shape->place[node] / config->width == row ? 0 : 1;
}

static void list_far_children_first(struct shape *shape, const struct config *config)
{
	uint32_t *order = memory_new(shape->count, sizeof(*order)), count = 0;

	for (int turn = 0; turn < 3; turn++)
		for (uint32_t node = 0; node < shape->count; node++)
			if (turn_of(shape, config, node) == turn)
				order[count++] = node;
	list_children(shape, order);
	free(order);
}

static void make_tree_of_boards(struct shape *shape, const struct config *config)
{
	allocate(shape, boards(config));
	shape->root = root_board(config);
	for (uint32_t board = 0; board < shape->count; board++) {
		shape->place[board] = board;
		shape->machine[board] = board;
		shape->parent[board] = parent_board(config, shape->root, board);
	}
	list_far_children_first(shape, config);
}

/* The first thread of each board is in a tree of the boards, and has the others below it */
static void make_tree_of_threads(struct shape *shape, const struct config *config)
{
	uint32_t root = root_board(config), threads = config->threads;

	allocate(shape, boards(config) * threads);
	shape->root = root * threads;
	for (uint32_t node = 0; node < shape->count; node++) {
		uint32_t board = node / threads, thread = node % threads, above;

		above = parent_board(config, root, board);
		shape->place[node] = board;
		shape->machine[node] = node;
		if (thread)
			shape->parent[node] = board * threads + (thread - 1) / FAN_OUT;
		else
			shape->parent[node] = above == NOWHERE ? NOWHERE : above * threads;
	}
	list_far_children_first(shape, config);
}

void shape_make(struct shape *shape, const struct config *config)
{
	switch (config->protocol) {
	case THREE_PHASE:
		make_star(shape, config);
		break;
	case SOFTWARE:
		make_tree_of_threads(shape, config);
		break;
	default:
		make_tree_of_boards(shape, config);
		break;
	}
}

void shape_free(struct shape *shape)
{
	free(shape->place);
	free(shape->machine);
	free(shape->parent);
	free(shape->first);
	free(shape->children);
}
