// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values, deadlines, absentees, resets and completion functions on a faked card:
 * what the library asks of the driver, stores to the card and reads from the
 * record.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "fake_card.h"
#include "threads.h"

#define WORD(epoch)   ((uint64_t)(epoch) << HBS_WORD_EPOCH_SHIFT)
#define BROKEN(cause) (HBS_WORD_BROKEN | (uint64_t)(cause) << HBS_WORD_REASON_SHIFT)
#define RESULT	      (HBS_RECORD_RESULT / 8)

static int reset(void **state)
{
	(void)state;
	fake_reset();
	fake.words[0] = WORD(7);
	return 0;
}

static struct hbs *open_card(uint64_t spin_ns)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD, .spin_ns = spin_ns };
	struct hbs *hbs = NULL;

	assert_int_equal(hbs_open(&hbs, &attr), 0);
	return hbs;
}

static struct hbs_group *create(struct hbs *hbs, struct hbs_group_attr attr)
{
	struct hbs_group *group = NULL;

	attr.members = 2;
	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	return group;
}

static unsigned int words_stored(void)
{
	unsigned int stored = 0;

	for (int i = 0; i < 512; i++)
		stored += fake.ports[0].map[i] != UINT64_MAX;
	return stored;
}

static void attributes(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group_attr attr = { .reduce = HBS_SMAX,
				       .policy = HBS_ON_TIMEOUT_NOTIFY | HBS_ON_DEATH_SHRINK,
				       .timeout_ns = 12345678901 };
	struct hbs_group *group = create(hbs, attr), *again = NULL;
	struct hbs_member *member;

	(void)state;
	assert_int_equal(fake.created.reduce, HBS_REDUCE_SMAX);
	assert_int_equal(fake.created.policy, HBS_POLICY_NOTIFY | HBS_POLICY_SHRINK);
	assert_int_equal(fake.created.timeout_ns, 12345678901);
	/* a process that imports the group learns that it reduces */
	assert_int_equal(hbs_group_import(hbs, hbs_group_fd(group), &again), 0);
	assert_int_equal(hbs_join(again, &member), 0);
	assert_int_equal(hbs_arrive_value(member, 5), 0);
	assert_int_equal(hbs_leave(member), 0);
	assert_int_equal(hbs_group_close(again), 0);
	close_all(hbs, group);
}

static void refusals(void **state)
{
	static const struct {
		int error, result;
	} all[] = { { E2BIG, -EOPNOTSUPP }, { EOPNOTSUPP, -EOPNOTSUPP }, { ERANGE, -ERANGE } };
	struct hbs *hbs = open_card(0);
	struct hbs_group_attr attr = { .members = 2, .timeout_ns = 1 };
	struct hbs_group *group = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		fake.fail_command = HBS_CMD_GROUP_CREATE;
		fake.fail_errno = all[i].error;
		assert_int_equal(hbs_group_create(hbs, &attr, &group), all[i].result);
	}
	assert_null(group);
	assert_int_equal(hbs_close(hbs), 0);
}

/* A barrier that is there already, and then one that the member sleeps for */
static void wait_twice(struct hbs_member *member)
{
	fake.records[0][0] = WORD(8);
	assert_int_equal(hbs_barwait(member), 0);
	if (fake.ports[0].waits)
		assert_int_equal(fake.ports[0].waits[0].joined, 0);
	fake.wait_result = WORD(9);
	assert_int_equal(hbs_barwait(member), 0);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], 1);
}

/* The driver sees what the long waits of a member were like */
static void long_waits(void **state)
{
	struct hbs *hbs = open_card(HBS_SPIN_NONE);
	struct hbs_group *group = create(hbs, (struct hbs_group_attr){ 0 });
	struct hbs_member_stats stats;
	struct hbs_member *member;
	const struct hbs_waits *waits;
	unsigned int count = 0;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	wait_twice(member);
	waits = &fake.ports[0].waits[0];
	assert_int_equal(waits->joined, WORD(7));
	assert_int_equal(waits->epoch, 8);
	assert_true(waits->since_ns);
	assert_int_equal(waits->slept, 1);
	for (int i = 0; i < HBS_WAITS_BUCKETS; i++)
		count += waits->counts[i];
	assert_int_equal(count, 1);
	assert_int_equal(waits[1].joined, 0);
	assert_int_equal(hbs_member_stats(member, &stats), 0);
	assert_int_equal(stats.epochs, 2);
	assert_int_equal(stats.waits[0], 1);
	assert_int_equal(stats.waited_ns, waits->waited_ns);
	assert_int_equal(hbs_leave(member), 0);
	assert_null(fake.ports[0].waits);
	close_all(hbs, group);
}

