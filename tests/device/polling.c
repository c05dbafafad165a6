/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrival lines, which the card reads in rounds. The clock is the test's.
 */
#include "card.h"

#define G	  4
#define PERIOD	  HBSR_CTL_POLL_DEFAULT
#define POLL	  (HBSR_ARRIVAL_POLL << HBSR_GRP_CTRL_ARRIVAL_SHIFT)
#define AS_SUM	  (HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT)
#define NO_MEMORY 0x7000000000

static void rounds(struct card *card, unsigned int n)
{
	qtest_clock_step(card->qts, (int64_t)n * PERIOD);
}

static uint64_t line_reads(struct card *card)
{
	return reg64(card, of_group(G, HBSR_GRP_LINE_READS));
}

static uint64_t arrivals(struct card *card)
{
	return reg64(card, of_group(G, HBSR_GRP_ARRIVALS));
}

static void join_with_memory(struct card *card, unsigned int g, unsigned int port)
{
	memory_set(card, port);
	join(card, g, port);
}

/* A group of ports 0, 1 and 2, in epoch 1, that polls */
static void start(struct card *card, uint32_t ctrl)
{
	unsigned int port;

	card_start(card, "", "");
	card_enable(card);
	group_enable_as(card, G, 3, POLL | ctrl);
	for (port = 0; port < 3; port++)
		join_with_memory(card, G, port);
}

/* What the card reads: the line of each member that has not arrived, once a round */
static void test_rounds(void)
{
	struct card card;

	start(&card, 0);
	qtest_clock_step(card.qts, PERIOD - 1);
	g_assert_cmpuint(line_reads(&card), ==, 0);
	qtest_clock_step(card.qts, 1);
	g_assert_cmpuint(line_reads(&card), ==, 3);
	line_arrive(&card, 1, G, 2);
	g_assert_cmpuint(arrivals(&card), ==, 0);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 6);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 1 << 1);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 8);
	line_arrive(&card, 2, G, 2);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 10);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_ARRIVED)), ==, 2);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	line_arrive(&card, 0, G, 2);
	rounds(&card, 1);
	/* The round of the group ends with the epoch. */
	g_assert_cmpuint(line_reads(&card), ==, 11);
	g_assert_cmpuint(arrivals(&card), ==, 3);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 2);
	/* The lines are from the epoch before: nobody arrives by them again. */
	rounds(&card, 2);
	g_assert_cmpuint(line_reads(&card), ==, 17);
	g_assert_cmpuint(arrivals(&card), ==, 3);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* All lines have an arrival before a round: as many reads as members, and no more */
static void test_cost(void)
{
	struct card card;
	unsigned int epoch, port;

	start(&card, 0);
	for (epoch = 2; epoch < 12; epoch++) {
		for (port = 0; port < 3; port++)
			line_arrive(&card, port, G, epoch);
		rounds(&card, 1);
		g_assert_cmphex(record(&card, G), ==, epoch_word(epoch));
	}
	g_assert_cmpuint(line_reads(&card), ==, 30);
	g_assert_cmpuint(arrivals(&card), ==, 30);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, 10);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 11);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_DEPARTURE_READS)), ==, 0);
	card_stop(&card);
}

/* Only the word of the next epoch, whole, is an arrival. */
static void test_words(void)
{
	static const uint64_t none[] = {
		0,
		1ULL << 16,	  /* the current epoch */
		3ULL << 16,	  /* the one after the next */
		UINT64_MAX,	  /* no epoch so far */
		2ULL << 16 | 1,	  /* broken */
		2ULL << 16 | 16,  /* a reason */
		2ULL << 16 | 256, /* a vote */
		2,		  /* the number, not the word */
		2ULL << 48,
	};
	struct card card;
	size_t i;

	start(&card, AS_SUM);
	for (i = 0; i < G_N_ELEMENTS(none); i++) {
		line_write(&card, 0, G, none[i], 7);
		rounds(&card, 1);
		g_assert_cmpuint(line_reads(&card), ==, 3 * (i + 1));
		g_assert_cmpuint(arrivals(&card), ==, 0);
	}
	line_write(&card, 0, G, epoch_word(2), 7);
	rounds(&card, 1);
	g_assert_cmpuint(arrivals(&card), ==, 1);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* The card reads an operand with its arrival, and only in a group that reduces. */
static void test_operands(void)
{
	struct card card;

	start(&card, AS_SUM);
	line_write(&card, 0, G, epoch_word(2), 5);
	line_write(&card, 2, G, epoch_word(2), 0x100000000);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 3 + 2);
	/* The card has taken it: what is there now does not count. */
	line_write(&card, 0, G, epoch_word(2), 1000);
	line_write(&card, 1, G, epoch_word(1), 1000);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 5 + 1);
	line_write(&card, 1, G, epoch_word(2), -1ULL);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 6 + 2);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_RESULT)), ==, 0x100000004);
	g_assert_cmphex(qtest_readq(card.qts, record_of(G, 0) + HBSR_RECORD_RESULT), ==,
			0x100000004);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	card_stop(&card);
}

