// SPDX-License-Identifier: GPL-2.0-or-later
/* The card backend, on a faked card: what the backend asks of the driver, and when */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_card.h"
#include "software/profile.h"
#include "threads.h"

#define WORD(epoch)   ((uint64_t)(epoch) << HBS_WORD_EPOCH_SHIFT)
#define BROKEN(cause) (HBS_WORD_BROKEN | (uint64_t)(cause) << HBS_WORD_REASON_SHIFT)

static int reset(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

static struct hbs *open_card(uint64_t spin_ns)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD, .spin_ns = spin_ns };
	struct hbs *hbs = NULL;

	assert_int_equal(hbs_open(&hbs, &attr), 0);
	return hbs;
}

/* The card's number of the group that was made last */
static unsigned int number_of(struct hbs_group *group)
{
	off_t size = lseek(hbs_group_fd(group), 0, SEEK_END);

	return (unsigned int)size - 1;
}

static void first_that_opens(void **state)
{
	struct hbs *hbs = NULL;

	(void)state;
	assert_int_equal(hbs_open(&hbs, NULL), 0);
	assert_int_equal(hbs_backend(hbs), HBS_BACKEND_CARD);
	assert_string_equal(hbs_backend_name(hbs), "/dev/hbs0");
	assert_int_equal(hbs_close(hbs), 0);
	fake.open_errno[0] = EACCES;
	fake.open_errno[1] = ENOENT;
	fake.open_errno[2] = -1;
	assert_int_equal(hbs_open(&hbs, NULL), 0);
	assert_string_equal(hbs_backend_name(hbs), "/dev/hbs2");
	assert_int_equal(hbs_close(hbs), 0);
}

/* A profile of this machine: with 2 members software is faster, and with 3 the card */
static void write_profile(const char *path)
{
	static const char *const placements[] = { "pinned", "oversubscribed" };
	char machine[PROFILE_MACHINE_SIZE];
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	hbsi_profile_machine(machine);
	fprintf(file, "%s %d\nmachine %s\n", PROFILE_HEAD, PROFILE_VERSION, machine);
	for (int i = 0; i < 2; i++)
		fprintf(file,
			"software 2 %s counting 0 100\nsoftware 3 %s counting 0 900\n"
			"card 2 %s 900\ncard 3 %s 100\n",
			placements[i], placements[i], placements[i], placements[i]);
	fprintf(file, "end 8\n");
	assert_int_equal(fclose(file), 0);
}

static int algorithm_of(struct hbs *hbs, const struct hbs_group_attr *attr)
{
	struct hbs_group *group, *other;
	int ret;

	assert_int_equal(hbs_group_create(hbs, attr, &group), 0);
	ret = hbs_group_algorithm(group);
	if (ret >= 0) {
		assert_int_equal(hbs_group_import(hbs, hbs_group_fd(group), &other), 0);
		assert_int_equal(hbs_group_algorithm(other), ret);
		assert_int_equal(hbs_group_close(other), 0);
	}
	assert_int_equal(hbs_group_close(group), 0);
	return ret;
}

/*
 * A context that may have either decides for each group; one that asked for a card takes the
 * card
 */
static void any_decides_by_group(void **state)
{
	static const struct hbs_group_attr two = { .members = 2 }, three = { .members = 3 },
					   way = { .members = 2, .depart_by = HBS_DEPART_BY_CSR },
					   mcs = { .members = 3, .algorithm = HBS_ALGORITHM_MCS };
	char path[] = "/tmp/hbs-profile-XXXXXX";
	struct hbs_group *group;
	struct hbs *hbs = NULL;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_profile(path);
	assert_int_equal(setenv("HBS_PROFILE", path, 1), 0);
	assert_int_equal(hbs_open(&hbs, NULL), 0);
	assert_int_equal(hbs_backend(hbs), HBS_BACKEND_CARD);
	assert_int_equal(algorithm_of(hbs, &two), HBS_ALGORITHM_COUNTING);
	assert_int_equal(algorithm_of(hbs, &three), -EOPNOTSUPP);
	assert_int_equal(algorithm_of(hbs, &way), -EOPNOTSUPP);
	assert_int_equal(algorithm_of(hbs, &mcs), HBS_ALGORITHM_MCS);
	assert_int_equal(hbs_close(hbs), 0);
	hbs = open_card(0);
	assert_int_equal(algorithm_of(hbs, &two), -EOPNOTSUPP);
	assert_int_equal(hbs_group_create(hbs, &mcs, &group), -EOPNOTSUPP);
	assert_int_equal(hbs_close(hbs), 0);
	assert_int_equal(unlink(path), 0);
}

