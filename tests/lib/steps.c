// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Steps in which each of two members sends one message to the other: with a CPU each, a member
 * that waits for the message seldom says before that it is idle, since it has to take that back.
 */
#include <sched.h>

#include "hbs_messages.h"
#include "threads.h"

#define STEPS 1000
/* Others may use the CPUs too, but not all the time */
#define ROUNDS 100

struct steps {
	struct hbs_group *group;
	struct hbs_messages *messages;
};

static int take_step(struct hbs_mailbox *mailbox, uint32_t to)
{
	struct hbs_message message;
	unsigned int received = 0;
	int ret;

	CHECK(!hbs_message_send(mailbox, to, &to, sizeof(to)));
	while (!(ret = hbs_idle(mailbox, 0)))
		while (!hbs_message_recv(mailbox, &message)) {
			CHECK(!hbs_message_free(mailbox, &message));
			received++;
		}
	CHECK(ret == 1 && received == 1);
	return 0;
}

static int take_steps(void *shared, unsigned int index)
{
	struct steps *steps = shared;
	struct hbs_member *me;
	struct hbs_mailbox *mailbox;

	CHECK(!hbs_join(steps->group, &me));
	CHECK(!hbs_mailbox_open(steps->messages, index, &mailbox));
	CHECK(!hbs_mailbox_bind(mailbox, me));
	for (int i = 0; i < STEPS; i++) {
		int line = take_step(mailbox, 1 - index);

		if (line)
			return line;
	}
	CHECK(!hbs_mailbox_close(mailbox));
	CHECK(!hbs_leave(me));
	return 0;
}

/* How often members have withdrawn */
static uint64_t count_withdrawals(void)
{
	struct hbs_group_attr attr = { .members = 2, .type = HBS_REFUTABLE };
	struct hbs_messages_attr space = { .members = 2 };
	struct hbs_group_stats stats;
	struct steps steps;
	struct hbs *hbs = open_backend();

	assert_int_equal(hbs_group_create(hbs, &attr, &steps.group), 0);
	assert_int_equal(hbs_messages_create(&space, &steps.messages), 0);
	assert_int_equal(run_threads(2, take_steps, &steps), 0);
	assert_int_equal(hbs_group_stats(steps.group, &stats), 0);
	assert_int_equal(hbs_messages_close(steps.messages), 0);
	close_all(hbs, steps.group);
	return stats.withdrawals;
}

static void messages_come_in_time(void **state)
{
	uint64_t least = UINT64_MAX;
	cpu_set_t cpus;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	if (CPU_COUNT(&cpus) < 2)
		skip();
	for (int i = 0; i < ROUNDS && least > STEPS / 10; i++) {
		uint64_t withdrawals = count_withdrawals();

		if (withdrawals < least)
			least = withdrawals;
	}
	assert_in_range(least, 0, STEPS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_come_in_time),
	};

	return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}
