// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ways of a card to do a barrier, on a faked card: counting, arrival lines, and where
 * members see the departure.
 */
#include <errno.h>
#include <stdbool.h>

#include "fake_card.h"
#include "threads.h"

#define WORD(epoch)   ((uint64_t)(epoch) << HBS_WORD_EPOCH_SHIFT)
#define BROKEN(cause) (HBS_WORD_BROKEN | (uint64_t)(cause) << HBS_WORD_REASON_SHIFT)
#define ARRIVAL	      (HBS_LANE_ARRIVAL / 8)
#define OPERAND	      ((HBS_LANE_ARRIVAL + HBS_LINE_OPERAND) / 8)
#define DEPARTURE     (HBS_LANE_DEPARTURE / 8)
#define RESULT	      ((HBS_LANE_DEPARTURE + HBS_RECORD_RESULT) / 8)
#define NOTHING	      UINT64_MAX /* the fake's ports are filled with this */

/* A member of a group on a card; the fake's word is 7 */
struct set {
	struct hbs *hbs;
	struct hbs_group *group;
	struct hbs_member *me;
	volatile uint64_t *lane, *memory;
};

static int reset(void **state)
{
	(void)state;
	fake_reset();
	fake.words[0] = WORD(7);
	return 0;
}

static struct set set_up(struct hbs_group_attr attr)
{
	struct hbs_attr card = { .backend = HBS_BACKEND_CARD, .spin_ns = HBS_SPIN_NONE };
	struct set set = { 0 };

	attr.members = 2;
	assert_int_equal(hbs_open(&set.hbs, &card), 0);
	assert_int_equal(hbs_group_create(set.hbs, &attr, &set.group), 0);
	assert_int_equal(hbs_join(set.group, &set.me), 0);
	set.lane = fake_lane(0, 0);
	if (fake.ports[0].memory)
		set.memory = fake_memory(0, 0);
	return set;
}

static void tear_down(struct set *set)
{
	assert_int_equal(hbs_leave(set->me), 0);
	close_all(set->hbs, set->group);
	/* which the driver does not do while a map is left */
	assert_int_equal(fake_ports_taken(), 0);
}

static unsigned int stored(const volatile uint64_t *map)
{
	unsigned int words = 0;

	for (int i = 0; i < 512; i++)
		words += map[i] != NOTHING;
	return words;
}

static void asked_of_the_driver(void **state)
{
	struct set set = set_up((struct hbs_group_attr){
		.complete_by = HBS_COMPLETE_BY_COUNT,
		.arrive_by = HBS_ARRIVE_BY_POLLING,
		.depart_by = HBS_DEPART_BY_MEMBER_RECORD,
	});

	(void)state;
	assert_int_equal(fake.created.completion, HBS_COMPLETION_COUNT);
	assert_int_equal(fake.created.arrival, HBS_ARRIVAL_POLL);
	assert_int_equal(fake.created.departure, HBS_DEPARTURE_PORT);
	tear_down(&set);
}

/* That the card counts makes no difference here */
static void counting(void **state)
{
	struct set set = set_up((struct hbs_group_attr){ .complete_by = HBS_COMPLETE_BY_COUNT });

	(void)state;
	assert_null(set.memory);
	fake.records[0][0] = WORD(8);
	assert_int_equal(hbs_barwait(set.me), 0);
	assert_int_equal(set.lane[ARRIVAL], 0);
	assert_int_equal(stored(fake.ports[0].map), 1);
	/* the member's second arrival would count */
	assert_int_equal(hbs_arrive(set.me), 0);
	set.lane[ARRIVAL] = 1;
	assert_int_equal(hbs_arrive(set.me), -EALREADY);
	assert_int_equal(set.lane[ARRIVAL], 1);
	tear_down(&set);
}