/* If the program asks for software, the limit of software holds, and not the card's */
static void any_has_limits(void **state)
{
	static const uint32_t many[] = { 65536, 1U << 17, 1U << 26, UINT32_MAX };
	struct hbs_group *group = NULL;
	struct hbs *hbs = NULL;

	(void)state;
	assert_int_equal(hbs_open(&hbs, NULL), 0);
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		for (uint32_t algorithm = 1; hbs_algorithm_name(algorithm); algorithm++) {
			struct hbs_group_attr attr = { .members = many[i], .algorithm = algorithm };

			assert_int_equal(hbs_group_create(hbs, &attr, &group), -EINVAL);
			assert_null(group);
		}
	assert_int_equal(hbs_close(hbs), 0);
}

static void none_opens(void **state)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD };
	struct hbs *hbs = NULL;

	(void)state;
	fake.open_errno[0] = ENODEV;
	assert_int_equal(hbs_open(&hbs, &attr), -ENOENT);
	fake.open_errno[1] = EACCES;
	assert_int_equal(hbs_open(&hbs, &attr), -EACCES);
	attr.backend = HBS_BACKEND_ANY;
	assert_int_equal(hbs_open(&hbs, &attr), 0);
	assert_int_equal(hbs_backend(hbs), HBS_BACKEND_SOFTWARE);
	assert_int_equal(hbs_close(hbs), 0);
	attr.device = "/dev/hbs1";
	assert_int_equal(hbs_open(&hbs, &attr), -EACCES);
}

static void card_that_lacks_records(void **state)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD };
	struct hbs *hbs = NULL;

	(void)state;
	fake.features = HBS_FEATURE_WAIT;
	assert_int_equal(hbs_open(&hbs, &attr), -EOPNOTSUPP);
}

/* One barrier is one store of one word, and no call at all */
static void one_store(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *group = create_group(hbs, 2);
	unsigned int number = number_of(group), before, after = 0;
	struct hbs_member *member;

	(void)state;
	fake.words[number] = WORD(7);
	assert_int_equal(hbs_join(group, &member), 0);
	*fake.records[number] = WORD(8);
	before = fake.calls[HBS_CMD_GROUP_WAIT];
	assert_int_equal(hbs_barwait(member), 0);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], before);
	/* the store changed ARRIVAL, and nothing else of the page */
	assert_int_equal(*fake_lane(0, number), 0);
	for (int i = 0; i < 512; i++)
		after += fake.ports[0].map[i] != UINT64_MAX;
	assert_int_equal(after, 1);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
	assert_int_equal(fake_ports_taken(), 0);
}

static void ports_of_a_thread(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *first = create_group(hbs, 2), *second = create_group(hbs, 2);
	struct hbs_member *a, *b, *c;

	(void)state;
	assert_int_equal(hbs_join(first, &a), 0);
	assert_int_equal(hbs_join(second, &b), 0);
	assert_int_equal(fake_ports_taken(), 1);
	/* the same group again: that needs another port */
	assert_int_equal(hbs_join(first, &c), 0);
	assert_int_equal(fake_ports_taken(), 2);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(fake_ports_taken(), 2);
	assert_int_equal(hbs_leave(b), 0);
	assert_int_equal(fake_ports_taken(), 1);
	assert_int_equal(hbs_leave(c), 0);
	assert_int_equal(fake_ports_taken(), 0);
	assert_int_equal(hbs_group_close(second), 0);
	close_all(hbs, first);
}

static int join_once(void *shared, unsigned int index)
{
	struct hbs_member **members = shared;

	CHECK(!hbs_join((struct hbs_group *)members[2], &members[index]));
	return 0;
}

static void ports_of_two_threads(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_member *members[3] = { NULL, NULL, (struct hbs_member *)group };

	(void)state;
	assert_int_equal(run_threads(2, join_once, members), 0);
	assert_int_equal(fake_ports_taken(), 2);
	assert_int_equal(hbs_leave(members[0]), 0);
	assert_int_equal(hbs_leave(members[1]), 0);
	close_all(hbs, group);
}

static void join_fails(unsigned int command, int error)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_member *member = NULL;

	fake.fail_command = command;
	fake.fail_errno = error;
	assert_int_equal(hbs_join(group, &member), -error);
	assert_null(member);
	assert_int_equal(fake_ports_taken(), 0);
	close_all(hbs, group);
}

