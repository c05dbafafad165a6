// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Refutable groups: members are idle, or withdraw, and an epoch is over when at one moment all
 * are idle and no message is in flight.
 *
 * With the algorithms "central" and "counting", a member that is idle arrives as at a barrier:
 * the state has the number of those that are idle. Beside it, on the same line, are the sum of
 * what members have sent and not freed, the number of those that vote true, and the number of
 * withdrawals. A member first adds what it has to say to the first two, and then arrives.
 * When it withdraws, it first takes its arrival back, then counts its withdrawal, and then takes
 * its vote back. What it has sent and freed stays in the sum.
 *
 * A member whose arrival makes the number full evaluates: it reads the number of withdrawals, the
 * state, the sum, and the number of withdrawals again. If that has not changed, the sum is that of
 * the moment when the state was full, because a member that withdrew before that moment has added
 * to the sum before it arrived again, and one that withdrew later adds after it has counted its
 * withdrawal. If the sum is 0, the epoch is over, and stays so: there is no message for which a
 * member could withdraw. So the state begins the next epoch, and has the votes of this one. If the
 * sum is not 0, the receiver of a message withdraws. If a member has withdrawn meanwhile, it comes
 * back. In both cases whoever makes the number full again evaluates. See tests/models/count.pml.
 *
 * If the state is made anew from the seats, the thread that does that evaluates. Meanwhile nobody
 * arrives or withdraws (state.h).
 *
 * A member may find out late that the group was reset. It must not add to the sum of those who
 * came after the reset. So the words of the sum and of the votes have the number of resets, and
 * are changed only if that is the member's.
 */
#include "software.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define RESETS_BITS 16
#define RESETS_MASK 0xffffu

/* Returned inside this file: the epoch is over; or: look again */
#define OVER  1
#define AGAIN 2

static uint16_t resets_of(uint64_t balance)
{
	return (uint16_t)(balance & RESETS_MASK);
}

/* 0, or an error */
static int add_balance(struct soft_page *page, uint16_t resets, int64_t delta)
{
	uint64_t old = atomic_load_explicit(&page->balance, memory_order_relaxed);
	uint64_t new;

	do {
		int64_t balance = ((int64_t)old >> RESETS_BITS) + delta;

		if (resets_of(old) != resets)
			return -ECONNRESET;
		if (!idle_sum_fits(balance))
			return -EOVERFLOW;
		new = (uint64_t)balance << RESETS_BITS | resets;
	} while (!atomic_compare_exchange_weak(&page->balance, &old, new));
	return 0;
}

static void add_votes(struct soft_page *page, uint16_t resets, int32_t more)
{
	uint32_t old = atomic_load_explicit(&page->votes_for, memory_order_relaxed);

	do {
		if (old >> RESETS_BITS != resets)
			return;
	} while (!atomic_compare_exchange_weak(&page->votes_for, &old, old + (uint32_t)more));
}

static inline struct soft_verdict verdict_of(const struct soft_page *page, uint32_t members)
{
	uint32_t votes = atomic_load_explicit(&page->votes_for, memory_order_acquire) & RESETS_MASK;
	uint64_t balance = atomic_load_explicit(&page->balance, memory_order_acquire);
	struct soft_verdict verdict = { .over = !(balance >> RESETS_BITS), .votes_for = votes };

	if (unlikely(votes))
		verdict.votes = HBS_WORD_VOTE_ANY | (votes == members ? HBS_WORD_VOTE_ALL : 0);
	return verdict;
}

struct soft_verdict hbsi_soft_idle_verdict(struct software *software, uint32_t members)
{
	return verdict_of(soft_page(software), members);
}

void hbsi_soft_idle_forget(struct software *software, uint16_t resets, struct soft_verdict verdict)
{
	if (verdict.votes_for)
		add_votes(soft_page(software), resets, -(int32_t)verdict.votes_for);
}

/* The member has noted the state when it departed */
int hbsi_soft_votes(const struct hbs_member *member, uint64_t *votes)
{
	/* it departed late, after a reset, and the votes are gone */
	if (state_ahead(member->guess, member->word))
		return -ECONNRESET;
	*votes = state_votes(member->guess);
	return 0;
}

