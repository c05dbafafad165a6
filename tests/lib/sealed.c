// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory files that are no group, or a hostile one: errors, and no crash */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

/* A memory file of @size with @seals, filled from @from; -1 for no seals */
static int memory_file(off_t size, const void *from, size_t length, int seals)
{
	int fd = memfd_create("garbage", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	if (length)
		assert_int_equal(pwrite(fd, from, length, 0), (ssize_t)length);
	if (seals >= 0)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

#define GOOD_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static int import_file(off_t size, const void *from, size_t length, int seals)
{
	int fd = memory_file(size, from, length, seals);
	int ret = import(fd);

	close(fd);
	return ret;
}

/* The page of a good group before anybody has joined */
static void good_page(char page[4096])
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 4);

	assert_int_equal(pread(hbs_group_fd(group), page, 4096, 0), 4096);
	close_all(hbs, group);
}

static void memory_files(void **state)
{
	char page[4096], ones[4096];

	(void)state;
	good_page(page);
	memset(ones, 0xff, sizeof(ones));
	/* the good page is good, so that what follows proves something */
	assert_int_equal(import_file(4096, page, 4096, GOOD_SEALS), 0);
	assert_int_equal(import_file(4096, page, 4096, -1), -EINVAL);
	assert_int_equal(import_file(4096, page, 4096, F_SEAL_SHRINK), -EINVAL);
	assert_int_equal(import_file(4096, page, 4096, F_SEAL_GROW | F_SEAL_SEAL), -EINVAL);
	assert_int_equal(import_file(4096, page, 4096, GOOD_SEALS | F_SEAL_WRITE), -EINVAL);
	assert_int_equal(import_file(0, NULL, 0, GOOD_SEALS), -EINVAL);
	assert_int_equal(import_file(4095, page, 4095, GOOD_SEALS), -EINVAL);
	assert_int_equal(import_file(8192, page, 4096, GOOD_SEALS), -EINVAL);
	assert_int_equal(import_file(4096, NULL, 0, GOOD_SEALS), -EINVAL);
	assert_int_equal(import_file(4096, ones, 4096, GOOD_SEALS), -EINVAL);
}

/*
 * The constants that a page begins with, which must be what the library would have made:
 * magic (8 bytes), version, members, capacity, algorithm, fan-in, reduction and type (4 each).
 * Then come policy, timeout and all that changes, which may be anything.
 */
#define CONSTANTS 36
#define TYPE	  32

static void bad_headers(void **state)
{
	char page[4096];

	(void)state;
	for (int byte = 0; byte < CONSTANTS; byte++)
		for (int bit = 0; bit < 8; bit++) {
			good_page(page);
			page[byte] ^= (char)(1 << bit);
			/* another algorithm, reduction or type may be as good */
			if ((byte == 20 || byte == 28) && bit < 4)
				continue;
			if (byte == TYPE && !bit)
				continue;
			assert_int_equal(import_file(4096, page, 4096, GOOD_SEALS), -EINVAL);
		}
	good_page(page);
	memset(page + 12, 0, 4);
	assert_int_equal(import_file(4096, page, 4096, GOOD_SEALS), -EINVAL);
}

static void read_only(void **state)
{
	struct hbs_group *group;
	struct hbs *hbs;
	char path[64];
	int fd;

	(void)state;
	hbs = open_backend();
	group = create_group(hbs, 4);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", hbs_group_fd(group));
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(import(fd), -EINVAL);
	close(fd);
	close_all(hbs, group);
}

static void try_all_calls(struct hbs_member *member)
{
	static const struct hbs_idle idle = { .sent = 2, .freed = 1, .vote = 1 };

	if (!hbs_arrive(member))
		hbs_test(member);
	if (!hbs_begin_idle(member, &idle) && !hbs_test(member))
		hbs_withdraw(member);
	hbs_votes(member, NULL, NULL);
}

/*
 * Numbers that no group can have, behind a good header: errors, no crash. (The content
 * of the page can make waits hang, so nobody waits.)
 */
static void hostile_numbers(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct hbs *hbs = open_backend();
		struct hbs_group *group;
		struct hbs_group_stats stats;
		struct hbs_member *member;
		char page[4096];
		int fd;

		good_page(page);
		page[TYPE] = round % 2 ? HBS_REFUTABLE : HBS_BARRIER;
		for (int i = CONSTANTS; i < 4096; i++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			page[i] = (char)(seed >> 56);
		}
		fd = memory_file(4096, page, 4096, GOOD_SEALS);
		assert_int_equal(hbs_group_import(hbs, fd, &group), 0);
		close(fd);
		assert_int_equal(hbs_group_stats(group, &stats), 0);
		if (!hbs_join(group, &member)) {
			try_all_calls(member);
			assert_int_equal(hbs_leave(member), 0);
		}
		assert_int_equal(hbs_group_destroy(group), 0);
		close_all(hbs, group);
	}
}

/* A failed call leaves nothing open */
static void no_descriptor_leaks(void **state)
{
	int before = count_descriptors();

	(void)state;
	memory_files(NULL);
	read_only(NULL);
	assert_int_equal(count_descriptors(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_files),	       cmocka_unit_test(bad_headers),
		cmocka_unit_test(read_only),	       cmocka_unit_test(hostile_numbers),
		cmocka_unit_test(no_descriptor_leaks),
	};

	return cmocka_run_group_tests_name("sealed", tests, NULL, NULL);
}
