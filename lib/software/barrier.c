// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Arriving and departing in software: the paths that a barrier takes.
 *
 * Where an algorithm is full, the state word decides. A member keeps the state that it
 * departed by, and guesses that it has not changed: its arrival is then one
 * compare-and-swap, without a load that misses first, and if the guess is wrong, that
 * brings the state along. Waiters look at the state itself: the swap that completes a
 * barrier releases them too, and no second line has to travel.
 *
 * Where it is not full, the algorithm says when all have arrived; only then does a member look
 * at the flags of the state. A member that finds them raised asks under the lock what has
 * become of the barrier: it is over for all if the seats said so to the thread that broke the
 * group. Arrivals that a member has seen, and its own, may still be on their way to others: in
 * a store buffer (x86), or because a store reaches one CPU before another (POWER). So the
 * thread that raises the flags makes all CPUs pass a fence before it reads the seats
 * (recount.c). The seats then have all stores from before the fence. A member that has seen a
 * store from after the fence finds the flags raised, since it acquires an arrival before it
 * looks at the state. So a barrier needs no fence for it, on any CPU: see
 * tests/models/breaks.pml.
 */
#define _GNU_SOURCE
#include "../deadline.h"
#include "../monitor.h"
#include "../spin.h"
#include "../ticks.h"
#include "../waits.h"
#include "software.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The member has arrived, and by that the barrier is over */
#define LAST 1

/* How often a spin looks at the release line before it looks at the state, where all arrive */
#define LOOKS_AT_LINE 4096

/* More arrivals than 16 bits can count: no barrier completes */
#define NEVER_EXPECTED UINT32_MAX

void hbsi_soft_see(struct hbs_member *member, uint64_t state)
{
	struct soft_page *page = member->page;
	uint64_t again = state;
	uint32_t expected;

	do {
		state = again;
		member->recounts = atomic_load(&page->recounts);
		expected = atomic_load(&page->expected);
		again = atomic_load(&page->state);
	} while ((state ^ again) / STATE_RECOUNT);
	member->expected = state & STATE_STARTED ? expected : NEVER_EXPECTED;
	/* so that no guess is right while the state is frozen or the group is broken */
	member->guess = again & ~(STATE_FROZEN | STATE_BROKEN | STATE_REASON);
}

/* For a member that has a turn */
static inline const struct algorithm *algorithm_of(const struct hbs_member *member)
{
	return soft_algorithm(soft_of(member->group));
}

int hbsi_soft_seat_error(struct soft_seat *seat)
{
	return seat_state(seat) == SEAT_STALE ? -ECONNRESET : -EOWNERDEAD;
}

/* In a refutable group, that the last member has arrived ends nothing by itself */
static inline uint64_t state_after(const struct hbs_member *member, uint64_t state)
{
	bool last = state_arrived(state) + 1 == member->expected;

	return last && member->group->type != HBS_REFUTABLE ? state_next(state) : state + 1;
}

/* The lock is held: nobody makes the state anew, but others arrive */
static int arrive_locked(struct hbs_member *member)
{
	struct soft_page *page = member->page;
	struct soft_seat *seat = member->seat;
	uint64_t over = member->word + HBS_WORD_EPOCH_ONE;
	uint64_t state = atomic_load(&page->state);
	uint64_t new;

	/*
	 * the thread that made the state anew did this, perhaps to break or to reset the group
	 * then
	 */
	if (seat->counted == over) {
		hbsi_soft_see(member, state);
		return 0;
	}
	if (seat_state(seat) != SEAT_TAKEN) {
		atomic_store(&seat->arrived, member->word);
		return hbsi_soft_seat_error(seat);
	}
	do {
		if (state & STATE_BROKEN) {
			/* it has not arrived, for calls that ask who is missing */
			atomic_store(&seat->arrived, member->word);
			return hbsi_word_error(state_status(state));
		}
		hbsi_soft_see(member, state);
		new = state_after(member, state);
	} while (!atomic_compare_exchange_weak(&page->state, &state, new));
	seat->counted = over;
	member->guess = new;
	return !state_arrived(new) || state_arrived(new) == member->expected ? LAST : 0;
}

__attribute__((noinline)) int hbsi_soft_arrive_slowly(struct hbs_member *member)
{
	struct software *software = soft_of(member->group);
	int cancel = hbsi_soft_lock(software);
	int ret = arrive_locked(member);

	hbsi_soft_unlock(software, cancel);
	return ret;
}

