// SPDX-License-Identifier: GPL-2.0-or-later
/* Message spaces: their sizes, files, processes, and what is no message space */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../descriptors.h"
#include "messages_test.h"

#define GOOD_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define PAGE	   4096

/* Whether a memory file of this name is mapped */
static bool is_mapped(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	bool found = false;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		found = found || strstr(line, name);
	if (maps)
		fclose(maps);
	return found;
}

static int create(struct hbs_messages_attr attr)
{
	struct hbs_messages *messages = NULL;
	int ret = hbs_messages_create(&attr, &messages);

	if (ret)
		assert_null(messages);
	else
		assert_int_equal(hbs_messages_close(messages), 0);
	return ret;
}

static void sizes(void **state)
{
	(void)state;
	assert_int_equal(create((struct hbs_messages_attr){ .members = 0 }), -EINVAL);
	assert_int_equal(create((struct hbs_messages_attr){ .members = 1 }), -EINVAL);
	assert_int_equal(create((struct hbs_messages_attr){ .members = 2 }), 0);
	assert_int_equal(create((struct hbs_messages_attr){ .members = 4096 }), 0);
	assert_int_equal(create((struct hbs_messages_attr){ .members = 4097 }), -EINVAL);
	assert_int_equal(create((struct hbs_messages_attr){ .members = UINT32_MAX }), -EINVAL);
	for (uint32_t slot = 1; slot <= 4200; slot++)
		assert_int_equal(create((struct hbs_messages_attr){ .members = 2, .slot = slot }),
				 slot % 64 || slot > 4096 ? -EINVAL : 0);
	assert_int_equal(create((struct hbs_messages_attr){ .members = 2, .slot = -64 }), -EINVAL);
	for (uint32_t depth = 1; depth <= 65; depth++)
		assert_int_equal(create((struct hbs_messages_attr){ .members = 2, .depth = depth }),
				 depth & (depth - 1) ? -EINVAL : 0);
	assert_int_equal(create((struct hbs_messages_attr){ .members = 2, .depth = 32768 }), 0);
	assert_int_equal(create((struct hbs_messages_attr){ .members = 2, .depth = 65536 }),
			 -EINVAL);
	assert_int_equal(create((struct hbs_messages_attr){ .members = 2, .depth = 1U << 31 }),
			 -EINVAL);
	for (int i = 0; i < 5; i++) {
		struct hbs_messages_attr attr = { .members = 2 };

		attr.reserved[i] = 1;
		assert_int_equal(create(attr), -EINVAL);
	}
	assert_int_equal(hbs_messages_create(NULL, &(struct hbs_messages *){ NULL }), -EINVAL);
	assert_int_equal(hbs_messages_create(&(struct hbs_messages_attr){ .members = 2 }, NULL),
			 -EINVAL);
}

/* The limit of all bytes, from both sides */
static void largest(void **state)
{
	struct hbs_messages_attr attr = { .members = 1024, .depth = 512 };

	(void)state;
	assert_int_equal(create(attr), 0);
	attr.depth = 1024;
	assert_int_equal(create(attr), -EINVAL);
	/* as much as 64 bits could not count */
	attr = (struct hbs_messages_attr){ .members = 4096, .slot = 4096, .depth = 32768 };
	assert_int_equal(create(attr), -EINVAL);
}

