/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resets of all kinds, identity in the configuration space, several cards,
 * hot-plug and hot-unplug, trace events.
 */
#include "card.h"

#include "hw/pci/pci_regs.h"

#define G 7

static void work(struct card *card)
{
	messages_enable(card);
	set32(card, HBSR_CTL_TAG, 0xffffffff);
	g_assert_cmphex(reg32(card, HBSR_CTL_TAG), ==, 0xffffffff);
	card_enable(card);
	set32(card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_VIOLATION);
	group_enable(card, G, 2);
	join(card, G, 0);
	join(card, G, 1);
	arrive(card, 0, G);
	arrive(card, 1, G);
	arrive(card, 0, G);
	arrive(card, 0, G);
	set32(card, of_group(G, HBSR_GRP_ARM), 2);
	set32(card, of_group(G, HBSR_GRP_ARM), 1);
}

/* Nothing is left of the effects of work(); the driver's tag is gone, too. */
static void assert_clean(struct card *card)
{
	g_assert_cmphex(reg32(card, HBSR_CTL_TAG), ==, 0);
	g_assert_cmphex(reg32(card, HBSR_CTL_CTRL), ==, 0);
	g_assert_cmphex(reg32(card, HBSR_CTL_STATUS), ==, HBSR_CTL_STATUS_READY);
	g_assert_cmphex(reg32(card, HBSR_INT_CAUSE), ==, 0);
	g_assert_cmphex(reg32(card, HBSR_INT_ENABLE), ==, 0);
	g_assert_cmphex(reg64(card, HBSR_INT_GROUPS(0)), ==, 0);
	g_assert_cmphex(reg64(card, HBSR_CNT_VIOLATIONS), ==, 0);
	g_assert_cmphex(reg64(card, HBSR_CNT_VIOLATION_LAST), ==, 0);
	g_assert_cmphex(reg64(card, HBSR_CNT_INTERRUPTS), ==, 0);
	g_assert_cmphex(reg32(card, of_group(G, HBSR_GRP_CTRL)), ==, 0);
	g_assert_cmphex(reg32(card, of_group(G, HBSR_GRP_STATUS)), ==, 0);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_EPOCH)), ==, 0);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_P(0))), ==, 0);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_S(0))), ==, 0);
	g_assert_cmphex(reg32(card, of_group(G, HBSR_GRP_RECORDS)), ==, 0);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_RECORD_ADDR(0))), ==, 0);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_ARRIVALS)), ==, 0);
}

static void test_register_reset(void)
{
	struct card card;

	card_start(&card, "", "");
	assert_clean(&card);
	work(&card);
	qtest_writeq(card.qts, record_of(G, 0), 0x1234);
	/* ENABLE beside RESET does not count. */
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET | HBSR_CTL_CTRL_ENABLE);
	assert_clean(&card);
	/* Records are not written; MSI-X belongs to PCI and stays. */
	g_assert_cmphex(record(&card, G), ==, 0x1234);
	work(&card);
	g_assert_true(message(&card, 0));
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	assert_clean(&card);
	card_stop(&card);
}

