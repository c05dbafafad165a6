/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card that knows no more about its writes than an endpoint does: it sees that one
 * failed only if it may not send any, and if it reads back.
 */
#include "card.h"

#define G	  3
#define SILENT	  ",x-silent-writes=on"
#define NO_MEMORY 0x7000000000
#define PORT	  (HBSR_DEPARTURE_PORT << HBSR_GRP_CTRL_DEPARTURE_SHIFT)
#define POLL	  (HBSR_ARRIVAL_POLL << HBSR_GRP_CTRL_ARRIVAL_SHIFT)

static void enable_with(struct card *card, uint64_t first, uint64_t second)
{
	set32(card, of_group(G, HBSR_GRP_VACANT), 1);
	set32(card, of_group(G, HBSR_GRP_RECORDS), 2);
	set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(0)), first);
	set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(1)), second);
	set32(card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
}

/* When enabled, the card finds what is no memory, what it cannot write, and the card itself */
static void test_enable(void)
{
	static const uint64_t bad[] = { NO_MEMORY, 0xfffc0000, 0xe0000000, 0xe8000000 };
	const uint64_t word = broken_word(1, HBSR_REASON_DMA);
	struct card card;
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(bad); i++) {
		card_start(&card, SILENT, "");
		messages_enable(&card);
		set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_DMA);
		card_enable(&card);
		enable_with(&card, record_of(G, 0), bad[i]);
		g_assert_cmphex(group_word(&card, G), ==, word);
		g_assert_cmphex(record(&card, G), ==, word);
		g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_DMA);
		g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 1);
		g_assert_true(message(&card, 0));
		join(&card, G, 0);
		assert_bad_access(&card, 1, NOBODY, G);
		card_stop(&card);
	}
}

/* Good memory is taken; a group without records needs none. */
static void test_good(void)
{
	struct card card;

	card_start(&card, SILENT, "");
	card_enable(&card);
	enable_with(&card, record_of(G, 0), record_of(G, 1));
	join(&card, G, 0);
	arrive(&card, 0, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmphex(reg32(&card, of_group(G, HBSR_GRP_STATUS)), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 0);
	card_stop(&card);
}

/* A port whose memory is none does not join, and nobody else notices. */
static void check_join(uint32_t ctrl, uint64_t address)
{
	struct card card;

	card_start(&card, SILENT, "");
	card_enable(&card);
	group_enable_as(&card, G, 2, ctrl);
	memory_set(&card, 0);
	join(&card, G, 0);
	set64(&card, of_port(1, HBSR_PRT_ADDR), address);
	join(&card, G, 1);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_P(0))), ==, 1 << 0);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_VACANT)), ==, 1);
	g_assert_cmphex(reg32(&card, of_group(G, HBSR_GRP_STATUS)), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 1);
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	memory_set(&card, 1);
	join(&card, G, 1);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_P(0))), ==, 1 << 0 | 1 << 1);
	card_stop(&card);
}

static void test_join(void)
{
	check_join(PORT, NO_MEMORY);
	check_join(PORT, 0xfffc0000); /* can be read, and not be written */
	check_join(POLL, NO_MEMORY);
	check_join(POLL | PORT, NO_MEMORY);
	/* the card itself */
	check_join(POLL, 0xe8000000);
}

/* Later, nothing is known: the write counts as done, and nothing breaks. */
static void test_later(void)
{
	struct card card;

	card_start(&card, SILENT, "");
	card_enable(&card);
	group_enable_as(&card, G, 1, PORT);
	memory_set(&card, 0);
	join(&card, G, 0);
	set64(&card, of_port(0, HBSR_PRT_ADDR), NO_MEMORY);
	arrive(&card, 0, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmphex(reg32(&card, of_group(G, HBSR_GRP_STATUS)), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 4);
	card_stop(&card);
}

/* A card that is no bus master knows that it sends nothing. */
static void test_no_bus_master(void)
{
	struct card card;

	card_start(&card, SILENT, "");
	card_enable(&card);
	group_enable(&card, G, 1);
	join(&card, G, 0);
	set_bus_master(&card, false);
	arrive(&card, 0, G);
	g_assert_cmphex(departure(&card, 0, G), ==, broken_word(2, HBSR_REASON_DMA));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 2);
	card_stop(&card);
}

/* A read has an answer, also one that says no. */
static void test_line(void)
{
	struct card card;

	card_start(&card, SILENT, "");
	card_enable(&card);
	group_enable_as(&card, G, 1, POLL);
	memory_set(&card, 0);
	join(&card, G, 0);
	set64(&card, of_port(0, HBSR_PRT_ADDR), NO_MEMORY);
	qtest_clock_step(card.qts, HBSR_CTL_POLL_DEFAULT);
	g_assert_cmphex(record(&card, G), ==, broken_word(1, HBSR_REASON_DMA));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 1);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/silent/enable", test_enable);
	g_test_add_func("/silent/good", test_good);
	g_test_add_func("/silent/join", test_join);
	g_test_add_func("/silent/later", test_later);
	g_test_add_func("/silent/no-bus-master", test_no_bus_master);
	g_test_add_func("/silent/line", test_line);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
