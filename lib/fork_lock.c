// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fork() copies the memory of the parent page by page while other threads of the parent may
 * store. The child gets the stores of such a thread up to some point, and none after it: the
 * kernel protects each page against writing before the child gets it, and holds up a thread
 * that writes then. So the child finds what a thread of the parent did in the order in which
 * it was done.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fork_lock.h"

/*
 * A page that a child finds empty: so a child knows without a system call that it is one. The
 * page holds a number of the process, which is higher than the numbers of its ancestors; and a
 * word that says that the page is in use.
 */
static _Atomic int32_t *_Atomic mark;
static _Atomic int32_t no_mark[2]; /* the kernel has no such pages: process numbers have to do */
static _Atomic int32_t last_number;

static _Atomic int32_t *make_mark(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	_Atomic int32_t *made = NULL;
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	_Atomic int32_t *new = page;

	if (page == MAP_FAILED) {
		new = no_mark;
	} else if (madvise(page, size, MADV_WIPEONFORK)) {
		munmap(page, size);
		new = no_mark;
	}
	if (atomic_compare_exchange_strong(&mark, &made, new))
		return new;
	if (new != no_mark)
		munmap(page, size);
	return made;
}

static int32_t this_process(void)
{
	_Atomic int32_t *at = atomic_load(&mark);
	int32_t number, nobody = 0;

	if (!at)
		at = make_mark();
	if (at == no_mark)
		return getpid();
	number = atomic_load(at);
	if (number)
		return number;
	/* first, so that a child never gets the number of its parent */
	number = atomic_fetch_add(&last_number, 1) + 1;
	return atomic_compare_exchange_strong(at, &nobody, number) ? number : nobody;
}

_Atomic int32_t *hbsi_fork_word(void)
{
	_Atomic int32_t *at = atomic_load(&mark);

	return (at ? at : make_mark()) + 1;
}

/* One thread of the child does this; others that come meanwhile wait for it */
static void adopt(struct fork_lock *lock, int32_t home, int32_t here)
{
	if (home == -here || !atomic_compare_exchange_strong(&lock->home, &home, -here)) {
		while (atomic_load(&lock->home) != here)
			sched_yield();
		return;
	}
	lock->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	if (lock->adopt)
		lock->adopt();
	atomic_store(&lock->home, here);
}

void hbsi_fork_adopt(struct fork_lock *lock)
{
	int32_t home = atomic_load(&lock->home);
	int32_t here = this_process();

	if (home && home != here)
		adopt(lock, home, here);
}

void hbsi_fork_lock(struct fork_lock *lock)
{
	int32_t nobody = 0;

	if (!atomic_load(&lock->home))
		atomic_compare_exchange_strong(&lock->home, &nobody, this_process());
	hbsi_fork_adopt(lock);
	pthread_mutex_lock(&lock->mutex);
}

void hbsi_fork_unlock(struct fork_lock *lock)
{
	pthread_mutex_unlock(&lock->mutex);
}
