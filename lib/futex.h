/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sleeping on the low half of a 64-bit word. @flags: 0 if processes share the word,
 * or FUTEX_PRIVATE_FLAG, with which the kernel finds it faster.
 */
#ifndef HBS_FUTEX_H
#define HBS_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "deadline.h"

static inline const char *futex_half(const _Atomic uint64_t *word)
{
	const char *low_half = (const char *)word;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	low_half += 4;
#endif
	return low_half;
}

/*
 * Sleep while the low half is that of @value, unless somebody wakes a bit of @bits. This can
 * return without a reason: look again.
 */
static inline void futex_wait_bits(const _Atomic uint64_t *word, uint64_t value, uint64_t deadline,
				   int flags, uint32_t bits)
{
	/* unlike FUTEX_WAIT, this operation takes a moment of CLOCK_MONOTONIC */
	struct timespec at = { .tv_sec = (time_t)(deadline / 1000000000),
			       .tv_nsec = (long)(deadline % 1000000000) };

	syscall(SYS_futex, futex_half(word), FUTEX_WAIT_BITSET | flags, (uint32_t)value,
		deadline == DEADLINE_NEVER ? NULL : &at, NULL, bits);
}

static inline void futex_wait(const _Atomic uint64_t *word, uint64_t value, uint64_t deadline,
			      int flags)
{
	futex_wait_bits(word, value, deadline, flags, FUTEX_BITSET_MATCH_ANY);
}

/* Wake those who sleep with one of these bits */
static inline void futex_wake_bits(const _Atomic uint64_t *word, int flags, uint32_t bits)
{
	syscall(SYS_futex, futex_half(word), FUTEX_WAKE_BITSET | flags, INT32_MAX, NULL, NULL,
		bits);
}

static inline void futex_wake_all(const _Atomic uint64_t *word, int flags)
{
	syscall(SYS_futex, futex_half(word), FUTEX_WAKE | flags, INT32_MAX, NULL, NULL, 0);
}

#endif /* HBS_FUTEX_H */
