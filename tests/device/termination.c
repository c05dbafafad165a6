/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members that send each other messages at random, and a refutable group that has to find
 * out when all is done. The test knows all messages; the card knows only what members say.
 */
#include "card.h"

#define G	   5
#define MOST	   66 /* members: more than a word of a mask has bits */
#define SEEDS	   24
#define OPERATIONS 600
#define FREED	   HBSR_IDLE_FREED
#define VOTE	   HBSR_IDLE_VOTE

struct member {
	bool member, works, votes;
	unsigned int inbox; /* messages sent to it and not freed yet */
	int64_t delta;	    /* sent less freed, since its last idle word */
	bool freed;
};

struct system {
	struct card card;
	uint64_t random;
	unsigned int n;
	struct member member[MOST];
	uint64_t epoch;
	int64_t told; /* sum of what members have told the card */
	bool black;
	unsigned int vote;
	uint64_t withdrawals, late;
};

static uint64_t below(struct system *sys, uint64_t limit)
{
	sys->random ^= sys->random << 13;
	sys->random ^= sys->random >> 7;
	sys->random ^= sys->random << 17;
	return sys->random * 0x2545f4914f6cdd1d % limit;
}

static unsigned int in_flight(const struct system *sys)
{
	unsigned int i, n = 0;

	for (i = 0; i < sys->n; i++)
		n += sys->member[i].inbox;
	return n;
}

static bool all_idle(const struct system *sys)
{
	unsigned int i, members = 0;

	for (i = 0; i < sys->n; i++) {
		if (sys->member[i].member && sys->member[i].works)
			return false;
		members += sys->member[i].member;
	}
	return members;
}

/* What the card must say: all is done exactly if nobody works and no message is in flight. */
static void check_done(struct system *sys)
{
	bool all = true, any = false;
	unsigned int i;

	if (all_idle(sys) && !in_flight(sys)) {
		for (i = 0; i < sys->n; i++) {
			if (!sys->member[i].member)
				continue;
			all &= sys->member[i].votes;
			any |= sys->member[i].votes;
			sys->member[i].works = true;
		}
		sys->vote = all | any << 1;
		sys->epoch++;
		sys->black = false;
	}
	g_assert_cmphex(record(&sys->card, G), ==, vote_word(sys->epoch, sys->vote));
}

static void check_registers(struct system *sys)
{
	uint64_t p[2] = { 0 }, s[2] = { 0 }, v[2] = { 0 };
	uint32_t status =
		sys->vote << HBSR_GRP_STATUS_VOTE_SHIFT | (sys->black ? HBSR_GRP_STATUS_BLACK : 0);
	unsigned int i;

	for (i = 0; i < sys->n; i++) {
		const struct member *member = &sys->member[i];
		bool idle = member->member && !member->works;

		p[i / 64] |= (uint64_t)member->member << i % 64;
		s[i / 64] |= (uint64_t)idle << i % 64;
		v[i / 64] |= (uint64_t)(idle && member->votes) << i % 64;
	}
	for (i = 0; i < 2; i++) {
		g_assert_cmphex(reg64(&sys->card, of_group(G, HBSR_GRP_P(i))), ==, p[i]);
		g_assert_cmphex(reg64(&sys->card, of_group(G, HBSR_GRP_S(i))), ==, s[i]);
		g_assert_cmphex(reg64(&sys->card, of_group(G, HBSR_GRP_V(i))), ==, v[i]);
	}
	g_assert_cmpint(balance(&sys->card, G), ==, sys->told);
	g_assert_cmphex(reg32(&sys->card, of_group(G, HBSR_GRP_STATUS)), ==, status);
	g_assert_cmpuint(reg64(&sys->card, of_group(G, HBSR_GRP_WITHDRAWALS)), ==,
			 sys->withdrawals);
	g_assert_cmpuint(reg64(&sys->card, of_group(G, HBSR_GRP_UNARRIVED)), ==, sys->late);
	g_assert_cmpuint(reg64(&sys->card, HBSR_CNT_VIOLATIONS), ==, sys->late);
}

static void send_message(struct system *sys, unsigned int from)
{
	unsigned int to = below(sys, sys->n);

	if (!sys->member[to].member)
		return;
	sys->member[to].inbox++;
	sys->member[from].delta++;
}

static void take_message(struct system *sys, unsigned int i)
{
	struct member *member = &sys->member[i];

	if (!member->inbox)
		return;
	member->inbox--;
	member->delta--;
	member->freed = true;
}

