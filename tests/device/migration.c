/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Migration and snapshots in the middle of a barrier.
 */
#include "midway.h"
#include "saving.h"

#include "hw/pci/pci_regs.h"
#include "hw/pci/pcie_regs.h"

/* The barrier goes on, operands, MSI-X and all. */
static void assert_goes_on(struct card *card)
{
	arrive_with(card, 5, G, 2);
	g_assert_cmphex(record(card, G), ==, epoch_word(3));
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_RESULT)), ==, 3);
	g_assert_true(message(card, 1));
	g_assert_cmpuint(reg64(card, HBSR_CNT_INTERRUPTS), ==, 2);
}

static void test_middle(void)
{
	char *path = temporary("migration");
	struct card card;

	prepare(&card);
	migrate_to(&card, path);
	card_stop(&card);
	start_from(&card, PROPERTIES, path);
	assert_prepared(&card);
	assert_goes_on(&card);
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	g_assert_cmphex(reg32(&card, HBSR_CTL_TAG), ==, 0);
	card_stop(&card);
	unlink(path);
	g_free(path);
}

/* The expired timers, with their times, go along; so does a running timer, with its deadline. */
static void test_timer(void)
{
	char *path = temporary("migration");
	struct card card;
	unsigned int g;

	prepare(&card);
	for (g = G + 1; g <= G + 2; g++) {
		set64(&card, of_group(g, HBSR_GRP_TIMEOUT), 100);
		group_enable_as(&card, g, 2, HBSR_POLICY_NOTIFY << HBSR_GRP_CTRL_POLICY_SHIFT);
		join(&card, g, 1);
		join(&card, g, 66);
		arrive(&card, 1, g);
		qtest_clock_step(card.qts, 100);
	}
	set64(&card, HBSR_INT_TIMEOUTS(0), 1 << (G + 1));
	migrate_to(&card, path);
	card_stop(&card);

	/* There time starts at 0 again: it is not migrated with this accelerator. */
	start_from(&card, PROPERTIES, path);
	for (g = G + 1; g <= G + 2; g++) {
		g_assert_cmphex(reg32(&card, of_group(g, HBSR_GRP_STATUS)), ==,
				HBSR_GRP_STATUS_EXPIRED);
		g_assert_cmphex(reg64(&card, of_group(g, HBSR_GRP_MISSING(0))), ==, 0);
		g_assert_cmphex(reg64(&card, of_group(g, HBSR_GRP_MISSING(1))), ==, 1 << 2);
	}
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 1 << (G + 2));
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE) & HBSR_INT_CAUSE_TIMEOUT, ==,
			HBSR_INT_CAUSE_TIMEOUT);
	set64(&card, HBSR_INT_TIMEOUTS(0), 1 << (G + 2));
	qtest_clock_set(card.qts, T + 499);
	assert_prepared(&card);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 0);
	qtest_clock_set(card.qts, T + 500);
	g_assert_cmphex(record(&card, G), ==, broken_word(2, HBSR_REASON_TIMEOUT));
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_MISSING(0))), ==, 1 << 5);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 1 << G);
	g_assert_true(message(&card, 1));
	card_stop(&card);
	unlink(path);
	g_free(path);
}

/* As savevm and loadvm do: back to the middle of a barrier that has gone on */
static void test_snapshot(void)
{
	char *path = temporary("disk");
	struct card card;

	prepare(&card);
	add_disk(&card, path);
	snapshot(&card, "snapshot-save");
	assert_goes_on(&card);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	group_enable(&card, G + 1, 1);
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	set32(&card, of_group(G + 2, HBSR_GRP_VACANT), 2);
	set64(&card, of_group(G + 2, HBSR_GRP_TIMEOUT), T);
	set32(&card, of_group(G + 2, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
	card_enable(&card);
	join(&card, G + 2, 0);
	arrive(&card, 0, G + 2);
	snapshot(&card, "snapshot-load");
	assert_prepared(&card);
	g_assert_cmphex(reg32(&card, of_group(G + 1, HBSR_GRP_CTRL)), ==, 0);
	assert_goes_on(&card);
	/* and the timer that ran before is gone with its group */
	qtest_clock_step(card.qts, 10 * T);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 0);
	card_stop(&card);
	unlink(path);
	g_free(path);
}

/* Rounds go on where they were, with what has been found so far. */
static void test_polling(void)
{
	char *path = temporary("migration");
	struct card card;
	uint64_t reads;

	prepare_polling(&card);
	migrate_to(&card, path);
	card_stop(&card);
	/* There time starts at 0 again. */
	start_from(&card, PROPERTIES, path);
	g_assert_cmphex(reg64(&card, of_port(69, HBSR_PRT_ADDR)), ==, memory_of(69));
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_COUNT)), ==, 3);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_ARRIVED)), ==, 2);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 1 << 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_LINE_READS)), ==, 6);
	line_arrive(&card, 5, G, 3);
	qtest_clock_set(card.qts, 3 * PERIOD - 1);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_LINE_READS)), ==, 6);
	qtest_clock_set(card.qts, 3 * PERIOD);
	/* The round may go on after the arrival that completes the epoch. */
	reads = reg64(&card, of_group(G, HBSR_GRP_LINE_READS));
	g_assert_cmpuint(reads, >=, 7);
	g_assert_cmpuint(reads, <=, 8);
	g_assert_cmphex(record(&card, G), ==, epoch_word(3));
	g_assert_cmphex(member_record(&card, 69, G), ==, epoch_word(3));
	qtest_clock_step(card.qts, PERIOD);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_LINE_READS)), ==, reads + 3);
	card_stop(&card);
	unlink(path);
	g_free(path);
}

