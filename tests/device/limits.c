/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The smallest and the largest card, and the ones that cannot be.
 */
#include "card.h"

#include "hw/pci/pci_regs.h"

static uint64_t bar_size(struct card *card, uint8_t bar)
{
	uint8_t offset = PCI_BASE_ADDRESS_0 + 4 * bar;
	uint32_t before = config_read32(card, offset), mask;

	config_write32(card, offset, UINT32_MAX);
	mask = config_read32(card, offset) & PCI_BASE_ADDRESS_MEM_MASK;
	config_write32(card, offset, before);
	return -mask & UINT32_MAX;
}

/* Last port and last group of a card of this size: a barrier of one, then of two */
static void check_size(unsigned int ports, unsigned int groups, uint64_t size)
{
	char *properties = g_strdup_printf(",ports=%u,groups=%u", ports, groups);
	unsigned int port = ports - 1, g = groups - 1;
	struct card card;

	card_start(&card, properties, "");
	g_free(properties);
	g_assert_cmphex(bar_size(&card, HBSR_BAR_PORTS), ==, size);
	g_assert_cmphex(bar_size(&card, HBSR_BAR_REGISTERS), ==, HBSR_BAR0_SIZE);
	g_assert_cmpuint(reg32(&card, HBSR_ID_PORTS), ==, ports);
	g_assert_cmpuint(reg32(&card, HBSR_ID_GROUPS), ==, groups);
	card_enable(&card);
	group_enable(&card, g, ports);
	for (port = 0; port < ports; port++)
		join(&card, g, port);
	g_assert_cmpuint(reg32(&card, of_group(g, HBSR_GRP_MEMBERS)), ==, ports);
	for (port = 0; port < ports; port++) {
		g_assert_cmphex(record(&card, g), ==, epoch_word(1));
		arrive(&card, port, g);
	}
	g_assert_cmphex(record(&card, g), ==, epoch_word(2));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	join(&card, g, ports);
	assert_bad_access(&card, 1, NOBODY, g);
	if (groups < 128) {
		set32(&card, of_group(groups, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
		assert_bad_access(&card, 2, NOBODY, NOBODY);
	}
	card_stop(&card);
}

static void test_smallest(void)
{
	check_size(1, 1, 0x10000);
}

static void test_largest(void)
{
	check_size(1024, 128, 0x4000000);
}

/* Not a power of two: the BAR is rounded up, masks of more than one word */
static void test_odd(void)
{
	check_size(67, 33, 0x800000);
}

static void check_refused(const char *property, const char *value, const char *words)
{
	char *options = g_strdup_printf("-M q35 -device hbs,%s=%s", property, value);
	char *errors = qemu_refuses(options);

	g_test_message("%s: %s", options, errors);
	g_assert_nonnull(strstr(errors, words));
	g_free(errors);
	g_free(options);
}

static void test_refused(void)
{
	check_refused("ports", "0", "ports=0 is not within 1 to 1024");
	check_refused("ports", "1025", "ports=1025 is not within 1 to 1024");
	check_refused("ports", "4294967295", "ports=4294967295 is not within 1 to 1024");
	check_refused("groups", "0", "groups=0 is not within 1 to 128");
	check_refused("groups", "129", "groups=129 is not within 1 to 128");
	check_refused("ports", "many", "ports");
}

static void add_tests(void)
{
	g_test_add_func("/limits/smallest", test_smallest);
	g_test_add_func("/limits/largest", test_largest);
	g_test_add_func("/limits/odd", test_odd);
	g_test_add_func("/limits/refused", test_refused);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
