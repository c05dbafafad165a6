// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleeping until an epoch is over: ioctl, read and poll.
 *
 * A sleeper looks at the record, arms the completion interrupt for the epoch that
 * it saw, and looks again before it sleeps. The card answers an arming that comes
 * too late with an interrupt at once, so the sleeper misses no completion. It looks
 * at the record only, never at a register. A read arms the interrupt for the epoch
 * that comes next, on behalf of threads that poll for edges.
 *
 * With HBS_DEPARTURE_CSR the card writes no record. The driver writes it, from the
 * registers, when somebody is about to look, and in the interrupt before it wakes
 * the sleepers.
 */
#include <linux/hrtimer.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "hbs.h"
#include "trace.h"

u64 hbs_word_epoch(u64 word)
{
	return word & ~(HBS_WORD_EPOCH_ONE - 1);
}

/* The group's epoch word. The record may move to the stand-in at any time. */
u64 hbs_group_word(struct hbs_group *group)
{
	u64 word;

	rcu_read_lock();
	/* Acquire: after this, the caller sees what members wrote before they arrived. */
	word = smp_load_acquire(rcu_dereference(group->record));
	rcu_read_unlock();
	return word;
}

/*
 * Bring the record that the kernel looks at up to date from the registers. The caller holds
 * card->lock and has found the card alive, or is the interrupt.
 */
void hbs_group_update(struct hbs_group *group)
{
	u64 word, result, now, *record;
	unsigned long flags;
	bool has_result;

	has_result = hbs_regs_group_outcome(group->card, group->id, &word,
					    group->reduce ? &result : NULL);
	if (word == U64_MAX)
		return;

	rcu_read_lock();
	spin_lock_irqsave(&group->record_lock, flags);
	record = rcu_dereference(group->record);
	now = READ_ONCE(*record);
	/*
	 * Others do the same, so never go back. A broken word stays the last in its
	 * record, for @word may be from after a reset of the group.
	 */
	if (now <= word && !(now & HBS_WORD_BROKEN)) {
		if (has_result) {
			WRITE_ONCE(record[HBS_RECORD_RESULT / sizeof(u64)], result);
			group->result_word = hbs_word_epoch(word);
		}
		/* Release: who sees the word finds the result. */
		smp_store_release(record, word);
	}
	spin_unlock_irqrestore(&group->record_lock, flags);
	rcu_read_unlock();
}

/* The same, unless the card does it. */
void hbs_group_sync(struct hbs_group *group)
{
	if (group->departure == HBS_DEPARTURE_CSR)
		hbs_group_update(group);
}

/*
 * The result of the epoch that the kernel's record shows. Returns that epoch's word, or 0 if
 * the kernel does not have the result: while the card writes records, the result may be the
 * next one already.
 */
u64 hbs_group_result(struct hbs_group *group, u64 *result)
{
	unsigned long flags;
	u64 word, *record;
	bool is_there;

	*result = 0;
	if (!group->reduce)
		return 0;

	rcu_read_lock();
	spin_lock_irqsave(&group->record_lock, flags);
	record = rcu_dereference(group->record);
	/* Acquire: the card, or end.c, stored the result before. */
	word = smp_load_acquire(record);
	if (group->departure == HBS_DEPARTURE_CSR)
		is_there = group->result_word == hbs_word_epoch(word);
	else
		is_there = word & HBS_WORD_BROKEN;
	if (is_there)
		*result = READ_ONCE(record[HBS_RECORD_RESULT / sizeof(u64)]);
	spin_unlock_irqrestore(&group->record_lock, flags);
	rcu_read_unlock();
	return is_there ? hbs_word_epoch(word) : 0;
}

/* The same, for a caller that is about to look and holds no lock. */
static void hbs_group_refresh(struct hbs_group *group)
{
	struct hbs_card *card = group->card;

	if (group->departure != HBS_DEPARTURE_CSR)
		return;
	down_read(&card->lock);
	if (!hbs_card_check(card, group->generation))
		hbs_group_sync(group);
	up_read(&card->lock);
}

