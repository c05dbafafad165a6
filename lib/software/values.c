// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Values that a barrier carries, with any algorithm: each member leaves its value beside its
 * seat before it arrives, and a member that has departed reads them all. There are two places
 * for them, for even and odd epochs: the barrier after the next one uses a place again, and
 * it has no arrivals before this member has arrived at the next barrier.
 *
 * A member that leaves while others may still ask for its values leaves them with the group.
 * It first writes down what the group is to have then: if its process dies midway, the next
 * one to lock the group finishes the work, and no value is lost or counted twice.
 */
#include "software.h"

struct sum {
	uint64_t value;
	bool any; /* there is a value already */
};

static uint64_t combine(uint32_t reduce, uint64_t one, uint64_t other)
{
	switch (reduce) {
	case HBS_AND:
		return one & other;
	case HBS_XOR:
		return one ^ other;
	case HBS_SUM:
		return one + other;
	case HBS_MIN:
		return one < other ? one : other;
	case HBS_MAX:
		return one > other ? one : other;
	case HBS_SMIN:
		return (int64_t)one < (int64_t)other ? one : other;
	case HBS_SMAX:
		return (int64_t)one > (int64_t)other ? one : other;
	case HBS_VOTE:
		return (one & other & HBS_VOTE_ALL) | ((one | other) & HBS_VOTE_ANY);
	default:
		return one | other;
	}
}

/* A vote of one member, as the outcome of a barrier of its own */
static uint64_t alone(uint32_t reduce, uint64_t value)
{
	if (reduce != HBS_VOTE)
		return value;
	return value ? HBS_VOTE_ALL | HBS_VOTE_ANY : 0;
}

static void add(struct sum *sum, uint32_t reduce, uint64_t value)
{
	sum->value = sum->any ? combine(reduce, sum->value, value) : value;
	sum->any = true;
}

static void add_slot(struct sum *sum, uint32_t reduce, struct soft_value *slot, uint64_t over)
{
	if (atomic_load_explicit(&slot->word, memory_order_relaxed) == over)
		add(sum, reduce,
		    alone(reduce, atomic_load_explicit(&slot->value, memory_order_relaxed)));
}

/* What stays of one place when the member of a seat is gone */
static void keep_value(struct software *software, struct soft_seat *seat, unsigned int i,
		       uint64_t word)
{
	struct soft_page *page = soft_page(software);
	struct soft_values *values = soft_values(software, soft_seat_number(software, seat));
	struct soft_value *keep = &page->leaving.left[i];
	uint32_t reduce = software->group.reduce;
	uint64_t over = atomic_load(&values->of[i].word);
	uint64_t value = atomic_load(&page->left[i].value);
	struct sum sum = { 0 };

	atomic_store(&keep->word, atomic_load(&page->left[i].word));
	atomic_store(&keep->value, value);
	/* of a barrier that nobody can ask about any more, or that the member has not arrived at */
	if (!over || (int64_t)(over - word) < 0 ||
	    (int64_t)(atomic_load(&seat->arrived) - over) < 0)
		return;
	/* of an epoch that is not over yet: an idle member that leaves takes its value along */
	if (software->group.type == HBS_REFUTABLE && (int64_t)(over - word) > 0)
		return;
	if (atomic_load(&keep->word) == over)
		add(&sum, reduce, value);
	add(&sum, reduce, alone(reduce, atomic_load(&values->of[i].value)));
	atomic_store(&keep->value, sum.value);
	atomic_store(&keep->word, over);
}

/* A seat's value, once the group has it */
static void take_values(struct software *software, uint32_t number)
{
	struct soft_page *page = soft_page(software);
	struct soft_values *values = soft_values(software, number);

	for (unsigned int i = 0; i < 2; i++) {
		atomic_store(&page->left[i].value, atomic_load(&page->leaving.left[i].value));
		atomic_store(&page->left[i].word, atomic_load(&page->leaving.left[i].word));
		atomic_store(&values->of[i].word, 0);
	}
}

/* All of it can be done again */
void hbsi_soft_finish_leaving(struct software *software)
{
	struct soft_page *page = soft_page(software);
	uint32_t number = atomic_load(&page->leaving.seat);

	if (!number || number > soft_capacity(software))
		return;
	if (software->group.reduce)
		take_values(software, number - 1);
	if (soft_scans(software)) {
		atomic_store(&page->left_balance, page->leaving.balance);
		atomic_store(&soft_report(software, number - 1)->present, 0);
	}
	page->arrivals = page->leaving.arrivals;
	atomic_store(&soft_seat(software, number - 1)->state, SEAT_FREE);
	atomic_store(&page->leaving.seat, 0);
}

void hbsi_soft_give_up_seat(struct software *software, struct soft_seat *seat)
{
	struct soft_page *page = soft_page(software);
	uint32_t number = soft_seat_number(software, seat);
	uint64_t word = hbsi_soft_freeze(software);

	for (unsigned int i = 0; i < 2 && software->group.reduce; i++)
		keep_value(software, seat, i, word);
	if (soft_scans(software))
		page->leaving.balance = atomic_load(&page->left_balance) +
					atomic_load(&soft_report(software, number)->balance);
	page->leaving.arrivals = page->arrivals + soft_arrivals(seat);
	atomic_store(&page->leaving.seat, number + 1);
	hbsi_soft_finish_leaving(software);
	hbsi_soft_recount(software, 0);
}

uint64_t hbsi_soft_reduce(struct software *software, uint64_t over)
{
	uint32_t reduce = software->group.reduce;
	unsigned int generation = (over - HBS_WORD_EPOCH_ONE) >> HBS_WORD_EPOCH_SHIFT & 1;
	struct soft_value *left = &soft_page(software)->left[generation];
	struct sum sum = { 0 };

	if (!reduce)
		return 0;
	for (uint32_t i = 0; i < soft_used(software); i++)
		add_slot(&sum, reduce, &soft_values(software, i)->of[generation], over);
	/* of one member or of several: it is an outcome already */
	if (atomic_load(&left->word) == over)
		add(&sum, reduce, atomic_load(&left->value));
	return sum.value;
}

/* For the barrier that the member has departed from; the departure orders the loads */
int hbsi_soft_result(struct hbs_member *member, uint64_t *result)
{
	struct software *software = soft_of(member->group);
	struct soft_page *page = member->page;
	uint64_t before = atomic_load(&page->state);
	int cancel, ret = 0;

	*result = hbsi_soft_reduce(software, member->word);
	atomic_thread_fence(memory_order_acquire);
	if (!(before & STATE_FROZEN) && !((before ^ atomic_load(&page->state)) / STATE_FROZEN) &&
	    seat_state(member->seat) == SEAT_TAKEN)
		return 0;
	/*
	 * a member is leaving, and its values are on their way; or the group was reset,
	 * and others have the seats
	 */
	cancel = hbsi_soft_lock(software);
	if (seat_state(member->seat) == SEAT_TAKEN)
		*result = hbsi_soft_reduce(software, member->word);
	else if (member->word == member->seat->joined)
		*result = member->seat->result;
	else
		ret = -ECONNRESET;
	hbsi_soft_unlock(software, cancel);
	return ret;
}
