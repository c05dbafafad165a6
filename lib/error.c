// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "internal.h"
#include "probe.h"
#include "software/state.h"

static int word_error(uint64_t word)
{
	if (word & WORD_LEFT)
		return -ENOTCONN;
	switch ((word & HBS_WORD_REASON) >> HBS_WORD_REASON_SHIFT) {
	case HBS_REASON_TIMEOUT:
		return -ETIMEDOUT;
	case HBS_REASON_DIED:
		return -EOWNERDEAD;
	case HBS_REASON_RESET:
		return -ECONNRESET;
	case HBS_REASON_GONE:
		return -ENODEV;
	case HBS_REASON_DESTROYED:
		return -EIDRM;
	case HBS_REASON_OVERFLOW:
		return -EOVERFLOW;
	default:
		return -EIO;
	}
}

/* The error that an epoch word says a broken group has */
int hbsi_word_error(uint64_t word)
{
	int error = word_error(word);

	probe_broken(word, error);
	return error;
}

/* Another error, as from open(2), which has no special meaning here */
static const char *other_text(int error)
{
	const char *text = NULL;

	if (error > 0)
		return "not an error";
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 32)
	/* unlike strerror, this returns constants */
	if (error >= -4095)
		text = strerrordesc_np(-error);
#endif
#endif
	return text ? text : "unexpected error";
}

const char *hbs_strerror(int error)
{
	static const struct {
		int error;
		const char *text;
	} texts[] = {
		{ 0, "success" },
		{ -EOWNERDEAD, "a member of the group died without leaving it" },
		{ -ETIMEDOUT, "not all have arrived in time" },
		{ -ECONNRESET, "the card or the group was reset" },
		{ -ENODEV, "no card, or the card is gone" },
		{ -EIDRM, "the group was destroyed" },
		{ -EIO, "the card could not reach memory, or the group's memory is damaged" },
		{ -EOVERFLOW, "more messages in flight than the group can count" },
		{ -ENOTCONN, "a member left, and the algorithm needs all of them" },
		{ -EINVAL, "a bad argument, attribute or environment variable" },
		{ -EACCES, "this user may not open the card" },
		{ -EPERM, "this process may not do that: a sandbox or control group forbids it" },
		{ -ENOSYS, "the kernel lacks a call that is needed, or a sandbox forbids it" },
		{ -EBADF, "not an open descriptor, or not one that is open for writing" },
		{ -EBUSY, "still in use: groups, members or mailboxes are left" },
		{ -EXDEV, "a group of another card" },
		{ -ENOSPC, "no seat, or no port or group that this user may have, is free" },
		{ -EDQUOT, "this user has as many ports or groups as the administrator allows" },
		{ -EALREADY, "arrived already, and not yet departed" },
		{ -EOPNOTSUPP, "this backend, algorithm, card or driver cannot do that" },
		{ -ECHILD, "the handle belongs to the parent process" },
		{ -ERANGE, "a timeout outside the administrator's limits" },
		{ -ENOENT, "no such device" },
		{ -E2BIG, "the driver is older than this library" },
		{ -EMFILE, "too many open descriptors in this process (RLIMIT_NOFILE)" },
		{ -ENFILE, "too many open descriptors in the system" },
		{ -EFBIG, "files of this process may not be so large as is needed (RLIMIT_FSIZE)" },
		{ -ENOMEM, "out of memory, or of what this process may have (RLIMIT_AS)" },
		{ -EAGAIN, "no room or no message; or this process may have no more threads"
			   " (RLIMIT_NPROC) or locked memory (RLIMIT_MEMLOCK)" },
		{ -EMSGSIZE, "a message that is larger than a slot has room for" },
		{ -EBADMSG, "another process has written wrong numbers to the memory of messages" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].error == error)
			return texts[i].text;
	return other_text(error);
}