/* The word of a group that breaks in the epoch of @word; the first reason stays. */
u64 hbs_word_broken(u64 word, u32 reason)
{
	if (word & HBS_WORD_BROKEN)
		return word;
	return word | HBS_WORD_BROKEN | (u64)reason << HBS_WORD_REASON_SHIFT;
}

/* Is this word from before the latest reset of the group? */
static bool hbs_group_former(struct hbs_group *group, u64 word)
{
	/* Acquire: group->ended, which was stored before, is of that reset or a later one. */
	return hbs_word_epoch(word) < smp_load_acquire(&group->first);
}

/*
 * The epoch word for somebody who has seen @seen. If @seen is from before a reset of the
 * group, return the last word of the former record: from the present word, a member that
 * looks late would not learn that it is no member any more.
 */
static u64 hbs_group_look(struct hbs_group *group, u64 seen)
{
	u64 word = hbs_group_word(group);

	return hbs_group_former(group, seen) ? READ_ONCE(group->ended) : word;
}

/* Has the timer expired in the epoch of @word? */
static bool hbs_group_late(struct hbs_group *group, u64 word)
{
	return hbs_word_epoch(word) == READ_ONCE(group->expired) ||
	       hbs_word_errno(word) == -ETIMEDOUT;
}

/* The error that users of a group get, 0 while all is well. */
int hbs_word_errno(u64 word)
{
	if (!(word & HBS_WORD_BROKEN))
		return 0;

	switch ((word & HBS_WORD_REASON) >> HBS_WORD_REASON_SHIFT) {
	case HBS_REASON_TIMEOUT:
		return -ETIMEDOUT;
	case HBS_REASON_DIED:
		return -EOWNERDEAD;
	case HBS_REASON_RESET:
		return -ECONNRESET;
	case HBS_REASON_GONE:
		return -ENODEV;
	case HBS_REASON_DESTROYED:
		return -EIDRM;
	case HBS_REASON_OVERFLOW:
		return -EOVERFLOW;
	default:
		return -EIO;
	}
}

/* Ask for an interrupt when the epoch of @word is over. For a dead group it is over. */
static void hbs_group_arm(struct hbs_group *group, u64 word)
{
	struct hbs_card *card = group->card;

	down_read(&card->lock);
	if (!hbs_card_check(card, group->generation))
		hbs_regs_group_arm(card, group->id, word);
	up_read(&card->lock);
}

/*
 * Does @now tell news to somebody who has seen @seen? The card writes the group's record
 * last. A member that its own record has released may come here before that: what this
 * record shows then is the past. A join tells the epoch without the votes of the last one.
 */
static bool hbs_word_is_news(u64 now, u64 seen)
{
	const u64 votes = HBS_WORD_VOTE_ALL | HBS_WORD_VOTE_ANY;

	if (now & HBS_WORD_BROKEN)
		return true;
	return (now ^ seen) & ~votes && hbs_word_epoch(now) >= hbs_word_epoch(seen);
}

static bool hbs_group_over(struct hbs_group *group, u64 word)
{
	return hbs_word_is_news(hbs_group_look(group, word), word);
}

/*
 * Wake the threads that poll once the group shows a later word than @word, which it may
 * do already. Edge-triggered epoll and multishot polls of io_uring call
 * hbs_group_poll() only after a wake-up, so read has to arrange the next one. They are in
 * the queue all the time: if the queue is empty, nobody needs an interrupt.
 */
static void hbs_group_expect(struct hbs_group *group, u64 word)
{
	u64 now;

	if (!wq_has_sleeper(&group->wq))
		return;
	now = hbs_group_look(group, word);
	if (now != word && hbs_word_is_news(now, word))
		wake_up_all(&group->wq);
	else if (!(word & HBS_WORD_BROKEN))
		hbs_group_arm(group, word);
}

/*
 * Somebody is about to sleep for the end of the epoch of @word: note when, for those who ask why
 * it does not end. Not if that epoch is over, or yet to come.
 */
