// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Values that a barrier brings along, with any algorithm: each member leaves its value in
 * its seat before it arrives, and who has departed reads them all. There are two places
 * for them, of even and odd epochs: the next but one barrier, which uses a place again,
 * has no arrivals before this member has arrived at the next one.
 *
 * A member that leaves while others may still ask for what it brought leaves that with the
 * group.
 */
#include "software.h"

struct sum {
	uint64_t value;
	bool any; /* there is a value yet */
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

void hbsi_soft_keep_values(struct software *software, struct soft_seat *seat, uint32_t reduce,
			   uint64_t word)
{
	for (unsigned int i = 0; reduce && i < 2; i++) {
		struct soft_value *slot = &seat->value[i];
		struct soft_value *left = &software->page->left[i];
		uint64_t over = atomic_exchange(&slot->word, 0);
		struct sum sum = { 0 };

		/* of a barrier that nobody can ask about any more, or not arrived at */
		if (!over || (int64_t)(over - word) < 0 ||
		    (int64_t)(atomic_load(&seat->arrived) - over) < 0)
			continue;
		if (atomic_load(&left->word) == over)
			add(&sum, reduce, atomic_load(&left->value));
		add(&sum, reduce, alone(reduce, atomic_load(&slot->value)));
		atomic_store(&left->value, sum.value);
		atomic_store(&left->word, over);
	}
}

uint64_t hbsi_soft_reduce(struct software *software, uint32_t reduce, uint64_t over)
{
	unsigned int generation = (over - HBS_WORD_EPOCH_ONE) >> HBS_WORD_EPOCH_SHIFT & 1;
	struct soft_value *left = &software->page->left[generation];
	struct sum sum = { 0 };

	for (uint32_t i = 0; i < software->capacity; i++)
		add_slot(&sum, reduce, &soft_seat(software->page, i)->value[generation], over);
	/* of one member or of several: it is an outcome already */
	if (atomic_load(&left->word) == over)
		add(&sum, reduce, atomic_load(&left->value));
	return sum.value;
}

/* Of the barrier that the member has departed from; the order is that of its departure */
int hbsi_soft_result(struct hbs_member *member, uint64_t *result)
{
	struct software *software = member->group->software;
	struct soft_page *page = member->page;
	uint32_t reduce = member->group->reduce;
	uint64_t before = atomic_load(&page->state);
	int cancel, ret = 0;

	*result = hbsi_soft_reduce(software, reduce, member->word);
	atomic_thread_fence(memory_order_acquire);
	if (!(before & STATE_FROZEN) && !((before ^ atomic_load(&page->state)) / STATE_FROZEN) &&
	    atomic_load(&member->seat->state) == SEAT_TAKEN)
		return 0;
	/* a member is leaving, and what it brought on its way; or the group was reset, and
	 * others have the seats
	 */
	cancel = hbsi_soft_lock(software);
	if (atomic_load(&member->seat->state) == SEAT_TAKEN)
		*result = hbsi_soft_reduce(software, reduce, member->word);
	else if (member->word == member->seat->until)
		*result = member->seat->result;
	else
		ret = -ECONNRESET;
	hbsi_soft_unlock(software, cancel);
	return ret;
}
