/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion interrupts and management interrupts, by MSI-X.
 */
#include "card.h"

#include "hw/pci/pci_regs.h"

#define G 31

static void start(struct card *card)
{
	card_start(card, "", "");
	messages_enable(card);
	card_enable(card);
	set32(card, of_group(G, HBSR_GRP_VECTOR), 1);
	group_enable(card, G, 2);
	join(card, G, 0);
	join(card, G, 1);
}

static void arm(struct card *card, uint32_t epoch)
{
	set32(card, of_group(G, HBSR_GRP_ARM), epoch);
}

static bool armed(struct card *card)
{
	return reg32(card, of_group(G, HBSR_GRP_STATUS)) & HBSR_GRP_STATUS_ARMED;
}

static void complete(struct card *card)
{
	arrive(card, 0, G);
	arrive(card, 1, G);
}

static void assert_raised(struct card *card, unsigned int times)
{
	g_assert_cmphex(reg64(card, HBSR_INT_GROUPS(0)), ==, 1ULL << G);
	g_assert_cmphex(reg64(card, HBSR_INT_GROUPS(1)), ==, 0);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_INTERRUPTS)), ==, times);
	g_assert_cmpuint(reg64(card, HBSR_CNT_INTERRUPTS), ==, times);
	g_assert_false(armed(card));
	g_assert_true(message(card, 1));
	g_assert_false(message(card, 0));
	set64(card, HBSR_INT_GROUPS(0), 1ULL << G);
	g_assert_cmphex(reg64(card, HBSR_INT_GROUPS(0)), ==, 0);
}

/* One interrupt for one arming, and none without. */
static void test_armed(void)
{
	struct card card;

	start(&card);
	complete(&card);
	g_assert_false(message(&card, 1));
	arm(&card, 2);
	g_assert_true(armed(&card));
	arrive(&card, 0, G);
	g_assert_false(message(&card, 1));
	arrive(&card, 1, G);
	assert_raised(&card, 1);
	complete(&card);
	g_assert_false(message(&card, 1));
	/* Arming twice is arming once. */
	arm(&card, 4);
	arm(&card, 4);
	complete(&card);
	assert_raised(&card, 2);
	card_stop(&card);
}

/* Armed for what is over: at once, so that no wake-up is lost. */
static void test_arm_past(void)
{
	struct card card;

	start(&card);
	complete(&card);
	arm(&card, 1);
	assert_raised(&card, 1);
	arm(&card, 3);
	assert_raised(&card, 2);
	card_stop(&card);
}

/* A late comer does not take the arming of those that wait for this epoch. */
static void test_arm_past_and_current(void)
{
	struct card card;

	start(&card);
	complete(&card);
	arm(&card, 2);
	arm(&card, 1);
	g_assert_true(message(&card, 1));
	g_assert_true(armed(&card));
	set64(&card, HBSR_INT_GROUPS(0), 1ULL << G);
	complete(&card);
	assert_raised(&card, 2);
	card_stop(&card);
}

static void test_arm_broken(void)
{
	struct card card;

	start(&card);
	arm(&card, 1);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	assert_raised(&card, 1);
	arm(&card, 1);
	assert_raised(&card, 2);
	card_stop(&card);
}

/* A leave that completes the epoch raises it as an arrival does. */
static void test_leave(void)
{
	struct card card;

	start(&card);
	arrive(&card, 0, G);
	arm(&card, 1);
	command(&card, G, HBSR_OP_LEAVE, 1);
	assert_raised(&card, 1);
	card_stop(&card);
}

static void test_disable_disarms(void)
{
	struct card card;

	start(&card);
	arm(&card, 1);
	group_disable(&card, G);
	g_assert_false(message(&card, 1));
	group_enable(&card, G, 1);
	g_assert_false(armed(&card));
	join(&card, G, 0);
	arrive(&card, 0, G);
	g_assert_false(message(&card, 1));
	card_stop(&card);
}

/* The card uses the vector of the group; bits of groups above 63 too. */
static void test_vector(void)
{
	struct card card;

	card_start(&card, ",groups=128", "");
	messages_enable(&card);
	card_enable(&card);
	group_enable(&card, 127, 1);
	join(&card, 127, 0);
	set32(&card, of_group(127, HBSR_GRP_ARM), 1);
	arrive(&card, 0, 127);
	g_assert_true(message(&card, 0));
	g_assert_false(message(&card, 1));
	g_assert_cmphex(reg64(&card, HBSR_INT_GROUPS(1)), ==, 1ULL << 63);
	g_assert_cmphex(reg32(&card, HBSR_INT_GROUPS(1) + 4), ==, 1U << 31);
	/* writing 0, and another bit, clears nothing */
	set64(&card, HBSR_INT_GROUPS(1), ~(1ULL << 63));
	g_assert_cmphex(reg64(&card, HBSR_INT_GROUPS(1)), ==, 1ULL << 63);
	set32(&card, HBSR_INT_GROUPS(1) + 4, 1U << 31);
	g_assert_cmphex(reg64(&card, HBSR_INT_GROUPS(1)), ==, 0);
	card_stop(&card);
}

