// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Arriving and departing: the paths that a barrier takes.
 *
 * A barrier is over for a member when the record shows the epoch after
 * member->word, also if the group broke later: so either all members get 0 for
 * a barrier or none does. Any other word is of the past, unless it is broken.
 */
#include <errno.h>

#include "internal.h"
#include "order.h"
#include "ticks.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Returned inside this file only: not over yet */
#define PENDING 1

static inline int arrive(struct hbs_member *member)
{
	if (unlikely(!member->lane))
		return hbsi_software_arrive(member);
	order_arrive(member->lane, 0);
	return 0;
}

/* Depart if @word says that the barrier is over, or that it never will be */
static inline int depart(struct hbs_member *member, uint64_t word)
{
	uint64_t over = member->word + HBS_WORD_EPOCH_ONE;

	if ((word & ~WORD_STATUS) == over) {
		member->word = over;
		member->arrived = 0;
		return 0;
	}
	if (unlikely(word & HBS_WORD_BROKEN)) {
		member->arrived = hbsi_word_error(word);
		return member->arrived;
	}
	return PENDING;
}

static int spin(struct hbs_member *member)
{
	uint64_t start = ticks_now();
	int ret;

	do {
		ticks_pause();
		ret = depart(member, order_depart(member->record));
		if (ret != PENDING)
			return ret;
	} while (ticks_now() - start < member->spin);
	return PENDING;
}

/* Out of line, to keep the caller's path short when the release is there */
static __attribute__((noinline)) int wait_slow(struct hbs_member *member, uint64_t word)
{
	int ret = depart(member, word);

	if (ret == PENDING && member->spin)
		ret = spin(member);
	if (ret != PENDING)
		return ret;
	for (;;) {
		ret = member->group->hbs->ops->sleep(member, &word);
		if (ret) {
			member->arrived = ret;
			return ret;
		}
		/* not loaded from the record, which may show it later */
		order_acquire();
		ret = depart(member, word);
		if (ret != PENDING)
			return ret;
	}
}

/* A member that has arrived, or whose group is broken, cannot arrive */
static int refuse(const struct hbs_member *member)
{
	return member->arrived < 0 ? member->arrived : -EALREADY;
}

static __attribute__((noinline)) int barwait_software(struct hbs_member *member)
{
	int ret = hbsi_software_arrive(member);
	uint64_t word;

	if (unlikely(ret))
		return ret;
	word = order_depart(member->record);
	if (word == member->word + HBS_WORD_EPOCH_ONE) {
		member->word = word;
		return 0;
	}
	member->arrived = 1;
	return wait_slow(member, word);
}

/* A card's path needs no stack: all calls are in the end, or in the other path */
int hbs_barwait(struct hbs_member *member)
{
	uint64_t word;

	if (unlikely(!member))
		return -EINVAL;
	if (unlikely(member->arrived))
		return refuse(member);
	if (unlikely(!member->lane))
		return barwait_software(member);
	order_arrive(member->lane, 0);
	word = order_depart(member->record);
	if (likely(word == member->word + HBS_WORD_EPOCH_ONE)) {
		member->word = word;
		return 0;
	}
	member->arrived = 1;
	return wait_slow(member, word);
}

int hbs_arrive(struct hbs_member *member)
{
	uint64_t word;
	int ret;

	if (!member)
		return -EINVAL;
	if (member->arrived)
		return refuse(member);
	word = order_depart(member->record);
	if (word & HBS_WORD_BROKEN)
		return hbsi_word_error(word);
	ret = arrive(member);
	if (!ret)
		member->arrived = 1;
	return ret;
}

/* A member that has not arrived has nothing to depart from */
static int not_arrived(struct hbs_member *member)
{
	uint64_t word = order_depart(member->record);

	if (member->arrived < 0)
		return member->arrived;
	return word & HBS_WORD_BROKEN ? hbsi_word_error(word) : -EINVAL;
}

int hbs_test(struct hbs_member *member)
{
	int ret;

	if (!member)
		return -EINVAL;
	if (member->arrived <= 0)
		return not_arrived(member);
	ret = depart(member, order_depart(member->record));
	if (ret == PENDING)
		return 0;
	return ret ? ret : 1;
}

int hbs_wait(struct hbs_member *member)
{
	if (!member)
		return -EINVAL;
	if (member->arrived <= 0)
		return not_arrived(member);
	return wait_slow(member, order_depart(member->record));
}
