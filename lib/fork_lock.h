/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks of what a whole process shares. fork() takes none of them: a program's own fork
 * handlers may use the library, and may wait for a lock of the program that another thread
 * holds while it uses the library.
 *
 * A child so finds the lock as a thread of the parent had it, and what the lock protects as
 * that thread had left it. The first thread of the child that takes the lock, or calls
 * hbsi_fork_adopt(), makes both good before. So each single store to what the lock protects
 * has to leave it in a state that the child can go on from.
 */
#ifndef HBS_FORK_LOCK_H
#define HBS_FORK_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct fork_lock {
	pthread_mutex_t mutex;
	/* the process whose lock it is, by a number; 0: nobody has used it; below 0: it adopts it */
	_Atomic int32_t home;
	void (*adopt)(void);
};

/* @function makes good, in a child, what the lock protects; NULL: nothing is to be done */
#define FORK_LOCK(function)                                           \
	{                                                             \
		.mutex = PTHREAD_MUTEX_INITIALIZER, .adopt = function \
	}

void hbsi_fork_lock(struct fork_lock *lock);
void hbsi_fork_unlock(struct fork_lock *lock);

/* In a child: make it the child's, unless that is done already */
void hbsi_fork_adopt(struct fork_lock *lock);

/* A word that is 0 again in a child, if the kernel has memory for that; there is one */
_Atomic int32_t *hbsi_fork_word(void);

/* Between two stores of which the first has to be there for a child that finds the second */
static inline void fork_order(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

#endif /* HBS_FORK_LOCK_H */
