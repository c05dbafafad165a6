/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of a software group's memory file. Who wrote the file may be anybody: all of it is
 * numbers, and nothing in it says how much is read.
 */
#ifndef HBSCTL_SOFTWARE_COPY_H
#define HBSCTL_SOFTWARE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "software/layout.h"
#include "waits.h"

/* The status bits of an epoch word */
#define WORD_STATUS 0xffffULL

/**
 * struct copy - a copy of the file
 * @page: its first page
 * @full: the state alone says what epoch it is
 * @halves: of the seats
 * @half_size: bytes of one
 * @seats_at: where the seats are in a half
 * @memory: both halves
 * @waits: what the waits of each seat's member were like
 * @here: the PID namespace of this program; 0 if it is not known
 */
struct copy {
	_Alignas(SOFT_LINE) struct soft_page page;
	bool full;
	uint32_t halves;
	size_t half_size;
	size_t seats_at;
	char *memory;
	struct waits *waits;
	uint32_t here;
};

/* Return: whether the file is a group that this program knows; then copy_free() has to follow. */
bool copy_take(int fd, struct copy *copy);
void copy_free(struct copy *copy);

struct soft_seat *copy_seat(const struct copy *copy, uint32_t number);

/* enum soft_seat_state */
uint32_t copy_seat_state(const struct soft_seat *seat);

/* Whether its member has arrived at the barrier of @word */
bool copy_has_arrived(const struct soft_seat *seat, uint64_t word);

/* What the waits of a seat's member were like; NULL: it has not had a long one */
const struct waits *copy_waits(const struct copy *copy, uint32_t number);

/* Whether the seat's process and thread can be seen from here */
bool copy_is_visible(const struct copy *copy, const struct soft_seat *seat);

/* The word of the barrier in progress, with its status, as the library finds it */
uint64_t copy_word(const struct copy *copy);

#endif /* HBSCTL_SOFTWARE_COPY_H */