static void test_function_reset(void)
{
	struct card card;
	uint8_t at;

	card_start(&card, "", "");
	at = find_capability(&card, PCI_CAP_ID_EXP);
	g_assert_cmpuint(at, !=, 0);
	g_assert_cmphex(config_read32(&card, at + PCI_EXP_DEVCAP) & PCI_EXP_DEVCAP_FLR, !=, 0);
	work(&card);
	config_write16(&card, at + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
	g_assert_cmphex(config_read16(&card, at + PCI_EXP_DEVCTL) & PCI_EXP_DEVCTL_BCR_FLR, ==, 0);
	g_assert_cmphex(config_read16(&card, PCI_COMMAND) & PCI_COMMAND_MEMORY, ==, 0);
	card_map(&card);
	assert_clean(&card);
	at = find_capability(&card, PCI_CAP_ID_MSIX);
	g_assert_cmphex(config_read16(&card, at + PCI_MSIX_FLAGS) & PCI_MSIX_FLAGS_ENABLE, ==, 0);
	work(&card);
	card_stop(&card);
}

static void test_system_reset(void)
{
	struct card card;

	card_start(&card, "", "");
	work(&card);
	qobject_unref(qtest_qmp(card.qts, "{ 'execute': 'system_reset' }"));
	qtest_qmp_eventwait(card.qts, "RESET");
	card_map(&card);
	assert_clean(&card);
	card_stop(&card);
}

/* A reset takes its time: until it is over nothing but ID and CTL is there. */
static void test_slow_reset(void)
{
	struct card card;

	card_start(&card, ",x-reset-ns=100000", "");
	qtest_clock_step(card.qts, 100000);
	work(&card);
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	g_assert_cmphex(reg32(&card, HBSR_CTL_STATUS), ==, 0);
	g_assert_cmphex(reg32(&card, HBSR_ID_MAGIC), ==, HBSR_ID_MAGIC_DEFAULT);
	g_assert_cmpuint(reg32(&card, HBSR_ID_PORTS), ==, 64);
	/* A store now is lost, and counted nowhere. */
	set32(&card, HBSR_CTL_TAG, 5);
	set32(&card, HBSR_INT_ENABLE, 1);
	set32(&card, HBSR_ID_MAGIC, 0);
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_ENABLE);
	set32(&card, of_group(G, HBSR_GRP_VACANT), 1);
	set64(&card, of_port(0, HBSR_PRT_ADDR), 0x1000);
	arrive(&card, 0, G);
	departure(&card, 0, 32);
	g_assert_cmphex(reg32(&card, of_group(G, HBSR_GRP_CTRL)), ==, 0);
	qtest_clock_step(card.qts, 99999);
	g_assert_cmphex(reg32(&card, HBSR_CTL_STATUS), ==, 0);
	qtest_clock_step(card.qts, 1);
	assert_clean(&card);
	g_assert_cmphex(reg64(&card, of_port(0, HBSR_PRT_ADDR)), ==, 0);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_VACANT)), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_FOREIGN_READS), ==, 0);
	work(&card);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	card_stop(&card);
}

static void test_identity(void)
{
	struct card card;

	card_start(&card, "", "");
	g_assert_cmphex(config_read32(&card, PCI_VENDOR_ID), ==,
			HBSR_PCI_DEVICE << 16 | HBSR_PCI_VENDOR);
	g_assert_cmphex(config_read32(&card, PCI_CLASS_REVISION) >> 16, ==, HBSR_PCI_CLASS);
	g_assert_cmphex(
		config_read16(&card, find_capability(&card, PCI_CAP_ID_MSIX) + PCI_MSIX_FLAGS) &
			PCI_MSIX_FLAGS_QSIZE,
		==, HBSR_ID_VECTORS_DEFAULT - 1);
	card_stop(&card);
}

/* Behind a root port, as on a real machine */
static void test_root_port(void)
{
	struct card card, port;

	card_start_bare(&card, "-M q35 -device pcie-root-port,id=rp,addr=3 -device hbs,bus=rp");
	port = card;
	port.devfn = 3 << 3;
	config_write32(&port, PCI_PRIMARY_BUS, 0x00010100);
	config_write32(&port, PCI_MEMORY_BASE, 0xe810e800);
	config_write32(&port, PCI_PREF_MEMORY_BASE, 0xe030e000);
	config_write32(&port, PCI_PREF_BASE_UPPER32, 0);
	config_write32(&port, PCI_PREF_LIMIT_UPPER32, 0);
	set_bus_master(&port, true);
	card.bus = 1;
	card.devfn = 0;
	card_map(&card);
	work(&card);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_true(message(&card, 0));
	/* A reset of the secondary bus resets the card. */
	config_write16(&port, PCI_BRIDGE_CONTROL, PCI_BRIDGE_CTL_BUS_RESET);
	config_write16(&port, PCI_BRIDGE_CONTROL, 0);
	card_map(&card);
	assert_clean(&card);
	card_stop(&card);
}

