/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Refutable groups: votes and what a completion leaves, commands, breaks, resets and
 * interrupts.
 */
#include "refutable_group.h"

#define BLACK HBSR_GRP_STATUS_BLACK

/* All votes of three members: with the completion, and until the next one */
static void test_votes(void)
{
	struct card card;
	unsigned int votes, i, was = 0;

	start(&card, 3);
	for (votes = 0; votes < 8; votes++) {
		unsigned int vote = (votes == 7) | !!votes << 1;

		for (i = 0; i < 3; i++) {
			assert_word(&card, vote_word(1 + votes, was));
			assert_state(&card, (1 << i) - 1, votes & ((1 << i) - 1), 0);
			idle(&card, i, G, 0, votes >> i & 1 ? VOTE : 0);
		}
		assert_word(&card, vote_word(2 + votes, vote));
		assert_state(&card, 0, 0, 0);
		was = vote;
	}
	/* over a break, too, and not over the end of the group */
	idle(&card, 0, G, 0, 0);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	assert_word(&card, broken_word(9, HBSR_REASON_DIED) | 3 << HBSR_WORD_VOTE_SHIFT);
	group_disable(&card, G);
	g_assert_cmphex(status(&card), ==, 0);
	group_enable_as(&card, G, 1, AS_REFUTABLE);
	g_assert_cmphex(record(&card, G), ==, epoch_word(10));
	g_assert_cmphex(status(&card), ==, 0);
	card_stop(&card);
}

/* A vote that was withdrawn does not count, neither a true one nor a false one. */
static void test_votes_withdrawn(void)
{
	struct card card;

	start(&card, 2);
	idle(&card, 0, G, 0, VOTE);
	assert_state(&card, 1, 1, 0);
	withdraw(&card, 0, G);
	assert_state(&card, 0, 0, 0);
	idle(&card, 0, G, 0, 0);
	assert_state(&card, 1, 0, 0);
	idle(&card, 1, G, 0, 0);
	assert_word(&card, epoch_word(2));
	idle(&card, 0, G, 0, 0);
	withdraw(&card, 0, G);
	idle(&card, 0, G, 0, VOTE);
	idle(&card, 1, G, 0, VOTE);
	assert_word(&card, vote_word(3, 3));
	/* A store that was dropped does not change a vote. */
	idle(&card, 0, G, 0, VOTE);
	idle(&card, 0, G, 0, 0);
	assert_state(&card, 1, 1, 0);
	idle(&card, 1, G, 0, 0);
	assert_word(&card, vote_word(4, 2));
	card_stop(&card);
}

/* BLACK: whether in this epoch somebody has freed a message, or withdrawn */
static void test_black(void)
{
	struct card card;

	start(&card, 2);
	idle(&card, 0, G, 1, 0);
	g_assert_cmphex(status(&card), ==, 0);
	idle(&card, 1, G, 0, FREED);
	g_assert_cmphex(status(&card), ==, BLACK);
	g_assert_cmphex(departure(&card, 0, G), ==, epoch_word(1));
	withdraw(&card, 1, G);
	idle(&card, 1, G, -1, 0);
	assert_word(&card, epoch_word(2));
	g_assert_cmphex(status(&card), ==, 0);
	idle(&card, 1, G, 0, 0);
	withdraw(&card, 1, G);
	g_assert_cmphex(status(&card), ==, BLACK);
	idle(&card, 1, G, 0, VOTE);
	idle(&card, 0, G, 0, FREED);
	g_assert_cmphex(status(&card), ==, 2 << HBSR_GRP_STATUS_VOTE_SHIFT);
	idle(&card, 0, G, 0, FREED);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	g_assert_cmphex(status(&card) & BLACK, ==, BLACK);
	g_assert_cmphex(record(&card, G), ==,
			broken_word(3, HBSR_REASON_DIED) | 2 << HBSR_WORD_VOTE_SHIFT);
	group_disable(&card, G);
	g_assert_cmphex(status(&card), ==, 0);
	card_stop(&card);
}

static void start_large(struct card *card, unsigned int members)
{
	card_start(card, ",ports=1024", "");
	card_enable(card);
	group_enable_as(card, G, members, AS_REFUTABLE);
	join_all(card, members);
}

