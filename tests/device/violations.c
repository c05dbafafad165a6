/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Violations in the port pages: dropped, counted, latched, and releasing nobody.
 */
#include "card.h"

#define G 2

static void start(struct card *card)
{
	card_start(card, ",ports=5", "");
	card_enable(card);
	group_enable(card, G, 2);
	join(card, G, 0);
	join(card, G, 1);
}

static void assert_untouched(struct card *card, uint64_t arrived)
{
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_S(0))), ==, arrived);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_EPOCH)), ==, 1);
	g_assert_cmphex(record(card, G), ==, epoch_word(1));
}

static void test_non_member(void)
{
	struct card card;

	start(&card);
	arrive(&card, 0, G);
	arrive(&card, 2, G);
	assert_violation(&card, 1, HBSR_VIOLATION_NON_MEMBER, 2, G);
	/* a member of another group only */
	arrive(&card, 1, G + 1);
	assert_violation(&card, 2, HBSR_VIOLATION_NON_MEMBER, 1, G + 1);
	assert_untouched(&card, 1);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_NON_MEMBER)), ==, 1);
	g_assert_cmpuint(reg64(&card, of_group(G + 1, HBSR_GRP_NON_MEMBER)), ==, 1);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_BAD_ACCESSES), ==, 0);
	card_stop(&card);
}

static void test_double(void)
{
	struct card card;
	unsigned int i;

	start(&card);
	arrive(&card, 1, G);
	for (i = 1; i <= 5; i++) {
		arrive(&card, 1, G);
		assert_violation(&card, i, HBSR_VIOLATION_DOUBLE, 1, G);
		assert_untouched(&card, 2);
	}
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_DOUBLE)), ==, 5);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_ARRIVALS)), ==, 1);
	/* The epoch goes on as if nothing had been. */
	arrive(&card, 0, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	card_stop(&card);
}

/* Every size and offset in a lane that is neither ARRIVAL nor DEPARTURE */
static void test_offsets(void)
{
	struct card card;
	uint64_t bad = 0, at;
	unsigned int offset;

	start(&card);
	at = lane(&card, 0, G);
	for (offset = 0; offset < HBSR_LANE_STRIDE; offset += 4) {
		if (offset == HBSR_LANE_ARRIVAL)
			continue;
		qtest_writel(card.qts, at + offset, 1);
		assert_bad_access(&card, ++bad, 0, G);
		if (offset % 8)
			continue;
		qtest_writeq(card.qts, at + offset, 1);
		assert_bad_access(&card, ++bad, 0, G);
	}
	/* DEPARTURE and RESULT are read-only, even for a zero, and so on */
	qtest_writeq(card.qts, at + HBSR_LANE_DEPARTURE, 0);
	assert_bad_access(&card, ++bad, 0, G);
	qtest_writel(card.qts, at + HBSR_LANE_RESULT + 4, 0);
	assert_bad_access(&card, ++bad, 0, G);
	qtest_writel(card.qts, at + HBSR_LANE_ARRIVAL + 4, 0);
	assert_bad_access(&card, ++bad, 0, G);
	/* what is reserved takes a zero and reads as zero */
	qtest_writeq(card.qts, at + 16, 0);
	g_assert_cmphex(qtest_readq(card.qts, at + 16), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, bad);
	assert_untouched(&card, 0);
	card_stop(&card);
}

/* The lane of a refutable group: two more words, whose second halves take nothing */
static void test_refutable_offsets(void)
{
	static const unsigned int words[] = { HBSR_LANE_ARRIVAL, HBSR_LANE_OPERAND,
					      HBSR_LANE_WITHDRAW };
	struct card card;
	uint64_t bad = 0, at;
	unsigned int offset;
	size_t i;

	start(&card);
	group_disable(&card, G);
	group_enable_as(&card, G, 2, AS_REFUTABLE);
	join(&card, G, 0);
	at = lane(&card, 0, G);
	for (offset = HBSR_LANE_WITHDRAW + 8; offset < HBSR_LANE_STRIDE; offset += 4) {
		qtest_writel(card.qts, at + offset, 1);
		assert_bad_access(&card, ++bad, 0, G);
		if (offset % 8)
			continue;
		qtest_writeq(card.qts, at + offset, 1);
		assert_bad_access(&card, ++bad, 0, G);
	}
	for (i = 0; i < G_N_ELEMENTS(words); i++) {
		qtest_writel(card.qts, at + words[i] + 4, 0);
		assert_bad_access(&card, ++bad, 0, G);
		qtest_writel(card.qts, at + words[i] + 4, 1);
		assert_bad_access(&card, ++bad, 0, G);
		qtest_writeb(card.qts, at + words[i], 0);
		assert_bad_access(&card, ++bad, 0, G);
		qtest_writew(card.qts, at + words[i] + 2, 0);
		assert_bad_access(&card, ++bad, 0, G);
	}
	g_assert_cmphex(qtest_readb(card.qts, at + HBSR_LANE_WITHDRAW), ==, 0);
	assert_bad_access(&card, ++bad, 0, G);
	/* even of a port that is no member, and while the card is not enabled */
	set32(&card, HBSR_CTL_CTRL, 0);
	qtest_writel(card.qts, lane(&card, 3, G) + HBSR_LANE_WITHDRAW + 4, 0);
	assert_bad_access(&card, ++bad, 3, G);
	card_enable(&card);
	/* what is reserved takes a zero and reads as zero */
	qtest_writeq(card.qts, at + HBSR_LANE_WITHDRAW + 8, 0);
	g_assert_cmphex(qtest_readq(card.qts, at + HBSR_LANE_WITHDRAW + 8), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, bad);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_READBACKS)), ==, 0);
	/* Lanes and pages that are not there have no such words. */
	withdraw(&card, 0, 32);
	assert_bad_access(&card, ++bad, 0, NOBODY);
	g_assert_cmphex(is_idle(&card, 5, G), ==, 0);
	assert_bad_access(&card, ++bad, 5, G);
	card_stop(&card);
}

