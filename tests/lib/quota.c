// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hbs_idle() of members that together get a part of one CPU: a cgroup stops all of them at any
 * point for most of each 100 ms. No message and no end of an epoch is lost by that, in each way
 * to wait.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "child.h"
#include "hbs_messages.h"
#include "threads.h"

#define MEMBERS 4
#define SHARE	0.05 /* a busy machine gives more than that */
#define HOPS	20   /* of a message in each epoch: it goes round */
#define TIME_S	1    /* as many epochs as there are in it, but some */
#define LEAST	20
#define LIMIT_S 120

static const struct way {
	const char *name;
	struct hbs_attr attr;
} ways[] = {
	{ "adapts", { .backend = HBS_BACKEND_SOFTWARE } },
	{ "sleeps", { .backend = HBS_BACKEND_SOFTWARE, .wait_policy = HBS_WAIT_PASSIVE } },
	{ "spins", { .backend = HBS_BACKEND_SOFTWARE, .wait_policy = HBS_WAIT_ACTIVE } },
};

struct team {
	struct hbs_group *group;
	struct hbs_messages *messages;
	atomic_ulong received;
	unsigned long epochs;
	double end;
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int pass_on(struct team *team, struct hbs_mailbox *me, unsigned int index)
{
	struct hbs_message message;
	int ret;

	while (!(ret = hbs_message_recv(me, &message))) {
		uint32_t hops = *(const uint32_t *)message.data;

		atomic_fetch_add(&team->received, 1);
		if (hops--)
			CHECK(!hbs_message_send(me, (index + 1) % MEMBERS, &hops, sizeof(hops)));
		CHECK(!hbs_message_free(me, &message));
	}
	CHECK(ret == -EAGAIN);
	return 0;
}

/* Until the first member finds that it is time: its vote tells the others */
static int pass_epochs(struct team *team, struct hbs_mailbox *me, unsigned int index)
{
	int ret = 1, vote = 1;

	for (unsigned long epoch = 1; ret == 1; epoch++) {
		uint32_t hops = HOPS;

		if (!index) {
			CHECK(!hbs_message_send(me, 1, &hops, sizeof(hops)));
			vote = epoch >= LEAST && seconds() >= team->end;
			team->epochs = epoch;
		}
		while (!(ret = hbs_idle(me, vote))) {
			ret = pass_on(team, me, index);
			if (ret)
				return ret;
		}
	}
	CHECK(ret == 2);
	return 0;
}

static int be_a_member(void *shared, unsigned int index)
{
	struct team *team = shared;
	struct hbs_member *member;
	struct hbs_mailbox *me;
	int line;

	CHECK(!hbs_join(team->group, &member));
	CHECK(!hbs_mailbox_open(team->messages, index, &me));
	CHECK(!hbs_mailbox_bind(me, member));
	line = pass_epochs(team, me, index);
	/* the others must not wait for one that has given up */
	if (line)
		hbs_group_destroy(team->group);
	CHECK(!hbs_mailbox_close(me));
	CHECK(!hbs_leave(member));
	return line;
}

static int run_team(const struct way *way, bool confined)
{
	struct hbs_group_attr refutable = { .members = MEMBERS, .type = HBS_REFUTABLE };
	struct hbs_messages_attr queues = { .members = MEMBERS };
	struct team team = { 0 };
	struct hbs *hbs;
	int line;

	CHECK(!hbs_open(&hbs, &way->attr));
	CHECK(!hbs_group_create(hbs, &refutable, &team.group));
	CHECK(!hbs_messages_create(&queues, &team.messages));
	team.end = seconds() + TIME_S;
	line = run_threads(MEMBERS, be_a_member, &team);
	if (line)
		return line;
	CHECK(atomic_load(&team.received) == team.epochs * (HOPS + 1));
	printf("# %s, %s: %lu epochs\n", confined ? "5% of a CPU" : "all CPUs", way->name,
	       team.epochs);
	fflush(stdout);
	CHECK(!hbs_messages_close(team.messages));
	CHECK(!hbs_group_close(team.group));
	CHECK(!hbs_close(hbs));
	return 0;
}

static int run_freely(const void *way)
{
	alarm(LIMIT_S);
	return run_team(way, false);
}

static int run_confined(const void *way)
{
	alarm(LIMIT_S);
	CHECK(!cgroup_enter() && cgroup_entered());
	return run_team(way, true);
}

static void part_of_a_cpu(void **state)
{
	const char *reason = cgroup_start(SHARE);

	(void)state;
	if (reason) {
		printf("# %s\n", reason);
		skip();
		return;
	}
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		assert_int_equal(run_child(run_freely, &ways[i]), 0);
		assert_int_equal(run_child(run_confined, &ways[i]), 0);
	}
	cgroup_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(part_of_a_cpu),
	};

	return cmocka_run_group_tests_name("quota", tests, NULL, NULL);
}
