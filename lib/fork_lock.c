// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fork() copies the memory of the parent page by page, and what a thread of the parent stores
 * meanwhile either all comes along up to some store of it, or not: the kernel protects each
 * page against writing before it lets the child have it, and holds up who writes then. So the
 * child finds what a thread of the parent did in the order in which it was done.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "fork_lock.h"

/* By one thread of the child; others that come meanwhile wait for it */
static void adopt(struct fork_lock *lock, pid_t home, pid_t pid)
{
	if (home == -pid || !atomic_compare_exchange_strong(&lock->home, &home, -pid)) {
		while (atomic_load(&lock->home) != pid)
			sched_yield();
		return;
	}
	lock->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	if (lock->adopt)
		lock->adopt();
	atomic_store(&lock->home, pid);
}

void hbsi_fork_adopt(struct fork_lock *lock)
{
	pid_t home = atomic_load(&lock->home);
	pid_t pid = getpid();

	if (home && home != pid)
		adopt(lock, home, pid);
}

void hbsi_fork_lock(struct fork_lock *lock)
{
	pid_t nobody = 0;

	if (!atomic_load(&lock->home))
		atomic_compare_exchange_strong(&lock->home, &nobody, getpid());
	hbsi_fork_adopt(lock);
	pthread_mutex_lock(&lock->mutex);
}

void hbsi_fork_unlock(struct fork_lock *lock)
{
	pthread_mutex_unlock(&lock->mutex);
}