/* A cause raises vector 0 when it is enabled and goes from 0 to 1, and only then. */
static void test_cause(void)
{
	struct card card;

	start(&card);
	arrive(&card, 9, G);
	g_assert_false(message(&card, 0));
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_VIOLATION);
	/* enabling a cause that is set */
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_VIOLATION | HBSR_INT_ENABLE_DMA);
	g_assert_true(message(&card, 0));
	/* again, though it is enabled already */
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_VIOLATION);
	g_assert_false(message(&card, 0));
	arrive(&card, 9, G);
	g_assert_false(message(&card, 0));
	set32(&card, HBSR_INT_CAUSE, HBSR_INT_CAUSE_DMA);
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_VIOLATION);
	set32(&card, HBSR_INT_CAUSE, HBSR_INT_CAUSE_VIOLATION);
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, 0);
	arrive(&card, 9, G);
	g_assert_true(message(&card, 0));
	g_assert_false(message(&card, 1));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_INTERRUPTS), ==, 2);
	card_stop(&card);
}

/* A card that is not enabled raises nothing, and makes up for it when it is. */
static void test_cause_disabled(void)
{
	struct card card;

	start(&card);
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_VIOLATION);
	set32(&card, HBSR_CTL_CTRL, 0);
	arrive(&card, 0, G);
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_VIOLATION);
	g_assert_false(message(&card, 0));
	card_enable(&card);
	g_assert_true(message(&card, 0));
	card_enable(&card);
	g_assert_false(message(&card, 0));
	card_stop(&card);
}

/* A write that was due when the card was disabled fails: the group raises its interrupt then. */
static void break_disabled(unsigned int vector)
{
	struct card card;

	card_start(&card, ",x-write-ns=1000", "");
	messages_enable(&card);
	card_enable(&card);
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_DMA);
	set32(&card, of_group(G, HBSR_GRP_VECTOR), vector);
	two_with_records(&card, G);
	complete(&card);
	arm(&card, 2);
	set32(&card, HBSR_CTL_CTRL, 0);
	set64(&card, of_port(1, HBSR_PRT_ADDR), 0);
	/* This read pushes the records; the message of what became of them may be behind it. */
	g_assert_false(message(&card, vector));
	reg32(&card, HBSR_CTL_CTRL);
	g_assert_cmphex(group_word(&card, G), ==, broken_word(2, HBSR_REASON_DMA));
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_DMA);
	g_assert_cmphex(reg64(&card, HBSR_INT_GROUPS(0)), ==, 1ULL << G);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_INTERRUPTS)), ==, 1);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_INTERRUPTS), ==, 1);
	g_assert_true(message(&card, vector));
	g_assert_false(message(&card, !vector));
	/* The cause has raised nothing so far. */
	card_enable(&card);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_INTERRUPTS), ==, 2);
	g_assert_true(message(&card, 0));
	card_stop(&card);
}

static void test_break_disabled(void)
{
	break_disabled(1);
	/* one that shares its vector with the causes */
	break_disabled(0);
}

/* MSI-X off: nothing is sent or counted as sent, but causes are kept. */
static void test_no_msix(void)
{
	struct card card;

	start(&card);
	config_write16(&card, find_capability(&card, PCI_CAP_ID_MSIX) + PCI_MSIX_FLAGS, 0);
	arm(&card, 1);
	complete(&card);
	g_assert_false(message(&card, 1));
	g_assert_cmphex(reg64(&card, HBSR_INT_GROUPS(0)), ==, 1ULL << G);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_INTERRUPTS)), ==, 1);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_INTERRUPTS), ==, 0);
	card_stop(&card);
}

/* A masked vector keeps its message until it is unmasked. */
static void test_masked(void)
{
	struct card card;
	uint64_t control;

	start(&card);
	control = card.bar[HBSR_BAR_MSIX] + PCI_MSIX_ENTRY_SIZE + PCI_MSIX_ENTRY_VECTOR_CTRL;
	qtest_writel(card.qts, control, PCI_MSIX_ENTRY_CTRL_MASKBIT);
	arm(&card, 1);
	complete(&card);
	g_assert_false(message(&card, 1));
	qtest_writel(card.qts, control, 0);
	g_assert_true(message(&card, 1));
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/interrupts/armed", test_armed);
	g_test_add_func("/interrupts/arm-past", test_arm_past);
	g_test_add_func("/interrupts/arm-past-and-current", test_arm_past_and_current);
	g_test_add_func("/interrupts/arm-broken", test_arm_broken);
	g_test_add_func("/interrupts/leave", test_leave);
	g_test_add_func("/interrupts/disable-disarms", test_disable_disarms);
	g_test_add_func("/interrupts/vector", test_vector);
	g_test_add_func("/interrupts/cause", test_cause);
	g_test_add_func("/interrupts/cause-disabled", test_cause_disabled);
	g_test_add_func("/interrupts/break-disabled", test_break_disabled);
	g_test_add_func("/interrupts/no-msix", test_no_msix);
	g_test_add_func("/interrupts/masked", test_masked);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
