/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Enabling, JOIN and LEAVE while memory takes its time: GRP_STATUS.BUSY, and what becomes
 * of reads whose answers nobody wants any more.
 */
#include "card.h"
#include "saving.h"

#define G      4
#define LATENT 7000
#define SLOW   ",x-read-ns=7000"
#define PERIOD HBSR_CTL_POLL_DEFAULT
#define POLL   (HBSR_ARRIVAL_POLL << HBSR_GRP_CTRL_ARRIVAL_SHIFT)
#define PORT   (HBSR_DEPARTURE_PORT << HBSR_GRP_CTRL_DEPARTURE_SHIFT)
#define AS_SUM (HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT)
#define BUSY   HBSR_GRP_STATUS_BUSY

static uint32_t status(struct card *card)
{
	return reg32(card, of_group(G, HBSR_GRP_STATUS));
}

static uint64_t members(struct card *card)
{
	return reg64(card, of_group(G, HBSR_GRP_P(0)));
}

static uint64_t arrivals(struct card *card)
{
	return reg64(card, of_group(G, HBSR_GRP_ARRIVALS));
}

static uint64_t line_reads(struct card *card)
{
	return reg64(card, of_group(G, HBSR_GRP_LINE_READS));
}

static bool reading(struct card *card)
{
	return reg32(card, HBSR_CTL_STATUS) & HBSR_CTL_STATUS_READING;
}

/* Until the group is not busy; its rounds are far apart. */
static void finish(struct card *card)
{
	unsigned int n;

	for (n = 0; n < 4 && status(card) & BUSY; n++)
		qtest_clock_step(card->qts, LATENT);
	g_assert_cmphex(status(card) & BUSY, ==, 0);
}

/* A slow card, and a group of ports 0 to MEMBERS - 1; no round has been. */
static void start(struct card *card, uint32_t ctrl, unsigned int number)
{
	unsigned int port;

	card_start(card, SLOW, "");
	card_enable(card);
	set32(card, HBSR_CTL_POLL, 1 << 30);
	group_enable_as(card, G, number, ctrl);
	finish(card);
	for (port = 0; port < number; port++) {
		memory_set(card, port);
		join(card, G, port);
		finish(card);
	}
	set32(card, HBSR_CTL_POLL, PERIOD);
}

/* While a group is checked it has no members, and takes none; it can break. */
static void test_enable(void)
{
	struct card card;

	card_start(&card, SLOW, "");
	card_enable(&card);
	group_enable(&card, G, 1);
	g_assert_cmphex(status(&card), ==, BUSY);
	g_assert_true(reading(&card));
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	join(&card, G, 0);
	assert_bad_access(&card, 1, NOBODY, G);
	qtest_clock_step(card.qts, LATENT - 1);
	g_assert_cmphex(status(&card), ==, BUSY);
	qtest_clock_step(card.qts, 1);
	g_assert_cmphex(status(&card), ==, 0);
	g_assert_false(reading(&card));
	join(&card, G, 0);
	g_assert_cmphex(members(&card), ==, 1);
	group_disable(&card, G);
	group_enable(&card, G, 1);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DESTROYED);
	g_assert_cmphex(record(&card, G), ==, broken_word(2, HBSR_REASON_DESTROYED));
	finish(&card);
	/* The card read back another value than it wrote; it is memory all the same. */
	g_assert_cmphex(group_word(&card, G), ==, broken_word(2, HBSR_REASON_DESTROYED));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 0);
	card_stop(&card);
}

