// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits together with the rest of a program: signals, cancellation, poll, idle CPUs */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "conformance.h"

/* The thread sanitizer runs a handler when the thread calls something that it knows */
#ifdef __SANITIZE_THREAD__
#define HANDLER_RUNS_MS 0
#else
#define HANDLER_RUNS_MS 5000
#endif

static atomic_uint signals_seen;

static void count_signal(int number)
{
	(void)number;
	atomic_fetch_add(&signals_seen, 1);
}

/* The handler runs and the wait goes on, restarted or not */
static void signals_in(struct context *context, int flags)
{
	struct sigaction action = { .sa_handler = count_signal, .sa_flags = flags }, before;
	struct crowd crowd;
	struct hbs_member *last;

	atomic_store(&signals_seen, 0);
	sigaction(SIGUSR1, &action, &before);
	crowd_join(context, &crowd, &(struct hbs_group_attr){ .members = 1 });
	join(crowd.group, &last, 1);
	crowd_wait(&crowd);
	for (int round = 0; round < 10; round++)
		for (unsigned int i = 0; i < crowd.count; i++) {
			unsigned int seen = atomic_load(&signals_seen);

			/* poll(2) ends by a signal: that is not the library's */
			if (crowd.waiters[i].wait == wait_by_poll)
				continue;
			IS(pthread_kill(crowd.waiters[i].thread, SIGUSR1), 0);
			for (int ms = 0; ms < HANDLER_RUNS_MS; ms++) {
				if (atomic_load(&signals_seen) != seen)
					break;
				nap_us(1000);
			}
			assert_true(!HANDLER_RUNS_MS || atomic_load(&signals_seen) != seen);
		}
	IS(barriers(crowd.group), 0);
	IS(arrivals(context, crowd.group, crowd.count), crowd.count);
	IS(hbs_barwait(last), 0);
	crowd_ends(&crowd, 0);
	IS(barriers(crowd.group), 1);
	IS(arrivals(context, crowd.group, crowd.count + 1), crowd.count + 1);
	crowd_leave(&crowd);
	leave(&last, 1);
	sigaction(SIGUSR1, &before, NULL);
}

static void signals(struct context *context)
{
	signals_in(context, 0);
}

static void restarting_signals(struct context *context)
{
	signals_in(context, SA_RESTART);
}

static int wait_a_little(struct hbs_member *member)
{
	return hbs_wait_for(member, 300000000);
}

/* A deadline is a time of the clock, however often signals disturb the wait */
static void signals_move_no_deadline(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART }, before;
	struct hbs_member *m[2];
	struct waiter waiter;
	double start = seconds(), took;

	sigaction(SIGUSR1, &action, &before);
	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	waiter_start(&waiter, m[0], wait_a_little);
	/* a thread that has ended and is not joined takes a signal too */
	while (seconds() - start < 2.5) {
		IS(pthread_kill(waiter.thread, SIGUSR1), 0);
		nap_us(10000);
		if (__atomic_load_n(&waiter.over, __ATOMIC_ACQUIRE))
			break;
	}
	took = seconds() - start;
	IS(waiter_end(&waiter), -ETIMEDOUT);
	assert_true(took >= 0.3);
	assert_true(took < 2.5);
	IS(hbs_barwait(m[1]), 0);
	IS(hbs_wait(m[0]), 0);
	leave(m, 2);
	sigaction(SIGUSR1, &before, NULL);
}

struct storm {
	struct steps steps;
	pthread_t threads[MAX_THREADS];
	atomic_uint ready, sent, over;
};

static int step_in_a_storm(struct part *part)
{
	struct storm *storm = part->shared;
	struct part inner = *part;
	int ret;

	storm->threads[part->index] = pthread_self();
	atomic_fetch_add(&storm->ready, 1);
	while (!atomic_load(&storm->sent))
		nap_us(100);
	inner.shared = &storm->steps;
	ret = take_steps(&inner);
	atomic_fetch_add(&storm->over, 1);
	/* not gone before nobody sends signals to it */
	while (atomic_load(&storm->over) <= part->count)
		nap_us(1000);
	return ret;
}

