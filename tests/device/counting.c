/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups that count arrivals, no matter which of the members they come from. */
#include "card.h"

#define G      2
#define COUNT  (HBSR_COMPLETION_COUNT << HBSR_GRP_CTRL_COMPLETION_SHIFT)
#define AS_SUM (HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT)
#define MOST   0xffff

static void start(struct card *card, unsigned int seats, unsigned int count, uint32_t ctrl)
{
	card_start(card, "", "");
	card_enable(card);
	set32(card, of_group(G, HBSR_GRP_COUNT), count);
	group_enable_as(card, G, seats, COUNT | ctrl);
}

/* The same, and ports 0, 1 and 2 take its seats */
static void start_three(struct card *card, unsigned int count, uint32_t ctrl)
{
	unsigned int port;

	start(card, 3, count, ctrl);
	for (port = 0; port < 3; port++)
		join(card, G, port);
}

static uint32_t count(struct card *card)
{
	return reg32(card, of_group(G, HBSR_GRP_COUNT));
}

static uint32_t arrived(struct card *card)
{
	return reg32(card, of_group(G, HBSR_GRP_ARRIVED));
}

static uint64_t present(struct card *card)
{
	return reg64(card, of_group(G, HBSR_GRP_S(0)));
}

/* GRP_COUNT, GRP_ARRIVED and S */
static void assert_state(struct card *card, uint32_t needed, uint32_t came, uint64_t who)
{
	g_assert_cmpuint(count(card), ==, needed);
	g_assert_cmpuint(arrived(card), ==, came);
	g_assert_cmphex(present(card), ==, who);
}

/* As many arrivals as members, one from each: as with a mask */
static void test_each(void)
{
	struct card card;
	unsigned int epoch, port;

	start_three(&card, 3, 0);
	for (epoch = 2; epoch < 5; epoch++) {
		for (port = 0; port < 3; port++) {
			g_assert_cmphex(record(&card, G), ==, epoch_word(epoch - 1));
			arrive(&card, port, G);
		}
		g_assert_cmphex(record(&card, G), ==, epoch_word(epoch));
		assert_state(&card, 3, 0, 0);
	}
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_ARRIVALS)), ==, 9);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 4);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* However often from each */
static void test_any(void)
{
	struct card card;
	unsigned int i;

	start_three(&card, 5, 0);
	for (i = 0; i < 4; i++) {
		arrive(&card, 1, G);
		assert_state(&card, 5, i + 1, 1 << 1);
	}
	arrive(&card, 2, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	assert_state(&card, 5, 0, 0);
	/* Fewer than there are members */
	card_stop(&card);
	start_three(&card, 1, 0);
	arrive(&card, 2, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	arrive(&card, 2, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(3));
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_DOUBLE)), ==, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* Only arrivals of members count. */
static void test_non_member(void)
{
	struct card card;

	start_three(&card, 2, 0);
	arrive(&card, 0, G);
	arrive(&card, 7, G);
	assert_violation(&card, 1, HBSR_VIOLATION_NON_MEMBER, 7, G);
	assert_state(&card, 2, 1, 1 << 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	card_stop(&card);
}

/* Each arrival brings its operand. */
static void test_operands(void)
{
	struct card card;

	start_three(&card, 4, AS_SUM);
	arrive_with(&card, 0, G, 1);
	arrive_with(&card, 0, G, 10);
	arrive_with(&card, 2, G, 100);
	arrive_with(&card, 0, G, 1000);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RESULT)), ==, 1111);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	card_stop(&card);
}

/* Before the start: up to GRP_COUNT arrivals, which the last seat completes */
static void test_seats(void)
{
	struct card card;

	start(&card, 2, 2, 0);
	join(&card, G, 0);
	arrive(&card, 0, G);
	arrive(&card, 0, G);
	assert_state(&card, 2, 2, 1 << 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	arrive(&card, 0, G);
	assert_violation(&card, 1, HBSR_VIOLATION_DOUBLE, 0, G);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_DOUBLE)), ==, 1);
	assert_state(&card, 2, 2, 1 << 0);
	join(&card, G, 1);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	assert_state(&card, 2, 0, 0);
	arrive(&card, 0, G);
	assert_state(&card, 2, 1, 1 << 0);
	card_stop(&card);
}

/* Seats come and go without a change of GRP_COUNT. */
static void test_leave_before_start(void)
{
	struct card card;

	start(&card, 3, 3, 0);
	join(&card, G, 0);
	join(&card, G, 1);
	arrive(&card, 1, G);
	command(&card, G, HBSR_OP_LEAVE, 1);
	assert_state(&card, 3, 0, 0);
	command(&card, G, HBSR_OP_LEAVE, 0);
	assert_state(&card, 3, 0, 0);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_VACANT)), ==, 3);
	card_stop(&card);
}