/* JOIN takes effect when the memory was checked, and the group goes on meanwhile. */
static void test_join(void)
{
	struct card card;

	start(&card, PORT, 1);
	memory_set(&card, 1);
	join(&card, G, 1);
	g_assert_cmphex(status(&card), ==, BUSY);
	g_assert_cmphex(members(&card), ==, 1);
	g_assert_cmphex(member_record(&card, 1, G), ==, epoch_word(1));
	command(&card, G, HBSR_OP_LEAVE, 0);
	assert_bad_access(&card, 1, NOBODY, G);
	command(&card, G, HBSR_OP_INIT, 0);
	assert_bad_access(&card, 2, NOBODY, G);
	join(&card, G, 2);
	assert_bad_access(&card, 3, NOBODY, G);
	/* An epoch completes without a member that is not in yet; then the member sees it. */
	arrive(&card, 0, G);
	g_assert_cmphex(member_record(&card, 0, G), ==, epoch_word(2));
	g_assert_cmphex(member_record(&card, 1, G), ==, epoch_word(1));
	finish(&card);
	g_assert_cmphex(members(&card), ==, 3);
	g_assert_cmphex(member_record(&card, 1, G), ==, epoch_word(2));
	arrive(&card, 0, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	arrive(&card, 1, G);
	g_assert_cmphex(member_record(&card, 1, G), ==, epoch_word(3));
	card_stop(&card);
}

/* A group that breaks while a JOIN waits: it is not done. */
static void test_join_broken(void)
{
	struct card card;

	start(&card, PORT, 1);
	memory_set(&card, 1);
	join(&card, G, 1);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	g_assert_cmphex(status(&card) & BUSY, ==, BUSY);
	finish(&card);
	g_assert_cmphex(members(&card), ==, 1);
	g_assert_cmphex(record(&card, G), ==, broken_word(1, HBSR_REASON_DIED));
	card_stop(&card);
}

/* If a group uses no port memory, JOIN and LEAVE wait for nothing. */
static void test_at_once(void)
{
	struct card card;

	start(&card, 0, 2);
	join(&card, G, 2);
	g_assert_cmphex(status(&card), ==, 0);
	g_assert_cmphex(members(&card), ==, 7);
	command(&card, G, HBSR_OP_LEAVE, 2);
	g_assert_cmphex(status(&card), ==, 0);
	g_assert_cmphex(members(&card), ==, 3);
	g_assert_false(reading(&card));
	card_stop(&card);
}

/* LEAVE reads the line as it was when the command came, operand and all. */
static void test_leave(void)
{
	struct card card;

	start(&card, POLL | AS_SUM, 2);
	line_write(&card, 1, G, epoch_word(2), 40);
	command(&card, G, HBSR_OP_LEAVE, 1);
	g_assert_cmphex(status(&card), ==, BUSY);
	g_assert_cmphex(members(&card), ==, 3);
	qtest_clock_step(card.qts, LATENT);
	g_assert_cmphex(status(&card), ==, BUSY);
	g_assert_cmphex(members(&card), ==, 3);
	g_assert_cmpuint(line_reads(&card), ==, 1);
	qtest_clock_step(card.qts, LATENT);
	g_assert_cmphex(status(&card), ==, 0);
	g_assert_cmphex(members(&card), ==, 1);
	g_assert_cmpuint(arrivals(&card), ==, 1);
	g_assert_cmpuint(line_reads(&card), ==, 2);
	line_write(&card, 0, G, epoch_word(2), 2);
	qtest_clock_step(card.qts, (1 << 30) + 2 * LATENT);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_RESULT)), ==, 42);
	card_stop(&card);
}

/* The card takes posted stores while it waits for memory, of this group and others. */
static void test_no_waiting(void)
{
	struct card card;

	start(&card, POLL, 2);
	group_enable(&card, G + 1, 2);
	qtest_clock_step(card.qts, LATENT);
	join(&card, G + 1, 5);
	join(&card, G + 1, 6);
	command(&card, G, HBSR_OP_LEAVE, 1);
	g_assert_cmphex(status(&card), ==, BUSY);
	arrive(&card, 5, G + 1);
	arrive(&card, 6, G + 1);
	g_assert_cmphex(record(&card, G + 1), ==, epoch_word(2));
	g_assert_cmphex(status(&card), ==, BUSY);
	finish(&card);
	g_assert_cmphex(members(&card), ==, 1);
	card_stop(&card);
}

/* A group of two that polls; the next round is PERIOD from now. */
static void start_soon(struct card *card)
{
	start(card, POLL, 2);
	set32(card, HBSR_CTL_CTRL, 0);
	qtest_clock_step(card->qts, 2 * LATENT);
	card_enable(card);
}

/* The same, in the midst of a round */
static void start_round(struct card *card)
{
	start_soon(card);
	qtest_clock_step(card->qts, PERIOD);
	g_assert_true(reading(card));
}

/* A round asks for all lines at its start, and is over when all have come. */
static void test_round(void)
{
	struct card card;

	start_soon(&card);
	set32(&card, HBSR_CTL_POLL, 1000);
	qtest_clock_step(card.qts, PERIOD);
	g_assert_cmpuint(line_reads(&card), ==, 0);
	qtest_clock_step(card.qts, LATENT);
	/* The next round begins when this one is over, though CTL_POLL says earlier. */
	g_assert_cmpuint(line_reads(&card), ==, 2);
	g_assert_true(reading(&card));
	qtest_clock_step(card.qts, LATENT - 1);
	g_assert_cmpuint(line_reads(&card), ==, 2);
	qtest_clock_step(card.qts, 1);
	g_assert_cmpuint(line_reads(&card), ==, 4);
	line_arrive(&card, 0, G, 2);
	line_arrive(&card, 1, G, 2);
	qtest_clock_step(card.qts, 3 * LATENT);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmpuint(arrivals(&card), ==, 2);
	card_stop(&card);
}

