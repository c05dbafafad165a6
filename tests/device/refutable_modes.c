/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Refutable groups: operands, timers, and where members see the release.
 */
#include "refutable_group.h"
#include "saving.h"

#define T      1000000 /* timeout of the group, in ns */
#define DELAY  1000
#define AS_SUM (HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT)
#define NOTIFY (HBSR_POLICY_NOTIFY << HBSR_GRP_CTRL_POLICY_SHIFT)
#define MINUS2 (UINT64_MAX - 1)

static uint64_t result_of(struct card *card, uint64_t at)
{
	return qtest_readq(card->qts, at + HBSR_RECORD_RESULT);
}

static void assert_result(struct card *card, uint64_t epoch, uint64_t result)
{
	g_assert_cmphex(record(card, G), ==, epoch_word(epoch));
	g_assert_cmphex(result_of(card, record_of(G, 0)), ==, result);
	g_assert_cmphex(counter(card, HBSR_GRP_RESULT), ==, result);
	g_assert_cmphex(qtest_readq(card->qts, lane(card, 0, G) + HBSR_LANE_RESULT), ==, result);
}

/*
 * Operands 7, 100 and 12; then the second member, which has arrived, thinks better of it:
 * 7, -2 and 12; then the third has 0.
 */
static const struct {
	unsigned int reduce;
	uint64_t results[3];
} reductions[] = {
	{ HBSR_REDUCE_NONE, { 0, 0, 0 } },
	{ HBSR_REDUCE_AND, { 4, 4, 0 } },
	{ HBSR_REDUCE_OR, { 0x6f, UINT64_MAX, UINT64_MAX } },
	{ HBSR_REDUCE_XOR, { 0x6f, ~10ULL, ~6ULL } },
	{ HBSR_REDUCE_SUM, { 119, 17, 5 } },
	{ HBSR_REDUCE_MIN, { 7, 7, 0 } },
	{ HBSR_REDUCE_MAX, { 100, MINUS2, MINUS2 } },
	{ HBSR_REDUCE_SMIN, { 7, MINUS2, MINUS2 } },
	{ HBSR_REDUCE_SMAX, { 100, 12, 7 } },
	{ HBSR_REDUCE_VOTE, { 3, 3, 2 } },
};

static void check_reduction(struct card *card, unsigned int reduce, const uint64_t *results)
{
	static const uint64_t operands[] = { 7, 100, 12 };
	unsigned int i;

	for (i = 0; i < 3; i++)
		set_operand(card, i, G, operands[i]);
	for (i = 0; i < 3; i++)
		idle(card, i, G, 0, 0);
	assert_result(card, 2, results[0]);
	/* The operands of an epoch are those that it ends with. */
	idle(card, 1, G, 0, 0);
	idle(card, 0, G, 0, 0);
	withdraw(card, 1, G);
	set_operand(card, 1, G, 5);
	set_operand(card, 1, G, MINUS2);
	idle(card, 1, G, 0, 0);
	assert_result(card, 2, results[0]);
	idle(card, 2, G, 0, 0);
	assert_result(card, 3, results[1]);
	/* They stay for the next. */
	for (i = 0; i < 3; i++)
		idle(card, i, G, 0, 0);
	assert_result(card, 4, results[1]);
	idle(card, 2, G, 1, 0);
	idle(card, 0, G, 0, 0);
	idle(card, 1, G, 0, 0);
	withdraw(card, 2, G);
	set_operand(card, 2, G, 0);
	idle(card, 2, G, -1, FREED);
	assert_result(card, 5, results[2]);
	g_assert_cmpuint(counter(card, HBSR_GRP_RECORD_WRITES), ==, 1 + 4 * (reduce ? 2 : 1));
	g_assert_cmpuint(reg64(card, HBSR_CNT_VIOLATIONS), ==, 0);
}

static void test_reductions(void)
{
	struct card card;
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(reductions); i++) {
		g_test_message("reduction %u", reductions[i].reduce);
		start_as(&card, "", 3, reductions[i].reduce << HBSR_GRP_CTRL_REDUCE_SHIFT);
		check_reduction(&card, reductions[i].reduce, reductions[i].results);
		card_stop(&card);
	}
}

