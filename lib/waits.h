/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the waits of a member were like, in memory that hbsctl can read: so one sees who is
 * late, and by how much. Only the member writes it, and only at the end of a wait that was
 * long, or before it sleeps: a barrier whose release is there already, or comes soon, touches
 * nothing here. Whoever reads it counts those as the member's epochs less all long waits.
 *
 * Another process may write the memory too. All that is read here goes into what is shown.
 */
#ifndef HBS_WAITS_H
#define HBS_WAITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spin.h"

#define WAITS_SIZE    128
#define WAITS_SHIFT   9 /* a wait of 2^9 ns or more is long */
#define WAITS_BUCKETS 23

/**
 * struct waits - the long waits of a member
 * @joined: the word when the member joined; with another one, the rest is of a former member
 * @since_ns: when the last wait began that was so long that its member was about to sleep, in ns
 *            of CLOCK_MONOTONIC; 0 for never
 * @waited_ns: the time of all long waits that are over
 * @epoch: the low bits of the number of barriers before the one that @since_ns is about
 * @scale: the counts below are of 2^scale waits each; more than 0 after some 2^32 of one kind
 * @slept: how many of the long waits slept
 * @counts: how many were of 2^(9 + i) ns or more; the last one has all that were longer
 */
struct waits {
	_Alignas(WAITS_SIZE) _Atomic uint64_t joined;
	_Atomic uint64_t since_ns;
	_Atomic uint64_t waited_ns;
	_Atomic uint32_t epoch;
	_Atomic uint32_t scale;
	_Atomic uint32_t slept;
	_Atomic uint32_t counts[WAITS_BUCKETS];
};

_Static_assert(sizeof(struct waits) == WAITS_SIZE, "no two members write one line");

struct hbs_member;

/* A wait will go on for long: note since when. Again for the same epoch, that changes nothing. */
void hbsi_waits_begin(const struct hbs_member *member, const struct spin *spin);

/* A long wait for the epoch after @word is over. */
void hbsi_waits_end(const struct hbs_member *member, uint64_t word, const struct spin *spin,
		    bool has_slept);

#endif /* HBS_WAITS_H */
