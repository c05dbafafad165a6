/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks of a memory file that several processes share. The kernel releases them when a process
 * ends, however it ends. They belong to an open file; so a guard is the file opened anew: nobody
 * else has that open file but children of fork, which close their copy at once. A lock says that
 * who has it lives. Threads with the same guard do not exclude each other by it.
 */
#ifndef HBS_GUARD_H
#define HBS_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Open a guard of the file @fd. It is -1 again in a child of fork, as it is before this. Where
 * there is no /proc, the file cannot be opened anew: then the guard is @fd itself once more, and
 * *@alone is true; if @alone is NULL, that is -EOPNOTSUPP. Return: 0 or an error.
 */
int hbsi_guard_open(int *guard, int fd, bool *alone);

/* Nothing, if the guard is -1. */
void hbsi_guard_close(int *guard);

/* F_OFD_SETLK and F_OFD_SETLKW of one byte. Return: 0 or an error. */
int hbsi_guard_lock(int guard, int command, short type, off_t byte);

/* Whether no other guard has locked the byte */
bool hbsi_guard_is_free(int guard, off_t byte);

#endif /* HBS_GUARD_H */