/* 0, LAST, or an error */
static inline int arrive_full(struct hbs_member *member)
{
	struct soft_page *page = member->page;
	uint64_t old = member->guess;
	uint64_t new;
	bool last;

	atomic_store_explicit(&member->seat->arrived, member->word + HBS_WORD_EPOCH_ONE,
			      memory_order_release);
	do {
		if (unlikely(!soft_state_is_known(member, old)))
			return hbsi_soft_arrive_slowly(member);
		last = state_arrived(old) + 1 == member->expected;
		new = last ? state_next(old) : old + 1;
	} while (!atomic_compare_exchange_weak(&page->state, &old, new));
	member->guess = new;
	return last ? LAST : 0;
}

static int arrive_fixed(struct hbs_member *member)
{
	struct soft_page *page = member->page;
	struct algorithm_member *turn = &member->turn;
	uint64_t state = atomic_load(&page->state);

	if (unlikely(state & STATE_BROKEN))
		return hbsi_word_error(state_status(state));
	turn->epoch++;
	member->all_arrived = false;
	atomic_store_explicit(&member->seat->arrived, member->word + HBS_WORD_EPOCH_ONE,
			      memory_order_release);
	algorithm_of(member)->arrive(turn);
	soft_ring_sleepers(page);
	return 0;
}

/*
 * When a member arrives. Where members withdraw, the first one may do so while others are idle,
 * and its time goes on: each one has the time of the first.
 */
static uint64_t arrival_time(struct hbs_member *member)
{
	uint64_t now = hbsi_clock_ns();
	uint64_t first;

	if (member->group->type != HBS_REFUTABLE)
		return now;
	first = hbsi_soft_first_arrival(soft_of(member->group), member->word);
	return first < now ? first : now;
}

/* What its seat says besides the arrival: a value, and when */
static void bring_along(struct hbs_member *member, uint64_t value)
{
	if (member->group->reduce) {
		struct soft_values *values =
			soft_values(soft_of(member->group), member->seat_number);
		struct soft_value *slot = &values->of[member->word >> HBS_WORD_EPOCH_SHIFT & 1];

		atomic_store_explicit(&slot->value, value, memory_order_relaxed);
		atomic_store_explicit(&slot->word, member->word + HBS_WORD_EPOCH_ONE,
				      memory_order_relaxed);
	}
	if (member->page->timeout_ns)
		atomic_store_explicit(&member->seat->arrived_ns, arrival_time(member),
				      memory_order_relaxed);
}

/* If nobody waits, the last member to arrive is the first to find that it is too late */
static bool may_complete(struct hbs_member *member)
{
	return member->scans ||
	       (!member->has_turn &&
		state_arrived(atomic_load(&member->page->state)) + 1 >= member->expected);
}

/* Whether it may be the first one to arrive, where nothing else wakes sleepers then */
static bool may_be_first(struct hbs_member *member)
{
	return member->scans || (!member->has_turn && state_arrived(member->guess) == 1);
}

void hbsi_soft_before_arrival(struct hbs_member *member, uint64_t value)
{
	if (member->page->timeout_ns && may_complete(member))
		hbsi_soft_do_duties(member->group, member->word);
	bring_along(member, value);
}

int hbsi_soft_after_arrival(struct hbs_member *member, int ret)
{
	if (ret == LAST) {
		soft_complete(member);
		member->all_arrived = true;
		return 0;
	}
	if (ret < 0)
		member->arrived = ret;
	/* time begins to run: only pollers can be asleep before that, and have to know */
	else if (member->page->timeout_ns && may_be_first(member))
		soft_ring_sleepers(member->page);
	return ret;
}

/* 0, LAST, or an error */
static int arrive(struct hbs_member *member)
{
	if (member->has_turn)
		return arrive_fixed(member);
	return member->scans ? hbsi_soft_scan_arrive(member) : arrive_full(member);
}

int hbsi_soft_arrive(struct hbs_member *member, uint64_t value)
{
	int ret;

	hbsi_soft_before_arrival(member, value);
	ret = arrive(member);
	return hbsi_soft_after_arrival(member, ret);
}

/* Depart from the barrier that is over, if the completion function lets the member */
static inline int pass(struct hbs_member *member)
{
	struct completion *completion = member->group->completion;
	uint64_t over = member->word + HBS_WORD_EPOCH_ONE;

	if (unlikely(completion) && !hbsi_completion_done(completion, over))
		return HBSI_IN_COMPLETION;
	member->word = over;
	member->arrived = 0;
	member->all_arrived = false;
	return 0;
}

/* The group was reset: the seat knows what became of the barrier */
static int depart_stale(struct hbs_member *member)
{
	struct software *software = soft_of(member->group);
	struct soft_seat *seat = member->seat;
	int cancel = hbsi_soft_lock(software);
	int ret = hbsi_soft_seat_error(seat);

	if (ret == -ECONNRESET && (int64_t)(seat->joined - member->word) > 0)
		ret = 0;
	hbsi_soft_unlock(software, cancel);
	return ret;
}