static void become_idle(struct system *sys, unsigned int i)
{
	struct member *member = &sys->member[i];

	member->votes = below(sys, 3);
	member->works = false;
	sys->told += member->delta;
	sys->black |= member->freed;
	idle(&sys->card, i, G, member->delta,
	     (member->freed ? FREED : 0) | (member->votes ? VOTE : 0));
	member->delta = 0;
	member->freed = false;
	check_done(sys);
}

/* A message wakes a member, which withdraws before it looks at it; or it just withdraws. */
static void wake(struct system *sys, unsigned int i)
{
	struct member *member = &sys->member[i];

	if (!member->inbox && below(sys, 4))
		return;
	withdraw(&sys->card, i, G);
	sys->black = true;
	sys->withdrawals++;
	member->works = true;
	check_done(sys);
	if (below(sys, 2))
		take_message(sys, i);
}

/* With no message to it, and with none that it has not told of */
static void leave(struct system *sys, unsigned int i)
{
	if (sys->member[i].inbox || sys->member[i].delta)
		return;
	command(&sys->card, G, HBSR_OP_LEAVE, i);
	sys->member[i] = (struct member){ .member = false };
	check_done(sys);
}

static void operate(struct system *sys, unsigned int i)
{
	struct member *member = &sys->member[i];

	if (!member->member) {
		if (!below(sys, 4)) {
			join(&sys->card, G, i);
			*member = (struct member){ .member = true, .works = true };
			check_done(sys);
		}
	} else if (!below(sys, 50)) {
		leave(sys, i);
	} else if (!member->works) {
		wake(sys, i);
	} else {
		switch (below(sys, 8)) {
		case 0:
			send_message(sys, i);
			break;
		case 1:
		case 2:
			take_message(sys, i);
			break;
		case 3:
			/* It is awake already. */
			withdraw(&sys->card, i, G);
			sys->late++;
			check_done(sys);
			break;
		default:
			become_idle(sys, i);
		}
	}
}

/* Everybody takes what is there, and sends nothing: then all is done, soon. */
static void finish(struct system *sys)
{
	uint64_t epoch = sys->epoch;
	unsigned int i;

	for (i = 0; i < sys->n && sys->epoch == epoch; i++) {
		struct member *member = &sys->member[i];

		if (!member->member)
			continue;
		if (member->inbox && !member->works) {
			withdraw(&sys->card, i, G);
			sys->black = true;
			sys->withdrawals++;
			member->works = true;
		}
		while (member->inbox)
			take_message(sys, i);
		if (member->works)
			become_idle(sys, i);
	}
	g_assert_cmpuint(sys->epoch, ==, epoch + 1);
	g_assert_cmpint(sys->told, ==, 0);
	check_registers(sys);
}

static unsigned int run(struct system *sys, unsigned int n, uint64_t seed)
{
	unsigned int i;

	g_test_message("seed %" PRIu64 ", %u members", seed, n);
	sys->random = seed * 0x9e3779b97f4a7c15 | 1;
	sys->n = n;
	card_start(&sys->card, ",ports=66", "");
	card_enable(&sys->card);
	group_enable_as(&sys->card, G, n, AS_REFUTABLE);
	sys->epoch = 1;
	for (i = 0; i < n; i++) {
		join(&sys->card, G, i);
		sys->member[i].member = true;
		sys->member[i].works = true;
	}
	for (i = 0; i < OPERATIONS; i++) {
		operate(sys, below(sys, n));
		if (i % 16 == 0)
			check_registers(sys);
	}
	/* Somebody is left to finish it. */
	if (!sys->member[0].member) {
		join(&sys->card, G, 0);
		sys->member[0] = (struct member){ .member = true, .works = true };
	}
	finish(sys);
	card_stop(&sys->card);
	return sys->epoch - 2;
}

static void test_random(void)
{
	static const unsigned int sizes[] = { 1, 2, 3, 5, 9, MOST };
	unsigned int seed, epochs = 0;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct system sys = { .black = false };

		epochs += run(&sys, sizes[seed % G_N_ELEMENTS(sizes)], seed);
	}
	g_test_message("%u epochs before the last ones", epochs);
	g_assert_cmpuint(epochs, >, 100);
}

static void add_tests(void)
{
	g_test_add_func("/termination/random", test_random);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
