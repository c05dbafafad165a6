/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses of other sizes than a word or a half: each aligned word of 8 bytes that one
 * touches is an access, in ascending order.
 */
#include "card.h"

#define G      2
#define AS_SUM (HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT)

/* A group of port 1 */
static void start(struct card *card)
{
	card_start(card, "", "");
	card_enable(card);
	group_enable_as(card, G, 1, AS_SUM);
	join(card, G, 1);
}

/* A store of 16 to 64 bytes arrives once, with its first word as the operand. */
static void test_wide_stores(void)
{
	uint8_t bytes[64] = { 9 };
	struct card card;
	unsigned int size, epoch = 1;

	start(&card);
	for (size = 8; size <= 64; size *= 2) {
		qtest_memwrite(card.qts, lane(&card, 1, G) + HBSR_LANE_ARRIVAL, bytes, size);
		g_assert_cmphex(record(&card, G), ==, epoch_word(++epoch));
		g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RESULT)), ==, 9);
	}
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	/* What is beside the operand must be zero: the third word, and the eighth */
	bytes[20] = 1;
	bytes[63] = 1;
	qtest_memwrite(card.qts, lane(&card, 1, G) + HBSR_LANE_ARRIVAL, bytes, 64);
	g_assert_cmphex(record(&card, G), ==, epoch_word(++epoch));
	assert_bad_access(&card, 2, 1, G);
	card_stop(&card);
}

/* A store to a whole lane touches DEPARTURE and RESULT, which are read-only. */
static void test_lane_store(void)
{
	uint8_t bytes[HBSR_LANE_STRIDE] = { 0 };
	struct card card;

	start(&card);
	qtest_memwrite(card.qts, lane(&card, 1, G), bytes, sizeof(bytes));
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	assert_bad_access(&card, 2, 1, G);
	card_stop(&card);
}

/* In ascending order: the bad access comes after what completed the epoch before it. */
static void test_order(void)
{
	char *path = temporary("trace"), *options, *text, *complete, *bad;
	uint8_t bytes[16] = { [8] = 1 };
	struct card card;

	options = g_strdup_printf("-trace hbs_* -D %s", path);
	card_start(&card, "", options);
	card_enable(&card);
	group_enable(&card, G, 1);
	join(&card, G, 1);
	qtest_memwrite(card.qts, lane(&card, 1, G) + HBSR_LANE_ARRIVAL, bytes, sizeof(bytes));
	card_stop(&card);
	text = file_text(path);
	complete = strstr(text, "hbs_complete group 2 epoch 2");
	bad = strstr(text, "hbs_violation bad access port 1 group 2");
	g_assert_nonnull(complete);
	g_assert_nonnull(bad);
	g_assert_true(complete < bad);
	unlink(path);
	g_free(text);
	g_free(options);
	g_free(path);
}

/*
 * At a refutable group the second word of a store to ARRIVAL is an operand, which is too late
 * unless the first word ends the epoch, and the third one withdraws.
 */
static void test_refutable_stores(void)
{
	uint64_t words[8] = { HBSR_IDLE_VOTE, 7, 0 };
	struct card card;

	start(&card);
	group_disable(&card, G);
	group_enable_as(&card, G, 2, AS_REFUTABLE | AS_SUM);
	join(&card, G, 1);
	join(&card, G, 2);
	qtest_memwrite(card.qts, lane(&card, 1, G) + HBSR_LANE_ARRIVAL, words, 16);
	assert_violation(&card, 1, HBSR_VIOLATION_DOUBLE, 1, G);
	g_assert_cmphex(is_idle(&card, 1, G), ==, 1);
	withdraw(&card, 1, G);
	qtest_memwrite(card.qts, lane(&card, 1, G) + HBSR_LANE_ARRIVAL, words, 24);
	assert_violation(&card, 2, HBSR_VIOLATION_DOUBLE, 1, G);
	g_assert_cmphex(is_idle(&card, 1, G), ==, 0);
	idle(&card, 2, G, 0, 0);
	qtest_memwrite(card.qts, lane(&card, 1, G) + HBSR_LANE_ARRIVAL, words, 16);
	g_assert_cmphex(record(&card, G), ==, vote_word(3, 2));
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_RESULT)), ==, 0);
	/* An operand for the next epoch, and a withdrawal that comes too early */
	qtest_memwrite(card.qts, lane(&card, 1, G) + HBSR_LANE_OPERAND, words + 1, 16);
	assert_violation(&card, 3, HBSR_VIOLATION_UNARRIVED, 1, G);
	idle(&card, 1, G, 0, 0);
	/* The high half of OPERAND and the low one of WITHDRAW */
	qtest_writeq(card.qts, lane(&card, 1, G) + HBSR_LANE_OPERAND + 4, 0);
	assert_violation(&card, 4, HBSR_VIOLATION_ACCESS, 1, G);
	g_assert_cmphex(is_idle(&card, 1, G), ==, 0);
	idle(&card, 1, G, 0, 0);
	idle(&card, 2, G, 0, 0);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_RESULT)), ==, 7);
	card_stop(&card);
}

