/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reductions of the operands of an epoch, and where the results are. */
#include "card.h"

#define G	  2
#define NO_MEMORY 0x7000000000
#define UNTOUCHED 0xeeeeeeeeeeeeeeee
#define BIGGEST	  INT64_MAX
#define SMALLEST  ((uint64_t)INT64_MIN)
#define MINUS(x)  ((uint64_t) - (int64_t)(x))
#define ALTERNATE 0x5555555555555555

#define AS(reduction) (HBSR_REDUCE_##reduction << HBSR_GRP_CTRL_REDUCE_SHIFT)

static uint64_t result_register(struct card *card)
{
	return reg64(card, of_group(G, HBSR_GRP_RESULT));
}

static uint64_t result_record(struct card *card)
{
	return qtest_readq(card->qts, record_of(G, 0) + HBSR_RECORD_RESULT);
}

static uint64_t result_lane(struct card *card, unsigned int port)
{
	return qtest_readq(card->qts, lane(card, port, G) + HBSR_LANE_RESULT);
}

static bool is_member(struct card *card, unsigned int port)
{
	return reg64(card, of_group(G, HBSR_GRP_P(0))) >> port & 1;
}

/* Members see it, and nobody else. */
static void assert_result(struct card *card, uint64_t result)
{
	unsigned int port;

	g_assert_cmphex(result_register(card), ==, result);
	g_assert_cmphex(result_record(card), ==, result);
	for (port = 0; port < 6; port++)
		g_assert_cmphex(result_lane(card, port), ==, is_member(card, port) ? result : 0);
	g_assert_cmphex(result_lane(card, 63), ==, 0);
}

/* Ports 0, 1 and 2 */
static void set_up_group(struct card *card, uint32_t ctrl)
{
	group_enable_as(card, G, 3, ctrl);
	join(card, G, 0);
	join(card, G, 1);
	join(card, G, 2);
}

/* A group that reduces, with one record, to which no result is written yet */
static void start(struct card *card, uint32_t ctrl)
{
	card_start(card, "", "");
	card_enable(card);
	qtest_memset(card->qts, RECORDS, 0xee, 0x100000);
	set_up_group(card, ctrl);
}

static const struct {
	uint32_t ctrl;
	uint64_t operands[3];
	uint64_t result;
} table[] = {
	{ AS(AND), { UINT64_MAX, UINT64_MAX, UINT64_MAX }, UINT64_MAX },
	{ AS(AND), { UINT64_MAX, ALTERNATE, 0xffff0000ffff0000 }, 0x5555000055550000 },
	{ AS(AND), { 1, 2, UINT64_MAX }, 0 },
	{ AS(AND), { SMALLEST | 1, SMALLEST, SMALLEST | 4 }, SMALLEST },
	{ AS(OR), { 0, 0, 0 }, 0 },
	{ AS(OR), { 1, SMALLEST, 0x100 }, SMALLEST | 0x101 },
	{ AS(OR), { ALTERNATE, ~ALTERNATE, 0 }, UINT64_MAX },
	{ AS(XOR), { 0, 0, 0 }, 0 },
	{ AS(XOR), { UINT64_MAX, 0, 0 }, UINT64_MAX },
	{ AS(XOR), { UINT64_MAX, ALTERNATE, 1 }, ~ALTERNATE ^ 1 },
	{ AS(XOR), { SMALLEST, SMALLEST, SMALLEST }, SMALLEST },
	{ AS(SUM), { 0, 0, 0 }, 0 },
	{ AS(SUM), { UINT64_MAX, 1, 0 }, 0 },
	{ AS(SUM), { UINT64_MAX, UINT64_MAX, UINT64_MAX }, MINUS(3) },
	{ AS(SUM), { 0xffffffff, 1, 0 }, 0x100000000 },
	{ AS(SUM), { BIGGEST, 1, 0 }, SMALLEST },
	{ AS(SUM), { MINUS(7), 3, 2 }, MINUS(2) },
	{ AS(MIN), { UINT64_MAX, UINT64_MAX, UINT64_MAX }, UINT64_MAX },
	{ AS(MIN), { UINT64_MAX, SMALLEST, BIGGEST }, BIGGEST },
	{ AS(MIN), { 0, 1, UINT64_MAX }, 0 },
	{ AS(MIN), { 0x100000000, 0xffffffff, 0x200000000 }, 0xffffffff },
	{ AS(MAX), { 0, 0, 0 }, 0 },
	{ AS(MAX), { 1, SMALLEST, BIGGEST }, SMALLEST },
	{ AS(MAX), { 1, UINT64_MAX, BIGGEST }, UINT64_MAX },
	{ AS(MAX), { 0x100000000, 0xffffffff, 0 }, 0x100000000 },
	{ AS(SMIN), { BIGGEST, BIGGEST, BIGGEST }, BIGGEST },
	{ AS(SMIN), { 0, UINT64_MAX, BIGGEST }, UINT64_MAX },
	{ AS(SMIN), { SMALLEST, 0, BIGGEST }, SMALLEST },
	{ AS(SMIN), { 5, 3, 4 }, 3 },
	{ AS(SMAX), { SMALLEST, SMALLEST, SMALLEST }, SMALLEST },
	{ AS(SMAX), { UINT64_MAX, SMALLEST, MINUS(2) }, UINT64_MAX },
	{ AS(SMAX), { 0, UINT64_MAX, SMALLEST }, 0 },
	{ AS(SMAX), { BIGGEST, UINT64_MAX, 0 }, BIGGEST },
	{ AS(VOTE), { 0, 0, 0 }, 0 },
	{ AS(VOTE), { 1, 0, 0 }, 2 },
	{ AS(VOTE), { SMALLEST, 0x100000000, 0 }, 2 },
	{ AS(VOTE), { 1, 1, 1 }, 3 },
	{ AS(VOTE), { SMALLEST, 0x100000000, 2 }, 3 },
};

