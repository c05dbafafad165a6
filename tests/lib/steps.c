// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How often a member that expects a message looks for it before it says that it is idle. One
 * thread has both mailboxes, so that nothing depends on when others run: the library's looks are
 * counted, and a message comes at the look or in the yield that a test names.
 */
#include <errno.h>
#include <sched.h>

#include "hbs_messages.h"
#include "threads.h"

/* as often as the library looks at the most, and once more, since it always looks first */
#define LOOKS_MOST  17
#define YIELDS_MOST 2
#define STEPS	    40

static struct {
	unsigned int looks;   /* of hbs_idle() since it was called */
	unsigned int before;  /* of them, before the member was idle */
	unsigned int yields;  /* of it */
	unsigned int send_at; /* the look before which a message comes; 0: none does */
	unsigned int send_in; /* the yield in which one comes */
	struct hbs_mailbox *from;
} watched;

int __real_hbsi_mailbox_peek(struct hbs_mailbox *mailbox);
int __wrap_sched_yield(void);
int __real_hbs_begin_idle(struct hbs_member *member, const struct hbs_idle *idle);

static void send_one(void)
{
	uint32_t number = watched.looks;

	assert_int_equal(hbs_message_send(watched.from, 0, &number, sizeof(number)), 0);
}

int __wrap_hbsi_mailbox_peek(struct hbs_mailbox *mailbox)
{
	if (++watched.looks == watched.send_at)
		send_one();
	return __real_hbsi_mailbox_peek(mailbox);
}

int __wrap_sched_yield(void)
{
	if (++watched.yields == watched.send_in)
		send_one();
	return 0;
}

int __wrap_hbs_begin_idle(struct hbs_member *member, const struct hbs_idle *idle)
{
	watched.before = watched.looks;
	return __real_hbs_begin_idle(member, idle);
}

/* Two members send and receive; where there is a third, it is idle and nothing else */
struct pair {
	uint32_t count;
	struct hbs *hbs;
	struct hbs_group *group;
	struct hbs_messages *messages;
	struct hbs_member *members[3];
	struct hbs_mailbox *mailboxes[3];
};

static void open_group(struct pair *pair, uint32_t members)
{
	struct hbs_group_attr attr = { .members = members, .type = HBS_REFUTABLE };
	struct hbs_messages_attr space = { .members = members };

	pair->count = members;
	pair->hbs = open_backend();
	assert_int_equal(hbs_group_create(pair->hbs, &attr, &pair->group), 0);
	assert_int_equal(hbs_messages_create(&space, &pair->messages), 0);
	for (uint32_t i = 0; i < pair->count; i++) {
		assert_int_equal(hbs_join(pair->group, &pair->members[i]), 0);
		assert_int_equal(hbs_mailbox_open(pair->messages, i, &pair->mailboxes[i]), 0);
		assert_int_equal(hbs_mailbox_bind(pair->mailboxes[i], pair->members[i]), 0);
	}
	watched.send_at = 0;
	watched.send_in = 0;
	watched.from = pair->mailboxes[1];
}

static void open_pair(struct pair *pair)
{
	open_group(pair, 2);
}

static void close_pair(struct pair *pair)
{
	for (uint32_t i = 0; i < pair->count; i++) {
		assert_int_equal(hbs_mailbox_close(pair->mailboxes[i]), 0);
		assert_int_equal(hbs_leave(pair->members[i]), 0);
	}
	assert_int_equal(hbs_messages_close(pair->messages), 0);
	close_all(pair->hbs, pair->group);
}

/* What member 0's hbs_idle() returns if a message comes at look @send_at of it */
static int idle_of_first(struct pair *pair, unsigned int send_at)
{
	int ret;

	watched.looks = 0;
	watched.yields = 0;
	watched.before = 0;
	watched.send_at = send_at;
	ret = hbs_idle(pair->mailboxes[0], 0);
	watched.send_at = 0;
	return ret;
}

