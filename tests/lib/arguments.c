// SPDX-License-Identifier: GPL-2.0-or-later
/* Every bad argument gets the error that hbs.h names */
#include <errno.h>
#include <string.h>

#include "threads.h"

static void open_attributes(void **state)
{
	struct hbs *hbs = NULL;

	(void)state;
	assert_int_equal(hbs_open(NULL, NULL), -EINVAL);
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .backend = 3 }), -EINVAL);
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .wait_policy = 3 }), -EINVAL);
	for (int i = 0; i < 5; i++) {
		struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE };

		attr.reserved[i] = 1;
		assert_int_equal(hbs_open(&hbs, &attr), -EINVAL);
	}
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE,
							    .device = "/dev/hbs0" }),
			 -EINVAL);
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .device = "" }), -EINVAL);
	assert_null(hbs);
}

static void open_devices(void **state)
{
	struct hbs *hbs = NULL;

	(void)state;
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .device = "/no/such" }), -ENOENT);
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .device = "/dev/null" }), -ENODEV);
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .device = "/" }), -EISDIR);
	assert_null(hbs);
}

static void names(void **state)
{
	struct hbs *hbs = open_backend();

	(void)state;
	assert_true(hbs_backend(hbs) == HBS_BACKEND_SOFTWARE ||
		    hbs_backend(hbs) == HBS_BACKEND_CARD);
	if (hbs_backend(hbs) == HBS_BACKEND_SOFTWARE)
		assert_string_equal(hbs_backend_name(hbs), "software");
	else
		assert_int_equal(strncmp(hbs_backend_name(hbs), "/dev/hbs", 8), 0);
	assert_int_equal(hbs_close(hbs), 0);
	assert_int_equal(hbs_close(NULL), -EINVAL);
}

static void group_attributes(void **state)
{
	static const struct hbs_group_attr bad[] = {
		{ .members = 2, .reduce = HBS_VOTE + 1 },
		{ .members = 2, .policy = 0x8 },
		{ .members = 2, .complete_by = HBS_COMPLETE_BY_COUNT + 1 },
		{ .members = 2, .arrive_by = HBS_ARRIVE_BY_POLLING + 1 },
		{ .members = 2, .depart_by = HBS_DEPART_BY_NODE_RECORD + 1 },
		{ .members = 2, .algorithm = HBS_ALGORITHM_SCAN + 1 },
		{ .members = 2, .fan_in = 1 },
		{ .members = 2, .fan_in = 65 },
		{ .members = 2, .promise = 2 },
		{ .members = 2, .reserved = { 1 } },
	};
	struct hbs *hbs = open_backend();
	struct hbs_group *group = NULL;
	struct hbs_group_attr attr = { .members = 2 };

	(void)state;
	assert_int_equal(hbs_group_create(NULL, &attr, &group), -EINVAL);
	assert_int_equal(hbs_group_create(hbs, NULL, &group), -EINVAL);
	assert_int_equal(hbs_group_create(hbs, &attr, NULL), -EINVAL);
	attr.members = 0;
	assert_int_equal(hbs_group_create(hbs, &attr, &group), -EINVAL);
	attr.members = 65536;
	assert_int_equal(hbs_group_create(hbs, &attr, &group), -EINVAL);
	attr = (struct hbs_group_attr){ .members = 2, .type = HBS_REFUTABLE + 1 };
	assert_int_equal(hbs_group_create(hbs, &attr, &group), -EINVAL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(hbs_group_create(hbs, &bad[i], &group), -EINVAL);
	assert_null(group);
	assert_int_equal(hbs_close(hbs), 0);
}

/* Software refuses what it does not have */
static void refused_in_software(void **state)
{
	static const struct hbs_group_attr lacking[] = {
		{ .members = 2, .algorithm = HBS_ALGORITHM_MCS, .policy = HBS_ON_DEATH_SHRINK },
		{ .members = 2, .algorithm = HBS_ALGORITHM_MCS, .type = HBS_REFUTABLE },
		{ .members = 2, .complete_by = HBS_COMPLETE_BY_COUNT },
		{ .members = 2, .arrive_by = HBS_ARRIVE_BY_POLLING },
		{ .members = 2, .depart_by = HBS_DEPART_BY_CSR },
		{ .members = 2, .depart_by = HBS_DEPART_BY_MEMBER_RECORD },
		{ .members = 2, .depart_by = HBS_DEPART_BY_NODE_RECORD },
	};
	struct hbs *hbs = open_backend();
	struct hbs_group *group = NULL;

	(void)state;
	if (hbs_backend(hbs) == HBS_BACKEND_SOFTWARE) {
		for (size_t i = 0; i < sizeof(lacking) / sizeof(lacking[0]); i++)
			assert_int_equal(hbs_group_create(hbs, &lacking[i], &group), -EOPNOTSUPP);
	}
	assert_int_equal(hbs_close(hbs), 0);
}

/* The calls for values, in a group that does not reduce, do nothing at all */
static void values_without_reduction(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 1);
	struct hbs_group_stats stats;
	struct hbs_member *member;
	uint64_t value;
	int all;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_arrive_value(member, 1), -EOPNOTSUPP);
	assert_int_equal(hbs_allreduce(member, 1, &value), -EOPNOTSUPP);
	assert_int_equal(hbs_allreduce(member, 1, NULL), -EINVAL);
	assert_int_equal(hbs_vote(member, 1, &all, NULL), -EOPNOTSUPP);
	assert_int_equal(hbs_barwait(member), 0);
	assert_int_equal(hbs_result(member, &value), -EOPNOTSUPP);
	assert_int_equal(hbs_result(member, NULL), -EINVAL);
	assert_int_equal(hbs_group_missing(group, NULL, 1), -EINVAL);
	assert_int_equal(hbs_group_stats(group, &stats), 0);
	assert_int_equal(stats.arrivals, 1);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

