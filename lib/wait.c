// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Arriving and departing: the paths of a barrier on a card. In software the paths begin
 * here, and go on in software/barrier.c.
 *
 * A barrier is over for a member when the record shows the epoch after member->word, also
 * if the group broke later: so either all members get 0 for a barrier or none does. A word
 * beyond that one cannot belong to a barrier that the member is in: the group was reset.
 * Any other word is of the past, unless it is broken.
 *
 * If the member looks at a register of the card (HBS_DEPART_BY_CSR), the register shows 0
 * once the port is no member any more, as after a reset of the group; then the library
 * asks the kernel for the word before that.
 */
#include <errno.h>

#include "deadline.h"
#include "internal.h"
#include "monitor.h"
#include "order.h"
#include "spin.h"
#include "ticks.h"
#include "waits.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static inline void arrive(struct hbs_member *member, uint64_t value)
{
	if (likely(member->lane))
		order_arrive(member->lane, value);
	else
		order_arrive_line(member->line, member->word + HBS_WORD_EPOCH_ONE,
				  member->group->reduce, value);
}

/* The error of a group that the member was in until epoch @epoch at the latest */
static inline int lost(uint64_t word, uint64_t epoch)
{
	if (word & HBS_WORD_BROKEN)
		return hbsi_word_error(word);
	return (int64_t)((word & ~WORD_STATUS) - epoch) > 0 ? -ECONNRESET : 0;
}

/*
 * What the member's departure word tells about the time when it was a member. A card
 * that does not answer any more reads as all ones.
 */
static inline uint64_t told(struct hbs_member *member, uint64_t word, uint64_t epoch)
{
	const struct hbs_group *group = member->group;

	if (likely(group->depart_by != HBS_DEPART_BY_CSR))
		return word;
	if (likely(word) && (int64_t)((word & ~WORD_STATUS) - epoch) <= 0 && word != UINT64_MAX)
		return word;
	return group_ops(group)->last_word(member);
}

static inline bool is_over(const struct hbs_member *member, uint64_t word)
{
	return (word & ~WORD_STATUS) == member->word + HBS_WORD_EPOCH_ONE;
}

/* Depart if @word says that the barrier is over, or that it never will be */
static inline int depart(struct hbs_member *member, uint64_t word)
{
	uint64_t over = member->word + HBS_WORD_EPOCH_ONE;

	word = told(member, word, over);
	if (is_over(member, word)) {
		struct completion *completion = member->group->completion;

		if (unlikely(completion) && !hbsi_completion_done(completion, over))
			return HBSI_PENDING;
		if (unlikely(member->group->type == HBS_REFUTABLE))
			member->votes = word & (HBS_WORD_VOTE_ALL | HBS_WORD_VOTE_ANY);
		member->word = over;
		member->arrived = 0;
		return 0;
	}
	member->arrived = lost(word, over);
	if (unlikely(member->arrived))
		return member->arrived;
	member->arrived = 1;
	return HBSI_PENDING;
}

static inline int look(void *arg)
{
	struct hbs_member *member = arg;

	return depart(member, order_depart(member->record));
}

/* The CPU monitors the record, which is memory */
static inline int watch(void *arg, uint64_t time)
{
	struct hbs_member *member = arg;
	uint64_t slice = member->group->hbs->spin.watch_after;
	uint64_t start = ticks_now();
	uint64_t word;
	int ret;

	do {
		hbsi_monitor_arm(member->record);
		word = order_depart(member->record);
		ret = depart(member, word);
		if (ret != HBSI_PENDING)
			return ret;
		/* or another member is in the completion function, and the record stays as it is */
		if (is_over(member, word))
			ticks_pause();
		else
			hbsi_monitor_wait(slice);
	} while (ticks_now() - start < time);
	return HBSI_PENDING;
}

/* The CPU cannot monitor a register of the card: the whole spin is by pause then */
static inline int watch_nothing(void *arg, uint64_t time)
{
	(void)time;
	ticks_pause();
	return look(arg);
}

static int stay_awake(struct hbs_member *member, struct spin *spin, uint64_t deadline)
{
	struct hbs_group *group = member->group;

	hbsi_spin_begin(spin, &group->hbs->spin, &group->learnt, group->seats,
			(uint32_t)(member->word >> HBS_WORD_EPOCH_SHIFT));
	hbsi_spin_until(spin, deadline);
	if (group->depart_by == HBS_DEPART_BY_CSR)
		return spin_stay(spin, look, watch_nothing, member);
	return spin_stay(spin, look, watch, member);
}

static int sleep_for_it(struct hbs_member *member, uint64_t deadline, uint64_t *word)
{
	/* all have arrived, and one of them is in the completion function */
	if (is_over(member, *word)) {
		hbsi_completion_sleep(member->group->completion, deadline);
		return 0;
	}
	member->arrived = group_ops(member->group)->sleep(member, deadline, word);
	if (member->arrived)
		return member->arrived;
	member->arrived = 1;
	/* not loaded from the record, which may show it later */
	order_acquire();
	return 0;
}

/*
 * Out of line, to keep the caller's path short if the release is there. @word is
 * what the record has just shown.
 */
