// SPDX-License-Identifier: GPL-2.0-or-later
/* Refutable groups: when an epoch is over */
#include <errno.h>
#include <poll.h>

#include "conformance.h"

static void when_all_are_idle(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 3);
	struct hbs_member *m[3];

	join(group, m, 3);
	for (unsigned int epoch = 1; epoch <= 5; epoch++) {
		all_idle(m, 2);
		none_departs(m, 2);
		IS(barriers(group), epoch - 1);
		all_idle(&m[2], 1);
		all_depart(context, m, 3);
		IS(barriers(group), epoch);
		IS(arrivals(context, group, 3 * epoch), 3 * epoch);
	}
	leave(m, 3);
}

/* In each order of what the sender and the receiver say */
static void not_while_in_flight(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 3);
	struct hbs_member *m[3];

	join(group, m, 3);
	for (int first = 0; first < 3; first++) {
		IS(be_idle(m[first], 1, 0, 0), 0);
		all_idle(&m[(first + 1) % 3], 1);
		all_idle(&m[(first + 2) % 3], 1);
		none_departs(m, 3);
		IS(hbs_wait_for(m[0], 1000000), -ETIMEDOUT);
		IS(stats_of(group).in_flight, 1);
		IS(hbs_withdraw(m[1]), 0);
		none_departs(&m[2], 1);
		IS(be_idle(m[1], 0, 1, 0), 0);
		all_depart(context, m, 3);
		IS(stats_of(group).in_flight, 0);
	}
	/* its receiver says so first */
	IS(be_idle(m[1], 0, 1, 0), 0);
	all_idle(&m[2], 1);
	none_departs(&m[1], 2);
	IS(stats_of(group).in_flight, -1);
	IS(be_idle(m[0], 1, 0, 0), 0);
	all_depart(context, m, 3);
	IS(barriers(group), 4);
	leave(m, 3);
}

/* A message that makes more messages, and one to the member itself */
static void not_while_messages_make_messages(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	for (unsigned int epoch = 0; epoch < 3; epoch++) {
		IS(be_idle(m[0], 2, 1, 0), 0);
		all_idle(&m[1], 1);
		for (unsigned int hop = 0; hop < 20; hop++) {
			none_departs(m, 2);
			IS(hbs_withdraw(m[1 - hop % 2]), 0);
			IS(be_idle(m[1 - hop % 2], 1, 1, 0), 0);
		}
		none_departs(m, 2);
		IS(hbs_withdraw(m[0]), 0);
		IS(be_idle(m[0], 0, 1, 0), 0);
		all_depart(context, m, 2);
	}
	IS(barriers(group), 3);
	leave(m, 2);
}

/* It takes all that were idle before, again */
static void withdrawn_and_idle_again(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 3);
	struct hbs_member *m[3];

	join(group, m, 3);
	for (unsigned int round = 0; round < 10; round++) {
		IS(be_idle(m[0], 1, 0, 0), 0);
		IS(be_idle(m[1], 1, 0, 0), 0);
		IS(hbs_withdraw(m[0]), 0);
		IS(hbs_withdraw(m[1]), 0);
		IS(hbs_withdraw(m[0]), -EINVAL);
		IS(hbs_test(m[0]), -EINVAL);
		all_idle(&m[2], 1);
		IS(be_idle(m[0], 0, 1, 0), 0);
		none_departs(&m[2], 1);
		none_departs(m, 1);
		IS(be_idle(m[1], 0, 1, 0), 0);
		all_depart(context, m, 3);
	}
	IS(stats_of(group).withdrawals, 20);
	leave(m, 3);
}

/* The epoch is over, and the member departs instead */
static void too_late_to_withdraw(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 2);
	struct hbs_member *m[2];
	int all = 0;

	if (lags(context))
		return;
	join(group, m, 2);
	for (unsigned int i = 0; i < 4; i++) {
		IS(be_idle(m[0], 0, 0, 1), 0);
		IS(be_idle(m[1], 0, 0, 1), 0);
		IS(hbs_withdraw(m[i % 2]), 1);
		IS(hbs_votes(m[i % 2], &all, NULL), 0);
		IS(all, 1);
		/* it is in the next epoch */
		IS(hbs_withdraw(m[i % 2]), -EINVAL);
		IS(be_idle(m[i % 2], 0, 0, 1), 0);
		IS(hbs_withdraw(m[i % 2]), 0);
		IS(hbs_test(m[1 - i % 2]), 1);
	}
	IS(stats_of(group).withdrawals, 4);
	IS(barriers(group), 4);
	leave(m, 2);
}

