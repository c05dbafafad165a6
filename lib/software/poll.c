// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel provides a card's descriptor; for a group in software it has nothing to poll. So
 * the first member of a handle that asks for a descriptor starts a thread. The thread sleeps
 * for all such members as any other sleeper does, with the same duties, and writes to their
 * descriptors (eventfd) when their barriers are over. It ends when the last of these members
 * leaves.
 *
 * It only looks: the member itself departs, when it finds its descriptor readable.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../deadline.h"
#include "../futex.h"
#include "poll.h"
#include "software.h"

/* Of the sleepers: the thread wakes for each member */
#define EVERY_BIT UINT32_MAX

/* What a member polls for */
struct soft_watch {
	struct soft_watch *next;
	const struct hbs_member *member; /* only fields that do not change while it is a member */
	struct algorithm_member turn;	 /* a copy, if the algorithm is not full */
	const _Atomic uint32_t *asleep;	 /* its mailbox's; 0 there: a message has come. Or NULL */
	uint64_t word;
	int fd;
	bool arrived; /* when it asked */
	bool armed;   /* the thread has not told it yet */
};

/* Made when a member polls for the first time; gone with the handle of the group */
struct soft_poller {
	struct hbs_group *group;
	pthread_mutex_t starting; /* for the thread's start and end; taken before all other locks */
	pthread_t thread;	  /* if there are watches */
	pthread_mutex_t lock;	  /* taken before the group's lock */
	pthread_cond_t news;
	struct soft_watch *watches;
	struct soft_seat *seat; /* in whose name it sleeps; NULL: it is awake, or will be at once */
	uint64_t until;		/* if it sleeps */
	bool ends;
};

static bool is_over(const struct soft_watch *watch)
{
	const struct hbs_member *member = watch->member;
	uint64_t state = atomic_load(&member->page->state);
	struct algorithm_member turn = watch->turn;

	if (state & STATE_BROKEN || (watch->asleep && !atomic_load(watch->asleep)))
		return true;
	if (!member->has_turn)
		return state_ahead(state, watch->word);
	return watch->arrived && soft_algorithm(soft_of(member->group))->over(&turn);
}

static void tell(struct soft_watch *watch)
{
	watch->armed = false;
	eventfd_write(watch->fd, 1);
}

/* Tell all members whose barrier is over. Return: one that waits on, or NULL. The lock is held. */
static struct soft_watch *look(struct soft_poller *poller)
{
	struct soft_watch *waits = NULL;

	for (struct soft_watch *watch = poller->watches; watch; watch = watch->next) {
		if (watch->armed && is_over(watch))
			tell(watch);
		if (watch->armed)
			waits = watch;
	}
	return waits;
}

static uint64_t next_duty(const struct soft_poller *poller)
{
	uint64_t next = DEADLINE_NEVER;

	for (struct soft_watch *watch = poller->watches; watch; watch = watch->next)
		if (watch->armed)
			next = deadline_earlier(
				next, hbsi_soft_next_duty(soft_of(poller->group), watch->word));
	return next;
}

static void do_duties(const struct soft_poller *poller)
{
	for (struct soft_watch *watch = poller->watches; watch; watch = watch->next)
		if (watch->armed)
			hbsi_soft_do_duties(poller->group, watch->word);
}

/* The thread is counted no more, though it may still have to find out; the lock is held */
static void rise(struct soft_poller *poller)
{
	if (poller->seat)
		hbsi_soft_rise(soft_of(poller->group), poller->seat);
	poller->seat = NULL;
}

static bool nap(struct soft_poller *poller, uint64_t bell, bool unsure)
{
	uint64_t until = poller->until;
	bool again;

	pthread_mutex_unlock(&poller->lock);
	again = hbsi_soft_nap(soft_page(soft_of(poller->group)), bell, until, unsure, EVERY_BIT);
	pthread_mutex_lock(&poller->lock);
	return again;
}

/* Without the lock meanwhile: others ring when they have changed what it sleeps for */
static void sleep_for(struct soft_poller *poller, const struct soft_watch *watch)
{
	struct software *software = soft_of(poller->group);
	uint64_t bell;
	bool unsure;

	poller->until = next_duty(poller);
	poller->seat = watch->member->seat;
	bell = hbsi_soft_lie_down(software, poller->seat, &unsure);
	if (look(poller) && nap(poller, bell, unsure) && look(poller))
		nap(poller, bell, false);
	rise(poller);
	do_duties(poller);
}

static void *poll_for_all(void *arg)
{
	struct soft_poller *poller = arg;

	pthread_mutex_lock(&poller->lock);
	while (!poller->ends) {
		const struct soft_watch *watch = look(poller);

		if (watch)
			sleep_for(poller, watch);
		else
			pthread_cond_wait(&poller->news, &poller->lock);
	}
	pthread_mutex_unlock(&poller->lock);
	return NULL;
}

/* Signals are for the program's threads */
static int start_thread(struct soft_poller *poller)
{
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&poller->thread, NULL, poll_for_all, poller);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!ret)
		pthread_setname_np(poller->thread, "hbs-poll");
	return -ret;
}

static struct soft_poller *poller_of(const struct hbs_member *member)
{
	struct soft_poller *poller = atomic_load(&soft_of(member->group)->poller);

	if (poller)
		checker_acquire(poller);
	return poller;
}

static void poller_free(struct soft_poller *poller)
{
	pthread_cond_destroy(&poller->news);
	pthread_mutex_destroy(&poller->lock);
	pthread_mutex_destroy(&poller->starting);
	free(poller);
}