/* Whether the mask has the bits from 0 to n - 1 */
static void assert_mask(struct card *card, uint32_t offset, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < HBSR_GRP_V_COUNT; i++) {
		uint64_t expected = 0;

		if (n >= 64 * i)
			expected = n - 64 * i >= 64 ? UINT64_MAX : (1ULL << (n - 64 * i)) - 1;
		g_assert_cmphex(counter(card, offset + 8 * i), ==, expected);
	}
}

/* An epoch in which all ports but two vote true, or only these do */
static void vote_but(struct card *card, unsigned int members, unsigned int one, unsigned int other,
		     bool vote)
{
	unsigned int i;

	for (i = 0; i < members; i++)
		idle(card, i, G, i % 2 ? -1 : 1, (i == one || i == other) == vote ? VOTE : 0);
}

static void check_large(unsigned int members)
{
	struct card card;
	unsigned int i;

	start_large(&card, members);
	for (i = 0; i < members - 1; i++)
		idle(&card, i, G, i, VOTE);
	assert_mask(&card, HBSR_GRP_S(0), members - 1);
	assert_mask(&card, HBSR_GRP_V(0), members - 1);
	g_assert_cmpint(balance(&card, G), ==, (int64_t)(members - 1) * (members - 2) / 2);
	withdraw(&card, members - 2, G);
	assert_mask(&card, HBSR_GRP_S(0), members - 2);
	assert_mask(&card, HBSR_GRP_V(0), members - 2);
	g_assert_cmpuint(is_idle(&card, members - 2, G), ==, 0);
	g_assert_cmpuint(is_idle(&card, members - 3, G), ==, 1);
	idle(&card, members - 1, G, 0, VOTE);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	idle(&card, members - 2, G, -balance(&card, G), VOTE);
	g_assert_cmphex(record(&card, G), ==, vote_word(2, 3));
	assert_mask(&card, HBSR_GRP_S(0), 0);
	assert_mask(&card, HBSR_GRP_V(0), 0);
	/* One member decides whether all have voted, wherever it is. */
	vote_but(&card, members, members - 1, members - 1, false);
	g_assert_cmphex(record(&card, G), ==, vote_word(3, 2));
	vote_but(&card, members, 0, 0, false);
	g_assert_cmphex(record(&card, G), ==, vote_word(4, 2));
	vote_but(&card, members, 63, 64, false);
	g_assert_cmphex(record(&card, G), ==, vote_word(5, 2));
	vote_but(&card, members, members - 1, members - 1, true);
	g_assert_cmphex(record(&card, G), ==, vote_word(6, 2));
	vote_but(&card, members, members, members, true);
	g_assert_cmphex(record(&card, G), ==, epoch_word(7));
	vote_but(&card, members, members, members, false);
	g_assert_cmphex(record(&card, G), ==, vote_word(8, 3));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* More members than a word of a mask has bits; their number is even. */
static void test_large(void)
{
	check_large(66);
	check_large(130);
	check_large(1024);
}

/* Seats go by as in any group; nothing completes without members. */
static void test_seats(void)
{
	struct card card;

	start(&card, 3);
	group_disable(&card, G);
	group_enable_as(&card, G, 2, AS_REFUTABLE);
	join(&card, G, 5);
	idle(&card, 5, G, 0, VOTE);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	command(&card, G, HBSR_OP_LEAVE, 5);
	assert_state(&card, 0, 0, 0);
	join(&card, G, 6);
	idle(&card, 6, G, 1, 0);
	join(&card, G, 7);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	idle(&card, 7, G, -1, VOTE);
	g_assert_cmphex(record(&card, G), ==, vote_word(3, 2));
	/* empty: neither at balance 0 nor at another */
	command(&card, G, HBSR_OP_LEAVE, 6);
	idle(&card, 7, G, 5, 0);
	command(&card, G, HBSR_OP_LEAVE, 7);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_MEMBERS)), ==, 0);
	assert_state(&card, 0, 0, 5);
	join(&card, G, 8);
	idle(&card, 8, G, 0, 0);
	assert_state(&card, 1 << 8, 0, 5);
	withdraw(&card, 8, G);
	idle(&card, 8, G, -5, 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(4));
	command(&card, G, HBSR_OP_LEAVE, 8);
	g_assert_cmphex(record(&card, G), ==, epoch_word(4));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* LEAVE takes arrival and vote back, not the balance; messages in flight outlive a member. */
