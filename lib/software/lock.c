// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Locks of the group's file. The kernel releases them when a process ends, however it
 * ends. They belong to an open file, so each handle opens the file anew: nobody else has
 * that open file but children of fork, which close their copy at once.
 *
 * Byte N belongs to seat N: it is locked as long as the seat's member lives. One more byte
 * is the lock of the group. Threads of one handle exclude each other by a mutex, since the
 * kernel sees them as one.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fork_lock.h"
#include "software.h"

#define LOCK_BYTE 0x100000

/* This tells a guard from other open files of a group, which have neither */
#define GUARD_FLAGS (O_APPEND | O_NONBLOCK)

static void forget_parent(void);
static struct fork_lock guards_lock = FORK_LOCK(forget_parent);
static struct software *guards;

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

	for (struct software *software = guards; software; software = software->next) {
		if (listed)
			close(software->group.guard);
		software->group.guard = -1;
	}
	guards = NULL;
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

/* Where there is no /proc, a group that its maker does not share can use its own file */
static int open_guard(struct software *software, int fd, bool may_be_alone)
{
	char path[32];
	int guard;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	guard = open(path, O_RDWR | O_CLOEXEC | GUARD_FLAGS);
	if (guard >= 0 || errno == EMFILE || errno == ENFILE || errno == ENOMEM)
		return guard;
	if (!may_be_alone) {
		errno = EOPNOTSUPP;
		return guard;
	}
	software->group.alone = true;
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

int hbsi_soft_guard_open(struct software *software, int fd, bool may_be_alone)
{
	int ret = 0;

	begin_change();
	software->group.guard = open_guard(software, fd, may_be_alone);
	if (software->group.guard < 0) {
		ret = -errno;
	} else {
		software->next = guards;
		fork_order();
		guards = software;
	}
	end_change();
	return ret;
}

void hbsi_soft_guard_close(struct software *software)
{
	struct software **link = &guards;

	begin_change();
	if (software->group.guard >= 0) {
		while (*link != software)
			link = &(*link)->next;
		*link = software->next;
		close(software->group.guard);
	}
	end_change();
}

static int lock_byte(struct software *software, int command, short type, off_t byte)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
	int ret;

	do
		ret = fcntl(software->group.guard, command, &lock);
	while (ret && errno == EINTR);
	return ret ? -errno : 0;
}

/*
 * Whether to ask the kernel again: it may be short of memory for the lock. And valgrind lets no
 * other thread run while one waits for a lock of a file, so under checkers there is no waiting.
 */
static bool has_to_ask_again(struct software *software)
{
	int command = hbsi_checked ? F_OFD_SETLK : F_OFD_SETLKW;
	int ret = lock_byte(software, command, F_WRLCK, LOCK_BYTE);

	return ret == -ENOLCK || ret == -EAGAIN || ret == -EACCES;
}

int hbsi_soft_lock(struct software *software)
{
	int cancel = cancel_off();

	pthread_mutex_lock(&software->lock);
	while (has_to_ask_again(software))
		usleep(1000);
	if (atomic_load(&soft_page(software)->state) & STATE_FROZEN) {
		hbsi_soft_finish_leaving(software);
		hbsi_soft_recount(software, 0);
	}
	return cancel;
}

void hbsi_soft_unlock(struct software *software, int cancel)
{
	lock_byte(software, F_OFD_SETLK, F_UNLCK, LOCK_BYTE);
	pthread_mutex_unlock(&software->lock);
	cancel_restore(cancel);
}

int hbsi_soft_guard_seat(struct software *software, uint32_t seat)
{
	int ret = lock_byte(software, F_OFD_SETLK, F_WRLCK, seat);

	return ret == -ENOLCK ? -ENOMEM : ret;
}

void hbsi_soft_unguard_seat(struct software *software, uint32_t seat)
{
	lock_byte(software, F_OFD_SETLK, F_UNLCK, seat);
}

bool hbsi_soft_seat_is_dead(struct software *software, uint32_t seat)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = seat, .l_len = 1
	};

	for (struct hbs_member *member = software->members_here; member; member = member->next)
		if (member->seat_number == seat)
			return false;
	return !fcntl(software->group.guard, F_OFD_GETLK, &lock) && lock.l_type == F_UNLCK;
}
