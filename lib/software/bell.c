// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sleep: a member that waits adds itself to the number of sleepers, looks once more and
 * sleeps on the bell. A member that has done what others may wait for looks at that
 * number, and rings the bell if there are sleepers.
 *
 * With an algorithm that is full, an arrival is a read-modify-write, which is a full
 * fence: either the sleeper's last look sees the arrival, or the arriving member sees
 * the sleeper. With the other algorithms an arrival stays a plain store, and the sleeper
 * makes a fence for the others (fence.h). In a group of several processes, and where there
 * is no membarrier(), the sleeper, still counted, looks again; a member that arrives later
 * rings.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "../fence.h"
#include "../futex.h"
#include "../probe.h"
#include "software.h"

/* Whether all other CPUs that run members have passed a fence */
static bool make_fence(struct software *software)
{
	struct soft_page *page = soft_page(software);

	return !atomic_load(&page->shared) && !atomic_load(&page->deaf) && hbsi_fence_threads();
}

void hbsi_soft_fence_others(struct software *software)
{
	if (!make_fence(software))
		usleep(FENCE_DRAIN_NS / 1000);
}

void hbsi_soft_ring(struct soft_page *page)
{
	probe_ring(page);
	atomic_fetch_add(&page->bell, 1);
	futex_wake_all(&page->bell, 0);
}

/* With 32 members at most, nobody else but pollers wakes up */
static uint32_t bit_of(uint32_t seat)
{
	return 1u << seat % 32;
}

int hbsi_soft_number(struct hbs_member *member)
{
	return (int)member->seat_number;
}

void hbsi_soft_wake(struct hbs_group *group, uint32_t number)
{
	struct soft_page *page = group->page;

	atomic_fetch_add(&page->bell, 1);
	futex_wake_bits(&page->bell, 0, bit_of(number));
}

uint64_t hbsi_soft_lie_down(struct software *software, struct soft_seat *seat, bool *unsure)
{
	struct soft_page *page = soft_page(software);

	/* rather one sleeper too many than one too few, if the process dies in between */
	atomic_fetch_add(&page->sleepers, 1);
	atomic_fetch_add(&seat->asleep, 1);
	*unsure = !soft_algorithm(software)->full && !make_fence(software);
	return atomic_load(&page->bell);
}

bool hbsi_soft_nap(struct soft_page *page, uint64_t bell, uint64_t until, bool unsure,
		   uint32_t bits)
{
	uint64_t again = unsure ? deadline_after(FENCE_DRAIN_NS) : DEADLINE_NEVER;

	/* a signal, or a bell that has rung, is no different from a wake */
	futex_wait_bits(&page->bell, bell, deadline_earlier(until, again), 0, bits);
	return unsure && deadline_passed(again) && atomic_load(&page->bell) == bell;
}

void hbsi_soft_rise(struct software *software, struct soft_seat *seat)
{
	_Atomic uint16_t *asleep = &seat->asleep;
	uint16_t now = atomic_load(asleep);

	/*
	 * none, if another process was sure that the member is dead, and took back what it had
	 * added
	 */
	while (now && !atomic_compare_exchange_weak(asleep, &now, (uint16_t)(now - 1)))
		;
	if (now)
		atomic_fetch_sub(&soft_page(software)->sleepers, 1);
}

void hbsi_soft_wake_dead(struct software *software, struct soft_seat *seat)
{
	atomic_fetch_sub(&soft_page(software)->sleepers, atomic_exchange(&seat->asleep, 0));
}

int hbsi_soft_sleep_while(struct hbs_member *member, uint64_t until, int (*look)(void *arg),
			  void *arg)
{
	struct soft_page *page = member->page;
	struct software *software = soft_of(member->group);
	const uint32_t bits = bit_of(member->seat_number);
	bool unsure;
	uint64_t bell = hbsi_soft_lie_down(software, member->seat, &unsure);
	int ret = look(arg);
	bool naps = ret == HBSI_PENDING, again = false;

	if (naps) {
		atomic_fetch_add_explicit(&page->sleeps, 1, memory_order_relaxed);
		probe_sleep(member);
		again = hbsi_soft_nap(page, bell, until, unsure, bits);
	}
	if (again)
		ret = look(arg);
	if (again && ret == HBSI_PENDING)
		hbsi_soft_nap(page, bell, until, false, bits);
	if (naps)
		probe_awake(member);
	hbsi_soft_rise(software, member->seat);
	return ret;
}

static int look_at_group(void *member)
{
	return hbsi_soft_depart(member);
}

int hbsi_soft_sleep(struct hbs_member *member, uint64_t until)
{
	return hbsi_soft_sleep_while(member, until, look_at_group, member);
}
