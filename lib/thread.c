// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * HBS_ON_THREAD_EXIT: a thread that ends as a member is a death. To the kernel the
 * process is the member, and goes on; so a destructor of thread-specific data tells
 * it. That runs after the thread's cleanup handlers, which still can leave.
 *
 * Members are watched in one list, whatever context they are of, since a thread that
 * ends must not look into a context that others are closing: who leaves takes the
 * member off the list first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "internal.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool no_key;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hbs_member *watched;

static void thread_ends(void *unused)
{
	pid_t tid = gettid();
	struct hbs_member **link = &watched, *member;

	(void)unused;
	pthread_mutex_lock(&lock);
	while ((member = *link)) {
		/* of the parent, in a child of fork: its threads are not this one */
		if (member->watched_tid != tid || hbsi_is_foreign(member->group->hbs)) {
			link = &member->next_watched;
			continue;
		}
		*link = member->next_watched;
		member->watched_tid = 0;
		/* for whoever has the handle now, and has to leave by it; a descriptor tells
		 * it to look
		 */
		if (member->arrived >= 0)
			member->arrived = -EOWNERDEAD;
		member->group->ops->die(member);
	}
	pthread_mutex_unlock(&lock);
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void init(void)
{
	if (pthread_key_create(&key, thread_ends) ||
	    pthread_atfork(before_fork, after_fork, after_fork))
		no_key = true;
}

int hbsi_thread_watch(struct hbs_member *member)
{
	pthread_once(&once, init);
	/* any value but NULL has the destructor run */
	if (no_key || pthread_setspecific(key, &key))
		return -ENOMEM;
	pthread_mutex_lock(&lock);
	member->watched_tid = gettid();
	member->next_watched = watched;
	watched = member;
	pthread_mutex_unlock(&lock);
	return 0;
}

void hbsi_thread_unwatch(struct hbs_member *member)
{
	struct hbs_member **link = &watched;

	if (!(member->group->policy & HBS_ON_THREAD_EXIT))
		return;
	pthread_mutex_lock(&lock);
	if (member->watched_tid) {
		while (*link != member)
			link = &(*link)->next_watched;
		*link = member->next_watched;
		member->watched_tid = 0;
	}
	pthread_mutex_unlock(&lock);
}
