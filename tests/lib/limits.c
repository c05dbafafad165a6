// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits of a process: when it reaches one, it gets an error that says which */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "child.h"
#include "threads.h"

static const struct hbs_attr software = { .backend = HBS_BACKEND_SOFTWARE };

static int set(int resource, rlim_t limit)
{
	return setrlimit(resource, &(struct rlimit){ limit, limit });
}

static bool names(int error, const char *text)
{
	return strstr(hbs_strerror(error), text);
}

/* The error of creating a group while a resource is limited */
static int create(uint32_t members)
{
	struct hbs_group_attr attr = { .members = members };
	struct hbs_group *group;
	struct hbs *hbs;
	int ret = hbs_open(&hbs, &software);

	if (ret)
		return ret;
	ret = hbs_group_create(hbs, &attr, &group);
	if (!ret)
		hbs_group_close(group);
	hbs_close(hbs);
	return ret;
}

static int no_file_size(const void *unused)
{
	struct sigaction action;
	sigset_t pending, mask;

	(void)unused;
	CHECK(!set(RLIMIT_FSIZE, 0));
	CHECK(create(2) == -EFBIG);
	CHECK(names(-EFBIG, "RLIMIT_FSIZE"));
	/* no trace of it is left: the next file that is too large kills, as it should */
	CHECK(!sigpending(&pending) && !sigismember(&pending, SIGXFSZ));
	CHECK(!pthread_sigmask(SIG_SETMASK, NULL, &mask) && !sigismember(&mask, SIGXFSZ));
	CHECK(!sigaction(SIGXFSZ, NULL, &action) && action.sa_handler == SIG_DFL);
	return 0;
}

/* The signal that a program has for itself stays its own */
static int pending_signal(const void *unused)
{
	sigset_t set_of_it, pending;

	(void)unused;
	sigemptyset(&set_of_it);
	sigaddset(&set_of_it, SIGXFSZ);
	CHECK(!pthread_sigmask(SIG_BLOCK, &set_of_it, NULL));
	CHECK(!raise(SIGXFSZ));
	CHECK(!set(RLIMIT_FSIZE, 0));
	CHECK(create(2) == -EFBIG);
	CHECK(!sigpending(&pending) && sigismember(&pending, SIGXFSZ));
	return 0;
}

static int enough_file_size(const void *unused)
{
	(void)unused;
	CHECK(!set(RLIMIT_FSIZE, 1 << 20));
	CHECK(!create(2));
	CHECK(create(65535) == -EFBIG);
	return 0;
}

static int no_files(const void *unused)
{
	(void)unused;
	CHECK(!set(RLIMIT_NOFILE, 3));
	CHECK(create(2) == -EMFILE);
	CHECK(names(-EMFILE, "RLIMIT_NOFILE"));
	return 0;
}

static int no_address_space(const void *unused)
{
	(void)unused;
	CHECK(!set(RLIMIT_AS, 0));
	CHECK(create(65535) == -ENOMEM);
	CHECK(names(-ENOMEM, "RLIMIT_AS"));
	return 0;
}

static int no_locked_memory(const void *unused)
{
	(void)unused;
	CHECK(!set(RLIMIT_MEMLOCK, 4096));
	/* root may lock all the same */
	if (!geteuid())
		CHECK(!setuid(65534));
	CHECK(!mlockall(MCL_FUTURE));
	CHECK(create(65535) == -EAGAIN);
	CHECK(names(-EAGAIN, "RLIMIT_MEMLOCK"));
	return 0;
}

static int no_threads(const void *unused)
{
	struct hbs_group_attr attr = { .members = 1 };
	struct hbs_member *member;
	struct hbs_group *group;
	struct hbs *hbs;

	if (!geteuid())
		CHECK(!setuid(65534));
	(void)unused;
	CHECK(!hbs_open(&hbs, &software));
	CHECK(!hbs_group_create(hbs, &attr, &group));
	CHECK(!hbs_join(group, &member));
	CHECK(!set(RLIMIT_NPROC, 0));
	CHECK(hbs_member_fd(member) == -EAGAIN);
	CHECK(names(-EAGAIN, "RLIMIT_NPROC"));
	CHECK(!hbs_barwait(member));
	CHECK(!hbs_leave(member));
	return 0;
}

static void limit(int (*work)(const void *arg))
{
	assert_int_equal(run_child(work, NULL), 0);
}

static void file_size(void **state)
{
	(void)state;
	limit(no_file_size);
	limit(pending_signal);
	limit(enough_file_size);
}

static void files(void **state)
{
	(void)state;
	limit(no_files);
}

static void memory(void **state)
{
	(void)state;
	limit(no_locked_memory);
	limit(no_address_space);
}

static void threads(void **state)
{
	(void)state;
	limit(no_threads);
}

/* The library does not take an error of a system call for one of a card that need not be there */
static void texts(void **state)
{
	static const int of_both[] = { EPERM,  EMFILE, ENFILE,	   ENOMEM, EAGAIN,    EFBIG,
				       EINVAL, EBADF,  EBUSY,	   ENOSYS, ENOSPC,    EALREADY,
				       ECHILD, EIDRM,  EOWNERDEAD, ENOLCK, ETIMEDOUT, EINTR };

	(void)state;
	for (size_t i = 0; i < sizeof(of_both) / sizeof(of_both[0]); i++) {
		const char *text = hbs_strerror(-of_both[i]);

		if (strstr(text, "there is a card") || strstr(text, "the card"))
			fail_msg("%d: %s", of_both[i], text);
	}
	/* the message names what is missing */
	assert_non_null(strstr(hbs_strerror(-ENOSYS), "kernel"));
	assert_non_null(strstr(hbs_strerror(-EPERM), "sandbox"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_size), cmocka_unit_test(files), cmocka_unit_test(memory),
		cmocka_unit_test(threads),   cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
