// SPDX-License-Identifier: GPL-2.0-or-later
/* Refutable groups, on a faked card: which words reach the card, and what the records tell */
#include <errno.h>
#include <stdbool.h>

#include "fake_card.h"
#include "threads.h"

#define WORD(epoch)   ((uint64_t)(epoch) << HBS_WORD_EPOCH_SHIFT)
#define BROKEN(cause) (HBS_WORD_BROKEN | (uint64_t)(cause) << HBS_WORD_REASON_SHIFT)
#define VOTES	      (HBS_WORD_VOTE_ALL | HBS_WORD_VOTE_ANY)
#define ARRIVAL	      (HBS_LANE_ARRIVAL / 8)
#define OPERAND	      (HBS_LANE_OPERAND / 8)
#define WITHDRAW      (HBS_LANE_WITHDRAW / 8)
#define LIMIT	      (1ULL << 47)
#define UNTOUCHED     UINT64_MAX

/* A member of a refutable group on a card; the fake's word is 7, and its record shows votes */
struct set {
	struct hbs *hbs;
	struct hbs_group *group;
	struct hbs_member *me;
	volatile uint64_t *lane;
};

static int reset(void **state)
{
	(void)state;
	fake_reset();
	fake.words[0] = WORD(7);
	return 0;
}

static void touch_nothing(struct set *set)
{
	set->lane[ARRIVAL] = UNTOUCHED;
	set->lane[OPERAND] = UNTOUCHED;
	set->lane[WITHDRAW] = UNTOUCHED;
}

static struct set set_up(struct hbs_group_attr attr)
{
	struct hbs_attr card = { .backend = HBS_BACKEND_CARD, .spin_ns = HBS_SPIN_NONE };
	struct set set = { 0 };

	attr.members = 2;
	attr.type = HBS_REFUTABLE;
	assert_int_equal(hbs_open(&set.hbs, &card), 0);
	assert_int_equal(hbs_group_create(set.hbs, &attr, &set.group), 0);
	assert_int_equal(fake.created.type, HBS_GROUP_REFUTABLE);
	*fake.records[0] = WORD(7) | VOTES;
	assert_int_equal(hbs_join(set.group, &set.me), 0);
	set.lane = fake_lane(0, 0);
	touch_nothing(&set);
	return set;
}

static void tear_down(struct set *set)
{
	assert_int_equal(hbs_leave(set->me), 0);
	close_all(set->hbs, set->group);
	assert_int_equal(fake_ports_taken(), 0);
}

static void words(void **state)
{
	static const struct {
		struct hbs_idle idle;
		uint64_t word;
	} cases[] = {
		{ { 0 }, 0 },
		{ { .sent = 5 }, 5 },
		{ { .sent = 3, .freed = 3 }, HBS_IDLE_FREED },
		{ { .freed = 1, .vote = 1 }, HBS_IDLE_DELTA | HBS_IDLE_FREED | HBS_IDLE_VOTE },
		{ { .sent = LIMIT - 1 }, LIMIT - 1 },
		{ { .freed = LIMIT }, HBS_IDLE_FREED | LIMIT },
		{ { .sent = UINT64_MAX, .freed = UINT64_MAX - 2 }, HBS_IDLE_FREED | 2 },
		{ { .sent = 1ULL << 63, .freed = (1ULL << 63) + 1 },
		  HBS_IDLE_FREED | HBS_IDLE_DELTA },
	};
	struct set set = set_up((struct hbs_group_attr){ 0 });

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		touch_nothing(&set);
		assert_int_equal(hbs_begin_idle(set.me, &cases[i].idle), 0);
		assert_int_equal(set.lane[ARRIVAL], cases[i].word);
		assert_int_equal(set.lane[OPERAND], UNTOUCHED);
		assert_int_equal(set.lane[WITHDRAW], UNTOUCHED);
		assert_int_equal(hbs_begin_idle(set.me, &cases[i].idle), -EALREADY);
		assert_int_equal(hbs_withdraw(set.me), 0);
		assert_int_equal(set.lane[WITHDRAW], 0);
		assert_int_equal(hbs_withdraw(set.me), -EINVAL);
	}
	tear_down(&set);
}

