/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card whose records and messages leave it late: what the card takes does not wait for
 * them, what the guest reads does, and an epoch may overtake another.
 */
#include "card.h"
#include "saving.h"

#define G      1
#define DELAY  1000
#define LATE   ",x-write-ns=1000"
#define AS_SUM (HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT)

static uint64_t record_result(struct card *card, unsigned int g)
{
	return qtest_readq(card->qts, record_of(g, 0) + HBSR_RECORD_RESULT);
}

static uint64_t writes(struct card *card, unsigned int g)
{
	return reg64(card, of_group(g, HBSR_GRP_RECORD_WRITES));
}

/* A group of port 3 alone, which reduces, in epoch 1; nothing is due. */
static void start(struct card *card, const char *options)
{
	card_start(card, LATE, options);
	messages_enable(card);
	card_enable(card);
	set32(card, of_group(G, HBSR_GRP_VECTOR), 1);
	group_enable_as(card, G, 1, AS_SUM);
	group_wait(card, G);
	join(card, G, 3);
	g_assert_cmpuint(writes(card, G), ==, 1);
}

/* Three epochs go by while none can be written: the last one is shown, whole. */
static void test_overtaken(void)
{
	struct card card;

	start(&card, "");
	arrive_with(&card, 3, G, 10);
	arrive_with(&card, 3, G, 20);
	arrive_with(&card, 3, G, 30);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	qtest_clock_step(card.qts, DELAY - 1);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	qtest_clock_step(card.qts, 1);
	g_assert_cmphex(record(&card, G), ==, epoch_word(4));
	g_assert_cmphex(record_result(&card, G), ==, 30);
	/* The card may skip an epoch, unless it has begun to write; it counted all that happened. */
	g_assert_cmpuint(writes(&card, G), >=, 1 + 2);
	g_assert_cmpuint(writes(&card, G), <, 1 + 3 * 2);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, 3);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_ARRIVALS)), ==, 3);
	card_stop(&card);
}

/* A read of anything pushes what was due before it: BAR 0, BAR 2, and counters of it. */
static void test_read(void)
{
	struct card card;
	unsigned int epoch = 1;

	start(&card, "");
	arrive_with(&card, 3, G, 1);
	reg32(&card, HBSR_ID_MAGIC);
	g_assert_cmphex(record(&card, G), ==, epoch_word(++epoch));
	arrive_with(&card, 3, G, 2);
	qtest_readq(card.qts, lane(&card, 0, 0) + HBSR_LANE_ARRIVAL);
	g_assert_cmphex(record(&card, G), ==, epoch_word(++epoch));
	arrive_with(&card, 3, G, 3);
	g_assert_cmphex(departure(&card, 3, G), ==, epoch_word(++epoch));
	g_assert_cmphex(record(&card, G), ==, epoch_word(epoch));
	/* The counter is of when the answer leaves. */
	arrive_with(&card, 3, G, 4);
	g_assert_cmpuint(writes(&card, G), ==, 1 + 4 * 2);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_GONE);
	g_assert_cmphex(record(&card, G), ==, epoch_word(5));
	reg32(&card, of_group(G, HBSR_GRP_STATUS));
	g_assert_cmphex(record(&card, G), ==, broken_word(5, HBSR_REASON_GONE));
	card_stop(&card);
}

/* A break that overtakes a completion: a member that departs by the break has the result. */
static void test_break(void)
{
	struct card card;

	start(&card, "");
	arrive_with(&card, 3, G, 77);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	qtest_clock_step(card.qts, DELAY);
	g_assert_cmphex(record(&card, G), ==, broken_word(2, HBSR_REASON_DIED));
	g_assert_cmphex(record_result(&card, G), ==, 77);
	card_stop(&card);
}

/* No message is there before the records that it tells of. */
static void test_message(void)
{
	struct card card;

	start(&card, "");
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	arrive_with(&card, 3, G, 1);
	g_assert_false(message(&card, 1));
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	qtest_clock_step(card.qts, DELAY);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_true(message(&card, 1));
	card_stop(&card);
}

/* Several interrupts of a vector may be one message, after the records of them all. */
static void test_merged(void)
{
	char *path = temporary("trace"), *options, *text, *first, *second, *sent;
	struct card card;

	options = g_strdup_printf("-trace hbs_* -D %s", path);
	start(&card, options);
	set32(&card, of_group(G + 1, HBSR_GRP_VECTOR), 1);
	group_enable(&card, G + 1, 1);
	group_wait(&card, G + 1);
	join(&card, G + 1, 4);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	set32(&card, of_group(G + 1, HBSR_GRP_ARM), 1);
	reg32(&card, HBSR_CTL_CTRL);
	arrive_with(&card, 3, G, 1);
	arrive(&card, 4, G + 1);
	g_assert_false(message(&card, 1));
	qtest_clock_step(card.qts, DELAY);
	g_assert_true(message(&card, 1));
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_INTERRUPTS)), ==, 1);
	g_assert_cmpuint(reg64(&card, of_group(G + 1, HBSR_GRP_INTERRUPTS)), ==, 1);
	g_assert_cmphex(reg64(&card, HBSR_INT_GROUPS(0)), ==, 3 << G);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_INTERRUPTS), >=, 1);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_INTERRUPTS), <=, 2);
	card_stop(&card);
	text = file_text(path);
	first = strstr(text, "addr 0x210000 word 0x20000");
	second = strstr(text, "addr 0x220000 word 0x20000");
	sent = g_strrstr(text, "hbs_interrupt vector 1");
	g_assert_nonnull(first);
	g_assert_nonnull(second);
	g_assert_true(sent > first && sent > second);
	unlink(path);
	g_free(text);
	g_free(options);
	g_free(path);
}

