// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The ticket barrier of the HARP paper, section 2, which measures and names one. Our
 * reading follows ticket locks (Mellor-Crummey and Scott, see mcs.c, section 2.2):
 *
 * One counter gives each arrival a ticket, the next number. The tickets of the epoch e are
 * those below N * e, and a member waits until so many have been given out. The counter is
 * never reset, so that an arrival is one fetch-and-add, and no last member has to do
 * anything for the others.
 *
 * Rounds: one, of N fetch-and-adds that come one after the other. Messages: N, and all wait
 * for all of them, since they spin on the counter itself: each arrival takes the line from
 * all that wait. That is good only for few members. Memory: one line.
 *
 * Order: each fetch-and-add releases what its member did. They are one chain of
 * read-modify-writes, so that a member that sees the last one of an epoch, by the acquire
 * of over(), also sees what all did. Nothing else is needed on any CPU.
 *
 * A member arrives without waiting, so there is a split phase. The members are fixed.
 */
#include "../algorithm.h"

struct ticket {
	_Alignas(ALGORITHM_LINE) _Atomic uint64_t next;
};

static size_t bytes(uint32_t members, uint32_t fan_in)
{
	(void)members;
	(void)fan_in;
	return sizeof(struct ticket);
}

static void arrive(struct algorithm_member *member)
{
	struct ticket *ticket = algorithm_memory(member);

	atomic_fetch_add_explicit(&ticket->next, 1, memory_order_release);
}

static bool over(struct algorithm_member *member)
{
	const struct ticket *ticket = algorithm_memory(member);

	if (atomic_load_explicit(&ticket->next, memory_order_acquire) >=
	    member->members * member->epoch)
		return true;
	member->waits_for = ticket;
	return false;
}

const struct algorithm hbsi_ticket = {
	.name = "ticket",
	.bytes = bytes,
	.arrive = arrive,
	.over = over,
};