static void *send_signals(void *argument)
{
	struct storm *storm = argument;
	uint64_t seed = 11;

	while (atomic_load(&storm->ready) < 3)
		nap_us(1000);
	while (atomic_load(&storm->over) < 3) {
		pthread_kill(storm->threads[random_from(&seed) % 3], SIGUSR1);
		atomic_fetch_add(&storm->sent, 1);
		nap_us(random_from(&seed) % 100);
	}
	atomic_fetch_add(&storm->over, 1);
	return NULL;
}

static void storm_of_signals(struct context *context)
{
	for (int restart = 0; restart < 2; restart++) {
		struct sigaction action = { .sa_handler = count_signal,
					    .sa_flags = restart ? SA_RESTART : 0 };
		static struct storm storm;
		struct hbs_group *group = make_group(context, 3);
		struct sigaction before;
		pthread_t sender;

		memset(&storm, 0, sizeof(storm));
		storm.steps.epochs = scaled(context, 1000);
		storm.steps.way = -1;
		sigaction(SIGUSR1, &action, &before);
		IS(pthread_create(&sender, NULL, send_signals, &storm), 0);
		run_members(context, group, 3, step_in_a_storm, &storm);
		IS(pthread_join(sender, NULL), 0);
		IS(barriers(group), 2 * storm.steps.epochs);
		IS(arrivals(context, group, 6 * storm.steps.epochs), 6 * storm.steps.epochs);
		sigaction(SIGUSR1, &before, NULL);
	}
}

static int wait_and_look(struct hbs_member *member)
{
	int ret = hbs_barwait(member), old;

	/* the request would end the thread at the next cancellation point */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	return old == PTHREAD_CANCEL_ENABLE ? ret : -EPROTO;
}

static void cancellation(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];
	struct waiter waiter;

	join(group, m, 2);
	waiter_start(&waiter, m[0], wait_and_look);
	IS(pthread_cancel(waiter.thread), 0);
	nap_us(5000);
	IS(arrivals(context, group, 1), 1);
	IS(hbs_barwait(m[1]), 0);
	IS(waiter_end(&waiter), 0);
	leave(m, 2);
}

/* A long wait: less than 1% of it on a CPU, with the spin */
static double cpu_s;

static int wait_and_measure(struct hbs_member *member)
{
	struct timespec before, after;
	int ret;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
	ret = hbs_barwait(member);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	cpu_s = after.tv_sec - before.tv_sec + (after.tv_nsec - before.tv_nsec) / 1e9;
	return ret;
}

/* An emulated CPU that the host takes away counts as one that is used: the best of some */
static void long_waits_cost_no_cpu(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	double limit_s = 0.01 * context->wait_s;
	struct hbs_member *m[2];
	struct waiter waiter;

	join(group, m, 2);
	for (int tries = 0; tries < 3; tries++) {
		waiter_start(&waiter, m[0], wait_and_measure);
		nap_us(context->wait_s * 1000000);
		IS(hbs_barwait(m[1]), 0);
		IS(waiter_end(&waiter), 0);
		printf("# %.3f ms on a CPU in a wait of %u s\n", cpu_s * 1e3, context->wait_s);
		if (cpu_s < limit_s)
			break;
	}
	assert_true(cpu_s < limit_s);
	leave(m, 2);
}

static int polled(int fd, int timeout_ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, timeout_ms) == 1 ? pollfd.revents : 0;
}

static void readable_when_over(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	for (int i = 0; i < 5; i++) {
		IS(hbs_arrive(m[0]), 0);
		IS(polled(hbs_member_fd(m[0]), 0), 0);
		IS(hbs_barwait(m[1]), 0);
		IS(polled(hbs_member_fd(m[0]), 5000), POLLIN);
		IS(hbs_test(m[0]), 1);
	}
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_group_destroy(group), 0);
	IS(polled(hbs_member_fd(m[0]), 5000) & POLLIN, POLLIN);
	IS(hbs_test(m[0]), -EIDRM);
	leave(m, 2);
}

