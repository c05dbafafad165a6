// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Arriving where the algorithm is "scan": see algorithms/scan.c.
 *
 * In a refutable group a member's report has, beside its arrival, how often it has withdrawn,
 * how many messages it has sent and not freed, and its vote. A member that finds all others idle
 * reads the numbers of withdrawals a second time. If they are the same, no member withdrew
 * between the two looks, so all were idle at the same moment, and the sum of the rest is that of
 * this moment. If it is 0, the epoch is over. If not, the receiver of a message withdraws, and
 * looks at all when it is idle again. See tests/models/scan.pml.
 *
 * Numbers of withdrawals only go up. So if their sums are the same, all of them are.
 */
#include "software.h"

/* Write to the member's seat and to its report that it has arrived, or that it has not after all */
static void write_arrival(struct hbs_member *member, uint64_t seat, uint64_t report)
{
	atomic_store_explicit(&member->seat->arrived, seat, memory_order_release);
	/* a full fence too: of two members that look at each other, one sees the other's arrival */
	atomic_exchange(&member->idler.report->word, report);
}

static uint64_t sum_of_moves(struct software *software)
{
	uint64_t moves = 0;

	for (uint32_t i = 0; i < soft_used(software); i++)
		moves += atomic_load_explicit(&soft_report(software, i)->moves,
					      memory_order_acquire);
	return moves;
}

struct sum {
	uint64_t moves;
	uint64_t balance;
	uint64_t votes;
};

/* Whether the report is that of a member that has arrived at the barrier before @over */
static bool add_report(struct sum *sum, struct soft_report *report, uint64_t over)
{
	sum->moves += atomic_load_explicit(&report->moves, memory_order_acquire);
	if (!atomic_load_explicit(&report->present, memory_order_relaxed))
		return true;
	if (atomic_load_explicit(&report->word, memory_order_acquire) != over)
		return false;
	sum->balance += atomic_load_explicit(&report->balance, memory_order_relaxed);
	if (atomic_load_explicit(&report->vote, memory_order_relaxed))
		sum->votes |= HBS_WORD_VOTE_ANY;
	else
		sum->votes &= ~HBS_WORD_VOTE_ALL;
	return true;
}

/* Look at the reports of all, beginning with seat @from; false if one has not arrived, at @from */
static bool add_reports(struct software *software, uint64_t over, uint32_t *from, struct sum *sum)
{
	uint32_t used = soft_used(software);
	uint32_t number = *from < used ? *from : 0;

	for (uint32_t i = 0; i < used; i++) {
		if (!add_report(sum, soft_report(software, number), over)) {
			*from = number;
			return false;
		}
		number = number + 1 == used ? 0 : number + 1;
	}
	return true;
}

struct soft_verdict hbsi_soft_scan(struct software *software, uint64_t word, uint32_t *from)
{
	struct soft_page *page = soft_page(software);
	struct sum sum = { .balance =
				   atomic_load_explicit(&page->left_balance, memory_order_relaxed),
			   .votes = HBS_WORD_VOTE_ALL };

	if (!add_reports(software, word + HBS_WORD_EPOCH_ONE, from, &sum))
		return (struct soft_verdict){ .over = false };
	if (software->group.type != HBS_REFUTABLE)
		return (struct soft_verdict){ .over = true };
	atomic_thread_fence(memory_order_acquire);
	if (sum_of_moves(software) != sum.moves)
		return (struct soft_verdict){ .over = false };
	return (struct soft_verdict){
		.over = !sum.balance,
		.overflow = !idle_sum_fits((int64_t)sum.balance),
		.votes = sum.votes,
	};
}