static void hbs_group_note_sleep(struct hbs_group *group, u64 word)
{
	unsigned long flags;

	word = hbs_word_epoch(word);
	if (READ_ONCE(group->slept_word) == word ||
	    hbs_word_epoch(hbs_group_look(group, word)) != word)
		return;
	spin_lock_irqsave(&group->record_lock, flags);
	if (group->slept_word != word) {
		group->slept_since = ktime_get();
		WRITE_ONCE(group->slept_word, word);
	}
	spin_unlock_irqrestore(&group->record_lock, flags);
}

/* How long ago did the first one begin to sleep for the end of the epoch of @word? */
bool hbs_group_slept(struct hbs_group *group, u64 word, u64 *since_ns)
{
	unsigned long flags;
	bool slept;

	spin_lock_irqsave(&group->record_lock, flags);
	slept = group->slept_word == hbs_word_epoch(word);
	*since_ns = ktime_to_ns(ktime_sub(ktime_get(), group->slept_since));
	spin_unlock_irqrestore(&group->record_lock, flags);
	return slept;
}

/* Does the one who waits with this open file, and has seen @word, have to wait no more? */
static bool hbs_group_file_ready(struct hbs_group_file *gfile, u64 word)
{
	return hbs_group_over(gfile->group, word) || hbs_group_file_woken(gfile);
}

static int hbs_group_file_wait(struct hbs_group_file *gfile, u64 word, ktime_t left)
{
	struct hbs_group *group = gfile->group;
	struct wait_queue_entry as_member;
	int ret;

	if (!gfile->member)
		return wait_event_interruptible_hrtimeout(group->wq, hbs_group_over(group, word),
							  left);

	init_waitqueue_entry(&as_member, current);
	add_wait_queue(&gfile->member->wq, &as_member);
	ret = wait_event_interruptible_hrtimeout(group->wq, hbs_group_file_ready(gfile, word),
						 left);
	remove_wait_queue(&gfile->member->wq, &as_member);
	return ret;
}

/*
 * Sleep until the group shows news for somebody who has seen @word, or the member whose
 * open file it is was woken; return -ETIMEDOUT if there is neither at the deadline.
 */
static int hbs_group_sleep(struct hbs_group_file *gfile, u64 word, ktime_t deadline)
{
	struct hbs_group *group = gfile->group;
	struct hbs_card *card = group->card;
	ktime_t left = KTIME_MAX;
	int ret;

	if (hbs_group_file_ready(gfile, word))
		return 0;
	if (deadline != KTIME_MAX) {
		left = ktime_sub(deadline, ktime_get());
		if (left <= 0)
			return -ETIMEDOUT;
	}
	hbs_group_arm(group, word);
	if (hbs_group_file_ready(gfile, word))
		return 0;

	hbs_group_note_sleep(group, word);
	atomic64_inc(&group->waits);
	atomic_inc(&card->waiters);
	trace_hbs_sleep(group, word);
	ret = hbs_group_file_wait(gfile, word, left);
	if (ret == -ETIME)
		ret = -ETIMEDOUT;
	trace_hbs_awake(group, word, ret);
	atomic_dec(&card->waiters);
	return ret;
}

/* Likewise for the result: the latest, or that from before the reset. */
static void hbs_group_tell_result(struct hbs_group *group, struct hbs_group_wait *cmd)
{
	unsigned long flags;

	cmd->result_word = hbs_group_result(group, &cmd->result);
	if (!hbs_group_former(group, cmd->word))
		return;
	spin_lock_irqsave(&group->record_lock, flags);
	cmd->result = group->ended_result;
	cmd->result_word = group->ended_result_word;
	spin_unlock_irqrestore(&group->record_lock, flags);
}

