// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sleep: a member that waits adds itself to the number of sleepers, looks once more and
 * sleeps on the bell. A member that has done what others may wait for looks at that
 * number, and rings the bell if there are sleepers.
 *
 * With an algorithm that is full, an arrival is a read-modify-write, which is a full
 * fence: either the sleeper's last look sees the arrival, or the arriving member sees
 * the sleeper. With the other algorithms an arrival stays a plain store: the sleeper,
 * which has time, makes all other CPUs pass a fence by membarrier(). Where membarrier()
 * does not exist, or does not reach a process of the group (a sandbox), all sleepers of
 * the group look again every millisecond.
 */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../futex.h"
#include "software.h"

#define POLL_NS	 1000000
#define DRAIN_US 1000 /* no store is that long on its way from a CPU to the others */

static int membarrier(int command)
{
	return (int)syscall(SYS_membarrier, command, 0, 0);
}

/* The process takes part in membarrier() from here on; false if it cannot. */
bool hbsi_soft_bell_open(void)
{
	return !membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) &&
	       !membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

void hbsi_soft_fence_others(struct software *software)
{
	if (!atomic_load(&soft_page(software)->polled))
		membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
	else
		usleep(DRAIN_US);
}

void hbsi_soft_ring(struct soft_page *page)
{
	atomic_fetch_add(&page->bell, 1);
	futex_wake_all(&page->bell, 0);
}

uint64_t hbsi_soft_lie_down(struct software *software, struct soft_seat *seat, uint64_t *until)
{
	struct soft_page *page = soft_page(software);

	/* rather one sleeper too many than one too few, if the process dies in between */
	atomic_fetch_add(&page->sleepers, 1);
	atomic_fetch_add(&seat->asleep, 1);
	if (!soft_algorithm(software)->full) {
		if (!atomic_load(&page->polled))
			membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
		else if (*until == DEADLINE_NEVER || deadline_left(*until) > POLL_NS)
			*until = deadline_after(POLL_NS);
	}
	return atomic_load(&page->bell);
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

int hbsi_soft_sleep(struct hbs_member *member, uint64_t until)
{
	struct soft_page *page = member->page;
	struct software *software = soft_of(member->group);
	uint64_t bell = hbsi_soft_lie_down(software, member->seat, &until);
	int ret = hbsi_soft_depart(member);

	if (ret == HBSI_PENDING) {
		atomic_fetch_add_explicit(&page->sleeps, 1, memory_order_relaxed);
		/* a signal, or a bell that has rung, is no different from a wake */
		futex_wait(&page->bell, bell, until, 0);
	}
	hbsi_soft_rise(software, member->seat);
	return ret;
}