/* The poller of a group: the first caller makes it; NULL: there is no memory for it */
static struct soft_poller *poller_make(struct hbs_group *group)
{
	struct soft_poller *made = NULL, *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->group = group;
	pthread_mutex_init(&new->starting, NULL);
	pthread_mutex_init(&new->lock, NULL);
	pthread_cond_init(&new->news, NULL);
	checker_release(new);
	if (atomic_compare_exchange_strong(&soft_of(group)->poller, &made, new))
		return new;
	poller_free(new);
	checker_acquire(made);
	return made;
}

void hbsi_soft_poll_close(struct software *software)
{
	/*
	 * do not destroy it first: in a child's copy, a thread that the child lacks may wait in
	 * it
	 */
	free(atomic_load(&software->poller));
}

/* The thread looks again at what it has to wait for, and is counted or not; the lock is held */
static void wake(struct soft_poller *poller)
{
	pthread_cond_signal(&poller->news);
	hbsi_soft_ring(poller->group->page);
}

/*
 * The thread stops sleeping in the name of a member before another can have the seat. If it
 * rose later, it would take a sleep of the new member from the sleepers, and nobody would
 * wake that one.
 */
static void forget_name(struct soft_poller *poller, const struct hbs_member *member)
{
	if (poller->seat == member->seat)
		rise(poller);
	wake(poller);
}

/* If it sleeps, each change of the group wakes it; but time has perhaps begun to run now */
static void arm(struct soft_poller *poller, struct soft_watch *watch)
{
	uint64_t next = hbsi_soft_next_duty(soft_of(poller->group), watch->word);

	watch->armed = true;
	if (!poller->seat || deadline_earlier(next, poller->until) != poller->until)
		wake(poller);
}

static void watch_free(struct soft_watch *watch)
{
	if (watch->fd >= 0)
		close(watch->fd);
	free(watch);
}

/* The first one has the thread started */
static int insert(struct soft_poller *poller, struct soft_watch *watch)
{
	int ret = 0;

	pthread_mutex_lock(&poller->starting);
	if (!poller->watches)
		ret = start_thread(poller);
	if (!ret) {
		pthread_mutex_lock(&poller->lock);
		watch->next = poller->watches;
		poller->watches = watch;
		pthread_mutex_unlock(&poller->lock);
	}
	pthread_mutex_unlock(&poller->starting);
	return ret;
}

static int add_watch(struct hbs_member *member)
{
	struct soft_poller *poller = poller_of(member);
	struct soft_watch *watch;
	int ret;

	if (!poller)
		poller = poller_make(member->group);
	watch = poller ? calloc(1, sizeof(*watch)) : NULL;
	if (!watch)
		return -ENOMEM;
	watch->member = member;
	watch->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = watch->fd < 0 ? -errno : insert(poller, watch);
	if (ret)
		watch_free(watch);
	else
		member->watch = watch;
	return ret;
}

/* Readable when the member can depart or, if that is given, when somebody wakes it */
static int descriptor_of(struct hbs_member *member, const _Atomic uint32_t *asleep)
{
	struct soft_poller *poller;
	struct soft_watch *watch;
	eventfd_t count;
	int ret;

	if (hbsi_soft_has_to_wait(member))
		return -EOPNOTSUPP;
	ret = member->watch ? 0 : add_watch(member);
	if (ret)
		return ret;
	watch = member->watch;
	poller = poller_of(member);
	pthread_mutex_lock(&poller->lock);
	eventfd_read(watch->fd, &count);
	watch->word = member->word;
	watch->turn = member->turn;
	watch->arrived = member->arrived > 0;
	watch->asleep = asleep;
	if (member->is_dead || is_over(watch))
		tell(watch);
	else
		arm(poller, watch);
	pthread_mutex_unlock(&poller->lock);
	return watch->fd;
}

int hbsi_soft_member_fd(struct hbs_member *member)
{
	return descriptor_of(member, NULL);
}

int hbsi_soft_idle_fd(struct hbs_member *member, const _Atomic uint32_t *asleep)
{
	return descriptor_of(member, asleep);
}

void hbsi_soft_idle_fd_end(struct hbs_member *member)
{
	struct soft_poller *poller;

	if (!member->watch)
		return;
	poller = poller_of(member);
	pthread_mutex_lock(&poller->lock);
	member->watch->asleep = NULL;
	pthread_mutex_unlock(&poller->lock);
}

void hbsi_soft_poll_die(struct hbs_member *member)
{
	struct soft_poller *poller;

	if (!member->watch)
		return;
	poller = poller_of(member);
	pthread_mutex_lock(&poller->lock);
	member->watch->armed = false;
	forget_name(poller, member);
	pthread_mutex_unlock(&poller->lock);
}

void hbsi_soft_poll_tell(struct hbs_member *member)
{
	struct soft_poller *poller;

	if (!member->watch)
		return;
	poller = poller_of(member);
	pthread_mutex_lock(&poller->lock);
	tell(member->watch);
	pthread_mutex_unlock(&poller->lock);
}

void hbsi_soft_poll_end(struct hbs_member *member)
{
	struct soft_poller *poller = poller_of(member);
	struct soft_watch **link;
	bool ends;

	if (!member->watch)
		return;
	pthread_mutex_lock(&poller->starting);
	pthread_mutex_lock(&poller->lock);
	for (link = &poller->watches; *link != member->watch;)
		link = &(*link)->next;
	*link = member->watch->next;
	ends = !poller->watches;
	poller->ends = ends;
	forget_name(poller, member);
	pthread_mutex_unlock(&poller->lock);
	if (ends) {
		pthread_join(poller->thread, NULL);
		poller->ends = false;
	}
	pthread_mutex_unlock(&poller->starting);
	hbsi_soft_poll_forget(member);
}

void hbsi_soft_poll_forget(struct hbs_member *member)
{
	if (member->watch)
		watch_free(member->watch);
	member->watch = NULL;
}
