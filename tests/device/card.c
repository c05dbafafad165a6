/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"

#include "hw/pci/pci_regs.h"

/* Addresses in the PCI hole of the q35 and pc machines */
#define PORTS_AT      0xe0000000
#define REGISTERS_AT  0xe8000000
#define MSIX_AT	      0xe8100000
#define SECOND_OFFSET 0x4000000

static void config_select(struct card *card, uint8_t offset)
{
	qtest_outl(card->qts, 0xcf8,
		   0x80000000 | card->bus << 16 | card->devfn << 8 | (offset & 0xfc));
}

uint32_t config_read32(struct card *card, uint8_t offset)
{
	config_select(card, offset);
	return qtest_inl(card->qts, 0xcfc);
}

void config_write32(struct card *card, uint8_t offset, uint32_t value)
{
	config_select(card, offset);
	qtest_outl(card->qts, 0xcfc, value);
}

uint16_t config_read16(struct card *card, uint8_t offset)
{
	config_select(card, offset);
	return qtest_inw(card->qts, 0xcfc + (offset & 2));
}

void config_write16(struct card *card, uint8_t offset, uint16_t value)
{
	config_select(card, offset);
	qtest_outw(card->qts, 0xcfc + (offset & 2), value);
}

uint8_t find_capability(struct card *card, uint8_t id)
{
	uint8_t at = config_read32(card, PCI_CAPABILITY_LIST) & 0xff;

	while (at) {
		uint16_t head = config_read16(card, at);

		if ((head & 0xff) == id)
			return at;
		at = head >> 8;
	}
	return 0;
}

void set_bus_master(struct card *card, bool on)
{
	config_write16(card, PCI_COMMAND, PCI_COMMAND_MEMORY | (on ? PCI_COMMAND_MASTER : 0));
}

static void map_at(struct card *card, uint32_t offset)
{
	card->bar[HBSR_BAR_REGISTERS] = REGISTERS_AT + offset;
	card->bar[HBSR_BAR_PORTS] = PORTS_AT + offset;
	card->bar[HBSR_BAR_MSIX] = MSIX_AT + offset;
	config_write32(card, PCI_BASE_ADDRESS_0, REGISTERS_AT + offset);
	config_write32(card, PCI_BASE_ADDRESS_2, PORTS_AT + offset);
	config_write32(card, PCI_BASE_ADDRESS_3, 0);
	config_write32(card, PCI_BASE_ADDRESS_4, MSIX_AT + offset);
	set_bus_master(card, true);
}

void card_map(struct card *card)
{
	map_at(card, 0);
}

void card_map_second(struct card *card)
{
	map_at(card, SECOND_OFFSET);
}

/* libqtest adds the accelerator qtest: no processor runs, and the clock is the test's. */
#define MACHINE_OPTIONS "-nodefaults -m 16M"

void card_start_bare(struct card *card, const char *options)
{
	*card = (struct card){ .devfn = CARD_DEVFN };
	card->qts = qtest_initf(MACHINE_OPTIONS " %s", options);
}

void card_start(struct card *card, const char *properties, const char *options)
{
	char *all = g_strdup_printf("-M q35 -device hbs,id=card,addr=%d%s %s", CARD_SLOT,
				    properties, options);

	card_start_bare(card, all);
	g_free(all);
	card_map(card);
}

void card_stop(struct card *card)
{
	qtest_quit(card->qts);
}

void card_eject(struct card *card)
{
	qtest_outl(card->qts, 0xae10, 0);
	qtest_outl(card->qts, 0xae08, 1 << CARD_SLOT);
}

char *qemu_refuses(const char *options)
{
	GError *error = NULL;
	char *command, *errors = NULL;
	int status = 0;

	/* The limit is for a QEMU that runs though it should not. */
	command =
		g_strdup_printf("timeout 300 %s -display none -accel qtest " MACHINE_OPTIONS " %s",
				getenv("QTEST_QEMU_BINARY"), options);
	g_spawn_command_line_sync(command, NULL, &errors, &status, &error);
	g_assert_no_error(error);
	g_assert_true(WIFEXITED(status));
	g_assert_cmpint(WEXITSTATUS(status), ==, 1);
	g_free(command);
	return errors;
}

