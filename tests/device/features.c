/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card that lacks features: their bits and registers are reserved, and read as
 * zero.
 */
#include "card.h"

#define G 1
#define REQUIRED                                                                \
	(HBSR_FEATURE_MSIX | HBSR_FEATURE_RECORD | HBSR_FEATURE_CSR_DEPARTURE | \
	 HBSR_FEATURE_VIOLATION)
#define ALL                                                                               \
	(REQUIRED | HBSR_FEATURE_TIMEOUT | HBSR_FEATURE_REDUCE | HBSR_FEATURE_REFUTABLE | \
	 HBSR_FEATURE_COUNTING | HBSR_FEATURE_POLL_ARRIVAL | HBSR_FEATURE_PORT_RECORD)

static void start(struct card *card, uint64_t features)
{
	char *properties = g_strdup_printf(",x-features=0x%" PRIx64, features);

	card_start(card, properties, "");
	g_free(properties);
}

/* Reads as zero, takes zero, and anything else is a bad access. */
static void assert_reserved(struct card *card, uint32_t at, uint32_t value, unsigned int group)
{
	uint64_t bad = reg64(card, HBSR_CNT_BAD_ACCESSES);

	g_assert_cmphex(reg32(card, at) & value, ==, 0);
	set32(card, at, 0);
	g_assert_cmpuint(reg64(card, HBSR_CNT_BAD_ACCESSES), ==, bad);
	set32(card, at, value);
	assert_bad_access(card, bad + 1, NOBODY, group);
	g_assert_cmphex(reg32(card, at) & value, ==, 0);
}

/* Takes the value, and gives it back. */
static void assert_there(struct card *card, uint32_t at, uint32_t value)
{
	uint64_t bad = reg64(card, HBSR_CNT_BAD_ACCESSES);

	set32(card, at, value);
	g_assert_cmphex(reg32(card, at), ==, value);
	g_assert_cmpuint(reg64(card, HBSR_CNT_BAD_ACCESSES), ==, bad);
	set32(card, at, 0);
}

/* What can be written, and the features without which it cannot */
static const struct {
	uint64_t features; /* one of these features is enough */
	uint32_t offset;
	uint32_t value;
} of_a_group[] = {
	{ HBSR_FEATURE_TIMEOUT, HBSR_GRP_TIMEOUT, 1000 },
	{ HBSR_FEATURE_TIMEOUT, HBSR_GRP_CTRL, HBSR_POLICY_NOTIFY << HBSR_GRP_CTRL_POLICY_SHIFT },
	{ HBSR_FEATURE_REDUCE, HBSR_GRP_CTRL, HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT },
	{ HBSR_FEATURE_REFUTABLE, HBSR_GRP_CTRL, AS_REFUTABLE },
	{ HBSR_FEATURE_COUNTING, HBSR_GRP_COUNT, 1 },
	{ HBSR_FEATURE_COUNTING, HBSR_GRP_CTRL,
	  HBSR_COMPLETION_COUNT << HBSR_GRP_CTRL_COMPLETION_SHIFT },
	{ HBSR_FEATURE_POLL_ARRIVAL, HBSR_GRP_CTRL,
	  HBSR_ARRIVAL_POLL << HBSR_GRP_CTRL_ARRIVAL_SHIFT },
	{ HBSR_FEATURE_PORT_RECORD, HBSR_GRP_CTRL,
	  HBSR_DEPARTURE_PORT << HBSR_GRP_CTRL_DEPARTURE_SHIFT },
}, of_the_card[] = {
	{ HBSR_FEATURE_TIMEOUT, HBSR_INT_ENABLE, HBSR_INT_ENABLE_TIMEOUT },
	{ HBSR_FEATURE_POLL_ARRIVAL | HBSR_FEATURE_PORT_RECORD,
	  HBSR_PRT_BASE + HBSR_PRT_ADDR, 0x1000 },
};

static void check_features(uint64_t features)
{
	struct card card;
	size_t i;

	start(&card, features);
	g_assert_cmphex(reg64(&card, HBSR_ID_FEATURES), ==, features & ALL);
	g_assert_cmphex(reg32(&card, HBSR_ID_GROUP_TYPES), ==,
			1 << HBSR_TYPE_BARRIER |
				(features & HBSR_FEATURE_REFUTABLE ? 1 << HBSR_TYPE_REFUTABLE : 0));
	for (i = 0; i < G_N_ELEMENTS(of_a_group); i++) {
		uint32_t at = of_group(G, of_a_group[i].offset);

		if (features & of_a_group[i].features)
			assert_there(&card, at, of_a_group[i].value);
		else
			assert_reserved(&card, at, of_a_group[i].value, G);
	}
	for (i = 0; i < G_N_ELEMENTS(of_the_card); i++) {
		if (features & of_the_card[i].features)
			assert_there(&card, of_the_card[i].offset, of_the_card[i].value);
		else
			assert_reserved(&card, of_the_card[i].offset, of_the_card[i].value, NOBODY);
	}
	card_stop(&card);
}

/* Each feature alone, all but each, none and all, and features that the card lacks anyway */
static void test_each(void)
{
	unsigned int bit;

	for (bit = 8; bit < 14; bit++) {
		check_features(REQUIRED | 1ULL << bit);
		check_features(ALL & ~(1ULL << bit));
	}
	check_features(0);
	check_features(REQUIRED);
	check_features(ALL);
	check_features(UINT64_MAX);
}

