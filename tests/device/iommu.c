/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Departure records through a virtual IOMMU (intel-iommu), which the test sets up.
 * For the card a record has another address than in memory, and the card cannot
 * write a record that is not mapped.
 */
#include "card.h"

#define G 4

/* Registers of the IOMMU (Intel Virtualization Technology for Directed I/O) */
#define IOMMU		   0xfed90000
#define GLOBAL_COMMAND	   0x18
#define GLOBAL_STATUS	   0x1c
#define ROOT_TABLE_ADDRESS 0x20
#define SET_ROOT_TABLE	   (1U << 30)
#define TRANSLATION_ENABLE (1U << 31)

#define ROOT_TABLE    0x400000
#define CONTEXT_TABLE 0x401000
#define PAGE_TABLES   0x402000 /* three levels, a page each */
#define PRESENT	      1
#define READ_WRITE    3
#define WIDTH_39_BITS 1

#define BUS_ADDRESS 0x40000000 /* the address that the card gets */

static void map_page(struct card *card, uint64_t bus_address, uint64_t address)
{
	unsigned int level;

	for (level = 3; level > 0; level--) {
		uint64_t table = PAGE_TABLES + (3 - level) * 0x1000;
		uint64_t index = bus_address >> (12 + (level - 1) * 9) & 0x1ff;
		uint64_t next = level == 1 ? address : table + 0x1000;

		qtest_writeq(card->qts, table + index * 8, next | READ_WRITE);
	}
}

static void iommu_enable(struct card *card)
{
	uint64_t context = CONTEXT_TABLE + CARD_DEVFN * 16;

	qtest_writeq(card->qts, ROOT_TABLE, CONTEXT_TABLE | PRESENT);
	qtest_writeq(card->qts, context, PAGE_TABLES | PRESENT);
	qtest_writeq(card->qts, context + 8, 1 << 8 | WIDTH_39_BITS);
	qtest_writeq(card->qts, IOMMU + ROOT_TABLE_ADDRESS, ROOT_TABLE);
	qtest_writel(card->qts, IOMMU + GLOBAL_COMMAND, SET_ROOT_TABLE);
	qtest_writel(card->qts, IOMMU + GLOBAL_COMMAND, TRANSLATION_ENABLE);
	g_assert_cmphex(qtest_readl(card->qts, IOMMU + GLOBAL_STATUS) & TRANSLATION_ENABLE, !=, 0);
}

static void enable_at(struct card *card, uint64_t bus_address)
{
	set32(card, of_group(G, HBSR_GRP_VACANT), 1);
	set32(card, of_group(G, HBSR_GRP_RECORDS), 1);
	set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(0)), bus_address);
	set32(card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
}

static void start(struct card *card)
{
	card_start(card, "", "-device intel-iommu");
	map_page(card, BUS_ADDRESS, RECORDS);
	iommu_enable(card);
	card_enable(card);
}

static void test_translated(void)
{
	struct card card;

	start(&card);
	enable_at(&card, BUS_ADDRESS + 0x80);
	join(&card, G, 0);
	arrive(&card, 0, G);
	g_assert_cmphex(qtest_readq(card.qts, RECORDS + 0x80), ==, epoch_word(2));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 0);
	card_stop(&card);
}

static void test_fault(void)
{
	struct card card;

	start(&card);
	/* It is memory, but not mapped for the card. */
	enable_at(&card, RECORDS);
	g_assert_cmphex(group_word(&card, G), ==, broken_word(1, HBSR_REASON_DMA));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 2);
	g_assert_cmphex(qtest_readq(card.qts, RECORDS), ==, 0);
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_DMA);
	card_stop(&card);
}

/* A group whose members' lines and records are behind the IOMMU */
static void enable_polling(struct card *card)
{
	set32(card, of_group(0, HBSR_GRP_VACANT), 1);
	set32(card, of_group(0, HBSR_GRP_CTRL),
	      HBSR_GRP_CTRL_ENABLE | HBSR_ARRIVAL_POLL << HBSR_GRP_CTRL_ARRIVAL_SHIFT |
		      HBSR_DEPARTURE_PORT << HBSR_GRP_CTRL_DEPARTURE_SHIFT);
	set64(card, HBSR_PRT_BASE + HBSR_PRT_ADDR, BUS_ADDRESS + 0x80);
	join(card, 0, 0);
}

static void test_lines(void)
{
	struct card card;

	start(&card);
	enable_polling(&card);
	qtest_writeq(card.qts, RECORDS + 0x80 + HBSR_MEMORY_ARRIVAL, epoch_word(2));
	qtest_clock_step(card.qts, HBSR_CTL_POLL_DEFAULT);
	g_assert_cmphex(qtest_readq(card.qts, RECORDS + 0x80 + HBSR_MEMORY_DEPARTURE), ==,
			epoch_word(2));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 0);
	card_stop(&card);
}

static void test_line_fault(void)
{
	struct card card;

	start(&card);
	enable_polling(&card);
	qtest_writeq(card.qts, RECORDS + HBSR_MEMORY_ARRIVAL, epoch_word(2));
	/* It is memory, but not mapped for the card. */
	set64(&card, HBSR_PRT_BASE + HBSR_PRT_ADDR, RECORDS);
	qtest_clock_step(card.qts, HBSR_CTL_POLL_DEFAULT);
	g_assert_cmphex(departure(&card, 0, 0), ==, broken_word(1, HBSR_REASON_DMA));
	g_assert_cmpuint(reg64(&card, of_group(0, HBSR_GRP_ARRIVALS)), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 2);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/iommu/translated", test_translated);
	g_test_add_func("/iommu/fault", test_fault);
	g_test_add_func("/iommu/lines", test_lines);
	g_test_add_func("/iommu/line-fault", test_line_fault);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
