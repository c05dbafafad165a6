// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <time.h>

#include "hbs.h"
#include "software/state.h"
#include "software_copy.h"
#include "stall_software.h"

static bool is_missing(const struct copy *copy, const struct soft_seat *seat, uint64_t word)
{
	uint64_t reason = (word & HBS_WORD_REASON) >> HBS_WORD_REASON_SHIFT;
	uint64_t epoch = word & ~WORD_STATUS;

	if (word & WORD_LEFT)
		return false;
	if (reason == HBS_REASON_DIED)
		return seat->state & SEAT_DEAD;
	if (reason && reason != HBS_REASON_TIMEOUT)
		return false;
	if (copy->page.told == epoch + 1)
		return seat->state & SEAT_MISSED;
	return copy_seat_state(seat) == SEAT_TAKEN && !copy_has_arrived(seat, epoch);
}

/* So long ago; 0 if that is not known */
static uint64_t ago(uint64_t then_ns)
{
	struct timespec time;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC, &time);
	now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	return then_ns < now ? now - then_ns : 0;
}

/* When the member of a seat that has arrived began to wait, if it sleeps; UINT64_MAX: it does not */
static uint64_t sleeps_since(const struct copy *copy, uint32_t number, uint64_t epoch)
{
	const struct waits *waits = copy_waits(copy, number);

	if (!waits || !waits->since_ns || waits->epoch != (uint32_t)(epoch >> HBS_WORD_EPOCH_SHIFT))
		return UINT64_MAX;
	return waits->since_ns;
}

static void take_seats(const struct copy *copy, uint64_t word, struct stall *stall)
{
	uint64_t epoch = word & ~WORD_STATUS, first = UINT64_MAX, sleeper = UINT64_MAX;

	for (uint32_t i = 0; i < copy->page.capacity; i++) {
		const struct soft_seat *seat = copy_seat(copy, i);
		bool visible = copy_is_visible(copy, seat);
		struct absent *absent;

		stall->members += copy_seat_state(seat) == SEAT_TAKEN;
		if (copy_seat_state(seat) == SEAT_TAKEN && copy_has_arrived(seat, epoch)) {
			uint64_t since = sleeps_since(copy, i, epoch);

			if (seat->arrived_ns < first)
				first = seat->arrived_ns;
			if (since < sleeper)
				sleeper = since;
		}
		if (!is_missing(copy, seat, word))
			continue;
		absent = stall_add(stall);
		absent->number = i;
		absent->dead = seat->state & SEAT_DEAD;
		absent->pid = visible ? (uint32_t)seat->pid : 0;
		absent->tid = visible ? (uint32_t)seat->tid : 0;
		absent->elsewhere = !visible;
		absent->tag = seat->tag;
	}
	/* all members note the time only if the group has a timer */
	if (copy->page.timeout_ns)
		stall->waited_ns = ago(first);
	stall->slept_ns = stall->refutable ? 0 : ago(sleeper);
}

bool stall_of_software(int fd, struct stall *stall)
{
	struct copy copy;
	uint64_t word;

	*stall = (struct stall){ .what = "software group", .unit = "seat" };
	if (!copy_take(fd, &copy))
		return false;
	word = copy_word(&copy);
	stall->refutable = copy.page.type == HBS_REFUTABLE;
	stall->seats = copy.page.members;
	stall->epoch = word >> HBS_WORD_EPOCH_SHIFT;
	stall->broken = word & HBS_WORD_BROKEN;
	stall->started = copy.page.state & STATE_STARTED;
	if (stall->broken)
		stall->reason =
			word & WORD_LEFT
				? STALL_LEFT
				: (uint32_t)((word & HBS_WORD_REASON) >> HBS_WORD_REASON_SHIFT);
	stall->timeout_ns = copy.page.timeout_ns;
	stall->expired = copy.page.told == (word & ~WORD_STATUS) + 1;
	take_seats(&copy, word, stall);
	copy_free(&copy);
	stall_look(stall, NULL);
	return true;
}

void stall_of_software_judge(struct stall *stall, const struct stall *before)
{
	stall_judge(stall, before->epoch);
	stall_look(stall, before);
}