/* 1 if the barrier is over by that; 0 if it is not, or another thread finds that it is */
static int look_at_all(struct hbs_member *member, uint64_t state)
{
	struct software *software = soft_of(member->group);
	struct soft_verdict verdict;
	uint64_t next;

	if (!(state & STATE_STARTED))
		return 0;
	verdict = hbsi_soft_scan(software, member->word, &member->idler.from);
	if (!verdict.over)
		return verdict.overflow ? -EOVERFLOW : 0;
	next = state_next_voted(state, verdict.votes);
	if (!soft_state_is_known(member, state) ||
	    !atomic_compare_exchange_strong(&member->page->state, &state, next))
		return 0;
	member->guess = next;
	return 1;
}

/* The lock is held: nobody makes the state anew, but others arrive */
static int arrive_locked(struct hbs_member *member)
{
	uint64_t state = atomic_load(&member->page->state);
	int ret;

	if (seat_state(member->seat) != SEAT_TAKEN) {
		ret = hbsi_soft_seat_error(member->seat);
		/* it was over by this arrival when the group was reset */
		if (ret == -ECONNRESET && (int64_t)(member->seat->joined - member->word) > 0)
			return 0;
	} else if (state_ahead(state, member->word)) {
		/* it is over, also if the group has broken since */
		return 0;
	} else if (state & STATE_BROKEN) {
		ret = hbsi_word_error(state_status(state));
	} else {
		hbsi_soft_see(member, state);
		return look_at_all(member, state);
	}
	write_arrival(member, member->word, 0);
	return ret;
}

static __attribute__((noinline)) int arrive_slowly(struct hbs_member *member)
{
	struct software *software = soft_of(member->group);
	int cancel = hbsi_soft_lock(software);
	int ret = arrive_locked(member);

	hbsi_soft_unlock(software, cancel);
	return ret;
}

int hbsi_soft_scan_arrive(struct hbs_member *member)
{
	uint64_t over = member->word + HBS_WORD_EPOCH_ONE;
	uint64_t state;

	write_arrival(member, over, over);
	state = atomic_load(&member->page->state);
	if (soft_state_is_known(member, state))
		return look_at_all(member, state);
	/* another one may have seen this arrival, and begun the next epoch */
	if (state_rest(state) == state_rest(state_next(member->guess)))
		return 0;
	return arrive_slowly(member);
}

int hbsi_soft_scan_idle(struct hbs_member *member, int64_t delta, bool vote)
{
	struct soft_report *report = member->idler.report;
	int ret;

	member->idler.balance += (uint64_t)delta;
	atomic_store_explicit(&report->balance, member->idler.balance, memory_order_relaxed);
	atomic_store_explicit(&report->vote, vote, memory_order_relaxed);
	ret = hbsi_soft_scan_arrive(member);
	if (ret != -EOVERFLOW)
		return ret;
	/* the member finds out when it waits, as the others do */
	hbsi_soft_overflow(soft_of(member->group));
	return 0;
}

/*
 * If the state is being made anew, the thread that does it sees the withdrawal, or does not
 * find that the epoch is over.
 */
int hbsi_soft_scan_withdraw(struct hbs_member *member)
{
	struct soft_report *report = member->idler.report;
	uint64_t state = atomic_load(&member->page->state);

	if (state_ahead(state, member->word) || state & STATE_BROKEN)
		return 1;
	/* in this order: who finds the new number does not take an older arrival for the next one */
	atomic_store_explicit(&report->word, 0, memory_order_release);
	atomic_store_explicit(&report->moves, ++member->idler.moves, memory_order_release);
	atomic_store_explicit(&member->seat->arrived, member->word, memory_order_release);
	/* before all that the member does from here on */
	atomic_thread_fence(memory_order_release);
	state = atomic_load(&member->page->state);
	if (!state_ahead(state, member->word) && !(state & STATE_BROKEN))
		return 0;
	atomic_store(&member->seat->arrived, member->word + HBS_WORD_EPOCH_ONE);
	return 1;
}

void hbsi_soft_scan_sit_down(struct software *software, uint32_t number)
{
	struct soft_report *report = soft_report(software, number);

	atomic_store(&report->word, 0);
	atomic_store(&report->balance, 0);
	atomic_store(&report->vote, 0);
	atomic_store(&report->present, 1);
}
