/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every combination of the modes of a group: each does the same barrier, and the test
 * checks the exact cost in stores, loads and DMA.
 */
#include "card.h"

#define G	7
#define MEMBERS 3
#define EPOCHS	4

struct mode {
	unsigned int completion, arrival, departure, reduce, records;
};

static uint32_t control_of(const struct mode *mode)
{
	return mode->completion << HBSR_GRP_CTRL_COMPLETION_SHIFT |
	       mode->arrival << HBSR_GRP_CTRL_ARRIVAL_SHIFT |
	       mode->departure << HBSR_GRP_CTRL_DEPARTURE_SHIFT |
	       mode->reduce << HBSR_GRP_CTRL_REDUCE_SHIFT;
}

static void start(struct card *card, const struct mode *mode)
{
	unsigned int i;

	set32(card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	/* Epochs start anew: memory must have none of the old ones. */
	for (i = 0; i < MEMBERS; i++)
		qtest_memset(card->qts, memory_of(i), 0, 0x4000);
	qtest_memset(card->qts, record_of(G, 0), 0, 0x1000);
	card_enable(card);
	set32(card, of_group(G, HBSR_GRP_VACANT), MEMBERS);
	set32(card, of_group(G, HBSR_GRP_COUNT), mode->completion ? MEMBERS : 0);
	set32(card, of_group(G, HBSR_GRP_RECORDS), mode->records);
	for (i = 0; i < mode->records; i++)
		set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(i)), record_of(G, i));
	set32(card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE | control_of(mode));
	for (i = 0; i < MEMBERS; i++) {
		memory_set(card, i);
		join(card, G, i);
	}
}

static void arrive_as(struct card *card, const struct mode *mode, unsigned int port, uint64_t epoch)
{
	uint64_t operand = epoch * 100 + port;

	if (mode->arrival == HBSR_ARRIVAL_POLL) {
		line_write(card, port, G, epoch_word(epoch), operand);
		qtest_clock_step(card->qts, HBSR_CTL_POLL_DEFAULT);
	} else {
		arrive_with(card, port, G, operand);
	}
}

static void assert_record(struct card *card, uint64_t at, uint64_t word, uint64_t result)
{
	g_assert_cmphex(qtest_readq(card->qts, at + HBSR_RECORD_WORD), ==, word);
	g_assert_cmphex(qtest_readq(card->qts, at + HBSR_RECORD_RESULT), ==, result);
}

/* All that shows the epoch shows this one, and nothing else shows anything. */
static void assert_shown(struct card *card, const struct mode *mode, uint64_t epoch)
{
	uint64_t result = mode->reduce && epoch > 1 ? MEMBERS * epoch * 100 + 3 : 0;
	bool port_record = mode->departure == HBSR_DEPARTURE_PORT;
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		assert_record(card, memory_of(i) + G * HBSR_MEMORY_STRIDE + HBSR_MEMORY_DEPARTURE,
			      port_record ? epoch_word(epoch) : 0, port_record ? result : 0);
	for (i = 0; i < 3; i++)
		assert_record(card, record_of(G, i), i < mode->records ? epoch_word(epoch) : 0,
			      i < mode->records ? result : 0);
	g_assert_cmphex(departure(card, 0, G), ==, epoch_word(epoch));
}

static void assert_costs(struct card *card, const struct mode *mode, unsigned int loads)
{
	unsigned int words = mode->reduce ? 2 : 1;
	unsigned int own = mode->departure == HBSR_DEPARTURE_PORT ? MEMBERS : 0;
	/* The first arrives in a round that reads all, the second in one that reads two... */
	unsigned int reads = 3 + 2 + 1 + (mode->reduce ? MEMBERS : 0);

	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, EPOCHS);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_ARRIVALS)), ==, EPOCHS * MEMBERS);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==,
			 /* enabled, joined, completed */
			 mode->records + own + EPOCHS * words * (mode->records + own));
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_LINE_READS)), ==,
			 mode->arrival == HBSR_ARRIVAL_POLL ? EPOCHS * reads : 0);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_DEPARTURE_READS)), ==, loads);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_INTERRUPTS)), ==, 0);
	g_assert_cmpuint(reg64(card, HBSR_CNT_DMA_ERRORS), ==, 0);
	g_assert_cmpuint(reg64(card, HBSR_CNT_VIOLATIONS), ==, 0);
}

static void check_mode(struct card *card, const struct mode *mode)
{
	unsigned int i, loads = 0;
	uint64_t epoch;

	g_test_message("completion %u arrival %u departure %u reduce %u records %u",
		       mode->completion, mode->arrival, mode->departure, mode->reduce,
		       mode->records);
	start(card, mode);
	for (epoch = 2; epoch < 2 + EPOCHS; epoch++) {
		for (i = 0; i < MEMBERS; i++) {
			assert_shown(card, mode, epoch - 1);
			loads++;
			arrive_as(card, mode, (epoch + i) % MEMBERS, epoch);
		}
	}
	assert_shown(card, mode, epoch - 1);
	assert_costs(card, mode, loads + 1);
}

static void test_barriers(void)
{
	struct card card;
	struct mode mode;

	card_start(&card, "", "");
	for (mode.completion = 0; mode.completion < 2; mode.completion++)
		for (mode.arrival = 0; mode.arrival < 2; mode.arrival++)
			for (mode.departure = 0; mode.departure < 2; mode.departure++)
				for (mode.reduce = 0; mode.reduce <= HBSR_REDUCE_SUM;
				     mode.reduce += HBSR_REDUCE_SUM)
					for (mode.records = 0; mode.records < 3; mode.records++)
						check_mode(&card, &mode);
	card_stop(&card);
}

/* A store that is no arrival, or comes after a break, releases nobody. */
static void check_errors(struct card *card, const struct mode *mode)
{
	bool polls = mode->arrival == HBSR_ARRIVAL_POLL;

	start(card, mode);
	arrive_as(card, mode, 0, 2);
	arrive(card, 0, G);
	if (polls)
		assert_violation(card, 1, HBSR_VIOLATION_REFUSED, 0, G);
	else if (mode->completion == HBSR_COMPLETION_MASK)
		assert_violation(card, 1, HBSR_VIOLATION_DOUBLE, 0, G);
	else /* two of three: the count does not say which */
		g_assert_cmpuint(reg32(card, of_group(G, HBSR_GRP_ARRIVED)), ==, 2);
	arrive(card, 40, G);
	assert_shown(card, mode, 1);
	command(card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	g_assert_cmphex(departure(card, 0, G), ==, broken_word(1, HBSR_REASON_DIED));
	if (mode->departure == HBSR_DEPARTURE_PORT)
		g_assert_cmphex(member_record(card, 1, G), ==, broken_word(1, HBSR_REASON_DIED));
	arrive_as(card, mode, 1, 2);
	arrive_as(card, mode, 2, 2);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, 0);
	g_assert_cmpuint(reg32(card, of_group(G, HBSR_GRP_ARRIVED)), ==, 0);
}

static void test_errors(void)
{
	struct card card;
	struct mode mode = { 0 };

	card_start(&card, "", "");
	for (mode.completion = 0; mode.completion < 2; mode.completion++)
		for (mode.arrival = 0; mode.arrival < 2; mode.arrival++)
			for (mode.departure = 0; mode.departure < 2; mode.departure++)
				check_errors(&card, &mode);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/modes/barriers", test_barriers);
	g_test_add_func("/modes/errors", test_errors);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