/* First the word, then the operand, each by a read of its own */
static void test_order(void)
{
	char *path = temporary("trace"), *options, *text, *at, *found;
	static const char *const events[] = {
		"hbs_line_read port 0 group 4 addr 0xa00200 word 0x20000",
		"hbs_line_read port 0 group 4 addr 0xa00208 word 0x63",
		"hbs_line_read port 1 group 4 addr 0xa04200 word 0x0",
	};
	struct card card;
	size_t i;

	options = g_strdup_printf("-trace hbs_* -D %s", path);
	card_start(&card, "", options);
	card_enable(&card);
	group_enable_as(&card, G, 2, POLL | AS_SUM);
	join_with_memory(&card, G, 0);
	join_with_memory(&card, G, 1);
	line_write(&card, 0, G, epoch_word(2), 99);
	rounds(&card, 1);
	card_stop(&card);
	text = file_text(path);
	for (i = 0, at = text; at && i < G_N_ELEMENTS(events); i++) {
		g_test_message("%s", events[i]);
		found = strstr(at, "hbs_line_read");
		at = strstr(at, events[i]);
		g_assert_nonnull(at);
		g_assert_true(found == at);
		at = at ? at + 1 : NULL;
	}
	unlink(path);
	g_free(text);
	g_free(options);
	g_free(path);
}

/* A store to ARRIVAL is refused, however often, and arrives nowhere. */
static void test_store_refused(void)
{
	struct card card;

	start(&card, 0);
	arrive(&card, 0, G);
	assert_violation(&card, 1, HBSR_VIOLATION_REFUSED, 0, G);
	arrive(&card, 0, G);
	assert_violation(&card, 2, HBSR_VIOLATION_REFUSED, 0, G);
	arrive(&card, 9, G);
	assert_violation(&card, 3, HBSR_VIOLATION_NON_MEMBER, 9, G);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_REFUSED)), ==, 2);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_NON_MEMBER)), ==, 1);
	g_assert_cmpuint(arrivals(&card), ==, 0);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 0);
	card_stop(&card);
}

/* The card does not read the line of a port that is no member: it arrives for nobody. */
static void test_non_member(void)
{
	struct card card;

	start(&card, 0);
	memory_set(&card, 7);
	line_arrive(&card, 7, G, 2);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 3);
	g_assert_cmpuint(arrivals(&card), ==, 0);
	command(&card, G, HBSR_OP_LEAVE, 0);
	g_assert_cmpuint(line_reads(&card), ==, 4);
	line_arrive(&card, 0, G, 2);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 6);
	g_assert_cmpuint(arrivals(&card), ==, 0);
	command(&card, G, HBSR_OP_LEAVE, 0);
	assert_bad_access(&card, 1, NOBODY, G);
	g_assert_cmpuint(line_reads(&card), ==, 6);
	card_stop(&card);
}

