// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Locks of the group's file, which the kernel lets go when a process ends, however it
 * does. They belong to an open file, so each handle opens the file anew: it has that one
 * to itself, but for children of fork, which close their copy at once.
 *
 * Byte N is seat N's: locked as long as its member lives. One more byte is the lock of the
 * group. Threads of one handle exclude each other by a mutex, since to the kernel they are
 * one.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "software.h"

#define LOCK_BYTE 0x100000

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t guards_lock = PTHREAD_MUTEX_INITIALIZER;
static struct software *guards;

static void before_fork(void)
{
	pthread_mutex_lock(&guards_lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&guards_lock);
}

/* Or the parent's members would live as long as the child does */
static void in_child(void)
{
	for (struct software *software = guards; software; software = software->next) {
		close(software->group.guard);
		software->group.guard = -1;
	}
	guards = NULL;
	pthread_mutex_unlock(&guards_lock);
}

static void init(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

/* Where there is no /proc, a group that its maker keeps to itself can do with its own file */
static int open_guard(struct software *software, int fd, bool may_be_alone)
{
	char path[32];
	int guard;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	guard = open(path, O_RDWR | O_CLOEXEC);
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

	pthread_once(&once, init);
	pthread_mutex_lock(&guards_lock);
	software->group.guard = open_guard(software, fd, may_be_alone);
	if (software->group.guard < 0) {
		ret = -errno;
	} else {
		software->next = guards;
		guards = software;
	}
	pthread_mutex_unlock(&guards_lock);
	return ret;
}

void hbsi_soft_guard_close(struct software *software)
{
	struct software **link = &guards;

	pthread_mutex_lock(&guards_lock);
	if (software->group.guard >= 0) {
		while (*link != software)
			link = &(*link)->next;
		*link = software->next;
		close(software->group.guard);
	}
	pthread_mutex_unlock(&guards_lock);
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

int hbsi_soft_lock(struct software *software)
{
	int cancel = cancel_off();

	pthread_mutex_lock(&software->lock);
	/* short of memory for it, the kernel is asked again */
	while (lock_byte(software, F_OFD_SETLKW, F_WRLCK, LOCK_BYTE) == -ENOLCK)
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
