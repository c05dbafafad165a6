/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the waits of a member were like, in memory that hbsctl or the driver can read: so one sees who is
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

#include <linux/hbs.h>

#include "spin.h"

#define WAITS_SIZE    HBS_WAITS_SIZE
#define WAITS_SHIFT   HBS_WAITS_SHIFT
#define WAITS_BUCKETS HBS_WAITS_BUCKETS

/* struct hbs_waits, as a member writes it; a group in software has the same */
struct waits {
	_Alignas(WAITS_SIZE) _Atomic uint64_t joined;
	_Atomic uint64_t since_ns;
	_Atomic uint64_t waited_ns;
	_Atomic uint32_t epoch;
	_Atomic uint32_t scale;
	_Atomic uint32_t slept;
	_Atomic uint32_t counts[WAITS_BUCKETS];
};

_Static_assert(sizeof(struct waits) == WAITS_SIZE && sizeof(struct hbs_waits) == WAITS_SIZE,
	       "no two members write one line");
_Static_assert(offsetof(struct waits, epoch) == offsetof(struct hbs_waits, epoch) &&
		       offsetof(struct waits, counts) == offsetof(struct hbs_waits, counts),
	       "the driver reads it");

struct hbs_member;

/* A wait will go on for long: note since when. Again for the same epoch, that changes nothing. */
void hbsi_waits_begin(const struct hbs_member *member, const struct spin *spin);

/* A long wait for the epoch after @word is over. */
void hbsi_waits_end(const struct hbs_member *member, uint64_t word, const struct spin *spin,
		    bool has_slept);

#endif /* HBS_WAITS_H */