static void receive(struct pair *pair)
{
	struct hbs_message message;

	assert_int_equal(hbs_message_recv(pair->mailboxes[0], &message), 0);
	assert_int_equal(hbs_message_free(pair->mailboxes[0], &message), 0);
}

/* What it returns if a message comes in yield @send_in of it */
static int idle_with_yields(struct pair *pair, unsigned int send_in)
{
	int ret;

	watched.send_in = send_in;
	ret = idle_of_first(pair, 0);
	watched.send_in = 0;
	return ret;
}

/* The others are idle first, so that the first one's idleness ends the epoch. Returns the looks. */
static unsigned int end_epoch(struct pair *pair)
{
	unsigned int before;

	for (uint32_t i = 1; i < pair->count; i++)
		assert_int_equal(hbs_idle_try(pair->mailboxes[i], 0), -EAGAIN);
	assert_int_equal(idle_of_first(pair, 0), 1);
	before = watched.before;
	for (uint32_t i = 1; i < pair->count; i++)
		assert_int_equal(hbs_idle_try(pair->mailboxes[i], 0), 1);
	return before;
}

/* An epoch of one message, which comes at that look */
static void take_step(struct pair *pair, unsigned int send_at)
{
	assert_int_equal(idle_of_first(pair, send_at), 0);
	receive(pair);
	end_epoch(pair);
}

static uint64_t withdrawals_of(struct pair *pair)
{
	struct hbs_group_stats stats;

	assert_int_equal(hbs_group_stats(pair->group, &stats), 0);
	return stats.withdrawals;
}

static bool may_spin(void)
{
	cpu_set_t cpus;

	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	return CPU_COUNT(&cpus) >= 2;
}

/* A member that got no message in the last epoch expects none in this one */
static void without_messages_one_look(void **state)
{
	struct pair pair;

	(void)state;
	open_pair(&pair);
	for (int i = 0; i < STEPS; i++)
		assert_int_equal(end_epoch(&pair), 1);
	close_pair(&pair);
}

/* It gets one in each step: nothing is taken back however late it comes within the looks */
static void message_comes_in_time(void **state)
{
	struct pair pair;

	(void)state;
	if (!may_spin())
		skip();
	open_pair(&pair);
	for (int i = 0; i < STEPS; i++)
		take_step(&pair, 1);
	for (unsigned int look = 1; look <= LOOKS_MOST; look++) {
		take_step(&pair, look);
		assert_int_equal(withdrawals_of(&pair), 0);
	}
	/* one look later, the member is idle and has to take that back */
	take_step(&pair, LOOKS_MOST + 1);
	assert_int_equal(withdrawals_of(&pair), 1);
	close_pair(&pair);
}

/* What it expected has come: it does not look for more */
static void got_what_it_expected(void **state)
{
	struct pair pair;

	(void)state;
	if (!may_spin())
		skip();
	open_pair(&pair);
	take_step(&pair, 1);
	for (int i = 0; i < STEPS; i++) {
		assert_int_equal(idle_of_first(&pair, 1), 0);
		receive(&pair);
		assert_int_equal(end_epoch(&pair), 1);
	}
	close_pair(&pair);
}

/* The messages come after the member is idle, each time: it soon looks for none before */
static void looks_in_vain_grow_fewer(void **state)
{
	uint64_t withdrawals;
	struct pair pair;

	(void)state;
	if (!may_spin())
		skip();
	open_pair(&pair);
	for (int i = 0; i < STEPS; i++)
		take_step(&pair, 1);
	for (int i = 0; i < STEPS; i++) {
		take_step(&pair, LOOKS_MOST + 1);
		assert_in_range(watched.before, 1, LOOKS_MOST);
	}
	/* each epoch gives one look back, of which the next one in vain takes the half */
	assert_int_equal(idle_of_first(&pair, LOOKS_MOST + 1), 0);
	assert_in_range(watched.before, 1, 3);
	receive(&pair);
	end_epoch(&pair);
	/* and one that was not in vain makes it look as often as at first */
	withdrawals = withdrawals_of(&pair);
	take_step(&pair, 2);
	take_step(&pair, LOOKS_MOST);
	assert_int_equal(withdrawals_of(&pair), withdrawals);
	close_pair(&pair);
}

