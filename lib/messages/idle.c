// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Idle members of a team: messages, and the refutable group that counts them.
 *
 * A member that goes to sleep sets a word of its seat (it lies), has the other threads pass a
 * fence, looks for messages once more, and sleeps. A sender that has queued a message looks at
 * that word; if it is set, the sender takes it back and wakes the sleeper. See fence.h for why
 * neither misses the other.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "../deadline.h"
#include "../fence.h"
#include "../internal.h"
#include "../ticks.h"
#include "messages.h"

/* How often a member that nobody wakes looks for messages while it sleeps */
#define LOOK_NS 1000000

/*
 * How often a member that expects a message looks for it before it says that it is idle, at the
 * most: that is half a microsecond, in which a message comes from a CPU that has sent it by now
 */
#define PATIENCE_MOST 16

/* How often it lets others run instead, where members outnumber the CPUs */
#define YIELDS_MOST 2

/* Neither is there a message, nor is the epoch over */
#define STILL_IDLE 3

/* Of the barrier that the member is to depart from next, as its messages carry it */
static uint32_t epoch_of(const struct hbs_member *member)
{
	return (uint32_t)(member->word >> HBS_WORD_EPOCH_SHIFT);
}

int hbs_mailbox_bind(struct hbs_mailbox *mailbox, struct hbs_member *member)
{
	if (!mailbox || !member)
		return -EINVAL;
	if (member->group->type != HBS_REFUTABLE)
		return -EOPNOTSUPP;
	if (mailbox->bound || mailbox->held)
		return -EBUSY;
	mailbox->bound = member;
	hbsi_mailbox_set_epoch(mailbox, epoch_of(member));
	return 0;
}

/* By which others wake the member, or why they cannot: the answer stays */
static int number_of(struct hbs_mailbox *mailbox)
{
	const struct backend_ops *ops = group_ops(mailbox->bound->group);

	if (!mailbox->has_asked)
		mailbox->number = ops->number ? ops->number(mailbox->bound) : -EOPNOTSUPP;
	mailbox->has_asked = true;
	return mailbox->number;
}

/* Whether all that sends messages has passed a fence */
static bool make_fence(const struct hbs_messages *messages)
{
	struct messages_page *page = messages->memory;

	return !atomic_load(&page->shared) && !atomic_load(&page->deaf) && hbsi_fence_threads();
}

/* Senders may have taken the word back since the member set it */
static uint64_t lie_down(void *arg)
{
	struct hbs_mailbox *mailbox = arg;
	_Atomic uint32_t *asleep = &mailbox->layout.seats[mailbox->member].asleep;
	int number = number_of(mailbox);

	if (number < 0)
		return deadline_after(LOOK_NS);
	if (!mailbox->lies || atomic_load(asleep) != (uint32_t)number + 1) {
		mailbox->lies = true;
		atomic_store(asleep, (uint32_t)number + 1);
		mailbox->again = make_fence(mailbox->messages) ? DEADLINE_NEVER
							       : deadline_after(FENCE_DRAIN_NS);
	} else if (deadline_passed(mailbox->again)) {
		mailbox->again = DEADLINE_NEVER;
	}
	return mailbox->again;
}

static bool lies(void *arg)
{
	struct hbs_mailbox *mailbox = arg;
	uint32_t asleep = atomic_load(&mailbox->layout.seats[mailbox->member].asleep);

	/* or nobody can wake it, and it looks by itself */
	return mailbox->number < 0 || asleep == (uint32_t)mailbox->number + 1;
}

void hbsi_mailbox_rise(struct hbs_mailbox *mailbox)
{
	if (mailbox->lies)
		atomic_store(&mailbox->layout.seats[mailbox->member].asleep, 0);
	mailbox->lies = false;
}

static void wake(const struct hbs_mailbox *mailbox, uint32_t number)
{
	struct hbs_group *group = mailbox->bound->group;

	if (group_ops(group)->wake)
		group_ops(group)->wake(group, number);
}

void hbsi_mailbox_wake(struct hbs_mailbox *mailbox, uint32_t to)
{
	uint32_t asleep;

	if (!mailbox->bound)
		return;
	asleep = atomic_exchange(&mailbox->layout.seats[to].asleep, 0);
	if (asleep)
		wake(mailbox, asleep - 1);
}

/* What the mailbox has to say since it was asked last; the difference is what counts */
static struct hbs_idle report(struct hbs_mailbox *mailbox, int vote)
{
	struct hbs_idle idle = { .vote = (uint32_t)vote };
	bool has_freed;
	int64_t balance = hbsi_mailbox_balance(mailbox, &has_freed);

