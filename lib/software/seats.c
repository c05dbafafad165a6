// SPDX-License-Identifier: LGPL-2.1-or-later
/* Seats: joining, leaving, and the end of a thread that is a member */
#define _GNU_SOURCE
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "poll.h"
#include "software.h"

static uint32_t count_taken(struct software *software)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < soft_used(software); i++)
		taken += seat_state(soft_seat(software, i)) == SEAT_TAKEN;
	return taken;
}

/* A free seat, or one of a member that died before leaving it; -1 if there is none */
static int find_seat(struct software *software)
{
	uint32_t used = soft_used(software);

	for (uint32_t i = 0; i < soft_used(software); i++) {
		struct soft_seat *seat = soft_seat(software, i);
		uint32_t state = seat_state(seat);

		if (state == SEAT_FREE ||
		    (state == SEAT_STALE && hbsi_soft_seat_is_dead(software, i)))
			return (int)i;
	}
	if (used == soft_capacity(software))
		return -1;
	atomic_store(&soft_page(software)->used, used + 1);
	return (int)used;
}

uint32_t hbsi_soft_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint32_t)st.st_ino;
}

/* As before the first barrier */
static void clear_algorithm(struct software *software)
{
	uint32_t members = software->group.seats;

	for (uint32_t i = 0; i < members; i++) {
		atomic_store(&soft_seat(software, i)->flag[0].epoch, 0);
		atomic_store(&soft_seat(software, i)->flag[1].epoch, 0);
	}
	memset(soft_algorithm_memory(software), 0,
	       soft_algorithm(software)->bytes(members, software->group.fan_in));
}

/* All have left a group whose algorithm needs them all: it starts as a new group */
static void start_anew(struct software *software)
{
	struct soft_page *page = soft_page(software);
	uint64_t word = hbsi_soft_freeze(software);

	/* if the algorithm is full, only another process says that the group is left */
	if (!soft_algorithm(software)->full)
		clear_algorithm(software);
	atomic_store(&page->recent, word);
	atomic_fetch_and(&page->state, ~(STATE_BROKEN | STATE_REASON | STATE_STARTED));
	hbsi_soft_recount(software, 0);
}

/* Whether anybody may join now */
static int may_join(struct software *software)
{
	uint64_t state = atomic_load(&soft_page(software)->state);
	uint32_t taken = count_taken(software);

	/*
	 * perhaps nobody waits that would have noticed; and the dead do not start a group. A
	 * process knows of its own dead threads, but does nothing in a group that has been
	 * left already
	 */
	if (state_is_left(state) ||
	    (taken + 1 >= software->group.seats && atomic_load(&soft_page(software)->shared))) {
		hbsi_soft_find_dead(software);
		taken = count_taken(software);
		state = atomic_load(&soft_page(software)->state);
	}
	if (state & STATE_BROKEN) {
		if (taken || !state_is_left(state))
			return hbsi_word_error(state_status(state));
		start_anew(software);
	}
	return taken < software->group.seats ? 0 : -ENOSPC;
}

static void clear_values(struct soft_values *values)
{
	atomic_store(&values->of[0].word, 0);
	atomic_store(&values->of[1].word, 0);
}

static void sit_down(struct hbs_member *member, uint32_t number, uint64_t tag)
{
	struct software *software = soft_of(member->group);
	struct soft_seat *seat = soft_seat(software, number);
	uint64_t word = hbsi_soft_freeze(software);

	seat->tag = tag;
	seat->pid = getpid();
	seat->tid = gettid();
	seat->pid_namespace = hbsi_soft_pid_namespace();
	hbsi_soft_wake_dead(software, seat);
	seat->joined = word;
	if (soft_algorithm(software)->full)
		seat->counted = 0;
	if (software->group.reduce)
		clear_values(soft_values(software, number));
	if (soft_scans(software))
		hbsi_soft_scan_sit_down(software, number);
	atomic_store(&seat->arrived, word);
	atomic_store(&seat->state, SEAT_TAKEN);
	member->seat = seat;
	member->seat_number = number;
	member->word = word;
	member->next = software->members_here;
	software->members_here = member;
	hbsi_soft_recount(software, 0);
}

