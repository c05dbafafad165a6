// SPDX-License-Identifier: GPL-2.0-or-later
/* HBS_BACKEND, HBS_DEVICE and HBS_SPIN_NS, and the attributes that override them */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

static int clean(void **state)
{
	(void)state;
	unsetenv("HBS_BACKEND");
	unsetenv("HBS_DEVICE");
	unsetenv("HBS_SPIN_NS");
	return 0;
}

static int open_with(const struct hbs_attr *attr)
{
	struct hbs *hbs;
	int ret = hbs_open(&hbs, attr);

	if (ret)
		return ret;
	ret = (int)hbs_backend(hbs);
	assert_int_equal(hbs_close(hbs), 0);
	return ret;
}

static void backend(void **state)
{
	(void)state;
	setenv("HBS_BACKEND", "software", 1);
	assert_int_equal(open_with(NULL), HBS_BACKEND_SOFTWARE);
	setenv("HBS_BACKEND", "hardware", 1);
	assert_int_equal(open_with(NULL), -EINVAL);
	setenv("HBS_BACKEND", "Software", 1);
	assert_int_equal(open_with(NULL), -EINVAL);
	/* not asked */
	assert_int_equal(open_with(&(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE }),
			 HBS_BACKEND_SOFTWARE);
	setenv("HBS_BACKEND", "", 1);
	assert_true(open_with(NULL) > 0);
	setenv("HBS_BACKEND", "any", 1);
	assert_true(open_with(NULL) > 0);
}

static void device(void **state)
{
	(void)state;
	setenv("HBS_DEVICE", "/dev/null", 1);
	/* a device that was named is not silently replaced */
	assert_int_equal(open_with(NULL), -ENODEV);
	setenv("HBS_BACKEND", "card", 1);
	assert_int_equal(open_with(NULL), -ENODEV);
	assert_int_equal(open_with(&(struct hbs_attr){ .device = "/no/such" }), -ENOENT);
	setenv("HBS_BACKEND", "software", 1);
	assert_int_equal(open_with(NULL), HBS_BACKEND_SOFTWARE);
	/* the program's device and the user's software contradict each other */
	assert_int_equal(open_with(&(struct hbs_attr){ .device = "/dev/null" }), -EINVAL);
}

static void spin(void **state)
{
	static const char *const good[] = { "0", "1", "1000000", "18446744073709551614", "" };
	static const char *const bad[] = { "-1",
					   "+1",
					   " 1",
					   "1 ",
					   "1ms",
					   "0x10",
					   "none",
					   "1.5",
					   "18446744073709551615",
					   "99999999999999999999" };

	(void)state;
	setenv("HBS_BACKEND", "software", 1);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		setenv("HBS_SPIN_NS", good[i], 1);
		assert_int_equal(open_with(NULL), HBS_BACKEND_SOFTWARE);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setenv("HBS_SPIN_NS", bad[i], 1);
		assert_int_equal(open_with(NULL), -EINVAL);
		/* not asked */
		assert_int_equal(open_with(&(struct hbs_attr){ .spin_ns = 1 }),
				 HBS_BACKEND_SOFTWARE);
	}
}

static int come_late(void *shared, unsigned int index)
{
	struct hbs_group *group = shared;
	struct hbs_member *member;

	CHECK(!hbs_join(group, &member));
	CHECK(!hbs_barwait(member));
	if (index)
		CHECK(!nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL));
	CHECK(!hbs_barwait(member));
	CHECK(!hbs_leave(member));
	return 0;
}

/* Sleeps are counted, so that it can be told how long a wait spun */
static uint64_t sleeps_in_a_late_barrier(const char *spin_ns)
{
	struct hbs_group *group;
	uint64_t sleeps;
	struct hbs *hbs;

	setenv("HBS_BACKEND", "software", 1);
	setenv("HBS_SPIN_NS", spin_ns, 1);
	assert_int_equal(hbs_open(&hbs, NULL), 0);
	group = create_group(hbs, 2);
	assert_int_equal(run_threads(2, come_late, group), 0);
	sleeps = count_sleeps(group);
	close_all(hbs, group);
	return sleeps;
}