/* One thread waits for members of several groups at once */
static void several_by_epoll(struct context *context)
{
	struct hbs_member *m[3], *others[3];
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	assert_true(epoll >= 0);
	for (unsigned int i = 0; i < 3; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };
		struct hbs_group *group = make_group(context, 2);

		join(group, &m[i], 1);
		join(group, &others[i], 1);
		IS(hbs_arrive(m[i]), 0);
		IS(epoll_ctl(epoll, EPOLL_CTL_ADD, hbs_member_fd(m[i]), &event), 0);
	}
	for (unsigned int n = 0; n < 9; n++) {
		unsigned int i = (n * 2) % 3;
		struct epoll_event event;

		IS(epoll_wait(epoll, &event, 1, 0), 0);
		IS(hbs_barwait(others[i]), 0);
		IS(epoll_wait(epoll, &event, 1, 5000), 1);
		IS(event.data.u32, i);
		IS(hbs_test(m[i]), 1);
		IS(hbs_arrive(m[i]), 0);
		assert_true(hbs_member_fd(m[i]) >= 0);
	}
	close(epoll);
	leave(m, 3);
	leave(others, 3);
}

#define LATE_US	      20000
#define LATE_BARRIERS 5

/* The last of the members comes late to each barrier; all say then how long they have waited */
static int be_late(struct part *part)
{
	struct hbs_member_stats *stats = (struct hbs_member_stats *)part->shared + part->index;

	CHECK_IS(hbs_member_stats(part->me, stats), 0);
	CHECK_IS(stats->epochs, 0);
	for (int i = 0; i < LATE_BARRIERS; i++) {
		if (part->index == part->count - 1)
			nap_us(LATE_US);
		CHECK_IS(hbs_barwait(part->me), 0);
	}
	CHECK_IS(hbs_member_stats(part->me, stats), 0);
	return 0;
}

/* What the members say of one run. Return: whether they say that the last one was late. */
static bool blame_the_last(struct context *context)
{
	struct hbs_member_stats stats[3];
	bool is_late = true;

	run_members(context, make_group(context, 3), 3, be_late, stats);
	for (int i = 0; i < 3; i++) {
		uint64_t all = 0, as_late = 0;

		for (int step = 0; step < HBS_WAIT_STEPS; step++)
			all += stats[i].waits[step];
		/* steps are from 2^(step + 8) ns on, and the one of LATE_US begins below that */
		for (int step = 16; step < HBS_WAIT_STEPS; step++)
			as_late += stats[i].waits[step];
		IS(stats[i].epochs, LATE_BARRIERS);
		IS(all, LATE_BARRIERS);
		is_late &= i == 2 || as_late > LATE_BARRIERS / 2;
	}
	return is_late && stats[2].waited_ns < stats[0].waited_ns &&
	       stats[2].waited_ns < stats[1].waited_ns;
}

/* Others may be late as well, by a tick of an emulated CPU or by what else the machine does */
static void who_is_late(struct context *context)
{
	int tries = 0;

	while (!blame_the_last(context))
		assert_true(++tries < 10);
}

const struct test waiting_tests[] = {
	{ "signals end no wait, and count nothing twice", signals, 0 },
	{ "signals with SA_RESTART end no wait either", restarting_signals, 0 },
	{ "signals move no deadline", signals_move_no_deadline, DEADLINES | SPLIT_PHASE },
	{ "a storm of signals loses no arrival", storm_of_signals, 0 },
	{ "a wait is no cancellation point", cancellation, 0 },
	{ "a long wait costs no CPU", long_waits_cost_no_cpu, 0 },
	{ "members know how long they have waited, and for whom", who_is_late, 0 },
	{ "a member's descriptor is readable when its barrier is over", readable_when_over,
	  POLL_FD | SPLIT_PHASE },
	{ "one thread waits in several groups by epoll", several_by_epoll, POLL_FD | SPLIT_PHASE },
	{ 0 },
};
