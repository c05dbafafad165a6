/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a barrier group does: arrive, complete, count, epochs, enable.
 */
#include "card.h"

#define G 3

static void assert_masks(struct card *card, unsigned int g, uint64_t p, uint64_t s)
{
	g_assert_cmphex(reg64(card, of_group(g, HBSR_GRP_P(0))), ==, p);
	g_assert_cmphex(reg64(card, of_group(g, HBSR_GRP_S(0))), ==, s);
	g_assert_cmpuint(reg32(card, of_group(g, HBSR_GRP_MEMBERS)), ==, __builtin_popcountll(p));
	g_assert_cmpuint(reg32(card, of_group(g, HBSR_GRP_ARRIVED)), ==, __builtin_popcountll(s));
}

static void assert_epoch(struct card *card, unsigned int g, uint64_t epoch)
{
	g_assert_cmpuint(reg64(card, of_group(g, HBSR_GRP_EPOCH)), ==, epoch);
	g_assert_cmphex(record(card, g), ==, epoch_word(epoch));
	g_assert_cmphex(group_word(card, g), ==, epoch_word(epoch));
}

static void start_three(struct card *card)
{
	card_start(card, "", "");
	card_enable(card);
	group_enable(card, G, 3);
	join(card, G, 1);
	join(card, G, 8);
	join(card, G, 63);
}

/* Nobody is released before the last has arrived, and then all are. */
static void test_barrier(void)
{
	const uint64_t all = 1ULL << 1 | 1ULL << 8 | 1ULL << 63;
	struct card card;
	uint64_t epoch;

	start_three(&card);
	for (epoch = 1; epoch <= 20; epoch++) {
		assert_masks(&card, G, all, 0);
		arrive(&card, 8, G);
		assert_masks(&card, G, all, 1ULL << 8);
		assert_epoch(&card, G, epoch);
		arrive(&card, 63, G);
		assert_masks(&card, G, all, 1ULL << 8 | 1ULL << 63);
		assert_epoch(&card, G, epoch);
		arrive(&card, 1, G);
		assert_epoch(&card, G, epoch + 1);
	}
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, 20);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_ARRIVALS)), ==, 60);
	/* one at enable, one for each completion */
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 21);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_INTERRUPTS)), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_INTERRUPTS), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* A store of 4 bytes arrives too, and so does one with an operand. */
static void test_store_sizes(void)
{
	struct card card;

	start_three(&card);
	qtest_writel(card.qts, lane(&card, 1, G) + HBSR_LANE_ARRIVAL, 0);
	qtest_writeq(card.qts, lane(&card, 8, G) + HBSR_LANE_ARRIVAL, UINT64_MAX);
	qtest_writel(card.qts, lane(&card, 63, G) + HBSR_LANE_ARRIVAL, 7);
	assert_epoch(&card, G, 2);
	card_stop(&card);
}

/* Groups that share a port go on independently of each other. */
static void test_overlap(void)
{
	struct card card;
	unsigned int g;

	card_start(&card, "", "");
	card_enable(&card);
	for (g = 0; g < 32; g++) {
		group_enable(&card, g, 2);
		join(&card, g, 0);
		join(&card, g, g + 1);
	}
	for (g = 0; g < 32; g++)
		arrive(&card, 0, g);
	for (g = 0; g < 32; g += 2)
		arrive(&card, g + 1, g);
	for (g = 0; g < 32; g++)
		assert_epoch(&card, g, g % 2 ? 1 : 2);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* Loads of members from DEPARTURE are counted, by halves too; RESULT reads as zero. */
static void test_departure(void)
{
	struct card card;
	uint64_t line;

	start_three(&card);
	arrive(&card, 1, G);
	arrive(&card, 8, G);
	arrive(&card, 63, G);
	line = lane(&card, 8, G) + HBSR_LANE_DEPARTURE;
	g_assert_cmphex(qtest_readq(card.qts, line), ==, epoch_word(2));
	g_assert_cmphex(qtest_readl(card.qts, line), ==, epoch_word(2));
	g_assert_cmphex(qtest_readl(card.qts, line + 4), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_DEPARTURE_READS)), ==, 3);
	g_assert_cmphex(qtest_readq(card.qts, lane(&card, 1, G) + HBSR_LANE_RESULT), ==, 0);
	g_assert_cmphex(qtest_readq(card.qts, lane(&card, 1, G) + HBSR_LANE_ARRIVAL), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_DEPARTURE_READS)), ==, 3);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* Disabling empties a group and writes nothing; enabling begins another epoch. */