/* Every row with its operands in all orders, one epoch after another */
static void check_row(struct card *card, const uint64_t *operands, uint64_t result)
{
	static const unsigned int orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
						  { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	unsigned int o, i;

	for (o = 0; o < G_N_ELEMENTS(orders); o++) {
		for (i = 0; i < 3; i++)
			arrive_with(card, i, G, operands[orders[o][i]]);
		assert_result(card, result);
		g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, o + 1);
	}
}

static void test_table(void)
{
	struct card card;
	size_t row;

	card_start(&card, "", "");
	card_enable(&card);
	for (row = 0; row < G_N_ELEMENTS(table); row++) {
		g_test_message("row %zu", row);
		set_up_group(&card, table[row].ctrl);
		check_row(&card, table[row].operands, table[row].result);
		group_disable(&card, G);
	}
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* A group that does not reduce writes no result word and has none. */
static void test_none(void)
{
	struct card card;
	unsigned int i;

	start(&card, AS(NONE));
	for (i = 0; i < 3; i++)
		arrive_with(&card, i, G, UINT64_MAX);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmphex(result_record(&card), ==, UNTOUCHED);
	g_assert_cmphex(result_register(&card), ==, 0);
	g_assert_cmphex(result_lane(&card, 0), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 2);
	card_stop(&card);
}

/* An operand of 4 bytes has 32 zeros above it. */
static void test_half_operand(void)
{
	struct card card;

	start(&card, AS(AND));
	arrive_with(&card, 0, G, UINT64_MAX);
	qtest_writel(card.qts, lane(&card, 1, G) + HBSR_LANE_ARRIVAL, UINT32_MAX);
	arrive_with(&card, 2, G, UINT64_MAX);
	assert_result(&card, UINT32_MAX);
	card_stop(&card);
	start(&card, AS(SMIN));
	arrive_with(&card, 0, G, 0x100000000);
	qtest_writel(card.qts, lane(&card, 1, G) + HBSR_LANE_ARRIVAL, 0x80000000);
	arrive_with(&card, 2, G, 0x100000000);
	assert_result(&card, 0x80000000);
	card_stop(&card);
}

/* A result stays until the next completion, and each epoch begins anew. */
static void test_epochs(void)
{
	struct card card;
	uint64_t i;

	start(&card, AS(SUM));
	g_assert_cmphex(result_register(&card), ==, 0);
	g_assert_cmphex(result_lane(&card, 0), ==, 0);
	g_assert_cmphex(result_record(&card), ==, UNTOUCHED);
	for (i = 1; i < 5; i++) {
		arrive_with(&card, 0, G, i);
		arrive_with(&card, 2, G, 100 * i);
		if (i > 1)
			assert_result(&card, 10101 * (i - 1));
		arrive_with(&card, 1, G, 10000 * i);
		assert_result(&card, 10101 * i);
	}
	/* It is readable by halves, without being counted as a load of DEPARTURE. */
	g_assert_cmphex(qtest_readl(card.qts, lane(&card, 1, G) + HBSR_LANE_RESULT), ==, 40404);
	g_assert_cmphex(qtest_readl(card.qts, lane(&card, 1, G) + HBSR_LANE_RESULT + 4), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_DEPARTURE_READS)), ==, 0);
	/* With the group its result goes. */
	group_disable(&card, G);
	g_assert_cmphex(result_register(&card), ==, 0);
	g_assert_cmphex(result_lane(&card, 1), ==, 0);
	group_enable_as(&card, G, 1, AS(SUM));
	g_assert_cmphex(result_register(&card), ==, 0);
	card_stop(&card);
}

