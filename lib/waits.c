// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <string.h>

#include "internal.h"
#include "software/software.h"
#include "ticks.h"
#include "waits.h"

/* Nobody else writes it, or what comes of that is only shown: see waits.h */
#define get(number)	   atomic_load_explicit(number, memory_order_relaxed)
#define set(number, value) atomic_store_explicit(number, value, memory_order_relaxed)

/* NULL: there is no memory for it */
static struct waits *waits_of(const struct hbs_member *member)
{
	if (member->seat)
		return soft_waits(soft_of(member->group), member->seat_number);
	return member->port->waits ? member->port->waits + member->group->number : NULL;
}

/* What a former member has left there goes when the first long wait of this one comes */
static void take_over(struct waits *waits, uint64_t joined)
{
	if (get(&waits->joined) == joined)
		return;
	set(&waits->since_ns, 0);
	set(&waits->waited_ns, 0);
	set(&waits->scale, 0);
	set(&waits->slept, 0);
	for (unsigned int i = 0; i < WAITS_BUCKETS; i++)
		set(&waits->counts[i], 0);
	set(&waits->joined, joined);
}

static uint32_t epoch_of(uint64_t word)
{
	return (uint32_t)(word >> HBS_WORD_EPOCH_SHIFT);
}

static bool has_begun(const struct waits *waits, uint64_t word)
{
	return get(&waits->epoch) == epoch_of(word) && get(&waits->since_ns);
}

void hbsi_waits_begin(const struct hbs_member *member, const struct spin *spin)
{
	struct waits *waits = waits_of(member);

	if (!waits)
		return;
	take_over(waits, member->joined);
	/* an earlier wait has given up at its deadline */
	if (has_begun(waits, member->word))
		return;
	set(&waits->since_ns, 0);
	set(&waits->epoch, epoch_of(member->word));
	set(&waits->since_ns, hbsi_clock_ns() - spin_ns(spin->policy, ticks_now() - spin->start));
}

/* Half of each count, so that one of them can go on */
static void scale_up(struct waits *waits)
{
	set(&waits->slept, get(&waits->slept) / 2);
	for (unsigned int i = 0; i < WAITS_BUCKETS; i++)
		set(&waits->counts[i], get(&waits->counts[i]) / 2);
	set(&waits->scale, get(&waits->scale) + 1);
}

/* One of 2^scale waits counts, as if by chance: the scale is 0 mostly, and then all do */
static void count(struct waits *waits, _Atomic uint32_t *number, uint32_t epoch)
{
	uint32_t scale = get(&waits->scale) % 32;

	if (scale && epoch * 2654435769u >> (32 - scale))
		return;
	if (get(number) == UINT32_MAX)
		scale_up(waits);
	set(number, get(number) + 1);
}

static unsigned int bucket_of(uint64_t ns)
{
	unsigned int bucket = 0;

	if (ns >> WAITS_SHIFT)
		bucket = 63 - (unsigned int)__builtin_clzll(ns) - WAITS_SHIFT;
	return bucket < WAITS_BUCKETS ? bucket : WAITS_BUCKETS - 1;
}

void hbsi_waits_end(const struct hbs_member *member, uint64_t word, const struct spin *spin,
		    bool has_slept)
{
	struct waits *waits = waits_of(member);
	uint64_t ns;

	if (!waits)
		return;
	take_over(waits, member->joined);
	if (has_begun(waits, word))
		ns = hbsi_clock_ns() - get(&waits->since_ns);
	else
		ns = spin_ns(spin->policy, spin->waited);
	set(&waits->waited_ns, get(&waits->waited_ns) + ns);
	if (has_slept)
		count(waits, &waits->slept, epoch_of(word));
	count(waits, &waits->counts[bucket_of(ns)], epoch_of(word));
}

_Static_assert(HBS_WAIT_STEPS == 1 + WAITS_BUCKETS, "short waits, and the long ones");

static void take_counts(const struct waits *waits, struct hbs_member_stats *stats)
{
	uint32_t scale = get(&waits->scale) % 32;

	stats->waited_ns = get(&waits->waited_ns);
	stats->slept = (uint64_t)get(&waits->slept) << scale;
	for (unsigned int i = 0; i < WAITS_BUCKETS; i++)
		stats->waits[1 + i] = (uint64_t)get(&waits->counts[i]) << scale;
}

int hbs_member_stats(struct hbs_member *member, struct hbs_member_stats *stats)
{
	const struct waits *waits;
	uint64_t rest;

	if (!member || !stats)
		return -EINVAL;
	if (hbsi_is_foreign(member->group->hbs))
		return -ECHILD;
	waits = waits_of(member);
	/* a wait for messages is none for the others */
	if (!waits || member->group->type != HBS_BARRIER)
		return -EOPNOTSUPP;
	memset(stats, 0, sizeof(*stats));
	stats->epochs = (member->word - member->joined) >> HBS_WORD_EPOCH_SHIFT;
	if (get(&waits->joined) == member->joined)
		take_counts(waits, stats);
	rest = stats->epochs;
	for (unsigned int i = 1; i < HBS_WAIT_STEPS; i++)
		rest -= stats->waits[i] < rest ? stats->waits[i] : rest;
	stats->waits[0] = rest;
	return 0;
}
