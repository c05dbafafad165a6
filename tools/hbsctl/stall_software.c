// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hbs.h"
#include "memory.h"
#include "software/algorithm.h"
#include "software/layout.h"
#include "software/state.h"
#include "stall_software.h"

#define WORD_STATUS 0xffffULL

/**
 * struct copy - a copy of the file
 * @page: its first page
 * @full: the state alone says what epoch it is
 * @halves: of the seats
 * @half_size: bytes of one
 * @seats_at: where the seats are in a half
 * @memory: both halves
 */
struct copy {
	_Alignas(SOFT_LINE) struct soft_page page;
	bool full;
	uint32_t halves;
	size_t half_size;
	size_t seats_at;
	char *memory;
};

static bool read_all(int fd, void *to, size_t size, size_t from)
{
	char *at = to;

	while (size) {
		ssize_t count = pread(fd, at, size, (off_t)from);

		if (count <= 0)
			return false;
		at += count;
		from += (size_t)count;
		size -= (size_t)count;
	}
	return true;
}

/* What the library would refuse, too */
static bool is_sound(struct copy *copy, size_t size)
{
	const struct soft_page *page = &copy->page;
	const struct algorithm *algorithm;
	bool scans = page->algorithm == HBS_ALGORITHM_SCAN;

	if (page->magic != SOFT_MAGIC || page->version != SOFT_VERSION || !page->members ||
	    page->members > UINT16_MAX || page->reduce > HBS_VOTE || page->type > HBS_REFUTABLE)
		return false;
	algorithm = hbsi_algorithm(page->algorithm);
	if (!algorithm)
		return false;
	copy->full = algorithm->full;
	copy->halves = copy->full ? 2 : 1;
	copy->seats_at = page->members * ((page->reduce ? sizeof(struct soft_values) : 0) +
					  (scans ? sizeof(struct soft_report) : 0));
	copy->half_size = copy->seats_at + page->members * sizeof(struct soft_seat);
	return page->capacity == copy->halves * page->members &&
	       SOFT_SEATS + copy->halves * copy->half_size <= size;
}

static bool take_copy(int fd, struct copy *copy)
{
	struct stat is;

	if (fstat(fd, &is) || is.st_size < SOFT_SEATS ||
	    !read_all(fd, &copy->page, sizeof(copy->page), 0) ||
	    !is_sound(copy, (size_t)is.st_size))
		return false;
	/* whole lines, for the alignment of the seats */
	copy->memory = aligned_alloc(SOFT_LINE, copy->halves * copy->half_size);
	if (!copy->memory)
		memory_none();
	if (read_all(fd, copy->memory, copy->halves * copy->half_size, SOFT_SEATS))
		return true;
	free(copy->memory);
	return false;
}

static struct soft_seat *seat_at(const struct copy *copy, uint32_t number)
{
	uint32_t half = number / copy->page.members;
	char *seats = copy->memory + half * copy->half_size + copy->seats_at;

	return (struct soft_seat *)seats + number % copy->page.members;
}

static uint32_t state_of(const struct soft_seat *seat)
{
	return seat->state & ~SEAT_MARKS;
}

static bool has_arrived(const struct soft_seat *seat, uint64_t word)
{
	return (int64_t)(seat->arrived - word) > 0;
}

/* The word of the barrier in progress, with its status, as the library finds it */
static uint64_t word_of(const struct copy *copy)
{
	uint64_t state = copy->page.state;
	uint64_t word = state_word(state, copy->page.recent);
	bool any = false;

	if (copy->full || !(state & STATE_STARTED) || state & STATE_BROKEN)
		return word | state_status(state);
	for (uint32_t i = 0; i < copy->page.capacity; i++) {
		const struct soft_seat *seat = seat_at(copy, i);

		if (state_of(seat) != SEAT_TAKEN)
			continue;
		if (!any || (int64_t)(seat->arrived - word) < 0)
			word = seat->arrived;
		any = true;
	}
	return word;
}

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
	return state_of(seat) == SEAT_TAKEN && !has_arrived(seat, epoch);
}

static uint32_t own_pid_namespace(void)
{
	struct stat is;

	return stat("/proc/self/ns/pid", &is) ? 0 : (uint32_t)is.st_ino;
}

static void take_seats(const struct copy *copy, uint64_t word, struct stall *stall)
{
	uint32_t here = own_pid_namespace();
	uint64_t first = UINT64_MAX, now;
	struct timespec time;

	for (uint32_t i = 0; i < copy->page.capacity; i++) {
		const struct soft_seat *seat = seat_at(copy, i);
		bool visible = seat->pid_namespace == here && seat->pid > 0 && seat->tid > 0;
		struct absent *absent;

		stall->members += state_of(seat) == SEAT_TAKEN;
		if (state_of(seat) == SEAT_TAKEN && has_arrived(seat, word & ~WORD_STATUS) &&
		    seat->arrived_ns < first)
			first = seat->arrived_ns;
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
	/* members note the time only if the group has a timer */
	clock_gettime(CLOCK_MONOTONIC, &time);
	now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	if (copy->page.timeout_ns && first < now)
		stall->waited_ns = now - first;
}

bool stall_of_software(int fd, struct stall *stall)
{
	struct copy copy;
	uint64_t word;

	*stall = (struct stall){ .what = "software group", .unit = "seat" };
	if (!take_copy(fd, &copy))
		return false;
	word = word_of(&copy);
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
	free(copy.memory);
	stall_look(stall, NULL);
	return true;
}

void stall_of_software_judge(struct stall *stall, const struct stall *before)
{
	stall_judge(stall, before->epoch);
	stall_look(stall, before);
}