static void test_high_half(void)
{
	struct card card;
	unsigned int i;

	start(&card, AS(OR));
	for (i = 0; i < 3; i++)
		arrive_with(&card, i, G, 0x1234567800000000);
	g_assert_cmphex(qtest_readl(card.qts, lane(&card, 1, G) + HBSR_LANE_RESULT), ==, 0);
	g_assert_cmphex(qtest_readl(card.qts, lane(&card, 1, G) + HBSR_LANE_RESULT + 4), ==,
			0x12345678);
	g_assert_cmphex(reg32(&card, of_group(G, HBSR_GRP_RESULT) + 4), ==, 0x12345678);
	card_stop(&card);
}

/* The operand of an arrival that is dropped does not count. */
static void test_dropped(void)
{
	struct card card;

	start(&card, AS(SUM));
	arrive_with(&card, 0, G, 1);
	arrive_with(&card, 0, G, 1000);
	arrive_with(&card, 9, G, 1000);
	set32(&card, HBSR_CTL_CTRL, 0);
	arrive_with(&card, 1, G, 1000);
	card_enable(&card);
	arrive_with(&card, 1, G, 10);
	arrive_with(&card, 2, G, 100);
	assert_result(&card, 111);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 3);
	card_stop(&card);
}

/* A member that arrives and leaves has brought a value to the epoch in progress, and only to it. */
static void test_leave(void)
{
	struct card card;

	start(&card, AS(SUM));
	arrive_with(&card, 0, G, 1);
	command(&card, G, HBSR_OP_LEAVE, 0);
	arrive_with(&card, 1, G, 10);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	arrive_with(&card, 2, G, 100);
	assert_result(&card, 111);
	arrive_with(&card, 1, G, 10);
	arrive_with(&card, 2, G, 100);
	assert_result(&card, 110);
	/* A leave that completes the epoch gives the result of all arrivals. */
	arrive_with(&card, 2, G, 5);
	command(&card, G, HBSR_OP_LEAVE, 1);
	g_assert_cmphex(record(&card, G), ==, epoch_word(4));
	assert_result(&card, 5);
	/* A joiner adds to what the last one, gone since, has brought. */
	arrive_with(&card, 2, G, 7);
	join(&card, G, 4);
	assert_result(&card, 7);
	arrive_with(&card, 2, G, 20);
	command(&card, G, HBSR_OP_LEAVE, 2);
	arrive_with(&card, 4, G, 300);
	assert_result(&card, 320);
	card_stop(&card);
}

