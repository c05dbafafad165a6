/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boards in a mesh, and the links between them */
#ifndef TDSIM_MESH_H
#define TDSIM_MESH_H

#include <stdint.h>

#include "config.h"
#include "queue.h"

/**
 * struct mesh - boards, row by row, and after them the bridge beside the board 0
 * @free_at: when each link, five of each place, has room for the next message
 */
struct mesh {
	const struct config *config;
	struct queue *queue;
	uint64_t *free_at;
};

void mesh_start(struct mesh *mesh, const struct config *config, struct queue *queue);
void mesh_end(struct mesh *mesh);

/* The place of the bridge; all below are boards */
uint32_t mesh_bridge(const struct config *config);

/* The board in the centre, or the one next to it at the upper side */
uint32_t mesh_centre(const struct config *config);

/* How many links are between two places */
unsigned int mesh_distance(const struct config *config, uint32_t from, uint32_t to);

/* Send @packet over the next of its links, by columns first; it is not where it goes yet */
void mesh_forward(struct mesh *mesh, uint32_t from, uint64_t now, const struct packet *packet);

#endif /* TDSIM_MESH_H */
