// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Completion functions: called once a barrier, when all have arrived, and before any
 * member departs.
 *
 * The group's members are of one process. When its epoch word shows that all have
 * arrived, they have to pass a gate as well: who finds it closed for this epoch claims
 * it, calls the function and opens it; the others wait in front of it. A member that
 * has arrived and is busy elsewhere holds nobody up.
 *
 * The gate is a word: the epoch word that may be departed to, with GATE_BUSY set
 * while a member is in the function.
 *
 * Of a barrier that all members leave, instead of departing from it, the last has to
 * see to it, before others join and complete the next one: hence a lock.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "futex.h"
#include "internal.h"

#define GATE_BUSY 1ULL

struct completion {
	void (*call)(void *arg);
	void *arg;
	_Atomic uint64_t gate;
	atomic_uint sleepers;
	pthread_mutex_t lock;
};

struct completion *hbsi_completion_new(void (*call)(void *arg), void *arg)
{
	struct completion *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->call = call;
	new->arg = arg;
	pthread_mutex_init(&new->lock, NULL);
	return new;
}

void hbsi_completion_free(struct completion *completion)
{
	if (completion)
		pthread_mutex_destroy(&completion->lock);
	free(completion);
}

static void call(struct completion *completion)
{
	/* a thread that is cancelled in it would leave the gate closed */
	int cancel = cancel_off();

	completion->call(completion->arg);
	cancel_restore(cancel);
}

bool hbsi_completion_done(struct completion *completion, uint64_t over)
{
	uint64_t gate = atomic_load_explicit(&completion->gate, memory_order_acquire);

	do {
		if (gate & GATE_BUSY)
			return false;
		if ((int64_t)(gate - over) >= 0)
			return true;
	} while (!atomic_compare_exchange_weak_explicit(&completion->gate, &gate, over | GATE_BUSY,
							memory_order_acquire,
							memory_order_acquire));
	call(completion);
	/* ordered with the sleepers, who count themselves before they look */
	atomic_store(&completion->gate, over);
	if (atomic_load(&completion->sleepers))
		futex_wake_all(&completion->gate);
	return true;
}

void hbsi_completion_sleep(struct completion *completion, uint64_t deadline)
{
	uint64_t gate;

	atomic_fetch_add(&completion->sleepers, 1);
	gate = atomic_load(&completion->gate);
	if (gate & GATE_BUSY)
		futex_wait(&completion->gate, gate, deadline);
	atomic_fetch_sub(&completion->sleepers, 1);
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