/* Nothing reaches the card */
static void refused(void **state)
{
	static const struct {
		struct hbs_idle idle;
		int error;
	} cases[] = {
		{ { .sent = LIMIT }, -EOVERFLOW },
		{ { .freed = LIMIT + 1 }, -EOVERFLOW },
		{ { .sent = UINT64_MAX }, -EOVERFLOW },
		{ { .freed = UINT64_MAX }, -EOVERFLOW },
		{ { .sent = (1ULL << 63) + 5 }, -EOVERFLOW },
		{ { .vote = 2 }, -EINVAL },
		{ { .reserved = 1 }, -EINVAL },
		{ { .value = 1 }, -EOPNOTSUPP },
	};
	struct set set = set_up((struct hbs_group_attr){ 0 });
	uint64_t result;
	int all;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(hbs_begin_idle(set.me, &cases[i].idle), cases[i].error);
	assert_int_equal(hbs_begin_idle(NULL, &cases[0].idle), -EINVAL);
	assert_int_equal(hbs_begin_idle(set.me, NULL), -EINVAL);
	assert_int_equal(hbs_withdraw(NULL), -EINVAL);
	assert_int_equal(hbs_withdraw(set.me), -EINVAL);
	assert_int_equal(hbs_votes(NULL, &all, NULL), -EINVAL);
	/* no epoch is over yet, though the record shows votes */
	assert_int_equal(hbs_votes(set.me, &all, NULL), -EINVAL);
	assert_int_equal(hbs_test(set.me), -EINVAL);
	/* a barrier is nothing for such a group */
	assert_int_equal(hbs_barwait(set.me), -EOPNOTSUPP);
	assert_int_equal(hbs_arrive(set.me), -EOPNOTSUPP);
	assert_int_equal(hbs_arrive_value(set.me, 1), -EOPNOTSUPP);
	assert_int_equal(hbs_allreduce(set.me, 1, &result), -EOPNOTSUPP);
	assert_int_equal(set.lane[ARRIVAL], UNTOUCHED);
	assert_int_equal(set.lane[OPERAND], UNTOUCHED);
	assert_int_equal(set.lane[WITHDRAW], UNTOUCHED);
	tear_down(&set);
}

static void attributes(void **state)
{
	static const struct hbs_group_attr bad[] = {
		{ .members = 2, .type = HBS_REFUTABLE + 1 },
		{ .members = 2, .type = HBS_REFUTABLE, .complete_by = HBS_COMPLETE_BY_COUNT },
		{ .members = 2, .type = HBS_REFUTABLE, .arrive_by = HBS_ARRIVE_BY_POLLING },
		{ .members = 2, .type = HBS_REFUTABLE, .policy = HBS_ON_DEATH_SHRINK },
	};
	static const struct hbs_group_attr good = { .members = 2, .type = HBS_REFUTABLE };
	struct hbs_attr software = { .backend = HBS_BACKEND_SOFTWARE };
	struct hbs_idle idle = { 0 };
	struct hbs_member *member;
	struct hbs_group *group;
	struct hbs *hbs;
	int all;

	(void)state;
	assert_int_equal(hbs_open(&hbs, NULL), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(hbs_group_create(hbs, &bad[i], &group), -EINVAL);
	assert_int_equal(hbs_close(hbs), 0);
	assert_int_equal(hbs_open(&hbs, &software), 0);
	assert_int_equal(hbs_group_create(hbs, &good, &group), 0);
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_barwait(member), -EOPNOTSUPP);
	assert_int_equal(hbs_arrive(member), -EOPNOTSUPP);
	assert_int_equal(hbs_leave(member), 0);
	assert_int_equal(hbs_group_close(group), 0);
	assert_int_equal(hbs_group_create(hbs, &(struct hbs_group_attr){ .members = 1 }, &group),
			 0);
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_begin_idle(member, &idle), -EOPNOTSUPP);
	assert_int_equal(hbs_withdraw(member), -EOPNOTSUPP);
	assert_int_equal(hbs_votes(member, &all, NULL), -EOPNOTSUPP);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

/* The votes of the epoch before are in the record while the member waits */
static void votes(void **state)
{
	static const uint64_t outcomes[] = { 0, VOTES, HBS_WORD_VOTE_ANY, 0 };
	struct set set = set_up((struct hbs_group_attr){ 0 });
	int all, any;

	(void)state;
	for (unsigned int i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
		assert_int_equal(hbs_begin_idle(set.me, &(struct hbs_idle){ .vote = 1 }), 0);
		assert_int_equal(hbs_test(set.me), 0);
		assert_int_equal(hbs_wait_for(set.me, 0), -ETIMEDOUT);
		assert_int_equal(hbs_votes(set.me, &all, &any), -EINVAL);
		*fake.records[0] = WORD(8 + i) | outcomes[i];
		if (i % 2)
			assert_int_equal(hbs_test(set.me), 1);
		else
			assert_int_equal(hbs_wait(set.me), 0);
		all = -1;
		any = -1;
		assert_int_equal(hbs_votes(set.me, &all, NULL), 0);
		assert_int_equal(hbs_votes(set.me, NULL, &any), 0);
		assert_int_equal(all, outcomes[i] == VOTES);
		assert_int_equal(any, outcomes[i] != 0);
	}
	/* the group breaks after that epoch: it stays over */
	assert_int_equal(hbs_begin_idle(set.me, &(struct hbs_idle){ 0 }), 0);
	*fake.records[0] = WORD(12) | VOTES | BROKEN(HBS_REASON_DIED);
	assert_int_equal(hbs_wait(set.me), 0);
	assert_int_equal(hbs_votes(set.me, &all, &any), 0);
	assert_true(all && any);
	assert_int_equal(hbs_begin_idle(set.me, &(struct hbs_idle){ 0 }), -EOWNERDEAD);
	tear_down(&set);
}