/* One store to memory, and none to the card */
static void polled_arrival(void **state)
{
	struct set set = set_up((struct hbs_group_attr){ .arrive_by = HBS_ARRIVE_BY_POLLING });

	(void)state;
	fake.records[0][0] = WORD(8);
	assert_int_equal(hbs_barwait(set.me), 0);
	assert_int_equal(set.memory[ARRIVAL], WORD(8));
	assert_int_equal(stored(fake.ports[0].memory), 1);
	assert_int_equal(hbs_arrive(set.me), 0);
	assert_int_equal(set.memory[ARRIVAL], WORD(9));
	assert_int_equal(hbs_arrive(set.me), -EALREADY);
	assert_int_equal(hbs_test(set.me), 0);
	fake.records[0][0] = WORD(9);
	assert_int_equal(hbs_wait(set.me), 0);
	fake.wait_result = WORD(10);
	assert_int_equal(hbs_barwait(set.me), 0);
	assert_int_equal(set.memory[ARRIVAL], WORD(10));
	assert_int_equal(stored(fake.ports[0].memory), 1);
	assert_int_equal(stored(fake.ports[0].map), 0);
	/* the member already knows that the group is broken */
	fake.records[0][0] = WORD(10) | BROKEN(HBS_REASON_DIED);
	assert_int_equal(hbs_arrive(set.me), -EOWNERDEAD);
	assert_int_equal(set.memory[ARRIVAL], WORD(10));
	tear_down(&set);
}

static void polled_values(void **state)
{
	struct set set = set_up(
		(struct hbs_group_attr){ .arrive_by = HBS_ARRIVE_BY_POLLING, .reduce = HBS_SUM });
	struct hbs_member *other;
	struct hbs_group *again;
	uint64_t result = 0;

	(void)state;
	fake.records[0][0] = WORD(8);
	fake.records[0][HBS_RECORD_RESULT / 8] = 99;
	assert_int_equal(hbs_allreduce(set.me, 0x123456789abcdef0, &result), 0);
	assert_int_equal(result, 99);
	assert_int_equal(set.memory[OPERAND], 0x123456789abcdef0);
	assert_int_equal(set.memory[ARRIVAL], WORD(8));
	assert_int_equal(hbs_arrive_value(set.me, 5), 0);
	assert_int_equal(set.memory[OPERAND], 5);
	assert_int_equal(set.memory[ARRIVAL], WORD(9));
	fake.records[0][0] = WORD(9);
	assert_int_equal(hbs_test(set.me), 1);
	/* a plain arrival brings 0 */
	assert_int_equal(hbs_arrive(set.me), 0);
	assert_int_equal(set.memory[OPERAND], 0);
	assert_int_equal(stored(fake.ports[0].memory), 2);
	assert_int_equal(stored(fake.ports[0].map), 0);
	/* a process that imports the group arrives in the same way */
	assert_int_equal(hbs_group_import(set.hbs, hbs_group_fd(set.group), &again), 0);
	fake.words[0] = WORD(9);
	assert_int_equal(hbs_join(again, &other), 0);
	assert_int_equal(hbs_arrive_value(other, 6), 0);
	assert_int_equal(fake_memory(1, 0)[OPERAND], 6);
	assert_int_equal(stored(fake.ports[1].map), 0);
	assert_int_equal(hbs_leave(other), 0);
	assert_int_equal(hbs_group_close(again), 0);
	tear_down(&set);
}

