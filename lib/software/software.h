/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the software backend share */
#ifndef HBS_SOFTWARE_H
#define HBS_SOFTWARE_H

#include <errno.h>

#include "../internal.h"
#include "../sealed.h"
#include "../waits.h"
#include "algorithm.h"
#include "layout.h"
#include "state.h"

/* A handle of a group. Its size counts: see budget in Documentation/hbsbench.rst */
struct software {
	struct hbs_group group;
	pthread_mutex_t lock; /* for the threads of this handle */
	struct hbs_member *members_here;
	_Atomic(struct soft_poller *) poller; /* see poll.c; NULL: no member has polled */
};

_Static_assert(sizeof(struct software) <= 120, "with a handle of a member, 256 at most");

static inline struct software *soft_of(struct hbs_group *group)
{
	return (struct software *)group;
}

static inline struct soft_page *soft_page(const struct software *software)
{
	return software->group.page;
}

static inline const struct algorithm *soft_algorithm(const struct software *software)
{
	return hbsi_algorithms[software->group.algorithm];
}

/* How many seats there are: stale ones stay taken till their members have left */
static inline uint32_t soft_capacity(const struct software *software)
{
	uint32_t members = software->group.seats;

	return soft_algorithm(software)->full ? 2 * members : members;
}

static inline enum soft_seat_state seat_state(struct soft_seat *seat)
{
	return atomic_load(&seat->state) & ~SEAT_MARKS;
}

/* No code looks at seats that were never taken */
static inline uint32_t soft_used(const struct software *software)
{
	uint32_t used = atomic_load_explicit(&soft_page(software)->used, memory_order_relaxed);
	uint32_t capacity = soft_capacity(software);

	return used < capacity ? used : capacity;
}

/*
 * Seats lie in halves. The group has to fill the first half; the second has as many seats
 * again, since stale seats stay taken for a time. The kernel makes a page only when it is
 * used. In front of a half's seats lie the values of these seats if the group reduces, and
 * their reports if the algorithm is "scan".
 */
static inline bool soft_scans(const struct software *software)
{
	return software->group.algorithm == HBS_ALGORITHM_SCAN;
}

static inline uint32_t soft_half_size(const struct software *software)
{
	uint32_t each = sizeof(struct soft_seat) +
			(software->group.reduce ? sizeof(struct soft_values) : 0) +
			(soft_scans(software) ? sizeof(struct soft_report) : 0);

	return software->group.seats * each;
}

static inline struct soft_values *soft_values_of_half(const struct software *software,
						      uint32_t half)
{
	return (struct soft_values *)((char *)software->group.page + SOFT_SEATS +
				      (size_t)half * soft_half_size(software));
}

static inline struct soft_report *soft_reports_of_half(const struct software *software,
						       uint32_t half)
{
	struct soft_values *values = soft_values_of_half(software, half);

	return (struct soft_report *)(values +
				      (software->group.reduce ? software->group.seats : 0));
}

static inline struct soft_seat *soft_seats_of_half(const struct software *software, uint32_t half)
{
	struct soft_report *reports = soft_reports_of_half(software, half);

	return (struct soft_seat *)(reports + (soft_scans(software) ? software->group.seats : 0));
}

static inline struct soft_seat *soft_seat(const struct software *software, uint32_t number)
{
	uint32_t half = number >= software->group.seats;

	return soft_seats_of_half(software, half) + (number - half * software->group.seats);
}

/* Only in a group that reduces */
static inline struct soft_values *soft_values(const struct software *software, uint32_t number)
{
	uint32_t half = number >= software->group.seats;

	return soft_values_of_half(software, half) + (number - half * software->group.seats);
}

/* Only if the algorithm is "scan" */
static inline struct soft_report *soft_report(const struct software *software, uint32_t number)
{
	uint32_t half = number >= software->group.seats;

	return soft_reports_of_half(software, half) + (number - half * software->group.seats);
}

static inline uint32_t soft_seat_number(const struct software *software, struct soft_seat *seat)
{
	uint32_t half = seat >= soft_seats_of_half(software, 1);

	return (uint32_t)(seat - soft_seats_of_half(software, half)) + half * software->group.seats;
}

/* If the algorithm is not full, there is one half, and this behind it */
static inline void *soft_algorithm_memory(const struct software *software)
{
	return soft_seats_of_half(software, 0) + software->group.seats;
}

static inline struct waits *soft_waits(const struct software *software, uint32_t number)
{
	char *end = (char *)software->group.page + software->group.map_size;

	return (struct waits *)end - soft_capacity(software) + number;
}

