/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Static probes (USDT) for perf, bpftrace, SystemTap and gdb: Documentation/tracing.rst lists
 * them. A probe that nobody uses is one no-operation, and none is on the path of a barrier
 * whose release is there already, or comes while the member spins.
 */
#ifndef HBS_PROBE_H
#define HBS_PROBE_H

#if __has_include(<sys/sdt.h>) && !defined(HBS_WITHOUT_PROBES)
#include <sys/sdt.h>
#else
#define STAP_PROBE1(provider, name, a)		((void)(a))
#define STAP_PROBE2(provider, name, a, b)	((void)(a), (void)(b))
#define STAP_PROBE3(provider, name, a, b, c)	((void)(a), (void)(b), (void)(c))
#define STAP_PROBE4(provider, name, a, b, c, d) ((void)(a), (void)(b), (void)(c), (void)(d))
#endif

#include "internal.h"

/* Which group it is: the same number in all events of a process; see Documentation/tracing.rst */
static inline uint64_t probe_group(const struct hbs_group *group)
{
	return group->backend == HBS_BACKEND_SOFTWARE ? (uint64_t)(uintptr_t)group->page
						      : group->number;
}

/* Which member: the number of its seat, or of its port on the card */
static inline uint32_t probe_seat(const struct hbs_member *member)
{
	return member->seat ? member->seat_number : member->port->number;
}

static inline uint64_t probe_epoch(const struct hbs_member *member)
{
	return member->word >> HBS_WORD_EPOCH_SHIFT;
}

/* A handle of the group is made, by creation or import */
static inline void probe_group_open(const struct hbs_group *group)
{
	STAP_PROBE4(hbs, group__open, probe_group(group), group->backend, group->seats,
		    group->algorithm);
}

static inline void probe_group_close(const struct hbs_group *group)
{
	STAP_PROBE2(hbs, group__close, probe_group(group), group->backend);
}

static inline void probe_join(const struct hbs_member *member, uint64_t tag)
{
	STAP_PROBE4(hbs, join, probe_group(member->group), probe_seat(member), probe_epoch(member),
		    tag);
}

static inline void probe_leave(const struct hbs_member *member)
{
	STAP_PROBE3(hbs, leave, probe_group(member->group), probe_seat(member),
		    probe_epoch(member));
}

/* The member has waited in vain, and goes to sleep; it is awake again */
static inline void probe_sleep(const struct hbs_member *member)
{
	STAP_PROBE3(hbs, sleep, probe_group(member->group), probe_seat(member),
		    probe_epoch(member));
}

static inline void probe_awake(const struct hbs_member *member)
{
	STAP_PROBE3(hbs, awake, probe_group(member->group), probe_seat(member),
		    probe_epoch(member));
}

/* In software: this thread wakes all sleepers of the group. It is the last one, mostly. */
static inline void probe_ring(const void *page)
{
	STAP_PROBE1(hbs, ring, (uint64_t)(uintptr_t)page);
}

/* A call is about to return the error of a broken group */
static inline void probe_broken(uint64_t word, int error)
{
	STAP_PROBE2(hbs, broken, word, error);
}

#endif /* HBS_PROBE_H */