/* A member that leaves and joins again does not count as arrived because of an earlier read. */
static void test_leave_and_join(void)
{
	struct card card;
	uint64_t before;

	start_soon(&card);
	line_arrive(&card, 1, G, 2);
	qtest_clock_step(card.qts, PERIOD);
	g_assert_true(reading(&card));
	before = line_reads(&card);
	/* The round has read an arrival that the member takes back before it leaves. */
	line_write(&card, 1, G, 0, 0);
	qtest_clock_step(card.qts, LATENT / 2);
	command(&card, G, HBSR_OP_LEAVE, 1);
	g_assert_cmphex(status(&card), ==, BUSY);
	qtest_clock_step(card.qts, LATENT / 2);
	g_assert_cmpuint(arrivals(&card), ==, 0);
	/* Port 0's line, and not the answer that was dropped */
	g_assert_cmpuint(line_reads(&card), ==, before + 1);
	finish(&card);
	g_assert_cmphex(members(&card), ==, 1);
	g_assert_cmpuint(arrivals(&card), ==, 0);
	join(&card, G, 1);
	finish(&card);
	g_assert_cmphex(members(&card), ==, 3);
	qtest_clock_step(card.qts, 2 * PERIOD);
	g_assert_cmpuint(arrivals(&card), ==, 0);
	card_stop(&card);
}

/* A round that begins while a member leaves reads its line: the group is busy until that came. */
static void test_round_while_leaving(void)
{
	struct card card;

	start_soon(&card);
	qtest_clock_step(card.qts, PERIOD - LATENT / 2);
	command(&card, G, HBSR_OP_LEAVE, 1);
	qtest_clock_step(card.qts, LATENT);
	g_assert_cmphex(members(&card), ==, 1);
	g_assert_cmphex(status(&card), ==, BUSY);
	qtest_clock_step(card.qts, LATENT / 2);
	g_assert_cmphex(status(&card), ==, 0);
	/* so the driver may take the port's memory away, and give it to another member */
	set64(&card, of_port(1, HBSR_PRT_ADDR), 0);
	g_assert_cmphex(status(&card), ==, 0);
	card_stop(&card);
}

/* INIT drops what was read as well: the group is busy until it has come. */
static void test_init(void)
{
	struct card card;

	start_soon(&card);
	line_arrive(&card, 1, G, 2);
	qtest_clock_step(card.qts, PERIOD);
	line_write(&card, 1, G, 0, 0);
	command(&card, G, HBSR_OP_INIT, 1);
	g_assert_cmphex(status(&card), ==, BUSY);
	finish(&card);
	g_assert_cmpuint(arrivals(&card), ==, 0);
	qtest_clock_step(card.qts, 2 * PERIOD);
	g_assert_cmpuint(arrivals(&card), ==, 0);
	card_stop(&card);
}

/* A new address: the card drops what it read at the old one, and reads again. */
static void test_new_address(void)
{
	struct card card;

	start_soon(&card);
	line_arrive(&card, 1, G, 2);
	qtest_clock_step(card.qts, PERIOD);
	set64(&card, of_port(1, HBSR_PRT_ADDR), memory_of(9));
	qtest_clock_step(card.qts, LATENT);
	g_assert_cmpuint(arrivals(&card), ==, 0);
	line_arrive(&card, 9, G, 2);
	qtest_clock_step(card.qts, PERIOD + LATENT);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 1 << 1);
	/* A LEAVE that waits at the old address waits at the new one. */
	command(&card, G, HBSR_OP_LEAVE, 0);
	qtest_clock_step(card.qts, LATENT - 1);
	line_arrive(&card, 8, G, 2);
	set64(&card, of_port(0, HBSR_PRT_ADDR), memory_of(8));
	qtest_clock_step(card.qts, 1);
	g_assert_cmphex(members(&card), ==, 3);
	finish(&card);
	g_assert_cmphex(members(&card), ==, 2);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	card_stop(&card);
}

/* A disabled group is busy until none of its reads is in flight. */
static void test_disable(void)
{
	struct card card;

	start_round(&card);
	group_disable(&card, G);
	g_assert_cmphex(status(&card), ==, BUSY);
	qtest_clock_step(card.qts, LATENT);
	g_assert_cmphex(status(&card), ==, 0);
	g_assert_false(reading(&card));
	/* and has forgotten what it was busy with */
	group_enable_as(&card, G, 2, POLL);
	finish(&card);
	join(&card, G, 0);
	g_assert_cmphex(status(&card), ==, BUSY);
	group_disable(&card, G);
	finish(&card);
	group_enable_as(&card, G, 2, POLL);
	finish(&card);
	g_assert_cmphex(members(&card), ==, 0);
	card_stop(&card);
}

