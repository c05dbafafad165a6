/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seats, join, leave, init and break.
 */
#include "card.h"

#define G 0

static uint64_t epoch(struct card *card)
{
	return reg64(card, of_group(G, HBSR_GRP_EPOCH));
}

static uint32_t vacant(struct card *card)
{
	return reg32(card, of_group(G, HBSR_GRP_VACANT));
}

static void start(struct card *card, unsigned int seats)
{
	card_start(card, "", "");
	card_enable(card);
	group_enable(card, G, seats);
}

/* The first epoch cannot be over before all seats are taken. */
static void test_seats(void)
{
	struct card card;

	start(&card, 3);
	join(&card, G, 0);
	arrive(&card, 0, G);
	g_assert_cmpuint(vacant(&card), ==, 2);
	join(&card, G, 1);
	arrive(&card, 1, G);
	g_assert_cmpuint(epoch(&card), ==, 1);
	/* A seat given up before the start is vacant again. */
	command(&card, G, HBSR_OP_LEAVE, 1);
	g_assert_cmpuint(vacant(&card), ==, 2);
	g_assert_cmpuint(epoch(&card), ==, 1);
	join(&card, G, 7);
	join(&card, G, 9);
	g_assert_cmpuint(vacant(&card), ==, 0);
	arrive(&card, 7, G);
	g_assert_cmpuint(epoch(&card), ==, 1);
	arrive(&card, 9, G);
	g_assert_cmpuint(epoch(&card), ==, 2);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* After the start: the epoch in progress waits for no leaver, but for a joiner. */
static void test_leave_and_join(void)
{
	struct card card;

	start(&card, 3);
	join(&card, G, 0);
	join(&card, G, 1);
	join(&card, G, 2);
	arrive(&card, 0, G);
	arrive(&card, 1, G);
	command(&card, G, HBSR_OP_LEAVE, 2);
	g_assert_cmpuint(epoch(&card), ==, 2);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmpuint(vacant(&card), ==, 0);
	/* A member that has arrived already leaves. */
	arrive(&card, 0, G);
	command(&card, G, HBSR_OP_LEAVE, 0);
	g_assert_cmpuint(epoch(&card), ==, 2);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 0);
	join(&card, G, 5);
	arrive(&card, 1, G);
	g_assert_cmpuint(epoch(&card), ==, 2);
	arrive(&card, 5, G);
	g_assert_cmpuint(epoch(&card), ==, 3);
	/* The last leaves: an empty group does not complete. */
	command(&card, G, HBSR_OP_LEAVE, 1);
	command(&card, G, HBSR_OP_LEAVE, 5);
	g_assert_cmpuint(epoch(&card), ==, 3);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_MEMBERS)), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

static void test_init(void)
{
	struct card card;

	start(&card, 2);
	join(&card, G, 0);
	join(&card, G, 1);
	arrive(&card, 0, G);
	command(&card, G, HBSR_OP_INIT, 0);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 0);
	arrive(&card, 1, G);
	g_assert_cmpuint(epoch(&card), ==, 1);
	/* Nothing to take back is no error. */
	command(&card, G, HBSR_OP_INIT, 0);
	arrive(&card, 0, G);
	g_assert_cmpuint(epoch(&card), ==, 2);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* For every reason: records and DEPARTURE say so, and the first reason stays. */