static int depart_slowly(struct hbs_member *member, uint64_t state)
{
	int32_t ahead = state_ahead(state, member->word);
	int ret;

	if (!ahead && !(state & STATE_BROKEN))
		return HBSI_PENDING;
	if (ahead == 1) {
		ret = pass(member);
		if (!ret)
			hbsi_soft_see(member, state);
		return ret;
	}
	ret = ahead ? depart_stale(member) : hbsi_word_error(state_status(state));
	if (!ret)
		return pass(member);
	member->arrived = ret;
	return ret;
}

static inline int depart_full(struct hbs_member *member, uint64_t state)
{
	int ret;

	if (state_rest(state) == state_rest(member->guess) && !state_ahead(state, member->word))
		return HBSI_PENDING;
	if (unlikely(state_rest(state) != state_rest(state_next(member->guess)) ||
		     state_ahead(state, member->word) != 1))
		return depart_slowly(member, state);
	ret = pass(member);
	if (!ret)
		member->guess = state;
	return ret;
}

/* The flags are raised: once the lock is free, the state says what was over */
static int depart_flagged(struct hbs_member *member)
{
	struct software *software = soft_of(member->group);
	int cancel = hbsi_soft_lock(software);
	uint64_t state = atomic_load(&member->page->state);

	hbsi_soft_unlock(software, cancel);
	if (!(state & STATE_BROKEN))
		return member->all_arrived ? pass(member) : HBSI_PENDING;
	if (state_ahead(state, member->word) > 0)
		return pass(member);
	member->arrived = hbsi_word_error(state_status(state));
	return member->arrived;
}

static int depart_fixed(struct hbs_member *member)
{
	struct soft_page *page = member->page;
	struct algorithm_member *turn = &member->turn;
	uint32_t step = turn->step;
	uint64_t state;

	if (!member->all_arrived) {
		member->all_arrived = algorithm_of(member)->over(turn);
		if (member->all_arrived || turn->step != step)
			soft_ring_sleepers(page);
	}
	state = atomic_load(&page->state);
	if (unlikely(state & STATE_BROKEN || (state & STATE_FROZEN && member->all_arrived)))
		return depart_flagged(member);
	return member->all_arrived ? pass(member) : HBSI_PENDING;
}

int hbsi_soft_depart(struct hbs_member *member)
{
	if (member->has_turn)
		return depart_fixed(member);
	/* it has begun the next epoch itself, and has a state of that */
	if (member->all_arrived)
		return pass(member);
	return depart_full(member, atomic_load(&member->page->state));
}

static inline bool is_not_over(int ret)
{
	return ret == HBSI_PENDING || ret == HBSI_IN_COMPLETION;
}

/* A member that only looks, again and again, does the same for the group as one that waits */
int hbsi_soft_test(struct hbs_member *member)
{
	int ret = hbsi_soft_depart(member);

	if (ret != HBSI_PENDING)
		return ret;
	hbsi_soft_do_duties(member->group, member->word);
	return hbsi_soft_depart(member);
}

/* Look at the release line alone, and guess the state */
static inline int depart_released(struct hbs_member *member)
{
	struct soft_page *page = member->page;
	uint64_t generation = member->word >> HBS_WORD_EPOCH_SHIFT & 1;
	uint64_t word = atomic_load_explicit(&page->release[generation].word, memory_order_acquire);
	int ret;

	if ((word & ~WORD_STATUS) != member->word + HBS_WORD_EPOCH_ONE)
		return HBSI_PENDING;
	ret = pass(member);
	/* unless it knows the new state already: whoever made the state anew ended the barrier */
	if (!ret && state_ahead(member->guess, member->word))
		member->guess = state_next_voted(member->guess, word & WORD_STATUS);
	return ret;
}

/* A waiting member that is awake */
struct waiter {
	struct hbs_member *member;
	uint32_t looks;
};

/* Only the state says that the group is broken, and a member may stay awake for long */
static inline int look(void *arg)
{
	struct waiter *waiter = arg;
	struct hbs_member *member = waiter->member;

	if (member->release_line && ++waiter->looks % LOOKS_AT_LINE)
		return depart_released(member);
	return hbsi_soft_depart(member);
}

/* A line that changes when all have arrived, or when the algorithm can take one more step */
static const void *line_of(const struct hbs_member *member)
{
	struct soft_page *page = member->page;

	if (member->has_turn && member->turn.waits_for)
		return member->turn.waits_for;
	if (member->release_line)
		return &page->release[member->word >> HBS_WORD_EPOCH_SHIFT & 1];
	return &page->state;
}

