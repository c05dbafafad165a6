// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Locks of the group's file, by the guard of the handle. Byte N belongs to seat N: it is
 * locked as long as the seat's member lives. One more byte is the lock of the group. Threads
 * of one handle exclude each other by a mutex, since the kernel sees them as one.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "../guard.h"
#include "software.h"

#define LOCK_BYTE 0x100000

static int lock_byte(struct software *software, int command, short type, off_t byte)
{
	return hbsi_guard_lock(software->group.guard, command, type, byte);
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
	for (struct hbs_member *member = software->members_here; member; member = member->next)
		if (member->seat_number == seat)
			return false;
	return hbsi_guard_is_free(software->group.guard, seat);
}