int hbs_group_wait_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group_file *gfile = ucmd->file->private_data;
	struct hbs_group *group = gfile->group;
	struct hbs_group_wait *cmd = ucmd->cmd;
	struct hbs_card *card = group->card;
	ktime_t deadline = KTIME_MAX;
	u64 word;
	int ret, err;

	if (cmd->flags)
		return -EOPNOTSUPP;

	if (cmd->deadline_ns && cmd->deadline_ns < KTIME_MAX)
		deadline = ns_to_ktime(cmd->deadline_ns);
	hbs_group_refresh(group);
	ret = hbs_group_sleep(gfile, cmd->word, deadline);
	if (ret && ret != -ETIMEDOUT)
		return ret;

	/* A wake that comes at the last moment, too: this call takes the mark. */
	if (hbs_group_file_take_wake(gfile))
		ret = 0;
	/* If the epoch is over, that takes precedence over a wake and over the deadline. */
	word = hbs_group_look(group, cmd->word);
	hbs_group_tell_result(group, cmd);
	if (!hbs_word_is_news(word, cmd->word))
		return hbs_ucmd_respond(ucmd) ?: ret;

	cmd->word = word;
	err = hbs_word_errno(word);
	if (word & HBS_WORD_BROKEN) {
		/* The death of the card takes precedence. */
		down_read(&card->lock);
		err = hbs_card_check(card, group->generation) ?: err;
		up_read(&card->lock);
	}
	return hbs_ucmd_respond(ucmd) ?: err;
}

ssize_t hbs_group_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct hbs_group_file *gfile = file->private_data;
	struct hbs_group *group = gfile->group;
	u64 word, now;
	int ret;

	if (count < sizeof(word))
		return -EINVAL;

	word = READ_ONCE(gfile->seen);
	hbs_group_refresh(group);
	if (file->f_flags & O_NONBLOCK) {
		if (!hbs_group_file_ready(gfile, word)) {
			hbs_group_expect(group, word);
			return -EAGAIN;
		}
	} else {
		ret = hbs_group_sleep(gfile, word, KTIME_MAX);
		if (ret)
			return ret;
	}

	hbs_group_file_take_wake(gfile);
	now = hbs_group_look(group, word);
	if (hbs_word_is_news(now, word))
		word = now;
	if (copy_to_user(buf, &word, sizeof(word)))
		return -EFAULT;
	/* This was the last word from before a reset; the next read gives the present one. */
	if (hbs_group_former(group, word))
		word = READ_ONCE(group->first) | HBS_WORD_BROKEN;
	WRITE_ONCE(gfile->seen, word);
	hbs_group_expect(group, word);
	return sizeof(word);
}

ssize_t hbs_group_write(struct file *file, const char __user *buf, size_t count,
			loff_t *pos)
{
	struct hbs_group_file *gfile = file->private_data;
	u64 word;

	if (count != sizeof(word))
		return -EINVAL;
	if (copy_from_user(&word, buf, sizeof(word)))
		return -EFAULT;
	WRITE_ONCE(gfile->seen, word);
	/* Somebody may be polling for another word. */
	wake_up_all(&gfile->group->wq);
	return sizeof(word);
}

__poll_t hbs_group_poll(struct file *file, struct poll_table_struct *table)
{
	struct hbs_group_file *gfile = file->private_data;
	struct hbs_group *group = gfile->group;
	u64 seen = READ_ONCE(gfile->seen);
	__poll_t events = 0;
	u64 word;

	poll_wait(file, &group->wq, table);
	if (gfile->member)
		poll_wait(file, &gfile->member->wq, table);
	hbs_group_refresh(group);
	/*
	 * Not for the epoch of @seen, which userspace may have put into the future: the card
	 * would interrupt at once, again and again, and poll would never sleep.
	 */
	if (!hbs_group_over(group, seen)) {
		hbs_group_arm(group, hbs_group_look(group, seen));
		hbs_group_note_sleep(group, seen);
	}

	word = hbs_group_look(group, seen);
	if (hbs_word_is_news(word, seen) || hbs_group_file_woken(gfile))
		events |= EPOLLIN | EPOLLRDNORM;
	if (word & HBS_WORD_BROKEN)
		events |= EPOLLIN | EPOLLRDNORM | EPOLLERR;
	if (hbs_group_late(group, word))
		events |= EPOLLPRI;
	return events;
}