static uint64_t memory_of(const struct hbs_messages *messages)
{
	struct stat st;

	assert_int_equal(fstat(hbs_messages_fd(messages), &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

static void tells_its_size(void **state)
{
	struct hbs_messages *messages = make_messages(5, 0, 0);
	struct hbs_messages_info info;
	struct stat st;

	(void)state;
	assert_int_equal(hbs_messages_info(messages, &info), 0);
	assert_int_equal(info.members, 5);
	assert_int_equal(info.slot, 64);
	assert_int_equal(info.depth, 16);
	assert_int_equal(info.payload, 56);
	assert_int_equal(info.queue_bytes, 16 * 64 + 4);
	assert_int_equal(fstat(hbs_messages_fd(messages), &st), 0);
	assert_int_equal(info.bytes, st.st_size);
	/* the queues, a line and two rows of counters for each member, and what fills pages up */
	assert_in_range(info.bytes, 25 * info.queue_bytes,
			25 * 16 * 64 + 5 * (64 + 2 * 64) + 3 * PAGE);
	assert_int_equal(hbs_messages_info(messages, NULL), -EINVAL);
	assert_int_equal(hbs_messages_info(NULL, &info), -EINVAL);
	assert_int_equal(hbs_messages_close(messages), 0);
	assert_int_equal(hbs_messages_close(NULL), -EINVAL);
	assert_int_equal(hbs_messages_fd(NULL), -EINVAL);
}

/* 1024 members, two of which use one queue */
static void takes_what_is_used(void **state)
{
	struct hbs_messages *messages = make_messages(1024, 0, 0);
	struct hbs_mailbox *one = open_mailbox(messages, 0);
	struct hbs_mailbox *last = open_mailbox(messages, 1023);
	struct hbs_messages_info info;
	struct hbs_message message;

	(void)state;
	assert_int_equal(hbs_messages_info(messages, &info), 0);
	assert_in_range(info.bytes, 1024 * 1024 * info.queue_bytes,
			1024 * 1024 * info.queue_bytes + (1 << 20));
	assert_int_equal(hbs_message_send(last, 0, "x", 1), 0);
	assert_int_equal(hbs_message_recv(one, &message), 0);
	assert_int_equal(message.from, 1023);
	/* the counters, and some pages */
	assert_in_range(memory_of(messages), PAGE, 2 * 2 * 1024 * 1024 + (1 << 20));
	hbs_mailbox_close(one);
	hbs_mailbox_close(last);
	assert_int_equal(hbs_messages_close(messages), 0);
}

/* The process may not make files so large: an error, and no signal */
static void file_limit(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		struct rlimit limit = { 2 * PAGE, 2 * PAGE };

		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(create((struct hbs_messages_attr){ .members = 2 }) != -EFBIG);
	}
	assert_int_equal(wait_for(pid), 0);
}

static int import(int fd)
{
	struct hbs_messages *messages = NULL;
	int ret = hbs_messages_import(fd, &messages);

	if (ret)
		assert_null(messages);
	else
		assert_int_equal(hbs_messages_close(messages), 0);
	return ret;
}

/* A memory file of @size with @seals, which begins with @page; no seals below 0 */
static int import_file(off_t size, const char *page, int seals)
{
	int fd = memfd_create("garbage", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int ret;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	if (page)
		assert_int_equal(pwrite(fd, page, PAGE, 0), PAGE);
	if (seals >= 0)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	ret = import(fd);
	close(fd);
	return ret;
}

/* The first page of a good file; returns its size */
static off_t good_page(char page[PAGE])
{
	struct hbs_messages *messages = make_messages(3, 0, 0);
	struct hbs_messages_info info;

	assert_int_equal(pread(hbs_messages_fd(messages), page, PAGE, 0), PAGE);
	hbs_messages_info(messages, &info);
	hbs_messages_close(messages);
	return (off_t)info.bytes;
}

static void wrong_files(void **state)
{
	char page[PAGE], ones[PAGE];
	off_t size = good_page(page);
	int ends[2];

	(void)state;
	memset(ones, 0xff, sizeof(ones));
	/* it is good, so that what follows proves something */
	assert_int_equal(import_file(size, page, GOOD_SEALS), 0);
	assert_int_equal(import_file(size, page, -1), -EINVAL);
	assert_int_equal(import_file(size, page, F_SEAL_SHRINK), -EINVAL);
	assert_int_equal(import_file(size, page, F_SEAL_GROW | F_SEAL_SEAL), -EINVAL);
	assert_int_equal(import_file(size, page, GOOD_SEALS | F_SEAL_WRITE), -EINVAL);
	assert_int_equal(import_file(0, NULL, GOOD_SEALS), -EINVAL);
	assert_int_equal(import_file(PAGE, page, GOOD_SEALS), -EINVAL);
	assert_int_equal(import_file(size - PAGE, page, GOOD_SEALS), -EINVAL);
	assert_int_equal(import_file(size + PAGE, page, GOOD_SEALS), -EINVAL);
	assert_int_equal(import_file((off_t)1 << 40, page, GOOD_SEALS), -EINVAL);
	assert_int_equal(import_file(size, NULL, GOOD_SEALS), -EINVAL);
	assert_int_equal(import_file(size, ones, GOOD_SEALS), -EINVAL);
	assert_int_equal(import(-1), -EBADF);
	assert_int_equal(import(1023), -EBADF);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(import(ends[0]), -EINVAL);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(hbs_messages_import(0, NULL), -EINVAL);
}

/* Each bit of magic (8 bytes), version, members, slot and depth (4 each) */
static void wrong_numbers(void **state)
{
	char page[PAGE];
	off_t size = good_page(page);

	(void)state;
	for (int bit = 0; bit < 8 * 24; bit++) {
		page[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(import_file(size, page, GOOD_SEALS), -EINVAL);
		page[bit / 8] ^= (char)(1 << bit % 8);
	}
	for (int at = 12; at < 24; at += 4) {
		good_page(page);
		memset(page + at, 0, 4);
		assert_int_equal(import_file(size, page, GOOD_SEALS), -EINVAL);
	}
}

static void read_only(void **state)
{
	struct hbs_messages *messages = make_messages(2, 0, 0);
	char path[64];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", hbs_messages_fd(messages));
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(import(fd), -EINVAL);
	close(fd);
	hbs_messages_close(messages);
}

static void is_close_on_exec(void **state)
{
	struct hbs_messages *messages = make_messages(2, 0, 0), *imported;

	(void)state;
	assert_int_equal(fcntl(hbs_messages_fd(messages), F_GETFD), FD_CLOEXEC);
	assert_int_equal(hbs_messages_import(hbs_messages_fd(messages), &imported), 0);
	assert_int_equal(fcntl(hbs_messages_fd(imported), F_GETFD), FD_CLOEXEC);
	assert_int_not_equal(hbs_messages_fd(imported), hbs_messages_fd(messages));
	hbs_messages_close(imported);
	hbs_messages_close(messages);
}

static void no_leaks(void **state)
{
	int before = count_descriptors();
	struct hbs_messages *messages = make_messages(2, 0, 0);

	assert_true(is_mapped("hbs-messages"));
	assert_int_equal(count_descriptors(), before + 2);
	assert_int_equal(hbs_messages_close(messages), 0);
	sizes(state);
	wrong_files(state);
	read_only(state);
	is_close_on_exec(state);
	assert_int_equal(count_descriptors(), before);
	assert_false(is_mapped("hbs-messages"));
	assert_false(is_mapped("garbage"));
}

/* A child has no part in what its parent opened, and closes it without harm; it may import */
static int be_a_child(struct hbs_messages *messages, struct hbs_mailbox *mailbox)
{
	struct hbs_messages *own;
	struct hbs_mailbox *me = NULL;

	if (hbs_mailbox_open(messages, 1, &me) != -ECHILD || is_mapped("hbs-messages"))
		return 1;
	if (hbs_messages_import(hbs_messages_fd(messages), &own))
		return 2;
	if (hbs_messages_close(messages) != -EBUSY || hbs_mailbox_close(mailbox) ||
	    hbs_messages_close(messages))
		return 3;
	if (hbs_mailbox_open(own, 0, &me) != -EBUSY)
		return 4;
	if (hbs_mailbox_open(own, 1, &me) || hbs_message_send(me, 0, "from the child", 15))
		return 5;
	return hbs_mailbox_close(me) || hbs_messages_close(own) ? 6 : 0;
}

static void forks(void **state)
{
	struct hbs_messages *messages = make_messages(2, 0, 0);
	struct hbs_mailbox *mailbox = open_mailbox(messages, 0);
	struct hbs_message message;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(be_a_child(messages, mailbox));
	assert_int_equal(wait_for(pid), 0);
	assert_int_equal(hbs_message_recv(mailbox, &message), 0);
	assert_int_equal(message.from, 1);
	assert_string_equal(message.data, "from the child");
	assert_int_equal(hbs_message_free(mailbox, &message), 0);
	assert_int_equal(hbs_mailbox_close(mailbox), 0);
	assert_int_equal(hbs_messages_close(messages), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(largest),
		cmocka_unit_test(tells_its_size),
		cmocka_unit_test(takes_what_is_used),
		cmocka_unit_test(file_limit),
		cmocka_unit_test(wrong_files),
		cmocka_unit_test(wrong_numbers),
		cmocka_unit_test(read_only),
		cmocka_unit_test(is_close_on_exec),
		cmocka_unit_test(no_leaks),
		cmocka_unit_test(forks),
	};

	return cmocka_run_group_tests_name("spaces", tests, NULL, NULL);
}
