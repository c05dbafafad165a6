// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counting barrier of two generations (HARP paper, section 2, which names it only).
 *
 * Members count themselves in one word, as in central.c, but look elsewhere: the last one
 * writes a release line, of which there are two, for even and for odd epochs. So arrivals do
 * not have to share their line with those who wait, and a wait does not look at what the
 * barrier after it writes. The word is the state of the group (state.h), so that a group
 * with this algorithm can do everything; barrier.c does it.
 *
 * Cost for N members: N compare-and-swaps of one line, one store of another line, and N - 1
 * loads of that. Two lines beside the state. Better than central.c where many wait.
 *
 * Order: the swaps as in central.c; the store releases all that, and the load of the release
 * line acquires it. Who has waited for long looks at the state: a member may be killed
 * between its swap and its store.
 */
#include "../algorithm.h"

const struct algorithm hbsi_counting = {
	.name = "counting",
	.full = true,
};