static void test_leave_before_start(void)
{
	struct card card;

	card_start(&card, "", "");
	card_enable(&card);
	group_enable_as(&card, G, 2, AS(SUM));
	join(&card, G, 0);
	arrive_with(&card, 0, G, 1);
	command(&card, G, HBSR_OP_LEAVE, 0);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_VACANT)), ==, 2);
	join(&card, G, 1);
	join(&card, G, 2);
	arrive_with(&card, 1, G, 10);
	arrive_with(&card, 2, G, 100);
	assert_result(&card, 111);
	card_stop(&card);
}

/* An operand that was taken in cannot be taken back. */
static void test_init(void)
{
	unsigned int reduction;
	struct card card;

	for (reduction = HBSR_REDUCE_AND; reduction <= HBSR_REDUCE_VOTE; reduction++) {
		start(&card, reduction << HBSR_GRP_CTRL_REDUCE_SHIFT);
		command(&card, G, HBSR_OP_INIT, 0);
		g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
		arrive_with(&card, 0, G, 1);
		command(&card, G, HBSR_OP_INIT, 0);
		assert_bad_access(&card, 1, NOBODY, G);
		g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 1);
		g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_ARRIVED)), ==, 1);
		card_stop(&card);
	}
}

/* A break writes no result; operands from before it are not in a later one. */
static void test_break(void)
{
	struct card card;
	unsigned int i;

	start(&card, AS(SUM));
	for (i = 0; i < 3; i++)
		arrive_with(&card, i, G, 1);
	arrive_with(&card, 0, G, 1000);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	assert_result(&card, 3);
	g_assert_cmphex(record(&card, G), ==, broken_word(2, HBSR_REASON_DIED));
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 4);
	group_disable(&card, G);
	group_enable_as(&card, G, 1, AS(SUM));
	g_assert_cmphex(result_register(&card), ==, 0);
	/* Enabling writes none either: the record keeps the old one. */
	g_assert_cmphex(result_record(&card), ==, 3);
	g_assert_cmphex(record(&card, G), ==, epoch_word(3));
	join(&card, G, 5);
	arrive_with(&card, 5, G, 4);
	assert_result(&card, 4);
	card_stop(&card);
}

/* Enabled as another kind of group, it begins with that kind's initial value. */
static void test_other_kind(void)
{
	struct card card;

	start(&card, AS(AND));
	arrive_with(&card, 0, G, 0);
	group_disable(&card, G);
	group_enable_as(&card, G, 1, AS(SMAX));
	join(&card, G, 0);
	arrive_with(&card, 0, G, SMALLEST);
	assert_result(&card, SMALLEST);
	group_disable(&card, G);
	group_enable_as(&card, G, 1, AS(NONE));
	join(&card, G, 0);
	arrive_with(&card, 0, G, 5);
	g_assert_cmphex(result_register(&card), ==, 0);
	card_stop(&card);
}

/* Groups that share a port have each their own. */
static void test_overlap(void)
{
	struct card card;

	start(&card, AS(MAX));
	group_enable_as(&card, G + 1, 2, AS(MIN));
	join(&card, G + 1, 0);
	join(&card, G + 1, 1);
	arrive_with(&card, 0, G, 5);
	arrive_with(&card, 0, G + 1, 50);
	arrive_with(&card, 1, G + 1, 70);
	arrive_with(&card, 1, G, 7);
	arrive_with(&card, 2, G, 6);
	assert_result(&card, 7);
	g_assert_cmphex(reg64(&card, of_group(G + 1, HBSR_GRP_RESULT)), ==, 50);
	card_stop(&card);
}

