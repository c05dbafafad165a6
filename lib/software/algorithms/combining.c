// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The combining tree of the survey, 2.1.2: Yew, Tzeng and Lawrie, "Distributing hot-spot
 * addressing in large-scale multiprocessors", IEEE Transactions on Computers 36(4), 1987.
 *
 * The members are divided into nodes of fan_in (4 is best, they say), and each node has a
 * counter. The last member that comes to a node goes on to the node above, as one of its
 * members, and the last one at the root releases all. In the survey the first member of a
 * node waits for the others; here the last one climbs, as in the original, so that no member
 * has to wait for another before its arrival is done. Counters are not reset: in the epoch
 * e, the last of a node of n finds n * e - 1 arrivals in it. A node of one member needs no
 * counter, and is passed by.
 *
 * Rounds: log_fan_in(N), rounded up, of a fetch-and-add each, of which those on one node
 * come one after the other; and the release. Messages: about N * fan_in /
 * (fan_in - 1) fetch-and-adds, and one store that all wait for. Memory: a line for each
 * node, about N / (fan_in - 1), and one for the release.
 *
 * Order: each fetch-and-add releases what its member did and saw before, and acquires what
 * the members that came to the node earlier released. They are one chain of
 * read-modify-writes, so that the last member of a node has it from all of them, and takes
 * it up. The store of the release flag releases all that, and over() acquires it. Nothing
 * else is needed on any CPU.
 *
 * No member spins on a counter. A member arrives without waiting, so there is a split
 * phase. The members are fixed.
 */
#include "flags.h"

struct node {
	_Alignas(ALGORITHM_LINE) _Atomic uint64_t arrivals;
};

struct combining {
	struct algorithm_flag_line release;
	struct node nodes[]; /* level by level, from the members up */
};

/* How many nodes there are above so many members, or nodes */
static uint32_t above(uint32_t width, uint32_t fan_in)
{
	return (width - 1) / fan_in + 1;
}

static size_t bytes(uint32_t members, uint32_t fan_in)
{
	size_t nodes = 0;

	for (uint32_t width = members; width > 1;) {
		width = above(width, fan_in);
		nodes += width;
	}
	return sizeof(struct combining) + nodes * sizeof(struct node);
}

/* Arrive at a node of so many members */
static bool is_last(struct node *node, uint32_t count, uint64_t epoch)
{
	uint64_t before = atomic_fetch_add_explicit(&node->arrivals, 1, memory_order_acq_rel);

	return before + 1 == count * epoch;
}

static void arrive(struct algorithm_member *member)
{
	struct combining *tree = algorithm_memory(member);
	struct node *level = tree->nodes;
	uint32_t fan_in = member->fan_in, place = member->rank, width = member->members;

	while (width > 1) {
		uint32_t first, count;

		place /= fan_in;
		first = place * fan_in;
		count = width - first < fan_in ? width - first : fan_in;
		if (count > 1 && !is_last(&level[place], count, member->epoch))
			return;
		width = above(width, fan_in);
		level += width;
	}
	flag_raise(&tree->release.flag, member->epoch);
}

static bool over(struct algorithm_member *member)
{
	const struct combining *tree = algorithm_memory(member);

	return flag_is_up(member, &tree->release.flag);
}

const struct algorithm hbsi_combining = {
	.name = "combining",
	.fan_in = 4,
	.bytes = bytes,
	.arrive = arrive,
	.over = over,
};
