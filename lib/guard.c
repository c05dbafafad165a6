// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fork_lock.h"
#include "guard.h"
#include "sealed.h"

/* This tells a guard from other open files of the library, which have neither */
#define GUARD_FLAGS (O_APPEND | O_NONBLOCK)

static void forget_parent(void);
static struct fork_lock guards_lock = FORK_LOCK(forget_parent);

/*
 * All guards of the process: where each one's number is. Each store leaves a list that a child can
 * go through; while one is being removed, the last may be in it twice.
 */
static int **guards;
static size_t guards_count, guards_room;

/*
 * Goes up when the opening or closing of a guard begins, and again when the list is right.
 * If it did not change since before a fork, and is even, the child has exactly the guards
 * that are in the list.
 */
static _Atomic uint32_t changes;

#define UNKNOWN 1
static _Thread_local uint32_t changes_before_fork = UNKNOWN;

static void before_fork(void)
{
	changes_before_fork = atomic_load(&changes);
}

static void after_fork(void)
{
	changes_before_fork = UNKNOWN;
}

static void in_child(void)
{
	hbsi_fork_adopt(&guards_lock);
	after_fork();
}

static bool is_guard(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & GUARD_FLAGS) == GUARD_FLAGS &&
	       fcntl(fd, F_GET_SEALS) == SEALED_SEALS;
}

/* Guards that a thread of the parent was about to list, or to close */
static void close_unlisted(void)
{
	DIR *files = opendir("/proc/self/fd");
	struct dirent *entry;

	while (files && (entry = readdir(files))) {
		int fd = atoi(entry->d_name);

		if (*entry->d_name != '.' && fd != dirfd(files) && is_guard(fd))
			close(fd);
	}
	if (files)
		closedir(files);
}

/* Otherwise the parent's members would live as long as the child does */
static void forget_parent(void)
{
	uint32_t before = changes_before_fork;
	bool listed = !(before & 1) && before == atomic_load(&changes);

	for (size_t i = 0; i < guards_count; i++) {
		if (listed)
			close(*guards[i]);
		*guards[i] = -1;
	}
	guards_count = 0;
	if (!listed)
		close_unlisted();
	atomic_store(&changes, 0);
}

/* Early, so that few of a program's fork handlers run first in a child: those have to adopt */
static __attribute__((constructor(101))) void init(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

static void begin_change(void)
{
	hbsi_fork_lock(&guards_lock);
	atomic_fetch_add(&changes, 1);
}

static void end_change(void)
{
	atomic_fetch_add(&changes, 1);
	hbsi_fork_unlock(&guards_lock);
}

/* Room for one more in the list. Return: 0 or an error. */
static int make_room(void)
{
	size_t room = guards_room ? 2 * guards_room : 4;
	int **old = guards;
	int **new;

	if (guards_count < guards_room)
		return 0;
	new = malloc(room * sizeof(*new));
	if (!new)
		return -ENOMEM;
	for (size_t i = 0; i < guards_count; i++)
		new[i] = old[i];
	fork_order();
	guards = new;
	fork_order();
	guards_room = room;
	free(old);
	return 0;
}

static int open_anew(int fd, bool *alone)
{
	char path[32];
	int guard;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	guard = open(path, O_RDWR | O_CLOEXEC | GUARD_FLAGS);
	if (guard >= 0)
		return guard;
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
		return -errno;
	if (!alone)
		return -EOPNOTSUPP;
	*alone = true;
	guard = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return guard < 0 ? -errno : guard;
}

int hbsi_guard_open(int *guard, int fd, bool *alone)
{
	int ret;

	begin_change();
	ret = make_room();
	if (!ret)
		ret = open_anew(fd, alone);
	if (ret >= 0) {
		*guard = ret;
		guards[guards_count] = guard;
		fork_order();
		guards_count++;
		ret = 0;
	}
	end_change();
	return ret;
}

void hbsi_guard_close(int *guard)
{
	size_t i = 0;

	begin_change();
	if (*guard >= 0) {
		while (guards[i] != guard)
			i++;
		guards[i] = guards[guards_count - 1];
		fork_order();
		guards_count--;
		close(*guard);
	}
	end_change();
}

int hbsi_guard_lock(int guard, int command, short type, off_t byte)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
	int ret;

	do
		ret = fcntl(guard, command, &lock);
	while (ret && errno == EINTR);
	return ret ? -errno : 0;
}

bool hbsi_guard_is_free(int guard, off_t byte)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1
	};

	return !fcntl(guard, F_OFD_GETLK, &lock) && lock.l_type == F_UNLCK;
}
