/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every register of the map: reset value, access rule, reserved bits, widths. The
 * generated list names the registers, so that none is forgotten.
 */
#include "card.h"

enum access { RO, RW, WO, W1C };

struct reg {
	const char *name;
	uint32_t offset;
	unsigned int width;
	unsigned int count;
	enum access access;
	uint64_t reset;
	uint64_t mask;
};

#define HBSR_RESET_VERSION	   (HBSR_VERSION_MAJOR << 16 | HBSR_VERSION_MINOR)
#define HBSR_RESET_FEATURES	   0x3f0f /* bits that are not "reserved" in the map */
#define HBSR_RESET_GROUP_TYPES	   0x3
#define HBSR_RESET_PORTS	   64
#define HBSR_RESET_GROUPS	   32
#define REGISTER(block, name, ...) { #block "_" #name, __VA_ARGS__ },

static const struct reg card_registers[] = {
	/* clang-format off */
	HBSR_ID_REGISTERS(REGISTER)
	HBSR_CTL_REGISTERS(REGISTER)
	HBSR_INT_REGISTERS(REGISTER)
	HBSR_CNT_REGISTERS(REGISTER)
	/* clang-format on */
};

static const struct reg group_registers[] = { HBSR_GRP_REGISTERS(REGISTER) };

static const struct reg port_registers[] = { HBSR_PRT_REGISTERS(REGISTER) };

#define GROUP 5
#define PORT  63

typedef void check_fn(struct card *card, const struct reg *reg, uint32_t at, unsigned int group);

static void for_list(struct card *card, const struct reg *list, size_t length, uint32_t base,
		     unsigned int group, check_fn *check)
{
	size_t r;
	unsigned int i;

	for (r = 0; r < length; r++) {
		const struct reg *reg = &list[r];

		g_test_message("%s", reg->name);
		for (i = 0; i < reg->count; i++)
			check(card, reg, base + reg->offset + i * reg->width / 8, group);
	}
}

/* Calls CHECK for every register of the card, of one group and of one port. */
static void for_all(struct card *card, check_fn *check)
{
	for_list(card, card_registers, G_N_ELEMENTS(card_registers), 0, NOBODY, check);
	for_list(card, group_registers, G_N_ELEMENTS(group_registers), of_group(GROUP, 0), GROUP,
		 check);
	for_list(card, port_registers, G_N_ELEMENTS(port_registers), of_port(PORT, 0), NOBODY,
		 check);
}