static void test_sizes(void)
{
	struct card card;
	uint64_t bad = 0, at;
	unsigned int offset;

	start(&card);
	at = lane(&card, 1, G);
	qtest_writeb(card.qts, at, 1);
	assert_bad_access(&card, ++bad, 1, G);
	qtest_writew(card.qts, at, 1);
	assert_bad_access(&card, ++bad, 1, G);
	g_assert_cmphex(qtest_readb(card.qts, at + HBSR_LANE_DEPARTURE), ==, 0);
	assert_bad_access(&card, ++bad, 1, G);
	g_assert_cmphex(qtest_readw(card.qts, at + HBSR_LANE_DEPARTURE), ==, 0);
	assert_bad_access(&card, ++bad, 1, G);
	/* Each word that an access touches is one. */
	for (offset = 1; offset < 8; offset++) {
		if (offset % 4 == 0)
			continue;
		qtest_writeq(card.qts, at + offset, 0);
		assert_bad_access(&card, bad += 2, 1, G);
		g_assert_cmphex(qtest_readq(card.qts, at + HBSR_LANE_DEPARTURE + offset), ==, 0);
		assert_bad_access(&card, bad += 2, 1, G);
		qtest_writel(card.qts, at + offset, 0);
		assert_bad_access(&card, bad += offset < 4 ? 1 : 2, 1, G);
	}
	assert_untouched(&card, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_DEPARTURE_READS)), ==, 0);
	card_stop(&card);
}

/* Lanes beyond the groups, and pages between the ports and the next power of 2 */
static void test_no_lane(void)
{
	struct card card;
	uint64_t bad = 0, page_end;

	start(&card);
	arrive(&card, 0, 32);
	assert_bad_access(&card, ++bad, 0, NOBODY);
	g_assert_cmphex(departure(&card, 0, 32), ==, 0);
	assert_bad_access(&card, ++bad, 0, NOBODY);
	page_end = lane(&card, 1, 0) - 8;
	qtest_writeq(card.qts, page_end, 0);
	assert_bad_access(&card, ++bad, 0, NOBODY);
	g_assert_cmphex(qtest_readq(card.qts, page_end), ==, 0);
	assert_bad_access(&card, ++bad, 0, NOBODY);
	arrive(&card, 5, G);
	assert_bad_access(&card, ++bad, 5, G);
	g_assert_cmphex(departure(&card, 7, G), ==, 0);
	assert_bad_access(&card, ++bad, 7, G);
	assert_untouched(&card, 0);
	card_stop(&card);
}

/* Bad accesses are logged. */
static void test_log(void)
{
	char *path = temporary("log"), *options, *text;
	struct card card;

	options = g_strdup_printf("-d guest_errors -D %s", path);
	card_start(&card, "", options);
	card_enable(&card);
	arrive(&card, 9, 1);
	qtest_writeb(card.qts, lane(&card, 3, 1), 1);
	set32(&card, HBSR_ID_MAGIC, 0);
	group_enable_as(&card, 1, 2, AS_REFUTABLE);
	join(&card, 1, 4);
	join(&card, 1, 5);
	withdraw(&card, 4, 1);
	arrive_with(&card, 4, 1, 1ULL << 50);
	idle(&card, 4, 1, 1, 0);
	idle(&card, 5, 1, (1LL << 47) - 1, 0);
	card_stop(&card);
	text = file_text(path);
	g_assert_nonnull(strstr(text, "hbs: arrival of a non-member: port 9 group 1"));
	g_assert_nonnull(strstr(text, "BAR 2 offset 0x30080 size 1"));
	g_assert_nonnull(strstr(text, "hbs: withdrawal without arrival: port 4 group 1"));
	g_assert_nonnull(strstr(text, "idle word with reserved bits: BAR 2 offset 0x40080"));
	g_assert_nonnull(strstr(text, "hbs: balance that overflows: port 5 group 1"));
	g_assert_nonnull(strstr(text, "read-only register: BAR 0 offset 0x0 size 4"));
	unlink(path);
	g_free(text);
	g_free(options);
	g_free(path);
}

static void add_tests(void)
{
	g_test_add_func("/violations/non-member", test_non_member);
	g_test_add_func("/violations/double", test_double);
	g_test_add_func("/violations/offsets", test_offsets);
	g_test_add_func("/violations/refutable-offsets", test_refutable_offsets);
	g_test_add_func("/violations/sizes", test_sizes);
	g_test_add_func("/violations/no-lane", test_no_lane);
	g_test_add_func("/violations/log", test_log);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
