/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A departure record for each member, in the memory of its port.
 */
#include "card.h"

#define G	  3
#define PORT	  (HBSR_DEPARTURE_PORT << HBSR_GRP_CTRL_DEPARTURE_SHIFT)
#define AS_MAX	  (HBSR_REDUCE_MAX << HBSR_GRP_CTRL_REDUCE_SHIFT)
#define NO_MEMORY 0x7000000000

static uint64_t writes(struct card *card)
{
	return reg64(card, of_group(G, HBSR_GRP_RECORD_WRITES));
}

static uint64_t member_result(struct card *card, unsigned int port)
{
	return qtest_readq(card->qts, memory_of(port) + G * HBSR_MEMORY_STRIDE +
					      HBSR_MEMORY_DEPARTURE + HBSR_RECORD_RESULT);
}

/* The group, with RECORDS records beside those of its members, 0 or 1 */
static void start(struct card *card, unsigned int records, uint32_t ctrl)
{
	unsigned int port;

	card_start(card, "", "");
	card_enable(card);
	for (port = 0; port < 4; port++)
		memory_set(card, port);
	set32(card, of_group(G, HBSR_GRP_VACANT), 3);
	set32(card, of_group(G, HBSR_GRP_RECORDS), records);
	set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(0)), record_of(G, 0));
	set32(card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE | PORT | ctrl);
}

static void join_three(struct card *card)
{
	unsigned int port;

	for (port = 0; port < 3; port++)
		join(card, G, port);
}

/* At JOIN the port's record is written, and at completion that of each member. */
static void test_completion(void)
{
	struct card card;
	unsigned int port;

	start(&card, 0, 0);
	qtest_memset(card.qts, memory_of(0), 0xee, 4 * 0x4000);
	g_assert_cmpuint(writes(&card), ==, 0);
	for (port = 0; port < 3; port++) {
		join(&card, G, port);
		g_assert_cmphex(member_record(&card, port, G), ==, epoch_word(1));
		g_assert_cmpuint(writes(&card), ==, port + 1);
	}
	arrive(&card, 0, G);
	arrive(&card, 2, G);
	g_assert_cmpuint(writes(&card), ==, 3);
	arrive(&card, 1, G);
	g_assert_cmpuint(writes(&card), ==, 6);
	for (port = 0; port < 3; port++)
		g_assert_cmphex(member_record(&card, port, G), ==, epoch_word(2));
	/* a port that is no member gets nothing, and nobody gets more than the word */
	g_assert_cmphex(member_record(&card, 3, G), ==, 0xeeeeeeeeeeeeeeee);
	for (port = 0; port < 3; port++) {
		uint8_t memory[0x4000];
		unsigned int i, at = G * HBSR_MEMORY_STRIDE + HBSR_MEMORY_DEPARTURE;

		qtest_memread(card.qts, memory_of(port), memory, sizeof(memory));
		for (i = 0; i < sizeof(memory); i++)
			if (i < at || i >= at + 8)
				g_assert_cmphex(memory[i], ==, 0xee);
	}
	g_assert_cmphex(departure(&card, 0, G), ==, epoch_word(2));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* The group's own records are written too. */
static void test_both(void)
{
	struct card card;
	unsigned int port;

	start(&card, 1, AS_MAX);
	g_assert_cmpuint(writes(&card), ==, 1);
	join_three(&card);
	/* The words of the joins; no result. */
	g_assert_cmpuint(writes(&card), ==, 4);
	arrive_with(&card, 0, G, 10);
	arrive_with(&card, 1, G, 30);
	arrive_with(&card, 2, G, 20);
	g_assert_cmpuint(writes(&card), ==, 4 + 2 * 4);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	for (port = 0; port < 3; port++) {
		g_assert_cmphex(member_record(&card, port, G), ==, epoch_word(2));
		g_assert_cmpuint(member_result(&card, port), ==, 30);
	}
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_RESET);
	g_assert_cmpuint(writes(&card), ==, 12 + 4);
	g_assert_cmphex(record(&card, G), ==, broken_word(2, HBSR_REASON_RESET));
	for (port = 0; port < 3; port++) {
		g_assert_cmphex(member_record(&card, port, G), ==,
				broken_word(2, HBSR_REASON_RESET));
		g_assert_cmpuint(member_result(&card, port), ==, 30);
	}
	card_stop(&card);
}

