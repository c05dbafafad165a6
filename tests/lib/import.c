// SPDX-License-Identifier: GPL-2.0-or-later
/* Importing a group, and descriptors that are none */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "../descriptors.h"
#include "threads.h"

static int import(int fd)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = NULL;
	int ret = hbs_group_import(hbs, fd, &group);

	if (ret)
		assert_null(group);
	else
		assert_int_equal(hbs_group_close(group), 0);
	assert_int_equal(hbs_close(hbs), 0);
	return ret;
}

static void own_group(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 3), *again;
	struct hbs_group_stats stats;
	struct hbs_member *members[3];

	(void)state;
	assert_true(fcntl(hbs_group_fd(group), F_GETFD) & FD_CLOEXEC);
	assert_int_equal(hbs_group_import(hbs, hbs_group_fd(group), &again), 0);
	assert_int_not_equal(hbs_group_fd(again), hbs_group_fd(group));
	assert_true(fcntl(hbs_group_fd(again), F_GETFD) & FD_CLOEXEC);
	assert_int_equal(hbs_join(group, &members[0]), 0);
	assert_int_equal(hbs_join(again, &members[1]), 0);
	assert_int_equal(hbs_join(again, &members[2]), 0);
	assert_int_equal(hbs_arrive(members[0]), 0);
	assert_int_equal(hbs_arrive(members[1]), 0);
	assert_int_equal(hbs_barwait(members[2]), 0);
	assert_int_equal(hbs_wait(members[0]), 0);
	assert_int_equal(hbs_wait(members[1]), 0);
	assert_int_equal(hbs_group_stats(again, &stats), 0);
	assert_int_equal(stats.barriers, 1);
	assert_int_equal(stats.arrivals, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(hbs_leave(members[i]), 0);
	assert_int_equal(hbs_group_close(again), 0);
	close_all(hbs, group);
}

static void not_a_descriptor(void **state)
{
	(void)state;
	assert_int_equal(import(-1), -EBADF);
	assert_int_equal(import(999999), -EBADF);
}

static void other_descriptors(void **state)
{
	int pipes[2], null = open("/dev/null", O_RDWR), dir = open("/", O_RDONLY);

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(import(null), -EINVAL);
	assert_int_equal(import(dir), -EINVAL);
	assert_int_equal(import(pipes[0]), -EINVAL);
	assert_int_equal(import(pipes[1]), -EINVAL);
	close(null);
	close(dir);
	close(pipes[0]);
	close(pipes[1]);
}

/* A failed call leaves nothing open */
static void no_descriptor_leaks(void **state)
{
	int before = count_descriptors();

	(void)state;
	own_group(NULL);
	other_descriptors(NULL);
	assert_int_equal(count_descriptors(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_group),
		cmocka_unit_test(not_a_descriptor),
		cmocka_unit_test(other_descriptors),
		cmocka_unit_test(no_descriptor_leaks),
	};

	return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