/* Loads from the card's register, and no mapping of records */
static void polled_register(void **state)
{
	struct set set = set_up(
		(struct hbs_group_attr){ .depart_by = HBS_DEPART_BY_CSR, .reduce = HBS_MAX });
	uint64_t result = 0;

	(void)state;
	assert_null(fake.records[0]);
	assert_null(set.memory);
	set.lane[DEPARTURE] = WORD(8);
	set.lane[RESULT] = 77;
	assert_int_equal(hbs_allreduce(set.me, 5, &result), 0);
	assert_int_equal(result, 77);
	assert_int_equal(set.lane[ARRIVAL], 5);
	assert_int_equal(hbs_arrive(set.me), 0);
	assert_int_equal(hbs_test(set.me), 0);
	set.lane[DEPARTURE] = WORD(9);
	assert_int_equal(hbs_test(set.me), 1);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], 0);
	/* the kernel's time is over, and then the register shows it */
	assert_int_equal(hbs_arrive(set.me), 0);
	fake.wait_result = WORD(9);
	fake.fail_command = HBS_CMD_GROUP_WAIT;
	fake.fail_errno = ETIMEDOUT;
	assert_int_equal(hbs_wait_for(set.me, 2000000), -ETIMEDOUT);
	set.lane[DEPARTURE] = WORD(10) | BROKEN(HBS_REASON_DESTROYED);
	assert_int_equal(hbs_wait(set.me), 0);
	assert_int_equal(hbs_barwait(set.me), -EIDRM);
	tear_down(&set);
}

/*
 * After a reset the register shows an epoch beyond, or nothing: the kernel says what
 * was before, whether the member had arrived or not.
 */
static int after_a_reset(bool arrived, uint64_t shown, uint64_t told, int error)
{
	struct set set;
	int ret;

	reset(NULL);
	set = set_up((struct hbs_group_attr){ .depart_by = HBS_DEPART_BY_CSR });
	set.lane[DEPARTURE] = WORD(7);
	if (arrived)
		assert_int_equal(hbs_arrive(set.me), 0);
	set.lane[DEPARTURE] = shown;
	fake.fail_command = HBS_CMD_GROUP_WAIT;
	fake.fail_errno = error;
	fake.wait_result = told;
	ret = arrived ? hbs_test(set.me) : hbs_arrive(set.me);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], 1);
	assert_int_equal(fake.wait_word, WORD(7));
	/* it was not to sleep */
	assert_int_equal(fake.wait_deadline, 1);
	tear_down(&set);
	return ret;
}

static void register_after_a_reset(void **state)
{
	/* the last but one: the port is no member any more */
	static const uint64_t shown[] = { WORD(10), WORD(12) | BROKEN(HBS_REASON_DIED), 0,
					  UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		/* over before: for all */
		assert_int_equal(after_a_reset(true, shown[i], WORD(8) | BROKEN(HBS_REASON_RESET),
					       ECONNRESET),
				 1);
		/* broken before: for all, by the first reason */
		assert_int_equal(after_a_reset(true, shown[i], WORD(7) | BROKEN(HBS_REASON_DIED),
					       EOWNERDEAD),
				 -EOWNERDEAD);
		assert_int_equal(after_a_reset(false, shown[i], WORD(7) | BROKEN(HBS_REASON_DIED),
					       EOWNERDEAD),
				 -EOWNERDEAD);
		/* so often reset that nobody remembers */
		assert_int_equal(after_a_reset(true, shown[i], WORD(10) | BROKEN(HBS_REASON_RESET),
					       ECONNRESET),
				 -ECONNRESET);
		assert_int_equal(after_a_reset(false, shown[i], WORD(10), 0), -ECONNRESET);
	}
	/* a card that does not answer, and the kernel has not noticed yet */
	assert_int_equal(after_a_reset(true, UINT64_MAX, WORD(7), ETIMEDOUT), 0);
}

/*
 * A member has departed from barrier 8, and then its register shows @shown, with all ones for a
 * result. The kernel tells @told with @error, and 77, the result that came with the word @of.
 */
