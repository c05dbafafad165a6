/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who sends tokens to whom: a star, a tree of boards, or a tree of threads */
#ifndef TDSIM_SHAPE_H
#define TDSIM_SHAPE_H

#include <stdint.h>

#include "config.h"

#define NOWHERE UINT32_MAX

/**
 * struct shape - a tree
 * @count: nodes
 * @root: the master
 * @place: of each node, the board or bridge where it is
 * @machine: of each node, the machine that it samples, or NOWHERE
 * @parent: of each node; NOWHERE for the root
 * @first: of each node, where its children begin in @children, in the order in which it sends
 *	to them; they end where those of the next node begin
 */
struct shape {
	uint32_t count;
	uint32_t root;
	uint32_t *place;
	uint32_t *machine;
	uint32_t *parent;
	uint32_t *first;
	uint32_t *children;
};

void shape_make(struct shape *shape, const struct config *config);
void shape_free(struct shape *shape);

#endif /* TDSIM_SHAPE_H */