/* DEPARTURE and RESULT by one load of 16 bytes, or the whole line */
static void test_wide_loads(void)
{
	uint64_t words[8];
	struct card card;

	start(&card);
	arrive_with(&card, 1, G, 0x1122334455667788);
	qtest_memread(card.qts, lane(&card, 1, G) + HBSR_LANE_DEPARTURE, words, 16);
	g_assert_cmphex(words[0], ==, epoch_word(2));
	g_assert_cmphex(words[1], ==, 0x1122334455667788);
	qtest_memread(card.qts, lane(&card, 1, G) + HBSR_LANE_DEPARTURE, words, 64);
	g_assert_cmphex(words[0], ==, epoch_word(2));
	g_assert_cmphex(words[1], ==, 0x1122334455667788);
	g_assert_cmphex(words[7], ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_DEPARTURE_READS)), ==, 2);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* Eight bytes across two words are a half of each. */
static void test_halves(void)
{
	struct card card;
	uint64_t at;

	start(&card);
	arrive_with(&card, 1, G, 0x1122334455667788);
	/* half of an epoch below 2^16 is 0; the low half of RESULT */
	at = lane(&card, 1, G) + HBSR_LANE_DEPARTURE + 4;
	g_assert_cmphex(qtest_readq(card.qts, at), ==, 0x5566778800000000);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_DEPARTURE_READS)), ==, 1);
	/* into the high half of a register, and the low one of the next */
	at = card.bar[HBSR_BAR_REGISTERS] + of_group(G + 1, HBSR_GRP_RECORD_ADDR(0));
	qtest_writeq(card.qts, at + 4, 0x0000008000000001);
	g_assert_cmphex(reg64(&card, of_group(G + 1, HBSR_GRP_RECORD_ADDR(0))), ==, 1ULL << 32);
	g_assert_cmphex(reg64(&card, of_group(G + 1, HBSR_GRP_RECORD_ADDR(1))), ==, 0x80);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	/* two registers of 4 bytes are not one of 8 */
	g_assert_cmphex(reg64(&card, HBSR_ID_PORTS), ==, 0);
	assert_bad_access(&card, 1, NOBODY, NOBODY);
	card_stop(&card);
}

/* Part of a half is a bad access of that word, and only of it. */
static void test_parts(void)
{
	struct card card;
	uint64_t at;

	start(&card);
	at = lane(&card, 1, G);
	/* three bytes of the second word, and the first of the third */
	qtest_writel(card.qts, at + 13, 0);
	assert_bad_access(&card, 2, 1, G);
	/* half a word before the lane, and half of ARRIVAL: with an operand of 4 bytes */
	qtest_writeq(card.qts, at - 4, 0x700000000);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_RESULT)), ==, 7);
	/* half of ARRIVAL that is not its low one, and a zero beside it */
	qtest_writeq(card.qts, at + 4, 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	assert_bad_access(&card, 3, 1, G);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/packets/wide-stores", test_wide_stores);
	g_test_add_func("/packets/lane-store", test_lane_store);
	g_test_add_func("/packets/refutable-stores", test_refutable_stores);
	g_test_add_func("/packets/order", test_order);
	g_test_add_func("/packets/wide-loads", test_wide_loads);
	g_test_add_func("/packets/halves", test_halves);
	g_test_add_func("/packets/parts", test_parts);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