/* A member that stores an arrival and is gone before the next round has arrived. */
static void test_leave_after_arrival(void)
{
	struct card card;

	start(&card, AS_SUM);
	line_write(&card, 0, G, epoch_word(2), 5);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 4);
	line_write(&card, 1, G, epoch_word(2), 70);
	command(&card, G, HBSR_OP_LEAVE, 1);
	g_assert_cmpuint(line_reads(&card), ==, 6);
	g_assert_cmpuint(arrivals(&card), ==, 2);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 1 << 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	/* The last one to arrive leaves: that epoch is complete first. */
	line_write(&card, 2, G, epoch_word(2), 600);
	command(&card, G, HBSR_OP_LEAVE, 2);
	g_assert_cmpuint(line_reads(&card), ==, 8);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_RESULT)), ==, 675);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, 1);
	/* The card does not read the line of a member that has arrived. */
	line_write(&card, 0, G, epoch_word(3), 1);
	join(&card, G, 1);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 8 + 3);
	command(&card, G, HBSR_OP_LEAVE, 0);
	g_assert_cmpuint(line_reads(&card), ==, 8 + 3);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* It leaves even if its line cannot be read, which breaks the group. */
static void test_leave_unreadable(void)
{
	struct card card;

	start(&card, 0);
	set64(&card, of_port(1, HBSR_PRT_ADDR), NO_MEMORY);
	command(&card, G, HBSR_OP_LEAVE, 1);
	g_assert_cmphex(record(&card, G), ==, broken_word(1, HBSR_REASON_DMA));
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_P(0))), ==, 1 << 0 | 1 << 2);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 1);
	/* The card does not read a line of a broken group. */
	set64(&card, of_port(2, HBSR_PRT_ADDR), NO_MEMORY);
	command(&card, G, HBSR_OP_LEAVE, 2);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 1);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_P(0))), ==, 1 << 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* JOIN needs a memory. */
static void test_join(void)
{
	struct card card;

	card_start(&card, "", "");
	card_enable(&card);
	group_enable_as(&card, G, 1, POLL);
	join(&card, G, 3);
	assert_bad_access(&card, 1, NOBODY, G);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_P(0))), ==, 0);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_VACANT)), ==, 1);
	memory_set(&card, 3);
	join(&card, G, 3);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_P(0))), ==, 1 << 3);
	assert_bad_access(&card, 1, NOBODY, G);
	/* a group that does not poll needs none */
	group_enable(&card, G + 1, 1);
	join(&card, G + 1, 4);
	g_assert_cmphex(reg64(&card, of_group(G + 1, HBSR_GRP_P(0))), ==, 1 << 4);
	assert_bad_access(&card, 1, NOBODY, G);
	card_stop(&card);
}

/* The card takes lines from before the start, and they complete nothing before it. */
static void test_seats(void)
{
	struct card card;

	card_start(&card, "", "");
	card_enable(&card);
	group_enable_as(&card, G, 2, POLL);
	join_with_memory(&card, G, 0);
	line_arrive(&card, 0, G, 2);
	rounds(&card, 1);
	g_assert_cmpuint(arrivals(&card), ==, 1);
	g_assert_cmpuint(line_reads(&card), ==, 1);
	/* Nobody is left to be read. */
	rounds(&card, 10);
	g_assert_cmpuint(line_reads(&card), ==, 1);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	join_with_memory(&card, G, 1);
	line_arrive(&card, 1, G, 2);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 2);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	card_stop(&card);
}

/* LEAVE completes, and takes back; a line that INIT took back arrives again. */
static void test_leave_and_init(void)
{
	struct card card;

	start(&card, 0);
	line_arrive(&card, 0, G, 2);
	line_arrive(&card, 1, G, 2);
	rounds(&card, 1);
	command(&card, G, HBSR_OP_INIT, 0);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 1 << 1);
	rounds(&card, 1);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 1 << 0 | 1 << 1);
	line_write(&card, 0, G, 0, 0);
	command(&card, G, HBSR_OP_INIT, 0);
	rounds(&card, 1);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 1 << 1);
	command(&card, G, HBSR_OP_LEAVE, 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	command(&card, G, HBSR_OP_LEAVE, 2);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

static void assert_no_reads(struct card *card)
{
	uint64_t before = line_reads(card);

	rounds(card, 5);
	g_assert_cmpuint(line_reads(card), ==, before);
}

/* Broken, disabled, the card disabled: no line is read; enabled again, they are. */
static void test_stops(void)
{
	struct card card;
	unsigned int port;

	start(&card, 0);
	rounds(&card, 1);
	set32(&card, HBSR_CTL_CTRL, 0);
	assert_no_reads(&card);
	card_enable(&card);
	line_arrive(&card, 0, G, 2);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 6);
	g_assert_cmpuint(arrivals(&card), ==, 1);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	assert_no_reads(&card);
	group_disable(&card, G);
	assert_no_reads(&card);
	group_enable_as(&card, G, 3, POLL);
	assert_no_reads(&card);
	for (port = 0; port < 3; port++)
		join(&card, G, port);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 3);
	/* The words on the lines are from an epoch before. */
	g_assert_cmpuint(arrivals(&card), ==, 0);
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	assert_no_reads(&card);
	for (port = 0; port < 3; port++)
		g_assert_cmphex(reg64(&card, of_port(port, HBSR_PRT_ADDR)), ==, 0);
	card_stop(&card);
}