static void alone(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 1);
	struct hbs_member *me;

	join(group, &me, 1);
	for (unsigned int i = 0; i < 3; i++) {
		all_idle(&me, 1);
		IS(hbs_wait(me), 0);
		IS(be_idle(me, 1, 0, 0), 0);
		none_departs(&me, 1);
		IS(hbs_wait_for(me, 100000), -ETIMEDOUT);
		IS(hbs_withdraw(me), 0);
		IS(be_idle(me, 0, 1, 0), 0);
		IS(over(context, me), 1);
	}
	IS(barriers(group), 6);
	leave(&me, 1);
}

static int wait_an_hour(struct hbs_member *member)
{
	return wait_long(member);
}

/* Those who wait for the last one, be it idle or the receiver of the last message */
static void wakes_who_waits(struct context *context)
{
	static int (*const ways[])(struct hbs_member *) = { hbs_wait, wait_an_hour, wait_by_poll };
	const unsigned int n = sizeof(ways) / sizeof(ways[0]);
	struct hbs_group *group = make_refutable(context, n + 1);
	struct waiter waiters[3];
	struct hbs_member *m[4];

	join(group, m, n + 1);
	for (unsigned int round = 0; round < 4; round++) {
		for (unsigned int i = 0; i < n; i++) {
			IS(be_idle(m[i], round % 2 && !i, 0, 0), 0);
			waiter_start(&waiters[i], m[i], ways[i]);
		}
		if (round % 2) {
			all_idle(&m[n], 1);
			nap_us(2000);
			for (unsigned int i = 0; i < n; i++)
				assert_false(__atomic_load_n(&waiters[i].over, __ATOMIC_ACQUIRE));
			IS(hbs_withdraw(m[n]), 0);
		}
		IS(be_idle(m[n], 0, round % 2, 0), 0);
		IS(hbs_wait(m[n]), 0);
		for (unsigned int i = 0; i < n; i++)
			IS(waiter_end(&waiters[i]), 0);
	}
	leave(m, n + 1);
}

static int readable(struct hbs_member *member)
{
	struct pollfd pollfd = { .fd = hbs_member_fd(member), .events = POLLIN };

	assert_true(pollfd.fd >= 0);
	return poll(&pollfd, 1, 0) == 1 && pollfd.revents & POLLIN;
}

/* The descriptor promises nothing while a message is in flight, or its member has withdrawn */
static void polled(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	for (unsigned int i = 0; i < 3; i++) {
		IS(be_idle(m[0], 1, 0, 0), 0);
		IS(readable(m[0]), 0);
		all_idle(&m[1], 1);
		IS(readable(m[0]), 0);
		IS(readable(m[1]), 0);
		IS(hbs_withdraw(m[1]), 0);
		IS(readable(m[0]), 0);
		IS(be_idle(m[1], 0, 1, 0), 0);
		IS(wait_by_poll(m[0]), 0);
		IS(wait_by_poll(m[1]), 0);
	}
	(void)context;
	leave(m, 2);
}

static void counted(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 2);
	struct hbs_group_stats stats;
	struct hbs_member *m[2];

	join(group, m, 2);
	IS(be_idle(m[0], 7, 2, 0), 0);
	stats = stats_of(group);
	IS(stats.arrivals, 1);
	IS(stats.withdrawals, 0);
	IS(stats.in_flight, 5);
	IS(hbs_withdraw(m[0]), 0);
	stats = stats_of(group);
	/* what it has said still holds */
	IS(stats.in_flight, 5);
	IS(stats.arrivals, 1);
	IS(stats.withdrawals, 1);
	IS(be_idle(m[1], 0, 3, 0), 0);
	IS(stats_of(group).in_flight, 2);
	IS(be_idle(m[0], 0, 2, 0), 0);
	all_depart(context, m, 2);
	stats = stats_of(group);
	IS(stats.barriers, 1);
	IS(stats.arrivals, 3);
	IS(stats.withdrawals, 1);
	IS(stats.in_flight, 0);
	/* also those of members that have left */
	leave(m, 2);
	stats = stats_of(group);
	IS(stats.arrivals, 3);
	IS(stats.withdrawals, 1);
	IS(stats.in_flight, 0);
}

const struct test idle_tests[] = {
	{ "an idle epoch ends when all are idle", when_all_are_idle, REFUTABLE },
	{ "an idle epoch does not end while a message is in flight", not_while_in_flight,
	  REFUTABLE },
	{ "an idle epoch does not end while messages make messages",
	  not_while_messages_make_messages, REFUTABLE },
	{ "an idle member withdraws, and is idle again", withdrawn_and_idle_again, REFUTABLE },
	{ "an idle member that withdraws too late departs", too_late_to_withdraw, REFUTABLE },
	{ "an idle member alone", alone, REFUTABLE },
	{ "idle members that wait are woken", wakes_who_waits, REFUTABLE },
	{ "idle members poll", polled, REFUTABLE },
	{ "idle members and their messages are counted", counted, REFUTABLE },
	{ 0 },
};