static void test_break(void)
{
	struct card card;
	unsigned int reason;

	card_start(&card, "", "");
	card_enable(&card);
	for (reason = HBSR_REASON_TIMEOUT; reason <= HBSR_REASON_OVERFLOW; reason++) {
		/* In each round the group is enabled once and completes once. */
		uint64_t word = broken_word(2 * reason, reason);

		group_enable(&card, G, 1);
		join(&card, G, 4);
		arrive(&card, 4, G);
		join(&card, G, 6);
		arrive(&card, 6, G);
		command(&card, G, HBSR_OP_BREAK, reason);
		g_assert_cmphex(record(&card, G), ==, word);
		g_assert_cmphex(departure(&card, 4, G), ==, word);
		g_assert_cmphex(reg32(&card, of_group(G, HBSR_GRP_STATUS)), ==, word & 0xffff);
		g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 0);
		command(&card, G, HBSR_OP_BREAK, HBSR_REASON_OVERFLOW - reason + 1);
		g_assert_cmphex(record(&card, G), ==, word);
		group_disable(&card, G);
		g_assert_cmphex(reg32(&card, of_group(G, HBSR_GRP_STATUS)), ==, 0);
	}
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* A broken group can be left, not joined; it releases nobody. */
static void test_broken(void)
{
	struct card card;

	start(&card, 2);
	join(&card, G, 0);
	join(&card, G, 1);
	arrive(&card, 0, G);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	arrive(&card, 1, G);
	assert_violation(&card, 1, HBSR_VIOLATION_REFUSED, 1, G);
	arrive(&card, 0, G);
	assert_violation(&card, 2, HBSR_VIOLATION_REFUSED, 0, G);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_REFUSED)), ==, 2);
	arrive(&card, 9, G);
	assert_violation(&card, 3, HBSR_VIOLATION_NON_MEMBER, 9, G);
	join(&card, G, 2);
	assert_violation(&card, 4, HBSR_VIOLATION_ACCESS, NOBODY, G);
	command(&card, G, HBSR_OP_LEAVE, 0);
	command(&card, G, HBSR_OP_LEAVE, 1);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_MEMBERS)), ==, 0);
	g_assert_cmpuint(epoch(&card), ==, 1);
	g_assert_cmphex(record(&card, G), ==, broken_word(1, HBSR_REASON_DIED));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 4);
	card_stop(&card);
}

/* Commands that cannot be done are bad accesses and change nothing. */
static void test_bad_commands(void)
{
	static const struct {
		unsigned int op, arg;
	} bad[] = {
		{ 0, 0 },
		{ 5, 0 },
		{ 255, 0 },
		{ HBSR_OP_JOIN, 0 },  /* a member already */
		{ HBSR_OP_JOIN, 64 }, /* no such port */
		{ HBSR_OP_JOIN, 0xffff },
		{ HBSR_OP_LEAVE, 1 }, /* no member */
		{ HBSR_OP_LEAVE, 64 },
		{ HBSR_OP_INIT, 1 },
		{ HBSR_OP_INIT, 64 },
		{ HBSR_OP_BREAK, HBSR_REASON_NONE },
		{ HBSR_OP_BREAK, HBSR_REASON_OVERFLOW + 1 },
	};
	struct card card;
	size_t i;

	start(&card, 2);
	join(&card, G, 0);
	arrive(&card, 0, G);
	for (i = 0; i < G_N_ELEMENTS(bad); i++) {
		command(&card, G, bad[i].op, bad[i].arg);
		assert_bad_access(&card, i + 1, NOBODY, G);
		g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_P(0))), ==, 1);
		g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_P(1))), ==, 0);
		g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 1);
		g_assert_cmphex(reg32(&card, of_group(G, HBSR_GRP_STATUS)), ==, 0);
		g_assert_cmpuint(vacant(&card), ==, 1);
	}
	/* a group that is not enabled */
	join(&card, G + 1, 0);
	assert_bad_access(&card, i + 1, NOBODY, G + 1);
	set32(&card, of_group(G + 1, HBSR_GRP_ARM), 1);
	assert_bad_access(&card, i + 2, NOBODY, G + 1);
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/membership/seats", test_seats);
	g_test_add_func("/membership/leave-and-join", test_leave_and_join);
	g_test_add_func("/membership/init", test_init);
	g_test_add_func("/membership/break", test_break);
	g_test_add_func("/membership/broken", test_broken);
	g_test_add_func("/membership/bad-commands", test_bad_commands);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