/* CTL_POLL is the time between rounds, from the next round on. */
static void test_period(void)
{
	struct card card;

	start(&card, 0);
	set32(&card, HBSR_CTL_POLL, 1000);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 3);
	qtest_clock_step(card.qts, 999);
	g_assert_cmpuint(line_reads(&card), ==, 3);
	qtest_clock_step(card.qts, 1);
	g_assert_cmpuint(line_reads(&card), ==, 6);
	qtest_clock_step(card.qts, 10000);
	g_assert_cmpuint(line_reads(&card), ==, 36);
	set32(&card, HBSR_CTL_POLL, 1 << 30);
	qtest_clock_step(card.qts, 1000);
	g_assert_cmpuint(line_reads(&card), ==, 39);
	qtest_clock_step(card.qts, (1 << 30) - 1);
	g_assert_cmpuint(line_reads(&card), ==, 39);
	qtest_clock_step(card.qts, 1);
	g_assert_cmpuint(line_reads(&card), ==, 42);
	card_stop(&card);
}

/* QEMU stands still, and then its clock leaps: rounds go on at once. */
static void test_leaps(void)
{
	static const int64_t seconds[] = { 1, 4, 5, 7, 9, 60 };
	struct card card;
	uint64_t reads;
	size_t i;

	start(&card, 0);
	for (i = 0; i < G_N_ELEMENTS(seconds); i++) {
		rounds(&card, 1);
		qobject_unref(qtest_qmp(card.qts, "{ 'execute': 'stop' }"));
		qtest_clock_step(card.qts, seconds[i] * 1000000000);
		qobject_unref(qtest_qmp(card.qts, "{ 'execute': 'cont' }"));
		reads = line_reads(&card);
		rounds(&card, 3);
		g_assert_cmpuint(line_reads(&card), ==, reads + 9);
	}
	card_stop(&card);
}

/* When the clock has leapt, rounds and a timer are due at once. */
static void test_timeout_leaps(void)
{
	struct card card;
	unsigned int port;

	for (unsigned int late = 1; late < 8; late++) {
		card_start(&card, "", "");
		card_enable(&card);
		set64(&card, of_group(G, HBSR_GRP_TIMEOUT), 10 * PERIOD);
		group_enable_as(&card, G, 8, POLL);
		for (port = 0; port < 8; port++)
			join_with_memory(&card, G, port);
		line_arrive(&card, late, G, 2);
		rounds(&card, 1);
		qobject_unref(qtest_qmp(card.qts, "{ 'execute': 'stop' }"));
		qtest_clock_step(card.qts, (10 + late) * PERIOD);
		qobject_unref(qtest_qmp(card.qts, "{ 'execute': 'cont' }"));
		g_assert_cmpuint(line_reads(&card), >=, 8);
		g_assert_cmphex(record(&card, G), ==, broken_word(1, HBSR_REASON_TIMEOUT));
		card_stop(&card);
	}
}

static void assert_dma_broken(struct card *card)
{
	const uint64_t word = broken_word(1, HBSR_REASON_DMA);

	g_assert_cmphex(departure(card, 0, G), ==, word);
	g_assert_cmpuint(reg64(card, HBSR_CNT_DMA_ERRORS), ==, 1);
	g_assert_cmphex(reg32(card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_DMA);
	g_assert_true(message(card, 0));
	g_assert_true(message(card, 1));
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_INTERRUPTS)), ==, 1);
	g_assert_cmphex(reg32(card, of_group(G, HBSR_GRP_STATUS)) & HBSR_GRP_STATUS_ARMED, ==, 0);
	assert_no_reads(card);
}