/* An idle word is no operand; one that is dropped leaves the old one. */
static void test_operands(void)
{
	struct card card;

	start_as(&card, "", 2, AS_SUM);
	idle(&card, 0, G, 1, VOTE);
	idle(&card, 1, G, -1, VOTE);
	g_assert_cmphex(counter(&card, HBSR_GRP_RESULT), ==, 0);
	g_assert_cmphex(record(&card, G), ==, vote_word(2, 3));
	/* 4 bytes are extended by zeros. */
	set_operand(&card, 0, G, UINT64_MAX);
	qtest_writel(card.qts, lane(&card, 0, G) + HBSR_LANE_OPERAND, UINT32_MAX);
	idle(&card, 0, G, 0, 0);
	set_operand(&card, 0, G, 5);
	assert_violation(&card, 1, HBSR_VIOLATION_DOUBLE, 0, G);
	set_operand(&card, 9, G, 5);
	assert_violation(&card, 2, HBSR_VIOLATION_NON_MEMBER, 9, G);
	set32(&card, HBSR_CTL_CTRL, 0);
	set_operand(&card, 1, G, 5);
	assert_violation(&card, 3, HBSR_VIOLATION_REFUSED, 1, G);
	card_enable(&card);
	idle(&card, 1, G, 0, 0);
	assert_result(&card, 3, UINT32_MAX);
	/* Another group of the same port has its own. */
	group_enable_as(&card, G + 1, 1, AS_REFUTABLE | AS_SUM);
	join(&card, G + 1, 0);
	set_operand(&card, 0, G + 1, 3);
	idle(&card, 0, G + 1, 0, 0);
	g_assert_cmphex(reg64(&card, of_group(G + 1, HBSR_GRP_RESULT)), ==, 3);
	idle(&card, 0, G, 0, 0);
	idle(&card, 1, G, 0, 0);
	assert_result(&card, 4, UINT32_MAX);
	card_stop(&card);
}