static void spin_is_bounded(void **state)
{
	(void)state;
	assert_int_equal(sleeps_in_a_late_barrier("60000000000"), 0);
	assert_true(sleeps_in_a_late_barrier("1000000") >= 1);
	assert_true(sleeps_in_a_late_barrier("0") >= 1);
}

/* What the creation of a group writes to standard error, if that is possible */
static const char *told_by(enum hbs_backend backend, uint32_t promise)
{
	static char text[512];
	struct hbs_group_attr attr = { .members = 2, .promise = promise };
	int before = dup(STDERR_FILENO), ends[2];
	struct hbs_group *group;
	struct hbs *hbs;
	ssize_t length;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	if (!hbs_open(&hbs, &(struct hbs_attr){ .backend = backend })) {
		assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
		close_all(hbs, group);
	}
	dup2(before, STDERR_FILENO);
	close(before);
	close(ends[1]);
	length = read(ends[0], text, sizeof(text) - 1);
	close(ends[0]);
	assert_true(length >= 0);
	text[length] = '\0';
	return text;
}

static const char *told(uint32_t promise)
{
	return told_by(HBS_BACKEND_SOFTWARE, promise);
}

/* A program cannot know which variable it was */
static void wrong_values_are_named(void **state)
{
	static const struct {
		const char *name, *value, *text;
	} wrong[] = {
		{ "HBS_SPIN_NS", "1us", "libhbs: HBS_SPIN_NS: '1us' is not a number of ns\n" },
		{ "HBS_WAIT_POLICY", "lazy",
		  "libhbs: HBS_WAIT_POLICY: 'lazy' is not active or passive\n" },
		{ "HBS_VERBOSE", "yes", "libhbs: HBS_VERBOSE: 'yes' is not 0 or 1\n" },
		/* a text is not a line of its own, nor a command for a terminal */
		{ "HBS_VERBOSE", "1\nok 1\x1b[2J",
		  "libhbs: HBS_VERBOSE: '1?ok 1?[2J' is not 0 or 1\n" },
		{ "HBS_ALGORITHM", "dissem",
		  "libhbs: HBS_ALGORITHM: 'dissem' is not an algorithm, or a tree with a fan-in "
		  "from 2 to 64 as in mcs:4\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		setenv(wrong[i].name, wrong[i].value, 1);
		assert_string_equal(told(0), wrong[i].text);
		unsetenv(wrong[i].name);
	}
	setenv("HBS_DEVICE", "/no/such", 1);
	assert_string_equal(told(0), "");
	assert_string_equal(told_by(HBS_BACKEND_CARD, 0),
			    "libhbs: HBS_DEVICE: '/no/such': no such device\n");
	unsetenv("HBS_DEVICE");
	assert_string_equal(told(0), "");
}

static void choices_are_told(void **state)
{
	(void)state;
	setenv("HBS_PROFILE", "/dev/null", 1);
	setenv("HBS_VERBOSE", "0", 1);
	assert_string_equal(told(0), "");
	setenv("HBS_VERBOSE", "1", 1);
	assert_string_equal(told(0), "libhbs: a group of 2: software, central\n");
	setenv("HBS_ALGORITHM", "mcs", 1);
	assert_string_equal(told(HBS_PROMISE_FIXED), "libhbs: a group of 2: software, mcs\n");
	assert_string_equal(told(0), "libhbs: a group of 2: software, central; mcs is for groups "
				     "that promise HBS_PROMISE_FIXED\n");
	unsetenv("HBS_ALGORITHM");
	unsetenv("HBS_VERBOSE");
	unsetenv("HBS_PROFILE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(backend, clean),
		cmocka_unit_test_setup(device, clean),
		cmocka_unit_test_setup(spin, clean),
		cmocka_unit_test_setup(spin_is_bounded, clean),
		cmocka_unit_test_setup(wrong_values_are_named, clean),
		cmocka_unit_test_setup(choices_are_told, clean),
	};

	return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