/* How many barriers its member has arrived at */
static inline uint64_t soft_arrivals(struct soft_seat *seat)
{
	return (atomic_load(&seat->arrived) - seat->joined) >> HBS_WORD_EPOCH_SHIFT;
}

/*
 * lock.c: what only one thread of all processes does at a time. If the last holder died in
 * it, the new one makes the state anew first.
 */
int hbsi_soft_lock(struct software *software);
/* @cancel: what hbsi_soft_lock() returned */
void hbsi_soft_unlock(struct software *software, int cancel);
/* A seat is alive as long as its member's process has it locked. */
int hbsi_soft_guard_seat(struct software *software, uint32_t seat);
void hbsi_soft_unguard_seat(struct software *software, uint32_t seat);
/* Not for a seat of this handle, which has them all */
bool hbsi_soft_seat_is_dead(struct software *software, uint32_t seat);

/*
 * recount.c: making the state anew from the seats; the caller has the lock. No arrival is
 * counted between the two.
 */
uint64_t hbsi_soft_freeze(struct software *software);
/* 0, or the reason to break the group with */
void hbsi_soft_recount(struct software *software, uint64_t reason);
/* The time for the barrier of @word is over: that breaks the group if the barrier is not over. */
void hbsi_soft_time_out(struct software *software, uint64_t word);
/* The word of the barrier in progress, with the status of the group */
uint64_t hbsi_soft_word(struct software *software);
/* Remember who has not arrived at the barrier of @word. */
void hbsi_soft_tell_missing(struct software *software, uint64_t word);

/* barrier.c: a member takes note of the state, and goes on from it */
void hbsi_soft_see(struct hbs_member *member, uint64_t state);
/*
 * What all ways to arrive have in common. The first brings along what the seat says besides
 * the arrival. The second takes what the arrival returned: 0, 1 if it has begun the next epoch,
 * or an error; it returns 0 or the error.
 */
void hbsi_soft_before_arrival(struct hbs_member *member, uint64_t value);
int hbsi_soft_after_arrival(struct hbs_member *member, int ret);
/*
 * Arrive at a counter under the lock. Return: 0; 1 if the next epoch has begun by that or, in
 * a refutable group, all have arrived; or an error.
 */
int hbsi_soft_arrive_slowly(struct hbs_member *member);
/* The error of a member whose group was reset, or that died */
int hbsi_soft_seat_error(struct soft_seat *seat);
/*
 * Whether the state is still what the member has taken note of, but for arrivals. If it is
 * not, members have come or gone (perhaps so often that the state looks the same), the group is
 * broken, or a barrier is over.
 */
static inline bool soft_state_is_known(const struct hbs_member *member, uint64_t state)
{
	return state_rest(state) == state_rest(member->guess) &&
	       atomic_load_explicit(&member->page->recounts, memory_order_relaxed) ==
		       member->recounts;
}

/* What a look at all members of a refutable group says: they are idle, and nothing is in flight */
struct soft_verdict {
	bool over;
	bool overflow;	    /* more messages are in flight than the group can count */
	uint64_t votes;	    /* HBS_WORD_VOTE bits */
	uint32_t votes_for; /* with a counter: so many members vote true */
};

/* idle.c: refutable groups */
/* With a counter: nobody arrives meanwhile, all members are idle, and there are so many of them. */
struct soft_verdict hbsi_soft_idle_verdict(struct software *software, uint32_t members);
/* The epoch is over by that verdict, and the state says so: its votes no longer count. */
void hbsi_soft_idle_forget(struct software *software, uint16_t resets, struct soft_verdict verdict);
/* A member leaves, which may be idle; the caller has the lock. */
void hbsi_soft_idle_leave(struct hbs_member *member);
/* More messages are in flight than the group can count: break it. */
void hbsi_soft_overflow(struct software *software);
/* How many messages are in flight, and how often members have withdrawn; the caller has the lock. */
int64_t hbsi_soft_in_flight(struct software *software);
uint64_t hbsi_soft_withdrawals(struct software *software);
/* The counts of a group that is being reset, and how many resets they have seen */
void hbsi_soft_idle_reset(struct software *software);
uint16_t hbsi_soft_resets(struct software *software);