	if (balance < 0)
		idle.freed = (uint64_t)-balance;
	else if (has_freed)
		idle.freed = 1;
	idle.sent = (uint64_t)balance + idle.freed;
	return idle;
}

static int has_message(void *mailbox)
{
	return hbsi_mailbox_peek(mailbox);
}

/* The member is idle no more */
static void get_up(struct hbs_mailbox *mailbox)
{
	hbsi_mailbox_rise(mailbox);
	mailbox->rest = REST_NONE;
	if (mailbox->error == MAILBOX_RESTS)
		mailbox->error = 0;
}

/* The epoch is over: the member's messages are of the next one from here on */
static int begin_epoch(struct hbs_mailbox *mailbox)
{
	int all = 0;
	int ret = hbs_votes(mailbox->bound, &all, NULL);

	get_up(mailbox);
	hbsi_mailbox_set_epoch(mailbox, epoch_of(mailbox->bound));
	mailbox->expected = mailbox->freed - mailbox->freed_before;
	mailbox->freed_before = mailbox->freed;
	if (mailbox->patience < PATIENCE_MOST)
		mailbox->patience++;
	return ret ? ret : 1 + all;
}

/* A message of this epoch has come, so the epoch cannot be over */
static int refute(struct hbs_mailbox *mailbox)
{
	int ret = hbs_withdraw(mailbox->bound);

	get_up(mailbox);
	if (ret == 1)
		mailbox->error = -EBADMSG;
	return ret == 1 ? -EBADMSG : ret;
}

/* @ret: 0 for a message, 1 for the end of the epoch, or an error */
static int settle(struct hbs_mailbox *mailbox, int ret)
{
	if (ret == 1)
		return begin_epoch(mailbox);
	if (!ret)
		return refute(mailbox);
	get_up(mailbox);
	return ret;
}

int hbsi_mailbox_stir(struct hbs_mailbox *mailbox)
{
	if (mailbox->error != MAILBOX_RESTS)
		return mailbox->error;
	if (mailbox->rest == REST_OVER)
		return -EBUSY;
	if (hbs_withdraw(mailbox->bound) == 1) {
		mailbox->rest = REST_OVER;
		return -EBUSY;
	}
	/* if the group is broken, the next hbs_idle() says so */
	get_up(mailbox);
	return 0;
}

/* Each member may have a CPU, and may use it to wait */
static bool may_spin(const struct hbs_group *group)
{
	const struct spin_policy *policy = &group->hbs->spin;

	return group->seats <= policy->cpus && (policy->adapts || policy->never_sleeps);
}

static int look_some_more(struct hbs_mailbox *mailbox)
{
	uint32_t looks = mailbox->patience;
	int ret = 0;

	while (!ret && looks--) {
		ticks_pause();
		ret = has_message(mailbox);
	}
	return ret;
}

/*
 * Where members outnumber the CPUs, the senders may need this one. If they may all run now on
 * others, look before.
 */
static int let_others_send(struct hbs_mailbox *mailbox, uint64_t missing)
{
	struct hbs_group *group = mailbox->bound->group;
	uint32_t yields = mailbox->patience / (PATIENCE_MOST / YIELDS_MOST);
	struct spin spin;
	int ret = 0;

	hbsi_spin_begin(&spin, &group->hbs->spin, &group->learnt, group->seats,
			epoch_of(mailbox->bound));
	if (spin.pause)
		return 0;
	if (missing < group->hbs->spin.cpus)
		ret = look_some_more(mailbox);
	while (!ret && yields--) {
		hbsi_spin_yield(&spin);
		ret = has_message(mailbox);
	}
	return ret;
}

/*
 * To be idle and to withdraw that for a message takes longer than the message may still take to
 * come. So a member that has got fewer messages than in the last epoch looks for some more, and
 * less often if that was in vain.
 */
static int await_message(struct hbs_mailbox *mailbox)
{
	uint64_t got = mailbox->freed - mailbox->freed_before;
	int ret;

	if (got >= mailbox->expected)
		return 0;
	ret = may_spin(mailbox->bound->group) ? look_some_more(mailbox)
					      : let_others_send(mailbox, mailbox->expected - got);
	mailbox->patience = ret ? PATIENCE_MOST : mailbox->patience / 2;
	return ret;
}

