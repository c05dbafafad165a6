// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * HBS_ON_THREAD_EXIT: a thread that ends as a member is a death. To the kernel the
 * process is the member, and it goes on; so a destructor of thread-specific data
 * tells the kernel. The destructor runs after the thread's cleanup handlers, which
 * can still leave.
 *
 * One list has the members of all contexts, since a thread that ends must not look
 * into a context that others are closing: a member is off the list before it leaves.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "fork_lock.h"
#include "internal.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool no_key;

static struct fork_lock lock = FORK_LOCK(NULL);
static struct watched {
	struct watched *next;
	struct hbs_member *member;
	pid_t tid;
} * watched;

/* The lock is held */
static void forget(struct watched **link)
{
	struct watched *gone = *link;

	*link = gone->next;
	free(gone);
}

static void end_membership(struct hbs_member *member)
{
	/*
	 * for the thread that now has the handle, and has to leave by it; a descriptor tells it
	 * to look
	 */
	if (member->arrived >= 0)
		member->arrived = -EOWNERDEAD;
	checked_end(member->group);
	group_ops(member->group)->die(member);
}

static void thread_ends(void *unused)
{
	struct watched **link = &watched;
	pid_t tid = gettid();

	(void)unused;
	hbsi_fork_lock(&lock);
	while (*link) {
		struct hbs_member *member = (*link)->member;

		/* these are the parent's, in a child of fork: its threads are not this one */
		if ((*link)->tid != tid || hbsi_is_foreign(member->group->hbs)) {
			link = &(*link)->next;
			continue;
		}
		forget(link);
		end_membership(member);
	}
	hbsi_fork_unlock(&lock);
}

static void init(void)
{
	no_key = pthread_key_create(&key, thread_ends) != 0;
	checker_release(&once);
}

int hbsi_thread_watch(struct hbs_member *member)
{
	struct watched *new;

	if (!(member->group->policy & HBS_ON_THREAD_EXIT))
		return 0;
	checker_once(&once, init);
	/* with any value but NULL, the destructor runs */
	if (no_key || pthread_setspecific(key, &key))
		return -ENOMEM;
	new = malloc(sizeof(*new));
	if (!new)
		return -ENOMEM;
	hbsi_fork_lock(&lock);
	*new = (struct watched){ watched, member, gettid() };
	fork_order();
	watched = new;
	hbsi_fork_unlock(&lock);
	return 0;
}

/* The member is not in the list any more if its thread has ended */
void hbsi_thread_unwatch(struct hbs_member *member)
{
	struct watched **link = &watched;

	if (!(member->group->policy & HBS_ON_THREAD_EXIT))
		return;
	hbsi_fork_lock(&lock);
	while (*link && (*link)->member != member)
		link = &(*link)->next;
	if (*link)
		forget(link);
	hbsi_fork_unlock(&lock);
}
