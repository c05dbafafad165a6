/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Departure records: the card writes all of them by DMA; what follows if it cannot
 * write one.
 */
#include "card.h"

#define G	  1
#define NO_MEMORY 0x7000000000

static void enable_with(struct card *card, unsigned int count, const uint64_t *addresses)
{
	unsigned int i;

	set32(card, of_group(G, HBSR_GRP_VACANT), 1);
	set32(card, of_group(G, HBSR_GRP_RECORDS), count);
	for (i = 0; i < count; i++)
		set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(i)), addresses[i]);
	set32(card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
}

/* Sixteen records, and not a byte beside their epoch words */
static void test_all(void)
{
	uint64_t addresses[16];
	struct card card;
	unsigned int i, byte;

	card_start(&card, "", "");
	card_enable(&card);
	qtest_memset(card.qts, RECORDS, 0xee, 0x10000);
	for (i = 0; i < 16; i++)
		addresses[i] = RECORDS + 0x1000 - i * 128;
	enable_with(&card, 16, addresses);
	join(&card, G, 0);
	for (i = 0; i < 16; i++)
		g_assert_cmphex(qtest_readq(card.qts, addresses[i]), ==, epoch_word(1));
	arrive(&card, 0, G);
	for (i = 0; i < 16; i++) {
		uint8_t around[192];

		g_assert_cmphex(qtest_readq(card.qts, addresses[i]), ==, epoch_word(2));
		qtest_memread(card.qts, addresses[i] - 56, around, 120);
		for (byte = 0; byte < 120; byte++)
			if (byte < 56 || byte >= 64)
				g_assert_cmphex(around[byte], ==, 0xee);
	}
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 32);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_GONE);
	for (i = 0; i < 16; i++)
		g_assert_cmphex(qtest_readq(card.qts, addresses[i]), ==,
				broken_word(2, HBSR_REASON_GONE));
	card_stop(&card);
}

/* Without records a group completes all the same; DEPARTURE shows it. */
static void test_none(void)
{
	struct card card;

	card_start(&card, "", "");
	card_enable(&card);
	enable_with(&card, 0, NULL);
	join(&card, G, 0);
	arrive(&card, 0, G);
	g_assert_cmphex(departure(&card, 0, G), ==, epoch_word(2));
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 0);
	card_stop(&card);
}

static void assert_dma_broken(struct card *card, uint64_t epoch, uint64_t errors)
{
	g_assert_cmphex(group_word(card, G), ==, broken_word(epoch, HBSR_REASON_DMA));
	g_assert_cmpuint(reg64(card, HBSR_CNT_DMA_ERRORS), ==, errors);
	g_assert_cmphex(reg32(card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_DMA);
}

/* One of two records is not in memory: the group is broken, and the other record says so. */
static void test_no_memory(void)
{
	const uint64_t addresses[] = { NO_MEMORY, RECORDS };
	struct card card;

	card_start(&card, "", "");
	messages_enable(&card);
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_DMA);
	card_enable(&card);
	enable_with(&card, 2, addresses);
	assert_dma_broken(&card, 1, 2);
	g_assert_cmphex(qtest_readq(card.qts, RECORDS), ==, broken_word(1, HBSR_REASON_DMA));
	g_assert_true(message(&card, 0));
	card_stop(&card);
}

/* Without bus mastering nothing can be written, at the next completion. */
static void test_no_bus_master(void)
{
	const uint64_t address = RECORDS;
	struct card card;

	card_start(&card, "", "");
	card_enable(&card);
	enable_with(&card, 1, &address);
	join(&card, G, 0);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	set_bus_master(&card, false);
	arrive(&card, 0, G);
	/* once for the completion, once to say that the group is broken */
	assert_dma_broken(&card, 2, 2);
	g_assert_cmphex(qtest_readq(card.qts, RECORDS), ==, epoch_word(1));
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, 1);
	/* the break wakes sleepers: it raised the armed interrupt */
	g_assert_cmphex(reg32(&card, of_group(G, HBSR_GRP_STATUS)) & HBSR_GRP_STATUS_ARMED, ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_INTERRUPTS)), ==, 1);
	set_bus_master(&card, true);
	group_disable(&card, G);
	enable_with(&card, 1, &address);
	join(&card, G, 0);
	arrive(&card, 0, G);
	g_assert_cmphex(qtest_readq(card.qts, RECORDS), ==, epoch_word(4));
	card_stop(&card);
}

/* A record in the card's own port pages is refused, and recurses into nothing. */
static void test_own_registers(void)
{
	struct card card;
	uint64_t address;

	card_start(&card, "", "");
	card_enable(&card);
	address = lane(&card, 0, G);
	enable_with(&card, 1, &address);
	assert_dma_broken(&card, 1, 2);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_ARRIVALS)), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_NON_MEMBER)), ==, 0);
	card_stop(&card);
}

/* Nor may one card ring another. */
static void test_other_registers(void)
{
	struct card card, other;

	card_start(&card, "", "-device hbs,addr=5");
	other = card;
	other.devfn = 5 << 3;
	card_map_second(&other);
	card_enable(&other);
	card_enable(&card);
	enable_with(&card, 1, &(uint64_t){ lane(&other, 0, 0) });
	assert_dma_broken(&card, 1, 2);
	g_assert_cmpuint(reg64(&other, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/records/all", test_all);
	g_test_add_func("/records/none", test_none);
	g_test_add_func("/records/no-memory", test_no_memory);
	g_test_add_func("/records/no-bus-master", test_no_bus_master);
	g_test_add_func("/records/own-registers", test_own_registers);
	g_test_add_func("/records/other-registers", test_other_registers);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
