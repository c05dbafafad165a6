/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state word of a group: all that decides whether a barrier is over.
 *
 *	15:0	members that have arrived
 *	45:16	the epoch in progress, where the epoch word has it, which has 48 bits
 *	47:46	a refutable group: the votes of the last epoch
 *	48	broken; 51:49 why
 *	52	frozen: its holder of the lock makes it anew from the seats
 *	53	started: all seats have been taken
 *	63:54	recounts: one more each time that the state is made anew
 *
 * With an algorithm that is full, an arrival is one compare-and-swap of the state, and the
 * last arrival begins the next epoch. So either all members see a barrier as over or none
 * does, whatever breaks the group meanwhile. "expected" beside it says how many arrivals it
 * takes, and only a recount changes that: a member that saw the same number of recounts
 * knows how many.
 *
 * With another algorithm only the flags count, until the group is broken: then the epoch is
 * that of the first barrier that, by the seats, not all have arrived at.
 *
 * A member that stores its arrival to its seat, and then finds the state frozen, or
 * recounted since it last looked, cannot know whether its arrival was counted; the seat
 * says so, under the lock.
 */
#ifndef HBS_SOFTWARE_STATE_H
#define HBS_SOFTWARE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/hbs.h>

#define STATE_ARRIVED	   0xffffULL
#define STATE_EPOCH	   0x3fffffff0000ULL
#define STATE_VOTES_SHIFT  38 /* from HBS_WORD_VOTE_ALL and HBS_WORD_VOTE_ANY */
#define STATE_VOTES	   ((HBS_WORD_VOTE_ALL | HBS_WORD_VOTE_ANY) << STATE_VOTES_SHIFT)
#define STATE_BROKEN	   (1ULL << 48)
#define STATE_REASON_SHIFT 49
#define STATE_REASON	   (7ULL << STATE_REASON_SHIFT)
#define STATE_FROZEN	   (1ULL << 52)
#define STATE_STARTED	   (1ULL << 53)
#define STATE_RECOUNT	   (1ULL << 54)

/*
 * Why a group is broken, besides a card's reasons: a member left, and the algorithm
 * needs all. In the state it has the number of a reason that software never has; the epoch
 * word has a bit for it that no card sets.
 */
#define REASON_LEFT ((uint64_t)HBS_REASON_GONE)
#define WORD_LEFT   0x8000ULL

static inline uint64_t state_arrived(uint64_t state)
{
	return state & STATE_ARRIVED;
}

/* HBS_WORD_VOTE bits */
static inline uint64_t state_votes(uint64_t state)
{
	return (state & STATE_VOTES) >> STATE_VOTES_SHIFT;
}

/* What decides whether it is still the same barrier */
static inline uint64_t state_rest(uint64_t state)
{
	return state & ~(STATE_ARRIVED | STATE_VOTES);
}

/* The state in which the next epoch begins */
static inline uint64_t state_next(uint64_t state)
{
	return (state & ~(STATE_ARRIVED | STATE_EPOCH | STATE_VOTES)) |
	       ((state + HBS_WORD_EPOCH_ONE) & STATE_EPOCH);
}

/* The same, for a refutable group: the epoch before had these votes */
static inline uint64_t state_next_voted(uint64_t state, uint64_t votes)
{
	return state_next(state) | votes << STATE_VOTES_SHIFT;
}

/* How many epochs lie between that of a whole word and that of a state: few, in either direction */
static inline int32_t state_ahead(uint64_t state, uint64_t word)
{
	uint32_t ahead =
		(uint32_t)((state >> HBS_WORD_EPOCH_SHIFT) - (word >> HBS_WORD_EPOCH_SHIFT));

	/* of 30 bits */
	return (int32_t)(ahead << 2) >> 2;
}

/* The whole word of a state, from one that was its word not long ago */
static inline uint64_t state_word(uint64_t state, uint64_t recent)
{
	return recent + (uint64_t)(int64_t)state_ahead(state, recent) * HBS_WORD_EPOCH_ONE;
}

/* Whether a member that the algorithm needs has left */
static inline bool state_is_left(uint64_t state)
{
	return state & STATE_BROKEN && (state & STATE_REASON) >> STATE_REASON_SHIFT == REASON_LEFT;
}

/* The status of a broken group, as in the epoch word */
static inline uint64_t state_status(uint64_t state)
{
	uint64_t reason = (state & STATE_REASON) >> STATE_REASON_SHIFT;

	if (!(state & STATE_BROKEN))
		return 0;
	if (reason == REASON_LEFT)
		return HBS_WORD_BROKEN | WORD_LEFT;
	return HBS_WORD_BROKEN | reason << HBS_WORD_REASON_SHIFT;
}

#endif /* HBS_SOFTWARE_STATE_H */
