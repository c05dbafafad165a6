// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Duties that nobody but the waiting members can do for a group in software: they
 * notice that the time for a barrier is over, and that a member's process has died. A
 * thread that ends reports that itself.
 */
#include "../deadline.h"
#include "software.h"

/* How often one of all waiting members looks for the dead of other processes */
#define WATCH_NS 20000000ULL

uint64_t hbsi_soft_first_arrival(struct software *software, uint64_t word)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < soft_used(software); i++) {
		struct soft_seat *seat = soft_seat(software, i);
		uint64_t at;

		if (seat_state(seat) != SEAT_TAKEN ||
		    (int64_t)(atomic_load(&seat->arrived) - word) <= 0)
			continue;
		at = atomic_load_explicit(&seat->arrived_ns, memory_order_relaxed);
		if (at < first)
			first = at;
	}
	return first;
}

/* When the time for the barrier of @word is over; DEADLINE_NEVER if no time runs */
static uint64_t expiry(struct software *software, uint64_t word)
{
	struct soft_page *page = soft_page(software);
	uint64_t timeout = page->timeout_ns;
	uint64_t first;

	if (!timeout || atomic_load_explicit(&page->told, memory_order_relaxed) == word + 1)
		return DEADLINE_NEVER;
	first = hbsi_soft_first_arrival(software, word);
	return first < UINT64_MAX - timeout ? first + timeout : DEADLINE_NEVER;
}

uint64_t hbsi_soft_next_duty(struct software *software, uint64_t word)
{
	struct soft_page *page = soft_page(software);
	uint64_t next = expiry(software, word);

	if (atomic_load_explicit(&page->shared, memory_order_relaxed)) {
		uint64_t watch = atomic_load(&page->watched_ns) + WATCH_NS;

		if (next == DEADLINE_NEVER || watch < next)
			next = watch;
	}
	return next;
}

uint64_t hbsi_soft_next_duty_of(const struct hbs_member *member)
{
	return hbsi_soft_next_duty(soft_of(member->group), member->word);
}

static void expire(struct hbs_group *group)
{
	struct software *software = soft_of(group);
	int cancel = hbsi_soft_lock(software);
	uint64_t word = hbsi_soft_word(software);

	if (!(word & HBS_WORD_BROKEN) && deadline_passed(expiry(software, word))) {
		if (group->policy & HBS_ON_TIMEOUT_NOTIFY)
			hbsi_soft_tell_missing(software, word);
		else
			hbsi_soft_time_out(software, word);
	}
	hbsi_soft_unlock(software, cancel);
}

/* A broken group keeps its dead members, to report them */
void hbsi_soft_bury(struct software *software, struct soft_seat *seat)
{
	bool broken = hbsi_soft_word(software) & HBS_WORD_BROKEN;

	if (software->group.policy & HBS_ON_DEATH_SHRINK && !broken) {
		hbsi_soft_give_up_seat(software, seat);
		return;
	}
	atomic_fetch_or(&seat->state, SEAT_DEAD);
	if (!broken)
		hbsi_soft_recount(software, HBS_REASON_DIED);
}

void hbsi_soft_find_dead(struct software *software)
{
	struct soft_page *page = soft_page(software);

	for (uint32_t i = 0; i < soft_used(software); i++) {
		struct soft_seat *seat = soft_seat(software, i);
		uint32_t state = seat_state(seat);

		if (state == SEAT_FREE || !hbsi_soft_seat_is_dead(software, i))
			continue;
		hbsi_soft_wake_dead(software, seat);
		if (state == SEAT_STALE)
			atomic_store(&seat->state, SEAT_FREE);
		/* the others wait until all have left, and this member has */
		else if (state_is_left(atomic_load(&page->state)))
			hbsi_soft_give_up_seat(software, seat);
		else
			hbsi_soft_bury(software, seat);
	}
}

static void watch(struct software *software)
{
	struct soft_page *page = soft_page(software);
	uint64_t now = hbsi_clock_ns();
	uint64_t last = atomic_load(&page->watched_ns);
	int cancel;

	if (now - last < WATCH_NS || !atomic_compare_exchange_strong(&page->watched_ns, &last, now))
		return;
	cancel = hbsi_soft_lock(software);
	hbsi_soft_find_dead(software);
	hbsi_soft_unlock(software, cancel);
}

void hbsi_soft_do_duties(struct hbs_group *group, uint64_t word)
{
	struct software *software = soft_of(group);

	if (deadline_passed(expiry(software, word)))
		expire(group);
	if (atomic_load_explicit(&soft_page(software)->shared, memory_order_relaxed))
		watch(software);
}