static void test_two_cards(void)
{
	struct card card, other;

	card_start(&card, "", "-device hbs,ports=2,groups=8,addr=5");
	other = card;
	other.devfn = 5 << 3;
	card_map_second(&other);
	g_assert_cmpuint(reg32(&other, HBSR_ID_PORTS), ==, 2);
	work(&card);
	assert_clean(&other);
	card_enable(&other);
	arrive(&other, 0, G);
	assert_violation(&other, 1, HBSR_VIOLATION_NON_MEMBER, 0, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	card_stop(&card);
}

static void test_hotplug(void)
{
	struct card card;
	unsigned int round;

	card_start_bare(&card, "-M pc");
	for (round = 0; round < 3; round++) {
		qtest_qmp_device_add(card.qts, "hbs", "card", "{ 'addr': '4', 'ports': 9 }");
		card_map(&card);
		/* It starts anew each time, on a bus that is not PCI Express. */
		assert_clean(&card);
		g_assert_cmpuint(reg32(&card, HBSR_ID_PORTS), ==, 9);
		g_assert_cmpuint(find_capability(&card, PCI_CAP_ID_EXP), ==, 0);
		work(&card);
		g_assert_cmphex(record(&card, G), ==, epoch_word(2));
		qtest_qmp_device_del_send(card.qts, "card");
		card_eject(&card);
		qtest_qmp_eventwait(card.qts, "DEVICE_DELETED");
		g_assert_cmphex(config_read32(&card, PCI_VENDOR_ID), ==, UINT32_MAX);
	}
	card_stop(&card);
}

static void test_trace(void)
{
	static const char *const events[] = {
		"hbs_reset ",
		"hbs_register_read addr 0x0 size 4 value 0x31534248",
		"hbs_register_write addr 0x100 size 4 value 0x1",
		"hbs_enable group 7 enable 1",
		"hbs_command group 7 join 1 done 1",
		"hbs_arrival port 0 group 7 operand 0x0",
		"hbs_complete group 7 epoch 2 result 0x0",
		"hbs_record_write group 7 addr 0x270000 word 0x20000 done 1",
		"hbs_violation double arrival port 0 group 7",
		"hbs_interrupt vector 0",
		"hbs_departure_read port 1 group 7 word 0x20000",
		"hbs_foreign_read port 3 group 7",
		"hbs_break group 7 reason 2",
	};
	char *path = temporary("trace"), *options, *text;
	struct card card;
	size_t i;

	options = g_strdup_printf("-trace hbs_* -D %s", path);
	card_start(&card, "", options);
	reg32(&card, HBSR_ID_MAGIC);
	work(&card);
	departure(&card, 1, G);
	departure(&card, 3, G);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	card_stop(&card);
	text = file_text(path);
	for (i = 0; i < G_N_ELEMENTS(events); i++) {
		g_test_message("%s", events[i]);
		g_assert_nonnull(strstr(text, events[i]));
	}
	unlink(path);
	g_free(text);
	g_free(options);
	g_free(path);
}

static void add_tests(void)
{
	g_test_add_func("/lifecycle/register-reset", test_register_reset);
	g_test_add_func("/lifecycle/function-reset", test_function_reset);
	g_test_add_func("/lifecycle/system-reset", test_system_reset);
	g_test_add_func("/lifecycle/slow-reset", test_slow_reset);
	g_test_add_func("/lifecycle/identity", test_identity);
	g_test_add_func("/lifecycle/root-port", test_root_port);
	g_test_add_func("/lifecycle/two-cards", test_two_cards);
	g_test_add_func("/lifecycle/hotplug", test_hotplug);
	g_test_add_func("/lifecycle/trace", test_trace);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