char *file_text(const char *path)
{
	GError *error = NULL;
	char *text = NULL;

	g_file_get_contents(path, &text, NULL, &error);
	g_assert_no_error(error);
	return text;
}

void assert_in_order(const char *path, const char *const *texts, size_t count)
{
	char *text = file_text(path), *at = text;
	size_t i;

	for (i = 0; i < count; i++) {
		g_test_message("%s", texts[i]);
		at = strstr(at, texts[i]);
		g_assert_nonnull(at);
	}
	unlink(path);
	g_free(text);
}

char *temporary(const char *name)
{
	return g_strdup_printf("%s/hbs-test-%d-%s", g_get_tmp_dir(), getpid(), name);
}

uint32_t reg32(struct card *card, uint32_t offset)
{
	return qtest_readl(card->qts, card->bar[HBSR_BAR_REGISTERS] + offset);
}

uint64_t reg64(struct card *card, uint32_t offset)
{
	return qtest_readq(card->qts, card->bar[HBSR_BAR_REGISTERS] + offset);
}

void set32(struct card *card, uint32_t offset, uint32_t value)
{
	qtest_writel(card->qts, card->bar[HBSR_BAR_REGISTERS] + offset, value);
}

void set64(struct card *card, uint32_t offset, uint64_t value)
{
	qtest_writeq(card->qts, card->bar[HBSR_BAR_REGISTERS] + offset, value);
}

uint32_t of_group(unsigned int g, uint32_t offset)
{
	return HBSR_GRP_BASE + g * HBSR_GRP_STRIDE + offset;
}

uint32_t of_port(unsigned int port, uint32_t offset)
{
	return HBSR_PRT_BASE + port * HBSR_PRT_STRIDE + offset;
}

void card_enable(struct card *card)
{
	set32(card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_ENABLE);
}

uint64_t record_of(unsigned int g, unsigned int i)
{
	return RECORDS + g * 0x10000 + i * HBSR_RECORD_STRIDE;
}