/* A member that finds its epoch over has nothing to withdraw: the message is of the next one */
static void withdraw_too_late(void **state)
{
	struct set set = set_up((struct hbs_group_attr){ 0 });
	int all, any;

	(void)state;
	assert_int_equal(hbs_begin_idle(set.me, &(struct hbs_idle){ 0 }), 0);
	*fake.records[0] = WORD(8) | HBS_WORD_VOTE_ANY;
	assert_int_equal(hbs_withdraw(set.me), 1);
	assert_int_equal(set.lane[WITHDRAW], UNTOUCHED);
	assert_int_equal(hbs_votes(set.me, &all, &any), 0);
	assert_true(!all && any);
	assert_int_equal(hbs_begin_idle(set.me, &(struct hbs_idle){ 0 }), 0);
	*fake.records[0] = WORD(8) | HBS_WORD_VOTE_ANY | BROKEN(HBS_REASON_OVERFLOW);
	assert_int_equal(hbs_withdraw(set.me), -EOVERFLOW);
	assert_int_equal(hbs_votes(set.me, &all, &any), -EOVERFLOW);
	assert_int_equal(hbs_begin_idle(set.me, &(struct hbs_idle){ 0 }), -EOVERFLOW);
	assert_int_equal(set.lane[WITHDRAW], UNTOUCHED);
	tear_down(&set);
}

/* The value goes before the idle word; the result is beside a word that has votes */
static void values(void **state)
{
	struct set set = set_up((struct hbs_group_attr){ .reduce = HBS_SUM });
	uint64_t result = 0;

	(void)state;
	assert_int_equal(hbs_begin_idle(set.me, &(struct hbs_idle){ .value = 77 }), 0);
	assert_int_equal(set.lane[OPERAND], 77);
	assert_int_equal(set.lane[ARRIVAL], 0);
	fake.records[0][HBS_RECORD_RESULT / 8] = 99;
	*fake.records[0] = WORD(8) | HBS_WORD_VOTE_ANY;
	assert_int_equal(hbs_wait(set.me), 0);
	assert_int_equal(hbs_result(set.me, &result), 0);
	assert_int_equal(result, 99);
	tear_down(&set);
}

/* The member's own record may show the votes of an epoch that a sleeper waits beyond */
static void sleeps(void **state)
{
	struct set set = set_up((struct hbs_group_attr){ 0 });

	(void)state;
	assert_int_equal(hbs_begin_idle(set.me, &(struct hbs_idle){ 0 }), 0);
	fake.wait_result = WORD(8) | VOTES;
	assert_int_equal(hbs_wait(set.me), 0);
	assert_int_equal(fake.wait_word, WORD(7));
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], 1);
	tear_down(&set);
}

static void statistics(void **state)
{
	struct set set = set_up((struct hbs_group_attr){ 0 });
	struct hbs_group_stats stats;

	(void)state;
	assert_int_equal(hbs_group_stats(set.group, &stats), 0);
	assert_int_equal(stats.withdrawals, 8);
	assert_int_equal(stats.dropped, 60 + 40);
	assert_int_equal(stats.in_flight, -3);
	/* a card that has no timers */
	fake.fail_command = HBS_CMD_GROUP_MISSING;
	fake.fail_errno = EOPNOTSUPP;
	assert_int_equal(hbs_group_stats(set.group, &stats), 0);
	assert_int_equal(stats.in_flight, 0);
	fake.fail_command = HBS_CMD_GROUP_MISSING;
	fake.fail_errno = ENODEV;
	assert_int_equal(hbs_group_stats(set.group, &stats), -ENODEV);
	tear_down(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(words, reset),
		cmocka_unit_test_setup(refused, reset),
		cmocka_unit_test_setup(attributes, reset),
		cmocka_unit_test_setup(votes, reset),
		cmocka_unit_test_setup(withdraw_too_late, reset),
		cmocka_unit_test_setup(values, reset),
		cmocka_unit_test_setup(sleeps, reset),
		cmocka_unit_test_setup(statistics, reset),
	};

	return cmocka_run_group_tests_name("idle", tests, NULL, NULL);
}
