/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "midway.h"

void prepare(struct card *card)
{
	card_start(card, PROPERTIES, "");
	messages_enable(card);
	set32(card, HBSR_CTL_TAG, TAG);
	card_enable(card);
	set32(card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_VIOLATION);
	set32(card, of_group(G, HBSR_GRP_VECTOR), 1);
	set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(15)), MARK);
	set64(card, of_group(G, HBSR_GRP_TIMEOUT), T);
	group_enable_as(card, G, 3, AS_MAX);
	join(card, G, 0);
	join(card, G, 5);
	join(card, G, 69);
	arrive_with(card, 0, G, 10);
	arrive_with(card, 5, G, 30);
	arrive_with(card, 69, G, 20);
	qtest_clock_step(card->qts, 500);
	arrive_with(card, 0, G, 1);
	arrive_with(card, 0, G, 99);
	g_assert_true(message(card, 0));
	qtest_clock_step(card->qts, 500);
	arrive_with(card, 69, G, 3);
	set32(card, of_group(G, HBSR_GRP_ARM), 2);
}

void assert_prepared(struct card *card)
{
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_P(0))), ==, 1 << 0 | 1 << 5);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_P(1))), ==, 1 << 5);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_S(0))), ==, 1 << 0);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_S(1))), ==, 1 << 5);
	g_assert_cmpuint(reg32(card, of_group(G, HBSR_GRP_MEMBERS)), ==, 3);
	g_assert_cmpuint(reg32(card, of_group(G, HBSR_GRP_ARRIVED)), ==, 2);
	g_assert_cmphex(reg32(card, of_group(G, HBSR_GRP_STATUS)), ==, HBSR_GRP_STATUS_ARMED);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_RECORD_ADDR(15))), ==, MARK);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_ARRIVALS)), ==, 5);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, 1);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 3);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_TIMEOUT)), ==, T);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_RESULT)), ==, 30);
	assert_violation(card, 1, HBSR_VIOLATION_DOUBLE, 0, G);
	g_assert_cmphex(reg32(card, HBSR_CTL_TAG), ==, TAG);
	g_assert_cmphex(reg32(card, HBSR_INT_ENABLE), ==, HBSR_INT_ENABLE_VIOLATION);
	g_assert_cmphex(record(card, G), ==, epoch_word(2));
}

void prepare_polling(struct card *card)
{
	static const unsigned int members[] = { 0, 5, 69 };
	size_t i;

	card_start(card, PROPERTIES, "");
	card_enable(card);
	set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(15)), MARK);
	set32(card, of_group(G, HBSR_GRP_COUNT), 3);
	group_enable_as(card, G, 3, POLLING);
	for (i = 0; i < G_N_ELEMENTS(members); i++) {
		memory_set(card, members[i]);
		join(card, G, members[i]);
		line_arrive(card, members[i], G, 2);
	}
	qtest_clock_step(card->qts, PERIOD);
	line_arrive(card, 0, G, 3);
	line_arrive(card, 69, G, 3);
	qtest_clock_step(card->qts, PERIOD + 500);
}

void prepare_refutable(struct card *card)
{
	card_start(card, PROPERTIES, "");
	messages_enable(card);
	card_enable(card);
	set32(card, of_group(G, HBSR_GRP_VECTOR), 1);
	set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(15)), MARK);
	set64(card, of_group(G, HBSR_GRP_TIMEOUT), T);
	group_enable_as(card, G, 3, AS_REFUTABLE | HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT);
	set32(card, of_group(G + 1, HBSR_GRP_CTRL), AS_REFUTABLE);
	join(card, G, 0);
	join(card, G, 5);
	join(card, G, 69);
	set_operand(card, 0, G, 10);
	set_operand(card, 5, G, 30);
	set_operand(card, 69, G, 20);
	idle(card, 0, G, 1, HBSR_IDLE_VOTE);
	idle(card, 5, G, -1, HBSR_IDLE_FREED);
	idle(card, 69, G, 0, 0);
	qtest_clock_step(card->qts, 500);
	idle(card, 69, G, 0, 0);
	idle(card, 0, G, 4, HBSR_IDLE_VOTE);
	withdraw(card, 69, G);
	set_operand(card, 69, G, 25);
	idle(card, 69, G, -1, HBSR_IDLE_VOTE);
	withdraw(card, 5, G);
	is_idle(card, 5, G);
	is_idle(card, 5, G);
	set32(card, of_group(G, HBSR_GRP_ARM), 2);
}

void assert_refutable(struct card *card)
{
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_S(0))), ==, 1 << 0);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_S(1))), ==, 1 << 5);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_V(0))), ==, 1 << 0);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_V(1))), ==, 1 << 5);
	g_assert_cmpuint(reg32(card, of_group(G, HBSR_GRP_MEMBERS)), ==, 3);
	g_assert_cmpuint(reg32(card, of_group(G, HBSR_GRP_ARRIVED)), ==, 2);
	g_assert_cmpint(balance(card, G), ==, 3);
	g_assert_cmphex(reg32(card, of_group(G, HBSR_GRP_STATUS)), ==,
			HBSR_GRP_STATUS_ARMED | HBSR_GRP_STATUS_BLACK |
				2 << HBSR_GRP_STATUS_VOTE_SHIFT);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_ARRIVALS)), ==, 6);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_WITHDRAWALS)), ==, 1);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_UNARRIVED)), ==, 1);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_READBACKS)), ==, 2);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_RESULT)), ==, 60);
	assert_violation(card, 1, HBSR_VIOLATION_UNARRIVED, 5, G);
	g_assert_cmphex(record(card, G), ==, vote_word(2, 2));
	g_assert_cmphex(reg32(card, of_group(G + 1, HBSR_GRP_CTRL)), ==, AS_REFUTABLE);
}

void prepare_lacking(struct card *card)
{
	card_start(card, LACKING, "");
	card_enable(card);
	set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(15)), MARK);
	group_enable(card, G, 3);
	join(card, G, 0);
	join(card, G, 5);
	join(card, G, 69);
}
