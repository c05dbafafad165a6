// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptors that are no group, or a hostile one, give an error and no crash */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* What follows is about the memory files of software groups */
static void only_software(void)
{
	if (backend_under_test() != HBS_BACKEND_SOFTWARE)
		skip();
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

/* What a good group's page looks like before anybody has joined */
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
	only_software();
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

static void bad_headers(void **state)
{
	char page[4096];

	(void)state;
	only_software();
	/* magic, version and seats are the first 16 bytes; seats are at most 65535 */
	for (int byte = 0; byte < 16; byte++) {
		if (byte == 12 || byte == 13)
			continue;
		good_page(page);
		page[byte] ^= 0x40;
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
	only_software();
	hbs = open_backend();
	group = create_group(hbs, 4);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", hbs_group_fd(group));
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(import(fd), -EINVAL);
	close(fd);
	close_all(hbs, group);
}

/* Numbers that no group can have, behind a good header: errors, no crash */
static void hostile_numbers(void **state)
{
	uint64_t seed = 1;

	(void)state;
	only_software();
	for (int round = 0; round < 200; round++) {
		struct hbs *hbs = open_backend();
		struct hbs_group *group;
		struct hbs_group_stats stats;
		struct hbs_member *member;
		char page[4096];
		int fd;

		good_page(page);
		for (int i = 16; i < 4096; i++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			page[i] = (char)(seed >> 56);
		}
		fd = memory_file(4096, page, 4096, GOOD_SEALS);
		assert_int_equal(hbs_group_import(hbs, fd, &group), 0);
		close(fd);
		assert_int_equal(hbs_group_stats(group, &stats), 0);
		if (!hbs_join(group, &member)) {
			if (!hbs_arrive(member))
				hbs_test(member);
			assert_int_equal(hbs_leave(member), 0);
		}
		assert_int_equal(hbs_group_destroy(group), 0);
		close_all(hbs, group);
	}
}

/* Nothing is left open by what failed */
static void no_descriptor_leaks(void **state)
{
	int before, after;

	(void)state;
	only_software();
	before = dup(0);
	close(before);
	other_descriptors(NULL);
	memory_files(NULL);
	read_only(NULL);
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_group),	     cmocka_unit_test(not_a_descriptor),
		cmocka_unit_test(other_descriptors), cmocka_unit_test(memory_files),
		cmocka_unit_test(bad_headers),	     cmocka_unit_test(read_only),
		cmocka_unit_test(hostile_numbers),   cmocka_unit_test(no_descriptor_leaks),
	};

	return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