static __attribute__((noinline)) int wait_card(struct hbs_member *member, uint64_t word,
					       uint64_t deadline)
{
	int ret = depart(member, word);
	bool has_slept = false, noted = false;
	uint64_t before = member->word;
	struct spin spin;

	if (ret != HBSI_PENDING)
		return ret;
	for (;;) {
		if (!has_slept)
			ret = stay_awake(member, &spin, deadline);
		if (ret != HBSI_PENDING)
			break;
		if (!noted) {
			hbsi_waits_begin(member, &spin);
			noted = true;
		}
		if (deadline_passed(deadline))
			return -ETIMEDOUT;
		if (spin.policy->never_sleeps) {
			hbsi_spin_let_others_run();
			continue;
		}
		has_slept = true;
		ret = sleep_for_it(member, deadline, &word);
		if (!ret)
			ret = depart(member, word);
	}
	if (has_slept)
		hbsi_spin_slept(&spin);
	if (!ret && (noted || spin.waited >= spin.policy->long_wait))
		hbsi_waits_end(member, before, &spin, has_slept);
	return ret;
}

/* A member that has arrived, or whose group is broken, cannot arrive */
int hbsi_refuse(const struct hbs_member *member)
{
	return member->arrived < 0 ? member->arrived : -EALREADY;
}

static int wait_for_it(struct hbs_member *member, uint64_t deadline)
{
	int ret = member->seat ? hbsi_soft_wait(member, deadline)
			       : wait_card(member, order_depart(member->record), deadline);

	return checked_departure(member, ret);
}

static int barwait_checked(struct hbs_member *member)
{
	int ret = hbsi_arrive(member, 0);

	return ret ? ret : hbsi_finish(member);
}

/* In software, with a completion function, and if the card polls for arrivals */
static __attribute__((noinline)) int barwait_other(struct hbs_member *member)
{
	if (unlikely(member->group->type != HBS_BARRIER))
		return -EOPNOTSUPP;
	if (unlikely(hbsi_checked))
		return barwait_checked(member);
	if (likely(member->seat))
		return hbsi_soft_barwait(member);
	arrive(member, 0);
	member->arrived = 1;
	return wait_card(member, order_depart(member->record), DEADLINE_NEVER);
}

/* A card's path needs no stack: all calls are tail calls, or on the other path */
int hbs_barwait(struct hbs_member *member)
{
	uint64_t word;

	if (unlikely(!member))
		return -EINVAL;
	if (unlikely(member->arrived))
		return hbsi_refuse(member);
	if (unlikely(!member->plain_lane))
		return barwait_other(member);
	order_arrive(member->lane, 0);
	word = order_depart(member->record);
	if (likely(word == member->word + HBS_WORD_EPOCH_ONE)) {
		member->word = word;
		return 0;
	}
	member->arrived = 1;
	return wait_card(member, word, DEADLINE_NEVER);
}

int hbsi_lost(struct hbs_member *member)
{
	uint64_t word;

	if (member->seat)
		return hbsi_soft_lost(member);
	word = told(member, order_depart(member->record), member->word);

	return lost(word, member->word);
}

/* Arrive at the barrier after the last epoch that the member was in, unless that is lost */
int hbsi_arrive(struct hbs_member *member, uint64_t value)
{
	int ret;

	if (member->group->type != HBS_BARRIER)
		return -EOPNOTSUPP;
	if (member->arrived)
		return hbsi_refuse(member);
	checked_arrival(member);
	if (member->seat) {
		ret = hbsi_soft_arrive(member, value);
	} else {
		ret = hbsi_lost(member);
		if (!ret)
			arrive(member, value);
	}
	if (!ret)
		member->arrived = 1;
	else
		checked_departure(member, ret);
	return ret;
}

/* The same, for members that will do something else before they wait */
int hbsi_arrive_early(struct hbs_member *member, uint64_t value)
{
	if (!member->arrived && member->seat && hbsi_soft_has_to_wait(member))
		return -EOPNOTSUPP;
	return hbsi_arrive(member, value);
}

int hbsi_finish(struct hbs_member *member)
{
	return wait_for_it(member, DEADLINE_NEVER);
}

int hbs_arrive(struct hbs_member *member)
{
	return member ? hbsi_arrive_early(member, 0) : -EINVAL;
}

/* A member that has not arrived has nothing to depart from */
static int not_arrived(struct hbs_member *member)
{
	int ret = member->arrived;

	if (!ret)
		ret = hbsi_lost(member);
	return ret ? checked_departure(member, ret) : -EINVAL;
}

static int test(struct hbs_member *member)
{
	if (member->seat)
		return hbsi_soft_test(member);
	return depart(member, order_depart(member->record));
}

int hbsi_depart(struct hbs_member *member)
{
	int ret = member->seat ? hbsi_soft_depart(member)
			       : depart(member, order_depart(member->record));

	return checked_departure(member, ret);
}

int hbs_test(struct hbs_member *member)
{
	int ret;

	if (!member)
		return -EINVAL;
	if (member->arrived <= 0)
		return not_arrived(member);
	ret = checked_departure(member, test(member));
	if (ret == HBSI_PENDING || ret == HBSI_IN_COMPLETION)
		return 0;
	return ret ? ret : 1;
}

int hbs_wait(struct hbs_member *member)
{
	if (!member)
		return -EINVAL;
	if (member->arrived <= 0)
		return not_arrived(member);
	if (member->plain && member->seat)
		return hbsi_soft_wait(member, DEADLINE_NEVER);
	return wait_for_it(member, DEADLINE_NEVER);
}

int hbs_wait_for(struct hbs_member *member, uint64_t timeout_ns)
{
	if (!member)
		return -EINVAL;
	if (member->arrived <= 0)
		return not_arrived(member);
	return wait_for_it(member, deadline_after(timeout_ns));
}