/* Clears all counters, so that what is counted next starts at 0. */
static void reset(struct card *card)
{
	set32(card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
}

static uint64_t read_whole(struct card *card, const struct reg *reg, uint32_t at)
{
	return reg->width == 64 ? reg64(card, at) : reg32(card, at);
}

static void write_whole(struct card *card, const struct reg *reg, uint32_t at, uint64_t value)
{
	if (reg->width == 64)
		set64(card, at, value);
	else
		set32(card, at, value);
}

static void check_reset_value(struct card *card, const struct reg *reg, uint32_t at,
			      unsigned int group)
{
	g_assert_cmphex(read_whole(card, reg, at), ==, reg->reset);
	if (reg->width == 64) {
		g_assert_cmphex(reg32(card, at), ==, (uint32_t)reg->reset);
		g_assert_cmphex(reg32(card, at + 4), ==, reg->reset >> 32);
	}
}

static void test_reset_values(void)
{
	struct card card;

	card_start(&card, "", "");
	for_all(&card, check_reset_value);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

static void check_read_only(struct card *card, const struct reg *reg, uint32_t at,
			    unsigned int group)
{
	uint64_t before;

	if (reg->access != RO)
		return;
	reset(card);
	before = read_whole(card, reg, at);
	write_whole(card, reg, at, 0);
	assert_bad_access(card, 1, NOBODY, group);
	write_whole(card, reg, at, UINT64_MAX);
	assert_bad_access(card, 2, NOBODY, group);
	if (reg->offset < HBSR_CNT_VIOLATIONS || reg->offset > HBSR_CNT_VIOLATION_LAST)
		g_assert_cmphex(read_whole(card, reg, at), ==, before);
}

static void test_read_only(void)
{
	struct card card;

	card_start(&card, "", "");
	for_all(&card, check_read_only);
	card_stop(&card);
}

static void check_reserved_bits(struct card *card, const struct reg *reg, uint32_t at,
				unsigned int group)
{
	unsigned int bit;
	uint64_t bad = 0;

	if (reg->access == RO)
		return;
	reset(card);
	for (bit = 0; bit < reg->width; bit++) {
		if (reg->mask >> bit & 1)
			continue;
		write_whole(card, reg, at, 1ULL << bit);
		assert_bad_access(card, ++bad, NOBODY, group);
	}
	g_assert_cmphex(read_whole(card, reg, at) & ~reg->mask, ==, 0);
}

static void test_reserved_bits(void)
{
	struct card card;

	card_start(&card, "", "");
	for_all(&card, check_reserved_bits);
	card_stop(&card);
}

static void check_widths(struct card *card, const struct reg *reg, uint32_t at, unsigned int group)
{
	uint64_t address = card->bar[HBSR_BAR_REGISTERS] + at;
	uint64_t bad = 0;

	reset(card);
	g_assert_cmphex(qtest_readb(card->qts, address), ==, 0);
	assert_bad_access(card, ++bad, NOBODY, group);
	g_assert_cmphex(qtest_readw(card->qts, address), ==, 0);
	assert_bad_access(card, ++bad, NOBODY, group);
	/* Each word that an access touches is one. */
	g_assert_cmphex(qtest_readl(card->qts, address + 1), ==, 0);
	assert_bad_access(card, bad += at % 8 ? 2 : 1, NOBODY, group);
	qtest_writeb(card->qts, address, 0);
	assert_bad_access(card, ++bad, NOBODY, group);
	qtest_writew(card->qts, address, 0);
	assert_bad_access(card, ++bad, NOBODY, group);
	qtest_writel(card->qts, address + 2, 0);
	assert_bad_access(card, bad += at % 8 ? 2 : 1, NOBODY, group);
	if (reg->width == 32 && at % 8 == 0) {
		g_assert_cmphex(qtest_readq(card->qts, address), ==, 0);
		assert_bad_access(card, ++bad, NOBODY, group);
		qtest_writeq(card->qts, address, 0);
		assert_bad_access(card, ++bad, NOBODY, group);
	}
}

static void test_widths(void)
{
	struct card card;

	card_start(&card, "", "");
	for_all(&card, check_widths);
	card_stop(&card);
}

static bool is_named(const struct reg *list, size_t length, uint32_t offset)
{
	size_t r;

	for (r = 0; r < length; r++)
		if (offset >= list[r].offset &&
		    offset < list[r].offset + list[r].count * list[r].width / 8)
			return true;
	return false;
}

static void check_hole(struct card *card, uint32_t at, unsigned int group)
{
	uint64_t bad = reg64(card, HBSR_CNT_BAD_ACCESSES);

	g_assert_cmphex(reg32(card, at), ==, 0);
	set32(card, at, 0);
	g_assert_cmpuint(reg64(card, HBSR_CNT_BAD_ACCESSES), ==, bad);
	set32(card, at, 1);
	assert_bad_access(card, bad + 1, NOBODY, group);
	g_assert_cmphex(reg32(card, at), ==, 0);
}

/* All offsets that no register has: they read as zero, and take only zero. */
static void test_holes(void)
{
	uint32_t list_end = HBSR_ID_BLOCK_LIST_DEFAULT + HBSR_ID_BLOCKS_DEFAULT * HBSR_ENTRY_STRIDE;
	struct card card;
	uint32_t at;

	card_start(&card, "", "");
	for (at = 0; at < 0x400; at += 4)
		if (!is_named(card_registers, G_N_ELEMENTS(card_registers), at) &&
		    !(at >= HBSR_ID_BLOCK_LIST_DEFAULT && at < list_end))
			check_hole(&card, at, NOBODY);
	for (at = 0; at < HBSR_GRP_STRIDE; at += 4)
		if (!is_named(group_registers, G_N_ELEMENTS(group_registers), at))
			check_hole(&card, of_group(GROUP, at), GROUP);
	for (at = 0; at < HBSR_PRT_STRIDE; at += 4)
		if (!is_named(port_registers, G_N_ELEMENTS(port_registers), at))
			check_hole(&card, of_port(PORT, at), NOBODY);
	/* a group and a port that the card lacks, and the end of the BAR */
	check_hole(&card, of_port(HBSR_RESET_PORTS, HBSR_PRT_ADDR), NOBODY);
	check_hole(&card, of_port(1023, HBSR_PRT_ADDR), NOBODY);
	check_hole(&card, of_port(1024, HBSR_PRT_ADDR), NOBODY);
	for (at = 0; at < HBSR_GRP_STRIDE; at += 4)
		check_hole(&card, of_group(HBSR_RESET_GROUPS, at), NOBODY);
	check_hole(&card, HBSR_BAR0_SIZE - 4, NOBODY);
	card_stop(&card);
}

static void check_entry(struct card *card, unsigned int i, uint32_t type, uint32_t version,
			uint32_t offset, uint32_t size)
{
	uint32_t at = HBSR_ID_BLOCK_LIST_DEFAULT + i * HBSR_ENTRY_STRIDE;

	g_assert_cmphex(reg32(card, at + HBSR_ENTRY_TYPE), ==, type);
	g_assert_cmphex(reg32(card, at + HBSR_ENTRY_VERSION), ==, version);
	g_assert_cmphex(reg32(card, at + HBSR_ENTRY_OFFSET), ==, offset);
	g_assert_cmphex(reg32(card, at + HBSR_ENTRY_SIZE), ==, size);
}

static void test_block_list(void)
{
	struct card card;
	unsigned int i = 0;

	card_start(&card, "", "");
#define CHECK_ENTRY(name, type, version, offset, size) \
	check_entry(&card, i++, type, version, offset, size);
	HBSR_BLOCK_LIST(CHECK_ENTRY)
	g_assert_cmpuint(reg32(&card, HBSR_ID_BLOCKS), ==, i);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	set32(&card, HBSR_ID_BLOCK_LIST_DEFAULT, 0);
	assert_bad_access(&card, 1, NOBODY, NOBODY);
	reg64(&card, HBSR_ID_BLOCK_LIST_DEFAULT);
	assert_bad_access(&card, 2, NOBODY, NOBODY);
	card_stop(&card);
}

/* rw registers keep what is written, by halves too, and only while ENABLE is 0. */
static void check_setting(struct card *card, uint32_t offset, uint32_t good, uint32_t bad)
{
	uint32_t at = of_group(GROUP, offset);

	reset(card);
	set32(card, at, good);
	g_assert_cmphex(reg32(card, at), ==, good);
	set32(card, at, bad);
	assert_bad_access(card, 1, NOBODY, GROUP);
	g_assert_cmphex(reg32(card, at), ==, good);
	set32(card, of_group(GROUP, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
	set32(card, at, 0);
	assert_bad_access(card, 2, NOBODY, GROUP);
	g_assert_cmphex(reg32(card, at), ==, good);
	group_disable(card, GROUP);
	set32(card, at, 0);
	g_assert_cmphex(reg32(card, at), ==, 0);
	assert_bad_access(card, 2, NOBODY, GROUP);
}

/* Less than 2^48, by halves too */
static void check_timeout_setting(struct card *card)
{
	const uint64_t longest = (1ULL << 48) - 1;
	uint32_t at = of_group(GROUP, HBSR_GRP_TIMEOUT);

	reset(card);
	set64(card, at, longest);
	g_assert_cmphex(reg64(card, at), ==, longest);
	set64(card, at, longest + 1);
	assert_bad_access(card, 1, NOBODY, GROUP);
	set64(card, at, UINT64_MAX);
	assert_bad_access(card, 2, NOBODY, GROUP);
	set32(card, at + 4, 0x10000);
	assert_bad_access(card, 3, NOBODY, GROUP);
	g_assert_cmphex(reg64(card, at), ==, longest);
	set32(card, at + 4, 0x1234);
	set32(card, at, 0x56789abc);
	g_assert_cmphex(reg64(card, at), ==, 0x123456789abc);
	assert_bad_access(card, 3, NOBODY, GROUP);
	set32(card, of_group(GROUP, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
	set64(card, at, 1);
	assert_bad_access(card, 4, NOBODY, GROUP);
	set32(card, at + 4, 0);
	assert_bad_access(card, 5, NOBODY, GROUP);
	g_assert_cmphex(reg64(card, at), ==, 0x123456789abc);
	group_disable(card, GROUP);
	g_assert_cmphex(reg64(card, at), ==, 0x123456789abc);
	set64(card, at, 0);
	g_assert_cmphex(reg64(card, at), ==, 0);
	assert_bad_access(card, 5, NOBODY, GROUP);
}

/* A multiple of 128, by halves too, and whether groups use it or not */
static void check_port_setting(struct card *card, unsigned int port)
{
	uint32_t at = of_port(port, HBSR_PRT_ADDR);

	reset(card);
	set64(card, at, 0x123456789abcde80);
	g_assert_cmphex(reg64(card, at), ==, 0x123456789abcde80);
	set32(card, at + 4, 0x87654321);
	set32(card, at, 0x80);
	g_assert_cmphex(reg64(card, at), ==, 0x8765432100000080);
	set64(card, at, 0x40);
	assert_bad_access(card, 1, NOBODY, NOBODY);
	set32(card, at, 1);
	assert_bad_access(card, 2, NOBODY, NOBODY);
	g_assert_cmphex(reg64(card, at), ==, 0x8765432100000080);
	set64(card, at, 0);
	g_assert_cmphex(reg64(card, at), ==, 0);
	assert_bad_access(card, 2, NOBODY, NOBODY);
}

/* 1000 to 2^30 ns */
static void check_poll_setting(struct card *card)
{
	reset(card);
	set32(card, HBSR_CTL_POLL, 1 << 30);
	g_assert_cmphex(reg32(card, HBSR_CTL_POLL), ==, 1 << 30);
	set32(card, HBSR_CTL_POLL, 1000);
	g_assert_cmphex(reg32(card, HBSR_CTL_POLL), ==, 1000);
	set32(card, HBSR_CTL_POLL, 999);
	assert_bad_access(card, 1, NOBODY, NOBODY);
	set32(card, HBSR_CTL_POLL, 0);
	assert_bad_access(card, 2, NOBODY, NOBODY);
	set32(card, HBSR_CTL_POLL, (1 << 30) + 1);
	assert_bad_access(card, 3, NOBODY, NOBODY);
	g_assert_cmphex(reg32(card, HBSR_CTL_POLL), ==, 1000);
	reset(card);
	g_assert_cmphex(reg32(card, HBSR_CTL_POLL), ==, HBSR_CTL_POLL_DEFAULT);
}

static void test_settings(void)
{
	struct card card;
	unsigned int i;

	card_start(&card, "", "");
	check_setting(&card, HBSR_GRP_VACANT, HBSR_RESET_PORTS, HBSR_RESET_PORTS + 1);
	check_setting(&card, HBSR_GRP_VECTOR, 1, 2);
	check_setting(&card, HBSR_GRP_RECORDS, 16, 17);
	check_setting(&card, HBSR_GRP_COUNT, 0xffff, 0x10000);
	check_timeout_setting(&card);
	check_poll_setting(&card);
	check_port_setting(&card, 0);
	check_port_setting(&card, PORT);
	reset(&card);
	for (i = 0; i < HBSR_GRP_RECORD_ADDR_COUNT; i++) {
		uint32_t at = of_group(GROUP, HBSR_GRP_RECORD_ADDR(i));

		set64(&card, at, 0x123456789abcdec0 + i * 64);
		g_assert_cmphex(reg64(&card, at), ==, 0x123456789abcdec0 + i * 64);
		set32(&card, at + 4, 0x87654321);
		g_assert_cmphex(reg64(&card, at), ==, 0x876543219abcdec0 + i * 64);
		set32(&card, at, 0x40);
		g_assert_cmphex(reg64(&card, at), ==, 0x8765432100000040);
		set32(&card, at, 0x48);
		assert_bad_access(&card, 2 * i + 1, NOBODY, GROUP);
		set64(&card, at, 1);
		assert_bad_access(&card, 2 * i + 2, NOBODY, GROUP);
		g_assert_cmphex(reg64(&card, at), ==, 0x8765432100000040);
	}
	set32(&card, of_group(GROUP, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
	set64(&card, of_group(GROUP, HBSR_GRP_RECORD_ADDR(3)), 0);
	g_assert_cmphex(reg64(&card, of_group(GROUP, HBSR_GRP_RECORD_ADDR(3))), !=, 0);
	card_stop(&card);
}

static void refuse_control(struct card *card, uint32_t value, uint64_t *bad)
{
	uint32_t at = of_group(GROUP, HBSR_GRP_CTRL);

	set32(card, at, value);
	assert_bad_access(card, ++*bad, NOBODY, GROUP);
	set32(card, at, value | HBSR_GRP_CTRL_ENABLE);
	assert_bad_access(card, ++*bad, NOBODY, GROUP);
	g_assert_cmphex(reg32(card, at), ==, 0);
}

/* A refutable group takes stores and has a mask; all else goes with it. */
static void test_refutable_control(void)
{
	uint32_t at = of_group(GROUP, HBSR_GRP_CTRL), departure, reduce, policy;
	struct card card;
	uint64_t bad = 0;

	card_start(&card, "", "");
	g_assert_cmphex(reg32(&card, HBSR_ID_GROUP_TYPES), ==,
			1 << HBSR_TYPE_BARRIER | 1 << HBSR_TYPE_REFUTABLE);
	for (departure = 0; departure <= HBSR_DEPARTURE_PORT; departure++)
		for (reduce = 0; reduce <= HBSR_REDUCE_VOTE; reduce++)
			for (policy = 0; policy <= HBSR_POLICY_NOTIFY; policy++) {
				uint32_t good = AS_REFUTABLE |
						departure << HBSR_GRP_CTRL_DEPARTURE_SHIFT |
						reduce << HBSR_GRP_CTRL_REDUCE_SHIFT |
						policy << HBSR_GRP_CTRL_POLICY_SHIFT;

				set32(&card, at, good);
				g_assert_cmphex(reg32(&card, at), ==, good);
				good |= HBSR_GRP_CTRL_ENABLE;
				set32(&card, at, good);
				g_assert_cmphex(reg32(&card, at), ==, good);
				set32(&card, at, good & ~HBSR_GRP_CTRL_TYPE);
				assert_bad_access(&card, ++bad, NOBODY, GROUP);
				g_assert_cmphex(reg32(&card, at), ==, good);
				group_disable(&card, GROUP);
			}
	refuse_control(&card, AS_REFUTABLE | 1 << HBSR_GRP_CTRL_COMPLETION_SHIFT, &bad);
	refuse_control(&card, AS_REFUTABLE | 1 << HBSR_GRP_CTRL_ARRIVAL_SHIFT, &bad);
	refuse_control(&card,
		       AS_REFUTABLE | 1 << HBSR_GRP_CTRL_COMPLETION_SHIFT |
			       1 << HBSR_GRP_CTRL_ARRIVAL_SHIFT,
		       &bad);
	card_stop(&card);
}

/* A type or mode that the card lacks, and a change while ENABLE is 1 */
static void test_group_control(void)
{
	struct card card;
	uint32_t at = of_group(GROUP, HBSR_GRP_CTRL);
	uint32_t type, reduce, mode;
	uint64_t bad = 0;

	card_start(&card, "", "");
	for (type = HBSR_TYPE_REFUTABLE + 1; type < 16; type++)
		refuse_control(&card, type << HBSR_GRP_CTRL_TYPE_SHIFT, &bad);
	for (reduce = HBSR_REDUCE_VOTE + 1; reduce < 16; reduce++)
		refuse_control(&card, reduce << HBSR_GRP_CTRL_REDUCE_SHIFT, &bad);
	refuse_control(&card, 2 << HBSR_GRP_CTRL_POLICY_SHIFT, &bad);
	refuse_control(&card, 3 << HBSR_GRP_CTRL_POLICY_SHIFT, &bad);
	for (mode = 2; mode < 4; mode++) {
		refuse_control(&card, mode << HBSR_GRP_CTRL_COMPLETION_SHIFT, &bad);
		refuse_control(&card, mode << HBSR_GRP_CTRL_ARRIVAL_SHIFT, &bad);
		refuse_control(&card, mode << HBSR_GRP_CTRL_DEPARTURE_SHIFT, &bad);
	}
	/*
	 * the card keeps bits that it has, enabled or not, and changes them only when not
	 * enabled
	 */
	for (reduce = HBSR_REDUCE_NONE; reduce <= HBSR_REDUCE_VOTE; reduce++) {
		uint32_t good = HBSR_COMPLETION_COUNT << HBSR_GRP_CTRL_COMPLETION_SHIFT |
				HBSR_ARRIVAL_POLL << HBSR_GRP_CTRL_ARRIVAL_SHIFT |
				HBSR_DEPARTURE_PORT << HBSR_GRP_CTRL_DEPARTURE_SHIFT |
				reduce << HBSR_GRP_CTRL_REDUCE_SHIFT |
				HBSR_POLICY_NOTIFY << HBSR_GRP_CTRL_POLICY_SHIFT;

		set32(&card, at, good);
		g_assert_cmphex(reg32(&card, at), ==, good);
		good |= HBSR_GRP_CTRL_ENABLE;
		set32(&card, at, good);
		g_assert_cmphex(reg32(&card, at), ==, good);
		set32(&card, at, good ^ 1 << HBSR_GRP_CTRL_REDUCE_SHIFT);
		assert_bad_access(&card, ++bad, NOBODY, GROUP);
		set32(&card, at, good & ~HBSR_GRP_CTRL_COMPLETION);
		assert_bad_access(&card, ++bad, NOBODY, GROUP);
		set32(&card, at, good & ~HBSR_GRP_CTRL_ARRIVAL);
		assert_bad_access(&card, ++bad, NOBODY, GROUP);
		set32(&card, at, good & ~HBSR_GRP_CTRL_DEPARTURE);
		assert_bad_access(&card, ++bad, NOBODY, GROUP);
		set32(&card, at, good ^ 1 << HBSR_GRP_CTRL_POLICY_SHIFT);
		assert_bad_access(&card, ++bad, NOBODY, GROUP);
		g_assert_cmphex(reg32(&card, at), ==, good);
		group_disable(&card, GROUP);
	}
	set32(&card, at, HBSR_GRP_CTRL_ENABLE);
	g_assert_cmphex(reg32(&card, at), ==, HBSR_GRP_CTRL_ENABLE);
	set32(&card, at, (HBSR_TYPE_REFUTABLE + 1) << HBSR_GRP_CTRL_TYPE_SHIFT);
	assert_bad_access(&card, ++bad, NOBODY, GROUP);
	g_assert_cmphex(reg32(&card, at), ==, HBSR_GRP_CTRL_ENABLE);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/registers/reset-values", test_reset_values);
	g_test_add_func("/registers/read-only", test_read_only);
	g_test_add_func("/registers/reserved-bits", test_reserved_bits);
	g_test_add_func("/registers/widths", test_widths);
	g_test_add_func("/registers/holes", test_holes);
	g_test_add_func("/registers/block-list", test_block_list);
	g_test_add_func("/registers/settings", test_settings);
	g_test_add_func("/registers/refutable-control", test_refutable_control);
	g_test_add_func("/registers/group-control", test_group_control);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