static void test_leave_and_join(void)
{
	struct card card;

	start(&card, 3);
	idle(&card, 0, G, 5, 0);
	idle(&card, 1, G, 0, VOTE);
	command(&card, G, HBSR_OP_LEAVE, 2);
	/* all have arrived, with a balance */
	assert_state(&card, 3, 2, 5);
	assert_word(&card, epoch_word(1));
	command(&card, G, HBSR_OP_LEAVE, 1);
	assert_state(&card, 1, 0, 5);
	g_assert_cmphex(status(&card), ==, 0);
	/* One that comes back has not voted yet. */
	join(&card, G, 1);
	assert_state(&card, 1, 0, 5);
	assert_word(&card, epoch_word(1));
	idle(&card, 1, G, -5, 0);
	assert_word(&card, epoch_word(2));
	/* A leave completes; the votes are of those who stay. */
	join(&card, G, 4);
	join(&card, G, 5);
	idle(&card, 0, G, 0, VOTE);
	idle(&card, 1, G, 0, VOTE);
	idle(&card, 4, G, 0, 0);
	command(&card, G, HBSR_OP_LEAVE, 4);
	assert_word(&card, epoch_word(2));
	command(&card, G, HBSR_OP_LEAVE, 5);
	assert_word(&card, vote_word(3, 3));
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_MEMBERS)), ==, 2);
	g_assert_cmpuint(counter(&card, HBSR_GRP_WITHDRAWALS), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* A member withdraws by WITHDRAW, not by a command. */
static void test_init(void)
{
	struct card card;
	uint64_t bad = 0;
	unsigned int reduce;

	start(&card, 2);
	for (reduce = 0; reduce < 2; reduce++) {
		idle(&card, 0, G, 1, 0);
		command(&card, G, HBSR_OP_INIT, 0);
		assert_bad_access(&card, ++bad, NOBODY, G);
		command(&card, G, HBSR_OP_INIT, 1);
		assert_bad_access(&card, ++bad, NOBODY, G);
		assert_state(&card, 1, 0, 1);
		g_assert_cmphex(status(&card), ==, 0);
		group_disable(&card, G);
		group_enable_as(&card, G, 2,
				AS_REFUTABLE | HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT);
		join_all(&card, 2);
	}
	card_stop(&card);
}

/* A break for any reason takes arrivals and votes back, and leaves the balance. */
static void test_break(void)
{
	struct card card;
	unsigned int reason;

	card_start(&card, "", "");
	card_enable(&card);
	for (reason = HBSR_REASON_TIMEOUT; reason <= HBSR_REASON_OVERFLOW; reason++) {
		group_enable_as(&card, G, 2, AS_REFUTABLE);
		join_all(&card, 2);
		idle(&card, 0, G, -7, VOTE);
		idle(&card, 1, G, 10, VOTE | FREED);
		command(&card, G, HBSR_OP_BREAK, reason);
		assert_state(&card, 0, 0, 3);
		assert_word(&card, broken_word(reason, reason));
		command(&card, G, HBSR_OP_LEAVE, 1);
		assert_state(&card, 0, 0, 3);
		group_disable(&card, G);
		assert_state(&card, 0, 0, 0);
	}
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* Nothing is left of a group for the next one in its slot. */
static void test_enable(void)
{
	struct card card;

	start(&card, 2);
	idle(&card, 0, G, 9, VOTE | FREED);
	withdraw(&card, 0, G);
	withdraw(&card, 0, G);
	is_idle(&card, 0, G);
	idle(&card, 0, G, 9, VOTE | FREED);
	group_disable(&card, G);
	assert_state(&card, 0, 0, 0);
	g_assert_cmphex(status(&card), ==, 0);
	/* Its counters stay until it is enabled again. */
	g_assert_cmpuint(counter(&card, HBSR_GRP_WITHDRAWALS), ==, 1);
	g_assert_cmpuint(counter(&card, HBSR_GRP_UNARRIVED), ==, 1);
	g_assert_cmpuint(counter(&card, HBSR_GRP_READBACKS), ==, 1);
	group_enable_as(&card, G, 2, AS_REFUTABLE);
	g_assert_cmpuint(counter(&card, HBSR_GRP_WITHDRAWALS), ==, 0);
	g_assert_cmpuint(counter(&card, HBSR_GRP_UNARRIVED), ==, 0);
	g_assert_cmpuint(counter(&card, HBSR_GRP_READBACKS), ==, 0);
	join_all(&card, 2);
	assert_state(&card, 0, 0, 0);
	idle(&card, 0, G, 0, 0);
	idle(&card, 1, G, 0, 0);
	assert_word(&card, epoch_word(3));
	/* A plain group in the slot takes an operand where the idle word was. */
	idle(&card, 0, G, 9, VOTE);
	group_disable(&card, G);
	group_enable_as(&card, G, 1, 0);
	join(&card, G, 0);
	arrive_with(&card, 0, G, UINT64_MAX);
	assert_word(&card, epoch_word(5));
	assert_state(&card, 0, 0, 0);
	card_stop(&card);
}

typedef void reset_fn(struct card *card);

static void test_resets(void)
{
	static reset_fn *const resets[] = { reset_card, reset_function, reset_bus };
	struct card card;
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(resets); i++) {
		start(&card, 2);
		idle(&card, 0, G, 9, VOTE | FREED);
		withdraw(&card, 0, G);
		withdraw(&card, 0, G);
		is_idle(&card, 0, G);
		idle(&card, 0, G, 9, VOTE | FREED);
		resets[i](&card);
		assert_state(&card, 0, 0, 0);
		g_assert_cmphex(status(&card), ==, 0);
		g_assert_cmphex(reg32(&card, of_group(G, HBSR_GRP_CTRL)), ==, 0);
		g_assert_cmpuint(counter(&card, HBSR_GRP_WITHDRAWALS), ==, 0);
		g_assert_cmpuint(counter(&card, HBSR_GRP_UNARRIVED), ==, 0);
		g_assert_cmpuint(counter(&card, HBSR_GRP_READBACKS), ==, 0);
		card_stop(&card);
	}
}

/* Groups that share ports have each their own balance, votes and arrivals. */
static void test_overlap(void)
{
	struct card card;

	start(&card, 2);
	group_enable_as(&card, G + 1, 2, AS_REFUTABLE);
	join(&card, G + 1, 0);
	join(&card, G + 1, 1);
	idle(&card, 0, G, 4, VOTE);
	idle(&card, 0, G + 1, -4, 0);
	idle(&card, 1, G + 1, 0, VOTE);
	assert_state(&card, 1, 1, 4);
	g_assert_cmpint(balance(&card, G + 1), ==, -4);
	withdraw(&card, 0, G + 1);
	assert_state(&card, 1, 1, 4);
	idle(&card, 1, G, -4, VOTE);
	assert_word(&card, vote_word(2, 3));
	g_assert_cmphex(record(&card, G + 1), ==, epoch_word(1));
	idle(&card, 0, G + 1, 4, 0);
	g_assert_cmphex(record(&card, G + 1), ==, vote_word(2, 2));
	card_stop(&card);
}

/* One arming for one completion, however often members withdraw before it */
static void test_arming(void)
{
	struct card card;

	start(&card, 2);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	idle(&card, 0, G, 1, 0);
	idle(&card, 1, G, 0, 0);
	withdraw(&card, 1, G);
	g_assert_cmphex(status(&card), ==, HBSR_GRP_STATUS_ARMED | BLACK);
	g_assert_false(message(&card, 1));
	idle(&card, 1, G, -1, VOTE);
	g_assert_true(message(&card, 1));
	g_assert_cmphex(status(&card), ==, 2 << HBSR_GRP_STATUS_VOTE_SHIFT);
	g_assert_cmphex(reg64(&card, HBSR_INT_GROUPS(0)), ==, 1 << G);
	idle(&card, 0, G, 0, 0);
	idle(&card, 1, G, 0, 0);
	g_assert_false(message(&card, 1));
	/* too late for the epoch: at once */
	set32(&card, of_group(G, HBSR_GRP_ARM), 2);
	g_assert_true(message(&card, 1));
	g_assert_cmpuint(counter(&card, HBSR_GRP_INTERRUPTS), ==, 2);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/refutable-epochs/votes", test_votes);
	g_test_add_func("/refutable-epochs/votes-withdrawn", test_votes_withdrawn);
	g_test_add_func("/refutable-epochs/black", test_black);
	g_test_add_func("/refutable-epochs/large", test_large);
	g_test_add_func("/refutable-epochs/seats", test_seats);
	g_test_add_func("/refutable-epochs/leave-and-join", test_leave_and_join);
	g_test_add_func("/refutable-epochs/init", test_init);
	g_test_add_func("/refutable-epochs/break", test_break);
	g_test_add_func("/refutable-epochs/enable", test_enable);
	g_test_add_func("/refutable-epochs/resets", test_resets);
	g_test_add_func("/refutable-epochs/overlap", test_overlap);
	g_test_add_func("/refutable-epochs/arming", test_arming);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