/* The result is of those who are members then; a joiner begins with 0. */
static void test_operands_of_members(void)
{
	struct card card;
	unsigned int i;

	start_as(&card, "", 3, AS_SUM);
	for (i = 0; i < 3; i++)
		set_operand(&card, i, G, 1 + 10 * i);
	idle(&card, 0, G, 0, 0);
	idle(&card, 1, G, 0, 0);
	command(&card, G, HBSR_OP_LEAVE, 1);
	idle(&card, 2, G, 0, 0);
	assert_result(&card, 2, 1 + 21);
	idle(&card, 0, G, 0, 0);
	command(&card, G, HBSR_OP_LEAVE, 2);
	assert_result(&card, 3, 1);
	join(&card, G, 1);
	idle(&card, 0, G, 0, 0);
	idle(&card, 1, G, 0, 0);
	assert_result(&card, 4, 1);
	/* A break changes no operand; a group that is enabled again has none of the old. */
	set_operand(&card, 1, G, 8);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	g_assert_cmphex(counter(&card, HBSR_GRP_RESULT), ==, 1);
	group_disable(&card, G);
	group_enable_as(&card, G, 2, AS_REFUTABLE | AS_SUM);
	join_all(&card, 2);
	idle(&card, 0, G, 0, 0);
	idle(&card, 1, G, 0, 0);
	assert_result(&card, 6, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* Operands of ports in all words of the masks */
static void test_operands_of_all(void)
{
	static const unsigned int members[] = { 0, 63, 64, 130, 1023 };
	struct card card;
	size_t i;

	card_start(&card, ",ports=1024", "");
	card_enable(&card);
	group_enable_as(&card, G, 5, AS_REFUTABLE | AS_SUM);
	for (i = 0; i < 5; i++) {
		join(&card, G, members[i]);
		set_operand(&card, members[i], G, 1ULL << 8 * i);
	}
	for (i = 0; i < 5; i++)
		idle(&card, members[i], G, 0, 0);
	assert_result(&card, 2, 0x0101010101);
	card_stop(&card);
}

static void step(struct card *card, int64_t ns)
{
	qtest_clock_step(card->qts, ns);
}

static void start_timer(struct card *card, unsigned int members, uint32_t ctrl)
{
	start_as(card, "", members, ctrl);
	group_disable(card, G);
	set64(card, of_group(G, HBSR_GRP_TIMEOUT), T);
	group_enable_as(card, G, members, AS_REFUTABLE | ctrl);
	join_all(card, members);
	step(card, 12345);
}

static void assert_expired(struct card *card, bool expired, uint64_t missing)
{
	g_assert_cmphex(reg64(card, HBSR_INT_TIMEOUTS(0)), ==, expired ? 1 << G : 0);
	g_assert_cmphex(!!(status(card) & HBSR_GRP_STATUS_EXPIRED), ==, expired);
	g_assert_cmphex(counter(card, HBSR_GRP_MISSING(0)), ==, missing);
}

/* The only arrival is withdrawn: the timer stops, and the next one has its whole time. */
static void test_timer_stops(void)
{
	struct card card;

	start_timer(&card, 3, 0);
	idle(&card, 0, G, 0, 0);
	step(&card, T - 1);
	withdraw(&card, 0, G);
	step(&card, 10 * T);
	assert_expired(&card, false, 0);
	idle(&card, 1, G, 0, 0);
	step(&card, T / 2);
	/* One of two stops nothing, and starts nothing anew. */
	idle(&card, 0, G, 0, 0);
	withdraw(&card, 1, G);
	step(&card, T / 2 - 1);
	assert_expired(&card, false, 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	step(&card, 1);
	assert_expired(&card, true, 1 << 1 | 1 << 2);
	g_assert_cmphex(record(&card, G), ==, broken_word(2, HBSR_REASON_TIMEOUT));
	g_assert_cmphex(counter(&card, HBSR_GRP_S(0)), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* All are idle, and a message is lost: nobody is missing, and the timer says so. */
static void test_timer_balance(void)
{
	struct card card;

	start_timer(&card, 2, 0);
	idle(&card, 0, G, 1, VOTE);
	idle(&card, 1, G, 0, VOTE);
	step(&card, T);
	assert_expired(&card, true, 0);
	g_assert_cmphex(record(&card, G), ==, broken_word(2, HBSR_REASON_TIMEOUT));
	g_assert_cmphex(counter(&card, HBSR_GRP_V(0)), ==, 0);
	g_assert_cmpint(balance(&card, G), ==, 1);
	card_stop(&card);
}

/* The group goes on, told of once in an epoch, whatever its members withdraw. */
static void test_timer_notify(void)
{
	struct card card;

	start_timer(&card, 2, NOTIFY);
	idle(&card, 0, G, 1, VOTE);
	step(&card, T);
	assert_expired(&card, true, 1 << 1);
	g_assert_cmphex(counter(&card, HBSR_GRP_S(0)), ==, 1);
	g_assert_cmphex(counter(&card, HBSR_GRP_V(0)), ==, 1);
	set64(&card, HBSR_INT_TIMEOUTS(0), 1 << G);
	withdraw(&card, 0, G);
	idle(&card, 0, G, 0, VOTE);
	step(&card, 10 * T);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 0);
	g_assert_cmphex(status(&card), ==, HBSR_GRP_STATUS_EXPIRED | HBSR_GRP_STATUS_BLACK);
	idle(&card, 1, G, -1, FREED);
	g_assert_cmphex(status(&card), ==, 2 << HBSR_GRP_STATUS_VOTE_SHIFT);
	/* and again in the next */
	idle(&card, 1, G, 0, 0);
	step(&card, T - 1);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 0);
	step(&card, 1);
	assert_expired(&card, true, 1 << 0);
	g_assert_cmphex(record(&card, G), ==, vote_word(3, 2));
	card_stop(&card);
}

/* What else stops the timer: a completion, an overflow, a member that leaves */
static void test_timer_ends(void)
{
	struct card card;

	start_timer(&card, 2, 0);
	idle(&card, 0, G, 1, 0);
	step(&card, T / 2);
	idle(&card, 1, G, -1, 0);
	step(&card, 10 * T);
	assert_expired(&card, false, 0);
	idle(&card, 0, G, 1, 0);
	command(&card, G, HBSR_OP_LEAVE, 0);
	step(&card, 10 * T);
	assert_expired(&card, false, 0);
	join(&card, G, 0);
	/* A card that is enabled again gives it the whole time. */
	idle(&card, 0, G, 0, 0);
	step(&card, T - 1);
	set32(&card, HBSR_CTL_CTRL, 0);
	step(&card, T);
	card_enable(&card);
	step(&card, T - 1);
	assert_expired(&card, false, 0);
	idle(&card, 1, G, (1LL << 47) - 1, 0);
	g_assert_cmphex(record(&card, G), ==, broken_word(3, HBSR_REASON_OVERFLOW));
	step(&card, 10 * T);
	assert_expired(&card, false, 0);
	card_stop(&card);
}

/* One epoch with a vote, a withdrawal and a result, wherever members look */
static void check_departure(struct card *card, uint32_t ctrl, unsigned int records)
{
	bool port_record = ctrl & HBSR_GRP_CTRL_DEPARTURE, reduces = ctrl & HBSR_GRP_CTRL_REDUCE;
	unsigned int i, places = records + (port_record ? 2 : 0);
	uint64_t word = vote_word(2, 2), result = reduces ? 33 : 0;

	for (i = 0; i < records; i++)
		set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(i)), record_of(G, i));
	set32(card, of_group(G, HBSR_GRP_VACANT), 2);
	set32(card, of_group(G, HBSR_GRP_RECORDS), records);
	set32(card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE | AS_REFUTABLE | ctrl);
	for (i = 0; i < 2; i++) {
		memory_set(card, i);
		join(card, G, i);
		set_operand(card, i, G, 11 * (i + 1));
	}
	idle(card, 0, G, 4, 0);
	idle(card, 1, G, 0, 0);
	withdraw(card, 1, G);
	idle(card, 1, G, -4, FREED | VOTE);
	for (i = 0; i < 2; i++) {
		g_assert_cmphex(departure(card, i, G), ==, word);
		g_assert_cmphex(qtest_readq(card->qts, lane(card, i, G) + HBSR_LANE_RESULT), ==,
				result);
		g_assert_cmphex(member_record(card, i, G), ==, port_record ? word : 0);
		g_assert_cmphex(result_of(card, memory_of(i) + G * HBSR_MEMORY_STRIDE +
							HBSR_MEMORY_DEPARTURE),
				==, port_record ? result : 0);
	}
	for (i = 0; i < records; i++) {
		g_assert_cmphex(qtest_readq(card->qts, record_of(G, i)), ==, word);
		g_assert_cmphex(result_of(card, record_of(G, i)), ==, result);
	}
	g_assert_cmpuint(counter(card, HBSR_GRP_RECORD_WRITES), ==, places * (reduces ? 3 : 2));
	/* A member that joins later finds the word with its vote. */
	memory_set(card, 2);
	join(card, G, 2);
	g_assert_cmphex(departure(card, 2, G), ==, word);
	g_assert_cmphex(member_record(card, 2, G), ==, port_record ? word : 0);
	g_assert_cmpuint(reg64(card, HBSR_CNT_VIOLATIONS), ==, 0);
}

static void test_departures(void)
{
	unsigned int departure, reduce, records;
	struct card card;

	for (departure = 0; departure <= HBSR_DEPARTURE_PORT; departure++)
		for (reduce = 0; reduce <= HBSR_REDUCE_SUM; reduce += HBSR_REDUCE_SUM)
			for (records = 0; records < 4; records += 1 + records) {
				g_test_message("departure %u reduce %u records %u", departure,
					       reduce, records);
				card_start(&card, "", "");
				card_enable(&card);
				check_departure(&card,
						departure << HBSR_GRP_CTRL_DEPARTURE_SHIFT |
							reduce << HBSR_GRP_CTRL_REDUCE_SHIFT,
						records);
				card_stop(&card);
			}
}

/* Memory of a joiner is checked while the group goes on: who is no member yet is dropped. */
static void test_slow_join(void)
{
	struct card card;

	card_start(&card, ",x-read-ns=7000", "");
	card_enable(&card);
	group_enable_as(&card, G, 1,
			AS_REFUTABLE | HBSR_DEPARTURE_PORT << HBSR_GRP_CTRL_DEPARTURE_SHIFT);
	memory_set(&card, 0);
	memory_set(&card, 1);
	step(&card, 7000);
	join(&card, G, 0);
	step(&card, 7000);
	join(&card, G, 1);
	g_assert_cmphex(member_record(&card, 1, G), ==, epoch_word(1));
	idle(&card, 1, G, 9, 0);
	assert_violation(&card, 1, HBSR_VIOLATION_NON_MEMBER, 1, G);
	idle(&card, 0, G, 0, VOTE);
	g_assert_cmphex(departure(&card, 0, G), ==, vote_word(2, 3));
	step(&card, 7000);
	/* The word has changed meanwhile, votes and all. */
	g_assert_cmphex(member_record(&card, 1, G), ==, vote_word(2, 3));
	idle(&card, 0, G, 1, 0);
	idle(&card, 1, G, -1, 0);
	g_assert_cmphex(member_record(&card, 1, G), ==, epoch_word(3));
	card_stop(&card);
}

/* Records that leave late show the votes of the latest completion, over a break too. */
static void test_late(void)
{
	char *path = temporary("migration");
	struct card card;

	start_as(&card, ",x-write-ns=1000", 1, AS_SUM);
	reg32(&card, HBSR_CTL_CTRL);
	set_operand(&card, 0, G, 5);
	idle(&card, 0, G, 0, VOTE);
	set_operand(&card, 0, G, 6);
	idle(&card, 0, G, 0, 0);
	set_operand(&card, 0, G, 7);
	idle(&card, 0, G, 0, VOTE);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	step(&card, DELAY);
	g_assert_cmphex(record(&card, G), ==, vote_word(4, 3));
	g_assert_cmphex(result_of(&card, record_of(G, 0)), ==, 7);
	idle(&card, 0, G, 0, 0);
	/* An answer to a load from WITHDRAW comes after the records, as any. */
	g_assert_cmphex(is_idle(&card, 0, G), ==, 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(5));
	idle(&card, 0, G, 0, VOTE);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	migrate_to(&card, path);
	g_assert_cmphex(record(&card, G), ==, epoch_word(5));
	card_stop(&card);
	start_from(&card, ",x-write-ns=1000", path);
	step(&card, 1);
	g_assert_cmphex(record(&card, G), ==,
			broken_word(6, HBSR_REASON_DIED) | 3 << HBSR_WORD_VOTE_SHIFT);
	g_assert_cmphex(result_of(&card, record_of(G, 0)), ==, 7);
	card_stop(&card);
	unlink(path);
	g_free(path);
}

/* The message of an overflow comes after the records that show it. */
static void test_overflow_order(void)
{
	static const char *const events[] = {
		"hbs_break group 3 reason 7",
		"hbs_record_write group 3 addr 0x230000 word 0x10071 done 1",
		"hbs_interrupt vector 1",
		"hbs_interrupt vector 0",
	};
	char *path = temporary("trace"), *options;
	struct card card;

	options = g_strdup_printf("-trace hbs_* -D %s", path);
	card_start(&card, ",x-gap-ns=1000", options);
	messages_enable(&card);
	card_enable(&card);
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_VIOLATION);
	set32(&card, of_group(G, HBSR_GRP_VECTOR), 1);
	group_enable_as(&card, G, 2, AS_REFUTABLE);
	join_all(&card, 2);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	idle(&card, 0, G, -1, 0);
	idle(&card, 1, G, -(1LL << 47), 0);
	card_stop(&card);
	assert_in_order(path, events, G_N_ELEMENTS(events));
	g_free(options);
	g_free(path);
}