/* A refutable group goes on: operands, votes, balance and all. */
static void assert_refutable_goes_on(struct card *card)
{
	withdraw(card, 0, G);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_V(0))), ==, 0);
	idle(card, 0, G, 0, HBSR_IDLE_VOTE);
	idle(card, 5, G, -3, HBSR_IDLE_VOTE);
	g_assert_cmphex(record(card, G), ==, vote_word(3, 3));
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_RESULT)), ==, 10 + 30 + 25);
	g_assert_true(message(card, 1));
}

static void test_refutable(void)
{
	char *path = temporary("migration");
	struct card card;

	prepare_refutable(&card);
	migrate_to(&card, path);
	card_stop(&card);
	start_from(&card, PROPERTIES, path);
	assert_refutable(&card);
	qtest_clock_set(card.qts, T + 499);
	assert_refutable(&card);
	/* All have arrived, with a balance: that is a state to be in, too. */
	idle(&card, 5, G, -4, 0);
	migrate_to(&card, path);
	card_stop(&card);
	start_from(&card, PROPERTIES, path);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_ARRIVED)), ==, 3);
	g_assert_cmpint(balance(&card, G), ==, -1);
	qtest_clock_set(card.qts, T + 500);
	g_assert_cmphex(record(&card, G), ==,
			broken_word(2, HBSR_REASON_TIMEOUT) | 2 << HBSR_WORD_VOTE_SHIFT);
	/* So is a broken group with a balance. */
	migrate_to(&card, path);
	card_stop(&card);
	start_from(&card, PROPERTIES, path);
	g_assert_cmpint(balance(&card, G), ==, -1);
	g_assert_cmphex(departure(&card, 0, G), ==,
			broken_word(2, HBSR_REASON_TIMEOUT) | 2 << HBSR_WORD_VOTE_SHIFT);
	group_disable(&card, G);
	g_assert_cmpint(balance(&card, G), ==, 0);
	card_stop(&card);
	unlink(path);
	g_free(path);
}

/* So does a group that an overflow has broken, at the ends of a balance. */
static void test_refutable_overflow(void)
{
	static const int64_t ends[] = { (1LL << 47) - 1, -(1LL << 47) };
	char *path = temporary("migration");
	struct card card;
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(ends); i++) {
		prepare_refutable(&card);
		withdraw(&card, 0, G);
		withdraw(&card, 69, G);
		idle(&card, 0, G, -3, 0);
		idle(&card, 5, G, ends[i], 0);
		migrate_to(&card, path);
		card_stop(&card);
		start_from(&card, PROPERTIES, path);
		g_assert_cmpint(balance(&card, G), ==, ends[i]);
		idle(&card, 69, G, ends[i], 0);
		migrate_to(&card, path);
		card_stop(&card);
		start_from(&card, PROPERTIES, path);
		g_assert_cmpint(balance(&card, G), ==, ends[i]);
		g_assert_cmphex(group_word(&card, G), ==,
				broken_word(2, HBSR_REASON_OVERFLOW) | 2 << HBSR_WORD_VOTE_SHIFT);
		card_stop(&card);
	}
	unlink(path);
	g_free(path);
}

static void test_refutable_snapshot(void)
{
	char *path = temporary("disk");
	struct card card;

	prepare_refutable(&card);
	add_disk(&card, path);
	snapshot(&card, "snapshot-save");
	assert_refutable_goes_on(&card);
	set_operand(&card, 0, G, 1000);
	idle(&card, 0, G, 100, HBSR_IDLE_FREED);
	snapshot(&card, "snapshot-load");
	assert_refutable(&card);
	assert_refutable_goes_on(&card);
	card_stop(&card);
	unlink(path);
	g_free(path);
}