/* A driver that has no waits of ports, or no memory for them, is no error */
static void no_waits(void **state)
{
	struct hbs *hbs = open_card(HBS_SPIN_NONE);
	struct hbs_group *group = create(hbs, (struct hbs_group_attr){ 0 });
	struct hbs_member_stats stats;
	struct hbs_member *member;

	(void)state;
	for (int i = 0; i < 2; i++) {
		fake.no_waits = !i;
		fake.fail_waits = i ? ENOMEM : 0;
		fake.calls[HBS_CMD_GROUP_WAIT] = 0;
		assert_int_equal(hbs_join(group, &member), 0);
		assert_null(fake.ports[0].waits);
		wait_twice(member);
		assert_int_equal(hbs_member_stats(member, &stats), -EOPNOTSUPP);
		assert_int_equal(hbs_leave(member), 0);
		fake.records[0][0] = WORD(7);
	}
	assert_int_equal(fake_ports_taken(), 0);
	close_all(hbs, group);
}

/* A value costs no more than the barrier: one store, and no call */
static void one_store_with_a_value(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *group =
		create(hbs, (struct hbs_group_attr){ .members = 2, .reduce = HBS_SUM });
	struct hbs_member *member;
	uint64_t result = 1;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_result(member, &result), -EINVAL);
	fake.records[0][0] = WORD(8);
	fake.records[0][RESULT] = 0xfedcba9876543210;
	assert_int_equal(hbs_allreduce(member, 0x123456789abcdef0, &result), 0);
	assert_int_equal(*fake_lane(0, 0), 0x123456789abcdef0);
	assert_int_equal(result, 0xfedcba9876543210);
	assert_int_equal(words_stored(), 1);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], 0);
	/* again and again, until it arrives */
	result = 1;
	assert_int_equal(hbs_result(member, &result), 0);
	assert_int_equal(result, 0xfedcba9876543210);
	assert_int_equal(hbs_arrive_value(member, 77), 0);
	assert_int_equal(*fake_lane(0, 0), 77);
	assert_int_equal(hbs_result(member, &result), -EINVAL);
	assert_int_equal(hbs_allreduce(member, 0, &result), -EALREADY);
	assert_int_equal(hbs_arrive_value(member, 78), -EALREADY);
	assert_int_equal(*fake_lane(0, 0), 77);
	fake.records[0][RESULT] = 99;
	fake.records[0][0] = WORD(9);
	assert_int_equal(hbs_test(member), 1);
	assert_int_equal(hbs_result(member, &result), 0);
	assert_int_equal(result, 99);
	/* that barrier was over before the group broke */
	fake.records[0][0] |= BROKEN(HBS_REASON_DIED);
	assert_int_equal(hbs_result(member, &result), 0);
	assert_int_equal(hbs_arrive_value(member, 1), -EOWNERDEAD);
	assert_int_equal(hbs_allreduce(member, 1, &result), -EOWNERDEAD);
	assert_int_equal(hbs_result(member, &result), -EOWNERDEAD);
	/* not a group of votes */
	assert_int_equal(hbs_vote(member, 1, NULL, NULL), -EOPNOTSUPP);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

