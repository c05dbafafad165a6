// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fork() while the library does anything: in handlers that the program registered before any
 * use of it, and while another thread is in the midst of a call.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

#define FORKS 100

static const struct hbs_attr software = { .backend = HBS_BACKEND_SOFTWARE };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool handlers_on, stop;
static atomic_uint wrong;

/* What handlers make before the fork, and leave after it */
static struct hbs *kept_hbs;
static struct hbs_group *kept_group;
static struct hbs_member *kept_member;

static void note(int ret)
{
	if (ret)
		atomic_fetch_add(&wrong, 1);
}

static void make(struct hbs **hbs, struct hbs_group **group, struct hbs_member **member)
{
	struct hbs_group_attr attr = { .members = 1, .policy = HBS_ON_THREAD_EXIT };

	note(hbs_open(hbs, &software));
	note(hbs_group_create(*hbs, &attr, group));
	note(hbs_join(*group, member));
}

static void leave(struct hbs *hbs, struct hbs_group *group, struct hbs_member *member)
{
	note(hbs_leave(member));
	note(hbs_group_close(group));
	note(hbs_close(hbs));
}

static void use_a_group(void)
{
	struct hbs_member *member;
	struct hbs_group *group;
	struct hbs *hbs;

	make(&hbs, &group, &member);
	note(hbs_barwait(member));
	leave(hbs, group, member);
}

static void prepare(void)
{
	if (!handlers_on)
		return;
	pthread_mutex_lock(&lock);
	use_a_group();
	make(&kept_hbs, &kept_group, &kept_member);
}

static void after(void)
{
	if (!handlers_on)
		return;
	leave(kept_hbs, kept_group, kept_member);
	use_a_group();
	pthread_mutex_unlock(&lock);
}

static void register_handlers(void)
{
	pthread_atfork(prepare, after, after);
}

/* Before the constructors of all libraries */
__attribute__((section(".preinit_array"), used)) static void (*first)(void) = register_handlers;

static int fork_once(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		alarm(120);
		use_a_group();
		_exit(wrong != 0);
	}
	return waitpid(child, &status, 0) == child ? status : -1;
}

static void *use_groups_locked(void *unused)
{
	while (!atomic_load(&stop)) {
		pthread_mutex_lock(&lock);
		use_a_group();
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *use_groups(void *unused)
{
	while (!atomic_load(&stop))
		use_a_group();
	return unused;
}

static void in_handlers(void **state)
{
	pthread_t threads[2];

	(void)state;
	alarm(120);
	handlers_on = true;
	assert_int_equal(fork_once(), 0);
	pthread_create(&threads[0], NULL, use_groups_locked, NULL);
	pthread_create(&threads[1], NULL, use_groups, NULL);
	for (int i = 0; i < FORKS; i++)
		assert_int_equal(fork_once(), 0);
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	handlers_on = false;
	assert_int_equal(wrong, 0);
	alarm(0);
}

/* Open files of groups */
static int count_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;
	char target[64];
	int count = 0;

	while ((entry = readdir(folder))) {
		ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target));

		if (length > 0)
			count += !strncmp(target, "/memfd:hbs-group", 16);
	}
	closedir(folder);
	return count;
}

/* Another thread opens a file with locks, and does not go on before this one has forked */
static atomic_bool meets, has_opened, has_forked;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list arguments;
	int fd;

	va_start(arguments, flags);
	fd = __real_open(path, flags, va_arg(arguments, int));
	va_end(arguments);
	if (atomic_load(&meets) && !strncmp(path, "/proc/self/fd/", 14)) {
		atomic_store(&has_opened, true);
		while (!atomic_load(&has_forked))
			usleep(100);
	}
	return fd;
}

static void *make_a_group(void *hbs)
{
	struct hbs_group_attr attr = { .members = 1 };
	struct hbs_group *group = NULL;

	note(hbs_group_create(hbs, &attr, &group));
	return group;
}

/* Or the child would keep its parent's members alive */
static void amid_a_file_with_locks(void **state)
{
	struct hbs_group *group;
	int status, before;
	pthread_t thread;
	struct hbs *hbs;
	pid_t child;

	(void)state;
	alarm(120);
	assert_int_equal(hbs_open(&hbs, &software), 0);
	before = count_files();
	atomic_store(&meets, true);
	pthread_create(&thread, NULL, make_a_group, hbs);
	while (!atomic_load(&has_opened))
		usleep(100);
	child = fork();
	if (!child)
		/* the group's own file, which may be handed to children */
		_exit(count_files() - before - 1);
	atomic_store(&has_forked, true);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	pthread_join(thread, (void **)&group);
	atomic_store(&meets, false);
	assert_int_equal(count_files() - before, 2);
	close_all(hbs, group);
	assert_int_equal(count_files(), before);
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_handlers),
		cmocka_unit_test(amid_a_file_with_locks),
	};

	return cmocka_run_group_tests_name("forks", tests, NULL, NULL);
}