/* A line that cannot be read breaks the group, wakes sleepers, and is reported. */
static void check_unreadable(uint64_t address, uint64_t reads)
{
	struct card card;

	card_start(&card, "", "");
	messages_enable(&card);
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_DMA);
	set32(&card, of_group(G, HBSR_GRP_VECTOR), 1);
	card_enable(&card);
	group_enable_as(&card, G, 3, POLL);
	join_with_memory(&card, G, 0);
	join_with_memory(&card, G, 1);
	join_with_memory(&card, G, 2);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	line_arrive(&card, 0, G, 2);
	line_arrive(&card, 2, G, 2);
	set64(&card, of_port(1, HBSR_PRT_ADDR), address);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, reads);
	g_assert_cmphex(record(&card, G), ==, broken_word(1, HBSR_REASON_DMA));
	assert_dma_broken(&card);
	card_stop(&card);
}

static void test_no_memory(void)
{
	check_unreadable(NO_MEMORY, 1);
	check_unreadable(0xffffffffffff0000, 1);
}

/* The address was taken away. */
static void test_no_address(void)
{
	check_unreadable(0, 1);
}

/* The card's own port pages, and its registers */
static void test_own_registers(void)
{
	struct card card;

	start(&card, 0);
	card_stop(&card);
	check_unreadable(card.bar[HBSR_BAR_PORTS], 1);
	check_unreadable(card.bar[HBSR_BAR_REGISTERS], 1);
	check_unreadable(card.bar[HBSR_BAR_MSIX], 1);
}

/* Without bus mastering nothing is read, and no record can say so. */
static void test_no_bus_master(void)
{
	struct card card;

	start(&card, 0);
	set_bus_master(&card, false);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 0);
	/* the record that would say so, and one line, or more that were read together */
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), >=, 1 + 1);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), <=, 1 + 3);
	g_assert_cmphex(departure(&card, 0, G), ==, broken_word(1, HBSR_REASON_DMA));
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	assert_no_reads(&card);
	card_stop(&card);
}

/* A member whose memory moves while it is one */
static void test_new_address(void)
{
	struct card card;

	start(&card, 0);
	rounds(&card, 1);
	/* The next access is at the new address. */
	line_arrive(&card, 5, G, 2);
	set64(&card, of_port(1, HBSR_PRT_ADDR), memory_of(5));
	rounds(&card, 1);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 1 << 1);
	card_stop(&card);
}

/* The timer of a group that polls starts with the round that finds an arrival. */
static void test_timeout(void)
{
	struct card card;

	card_start(&card, "", "");
	card_enable(&card);
	set64(&card, of_group(G, HBSR_GRP_TIMEOUT), 10 * PERIOD);
	group_enable_as(&card, G, 2, POLL);
	join_with_memory(&card, G, 0);
	join_with_memory(&card, G, 1);
	line_arrive(&card, 1, G, 2);
	rounds(&card, 1);
	qtest_clock_step(card.qts, 10 * PERIOD - 1);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	qtest_clock_step(card.qts, 1);
	g_assert_cmphex(record(&card, G), ==, broken_word(1, HBSR_REASON_TIMEOUT));
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_MISSING(0))), ==, 1 << 0);
	assert_no_reads(&card);
	card_stop(&card);
}

/* Several groups, the first and the last, and ports of the same memory */
static void test_groups(void)
{
	static const unsigned int groups[] = { 0, G, 31 };
	struct card card;
	size_t i;

	card_start(&card, "", "");
	card_enable(&card);
	for (i = 0; i < G_N_ELEMENTS(groups); i++) {
		group_enable_as(&card, groups[i], 2, POLL);
		join_with_memory(&card, groups[i], 0);
		join_with_memory(&card, groups[i], 63);
		line_arrive(&card, 0, groups[i], 2);
	}
	line_arrive(&card, 63, G, 2);
	rounds(&card, 1);
	g_assert_cmphex(record(&card, 0), ==, epoch_word(1));
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmphex(record(&card, 31), ==, epoch_word(1));
	line_arrive(&card, 63, 31, 2);
	line_arrive(&card, 63, 0, 2);
	rounds(&card, 1);
	g_assert_cmphex(record(&card, 0), ==, epoch_word(2));
	g_assert_cmphex(record(&card, 31), ==, epoch_word(2));
	card_stop(&card);
}