/* A record that was used again, for another epoch, has another epoch's result */
static void result_of_another_epoch(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *group =
		create(hbs, (struct hbs_group_attr){ .members = 2, .reduce = HBS_SUM });
	struct hbs_member *member;
	uint64_t result = 1;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	fake.records[0][0] = WORD(8);
	assert_int_equal(hbs_barwait(member), 0);
	fake.records[0][0] = WORD(90);
	assert_int_equal(hbs_result(member, &result), -ECONNRESET);
	assert_int_equal(result, 1);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

static void votes(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *group =
		create(hbs, (struct hbs_group_attr){ .members = 2, .reduce = HBS_VOTE });
	struct hbs_member *member;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	for (unsigned int i = 0; i < 4; i++) {
		int all = -1, any = -1;

		fake.records[0][0] += WORD(1);
		fake.records[0][RESULT] = i;
		assert_int_equal(hbs_vote(member, i & 1 ? -5 : 0, &all, &any), 0);
		assert_int_equal(*fake_lane(0, 0), i & 1);
		assert_int_equal(all, i & 1);
		assert_int_equal(any, i >> 1);
	}
	fake.records[0][0] += WORD(1);
	assert_int_equal(hbs_vote(member, 1, NULL, NULL), 0);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void deadlines(void **state)
{
	struct hbs *hbs = open_card(HBS_SPIN_NONE);
	struct hbs_group *group = create(hbs, (struct hbs_group_attr){ 0 });
	struct hbs_member *member;
	uint64_t before;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_arrive(member), 0);
	/* no time: not even a call */
	assert_int_equal(hbs_wait_for(member, 0), -ETIMEDOUT);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], 0);
	/* a signal first: the library asks for the same moment again */
	before = now_ns();
	fake.fail_command = HBS_CMD_GROUP_WAIT;
	fake.fail_errno = EINTR;
	fake.wait_result = WORD(8);
	assert_int_equal(hbs_wait_for(member, 3600000000000), 0);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], 2);
	assert_in_range(fake.wait_deadline, before + 3600000000000, now_ns() + 3600000000000);
	/* the kernel's time is over, the group is not broken, and then it is over after all */
	assert_int_equal(hbs_arrive(member), 0);
	fake.fail_errno = ETIMEDOUT;
	assert_int_equal(hbs_wait_for(member, 2000000), -ETIMEDOUT);
	assert_int_equal(hbs_arrive(member), -EALREADY);
	fake.wait_result = WORD(9);
	fake.fail_errno = ETIMEDOUT;
	assert_int_equal(hbs_wait_for(member, 2000000), 0);
	/* without one, and with one that no clock gets to */
	assert_int_equal(hbs_arrive(member), 0);
	fake.wait_result = WORD(10);
	assert_int_equal(hbs_wait_for(member, UINT64_MAX), 0);
	assert_int_equal(fake.wait_deadline, 0);
	/* the group's own timer broke it: that is another thing, and stays */
	assert_int_equal(hbs_arrive(member), 0);
	fake.fail_errno = ETIMEDOUT;
	fake.wait_result = WORD(10) | BROKEN(HBS_REASON_TIMEOUT);
	assert_int_equal(hbs_wait_for(member, 3600000000000), -ETIMEDOUT);
	assert_int_equal(hbs_arrive(member), -ETIMEDOUT);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