/* Registers that cannot be written are reserved as well. */
static void test_read_only(void)
{
	struct card card;
	unsigned int i;

	start(&card, REQUIRED);
	assert_reserved(&card, HBSR_CTL_POLL, HBSR_CTL_POLL_DEFAULT, NOBODY);
	assert_reserved(&card, HBSR_INT_CAUSE, HBSR_INT_CAUSE_TIMEOUT, NOBODY);
	for (i = 0; i < HBSR_INT_TIMEOUTS_COUNT; i++)
		assert_reserved(&card, HBSR_INT_TIMEOUTS(i), 1, NOBODY);
	for (i = 0; i < HBSR_GRP_MISSING_COUNT; i++)
		assert_reserved(&card, of_group(G, HBSR_GRP_MISSING(i)), 1, G);
	assert_reserved(&card, of_group(G, HBSR_GRP_RESULT), 1, G);
	assert_reserved(&card, of_group(G, HBSR_GRP_LINE_READS), 1, G);
	assert_reserved(&card, of_group(G, HBSR_GRP_BALANCE), 1, G);
	assert_reserved(&card, of_group(G, HBSR_GRP_BALANCE) + 4, 1, G);
	assert_reserved(&card, of_group(G, HBSR_GRP_WITHDRAWALS), 1, G);
	assert_reserved(&card, of_group(G, HBSR_GRP_UNARRIVED), 1, G);
	assert_reserved(&card, of_group(G, HBSR_GRP_READBACKS) + 4, 1, G);
	for (i = 0; i < HBSR_GRP_V_COUNT; i++)
		assert_reserved(&card, of_group(G, HBSR_GRP_V(i)), 1, G);
	assert_reserved(&card, HBSR_PRT_BASE + 63 * HBSR_PRT_STRIDE, 128, NOBODY);
	card_stop(&card);
}

/* The block PRT is there if something uses it. */
static void test_block_list(void)
{
	const uint32_t last =
		HBSR_ID_BLOCK_LIST_DEFAULT + (HBSR_ID_BLOCKS_DEFAULT - 1) * HBSR_ENTRY_STRIDE;
	struct card card;
	unsigned int i;

	start(&card, REQUIRED | HBSR_FEATURE_COUNTING);
	g_assert_cmpuint(reg32(&card, HBSR_ID_BLOCKS), ==, HBSR_ID_BLOCKS_DEFAULT - 1);
	for (i = 0; i < HBSR_ENTRY_STRIDE; i += 4)
		assert_reserved(&card, last + i, 1, NOBODY);
	g_assert_cmpuint(reg32(&card, last - HBSR_ENTRY_STRIDE), ==, HBSR_BLOCK_GRP);
	card_stop(&card);
	for (i = 12; i <= 13; i++) {
		start(&card, REQUIRED | 1 << i);
		g_assert_cmpuint(reg32(&card, HBSR_ID_BLOCKS), ==, HBSR_ID_BLOCKS_DEFAULT);
		g_assert_cmpuint(reg32(&card, last), ==, HBSR_BLOCK_PRT);
		card_stop(&card);
	}
}

/* Without refutable groups their words of a lane are as any other offset. */
static void check_lane(struct card *card, uint64_t bad)
{
	static const unsigned int words[] = { HBSR_LANE_OPERAND, HBSR_LANE_WITHDRAW };
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(words); i++) {
		uint64_t at = lane(card, 0, G) + words[i];

		qtest_writeq(card->qts, at, 0);
		qtest_writel(card->qts, at + 4, 0);
		g_assert_cmphex(qtest_readq(card->qts, at), ==, 0);
		g_assert_cmpuint(reg64(card, HBSR_CNT_BAD_ACCESSES), ==, bad);
		qtest_writeq(card->qts, at, 1);
		assert_bad_access(card, ++bad, 0, G);
		qtest_writel(card->qts, at + 4, 1);
		assert_bad_access(card, ++bad, 0, G);
	}
	g_assert_cmpuint(reg64(card, HBSR_CNT_FOREIGN_READS), ==, 0);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_S(0))), ==, 1);
}

static void test_lane(void)
{
	struct card card;

	start(&card, ALL & ~HBSR_FEATURE_REFUTABLE);
	card_enable(&card);
	group_enable_as(&card, G, 2, AS_REFUTABLE);
	assert_bad_access(&card, 1, NOBODY, G);
	group_enable(&card, G, 2);
	join(&card, G, 0);
	arrive(&card, 0, G);
	check_lane(&card, 1);
	card_stop(&card);
	/* so they are at another type of group of a card that has both */
	start(&card, ALL);
	card_enable(&card);
	group_enable(&card, G, 2);
	join(&card, G, 0);
	arrive(&card, 0, G);
	check_lane(&card, 0);
	card_stop(&card);
}

/* With what every card has, a barrier is one all the same. */
static void test_plain(void)
{
	struct card card;

	start(&card, REQUIRED);
	card_enable(&card);
	group_enable(&card, G, 2);
	join(&card, G, 0);
	join(&card, G, 1);
	arrive(&card, 0, G);
	arrive(&card, 0, G);
	assert_violation(&card, 1, HBSR_VIOLATION_DOUBLE, 0, G);
	arrive_with(&card, 1, G, 5);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmphex(departure(&card, 1, G), ==, epoch_word(2));
	g_assert_cmphex(qtest_readq(card.qts, lane(&card, 1, G) + HBSR_LANE_RESULT), ==, 0);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/features/each", test_each);
	g_test_add_func("/features/read-only", test_read_only);
	g_test_add_func("/features/block-list", test_block_list);
	g_test_add_func("/features/lane", test_lane);
	g_test_add_func("/features/plain", test_plain);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
