/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Refutable groups: idle words, withdrawals and loads, what they are dropped for, and how
 * the balance overflows.
 */
#include "refutable_group.h"

#define LOWEST	(-(1LL << 47))
#define HIGHEST ((1LL << 47) - 1)

/* Words of a lane to which a member of a refutable group stores */
static const unsigned int words[] = { HBSR_LANE_ARRIVAL, HBSR_LANE_OPERAND, HBSR_LANE_WITHDRAW };

/* All are idle, yet a message is in flight; its receiver withdraws, and frees it. */
static void test_idle(void)
{
	struct card card;

	start(&card, 2);
	assert_state(&card, 0, 0, 0);
	idle(&card, 0, G, 2, 0);
	assert_state(&card, 1, 0, 2);
	idle(&card, 1, G, -1, FREED);
	assert_state(&card, 3, 0, 1);
	assert_word(&card, epoch_word(1));
	withdraw(&card, 1, G);
	assert_state(&card, 1, 0, 1);
	assert_word(&card, epoch_word(1));
	idle(&card, 1, G, -1, FREED);
	assert_state(&card, 0, 0, 0);
	assert_word(&card, epoch_word(2));
	/* a message that is freed before its sender tells of it */
	idle(&card, 1, G, -1, FREED);
	assert_state(&card, 2, 0, -1);
	idle(&card, 0, G, 1, 0);
	assert_state(&card, 0, 0, 0);
	assert_word(&card, epoch_word(3));
	g_assert_cmpuint(counter(&card, HBSR_GRP_COMPLETIONS), ==, 2);
	g_assert_cmpuint(counter(&card, HBSR_GRP_ARRIVALS), ==, 5);
	g_assert_cmpuint(counter(&card, HBSR_GRP_WITHDRAWALS), ==, 1);
	g_assert_cmpuint(counter(&card, HBSR_GRP_RECORD_WRITES), ==, 3);
	g_assert_cmpuint(counter(&card, HBSR_GRP_RESULT), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

static void test_one_member(void)
{
	struct card card;
	unsigned int i;

	start(&card, 1);
	for (i = 2; i < 6; i++) {
		idle(&card, 0, G, 0, 0);
		assert_word(&card, epoch_word(i));
	}
	idle(&card, 0, G, 1, 0);
	assert_word(&card, epoch_word(5));
	assert_state(&card, 1, 0, 1);
	withdraw(&card, 0, G);
	idle(&card, 0, G, -1, VOTE);
	assert_word(&card, vote_word(6, 3));
	card_stop(&card);
}

/* Stores of 4 bytes are extended by zeros; to WITHDRAW any datum will do. */
static void test_halves(void)
{
	struct card card;
	uint64_t at;

	start(&card, 2);
	at = lane(&card, 0, G);
	qtest_writel(card.qts, at + HBSR_LANE_ARRIVAL, UINT32_MAX);
	assert_state(&card, 1, 0, UINT32_MAX);
	qtest_writel(card.qts, at + HBSR_LANE_WITHDRAW, 0);
	assert_state(&card, 0, 0, UINT32_MAX);
	idle(&card, 0, G, 0, 0);
	qtest_writel(card.qts, at + HBSR_LANE_WITHDRAW, UINT32_MAX);
	assert_state(&card, 0, 0, UINT32_MAX);
	idle(&card, 0, G, 0, 0);
	qtest_writeq(card.qts, at + HBSR_LANE_WITHDRAW, UINT64_MAX);
	assert_state(&card, 0, 0, UINT32_MAX);
	g_assert_cmpuint(counter(&card, HBSR_GRP_WITHDRAWALS), ==, 3);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* Bits that no field has: a bad access, even by a member that has arrived */
static void test_reserved_bits(void)
{
	struct card card;
	uint64_t bad = 0;
	unsigned int bit;

	start(&card, 2);
	for (bit = 50; bit < 64; bit++) {
		arrive_with(&card, 1, G, 1ULL << bit | VOTE | FREED | 5);
		assert_bad_access(&card, ++bad, 1, G);
		assert_state(&card, 0, 0, 0);
	}
	idle(&card, 1, G, 7, 0);
	arrive_with(&card, 1, G, 1ULL << 63);
	assert_bad_access(&card, ++bad, 1, G);
	/* before an overflow, too */
	arrive_with(&card, 0, G, 1ULL << 50 | HIGHEST);
	assert_bad_access(&card, ++bad, 0, G);
	assert_state(&card, 2, 0, 7);
	g_assert_cmphex(status(&card), ==, 0);
	g_assert_cmpuint(counter(&card, HBSR_GRP_DOUBLE), ==, 0);
	card_stop(&card);
}

/* Stores to each of the three words, with reserved bits, are dropped for this reason. */
static void check_dropped(struct card *card, unsigned int port, unsigned int kind, uint32_t offset)
{
	uint64_t count = counter(card, offset), all = reg64(card, HBSR_CNT_VIOLATIONS);
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(words); i++) {
		qtest_writeq(card->qts, lane(card, port, G) + words[i], UINT64_MAX);
		assert_violation(card, ++all, kind, port, G);
		g_assert_cmpuint(counter(card, offset), ==, ++count);
	}
	g_assert_cmpuint(reg64(card, HBSR_CNT_BAD_ACCESSES), ==, 0);
}

/* A card that is not enabled, then a port that is no member, then a group that is broken */
static void test_precedence(void)
{
	struct card card;

	start(&card, 3);
	idle(&card, 0, G, 4, VOTE);
	check_dropped(&card, 9, HBSR_VIOLATION_NON_MEMBER, HBSR_GRP_NON_MEMBER);
	set32(&card, HBSR_CTL_CTRL, 0);
	check_dropped(&card, 0, HBSR_VIOLATION_REFUSED, HBSR_GRP_REFUSED);
	check_dropped(&card, 1, HBSR_VIOLATION_REFUSED, HBSR_GRP_REFUSED);
	check_dropped(&card, 9, HBSR_VIOLATION_REFUSED, HBSR_GRP_REFUSED);
	/* No state changes while the card is not enabled. */
	assert_state(&card, 1, 1, 4);
	card_enable(&card);
	assert_state(&card, 1, 1, 4);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	check_dropped(&card, 0, HBSR_VIOLATION_REFUSED, HBSR_GRP_REFUSED);
	check_dropped(&card, 9, HBSR_VIOLATION_NON_MEMBER, HBSR_GRP_NON_MEMBER);
	set32(&card, HBSR_CTL_CTRL, 0);
	check_dropped(&card, 9, HBSR_VIOLATION_REFUSED, HBSR_GRP_REFUSED);
	card_enable(&card);
	assert_state(&card, 0, 0, 4);
	/* a group that is not enabled, but of this type */
	set32(&card, of_group(G, HBSR_GRP_CTRL), AS_REFUTABLE);
	check_dropped(&card, 0, HBSR_VIOLATION_NON_MEMBER, HBSR_GRP_NON_MEMBER);
	g_assert_cmpuint(counter(&card, HBSR_GRP_DOUBLE), ==, 0);
	g_assert_cmpuint(counter(&card, HBSR_GRP_UNARRIVED), ==, 0);
	g_assert_cmpuint(counter(&card, HBSR_GRP_ARRIVALS), ==, 1);
	card_stop(&card);
}

/* A second idle word of an epoch says nothing. */
static void test_double(void)
{
	struct card card;

	start(&card, 2);
	idle(&card, 1, G, 3, 0);
	idle(&card, 1, G, 100, FREED | VOTE);
	assert_violation(&card, 1, HBSR_VIOLATION_DOUBLE, 1, G);
	idle(&card, 1, G, HIGHEST, 0);
	assert_violation(&card, 2, HBSR_VIOLATION_DOUBLE, 1, G);
	set_operand(&card, 1, G, 5);
	assert_violation(&card, 3, HBSR_VIOLATION_DOUBLE, 1, G);
	assert_state(&card, 2, 0, 3);
	g_assert_cmphex(status(&card), ==, 0);
	g_assert_cmpuint(counter(&card, HBSR_GRP_DOUBLE), ==, 3);
	g_assert_cmpuint(counter(&card, HBSR_GRP_ARRIVALS), ==, 1);
	idle(&card, 0, G, -3, 0);
	assert_word(&card, epoch_word(2));
	card_stop(&card);
}

/* Whoever withdraws too late learns it. */
static void test_unarrived(void)
{
	struct card card;

	start(&card, 2);
	withdraw(&card, 0, G);
	assert_violation(&card, 1, HBSR_VIOLATION_UNARRIVED, 0, G);
	idle(&card, 0, G, 0, 0);
	withdraw(&card, 0, G);
	withdraw(&card, 0, G);
	assert_violation(&card, 2, HBSR_VIOLATION_UNARRIVED, 0, G);
	idle(&card, 0, G, 0, 0);
	idle(&card, 1, G, 0, 0);
	assert_word(&card, epoch_word(2));
	withdraw(&card, 0, G);
	assert_violation(&card, 3, HBSR_VIOLATION_UNARRIVED, 0, G);
	g_assert_cmpuint(counter(&card, HBSR_GRP_UNARRIVED), ==, 3);
	g_assert_cmpuint(counter(&card, HBSR_GRP_WITHDRAWALS), ==, 1);
	g_assert_cmpuint(counter(&card, HBSR_GRP_REFUSED), ==, 0);
	/* The one that came too late is no withdrawal. */
	g_assert_cmphex(status(&card), ==, 0);
	assert_state(&card, 0, 0, 0);
	card_stop(&card);
}

/* Loads from WITHDRAW, whole or by halves */
static void test_readback(void)
{
	struct card card;
	uint64_t at;

	start(&card, 2);
	at = lane(&card, 1, G) + HBSR_LANE_WITHDRAW;
	g_assert_cmphex(is_idle(&card, 1, G), ==, 0);
	idle(&card, 1, G, 1, 0);
	g_assert_cmphex(is_idle(&card, 1, G), ==, 1);
	g_assert_cmphex(is_idle(&card, 0, G), ==, 0);
	g_assert_cmphex(qtest_readl(card.qts, at), ==, 1);
	g_assert_cmphex(qtest_readl(card.qts, at + 4), ==, 0);
	g_assert_cmpuint(counter(&card, HBSR_GRP_READBACKS), ==, 5);
	withdraw(&card, 1, G);
	g_assert_cmphex(is_idle(&card, 1, G), ==, 0);
	idle(&card, 1, G, 0, 0);
	set32(&card, HBSR_CTL_CTRL, 0);
	g_assert_cmphex(is_idle(&card, 1, G), ==, 1);
	card_enable(&card);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	g_assert_cmphex(is_idle(&card, 1, G), ==, 0);
	g_assert_cmpuint(counter(&card, HBSR_GRP_READBACKS), ==, 8);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_FOREIGN_READS), ==, 0);
	g_assert_cmphex(is_idle(&card, 2, G), ==, 0);
	g_assert_cmphex(qtest_readl(card.qts, lane(&card, 2, G) + HBSR_LANE_WITHDRAW + 4), ==, 0);
	g_assert_cmpuint(counter(&card, HBSR_GRP_READBACKS), ==, 8);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_FOREIGN_READS), ==, 2);
	/* The other words of the lane read as zero, and nobody counts that. */
	g_assert_cmphex(qtest_readq(card.qts, lane(&card, 1, G) + HBSR_LANE_ARRIVAL), ==, 0);
	g_assert_cmphex(qtest_readq(card.qts, lane(&card, 1, G) + HBSR_LANE_OPERAND), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_FOREIGN_READS), ==, 2);
	g_assert_cmpuint(counter(&card, HBSR_GRP_READBACKS), ==, 8);
	g_assert_cmpuint(counter(&card, HBSR_GRP_DEPARTURE_READS), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* Idle words, one of each member; the last of them overflows, or not. */
static const struct {
	unsigned int n;
	int64_t deltas[3];
	bool overflows;
} limits[] = {
	{ 1, { LOWEST }, false },
	{ 1, { HIGHEST }, false },
	{ 2, { LOWEST, HIGHEST }, false },
	{ 2, { HIGHEST, LOWEST }, false },
	{ 2, { LOWEST + 1, -1 }, false },
	{ 2, { HIGHEST - 1, 1 }, false },
	{ 2, { LOWEST, 0 }, false },
	{ 2, { HIGHEST, 0 }, false },
	{ 2, { LOWEST, -1 }, true },
	{ 2, { -1, LOWEST }, true },
	{ 2, { HIGHEST, 1 }, true },
	{ 2, { 1, HIGHEST }, true },
	{ 2, { LOWEST, LOWEST }, true },
	{ 2, { HIGHEST, HIGHEST }, true },
	{ 2, { 1LL << 46, 1LL << 46 }, true },
	{ 3, { HIGHEST, -1, 2 }, true },
	{ 3, { HIGHEST, LOWEST, LOWEST + 1 }, false },
	{ 3, { HIGHEST, LOWEST, LOWEST }, true },
};

static uint64_t epoch(struct card *card)
{
	return counter(card, HBSR_GRP_EPOCH);
}

static void check_limits(struct card *card, size_t row)
{
	uint64_t violations = reg64(card, HBSR_CNT_VIOLATIONS), now;
	unsigned int i, good = limits[row].n - limits[row].overflows;
	int64_t sum = 0;

	group_enable_as(card, G, 4, AS_REFUTABLE);
	join_all(card, 4);
	now = epoch(card);
	for (i = 0; i < good; i++) {
		idle(card, i, G, limits[row].deltas[i], VOTE | FREED);
		sum += limits[row].deltas[i];
		assert_state(card, (2 << i) - 1, (2 << i) - 1, sum);
	}
	if (limits[row].overflows)
		idle(card, i, G, limits[row].deltas[i], VOTE | FREED);
	g_assert_cmpuint(counter(card, HBSR_GRP_ARRIVALS), ==, good);
	/* by halves, with the sign */
	g_assert_cmphex(reg32(card, of_group(G, HBSR_GRP_BALANCE)), ==, (uint32_t)sum);
	g_assert_cmphex(reg32(card, of_group(G, HBSR_GRP_BALANCE) + 4), ==, (uint64_t)sum >> 32);
	if (limits[row].overflows) {
		assert_violation(card, violations + 1, HBSR_VIOLATION_OVERFLOW, i, G);
		assert_word(card, broken_word(now, HBSR_REASON_OVERFLOW));
		assert_state(card, 0, 0, sum);
		idle(card, 3, G, 0, 0);
		assert_violation(card, violations + 2, HBSR_VIOLATION_REFUSED, 3, G);
	} else {
		g_assert_cmpuint(reg64(card, HBSR_CNT_VIOLATIONS), ==, violations);
		assert_word(card, epoch_word(now));
	}
	group_disable(card, G);
	g_assert_cmpint(balance(card, G), ==, 0);
}

static void test_limits(void)
{
	struct card card;
	size_t row;

	card_start(&card, "", "");
	card_enable(&card);
	for (row = 0; row < G_N_ELEMENTS(limits); row++) {
		g_test_message("row %zu", row);
		check_limits(&card, row);
	}
	g_assert_cmpuint(reg64(&card, HBSR_CNT_BAD_ACCESSES), ==, 0);
	card_stop(&card);
}

/* An overflow breaks as the command does; the word that overflowed has no effect. */
static void test_overflow(void)
{
	struct card card;

	start(&card, 2);
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_VIOLATION);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	idle(&card, 0, G, HIGHEST, 0);
	g_assert_false(message(&card, 0));
	g_assert_false(message(&card, 1));
	idle(&card, 1, G, 1, FREED | VOTE);
	g_assert_true(message(&card, 0));
	g_assert_true(message(&card, 1));
	g_assert_cmphex(status(&card), ==,
			HBSR_GRP_STATUS_BROKEN | HBSR_REASON_OVERFLOW
							 << HBSR_GRP_STATUS_REASON_SHIFT);
	g_assert_cmpuint(counter(&card, HBSR_GRP_ARRIVALS), ==, 1);
	g_assert_cmpuint(counter(&card, HBSR_GRP_INTERRUPTS), ==, 1);
	g_assert_cmpuint(counter(&card, HBSR_GRP_REFUSED), ==, 0);
	g_assert_cmpuint(counter(&card, HBSR_GRP_DOUBLE), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_BAD_ACCESSES), ==, 0);
	/* The first reason stays. */
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	assert_word(&card, broken_word(1, HBSR_REASON_OVERFLOW));
	card_stop(&card);
}