/* After it each member more is an arrival more, each less one less. */
static void test_join_and_leave(void)
{
	struct card card;

	start_three(&card, 3, 0);
	join(&card, G, 8);
	assert_state(&card, 4, 0, 0);
	arrive(&card, 0, G);
	arrive(&card, 1, G);
	arrive(&card, 2, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	/* The one that has not arrived leaves. */
	command(&card, G, HBSR_OP_LEAVE, 8);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	assert_state(&card, 3, 0, 0);
	/* A member that has arrived leaves: its arrival goes too. */
	arrive(&card, 0, G);
	arrive(&card, 1, G);
	command(&card, G, HBSR_OP_LEAVE, 0);
	assert_state(&card, 2, 1, 1 << 1);
	/* of several arrivals, one goes */
	arrive(&card, 1, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(3));
	join(&card, G, 0);
	arrive(&card, 1, G);
	arrive(&card, 1, G);
	assert_state(&card, 3, 2, 1 << 1);
	command(&card, G, HBSR_OP_LEAVE, 1);
	assert_state(&card, 2, 1, 0);
	arrive(&card, 0, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(4));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* A group without members does not complete, however many arrivals are left. */
static void test_empty(void)
{
	struct card card;

	start(&card, 2, 3, 0);
	join(&card, G, 0);
	join(&card, G, 1);
	arrive(&card, 0, G);
	arrive(&card, 0, G);
	command(&card, G, HBSR_OP_LEAVE, 0);
	assert_state(&card, 2, 1, 0);
	command(&card, G, HBSR_OP_LEAVE, 1);
	assert_state(&card, 1, 1, 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	join(&card, G, 5);
	assert_state(&card, 2, 1, 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	arrive(&card, 5, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	card_stop(&card);
}

/* INIT takes one back, once. */
static void test_init(void)
{
	struct card card;

	start_three(&card, 4, 0);
	arrive(&card, 1, G);
	arrive(&card, 1, G);
	command(&card, G, HBSR_OP_INIT, 1);
	assert_state(&card, 4, 1, 0);
	command(&card, G, HBSR_OP_INIT, 1);
	assert_state(&card, 4, 1, 0);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	card_stop(&card);
}

/* With 0 no epoch completes: every arrival is one too many. */
static void test_zero(void)
{
	struct card card;

	start_three(&card, 0, 0);
	arrive(&card, 0, G);
	assert_violation(&card, 1, HBSR_VIOLATION_DOUBLE, 0, G);
	assert_state(&card, 0, 0, 0);
	command(&card, G, HBSR_OP_LEAVE, 2);
	assert_state(&card, 0, 0, 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	join(&card, G, 2);
	assert_state(&card, 1, 0, 0);
	arrive(&card, 0, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	card_stop(&card);
}

/* A JOIN that would need more than there can be is refused. */
static void test_most(void)
{
	struct card card;
	unsigned int i;

	start_three(&card, MOST, 0);
	join(&card, G, 3);
	assert_bad_access(&card, 1, NOBODY, G);
	assert_state(&card, MOST, 0, 0);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_P(0))), ==, 7);
	for (i = 0; i < MOST - 1; i++)
		arrive(&card, i % 3, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	assert_state(&card, MOST, MOST - 1, 7);
	arrive(&card, 0, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	command(&card, G, HBSR_OP_LEAVE, 0);
	join(&card, G, 3);
	assert_bad_access(&card, 1, NOBODY, G);
	assert_state(&card, MOST, 0, 0);
	card_stop(&card);
}

/* A group with a mask does not use GRP_COUNT, which keeps its value. */
static void test_mask(void)
{
	struct card card;

	card_start(&card, "", "");
	card_enable(&card);
	set32(&card, of_group(G, HBSR_GRP_COUNT), 1);
	group_enable(&card, G, 2);
	join(&card, G, 0);
	join(&card, G, 1);
	join(&card, G, 2);
	arrive(&card, 0, G);
	assert_state(&card, 1, 1, 1 << 0);
	command(&card, G, HBSR_OP_LEAVE, 2);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	arrive(&card, 1, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	assert_state(&card, 1, 0, 0);
	card_stop(&card);
}

/* The timer, a break, and being enabled again */
static void test_end(void)
{
	struct card card;

	card_start(&card, "", "");
	card_enable(&card);
	set64(&card, of_group(G, HBSR_GRP_TIMEOUT), 1000);
	set32(&card, of_group(G, HBSR_GRP_COUNT), 3);
	group_enable_as(&card, G, 2, COUNT);
	join(&card, G, 0);
	join(&card, G, 1);
	arrive(&card, 0, G);
	arrive(&card, 0, G);
	/* Both can be taken back; the timer goes on while there is one. */
	command(&card, G, HBSR_OP_INIT, 0);
	assert_state(&card, 3, 1, 0);
	qtest_clock_step(card.qts, 1000);
	g_assert_cmphex(record(&card, G), ==, broken_word(1, HBSR_REASON_TIMEOUT));
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_MISSING(0))), ==, 3);
	assert_state(&card, 3, 0, 0);
	group_disable(&card, G);
	group_enable_as(&card, G, 1, COUNT);
	assert_state(&card, 3, 0, 0);
	join(&card, G, 0);
	arrive(&card, 0, G);
	arrive(&card, 0, G);
	arrive(&card, 0, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(3));
	card_stop(&card);
}

static void add_tests(void)
{
	g_test_add_func("/counting/each", test_each);
	g_test_add_func("/counting/any", test_any);
	g_test_add_func("/counting/non-member", test_non_member);
	g_test_add_func("/counting/operands", test_operands);
	g_test_add_func("/counting/seats", test_seats);
	g_test_add_func("/counting/leave-before-start", test_leave_before_start);
	g_test_add_func("/counting/join-and-leave", test_join_and_leave);
	g_test_add_func("/counting/empty", test_empty);
	g_test_add_func("/counting/init", test_init);
	g_test_add_func("/counting/zero", test_zero);
	g_test_add_func("/counting/most", test_most);
	g_test_add_func("/counting/mask", test_mask);
	g_test_add_func("/counting/end", test_end);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