static void look_around(struct hbs_member *member)
{
	struct software *software = soft_of(member->group);
	struct soft_page *page = soft_page(software);

	member->page = page;
	member->release_line = member->group->algorithm == HBS_ALGORITHM_COUNTING;
	if (!soft_algorithm(software)->full) {
		member->has_turn = true;
		member->turn.lines = (struct algorithm_line *)soft_seat(software, 0);
		member->turn.members = (uint16_t)software->group.seats;
		member->turn.rank = (uint16_t)member->seat_number;
		member->turn.fan_in = software->group.fan_in;
	}
	if (soft_scans(software)) {
		member->scans = true;
		member->idler.report = soft_report(software, member->seat_number);
		member->idler.moves = atomic_load(&member->idler.report->moves);
		member->idler.from = member->seat_number + 1;
	} else if (soft_algorithm(software)->full) {
		member->idler.resets = hbsi_soft_resets(software);
	}
	hbsi_soft_see(member, atomic_load(&page->state));
}

int hbsi_soft_join(struct hbs_member *member, uint64_t tag)
{
	struct software *software = soft_of(member->group);
	int cancel = hbsi_soft_lock(software);
	int ret = may_join(software);
	int number = -1;

	if (!ret) {
		number = find_seat(software);
		ret = number < 0 ? -ENOSPC : hbsi_soft_guard_seat(software, (uint32_t)number);
	}
	if (!ret) {
		sit_down(member, (uint32_t)number, tag);
		look_around(member);
	}
	hbsi_soft_unlock(software, cancel);
	return ret;
}

static void get_up(struct hbs_member *member)
{
	struct hbs_member **link = &soft_of(member->group)->members_here;

	while (*link != member)
		link = &(*link)->next;
	*link = member->next;
	hbsi_soft_unguard_seat(soft_of(member->group), member->seat_number);
}

/* The others go on without it, if the algorithm lets them; the lock is held */
static void vacate(struct software *software, struct soft_seat *seat)
{
	struct soft_page *page = soft_page(software);
	bool has_been_in_it = soft_arrivals(seat) || atomic_load(&page->state) & STATE_STARTED;

	/* while its seat still says at which barrier it has arrived */
	if (!soft_algorithm(software)->full && has_been_in_it)
		hbsi_soft_recount(software, REASON_LEFT);
	hbsi_soft_give_up_seat(software, seat);
}

void hbsi_soft_leave(struct hbs_member *member)
{
	struct software *software = soft_of(member->group);
	struct soft_seat *seat = member->seat;
	int cancel;

	hbsi_soft_poll_end(member);
	cancel = hbsi_soft_lock(software);
	member->guess = seat->joined;
	if (member->is_dead || seat_state(seat) == SEAT_TAKEN) {
		if (!member->is_dead) {
			hbsi_soft_idle_leave(member);
			vacate(software, seat);
		}
		member->guess = hbsi_soft_word(software);
	} else {
		atomic_store(&seat->state, SEAT_FREE);
	}
	if (!member->is_dead)
		get_up(member);
	hbsi_soft_unlock(software, cancel);
}

void hbsi_soft_die(struct hbs_member *member)
{
	struct software *software = soft_of(member->group);
	struct soft_seat *seat = member->seat;
	int cancel;

	member->is_dead = true;
	hbsi_soft_poll_die(member);
	cancel = hbsi_soft_lock(software);
	if (seat_state(seat) == SEAT_TAKEN)
		hbsi_soft_bury(software, seat);
	/* in a broken group the dead keep their seats, as members whose process has died */
	get_up(member);
	hbsi_soft_unlock(software, cancel);
	hbsi_soft_poll_tell(member);
}