static int result_at_the_end(uint64_t shown, uint64_t told, int error, uint64_t of,
			     uint64_t *result)
{
	struct set set;
	int ret;

	reset(NULL);
	set = set_up((struct hbs_group_attr){ .depart_by = HBS_DEPART_BY_CSR, .reduce = HBS_SUM });
	set.lane[DEPARTURE] = WORD(7);
	assert_int_equal(hbs_arrive(set.me), 0);
	set.lane[DEPARTURE] = WORD(8);
	assert_int_equal(hbs_test(set.me), 1);
	set.lane[DEPARTURE] = shown;
	set.lane[RESULT] = NOTHING;
	fake.fail_command = HBS_CMD_GROUP_WAIT;
	fake.fail_errno = error;
	fake.wait_result = told;
	fake.result = 77;
	fake.result_word = of;
	ret = hbs_result(set.me, result);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], 1);
	assert_int_equal(fake.wait_deadline, 1);
	tear_down(&set);
	return ret;
}

/* Once the register has nothing to say, the result is the kernel's, or there is none */
static void register_at_the_end(void **state)
{
	static const struct {
		uint64_t shown, told;
		int error;
		int without; /* what the member gets if the kernel does not have the result */
	} all[] = {
		/* the kernel has not noticed yet, and has seen the barrier, or not */
		{ UINT64_MAX, WORD(8), ETIMEDOUT, -ENODEV },
		{ UINT64_MAX, WORD(7), ETIMEDOUT, -ENODEV },
		/* it has, between the loads, or before */
		{ UINT64_MAX, WORD(8) | BROKEN(HBS_REASON_GONE), ENODEV, -ENODEV },
		{ WORD(8) | BROKEN(HBS_REASON_GONE), WORD(8) | BROKEN(HBS_REASON_GONE), ENODEV,
		  -ENODEV },
		{ WORD(7) | BROKEN(HBS_REASON_RESET), WORD(7) | BROKEN(HBS_REASON_RESET),
		  ECONNRESET, -ECONNRESET },
		/* the card is there, and the group was broken, or was reset too */
		{ WORD(8) | BROKEN(HBS_REASON_DESTROYED), WORD(8) | BROKEN(HBS_REASON_DESTROYED),
		  EIDRM, -EIDRM },
		{ 0, WORD(8) | BROKEN(HBS_REASON_RESET), ECONNRESET, -ECONNRESET },
		{ 0, WORD(12), 0, -ECONNRESET },
	};
	uint64_t result;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		result = 1;
		assert_int_equal(result_at_the_end(all[i].shown, all[i].told, all[i].error, WORD(8),
						   &result),
				 0);
		assert_int_equal(result, 77);
		/* none at all, or that of another barrier */
		result = 1;
		assert_int_equal(
			result_at_the_end(all[i].shown, all[i].told, all[i].error, 0, &result),
			all[i].without);
		assert_int_equal(result_at_the_end(all[i].shown, all[i].told, all[i].error, WORD(7),
						   &result),
				 all[i].without);
		assert_int_equal(result, 1);
	}
}

/* All ones are a result, if the card still shows the barrier after it: the kernel is not asked */
static void register_with_all_ones(void **state)
{
	struct set set = set_up(
		(struct hbs_group_attr){ .depart_by = HBS_DEPART_BY_CSR, .reduce = HBS_AND });
	uint64_t result = 0;

	(void)state;
	set.lane[DEPARTURE] = WORD(8);
	set.lane[RESULT] = UINT64_MAX;
	assert_int_equal(hbs_allreduce(set.me, UINT64_MAX, &result), 0);
	assert_true(result == UINT64_MAX);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], 0);
	tear_down(&set);
}

static void own_record(void **state)
{
	struct set set = set_up((struct hbs_group_attr){ .depart_by = HBS_DEPART_BY_MEMBER_RECORD,
							 .reduce = HBS_SUM });
	uint64_t result = 0;

	(void)state;
	assert_null(fake.records[0]);
	set.memory[DEPARTURE] = WORD(8);
	set.memory[RESULT] = 33;
	assert_int_equal(hbs_allreduce(set.me, 4, &result), 0);
	assert_int_equal(result, 33);
	assert_int_equal(set.lane[ARRIVAL], 4);
	/* nothing is stored to where the card writes */
	assert_int_equal(stored(fake.ports[0].memory), 2);
	tear_down(&set);
}

