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

/* A free seat, or one of somebody who died before leaving it; -1 if there is none */
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
	if (used == software->capacity)
		return -1;
	atomic_store(&software->page->used, used + 1);
	return (int)used;
}

uint32_t hbsi_soft_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint32_t)st.st_ino;
}

/* All have left a group whose algorithm needs them all: it starts as a new one */
static void start_anew(struct software *software)
{
	struct soft_page *page = software->page;
	uint64_t word = hbsi_soft_freeze(software);

	/* of one that has none, only somebody else's word says that it is left */
	if (software->algorithm->bytes)
		memset(soft_algorithm_memory(software), 0,
		       software->algorithm->bytes(software->members, software->fan_in));
	atomic_store(&page->recent, word);
	atomic_fetch_and(&page->state, ~(STATE_BROKEN | STATE_REASON | STATE_STARTED));
	hbsi_soft_recount(software, 0);
}

/* Whether anybody may join now */
static int may_join(struct software *software)
{
	uint64_t state = atomic_load(&software->page->state);
	uint32_t taken = count_taken(software);

	/* perhaps nobody waits who would have noticed; and the dead do not start a group */
	if ((taken + 1 >= software->members || state_is_left(state)) &&
	    atomic_load(&software->page->shared)) {
		hbsi_soft_find_dead(software);
		taken = count_taken(software);
		state = atomic_load(&software->page->state);
	}
	if (state & STATE_BROKEN) {
		if (taken || !state_is_left(state))
			return hbsi_word_error(state_status(state));
		start_anew(software);
	}
	return taken < software->members ? 0 : -ENOSPC;
}

static void sit_down(struct hbs_member *member, uint32_t number)
{
	struct software *software = member->group->software;
	struct soft_seat *seat = soft_seat(software, number);
	struct soft_record *record = record_of(software, seat);
	uint64_t word = hbsi_soft_freeze(software);

	seat->pid = getpid();
	seat->tid = gettid();
	seat->pid_namespace = hbsi_soft_pid_namespace();
	hbsi_soft_wake_dead(software, seat);
	record->joined = word;
	record->counted = 0;
	record->result = 0;
	atomic_store(&seat->value[0].word, 0);
	atomic_store(&seat->value[1].word, 0);
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
	struct software *software = member->group->software;
	struct soft_page *page = software->page;

	member->page = page;
	member->release_line = page->algorithm == HBS_ALGORITHM_COUNTING;
	if (!software->algorithm->full) {
		/* see hbsi_soft_turn_size() */
		member->turn = (struct algorithm_member *)(member + 1);
		*member->turn = (struct algorithm_member){
			.memory = soft_algorithm_memory(software),
			.members = software->members,
			.rank = member->seat_number,
			.fan_in = software->fan_in,
		};
	}
	hbsi_soft_see(member, atomic_load(&page->state));
}

size_t hbsi_soft_turn_size(const struct hbs_group *group)
{
	return group->software->algorithm->full ? 0 : sizeof(struct algorithm_member);
}

int hbsi_soft_join(struct hbs_member *member)
{
	struct software *software = member->group->software;
	int cancel = hbsi_soft_lock(software);
	int ret = may_join(software);
	int number = -1;

	if (!ret) {
		number = find_seat(software);
		ret = number < 0 ? -ENOSPC : hbsi_soft_guard_seat(software, (uint32_t)number);
	}
	if (!ret) {
		sit_down(member, (uint32_t)number);
		look_around(member);
	}
	hbsi_soft_unlock(software, cancel);
	return ret;
}

static void get_up(struct hbs_member *member)
{
	struct hbs_member **link = &member->group->software->members_here;

	while (*link != member)
		link = &(*link)->next;
	*link = member->next;
	hbsi_soft_unguard_seat(member->group->software, member->seat_number);
}

/* The others go on without it, if the algorithm lets them; the lock is held */
static void vacate(struct software *software, struct soft_seat *seat)
{
	struct soft_page *page = software->page;
	bool has_been_in_it =
		soft_arrivals(software, seat) || atomic_load(&page->state) & STATE_STARTED;

	/* while its seat still says at what it has arrived */
	if (!software->algorithm->full && has_been_in_it)
		hbsi_soft_recount(software, REASON_LEFT);
	hbsi_soft_give_up_seat(software, seat);
}

void hbsi_soft_leave(struct hbs_member *member)
{
	struct software *software = member->group->software;
	struct soft_seat *seat = member->seat;
	int cancel;

	hbsi_soft_poll_end(member);
	cancel = hbsi_soft_lock(software);
	member->guess = record_of(software, seat)->joined;
	if (member->is_dead || seat_state(seat) == SEAT_TAKEN) {
		if (!member->is_dead)
			vacate(software, seat);
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
	struct software *software = member->group->software;
	struct soft_seat *seat = member->seat;
	int cancel;

	member->is_dead = true;
	hbsi_soft_poll_die(member);
	cancel = hbsi_soft_lock(software);
	if (seat_state(seat) == SEAT_TAKEN)
		hbsi_soft_bury(software, seat);
	/* in a broken group the dead keep their seats, as those whose process has died */
	get_up(member);
	hbsi_soft_unlock(software, cancel);
	hbsi_soft_poll_tell(member);
}