/* Rounds are the card's: a member that comes during one is in the next one. */
static void test_later_group(void)
{
	struct card card;

	start(&card, 0);
	rounds(&card, 1);
	qtest_clock_step(card.qts, PERIOD / 2);
	group_enable_as(&card, G + 1, 1, POLL);
	join(&card, G + 1, 0);
	qtest_clock_step(card.qts, PERIOD / 2 - 1);
	g_assert_cmpuint(reg64(&card, of_group(G + 1, HBSR_GRP_LINE_READS)), ==, 0);
	qtest_clock_step(card.qts, 1);
	g_assert_cmpuint(reg64(&card, of_group(G + 1, HBSR_GRP_LINE_READS)), ==, 1);
	/* and so is a member */
	join_with_memory(&card, G, 3);
	rounds(&card, 1);
	g_assert_cmpuint(line_reads(&card), ==, 3 + 3 + 4);
	card_stop(&card);
}

/* By lines each member arrives once an epoch: more than the members never come. */
static void test_count_above_members(void)
{
	struct card card;
	unsigned int port;

	card_start(&card, "", "");
	card_enable(&card);
	set32(&card, of_group(G, HBSR_GRP_COUNT), 3);
	group_enable_as(&card, G, 2,
			POLL | HBSR_COMPLETION_COUNT << HBSR_GRP_CTRL_COMPLETION_SHIFT);
	for (port = 0; port < 2; port++) {
		join_with_memory(&card, G, port);
		line_arrive(&card, port, G, 2);
	}
	rounds(&card, 5);
	g_assert_cmpuint(arrivals(&card), ==, 2);
	g_assert_cmpuint(line_reads(&card), ==, 2);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	/* A third member makes it four, and three of them are not enough. */
	join_with_memory(&card, G, 2);
	line_arrive(&card, 2, G, 2);
	rounds(&card, 2);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_COUNT)), ==, 4);
	g_assert_cmpuint(arrivals(&card), ==, 3);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	/* A member that leaves takes its arrival along, and the count goes down by one. */
	command(&card, G, HBSR_OP_LEAVE, 2);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/polling/rounds", test_rounds);
	g_test_add_func("/polling/cost", test_cost);
	g_test_add_func("/polling/words", test_words);
	g_test_add_func("/polling/operands", test_operands);
	g_test_add_func("/polling/order", test_order);
	g_test_add_func("/polling/store-refused", test_store_refused);
	g_test_add_func("/polling/non-member", test_non_member);
	g_test_add_func("/polling/leave-after-arrival", test_leave_after_arrival);
	g_test_add_func("/polling/leave-unreadable", test_leave_unreadable);
	g_test_add_func("/polling/join", test_join);
	g_test_add_func("/polling/seats", test_seats);
	g_test_add_func("/polling/leave-and-init", test_leave_and_init);
	g_test_add_func("/polling/stops", test_stops);
	g_test_add_func("/polling/period", test_period);
	g_test_add_func("/polling/leaps", test_leaps);
	g_test_add_func("/polling/timeout-leaps", test_timeout_leaps);
	g_test_add_func("/polling/no-memory", test_no_memory);
	g_test_add_func("/polling/no-address", test_no_address);
	g_test_add_func("/polling/own-registers", test_own_registers);
	g_test_add_func("/polling/no-bus-master", test_no_bus_master);
	g_test_add_func("/polling/new-address", test_new_address);
	g_test_add_func("/polling/timeout", test_timeout);
	g_test_add_func("/polling/groups", test_groups);
	g_test_add_func("/polling/later-group", test_later_group);
	g_test_add_func("/polling/count-above-members", test_count_above_members);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