void group_enable_as(struct card *card, unsigned int g, unsigned int seats, uint32_t ctrl)
{
	set32(card, of_group(g, HBSR_GRP_VACANT), seats);
	set32(card, of_group(g, HBSR_GRP_RECORDS), 1);
	set64(card, of_group(g, HBSR_GRP_RECORD_ADDR(0)), record_of(g, 0));
	set32(card, of_group(g, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE | ctrl);
}

void group_enable(struct card *card, unsigned int g, unsigned int seats)
{
	group_enable_as(card, g, seats, 0);
}

void group_disable(struct card *card, unsigned int g)
{
	set32(card, of_group(g, HBSR_GRP_CTRL), 0);
}

void group_wait(struct card *card, unsigned int g)
{
	uint32_t at = of_group(g, HBSR_GRP_STATUS);

	if (reg32(card, at) & HBSR_GRP_STATUS_BUSY)
		g_assert_cmphex(reg32(card, at) & HBSR_GRP_STATUS_BUSY, ==, 0);
}

void command(struct card *card, unsigned int g, unsigned int op, unsigned int arg)
{
	set32(card, of_group(g, HBSR_GRP_COMMAND),
	      op << HBSR_GRP_COMMAND_OP_SHIFT | arg << HBSR_GRP_COMMAND_ARG_SHIFT);
}

void join(struct card *card, unsigned int g, unsigned int port)
{
	command(card, g, HBSR_OP_JOIN, port);
}

void two_with_records(struct card *card, unsigned int g)
{
	memory_set(card, 0);
	memory_set(card, 1);
	group_enable_as(card, g, 2, HBSR_DEPARTURE_PORT << HBSR_GRP_CTRL_DEPARTURE_SHIFT);
	group_wait(card, g);
	join(card, g, 0);
	group_wait(card, g);
	join(card, g, 1);
	group_wait(card, g);
}

uint64_t record(struct card *card, unsigned int g)
{
	return qtest_readq(card->qts, record_of(g, 0) + HBSR_RECORD_WORD);
}

uint64_t epoch_word(uint64_t epoch)
{
	return epoch << HBSR_WORD_EPOCH_SHIFT;
}

uint64_t broken_word(uint64_t epoch, unsigned int reason)
{
	return epoch_word(epoch) | HBSR_WORD_BROKEN | (uint64_t)reason << HBSR_WORD_REASON_SHIFT;
}

uint64_t memory_of(unsigned int port)
{
	return MEMORIES + port * 0x4000;
}

void memory_set(struct card *card, unsigned int port)
{
	set64(card, of_port(port, HBSR_PRT_ADDR), memory_of(port));
}

uint64_t line_of(unsigned int port, unsigned int g)
{
	return memory_of(port) + g * HBSR_MEMORY_STRIDE + HBSR_MEMORY_ARRIVAL;
}

void line_write(struct card *card, unsigned int port, unsigned int g, uint64_t word,
		uint64_t operand)
{
	qtest_writeq(card->qts, line_of(port, g) + HBSR_LINE_OPERAND, operand);
	qtest_writeq(card->qts, line_of(port, g) + HBSR_LINE_WORD, word);
}

void line_arrive(struct card *card, unsigned int port, unsigned int g, uint64_t epoch)
{
	line_write(card, port, g, epoch_word(epoch), 0);
}

uint64_t member_record(struct card *card, unsigned int port, unsigned int g)
{
	return qtest_readq(card->qts, memory_of(port) + g * HBSR_MEMORY_STRIDE +
					      HBSR_MEMORY_DEPARTURE + HBSR_RECORD_WORD);
}

uint64_t lane(struct card *card, unsigned int port, unsigned int g)
{
	return card->bar[HBSR_BAR_PORTS] + (uint64_t)port * HBSR_ID_PORT_STRIDE_DEFAULT +
	       g * HBSR_LANE_STRIDE;
}

void arrive(struct card *card, unsigned int port, unsigned int g)
{
	arrive_with(card, port, g, 0);
}

void arrive_with(struct card *card, unsigned int port, unsigned int g, uint64_t operand)
{
	qtest_writeq(card->qts, lane(card, port, g) + HBSR_LANE_ARRIVAL, operand);
}

uint64_t departure(struct card *card, unsigned int port, unsigned int g)
{
	return qtest_readq(card->qts, lane(card, port, g) + HBSR_LANE_DEPARTURE);
}

void idle(struct card *card, unsigned int port, unsigned int g, int64_t delta, uint64_t flags)
{
	arrive_with(card, port, g, (delta & HBSR_IDLE_DELTA) | flags);
}

void withdraw(struct card *card, unsigned int port, unsigned int g)
{
	qtest_writeq(card->qts, lane(card, port, g) + HBSR_LANE_WITHDRAW, 0);
}

void set_operand(struct card *card, unsigned int port, unsigned int g, uint64_t operand)
{
	qtest_writeq(card->qts, lane(card, port, g) + HBSR_LANE_OPERAND, operand);
}

uint64_t is_idle(struct card *card, unsigned int port, unsigned int g)
{
	return qtest_readq(card->qts, lane(card, port, g) + HBSR_LANE_WITHDRAW);
}

int64_t balance(struct card *card, unsigned int g)
{
	return reg64(card, of_group(g, HBSR_GRP_BALANCE));
}

uint64_t vote_word(uint64_t epoch, unsigned int vote)
{
	return epoch_word(epoch) | (uint64_t)vote << HBSR_WORD_VOTE_SHIFT;
}

uint64_t group_word(struct card *card, unsigned int g)
{
	uint64_t word = epoch_word(reg64(card, of_group(g, HBSR_GRP_EPOCH)));

	return word | (reg32(card, of_group(g, HBSR_GRP_STATUS)) &
		       (HBSR_WORD_BROKEN | HBSR_WORD_REASON | HBSR_WORD_VOTE));
}

void messages_enable(struct card *card)
{
	uint8_t at = find_capability(card, PCI_CAP_ID_MSIX);
	unsigned int v;

	g_assert_cmpuint(at, !=, 0);
	for (v = 0; v < HBSR_ID_VECTORS_DEFAULT; v++) {
		uint64_t entry = card->bar[HBSR_BAR_MSIX] + v * PCI_MSIX_ENTRY_SIZE;

		qtest_writel(card->qts, entry + PCI_MSIX_ENTRY_LOWER_ADDR, MESSAGES + 4 * v);
		qtest_writel(card->qts, entry + PCI_MSIX_ENTRY_UPPER_ADDR, 0);
		qtest_writel(card->qts, entry + PCI_MSIX_ENTRY_DATA, v + 1);
		qtest_writel(card->qts, entry + PCI_MSIX_ENTRY_VECTOR_CTRL, 0);
		qtest_writel(card->qts, MESSAGES + 4 * v, 0);
	}
	config_write16(card, at + PCI_MSIX_FLAGS, PCI_MSIX_FLAGS_ENABLE);
}

bool message(struct card *card, unsigned int vector)
{
	uint32_t found = qtest_readl(card->qts, MESSAGES + 4 * vector);

	qtest_writel(card->qts, MESSAGES + 4 * vector, 0);
	if (found)
		g_assert_cmpuint(found, ==, vector + 1);
	return found != 0;
}

void assert_violation(struct card *card, uint64_t count, unsigned int kind, unsigned int port,
		      unsigned int group)
{
	uint64_t last = reg64(card, HBSR_CNT_VIOLATION_LAST);

	g_assert_cmpuint(reg64(card, HBSR_CNT_VIOLATIONS), ==, count);
	g_assert_cmphex(last, ==,
			(uint64_t)kind << HBSR_CNT_VIOLATION_LAST_KIND_SHIFT |
				(uint64_t)port << HBSR_CNT_VIOLATION_LAST_PORT_SHIFT |
				(uint64_t)group << HBSR_CNT_VIOLATION_LAST_GROUP_SHIFT);
	g_assert_cmphex(reg32(card, HBSR_INT_CAUSE) & HBSR_INT_CAUSE_VIOLATION, ==,
			HBSR_INT_CAUSE_VIOLATION);
}

void assert_bad_access(struct card *card, uint64_t count, unsigned int port, unsigned int group)
{
	assert_violation(card, count, HBSR_VIOLATION_ACCESS, port, group);
	g_assert_cmpuint(reg64(card, HBSR_CNT_BAD_ACCESSES), ==, count);
}

void reset_card(struct card *card)
{
	set32(card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
}

void reset_function(struct card *card)
{
	config_write16(card, find_capability(card, PCI_CAP_ID_EXP) + PCI_EXP_DEVCTL,
		       PCI_EXP_DEVCTL_BCR_FLR);
	card_map(card);
}

void reset_bus(struct card *card)
{
	qobject_unref(qtest_qmp(card->qts, "{ 'execute': 'system_reset' }"));
	qtest_qmp_eventwait(card->qts, "RESET");
	card_map(card);
}

int run_tests(int argc, char **argv, void (*add)(void))
{
	g_test_init(&argc, &argv, NULL);
	/* One wrong value must not hide the others. */
	g_test_set_nonfatal_assertions();
	if (!getenv("QTEST_QEMU_BINARY")) {
		fputs("QTEST_QEMU_BINARY is not set: run by make -C tests/device check\n", stderr);
		return EXIT_FAILURE;
	}
	add();
	return g_test_run();
}