static cpu_set_t all;

static int note_cpus(void **state)
{
	(void)state;
	return sched_getaffinity(0, sizeof(all), &all);
}

static int restore_cpus(void **state)
{
	(void)state;
	return sched_setaffinity(0, sizeof(all), &all);
}

static void leave_cpus(unsigned int count)
{
	cpu_set_t few;

	CPU_ZERO(&few);
	for (int cpu = 0; count && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all)) {
			CPU_SET(cpu, &few);
			count--;
		}
	assert_int_equal(sched_setaffinity(0, sizeof(few), &few), 0);
}

/* Members that share a CPU leave it to each other, and look no longer than that */
static void shared_cpu_yields(void **state)
{
	struct pair pair;

	(void)state;
	leave_cpus(1);
	open_pair(&pair);
	for (int i = 0; i < STEPS; i++)
		take_step(&pair, 1);
	/* a message that comes meanwhile is in time */
	for (unsigned int yield = 1; yield <= YIELDS_MOST; yield++) {
		assert_int_equal(idle_with_yields(&pair, yield), 0);
		assert_int_equal(watched.before, 0);
		assert_int_equal(watched.looks, 1 + yield);
		receive(&pair);
		end_epoch(&pair);
	}
	assert_int_equal(withdrawals_of(&pair), 0);
	/* for one that comes later, the member has to take back that it is idle */
	assert_int_equal(idle_with_yields(&pair, YIELDS_MOST + 1), 0);
	assert_int_equal(watched.before, 1 + YIELDS_MOST);
	assert_int_equal(withdrawals_of(&pair), 1);
	receive(&pair);
	end_epoch(&pair);
	/* and it yields less often before that next time */
	assert_int_equal(idle_with_yields(&pair, YIELDS_MOST), 0);
	assert_int_equal(withdrawals_of(&pair), 2);
	receive(&pair);
	end_epoch(&pair);
	close_pair(&pair);
}

/* The one that ends the epoch goes on with the next one, before any other does */
static void last_one_does_not_yield(void **state)
{
	struct pair pair;

	(void)state;
	leave_cpus(1);
	open_pair(&pair);
	for (int i = 0; i < STEPS; i++) {
		end_epoch(&pair);
		assert_int_equal(watched.yields, 0);
	}
	close_pair(&pair);
}

/* If all that it expects a message from may run on other CPUs, it looks before it yields */
static void few_missing_looks(void **state)
{
	struct pair pair;

	(void)state;
	if (!may_spin())
		skip();
	leave_cpus(2);
	open_group(&pair, 3);
	for (int i = 0; i < STEPS; i++)
		take_step(&pair, 1);
	for (unsigned int look = 2; look <= LOOKS_MOST; look++) {
		take_step(&pair, look);
		assert_int_equal(watched.yields, 0);
	}
	assert_int_equal(idle_of_first(&pair, LOOKS_MOST + 1), 0);
	assert_int_equal(watched.yields, 1);
	receive(&pair);
	end_epoch(&pair);
	/* two messages: as many as there are CPUs, of which this one has one */
	assert_int_equal(idle_of_first(&pair, 1), 0);
	send_one();
	receive(&pair);
	receive(&pair);
	end_epoch(&pair);
	assert_int_equal(idle_with_yields(&pair, 1), 0);
	assert_int_equal(watched.looks, 2);
	receive(&pair);
	end_epoch(&pair);
	close_pair(&pair);
}

#define with_few_cpus(test) cmocka_unit_test_teardown(test, restore_cpus)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_messages_one_look),
		cmocka_unit_test(message_comes_in_time),
		cmocka_unit_test(got_what_it_expected),
		cmocka_unit_test(looks_in_vain_grow_fewer),
		with_few_cpus(shared_cpu_yields),
		with_few_cpus(last_one_does_not_yield),
		with_few_cpus(few_missing_looks),
	};

	return cmocka_run_group_tests(tests, note_cpus, NULL);
}
