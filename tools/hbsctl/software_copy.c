// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hbs.h"
#include "memory.h"
#include "software/algorithm.h"
#include "software/state.h"
#include "software_copy.h"

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
	       SOFT_SEATS + copy->halves * copy->half_size +
			       page->capacity * sizeof(struct waits) <=
		       size;
}

static uint32_t own_pid_namespace(void)
{
	struct stat is;

	return stat("/proc/self/ns/pid", &is) ? 0 : (uint32_t)is.st_ino;
}

bool copy_take(int fd, struct copy *copy)
{
	size_t waits_size;
	struct stat is;

	if (fstat(fd, &is) || is.st_size < SOFT_SEATS ||
	    !read_all(fd, &copy->page, sizeof(copy->page), 0) ||
	    !is_sound(copy, (size_t)is.st_size))
		return false;
	copy->here = own_pid_namespace();
	/* whole lines, for the alignment of the seats */
	copy->memory = aligned_alloc(SOFT_LINE, copy->halves * copy->half_size);
	waits_size = copy->page.capacity * sizeof(*copy->waits);
	copy->waits = aligned_alloc(WAITS_SIZE, waits_size);
	if (!copy->memory || !copy->waits)
		memory_none();
	if (read_all(fd, copy->memory, copy->halves * copy->half_size, SOFT_SEATS) &&
	    read_all(fd, copy->waits, waits_size, (size_t)is.st_size - waits_size))
		return true;
	copy_free(copy);
	return false;
}

void copy_free(struct copy *copy)
{
	free(copy->memory);
	free(copy->waits);
}

struct soft_seat *copy_seat(const struct copy *copy, uint32_t number)
{
	uint32_t half = number / copy->page.members;
	char *seats = copy->memory + half * copy->half_size + copy->seats_at;

	return (struct soft_seat *)seats + number % copy->page.members;
}

uint32_t copy_seat_state(const struct soft_seat *seat)
{
	return seat->state & ~SEAT_MARKS;
}

bool copy_has_arrived(const struct soft_seat *seat, uint64_t word)
{
	return (int64_t)(seat->arrived - word) > 0;
}

uint64_t copy_word(const struct copy *copy)
{
	uint64_t state = copy->page.state;
	uint64_t word = state_word(state, copy->page.recent);
	bool any = false;

	if (copy->full || !(state & STATE_STARTED) || state & STATE_BROKEN)
		return word | state_status(state);
	for (uint32_t i = 0; i < copy->page.capacity; i++) {
		const struct soft_seat *seat = copy_seat(copy, i);

		if (copy_seat_state(seat) != SEAT_TAKEN)
			continue;
		if (!any || (int64_t)(seat->arrived - word) < 0)
			word = seat->arrived;
		any = true;
	}
	return word;
}

const struct waits *copy_waits(const struct copy *copy, uint32_t number)
{
	const struct waits *waits = &copy->waits[number];

	return waits->joined == copy_seat(copy, number)->joined ? waits : NULL;
}

bool copy_is_visible(const struct copy *copy, const struct soft_seat *seat)
{
	return seat->pid_namespace == copy->here && seat->pid > 0 && seat->tid > 0;
}
