/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The drop-in pthread barrier: what its files share */
#ifndef HBS_DROP_IN_H
#define HBS_DROP_IN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../spin.h"

#define STAT_SLOTS 8

struct tokens;

/*
 * The state of a private barrier, on a line of its own. The low half of the word is the
 * epoch, which goes on when the cell is used again; above it is the number of threads
 * that have arrived, and the highest bit says whether one sleeps. If the cell has tokens,
 * only they count.
 */
struct cell {
	_Alignas(128) _Atomic uint64_t word;
	_Alignas(64) _Atomic uint64_t first[STAT_SLOTS]; /* first arrival of an epoch, if counted */
	struct tokens *_Atomic tokens;			 /* NULL: the word is the barrier */
	spin_learnt learnt;
	struct cell *next;
};

struct cell *hbsi_cell_take(void);
void hbsi_cell_give(struct cell *cell);
/* Call before a child looks at a barrier that its parent took */
void hbsi_cells_adopt(void);

extern bool hbsi_stats_on;
void hbsi_stats_open(void);
/* A barrier of @members is over; @imbalance in ns, UINT64_MAX if it is not known */
void hbsi_stats_count(uint32_t members, uint64_t imbalance);

#endif /* HBS_DROP_IN_H */
