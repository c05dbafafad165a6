// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Central counter (survey, section 2.1.1).
 *
 * All members count themselves in one word, and look at it until the last one has done so.
 * Here that word is the state of the group (state.h), so that a group with this algorithm
 * can do everything, and barrier.c does it. The compare-and-swap of the last member counts
 * it and begins the next epoch at once: the line that the member brought to its CPU for
 * that also releases the others.
 *
 * Cost for N members: N compare-and-swaps of one line, one after the other, and N - 1
 * loads of it that find the release; more where CPUs look at the line between arrivals. No
 * memory beside the state. Best where few members share a cache.
 *
 * Order: each swap releases what its member did. All swaps are of one word, so each also
 * acquires what the members before it did; the load that finds the next epoch acquires it
 * all.
 */
#include "../algorithm.h"

const struct algorithm hbsi_central = {
	.name = "central",
	.full = true,
};