static void absentees(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *group = create(hbs, (struct hbs_group_attr){ 0 });
	struct hbs_absentee list[2];
	struct hbs_member *member;

	(void)state;
	assert_int_equal(hbs_join_tagged(group, UINT64_MAX - 1, &member), 0);
	memset(list, 0xff, sizeof(list));
	assert_int_equal(hbs_group_missing(group, NULL, 0), 3);
	assert_int_equal(hbs_group_missing(group, list, 1), 3);
	assert_int_equal(list[0].port, 40);
	assert_int_equal(list[0].pid, 100);
	assert_int_equal(list[0].tid, 200);
	assert_int_equal(list[0].reserved, 0);
	assert_int_equal(list[0].tag, UINT64_MAX - 1);
	assert_int_equal(list[1].port, UINT32_MAX);
	assert_int_equal(hbs_group_missing(group, list, 2), 3);
	assert_int_equal(list[1].tid, 201);
	fake.fail_command = HBS_CMD_GROUP_MISSING;
	fake.fail_errno = ENODEV;
	assert_int_equal(hbs_group_missing(group, list, 2), -ENODEV);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

/* A driver that is older than tags */
static void no_tags(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *group = create(hbs, (struct hbs_group_attr){ 0 });
	struct hbs_member *member = NULL;

	(void)state;
	fake.fail_command = HBS_CMD_GROUP_JOIN;
	fake.fail_errno = E2BIG;
	assert_int_equal(hbs_join_tagged(group, 1, &member), -EOPNOTSUPP);
	assert_null(member);
	assert_int_equal(fake_ports_taken(), 0);
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(fake.tag, 0);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

/* A later life of the group has the record of a former member */
static void epoch_beyond(void **state)
{
	struct hbs *hbs = open_card(HBS_SPIN_NONE);
	struct hbs_group *group = create(hbs, (struct hbs_group_attr){ 0 });
	struct hbs_member *member;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	fake.records[0][0] = WORD(9);
	assert_int_equal(hbs_test(member), -ECONNRESET);
	assert_int_equal(hbs_arrive(member), -ECONNRESET);
	assert_int_equal(words_stored(), 0);
	assert_int_equal(hbs_barwait(member), -ECONNRESET);
	assert_int_equal(hbs_wait(member), -ECONNRESET);
	assert_int_equal(hbs_leave(member), 0);

	/* the kernel tells of it, and the record shows nothing */
	fake.words[0] = WORD(9);
	assert_int_equal(hbs_join(group, &member), 0);
	fake.wait_hides = 1;
	fake.wait_result = WORD(11);
	assert_int_equal(hbs_barwait(member), -ECONNRESET);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

/* What the old handle does must not count for the new one */
static void joins_again_after_a_reset(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *group = create(hbs, (struct hbs_group_attr){ 0 });
	struct hbs_member *before, *after;

	(void)state;
	assert_int_equal(hbs_join(group, &before), 0);
	fake.records[0][0] = WORD(7) | BROKEN(HBS_REASON_RESET);
	fake.words[0] = WORD(9);
	assert_int_equal(hbs_group_reset(group), 0);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_RESET], 1);
	assert_int_equal(hbs_join(group, &after), 0);
	assert_int_equal(fake_ports_taken(), 2);
	*fake_lane(0, 0) = 1;
	*fake_lane(1, 0) = 1;
	fake.records[0][0] = WORD(9);
	assert_int_equal(hbs_arrive(after), 0);
	assert_int_equal(*fake_lane(1, 0), 0);
	fake.records[0][0] = WORD(7) | BROKEN(HBS_REASON_RESET);
	assert_int_equal(hbs_barwait(before), -ECONNRESET);
	assert_int_equal(hbs_leave(before), 0);
	assert_int_equal(fake_ports_taken(), 1);
	assert_int_equal(fake.ports[1].joined, 1);
	assert_int_equal(hbs_leave(after), 0);
	assert_int_equal(fake_ports_taken(), 0);
	fake.fail_command = HBS_CMD_GROUP_RESET;
	fake.fail_errno = ECONNRESET;
	assert_int_equal(hbs_group_reset(group), -ECONNRESET);
	close_all(hbs, group);
}

static void count_call(void *argument)
{
	++*(unsigned int *)argument;
}

/* Card epochs start anywhere, and a reset skips some: only barriers are called for */
static void completion_functions(void **state)
{
	struct hbs *hbs = open_card(HBS_SPIN_NONE);
	unsigned int calls = 0;
	struct hbs_group *group = create(
		hbs, (struct hbs_group_attr){ .completion = count_call, .completion_arg = &calls });
	struct hbs_member *a, *b;

	(void)state;
	/* leaving without a barrier is none */
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(calls, 0);
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	fake.wait_result = WORD(8);
	assert_int_equal(hbs_barwait(a), 0);
	assert_int_equal(calls, 1);
	assert_int_equal(hbs_barwait(b), 0);
	assert_int_equal(calls, 1);
	/* a member that finds the barrier over at once cannot bypass the function */
	fake.records[0][0] = WORD(9);
	assert_int_equal(hbs_barwait(a), 0);
	assert_int_equal(calls, 2);
	assert_int_equal(hbs_barwait(b), 0);
	assert_int_equal(calls, 2);
	/* over for all, though it broke before anybody looked */
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_arrive(b), 0);
	fake.records[0][0] = WORD(10) | BROKEN(HBS_REASON_RESET);
	fake.words[0] = WORD(12);
	assert_int_equal(hbs_group_reset(group), 0);
	assert_int_equal(hbs_test(a), 1);
	assert_int_equal(calls, 3);
	assert_int_equal(hbs_barwait(a), -ECONNRESET);
	assert_int_equal(hbs_wait(b), 0);
	assert_int_equal(calls, 3);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(hbs_leave(b), 0);
	assert_int_equal(calls, 3);
	fake.records[0][0] = WORD(12);
	assert_int_equal(hbs_join(group, &a), 0);
	fake.wait_result = WORD(13);
	assert_int_equal(hbs_barwait(a), 0);
	assert_int_equal(calls, 4);
	/* the next two leaves do not call it: one member had arrived, and one had not */
	assert_int_equal(hbs_join(group, &b), 0);
	fake.records[0][0] = WORD(15);
	assert_int_equal(hbs_leave(b), 0);
	assert_int_equal(calls, 6);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(calls, 6);
	close_all(hbs, group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(attributes, reset),
		cmocka_unit_test_setup(refusals, reset),
		cmocka_unit_test_setup(long_waits, reset),
		cmocka_unit_test_setup(no_waits, reset),
		cmocka_unit_test_setup(one_store_with_a_value, reset),
		cmocka_unit_test_setup(result_of_another_epoch, reset),
		cmocka_unit_test_setup(votes, reset),
		cmocka_unit_test_setup(deadlines, reset),
		cmocka_unit_test_setup(absentees, reset),
		cmocka_unit_test_setup(no_tags, reset),
		cmocka_unit_test_setup(epoch_beyond, reset),
		cmocka_unit_test_setup(joins_again_after_a_reset, reset),
		cmocka_unit_test_setup(completion_functions, reset),
	};

	return cmocka_run_group_tests_name("features", tests, NULL, NULL);
}
