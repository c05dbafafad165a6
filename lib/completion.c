// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Completion functions: one member calls the function once a barrier, when all have
 * arrived, and before any member departs.
 *
 * The group's members belong to one process. When its epoch word shows that all have
 * arrived, the members also have to pass a gate. The first member that finds it closed
 * for this epoch claims it, calls the function and opens the gate; the others wait in
 * front of it. A member that has arrived and is busy elsewhere holds nobody up.
 *
 * The gate is a word: the last epoch that the function was called for, with GATE_BUSY
 * while a member is in it for that one. It moves by one epoch at a time, so that it
 * does not pass over a barrier which all members leave instead of departing: the next
 * member that leaves or departs calls the function for it. A reset of the group skips
 * epochs; the lock keeps joiners out until it is known which ones.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "futex.h"
#include "internal.h"

#define GATE_BUSY 1ULL

struct completion {
	const struct hbs_group *group;
	void (*call)(void *arg);
	void *arg;
	_Atomic uint64_t gate;
	_Atomic uint64_t first; /* the epoch in which the group started, or was reset */
	atomic_uint sleepers;
	pthread_mutex_t lock;
};

struct completion *hbsi_completion_new(const struct hbs_group *group, void (*call)(void *arg),
				       void *arg)
{
	struct completion *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	checker_ignore(new, sizeof(*new));
	new->group = group;
	new->call = call;
	new->arg = arg;
	pthread_mutex_init(&new->lock, NULL);
	return new;
}

void hbsi_completion_free(struct completion *completion)
{
	if (!completion)
		return;
	pthread_mutex_destroy(&completion->lock);
	checker_heed(completion, sizeof(*completion));
	free(completion);
}

void hbsi_completion_start(struct completion *completion, uint64_t word)
{
	atomic_store(&completion->first, word & ~WORD_STATUS);
}

static void call(struct completion *completion, uint64_t over)
{
	/* a thread that is cancelled inside it would leave the gate closed */
	int cancel = cancel_off();

	if (hbsi_checked)
		hbsi_checker_call(completion->group, over);
	completion->call(completion->arg);
	if (hbsi_checked)
		hbsi_checker_called(completion->group, over);
	cancel_restore(cancel);
}

/* Where the gate is, for members that want to get to @over: a reset skips epochs */
static uint64_t gate_before(struct completion *completion, uint64_t gate, uint64_t over)
{
	uint64_t first = atomic_load(&completion->first);

	return (int64_t)(gate - first) < 0 && (int64_t)(over - first) >= 0 ? first : gate;
}

bool hbsi_completion_done(struct completion *completion, uint64_t over)
{
	uint64_t gate = atomic_load_explicit(&completion->gate, memory_order_acquire);

	while (!(gate & GATE_BUSY)) {
		uint64_t next = gate_before(completion, gate, over);

		if ((int64_t)(next - over) >= 0)
			return true;
		next += HBS_WORD_EPOCH_ONE;
		if (!atomic_compare_exchange_weak_explicit(&completion->gate, &gate,
							   next | GATE_BUSY, memory_order_acquire,
							   memory_order_acquire))
			continue;
		call(completion, next);
		/* ordered with the sleepers, which count themselves before they look */
		atomic_store(&completion->gate, next);
		if (atomic_load(&completion->sleepers))
			futex_wake_all(&completion->gate, FUTEX_PRIVATE_FLAG);
		gate = next;
	}
	return false;
}

void hbsi_completion_sleep(struct completion *completion, uint64_t deadline)
{
	uint64_t gate;

	atomic_fetch_add(&completion->sleepers, 1);
	gate = atomic_load(&completion->gate);
	if (gate & GATE_BUSY)
		futex_wait(&completion->gate, gate, deadline, FUTEX_PRIVATE_FLAG);
	atomic_fetch_sub(&completion->sleepers, 1);
}

void hbsi_completion_settle(struct completion *completion, uint64_t over)
{
	while (!hbsi_completion_done(completion, over))
		hbsi_completion_sleep(completion, DEADLINE_NEVER);
}

void hbsi_completion_lock(struct completion *completion)
{
	if (completion)
		pthread_mutex_lock(&completion->lock);
}

void hbsi_completion_unlock(struct completion *completion)
{
	if (completion)
		pthread_mutex_unlock(&completion->lock);
}