static void test_enable(void)
{
	struct card card;

	start_three(&card);
	arrive(&card, 1, G);
	arrive(&card, 8, G);
	arrive(&card, 63, G);
	arrive(&card, 1, G);
	qtest_writeq(card.qts, record_of(G, 0), 0x1234);
	group_disable(&card, G);
	assert_masks(&card, G, 0, 0);
	g_assert_cmphex(record(&card, G), ==, 0x1234);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_EPOCH)), ==, 2);
	/* The counters stay until it is enabled again. */
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_ARRIVALS)), ==, 4);
	arrive(&card, 1, G);
	assert_violation(&card, 1, HBSR_VIOLATION_NON_MEMBER, 1, G);

	group_enable(&card, G, 1);
	assert_epoch(&card, G, 3);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_ARRIVALS)), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_NON_MEMBER)), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_DEPARTURE_READS)), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 1);
	join(&card, G, 5);
	arrive(&card, 5, G);
	assert_epoch(&card, G, 4);
	/* Enabling what is enabled changes nothing. */
	set32(&card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
	assert_masks(&card, G, 1 << 5, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, 1);
	card_stop(&card);
}

/* Every counter of a group counts, and is cleared by enabling the group. */
static void test_counters(void)
{
	static const uint32_t counters[] = {
		HBSR_GRP_COMPLETIONS,	HBSR_GRP_ARRIVALS,   HBSR_GRP_DEPARTURE_READS,
		HBSR_GRP_RECORD_WRITES, HBSR_GRP_NON_MEMBER, HBSR_GRP_DOUBLE,
		HBSR_GRP_REFUSED,	HBSR_GRP_INTERRUPTS,
	};
	struct card card;
	size_t i;

	start_three(&card);
	arrive(&card, 1, G);
	arrive(&card, 1, G);
	arrive(&card, 8, G);
	arrive(&card, 63, G);
	arrive(&card, 0, G);
	departure(&card, 1, G);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	arrive(&card, 1, G);
	group_disable(&card, G);
	for (i = 0; i < G_N_ELEMENTS(counters); i++)
		g_assert_cmpuint(reg64(&card, of_group(G, counters[i])), !=, 0);
	set32(&card, of_group(G, HBSR_GRP_RECORDS), 0);
	set32(&card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
	for (i = 0; i < G_N_ELEMENTS(counters); i++)
		g_assert_cmpuint(reg64(&card, of_group(G, counters[i])), ==, 0);
	card_stop(&card);
}

/* A card that is not enabled drops arrivals and ignores commands. */
static void test_card_disabled(void)
{
	struct card card;

	start_three(&card);
	arrive(&card, 1, G);
	arrive(&card, 8, G);
	set32(&card, HBSR_CTL_CTRL, 0);
	arrive(&card, 63, G);
	assert_violation(&card, 1, HBSR_VIOLATION_REFUSED, 63, G);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_REFUSED)), ==, 1);
	/* no member, but refused all the same */
	arrive(&card, 0, G);
	assert_violation(&card, 2, HBSR_VIOLATION_REFUSED, 0, G);
	join(&card, G, 2);
	assert_violation(&card, 3, HBSR_VIOLATION_ACCESS, NOBODY, G);
	set32(&card, of_group(G, HBSR_GRP_ARM), 5);
	assert_violation(&card, 4, HBSR_VIOLATION_ACCESS, NOBODY, G);
	/* A group can be enabled, but its record is written only when the card is. */
	qtest_writeq(card.qts, record_of(G + 1, 0), 0x1234);
	group_enable(&card, G + 1, 1);
	g_assert_cmphex(record(&card, G + 1), ==, 0x1234);
	g_assert_cmphex(group_word(&card, G + 1), ==, epoch_word(1));
	g_assert_cmphex(reg32(&card, of_group(G + 1, HBSR_GRP_STATUS)), ==, HBSR_GRP_STATUS_BUSY);
	/* and the epoch goes on where it was */
	assert_masks(&card, G, 1ULL << 1 | 1ULL << 8 | 1ULL << 63, 1ULL << 1 | 1ULL << 8);
	card_enable(&card);
	g_assert_cmphex(record(&card, G + 1), ==, epoch_word(1));
	g_assert_cmphex(reg32(&card, of_group(G + 1, HBSR_GRP_STATUS)), ==, 0);
	arrive(&card, 63, G);
	assert_epoch(&card, G, 2);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/groups/barrier", test_barrier);
	g_test_add_func("/groups/store-sizes", test_store_sizes);
	g_test_add_func("/groups/overlap", test_overlap);
	g_test_add_func("/groups/departure", test_departure);
	g_test_add_func("/groups/enable", test_enable);
	g_test_add_func("/groups/counters", test_counters);
	g_test_add_func("/groups/card-disabled", test_card_disabled);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
