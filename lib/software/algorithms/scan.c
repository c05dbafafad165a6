// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Scan: no counter at all.
 *
 * Each member writes that it has arrived to a line of its own, and then looks at the lines of
 * the others, one after another, until it finds one that has not arrived. If it finds none, it
 * begins the next epoch by one compare-and-swap of the state of the group (state.h). The others
 * wait for that. So a group with this algorithm can do everything; ../scan.c does it. A member
 * begins each look with the line that stopped the last one, since who was late is often late
 * again.
 *
 * Between its store and its looks a member passes a full fence. So of two members that look at
 * each other at least one finds that the other has arrived, and the last one to pass the fence
 * finds that all have.
 *
 * Cost for N members: N stores of N lines, all at once; one compare-and-swap; N - 1 loads of its
 * line that find the release. The last member loads N - 1 lines, which do not wait for each
 * other; the members before it load log2(N) of them on average if they come in any order, and
 * N / 2 in the worst one. Memory: a line a member. It is better than a counter where many members
 * would wait for each other to count themselves.
 *
 * Order: each store releases what its member did, and each load of a line acquires it. The
 * compare-and-swap releases it all, and the load of the state acquires it.
 */
#include "../algorithm.h"

const struct algorithm hbsi_scan = {
	.name = "scan",
	.full = true,
};