/* An epoch that nobody armed overtakes an armed one: the message still follows a record. */
static void test_overtaken_message(void)
{
	char *path = temporary("trace"), *options, *text, *shown, *sent;
	struct card card;

	options = g_strdup_printf("-trace hbs_* -D %s", path);
	start(&card, options);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	reg32(&card, HBSR_CTL_CTRL);
	arrive_with(&card, 3, G, 1);
	arrive_with(&card, 3, G, 2);
	qtest_clock_step(card.qts, DELAY);
	g_assert_true(message(&card, 1));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_INTERRUPTS), ==, 1);
	card_stop(&card);
	text = file_text(path);
	shown = strstr(text, "addr 0x210000 word 0x20000");
	if (!shown)
		shown = strstr(text, "addr 0x210000 word 0x30000");
	sent = strstr(text, "hbs_interrupt vector 1");
	g_assert_nonnull(shown);
	g_assert_true(sent > shown);
	unlink(path);
	g_free(text);
	g_free(options);
	g_free(path);
}

/* Members' records first, and then record 0, late as well */
static void test_members(void)
{
	struct card card;

	card_start(&card, LATE, "");
	card_enable(&card);
	two_with_records(&card, G);
	arrive(&card, 0, G);
	arrive(&card, 1, G);
	g_assert_cmphex(member_record(&card, 0, G), ==, epoch_word(1));
	g_assert_cmphex(member_record(&card, 1, G), ==, epoch_word(1));
	/* The card writes no more to a member that leaves; the first write may be on its way. */
	command(&card, G, HBSR_OP_LEAVE, 1);
	qtest_clock_step(card.qts, DELAY);
	g_assert_cmphex(member_record(&card, 0, G), ==, epoch_word(2));
	g_assert_cmphex(member_record(&card, 1, G), ==, epoch_word(1));
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	card_stop(&card);
}

/* With a second record, which is written before record 0 and may be on its way already */
static void enable_two(struct card *card)
{
	group_disable(card, G);
	set32(card, of_group(G, HBSR_GRP_VACANT), 1);
	set32(card, of_group(G, HBSR_GRP_RECORDS), 2);
	set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(1)), record_of(G, 1));
	set32(card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE | AS_SUM);
	group_wait(card, G);
	join(card, G, 3);
}

/* Disabling the group drops what is due; disabling the card does not; a reset does. */
static void test_disable(void)
{
	struct card card;

	start(&card, "");
	enable_two(&card);
	arrive_with(&card, 3, G, 1);
	set32(&card, HBSR_CTL_CTRL, 0);
	reg32(&card, HBSR_CTL_CTRL);
	g_assert_cmphex(record(&card, G), ==, epoch_word(3));
	card_enable(&card);
	arrive_with(&card, 3, G, 1);
	group_disable(&card, G);
	qtest_clock_step(card.qts, DELAY);
	g_assert_cmphex(record(&card, G), ==, epoch_word(3));
	enable_two(&card);
	set32(&card, of_group(G, HBSR_GRP_ARM), 5);
	arrive_with(&card, 3, G, 1);
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	qtest_clock_step(card.qts, DELAY);
	g_assert_cmphex(record(&card, G), ==, epoch_word(5));
	g_assert_false(message(&card, 1));
	card_stop(&card);
}

/* A record that cannot be written is known late, and breaks what the group is by then. */
static void test_failure(void)
{
	struct card card;

	start(&card, "");
	arrive_with(&card, 3, G, 1);
	arrive_with(&card, 3, G, 1);
	set_bus_master(&card, false);
	set32(&card, of_group(G, HBSR_GRP_ARM), 3);
	qtest_clock_step(card.qts, DELAY);
	g_assert_cmphex(departure(&card, 3, G), ==, broken_word(3, HBSR_REASON_DMA));
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_DMA);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_INTERRUPTS)), ==, 1);
	/* the result of one epoch or of both, and what shows the break */
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), >=, 2);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), <=, 3);
	card_stop(&card);
}

/* Records and messages that are due go along with a card that migrates. */
static void test_migration(void)
{
	char *path = temporary("migration");
	struct card card;

	start(&card, "");
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	arrive_with(&card, 3, G, 11);
	migrate_to(&card, path);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	card_stop(&card);
	start_from(&card, LATE, path);
	qtest_clock_step(card.qts, 1);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmphex(record_result(&card, G), ==, 11);
	g_assert_true(message(&card, 1));
	card_stop(&card);
	unlink(path);
	g_free(path);
}

static void add_tests(void)
{
	g_test_add_func("/egress/overtaken", test_overtaken);
	g_test_add_func("/egress/read", test_read);
	g_test_add_func("/egress/break", test_break);
	g_test_add_func("/egress/message", test_message);
	g_test_add_func("/egress/merged", test_merged);
	g_test_add_func("/egress/overtaken-message", test_overtaken_message);
	g_test_add_func("/egress/members", test_members);
	g_test_add_func("/egress/disable", test_disable);
	g_test_add_func("/egress/failure", test_failure);
	g_test_add_func("/egress/migration", test_migration);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
