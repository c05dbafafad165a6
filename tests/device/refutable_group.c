/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "refutable_group.h"

void join_all(struct card *card, unsigned int members)
{
	unsigned int i;

	for (i = 0; i < members; i++)
		join(card, G, i);
}

void start_as(struct card *card, const char *properties, unsigned int members, uint32_t ctrl)
{
	card_start(card, properties, "");
	messages_enable(card);
	card_enable(card);
	set32(card, of_group(G, HBSR_GRP_VECTOR), 1);
	group_enable_as(card, G, members, AS_REFUTABLE | ctrl);
	group_wait(card, G);
	join_all(card, members);
}

void start(struct card *card, unsigned int members)
{
	start_as(card, "", members, 0);
}

uint64_t counter(struct card *card, uint32_t offset)
{
	return reg64(card, of_group(G, offset));
}

uint32_t status(struct card *card)
{
	return reg32(card, of_group(G, HBSR_GRP_STATUS));
}

void assert_state(struct card *card, uint64_t arrived, uint64_t votes, int64_t sum)
{
	g_assert_cmphex(counter(card, HBSR_GRP_S(0)), ==, arrived);
	g_assert_cmphex(counter(card, HBSR_GRP_V(0)), ==, votes);
	g_assert_cmpuint(reg32(card, of_group(G, HBSR_GRP_ARRIVED)), ==,
			 __builtin_popcountll(arrived));
	g_assert_cmpint(balance(card, G), ==, sum);
}

void assert_word(struct card *card, uint64_t word)
{
	const uint32_t shown =
		HBSR_GRP_STATUS_BROKEN | HBSR_GRP_STATUS_REASON | HBSR_GRP_STATUS_VOTE;

	g_assert_cmphex(record(card, G), ==, word);
	g_assert_cmphex(departure(card, 0, G), ==, word);
	g_assert_cmphex(status(card) & shown, ==, word & 0xffff);
}