/* In each record the result comes first; the first of the group is the last of all. */
static void test_order(void)
{
	static const char *const events[] = {
		"addr 0xa001c8 word 0x1e", "addr 0xa001c0 word 0x20000",
		"addr 0xa041c8 word 0x1e", "addr 0xa041c0 word 0x20000",
		"addr 0x230048 word 0x1e", "addr 0x230040 word 0x20000",
		"addr 0x230008 word 0x1e", "addr 0x230000 word 0x20000",
	};
	char *path = temporary("trace"), *options;
	struct card card;

	options = g_strdup_printf("-trace hbs_record_write -D %s", path);
	card_start(&card, "", options);
	card_enable(&card);
	memory_set(&card, 0);
	memory_set(&card, 1);
	set32(&card, of_group(G, HBSR_GRP_VACANT), 2);
	set32(&card, of_group(G, HBSR_GRP_RECORDS), 2);
	set64(&card, of_group(G, HBSR_GRP_RECORD_ADDR(0)), record_of(G, 0));
	set64(&card, of_group(G, HBSR_GRP_RECORD_ADDR(1)), record_of(G, 1));
	set32(&card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE | PORT | AS_MAX);
	join(&card, G, 1);
	join(&card, G, 0);
	arrive_with(&card, 1, G, 10);
	arrive_with(&card, 0, G, 30);
	card_stop(&card);
	assert_in_order(path, events, G_N_ELEMENTS(events));
	g_free(options);
	g_free(path);
}

/* A member that leaves sees no more; one that joins sees the epoch that it joins. */
static void test_leave_and_join(void)
{
	struct card card;

	start(&card, 0, 0);
	join_three(&card);
	arrive(&card, 0, G);
	arrive(&card, 1, G);
	command(&card, G, HBSR_OP_LEAVE, 2);
	g_assert_cmphex(member_record(&card, 0, G), ==, epoch_word(2));
	g_assert_cmphex(member_record(&card, 1, G), ==, epoch_word(2));
	g_assert_cmphex(member_record(&card, 2, G), ==, epoch_word(1));
	g_assert_cmpuint(writes(&card), ==, 5);
	join(&card, G, 3);
	g_assert_cmphex(member_record(&card, 3, G), ==, epoch_word(2));
	g_assert_cmpuint(writes(&card), ==, 6);
	/* When a group is enabled, no member has a record to write. */
	group_disable(&card, G);
	set32(&card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE | PORT);
	g_assert_cmpuint(writes(&card), ==, 0);
	g_assert_cmphex(member_record(&card, 0, G), ==, epoch_word(2));
	card_stop(&card);
}

static void test_no_address(void)
{
	struct card card;

	start(&card, 0, 0);
	join(&card, G, 4);
	assert_bad_access(&card, 1, NOBODY, G);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_MEMBERS)), ==, 0);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_VACANT)), ==, 3);
	g_assert_cmpuint(writes(&card), ==, 0);
	card_stop(&card);
}

/* The card cannot write one of three records: the others learn that the group is broken. */
static void check_unwritable(uint64_t address, uint32_t ctrl)
{
	const uint64_t word = broken_word(2, HBSR_REASON_DMA);
	struct card card;

	start(&card, 1, ctrl);
	messages_enable(&card);
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_DMA);
	join_three(&card);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	set64(&card, of_port(1, HBSR_PRT_ADDR), address);
	arrive(&card, 0, G);
	arrive(&card, 1, G);
	arrive(&card, 2, G);
	/* once for the completion, once to say that the group is broken */
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 2);
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_DMA);
	g_assert_cmphex(record(&card, G), ==, word);
	g_assert_cmphex(member_record(&card, 0, G), ==, word);
	g_assert_cmphex(member_record(&card, 1, G), ==, epoch_word(1));
	g_assert_cmphex(member_record(&card, 2, G), ==, word);
	g_assert_cmphex(departure(&card, 1, G), ==, word);
	g_assert_true(message(&card, 0));
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_INTERRUPTS)), ==, 1);
	card_stop(&card);
}

static void test_unwritable(void)
{
	check_unwritable(NO_MEMORY, 0);
	check_unwritable(NO_MEMORY, AS_MAX);
	check_unwritable(0, 0);
	check_unwritable(0xe0000000, 0); /* the card's port pages */
}

