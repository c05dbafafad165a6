// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Making the state word anew from the seats, when members come, go or die, and when the
 * group is broken. Only the seats count: if a process dies while it does this, the next
 * one to lock the group does it again.
 */
#include "software.h"

/* Whether the member of a seat has arrived at the barrier of @word */
static bool has_arrived(struct soft_seat *seat, uint64_t word)
{
	return (int64_t)(atomic_load(&seat->arrived) - word) > 0;
}

uint64_t hbsi_soft_freeze(struct software *software)
{
	struct soft_page *page = soft_page(software);
	uint64_t state = atomic_fetch_or(&page->state, STATE_FROZEN);

	return state_word(state, atomic_load(&page->recent));
}

struct count {
	uint32_t taken;
	uint32_t arrived;
	uint64_t first; /* the earliest barrier that a member has not arrived at */
	uint64_t votes; /* of the last epoch that is over */
	bool overflow;	/* all are idle, and more messages are in flight than can be counted */
};

static struct count count(struct software *software, uint64_t word)
{
	struct count count = { .first = word };

	for (uint32_t i = 0; i < soft_used(software); i++) {
		struct soft_seat *seat = soft_seat(software, i);
		uint64_t arrived;
		bool has;

		if (seat_state(seat) != SEAT_TAKEN)
			continue;
		/* once: a member may arrive or withdraw meanwhile */
		arrived = atomic_load(&seat->arrived);
		has = (int64_t)(arrived - word) > 0;
		if (!count.taken || (int64_t)(arrived - count.first) < 0)
			count.first = arrived;
		count.taken++;
		count.arrived += has;
		if (soft_algorithm(software)->full)
			seat->counted = word + (has ? HBS_WORD_EPOCH_ONE : 0);
	}
	return count;
}

/* What the seats say about the barrier of @word, where the state decides everything */
static struct soft_verdict judge(struct software *software, uint64_t word,
				 const struct count *counted)
{
	uint32_t from = 0;

	if (soft_scans(software))
		return hbsi_soft_scan(software, word, &from);
	if (counted->arrived < counted->taken)
		return (struct soft_verdict){ .over = false };
	if (software->group.type != HBS_REFUTABLE)
		return (struct soft_verdict){ .over = true };
	return hbsi_soft_idle_verdict(software, counted->taken);
}

/* Epochs that all have arrived at are over */
static uint64_t recount_full(struct software *software, uint64_t word, bool goes_on,
			     struct count *counted)
{
	uint64_t votes = state_votes(atomic_load(&soft_page(software)->state));
	struct soft_verdict verdict;

	for (;;) {
		*counted = count(software, word);
		counted->votes = votes;
		if (!goes_on || !counted->taken)
			return word;
		verdict = judge(software, word, counted);
		counted->overflow = verdict.overflow;
		if (!verdict.over)
			return word;
		votes = verdict.votes;
		hbsi_soft_idle_forget(software, hbsi_soft_resets(software), verdict);
		soft_release(soft_page(software), word, votes);
		word += HBS_WORD_EPOCH_ONE;
	}
}

/*
 * A member that has seen all others arrive goes on; then the seats say that they have.
 * The seats also say so for a member that found the state not frozen before others could
 * see its own arrival: after a fence on its CPU, they can see it.
 */
static uint64_t recount_fixed(struct software *software, uint64_t word, bool goes_on,
			      struct count *counted)
{
	if (goes_on)
		hbsi_soft_fence_others(software);
	*counted = count(software, word);
	if (goes_on)
		word = counted->first;
	counted->arrived = 0;
	return word;
}

/* @at: break the group only if this is the barrier in progress; NULL: at any */
static void recount(struct software *software, uint64_t reason, const uint64_t *at)
{
	struct soft_page *page = soft_page(software);
	uint64_t word = hbsi_soft_freeze(software);
	uint64_t state = atomic_load(&page->state);
	bool broken = state & STATE_BROKEN;
	bool started = state & STATE_STARTED;
	struct count counted;

	if (!started && !broken) {
		started = count(software, word).taken == software->group.seats;
		if (started)
			state |= STATE_STARTED;
	}
	if (soft_algorithm(software)->full)
		word = recount_full(software, word, started && !broken, &counted);
	else
		word = recount_fixed(software, word, started && !broken, &counted);
	/* by a member that has left, maybe, and then nobody else would find it */
	if (counted.overflow)
		reason = HBS_REASON_OVERFLOW;
	if (reason && !broken && (!at || *at == word)) {
		hbsi_soft_tell_missing(software, word);
		state |= STATE_BROKEN | reason << STATE_REASON_SHIFT;
	}
	/* with that algorithm, only the reports say who has arrived */
	if (soft_scans(software))
		counted.arrived = 0;
	atomic_store(&page->recent, word);
	atomic_store(&page->expected, counted.taken);
	state = (state & ~(STATE_ARRIVED | STATE_EPOCH | STATE_VOTES | STATE_FROZEN)) |
		counted.arrived | (word & STATE_EPOCH) | counted.votes << STATE_VOTES_SHIFT;
	/* first, so that nobody who finds the old state counts by what came after it */
	atomic_store(&page->recounts, atomic_load(&page->recounts) + 1);
	atomic_store(&page->state, state + STATE_RECOUNT);
	soft_ring_sleepers(page);
}

void hbsi_soft_recount(struct software *software, uint64_t reason)
{
	recount(software, reason, NULL);
}

void hbsi_soft_time_out(struct software *software, uint64_t word)
{
	recount(software, HBS_REASON_TIMEOUT, &word);
}

uint64_t hbsi_soft_word(struct software *software)
{
	struct soft_page *page = soft_page(software);
	uint64_t state = atomic_load(&page->state);
	uint64_t word = state_word(state, atomic_load(&page->recent));

	/* nobody keeps the state of such a group up to date while all is well */
	if (!soft_algorithm(software)->full && state & STATE_STARTED && !(state & STATE_BROKEN))
		word = count(software, word).first;
	return word | state_status(state);
}

void hbsi_soft_tell_missing(struct software *software, uint64_t word)
{
	struct soft_page *page = soft_page(software);

	for (uint32_t i = 0; i < soft_used(software); i++) {
		struct soft_seat *seat = soft_seat(software, i);

		bool missing = seat_state(seat) == SEAT_TAKEN && !has_arrived(seat, word);

		if (missing)
			atomic_fetch_or(&seat->state, SEAT_MISSED);
		else
			atomic_fetch_and(&seat->state, (uint16_t)~SEAT_MISSED);
	}
	atomic_store(&page->told, word + 1);
}