/* The kernel sees it in another record, a moment before: no release, and no error */
static void own_record_is_late(void **state)
{
	struct set set = set_up((struct hbs_group_attr){ .depart_by = HBS_DEPART_BY_NODE_RECORD });

	(void)state;
	fake.wait_hides = 3;
	fake.wait_result = WORD(8);
	assert_int_equal(hbs_barwait(set.me), 0);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], 4);
	tear_down(&set);
}

static void record_of_the_node(void **state)
{
	struct set set;

	(void)state;
	fake.record_pages = 2;
	set = set_up((struct hbs_group_attr){ .depart_by = HBS_DEPART_BY_NODE_RECORD });
	fake.records[0][0] = WORD(8);
	assert_int_equal(hbs_arrive(set.me), 0);
	assert_int_equal(hbs_test(set.me), 0);
	fake.records[0][512] = WORD(8);
	assert_int_equal(hbs_test(set.me), 1);
	tear_down(&set);
}

static void count_call(void *argument)
{
	++*(unsigned int *)argument;
}

/* Nobody departs, and a member that leaves has no port any more to look at */
static void completion_by_leaving(void **state)
{
	unsigned int calls = 0;
	struct set set = set_up((struct hbs_group_attr){ .depart_by = HBS_DEPART_BY_MEMBER_RECORD,
							 .completion = count_call,
							 .completion_arg = &calls });

	(void)state;
	set.memory[DEPARTURE] = WORD(7);
	assert_int_equal(hbs_arrive(set.me), 0);
	fake.wait_result = WORD(8);
	tear_down(&set);
	assert_int_equal(calls, 1);
}

/* Without memory of ports there is no membership, and nothing is left of it */
static void no_memory(void **state)
{
	struct hbs_attr card = { .backend = HBS_BACKEND_CARD };
	struct hbs_group_attr attr = { .members = 2, .arrive_by = HBS_ARRIVE_BY_POLLING };
	struct hbs_member *me = NULL, *other;
	struct hbs_group *group, *plain;
	struct hbs *hbs;

	(void)state;
	assert_int_equal(hbs_open(&hbs, &card), 0);
	fake.no_memory = 1;
	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	assert_int_equal(hbs_join(group, &me), -EOPNOTSUPP);
	assert_null(me);
	assert_int_equal(fake_ports_taken(), 0);
	fake.no_memory = 0;
	plain = create_group(hbs, 2);
	assert_int_equal(hbs_join(plain, &other), 0);
	fake.fail_map = ENOMEM;
	assert_int_equal(hbs_join(group, &me), -ENOMEM);
	assert_null(me);
	assert_int_equal(fake.ports[0].joined, 2);
	assert_int_equal(hbs_join(group, &me), 0);
	assert_int_equal(fake_ports_taken(), 1);
	assert_int_equal(hbs_leave(other), 0);
	assert_int_equal(hbs_leave(me), 0);
	assert_int_equal(fake_ports_taken(), 0);
	assert_int_equal(hbs_group_close(plain), 0);
	close_all(hbs, group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(asked_of_the_driver, reset),
		cmocka_unit_test_setup(counting, reset),
		cmocka_unit_test_setup(polled_arrival, reset),
		cmocka_unit_test_setup(polled_values, reset),
		cmocka_unit_test_setup(polled_register, reset),
		cmocka_unit_test_setup(register_after_a_reset, reset),
		cmocka_unit_test_setup(register_at_the_end, reset),
		cmocka_unit_test_setup(register_with_all_ones, reset),
		cmocka_unit_test_setup(own_record, reset),
		cmocka_unit_test_setup(own_record_is_late, reset),
		cmocka_unit_test_setup(record_of_the_node, reset),
		cmocka_unit_test_setup(completion_by_leaving, reset),
		cmocka_unit_test_setup(no_memory, reset),
	};

	return cmocka_run_group_tests_name("ways", tests, NULL, NULL);
}