static void failures_leave_nothing(void **state)
{
	struct hbs *hbs;
	struct hbs_group *group = NULL;
	struct hbs_member *member;
	int before = dup(0), after;

	(void)state;
	close(before);
	join_fails(HBS_CMD_PORT_ALLOC, ENOSPC);
	join_fails(HBS_CMD_GROUP_JOIN, ENOSPC);
	join_fails(HBS_CMD_GROUP_JOIN, EOWNERDEAD);
	hbs = open_card(0);
	fake.fail_command = HBS_CMD_GROUP_CREATE;
	fake.fail_errno = ENOSPC;
	assert_int_equal(hbs_group_create(hbs, &(struct hbs_group_attr){ .members = 2 }, &group),
			 -ENOSPC);
	assert_int_equal(hbs_group_create(hbs, &(struct hbs_group_attr){ .members = 5 }, &group),
			 -EINVAL);
	fake.fail_map = ENOMEM;
	assert_int_equal(hbs_group_create(hbs, &(struct hbs_group_attr){ .members = 2 }, &group),
			 -ENOMEM);
	group = create_group(hbs, 2);
	fake.fail_map = ENODEV;
	assert_int_equal(hbs_join(group, &member), -ENODEV);
	assert_int_equal(fake_ports_taken(), 0);
	close_all(hbs, group);
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

static void sleeps(void **state)
{
	struct hbs *hbs = open_card(HBS_SPIN_NONE);
	struct hbs_group *group = create_group(hbs, 2);
	unsigned int number = number_of(group);
	struct hbs_member *member;

	(void)state;
	fake.words[number] = WORD(3);
	assert_int_equal(hbs_join(group, &member), 0);
	/* a signal first, and then the release */
	fake.fail_command = HBS_CMD_GROUP_WAIT;
	fake.fail_errno = EINTR;
	fake.wait_result = WORD(4);
	assert_int_equal(hbs_barwait(member), 0);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_WAIT], 2);
	/* a record that is behind: that is no release, and no error */
	*fake.records[number] = WORD(3);
	assert_int_equal(hbs_arrive(member), 0);
	assert_int_equal(hbs_test(member), 0);
	fake.wait_result = WORD(5);
	assert_int_equal(hbs_wait(member), 0);
	assert_int_equal(fake.wait_word, WORD(4));
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

static void reasons(void **state)
{
	static const struct {
		unsigned int reason;
		int error;
	} all[] = {
		{ HBS_REASON_TIMEOUT, -ETIMEDOUT },  { HBS_REASON_DIED, -EOWNERDEAD },
		{ HBS_REASON_RESET, -ECONNRESET },   { HBS_REASON_GONE, -ENODEV },
		{ HBS_REASON_DESTROYED, -EIDRM },    { HBS_REASON_DMA, -EIO },
		{ HBS_REASON_OVERFLOW, -EOVERFLOW }, { 15, -EIO },
	};
	struct hbs *hbs = open_card(HBS_SPIN_NONE);
	struct hbs_group *group = create_group(hbs, 1);
	unsigned int number = number_of(group);
	struct hbs_member *member;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		fake.words[number] = WORD(3);
		*fake.records[number] = WORD(3);
		assert_int_equal(hbs_join(group, &member), 0);
		assert_int_equal(hbs_arrive(member), 0);
		*fake.records[number] = WORD(3) | BROKEN(all[i].reason);
		assert_int_equal(hbs_test(member), all[i].error);
		assert_int_equal(hbs_wait(member), all[i].error);
		/* if nobody can be released any more, the library stores nothing more */
		*fake_lane(0, number) = 1;
		assert_int_equal(hbs_barwait(member), all[i].error);
		assert_int_equal(hbs_arrive(member), all[i].error);
		assert_int_equal(*fake_lane(0, number), 1);
		assert_int_equal(hbs_leave(member), 0);
	}
	close_all(hbs, group);
}

/* What the kernel says if the record does not show it: broken, or no card */
static int told_by_kernel(int error, uint64_t word)
{
	struct hbs *hbs = open_card(HBS_SPIN_NONE);
	struct hbs_group *group;
	struct hbs_member *member;
	int ret;

	fake_reset();
	fake.words[0] = WORD(3);
	group = create_group(hbs, 1);
	assert_int_equal(hbs_join(group, &member), 0);
	fake.fail_command = HBS_CMD_GROUP_WAIT;
	fake.fail_errno = error;
	fake.wait_result = word;
	fake.wait_hides = 1;
	ret = hbs_barwait(member);
	if (ret) {
		assert_int_equal(hbs_barwait(member), ret);
		assert_int_equal(hbs_wait(member), ret);
	}
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
	return ret;
}