/* A port whose record cannot be written does not become a member, and hurts nobody. */
static void test_unwritable_join(void)
{
	struct card card;

	start(&card, 1, 0);
	join(&card, G, 0);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	set64(&card, of_port(5, HBSR_PRT_ADDR), NO_MEMORY);
	join(&card, G, 5);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	g_assert_cmphex(member_record(&card, 0, G), ==, epoch_word(1));
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_P(0))), ==, 1 << 0);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_VACANT)), ==, 2);
	g_assert_cmphex(reg32(&card, of_group(G, HBSR_GRP_STATUS)), ==, HBSR_GRP_STATUS_ARMED);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 1);
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	/* With a memory it does. */
	memory_set(&card, 5);
	join(&card, G, 5);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_P(0))), ==, 1 << 0 | 1 << 5);
	card_stop(&card);
}

/* While the card is disabled nothing is written, in a member's memory neither. */
static void test_disabled(void)
{
	struct card card;

	start(&card, 0, 0);
	join_three(&card);
	set32(&card, HBSR_CTL_CTRL, 0);
	arrive(&card, 0, G);
	assert_violation(&card, 1, HBSR_VIOLATION_REFUSED, 0, G);
	card_enable(&card);
	g_assert_cmpuint(writes(&card), ==, 3);
	arrive(&card, 0, G);
	arrive(&card, 1, G);
	arrive(&card, 2, G);
	g_assert_cmpuint(writes(&card), ==, 6);
	card_stop(&card);
}

/* CSR polling: no record at all. Nothing is written, and nothing needs one. */
static void test_none(void)
{
	const unsigned int pages = 8;
	struct card card;
	uint8_t before[0x1000], after[0x1000];
	unsigned int i, epoch;

	card_start(&card, "", "");
	messages_enable(&card);
	card_enable(&card);
	qtest_memset(card.qts, RECORDS, 0xee, 0x1000 * pages);
	qtest_memset(card.qts, 0, 0xee, sizeof(before));
	qtest_memread(card.qts, 0, before, sizeof(before));
	set32(&card, of_group(0, HBSR_GRP_VACANT), 2);
	set32(&card, of_group(0, HBSR_GRP_VECTOR), 1);
	set64(&card, of_group(0, HBSR_GRP_RECORD_ADDR(0)), RECORDS);
	set32(&card, of_group(0, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE | AS_MAX);
	join(&card, 0, 0);
	join(&card, 0, 1);
	for (epoch = 2; epoch < 5; epoch++) {
		set32(&card, of_group(0, HBSR_GRP_ARM), epoch - 1);
		arrive_with(&card, 0, 0, epoch);
		g_assert_cmphex(departure(&card, 0, 0), ==, epoch_word(epoch - 1));
		arrive_with(&card, 1, 0, 1);
		g_assert_cmphex(departure(&card, 0, 0), ==, epoch_word(epoch));
		g_assert_cmphex(qtest_readq(card.qts, lane(&card, 1, 0) + HBSR_LANE_RESULT), ==,
				epoch);
		g_assert_true(message(&card, 1));
	}
	command(&card, 0, HBSR_OP_BREAK, HBSR_REASON_DIED);
	g_assert_cmphex(departure(&card, 0, 0), ==, broken_word(4, HBSR_REASON_DIED));
	g_assert_cmpuint(reg64(&card, of_group(0, HBSR_GRP_RECORD_WRITES)), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(0, HBSR_GRP_DEPARTURE_READS)), ==, 7);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 0);
	qtest_memread(card.qts, 0, after, sizeof(after));
	g_assert_cmpmem(before, sizeof(before), after, sizeof(after));
	for (i = 0; i < pages; i++) {
		qtest_memread(card.qts, RECORDS + i * sizeof(after), after, sizeof(after));
		g_assert_cmpmem(before, sizeof(before), after, sizeof(after));
	}
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/member-records/completion", test_completion);
	g_test_add_func("/member-records/both", test_both);
	g_test_add_func("/member-records/order", test_order);
	g_test_add_func("/member-records/leave-and-join", test_leave_and_join);
	g_test_add_func("/member-records/no-address", test_no_address);
	g_test_add_func("/member-records/unwritable", test_unwritable);
	g_test_add_func("/member-records/unwritable-join", test_unwritable_join);
	g_test_add_func("/member-records/disabled", test_disabled);
	g_test_add_func("/member-records/none", test_none);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