/* Result and epoch word are two writes in this order, and nothing else is written. */
static void test_two_writes(void)
{
	char *path = temporary("trace"), *options, *text, *line;
	uint64_t expected[4 + 8];
	struct card card;
	unsigned int i, byte, n = 0;

	for (i = 0; i < 4; i++) {
		/* the first record last; when the group is enabled, only the words */
		expected[i] = record_of(G, 3 - i) + HBSR_RECORD_WORD;
		expected[4 + 2 * i] = record_of(G, 3 - i) + HBSR_RECORD_RESULT;
		expected[5 + 2 * i] = record_of(G, 3 - i) + HBSR_RECORD_WORD;
	}
	options = g_strdup_printf("-trace hbs_record_write -D %s", path);
	card_start(&card, "", options);
	card_enable(&card);
	qtest_memset(card.qts, RECORDS, 0xee, 0x100000);
	for (i = 0; i < 4; i++)
		set64(&card, of_group(G, HBSR_GRP_RECORD_ADDR(i)), record_of(G, i));
	set32(&card, of_group(G, HBSR_GRP_VACANT), 1);
	set32(&card, of_group(G, HBSR_GRP_RECORDS), 4);
	set32(&card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE | AS(SUM));
	join(&card, G, 0);
	arrive_with(&card, 0, G, 77);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 4 + 8);
	for (i = 0; i < 4; i++) {
		uint8_t around[HBSR_RECORD_STRIDE];

		g_assert_cmphex(qtest_readq(card.qts, record_of(G, i)), ==, epoch_word(2));
		g_assert_cmphex(qtest_readq(card.qts, record_of(G, i) + HBSR_RECORD_RESULT), ==,
				77);
		qtest_memread(card.qts, record_of(G, i), around, sizeof(around));
		for (byte = 16; byte < sizeof(around); byte++)
			g_assert_cmphex(around[byte], ==, 0xee);
	}
	card_stop(&card);
	text = file_text(path);
	for (line = text; (line = strstr(line, " addr 0x")); line++) {
		uint64_t address = strtoull(line + strlen(" addr "), NULL, 16);

		if (n < G_N_ELEMENTS(expected))
			g_assert_cmphex(address, ==, expected[n]);
		n++;
	}
	g_assert_cmpuint(n, ==, G_N_ELEMENTS(expected));
	unlink(path);
	g_free(text);
	g_free(options);
	g_free(path);
}

/* Nobody sees an epoch word whose result is not there. */
static void test_failed_write(void)
{
	struct card card;
	unsigned int i;

	start(&card, AS(SUM));
	set_bus_master(&card, false);
	for (i = 0; i < 3; i++)
		arrive_with(&card, i, G, 1);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	g_assert_cmphex(departure(&card, 0, G), ==, broken_word(2, HBSR_REASON_DMA));
	/* the result, without the word; then that of the broken word */
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 2);
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_DMA);
	card_stop(&card);
}

/* The card cannot write one of two records: the other gets its result, then breaks. */
static void test_failed_record(void)
{
	struct card card;

	card_start(&card, "", "");
	card_enable(&card);
	qtest_memset(card.qts, RECORDS, 0xee, 0x100000);
	group_enable_as(&card, G, 1,
			AS(SUM) | HBSR_DEPARTURE_PORT << HBSR_GRP_CTRL_DEPARTURE_SHIFT);
	memory_set(&card, 0);
	join(&card, G, 0);
	set64(&card, of_port(0, HBSR_PRT_ADDR), NO_MEMORY);
	arrive_with(&card, 0, G, 9);
	assert_result(&card, 9);
	g_assert_cmphex(record(&card, G), ==, broken_word(2, HBSR_REASON_DMA));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 2);
	/* enabled, joined, completed with a result, broken with the same */
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 1 + 1 + 2 + 2);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/reductions/table", test_table);
	g_test_add_func("/reductions/none", test_none);
	g_test_add_func("/reductions/half-operand", test_half_operand);
	g_test_add_func("/reductions/epochs", test_epochs);
	g_test_add_func("/reductions/high-half", test_high_half);
	g_test_add_func("/reductions/dropped", test_dropped);
	g_test_add_func("/reductions/leave", test_leave);
	g_test_add_func("/reductions/leave-before-start", test_leave_before_start);
	g_test_add_func("/reductions/init", test_init);
	g_test_add_func("/reductions/break", test_break);
	g_test_add_func("/reductions/other-kind", test_other_kind);
	g_test_add_func("/reductions/overlap", test_overlap);
	g_test_add_func("/reductions/two-writes", test_two_writes);
	g_test_add_func("/reductions/failed-write", test_failed_write);
	g_test_add_func("/reductions/failed-record", test_failed_record);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