static int say_idle(struct hbs_mailbox *mailbox, int vote, uint64_t value)
{
	uint64_t told = mailbox->told;
	bool has_freed = mailbox->has_freed;
	struct hbs_idle idle = report(mailbox, vote);
	int ret;

	idle.value = value;
	ret = hbs_begin_idle(mailbox->bound, &idle);
	if (ret) {
		mailbox->told = told;
		mailbox->has_freed = has_freed;
		return ret;
	}
	mailbox->rest = REST_IDLE;
	mailbox->vote = vote;
	mailbox->value = value;
	return STILL_IDLE;
}

/* Be idle with that vote and value, and go on with it if the member is idle so */
static int become_idle(struct hbs_mailbox *mailbox, int vote, uint64_t value, bool waits)
{
	int ret;

	if (!mailbox || !mailbox->bound || vote < 0 || vote > 1)
		return -EINVAL;
	if (value && !mailbox->bound->group->reduce)
		return -EOPNOTSUPP;
	if (mailbox->rest == REST_OVER)
		return begin_epoch(mailbox);
	if (mailbox->rest == REST_IDLE) {
		if (vote == mailbox->vote && value == mailbox->value)
			return STILL_IDLE;
		ret = hbs_withdraw(mailbox->bound);
		if (ret)
			return settle(mailbox, ret);
		get_up(mailbox);
	}
	ret = has_message(mailbox);
	if (!ret && mailbox->held)
		return -EBUSY;
	if (!ret && waits)
		ret = await_message(mailbox);
	if (ret)
		return ret < 0 ? ret : 0;
	return say_idle(mailbox, vote, value);
}

int hbs_idle_value(struct hbs_mailbox *mailbox, int vote, uint64_t value)
{
	struct idle_source source = {
		.has_message = has_message, .lie_down = lie_down, .lies = lies, .arg = mailbox
	};
	int ret = become_idle(mailbox, vote, value, true);

	if (ret != STILL_IDLE)
		return ret;
	return settle(mailbox, hbsi_wait_idle(mailbox->bound, &source));
}

int hbs_idle(struct hbs_mailbox *mailbox, int vote)
{
	return hbs_idle_value(mailbox, vote, 0);
}

int hbs_idle_try(struct hbs_mailbox *mailbox, int vote)
{
	int ret = become_idle(mailbox, vote, 0, false);

	if (ret != STILL_IDLE)
		return ret;
	ret = has_message(mailbox);
	if (ret)
		return settle(mailbox, ret < 0 ? ret : 0);
	ret = hbs_test(mailbox->bound);
	if (ret)
		return settle(mailbox, ret);
	mailbox->error = MAILBOX_RESTS;
	return -EAGAIN;
}

static bool need_not_wait(struct hbs_mailbox *mailbox)
{
	return mailbox->rest == REST_OVER || has_message(mailbox);
}

/*
 * The descriptor of a member that lies from now on. It is readable if a message has come before:
 * the backend may look at the word when it is asked, or take a wake from before that.
 */
static int descriptor_of(struct hbs_mailbox *mailbox)
{
	_Atomic uint32_t *asleep = &mailbox->layout.seats[mailbox->member].asleep;
	uint64_t until = lie_down(mailbox);
	int fd;

	if (until != DEADLINE_NEVER)
		usleep((useconds_t)(deadline_left(until) / 1000 + 1));
	if (need_not_wait(mailbox))
		atomic_store(asleep, 0);
	mailbox->polls = true;
	fd = group_ops(mailbox->bound->group)->idle_fd(mailbox->bound, asleep);
	if (fd >= 0 && need_not_wait(mailbox)) {
		atomic_store(asleep, 0);
		wake(mailbox, (uint32_t)mailbox->number);
	}
	return fd;
}

void hbsi_mailbox_end_poll(struct hbs_mailbox *mailbox)
{
	const struct backend_ops *ops = mailbox->polls ? group_ops(mailbox->bound->group) : NULL;

	if (ops && ops->idle_fd_end)
		ops->idle_fd_end(mailbox->bound);
}

int hbs_mailbox_fd(struct hbs_mailbox *mailbox)
{
	int cancel, ret;

	if (!mailbox || !mailbox->bound || mailbox->rest == REST_NONE)
		return -EINVAL;
	if (hbsi_is_foreign(mailbox->bound->group->hbs))
		return -ECHILD;
	if (!group_ops(mailbox->bound->group)->idle_fd)
		return -EOPNOTSUPP;
	cancel = cancel_off();
	/* the last time, the process may have had no descriptor free */
	if (mailbox->number < 0)
		mailbox->has_asked = false;
	ret = number_of(mailbox);
	if (ret >= 0)
		ret = descriptor_of(mailbox);
	cancel_restore(cancel);
	return ret;
}