static void most_members(void **state)
{
	struct hbs *hbs = open_backend();

	(void)state;
	if (hbs_backend(hbs) == HBS_BACKEND_SOFTWARE) {
		struct hbs_group *group = create_group(hbs, 65535);

		assert_int_equal(hbs_group_close(group), 0);
	}
	assert_int_equal(hbs_close(hbs), 0);
}

static void null_handles(void **state)
{
	struct hbs_group_stats stats;
	struct hbs_member *member;
	uint64_t value;

	(void)state;
	assert_int_equal(hbs_group_close(NULL), -EINVAL);
	assert_int_equal(hbs_group_destroy(NULL), -EINVAL);
	assert_int_equal(hbs_group_fd(NULL), -EINVAL);
	assert_int_equal(hbs_group_stats(NULL, &stats), -EINVAL);
	assert_int_equal(hbs_join(NULL, &member), -EINVAL);
	assert_int_equal(hbs_join_tagged(NULL, 1, &member), -EINVAL);
	assert_int_equal(hbs_leave(NULL), -EINVAL);
	assert_int_equal(hbs_barwait(NULL), -EINVAL);
	assert_int_equal(hbs_arrive(NULL), -EINVAL);
	assert_int_equal(hbs_test(NULL), -EINVAL);
	assert_int_equal(hbs_wait(NULL), -EINVAL);
	assert_int_equal(hbs_member_fd(NULL), -EINVAL);
	assert_int_equal(hbs_member_stats(NULL, NULL), -EINVAL);
	assert_int_equal(hbs_wait_for(NULL, 0), -EINVAL);
	assert_int_equal(hbs_arrive_value(NULL, 0), -EINVAL);
	assert_int_equal(hbs_result(NULL, &value), -EINVAL);
	assert_int_equal(hbs_allreduce(NULL, 0, &value), -EINVAL);
	assert_int_equal(hbs_vote(NULL, 0, NULL, NULL), -EINVAL);
	assert_int_equal(hbs_arrive_and_drop(NULL), -EINVAL);
	assert_int_equal(hbs_group_missing(NULL, NULL, 0), -EINVAL);
	assert_int_equal(hbs_group_reset(NULL), -EINVAL);
}

static void null_results(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 1);

	(void)state;
	assert_int_equal(hbs_join(group, NULL), -EINVAL);
	assert_int_equal(hbs_join_tagged(group, 1, NULL), -EINVAL);
	assert_int_equal(hbs_group_stats(group, NULL), -EINVAL);
	assert_int_equal(hbs_group_import(hbs, hbs_group_fd(group), NULL), -EINVAL);
	close_all(hbs, group);
}

static void busy(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 1);
	struct hbs_member *member;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_group_close(group), -EBUSY);
	assert_int_equal(hbs_close(hbs), -EBUSY);
	assert_int_equal(hbs_leave(member), 0);
	assert_int_equal(hbs_close(hbs), -EBUSY);
	close_all(hbs, group);
}

static void error_texts(void **state)
{
	(void)state;
	assert_string_equal(hbs_strerror(-EIDRM), "the group was destroyed");
	assert_string_not_equal(hbs_strerror(-EBADMSG), strerror(EBADMSG));
	assert_string_not_equal(hbs_strerror(-EMSGSIZE), strerror(EMSGSIZE));
	/* a text of its own for each limit */
	assert_string_equal(hbs_strerror(-EDQUOT),
			    "this user has as many ports or groups as the administrator allows");
	assert_string_not_equal(hbs_strerror(-ENOSPC), hbs_strerror(-EDQUOT));
	/* an error for which the library has no text of its own */
	assert_string_equal(hbs_strerror(-ENOTDIR), strerror(ENOTDIR));
	assert_string_equal(hbs_strerror(-12345), "unexpected error");
	assert_string_equal(hbs_strerror(-4095), "unexpected error");
	assert_string_equal(hbs_strerror(7), "not an error");
	assert_non_null(hbs_strerror(INT32_MIN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_attributes),
		cmocka_unit_test(open_devices),
		cmocka_unit_test(names),
		cmocka_unit_test(group_attributes),
		cmocka_unit_test(most_members),
		cmocka_unit_test(null_handles),
		cmocka_unit_test(null_results),
		cmocka_unit_test(busy),
		cmocka_unit_test(error_texts),
		cmocka_unit_test(refused_in_software),
		cmocka_unit_test(values_without_reduction),
	};

	return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}