int64_t hbsi_soft_in_flight(struct software *software)
{
	struct soft_page *page = soft_page(software);
	uint64_t balance = atomic_load(&page->left_balance);

	if (!soft_scans(software))
		return (int64_t)atomic_load(&page->balance) >> RESETS_BITS;
	for (uint32_t i = 0; i < soft_used(software); i++) {
		struct soft_report *report = soft_report(software, i);

		if (atomic_load(&report->present))
			balance += atomic_load(&report->balance);
	}
	return (int64_t)balance;
}

uint64_t hbsi_soft_withdrawals(struct software *software)
{
	uint64_t withdrawals = atomic_load(&soft_page(software)->withdrawals);

	for (uint32_t i = 0; soft_scans(software) && i < soft_used(software); i++)
		withdrawals += atomic_load(&soft_report(software, i)->moves);
	return withdrawals;
}

void hbsi_soft_idle_reset(struct software *software)
{
	struct soft_page *page = soft_page(software);
	uint16_t resets = (uint16_t)(resets_of(atomic_load(&page->balance)) + 1);

	atomic_store(&page->balance, resets);
	atomic_store(&page->votes_for, (uint32_t)resets << RESETS_BITS);
	atomic_store(&page->left_balance, 0);
}

uint16_t hbsi_soft_resets(struct software *software)
{
	return resets_of(atomic_load(&soft_page(software)->balance));
}

/* Its vote goes with it, unless the epoch is over, and all votes are forgotten */
void hbsi_soft_idle_leave(struct hbs_member *member)
{
	struct software *software = soft_of(member->group);
	uint64_t over = member->word + HBS_WORD_EPOCH_ONE;

	if (software->group.type != HBS_REFUTABLE || member->scans || !member->idler.vote)
		return;
	if (hbsi_soft_freeze(software) == member->word &&
	    atomic_load(&member->seat->arrived) == over)
		add_votes(soft_page(software), member->idler.resets, -1);
}

/*
 * Look at all that decides whether the epoch is over: the state when so many members had
 * arrived, and what held at that moment. False if the member has to look again.
 */
static inline bool look(struct hbs_member *member, uint64_t *state, struct soft_verdict *verdict)
{
	struct soft_page *page = member->page;
	uint64_t withdrawals = atomic_load_explicit(&page->withdrawals, memory_order_acquire);

	*state = atomic_load_explicit(&page->state, memory_order_acquire);
	*verdict = verdict_of(page, member->expected);
	return atomic_load_explicit(&page->withdrawals, memory_order_relaxed) == withdrawals;
}

/* The member begins the next epoch, if the state has not changed */
static inline bool begin_next(struct hbs_member *member, uint64_t *state,
			      struct soft_verdict verdict)
{
	uint64_t next = state_next_voted(*state, verdict.votes);

	if (!atomic_compare_exchange_strong(&member->page->state, state, next))
		return false;
	member->guess = next;
	if (unlikely(verdict.votes_for))
		hbsi_soft_idle_forget(soft_of(member->group), member->idler.resets, verdict);
	return true;
}

/*
 * All had arrived when this member had. OVER, or 0: then another member evaluates later, or
 * the thread that makes the state anew.
 */
static __attribute__((noinline)) int evaluate(struct hbs_member *member)
{
	struct soft_verdict verdict;
	uint64_t state;
	bool steady = look(member, &state, &verdict);

	if (!steady || !verdict.over || !soft_state_is_known(member, state) ||
	    state_arrived(state) != member->expected)
		return 0;
	return begin_next(member, &state, verdict) ? OVER : 0;
}

/* Arrive, if the state is this one: 0 or OVER; AGAIN: it is another one, which is in @state now */
static inline int try_to_arrive(struct hbs_member *member, uint64_t *state)
{
	const uint64_t old = *state;
	bool last = state_arrived(old) + 1 == member->expected;
	struct soft_verdict verdict = { .over = false };
	bool is_steady = last && look(member, state, &verdict);

	if (*state != old)
		return AGAIN;
	if (is_steady && verdict.over)
		return begin_next(member, state, verdict) ? OVER : AGAIN;
	if (!atomic_compare_exchange_strong(&member->page->state, state, old + 1))
		return AGAIN;
	member->guess = old + 1;
	return last ? evaluate(member) : 0;
}

/*
 * Arrive. The last one need not be counted before it evaluates, if that says that the epoch is
 * over. If it does not, another member may have withdrawn and come back meanwhile, which would
 * not have found the number full: so the last one evaluates again.
 *
 * As at a barrier, the first try is with a guess, and brings the line for changes.
 */