/* A snapshot of a card that does not poll stops the rounds of a card that does. */
static void test_polling_stops(void)
{
	char *path = temporary("disk");
	struct card card;

	prepare(&card);
	add_disk(&card, path);
	snapshot(&card, "snapshot-save");
	memory_set(&card, 1);
	group_enable_as(&card, G + 1, 1, HBSR_ARRIVAL_POLL << HBSR_GRP_CTRL_ARRIVAL_SHIFT);
	join(&card, G + 1, 1);
	qtest_clock_step(card.qts, PERIOD);
	g_assert_cmpuint(reg64(&card, of_group(G + 1, HBSR_GRP_LINE_READS)), ==, 1);
	snapshot(&card, "snapshot-load");
	qtest_clock_step(card.qts, 10 * PERIOD);
	g_assert_cmpuint(reg64(&card, of_group(G + 1, HBSR_GRP_LINE_READS)), ==, 0);
	g_assert_cmphex(reg64(&card, of_port(1, HBSR_PRT_ADDR)), ==, 0);
	assert_prepared(&card);
	card_stop(&card);
	unlink(path);
	g_free(path);
}

/* If q35 is told to have the extended configuration space, and AER in it */
#define ECAM_AT	   0xb0000000
#define PCIEXBAR   0x60
#define ECAM_ON	   1
#define AER_AT	   (ECAM_AT + (CARD_DEVFN << 12) + 0x100)
#define LINK_AT	   (ECAM_AT + (CARD_DEVFN << 12) + 0x80 + PCI_EXP_LNKCAP)
#define LINK_X1	   (PCI_EXP_LNKCAP_ASPM_L0S | 1 << 4 | 1)
#define HEADER_LEN 4

static uint32_t aer(struct card *card, unsigned int offset)
{
	return qtest_readl(card->qts, AER_AT + offset);
}

/* What AER says about the first error, and about those after it */
static void assert_errors(struct card *card)
{
	unsigned int i;

	g_assert_cmphex(aer(card, PCI_ERR_UNCOR_STATUS), ==,
			PCI_ERR_UNC_MALF_TLP | PCI_ERR_UNC_UNSUP);
	g_assert_cmphex(aer(card, PCI_ERR_COR_STATUS), ==, PCI_ERR_COR_BAD_TLP);
	g_assert_cmpuint(PCI_ERR_CAP_FEP(aer(card, PCI_ERR_CAP)), ==,
			 __builtin_ctz(PCI_ERR_UNC_UNSUP));
	for (i = 0; i < HEADER_LEN; i++)
		g_assert_cmphex(aer(card, PCI_ERR_HEADER_LOG + 4 * i), ==, 0x01010101 * (i + 5));
	/* The link is as it was: its capabilities are next to the status of the device */
	g_assert_cmphex(qtest_readl(card->qts, LINK_AT), ==, LINK_X1);
	/* There is no log of more than one, which would have to come along */
	g_assert_cmphex(aer(card, PCI_ERR_CAP) & PCI_ERR_CAP_MHRC, ==, 0);
}

static void test_errors(void)
{
	static const char *const errors[] = { "MALF_TLP 1 2 3 4",
					      "UNSUP 0x05050505 0x06060606 0x07070707 0x08080808",
					      "BAD_TLP" };
	char *path = temporary("migration");
	struct card card;
	unsigned int i;

	card_start(&card, PROPERTIES, "");
	qtest_outl(card.qts, 0xcf8, 0x80000000 | PCIEXBAR);
	qtest_outl(card.qts, 0xcfc, ECAM_AT | ECAM_ON);
	for (i = 0; i < G_N_ELEMENTS(errors); i++)
		g_free(qtest_hmp(card.qts, "pcie_aer_inject_error card %s", errors[i]));
	assert_errors(&card);
	migrate_to(&card, path);
	card_stop(&card);
	start_from(&card, PROPERTIES, path);
	assert_errors(&card);
	card_stop(&card);
	unlink(path);
	g_free(path);
}

static void add_tests(void)
{
	g_test_add_func("/migration/errors", test_errors);
	g_test_add_func("/migration/middle-of-a-barrier", test_middle);
	g_test_add_func("/migration/timer", test_timer);
	g_test_add_func("/migration/snapshot", test_snapshot);
	g_test_add_func("/migration/refutable", test_refutable);
	g_test_add_func("/migration/refutable-overflow", test_refutable_overflow);
	g_test_add_func("/migration/refutable-snapshot", test_refutable_snapshot);
	g_test_add_func("/migration/polling", test_polling);
	g_test_add_func("/migration/polling-stops", test_polling_stops);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
