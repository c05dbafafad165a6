/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a port that is no member sees of a group, and what it changes in it:
 * nothing.
 */
#include "card.h"

#define G      5
#define AS_SUM (HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT)

static const uint32_t counters[] = {
	HBSR_GRP_COMPLETIONS,	HBSR_GRP_ARRIVALS,   HBSR_GRP_DEPARTURE_READS,
	HBSR_GRP_RECORD_WRITES, HBSR_GRP_NON_MEMBER, HBSR_GRP_DOUBLE,
	HBSR_GRP_REFUSED,	HBSR_GRP_INTERRUPTS, HBSR_GRP_LINE_READS,
};

static uint64_t result(struct card *card, unsigned int port)
{
	return qtest_readq(card->qts, lane(card, port, G) + HBSR_LANE_RESULT);
}

/* A group of ports 0 and 1, in epoch 2, whose result is 0x700000005 */
static void start(struct card *card)
{
	card_start(card, "", "");
	messages_enable(card);
	set32(card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_VIOLATION);
	card_enable(card);
	group_enable_as(card, G, 2, AS_SUM);
	join(card, G, 0);
	join(card, G, 1);
	arrive_with(card, 0, G, 0x700000000);
	arrive_with(card, 1, G, 5);
}

/* Six loads of a port give nothing, and count, but not for the group. */
static void assert_sees_nothing(struct card *card, unsigned int port)
{
	const uint64_t at = lane(card, port, G);
	uint64_t foreign = reg64(card, HBSR_CNT_FOREIGN_READS);
	uint64_t before[G_N_ELEMENTS(counters)];
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(counters); i++)
		before[i] = reg64(card, of_group(G, counters[i]));
	g_assert_cmphex(departure(card, port, G), ==, 0);
	g_assert_cmphex(qtest_readl(card->qts, at + HBSR_LANE_DEPARTURE), ==, 0);
	g_assert_cmphex(qtest_readl(card->qts, at + HBSR_LANE_DEPARTURE + 4), ==, 0);
	g_assert_cmphex(result(card, port), ==, 0);
	g_assert_cmphex(qtest_readl(card->qts, at + HBSR_LANE_RESULT), ==, 0);
	g_assert_cmphex(qtest_readl(card->qts, at + HBSR_LANE_RESULT + 4), ==, 0);
	g_assert_cmpuint(reg64(card, HBSR_CNT_FOREIGN_READS), ==, foreign + 6);
	for (i = 0; i < G_N_ELEMENTS(counters); i++)
		g_assert_cmpuint(reg64(card, of_group(G, counters[i])), ==, before[i]);
	g_assert_cmpuint(reg64(card, HBSR_CNT_VIOLATIONS), ==, 0);
	g_assert_cmphex(reg64(card, HBSR_CNT_VIOLATION_LAST), ==, 0);
	g_assert_cmphex(reg32(card, HBSR_INT_CAUSE) & HBSR_INT_CAUSE_VIOLATION, ==, 0);
	g_assert_false(message(card, 0));
}

static void assert_sees(struct card *card, unsigned int port, uint64_t word, uint64_t value)
{
	uint64_t foreign = reg64(card, HBSR_CNT_FOREIGN_READS);

	g_assert_cmphex(departure(card, port, G), ==, word);
	g_assert_cmphex(result(card, port), ==, value);
	g_assert_cmpuint(reg64(card, HBSR_CNT_FOREIGN_READS), ==, foreign);
}

static void test_reads(void)
{
	struct card card;

	start(&card);
	assert_sees(&card, 0, epoch_word(2), 0x700000005);
	assert_sees_nothing(&card, 2);
	assert_sees_nothing(&card, 63);
	/* Nobody owns the rest of the lane. */
	g_assert_cmphex(qtest_readq(card.qts, lane(&card, 2, G) + HBSR_LANE_ARRIVAL), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_FOREIGN_READS), ==, 12);
	/* A member of another group is none of this one. */
	group_enable(&card, G + 1, 1);
	join(&card, G + 1, 2);
	assert_sees_nothing(&card, 2);
	card_stop(&card);
}

/* Before it joins and after it leaves, whatever becomes of the group */
static void test_membership(void)
{
	struct card card;

	start(&card);
	join(&card, G, 2);
	assert_sees(&card, 2, epoch_word(2), 0x700000005);
	command(&card, G, HBSR_OP_LEAVE, 2);
	assert_sees_nothing(&card, 2);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	assert_sees(&card, 1, broken_word(2, HBSR_REASON_DIED), 0x700000005);
	assert_sees_nothing(&card, 2);
	set32(&card, HBSR_CTL_CTRL, 0);
	assert_sees(&card, 1, broken_word(2, HBSR_REASON_DIED), 0x700000005);
	assert_sees_nothing(&card, 2);
	card_stop(&card);
}

/*
 * A group's result goes with it, and so does its list of missing members; the next group shows
 * neither.
 */
static void test_retired(void)
{
	struct card card;

	card_start(&card, "", "");
	card_enable(&card);
	set64(&card, of_group(G, HBSR_GRP_TIMEOUT), 1000);
	group_enable_as(&card, G, 2, AS_SUM);
	join(&card, G, 0);
	join(&card, G, 1);
	arrive_with(&card, 0, G, 7);
	arrive_with(&card, 1, G, 8);
	arrive_with(&card, 0, G, 9);
	qtest_clock_step(card.qts, 1000);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_MISSING(0))), ==, 1 << 1);
	group_disable(&card, G);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_RESULT)), ==, 0);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_MISSING(0))), ==, 0);
	assert_sees_nothing(&card, 0);
	group_enable_as(&card, G, 2, AS_SUM);
	assert_sees_nothing(&card, 1);
	join(&card, G, 3);
	assert_sees(&card, 3, epoch_word(3), 0);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_MISSING(0))), ==, 0);
	assert_sees_nothing(&card, 0);
	card_stop(&card);
}

/* A store of a stranger moves the one counter that exists for it. */
static void test_arrival(void)
{
	uint64_t before[G_N_ELEMENTS(counters)];
	struct card card;
	size_t i;

	start(&card);
	for (i = 0; i < G_N_ELEMENTS(counters); i++)
		before[i] = reg64(&card, of_group(G, counters[i]));
	arrive(&card, 2, G);
	assert_violation(&card, 1, HBSR_VIOLATION_NON_MEMBER, 2, G);
	for (i = 0; i < G_N_ELEMENTS(counters); i++)
		g_assert_cmpuint(reg64(&card, of_group(G, counters[i])), ==,
				 before[i] + (counters[i] == HBSR_GRP_NON_MEMBER));
	assert_sees(&card, 0, epoch_word(2), 0x700000005);
	card_stop(&card);
}

static void test_reset(void)
{
	struct card card;

	start(&card);
	departure(&card, 2, G);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_FOREIGN_READS), ==, 1);
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_FOREIGN_READS), ==, 0);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/foreign/reads", test_reads);
	g_test_add_func("/foreign/membership", test_membership);
	g_test_add_func("/foreign/retired", test_retired);
	g_test_add_func("/foreign/arrival", test_arrival);
	g_test_add_func("/foreign/reset", test_reset);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