/* With a pause between two words the release is the same. */
static void test_gap(void)
{
	struct card card;

	start_as(&card, ",x-gap-ns=20000", 2, AS_SUM);
	set_operand(&card, 1, G, 3);
	idle(&card, 0, G, 1, 0);
	idle(&card, 1, G, -1, 0);
	assert_result(&card, 2, 3);
	card_stop(&card);
}

/* A record that cannot be written breaks the group, which keeps its balance. */
static void test_failed_write(void)
{
	struct card card;

	start_as(&card, "", 2, AS_SUM);
	idle(&card, 0, G, 1, VOTE);
	idle(&card, 1, G, -1, VOTE);
	idle(&card, 0, G, 7, 0);
	set_bus_master(&card, false);
	idle(&card, 1, G, -7, VOTE);
	g_assert_cmphex(departure(&card, 0, G), ==,
			broken_word(3, HBSR_REASON_DMA) | 2 << HBSR_WORD_VOTE_SHIFT);
	g_assert_cmphex(record(&card, G), ==, vote_word(2, 3));
	g_assert_cmpint(balance(&card, G), ==, 0);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/refutable-modes/reductions", test_reductions);
	g_test_add_func("/refutable-modes/operands", test_operands);
	g_test_add_func("/refutable-modes/operands-of-members", test_operands_of_members);
	g_test_add_func("/refutable-modes/operands-of-all", test_operands_of_all);
	g_test_add_func("/refutable-modes/timer-stops", test_timer_stops);
	g_test_add_func("/refutable-modes/timer-balance", test_timer_balance);
	g_test_add_func("/refutable-modes/timer-notify", test_timer_notify);
	g_test_add_func("/refutable-modes/timer-ends", test_timer_ends);
	g_test_add_func("/refutable-modes/departures", test_departures);
	g_test_add_func("/refutable-modes/slow-join", test_slow_join);
	g_test_add_func("/refutable-modes/late", test_late);
	g_test_add_func("/refutable-modes/overflow-order", test_overflow_order);
	g_test_add_func("/refutable-modes/gap", test_gap);
	g_test_add_func("/refutable-modes/failed-write", test_failed_write);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