/* scan.c: 0 if it has arrived, 1 if the barrier is over by that, or an error */
int hbsi_soft_scan_arrive(struct hbs_member *member);
int hbsi_soft_scan_idle(struct hbs_member *member, int64_t delta, bool vote);
/* 0 if it has withdrawn, 1 if the epoch is over, or an error */
int hbsi_soft_scan_withdraw(struct hbs_member *member);
/* Whether all members have arrived at the barrier of @word, and what they say */
struct soft_verdict hbsi_soft_scan(struct software *software, uint64_t word, uint32_t *from);
/* A new member of a seat; the caller has the lock, and the state is frozen. */
void hbsi_soft_scan_sit_down(struct software *software, uint32_t number);

/* bell.c: sleep */
void hbsi_soft_ring(struct soft_page *page);
/* Wake one member, by its seat's number; any number does no harm. */
int hbsi_soft_number(struct hbs_member *member);
void hbsi_soft_wake(struct hbs_group *group, uint32_t number);
/*
 * After this, the caller sees what other CPUs stored before they load anything more. A
 * caller needs it if it has stored first and then looks at what members, without a fence,
 * store and load in the opposite order.
 */
void hbsi_soft_fence_others(struct software *software);
/* Sleep until the bell rings or the moment @until comes, unless the member departs first. */
int hbsi_soft_sleep(struct hbs_member *member, uint64_t until);
/*
 * The parts of it. The first returns the state of the bell, and says whether others may
 * not see the sleeper yet (@unsure). Look once more; nap; if that says so, look again, and nap
 * without being unsure; and rise. They act in the name of a seat, so that others know who
 * died asleep. @bits: those of the members that a nap is for; hbsi_soft_ring() wakes all.
 */
uint64_t hbsi_soft_lie_down(struct software *software, struct soft_seat *seat, bool *unsure);
bool hbsi_soft_nap(struct soft_page *page, uint64_t bell, uint64_t until, bool unsure,
		   uint32_t bits);
void hbsi_soft_rise(struct software *software, struct soft_seat *seat);
/* No member has the seat any more, but one may have died asleep; the caller has the lock. */
void hbsi_soft_wake_dead(struct software *software, struct soft_seat *seat);

static inline void soft_ring_sleepers(struct soft_page *page)
{
	if (__builtin_expect(atomic_load(&page->sleepers), 0))
		hbsi_soft_ring(page);
}

/* duties.c: what waiting members do for the group */
/* When the first of those that have arrived at the barrier of @word did; UINT64_MAX if none has */
uint64_t hbsi_soft_first_arrival(struct software *software, uint64_t word);
/*
 * For a member that waits for the barrier of @word: the next moment at which there is something
 * to do, DEADLINE_NEVER if there is nothing
 */
uint64_t hbsi_soft_next_duty(struct software *software, uint64_t word);
/* A seat whose member has died; the caller has the lock. */
void hbsi_soft_bury(struct software *software, struct soft_seat *seat);
/* Bury all members that have died; the caller has the lock. */
void hbsi_soft_find_dead(struct software *software);

/* seats.c: the namespace in which process numbers mean something; 0 if it is not known */
uint32_t hbsi_soft_pid_namespace(void);

/* values.c: the result of the barrier before @over, 0 without values; the caller has the lock. */
uint64_t hbsi_soft_reduce(struct software *software, uint64_t over);
/* A member gives up a seat: what it brought stays; the caller has the lock. */
void hbsi_soft_give_up_seat(struct software *software, struct soft_seat *seat);
/* Finish what the last holder of the lock has left undone of that */
void hbsi_soft_finish_leaving(struct software *software);

/*
 * Tell all that wait at @word that it is over, with these votes if the group is refutable; it has
 * been the last word for nobody yet
 */
static inline void soft_release(struct soft_page *page, uint64_t word, uint64_t votes)
{
	uint64_t over = word + HBS_WORD_EPOCH_ONE;

	atomic_store_explicit(&page->release[word >> HBS_WORD_EPOCH_SHIFT & 1].word, over | votes,
			      memory_order_release);
}

/* The whole word is noted once in so many epochs: far fewer than a state can tell apart */
#define RECENT_EPOCHS (0x0fffffffULL << HBS_WORD_EPOCH_SHIFT)

/* This member has completed the barrier at which it arrived */
static inline void soft_complete(struct hbs_member *member)
{
	struct soft_page *page = member->page;
	uint64_t over = member->word + HBS_WORD_EPOCH_ONE;

	if (member->release_line)
		soft_release(page, member->word, state_votes(member->guess));
	if (__builtin_expect(!(over & RECENT_EPOCHS), 0))
		atomic_store(&page->recent, over);
	soft_ring_sleepers(page);
}

#endif /* HBS_SOFTWARE_H */
