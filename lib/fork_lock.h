/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks for what a whole process shares. fork() takes none of them: a program's own fork
 * handlers may use the library, and may wait for a lock of the program that another thread
 * holds while it uses the library.
 *
 * So a child finds the lock, and what it protects, as a thread of the parent left them. The
 * first thread of the child that takes the lock, or calls hbsi_fork_adopt(), first repairs
 * both. So each single store to protected memory has to leave a state from which the child
 * can go on.
 */
#ifndef HBS_FORK_LOCK_H
#define HBS_FORK_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct fork_lock {
	pthread_mutex_t mutex;
	/*
	 * number of the process that has the lock; 0: nobody has used it; below 0: a child is
	 * adopting it
	 */
	_Atomic int32_t home;
	void (*adopt)(void);
};

/* In a child, @function repairs what the lock protects; NULL: there is nothing to repair */
#define FORK_LOCK(function)                                           \
	{                                                             \
		.mutex = PTHREAD_MUTEX_INITIALIZER, .adopt = function \
	}

void hbsi_fork_lock(struct fork_lock *lock);
void hbsi_fork_unlock(struct fork_lock *lock);

/* In a child: make the lock the child's, unless that is done already */
void hbsi_fork_adopt(struct fork_lock *lock);

/* A word that is 0 again in a child, if the kernel has memory for that; there is one such word */
_Atomic int32_t *hbsi_fork_word(void);

/* Between two stores, if a child that finds the second one must also find the first */
static inline void fork_order(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

#endif /* HBS_FORK_LOCK_H */