static void kernel_tells(void **state)
{
	(void)state;
	assert_int_equal(told_by_kernel(EOWNERDEAD, WORD(3) | BROKEN(HBS_REASON_DIED)),
			 -EOWNERDEAD);
	assert_int_equal(told_by_kernel(ENODEV, WORD(3)), -ENODEV);
	/* it broke after the barrier was over */
	assert_int_equal(told_by_kernel(EOWNERDEAD, WORD(4) | BROKEN(HBS_REASON_DIED)), 0);
}

static void poll_descriptor(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *group = create_group(hbs, 1);
	unsigned int number = number_of(group);
	struct hbs_member *member;
	uint64_t seen = 0;
	int fd;

	(void)state;
	fake.words[number] = WORD(1);
	*fake.records[number] = WORD(1);
	assert_int_equal(hbs_join(group, &member), 0);
	fd = hbs_member_fd(member);
	assert_true(fd >= 0);
	assert_int_equal(fake.seen, WORD(1));
	*fake.records[number] = WORD(2);
	assert_int_equal(hbs_barwait(member), 0);
	/* the same descriptor; a write has told it what was seen */
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(hbs_member_fd(member), fd);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_REOPEN], 1);
	assert_int_equal(pread(fd, &seen, sizeof(seen), 0), sizeof(seen));
	assert_int_equal(seen, WORD(2));
	assert_int_equal(hbs_leave(member), 0);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	close_all(hbs, group);
}

static void imports(void **state)
{
	struct hbs *hbs = open_card(0), *other;
	struct hbs_group *group = create_group(hbs, 2), *again = NULL;

	(void)state;
	assert_int_equal(hbs_group_import(hbs, 0, &again), -EINVAL);
	assert_int_equal(hbs_group_import(hbs, -1, &again), -EBADF);
	assert_int_equal(hbs_group_import(hbs, hbs_group_fd(group), &again), 0);
	assert_int_equal(hbs_group_close(again), 0);
	again = NULL;
	/* a group of card 0 */
	fake.open_errno[1] = -1;
	assert_int_equal(hbs_open(&other, &(struct hbs_attr){ .device = "/dev/hbs1" }), 0);
	assert_int_equal(hbs_group_import(other, hbs_group_fd(group), &again), -EXDEV);
	assert_null(again);
	assert_int_equal(hbs_close(other), 0);
	close_all(hbs, group);
}

static void statistics(void **state)
{
	struct hbs *hbs = open_card(0);
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_group_stats stats;

	(void)state;
	assert_int_equal(hbs_group_stats(group, &stats), 0);
	assert_int_equal(stats.barriers, 1);
	assert_int_equal(stats.arrivals, 2);
	assert_int_equal(stats.departure_reads, 3);
	assert_int_equal(stats.record_writes, 4);
	assert_int_equal(stats.dropped, 60);
	assert_int_equal(stats.interrupts, 5);
	assert_int_equal(stats.sleeps, 6);
	assert_int_equal(stats.line_reads, 7);
	fake.fail_command = HBS_CMD_GROUP_COUNTERS;
	fake.fail_errno = ECONNRESET;
	assert_int_equal(hbs_group_stats(group, &stats), -ECONNRESET);
	/* a card that is gone has broken the group already */
	fake.fail_command = HBS_CMD_GROUP_DESTROY;
	fake.fail_errno = ENODEV;
	assert_int_equal(hbs_group_destroy(group), 0);
	close_all(hbs, group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(any_decides_by_group, reset),
		cmocka_unit_test_setup(any_has_limits, reset),
		cmocka_unit_test_setup(first_that_opens, reset),
		cmocka_unit_test_setup(none_opens, reset),
		cmocka_unit_test_setup(card_that_lacks_records, reset),
		cmocka_unit_test_setup(one_store, reset),
		cmocka_unit_test_setup(ports_of_a_thread, reset),
		cmocka_unit_test_setup(ports_of_two_threads, reset),
		cmocka_unit_test_setup(failures_leave_nothing, reset),
		cmocka_unit_test_setup(sleeps, reset),
		cmocka_unit_test_setup(reasons, reset),
		cmocka_unit_test_setup(kernel_tells, reset),
		cmocka_unit_test_setup(poll_descriptor, reset),
		cmocka_unit_test_setup(imports, reset),
		cmocka_unit_test_setup(statistics, reset),
	};

	return cmocka_run_group_tests_name("card", tests, NULL, NULL);
}