/* The CPU monitors the line; from time to time look at the state, for what the line does not say */
static inline int watch(void *arg, uint64_t time)
{
	struct hbs_member *member = ((struct waiter *)arg)->member;
	uint64_t slice = member->group->hbs->spin.watch_after;
	uint64_t start = ticks_now();
	int ret;

	do {
		const void *line = line_of(member);

		hbsi_monitor_arm(line);
		ret = hbsi_soft_depart(member);
		if (!is_not_over(ret))
			return ret;
		if (ret == HBSI_PENDING && line == line_of(member))
			hbsi_monitor_wait(slice);
		else
			ticks_pause();
	} while (ticks_now() - start < time);
	return hbsi_soft_depart(member);
}

uint32_t hbsi_soft_still_out(const struct hbs_member *member)
{
	if (member->has_turn || member->scans)
		return UINT32_MAX;
	return member->expected - (uint32_t)state_arrived(member->guess);
}

static int stay_awake(struct hbs_member *member, struct spin *spin, uint64_t until)
{
	struct waiter waiter = { .member = member };
	struct hbs_group *group = member->group;
	int ret;

	hbsi_spin_begin(spin, &group->hbs->spin, &group->learnt, group->seats,
			(uint32_t)(member->word >> HBS_WORD_EPOCH_SHIFT));
	hbsi_spin_until(spin, until);
	hbsi_spin_look_first(spin, hbsi_soft_still_out(member));
	ret = spin_stay(spin, look, watch, &waiter);
	/* a stay may have been too short for that, or for any look */
	return is_not_over(ret) ? hbsi_soft_depart(member) : ret;
}

/* Sleep until something has changed, or something is to be done */
static int sleep_for_it(struct hbs_member *member, int why, uint64_t until)
{
	if (member->group->hbs->spin.never_sleeps) {
		hbsi_spin_let_others_run();
		return why;
	}
	if (why == HBSI_IN_COMPLETION) {
		hbsi_completion_sleep(member->group->completion, until);
		return why;
	}
	return hbsi_soft_sleep(member, until);
}

__attribute__((noinline)) static int wait_long(struct hbs_member *member, uint64_t deadline)
{
	struct software *software = soft_of(member->group);
	bool has_slept = false, noted = false;
	uint64_t word = member->word;
	struct spin spin;

	for (;;) {
		uint64_t until =
			deadline_earlier(deadline, hbsi_soft_next_duty(software, member->word));
		int ret = has_slept ? hbsi_soft_depart(member) : stay_awake(member, &spin, until);

		if (is_not_over(ret) && !noted) {
			hbsi_waits_begin(member, &spin);
			noted = true;
		}
		if (is_not_over(ret) && deadline_passed(deadline)) {
			ret = hbsi_soft_test(member);
			return is_not_over(ret) ? -ETIMEDOUT : ret;
		}
		if (is_not_over(ret)) {
			ret = sleep_for_it(member, ret, until);
			has_slept = !spin.policy->never_sleeps;
		}
		if (!is_not_over(ret)) {
			if (has_slept)
				hbsi_spin_slept(&spin);
			if (!ret && (noted || spin.waited >= spin.policy->long_wait))
				hbsi_waits_end(member, word, &spin, has_slept);
			return ret;
		}
		hbsi_soft_do_duties(member->group, member->word);
	}
}

int hbsi_soft_wait(struct hbs_member *member, uint64_t deadline)
{
	int ret = HBSI_PENDING;

	if (!member->has_turn && member->all_arrived)
		ret = pass(member);
	else if (!member->release_line)
		ret = hbsi_soft_depart(member);
	return is_not_over(ret) ? wait_long(member, deadline) : ret;
}

int hbsi_soft_barwait(struct hbs_member *member)
{
	int ret;

	if (unlikely(!member->plain)) {
		ret = hbsi_soft_arrive(member, 0);
	} else {
		ret = arrive_full(member);
		if (ret == LAST) {
			soft_complete(member);
			member->word += HBS_WORD_EPOCH_ONE;
			return 0;
		}
	}
	if (unlikely(ret < 0)) {
		member->arrived = ret;
		return ret;
	}
	member->arrived = 1;
	return hbsi_soft_wait(member, DEADLINE_NEVER);
}

/* 0 if a member that has not arrived may, or the error */
int hbsi_soft_lost(struct hbs_member *member)
{
	uint64_t state = atomic_load(&member->page->state);

	if (state & STATE_BROKEN)
		return hbsi_word_error(state_status(state));
	if (!member->has_turn && seat_state(member->seat) != SEAT_TAKEN)
		return hbsi_soft_seat_error(member->seat);
	return 0;
}

bool hbsi_soft_has_to_wait(const struct hbs_member *member)
{
	return member->has_turn && algorithm_of(member)->helps;
}

bool hbsi_soft_has_to_stay(const struct hbs_member *member)
{
	return member->has_turn;
}

bool hbsi_soft_is_plain(const struct hbs_member *member)
{
	return !member->has_turn && !member->scans && !member->group->reduce &&
	       !member->page->timeout_ns;
}