/* What the card did can be traced. */
static void test_trace(void)
{
	static const char *const events[] = {
		"hbs_idle port 1 group 3 delta -3 freed 1 vote 0",
		"hbs_withdraw port 1 group 3",
		"hbs_operand port 1 group 3 operand 0x8",
		"hbs_idle port 1 group 3 delta 3 freed 0 vote 1",
		"hbs_violation withdrawal without arrival port 0 group 3",
		"hbs_idle port 0 group 3 delta 140737488355327 freed 0 vote 0",
		"hbs_complete group 3 epoch 2",
		"hbs_break group 3 reason 7",
		"hbs_record_write group 3 addr 0x230000 word 0x20071 done 1",
		"hbs_violation balance that overflows port 1 group 3",
	};
	char *path = temporary("trace"), *options;
	struct card card;

	options = g_strdup_printf("-trace hbs_* -D %s", path);
	card_start(&card, "", options);
	card_enable(&card);
	group_enable_as(&card, G, 2, AS_REFUTABLE);
	join_all(&card, 2);
	idle(&card, 1, G, -3, FREED);
	withdraw(&card, 1, G);
	set_operand(&card, 1, G, 8);
	idle(&card, 1, G, 3, VOTE);
	withdraw(&card, 0, G);
	command(&card, G, HBSR_OP_LEAVE, 1);
	idle(&card, 0, G, HIGHEST, 0);
	withdraw(&card, 0, G);
	idle(&card, 0, G, -HIGHEST, 0);
	join(&card, G, 1);
	idle(&card, 0, G, HIGHEST, 0);
	idle(&card, 1, G, 1, 0);
	card_stop(&card);
	assert_in_order(path, events, G_N_ELEMENTS(events));
	g_free(options);
	g_free(path);
}

static void add_tests(void)
{
	g_test_add_func("/refutable/idle", test_idle);
	g_test_add_func("/refutable/one-member", test_one_member);
	g_test_add_func("/refutable/halves", test_halves);
	g_test_add_func("/refutable/reserved-bits", test_reserved_bits);
	g_test_add_func("/refutable/precedence", test_precedence);
	g_test_add_func("/refutable/double", test_double);
	g_test_add_func("/refutable/unarrived", test_unarrived);
	g_test_add_func("/refutable/readback", test_readback);
	g_test_add_func("/refutable/limits", test_limits);
	g_test_add_func("/refutable/overflow", test_overflow);
	g_test_add_func("/refutable/trace", test_trace);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