/* While the card is not enabled what was begun stands still, and then begins anew. */
static void test_card_disabled(void)
{
	struct card card;

	start(&card, POLL, 2);
	command(&card, G, HBSR_OP_LEAVE, 1);
	set32(&card, HBSR_CTL_CTRL, 0);
	qtest_clock_step(card.qts, 10 * LATENT);
	g_assert_false(reading(&card));
	g_assert_cmphex(status(&card), ==, BUSY);
	g_assert_cmphex(members(&card), ==, 3);
	line_arrive(&card, 1, G, 2);
	card_enable(&card);
	finish(&card);
	g_assert_cmphex(members(&card), ==, 1);
	g_assert_cmpuint(arrivals(&card), ==, 1);
	card_stop(&card);
}

/* A group that is enabled before the card is: it is busy until then, with records or without. */
static void test_enabled_before(void)
{
	struct card card;
	unsigned int records;

	card_start(&card, SLOW, "");
	for (records = 0; records < 2; records++) {
		set32(&card, HBSR_CTL_CTRL, 0);
		set32(&card, of_group(G, HBSR_GRP_RECORDS), records);
		set64(&card, of_group(G, HBSR_GRP_RECORD_ADDR(0)), record_of(G, 0));
		set32(&card, of_group(G, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
		qtest_clock_step(card.qts, 10 * LATENT);
		g_assert_cmphex(status(&card), ==, BUSY);
		g_assert_false(reading(&card));
		card_enable(&card);
		if (!records)
			g_assert_cmphex(status(&card), ==, 0);
		finish(&card);
		join(&card, G, 0);
		g_assert_cmphex(members(&card), ==, 1);
		group_disable(&card, G);
		finish(&card);
	}
	card_stop(&card);
}

/* A group that breaks meanwhile: the leave is done, the arrival is none. */
static void test_leave_broken(void)
{
	struct card card;

	start(&card, POLL, 2);
	line_arrive(&card, 1, G, 2);
	command(&card, G, HBSR_OP_LEAVE, 1);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	finish(&card);
	g_assert_cmphex(members(&card), ==, 1);
	g_assert_cmpuint(arrivals(&card), ==, 0);
	card_stop(&card);
}

/* No reset is over before what was in flight has come. */
static void test_reset(void)
{
	struct card card;

	start_round(&card);
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	g_assert_cmphex(reg32(&card, HBSR_CTL_STATUS), ==, HBSR_CTL_STATUS_READING);
	qtest_clock_step(card.qts, LATENT);
	g_assert_cmphex(reg32(&card, HBSR_CTL_STATUS), ==, HBSR_CTL_STATUS_READY);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 0);
	card_stop(&card);
}

/* A LEAVE in progress goes along with a card that migrates, and is done there. */
static void test_migration(void)
{
	char *path = temporary("migration");
	struct card card;

	start(&card, POLL, 2);
	line_arrive(&card, 1, G, 2);
	command(&card, G, HBSR_OP_LEAVE, 1);
	migrate_to(&card, path);
	card_stop(&card);
	start_from(&card, SLOW, path);
	g_assert_cmphex(status(&card), ==, BUSY);
	line_arrive(&card, 1, G, 2);
	qtest_clock_step(card.qts, 1);
	finish(&card);
	g_assert_cmphex(members(&card), ==, 1);
	g_assert_cmpuint(arrivals(&card), ==, 1);
	card_stop(&card);
	unlink(path);
	g_free(path);
}

static void add_tests(void)
{
	g_test_add_func("/operations/enable", test_enable);
	g_test_add_func("/operations/join", test_join);
	g_test_add_func("/operations/join-broken", test_join_broken);
	g_test_add_func("/operations/at-once", test_at_once);
	g_test_add_func("/operations/leave", test_leave);
	g_test_add_func("/operations/no-waiting", test_no_waiting);
	g_test_add_func("/operations/round", test_round);
	g_test_add_func("/operations/leave-and-join", test_leave_and_join);
	g_test_add_func("/operations/round-while-leaving", test_round_while_leaving);
	g_test_add_func("/operations/init", test_init);
	g_test_add_func("/operations/new-address", test_new_address);
	g_test_add_func("/operations/disable", test_disable);
	g_test_add_func("/operations/card-disabled", test_card_disabled);
	g_test_add_func("/operations/enabled-before", test_enabled_before);
	g_test_add_func("/operations/leave-broken", test_leave_broken);
	g_test_add_func("/operations/reset", test_reset);
	g_test_add_func("/operations/migration", test_migration);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
