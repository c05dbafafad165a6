// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Refutable groups, for programs that have messages of their own: a member says that it is
 * idle, may take that back, and departs when the group has found that all are idle and that
 * no message is in flight. The functions that test and wait are those of a barrier.
 */
#include <errno.h>

#include "deadline.h"
#include "internal.h"
#include "order.h"
#include "spin.h"
#include "ticks.h"

/* The words of a lane, from its ARRIVAL word on */
#define OPERAND	 (HBS_LANE_OPERAND / sizeof(uint64_t))
#define WITHDRAW (HBS_LANE_WITHDRAW / sizeof(uint64_t))

/* The sum of what the member says, or false: it is out of range */
static bool has_delta(const struct hbs_idle *idle, int64_t *delta)
{
	*delta = (int64_t)(idle->sent - idle->freed);
	/* the difference of two numbers that are both large may be small */
	if ((idle->sent < idle->freed) != (*delta < 0))
		return false;
	return idle_sum_fits(*delta);
}

static int begin_on_card(struct hbs_member *member, const struct hbs_idle *idle, int64_t delta)
{
	uint64_t word;
	int ret = hbsi_lost(member);

	if (ret)
		return ret;
	if (member->group->reduce)
		order_arrive(member->lane + OPERAND, idle->value);
	word = ((uint64_t)delta & HBS_IDLE_DELTA) | (idle->freed ? HBS_IDLE_FREED : 0) |
	       (idle->vote ? HBS_IDLE_VOTE : 0);
	order_arrive(member->lane, word);
	return 0;
}

int hbs_begin_idle(struct hbs_member *member, const struct hbs_idle *idle)
{
	int64_t delta;
	int ret;

	if (!member || !idle || idle->vote > 1 || idle->reserved)
		return -EINVAL;
	if (member->group->type != HBS_REFUTABLE || (idle->value && !member->group->reduce))
		return -EOPNOTSUPP;
	if (!has_delta(idle, &delta))
		return -EOVERFLOW;
	if (member->arrived)
		return hbsi_refuse(member);
	if (member->plain)
		return hbsi_soft_begin_plain(member, delta, idle->vote);
	checked_arrival(member);
	ret = member->seat ? hbsi_soft_begin_idle(member, idle)
			   : begin_on_card(member, idle, delta);
	member->arrived = ret;
	if (ret)
		return checked_departure(member, ret);
	member->arrived = 1;
	return 0;
}

static int withdraw_on_card(struct hbs_member *member)
{
	int ret = hbs_test(member);

	if (!ret)
		order_withdraw(member->lane + WITHDRAW);
	return ret;
}

int hbs_withdraw(struct hbs_member *member)
{
	int ret;

	if (!member)
		return -EINVAL;
	if (member->group->type != HBS_REFUTABLE)
		return -EOPNOTSUPP;
	if (member->arrived <= 0) {
		ret = member->arrived ? member->arrived : hbsi_lost(member);
		return ret ? ret : -EINVAL;
	}
	ret = member->seat ? hbsi_soft_withdraw(member) : withdraw_on_card(member);
	if (!ret)
		member->arrived = 0;
	return ret;
}

int hbs_votes(const struct hbs_member *member, int *all, int *any)
{
	uint64_t votes;
	int ret;

	if (!member)
		return -EINVAL;
	if (member->group->type != HBS_REFUTABLE)
		return -EOPNOTSUPP;
	if (member->arrived < 0)
		return member->arrived;
	if (member->arrived || member->word == member->joined)
		return -EINVAL;
	votes = member->votes;
	ret = member->seat ? hbsi_soft_votes(member, &votes) : 0;
	if (ret)
		return ret;
	if (all)
		*all = !!(votes & HBS_WORD_VOTE_ALL);
	if (any)
		*any = !!(votes & HBS_WORD_VOTE_ANY);
	return 0;
}

/* A member that waits for the end of its epoch, or for a message */
struct rest {
	struct hbs_member *member;
	const struct idle_source *source;
	bool is_over;
};

static int look(void *arg)
{
	struct rest *rest = arg;
	int ret = rest->source->has_message(rest->source->arg);

	if (ret)
		return ret < 0 ? ret : 0;
	ret = hbsi_depart(rest->member);
	rest->is_over = !ret;
	return ret;
}

/* The CPU could monitor the record, but not each queue that a message may come by */
static int watch_nothing(void *arg, uint64_t time)
{
	(void)time;
	ticks_pause();
	return look(arg);
}

/* Returned inside this file: it is no time to sleep, and nothing has come either */
#define STIRRED 4

/*
 * After the member has noted the state of the bell. A sender that found it asleep some time ago
 * may take its word back now, and ring later, when it does not lie any more for the others.
 */
static int look_lying(void *arg)
{
	struct rest *rest = arg;
	int ret = look(rest);

	return ret == HBSI_PENDING && !rest->source->lies(rest->source->arg) ? STIRRED : ret;
}

static int sleep_in_software(struct rest *rest, uint64_t until)
{
	struct hbs_member *member = rest->member;
	uint64_t duty = hbsi_soft_next_duty_of(member);
	int ret = hbsi_soft_sleep_while(member, deadline_earlier(duty, until), look_lying, rest);

	if (ret != HBSI_PENDING && ret != STIRRED)
		return ret;
	hbsi_soft_do_duties(member->group, member->word);
	return look(rest);
}

/* Until the epoch is over or a message comes; or shorter, for nothing */
static int sleep_once(struct rest *rest)
{
	struct hbs_member *member = rest->member;
	uint64_t until = rest->source->lie_down(rest->source->arg);
	uint64_t word;
	int ret;

	if (member->seat)
		return sleep_in_software(rest, until);
	ret = look(rest);
	if (ret != HBSI_PENDING)
		return ret;
	ret = group_ops(member->group)->sleep(member, until, &word);
	if (ret) {
		member->arrived = ret;
		return ret;
	}
	return look(rest);
}

int hbsi_wait_idle(struct hbs_member *member, const struct idle_source *source)
{
	struct rest rest = { .member = member, .source = source };
	struct hbs_group *group = member->group;
	bool has_slept = false;
	struct spin spin;
	int ret;

	/* its own arrival may have ended the epoch: others must not run before it goes on */
	ret = look(&rest);
	if (ret != HBSI_PENDING)
		return ret ? ret : rest.is_over;
	hbsi_spin_begin(&spin, &group->hbs->spin, &group->learnt, group->seats,
			(uint32_t)(member->word >> HBS_WORD_EPOCH_SHIFT));
	if (member->seat)
		hbsi_spin_look_first(&spin, hbsi_soft_still_out(member));
	ret = spin_stay(&spin, look, watch_nothing, &rest);
	while (ret == HBSI_PENDING) {
		if (spin.policy->never_sleeps) {
			hbsi_spin_let_others_run();
			ret = spin_stay(&spin, look, watch_nothing, &rest);
			continue;
		}
		has_slept = true;
		ret = sleep_once(&rest);
	}
	if (has_slept)
		hbsi_spin_slept(&spin);
	return ret ? ret : rest.is_over;
}