static inline int arrive(struct hbs_member *member)
{
	uint64_t state = member->guess;
	int ret;

	atomic_store_explicit(&member->seat->arrived, member->word + HBS_WORD_EPOCH_ONE,
			      memory_order_release);
	do {
		if (unlikely(!soft_state_is_known(member, state))) {
			ret = hbsi_soft_arrive_slowly(member);
			return ret > 0 ? evaluate(member) : ret;
		}
		ret = try_to_arrive(member, &state);
	} while (ret == AGAIN);
	return ret;
}

void hbsi_soft_overflow(struct software *software)
{
	int cancel = hbsi_soft_lock(software);

	hbsi_soft_recount(software, HBS_REASON_OVERFLOW);
	hbsi_soft_unlock(software, cancel);
}

/* 0, OVER or an error. If the group breaks by that, the member finds out when it waits. */
static inline __attribute__((always_inline)) int be_idle(struct hbs_member *member, int64_t delta,
							 bool vote)
{
	struct soft_idler *idler = &member->idler;

	if (unlikely(delta) && add_balance(member->page, idler->resets, delta) == -EOVERFLOW) {
		hbsi_soft_overflow(soft_of(member->group));
		return 0;
	}
	idler->vote = vote;
	if (unlikely(vote))
		add_votes(member->page, idler->resets, 1);
	return arrive(member);
}

/* The thread that made the state anew did not know yet, or others have not noticed yet */
static int withdraw_locked(struct hbs_member *member)
{
	struct soft_page *page = member->page;
	struct soft_seat *seat = member->seat;
	uint64_t over = member->word + HBS_WORD_EPOCH_ONE;
	uint64_t state = atomic_load(&page->state);

	do {
		if (seat_state(seat) != SEAT_TAKEN || state & STATE_BROKEN ||
		    state_ahead(state, member->word)) {
			atomic_store(&seat->arrived, over);
			return OVER;
		}
		hbsi_soft_see(member, state);
	} while (seat->counted == over &&
		 !atomic_compare_exchange_weak(&page->state, &state, state - 1));
	seat->counted = member->word;
	return 0;
}

static __attribute__((noinline)) int withdraw_slowly(struct hbs_member *member)
{
	struct software *software = soft_of(member->group);
	int cancel = hbsi_soft_lock(software);
	int ret = withdraw_locked(member);

	hbsi_soft_unlock(software, cancel);
	return ret;
}

/* 0, or OVER: the epoch is, or the group has broken */
static int take_back(struct hbs_member *member)
{
	struct soft_page *page = member->page;
	uint64_t state = atomic_load(&page->state);
	int ret = 0;

	atomic_store(&member->seat->arrived, member->word);
	do {
		/* a member that has ended the epoch, or was told so, knows the state of the next one */
		if (!soft_state_is_known(member, state) || state_ahead(state, member->word)) {
			ret = withdraw_slowly(member);
			break;
		}
	} while (!atomic_compare_exchange_weak(&page->state, &state, state - 1));
	if (ret)
		return ret;
	atomic_fetch_add(&page->withdrawals, 1);
	if (member->idler.vote)
		add_votes(page, member->idler.resets, -1);
	return 0;
}

int hbsi_soft_begin_plain(struct hbs_member *member, int64_t delta, bool vote)
{
	int ret = be_idle(member, delta, vote);

	member->arrived = ret < 0 ? ret : 1;
	if (ret == OVER) {
		soft_complete(member);
		member->all_arrived = true;
		ret = 0;
	}
	return ret;
}

int hbsi_soft_begin_idle(struct hbs_member *member, const struct hbs_idle *idle)
{
	int64_t delta = (int64_t)(idle->sent - idle->freed);
	int ret;

	hbsi_soft_before_arrival(member, idle->value);
	ret = member->scans ? hbsi_soft_scan_idle(member, delta, idle->vote)
			    : be_idle(member, delta, idle->vote);
	return hbsi_soft_after_arrival(member, ret);
}

int hbsi_soft_withdraw(struct hbs_member *member)
{
	int ret = member->scans ? hbsi_soft_scan_withdraw(member) : take_back(member);

	if (!ret)
		return 0;
	ret = hbsi_soft_depart(member);
	return ret ? ret : 1;
}
