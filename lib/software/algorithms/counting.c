// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counting barrier of two generations (HARP paper, section 2, which names it only).
 *
 * Members count themselves in one word, as in central.c, but look at another: the last one
 * writes a release line. There are two such lines, for even and for odd epochs. So arrivals
 * do not share their line with waiting members, and a wait does not look at what the next
 * barrier writes. The word is the state of the group (state.h), so that a group with this
 * algorithm can do everything; barrier.c does it.
 *
 * Cost for N members: N compare-and-swaps of one line, one store of another line, and N - 1
 * loads of that. Memory: two lines besides the state. It is better than central.c where many
 * members wait.
 *
 * Order: the swaps as in central.c; the store releases all that, and the load of the release
 * line acquires it. A member that has waited for long looks at the state: the last one may
 * have been killed between its swap and its store.
 */
#include "../algorithm.h"

const struct algorithm hbsi_counting = {
	.name = "counting",
	.full = true,
};
