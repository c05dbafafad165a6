// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Refutable groups, in all ways to depart: members that are idle, withdraw, vote and
 * count messages; and storms of messages, for which a count of them is the oracle.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define MEMBERS 3
#define VOTES	(HBS_WORD_VOTE_ALL | HBS_WORD_VOTE_ANY)
#define MILLION 1000000ULL

/* Three members of a refutable group */
FIXTURE(refutable)
{
	struct usage before;
	int card;
	struct hbs_group_create with;
	struct group group;
	struct port port[MEMBERS];
	struct member member[MEMBERS];
};

FIXTURE_VARIANT(refutable)
{
	enum hbs_departure departure;
};

FIXTURE_VARIANT_ADD(refutable, RECORD){ .departure = HBS_DEPARTURE_RECORD };
FIXTURE_VARIANT_ADD(refutable, CSR){ .departure = HBS_DEPARTURE_CSR };
FIXTURE_VARIANT_ADD(refutable, PORT){ .departure = HBS_DEPARTURE_PORT };
FIXTURE_VARIANT_ADD(refutable, NODE){ .departure = HBS_DEPARTURE_NODE };

static void join_all(struct __test_metadata *_metadata, FIXTURE_DATA(refutable) *self)
{
	for (int i = 0; i < MEMBERS; i++)
		ASSERT_EQ(join(&self->group, &self->port[i], &self->member[i]), 0);
}

static void fill(struct __test_metadata *_metadata, FIXTURE_DATA(refutable) *self)
{
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(group_create_with(self->card, MEMBERS, &self->with, &self->group), 0);
	for (int i = 0; i < MEMBERS; i++)
		ASSERT_EQ(port_alloc_for(&self->group, self->card, &self->port[i]), 0);
	join_all(_metadata, self);
}

FIXTURE_SETUP(refutable)
{
	usage_note(&self->before);
	self->with = (struct hbs_group_create){
		.type = HBS_GROUP_REFUTABLE,
		.departure = variant->departure,
	};
	fill(_metadata, self);
}

FIXTURE_TEARDOWN(refutable)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* A group of another kind, in place of the one from the setup */
static void refill(struct __test_metadata *_metadata, FIXTURE_DATA(refutable) *self)
{
	release_all();
	fill(_metadata, self);
}

static volatile uint64_t *lane_word(const struct member *member, unsigned int offset)
{
	return member->arrival + offset / sizeof(uint64_t);
}

/* @says: HBS_IDLE_ bits */
static void idle(struct member *member, int64_t delta, uint64_t says)
{
	*member->arrival = ((uint64_t)delta & HBS_IDLE_DELTA) | says;
}

static void withdraw(struct member *member)
{
	*lane_word(member, HBS_LANE_WITHDRAW) = 0;
}

static bool counts_as_idle(const struct member *member)
{
	return *lane_word(member, HBS_LANE_WITHDRAW);
}

static void set_operand(struct member *member, uint64_t value)
{
	*lane_word(member, HBS_LANE_OPERAND) = value;
}

static uint64_t votes(const struct member *member)
{
	return member->word & VOTES;
}

static void all_idle(FIXTURE_DATA(refutable) *self)
{
	for (int i = 0; i < MEMBERS; i++)
		idle(&self->member[i], 0, 0);
}

static void all_depart(struct __test_metadata *_metadata, FIXTURE_DATA(refutable) *self, int error)
{
	for (int i = 0; i < MEMBERS; i++)
		ASSERT_EQ(i ? wait_spin(&self->member[i]) : wait_sleep(&self->member[i]), error);
}

static void none_departs(struct __test_metadata *_metadata, FIXTURE_DATA(refutable) *self)
{
	struct hbs_group_counters counters;

	/* Reads the card, hence what was stored before has got there */
	ASSERT_EQ(group_counters(self->group.fd, &counters), 0);
	for (int i = 0; i < MEMBERS; i++)
		ASSERT_FALSE(released(&self->member[i]));
}

/* Idle is one store and no load of the card, unless the member looks there for the release */
TEST_F(refutable, no_messages)
{
	struct hbs_group_counters counters;

	for (int i = 0; i < 3; i++) {
		all_idle(self);
		all_depart(_metadata, self, 0);
	}
	ASSERT_EQ(group_counters(self->group.fd, &counters), 0);
	EXPECT_EQ(counters.completions, 3);
	EXPECT_EQ(counters.arrivals, 3 * MEMBERS);
	EXPECT_EQ(counters.withdrawals + counters.unarrived + counters.readbacks, 0);
	if (variant->departure != HBS_DEPARTURE_CSR)
		EXPECT_EQ(counters.departure_reads, 0);
}

/* While a message is in flight nobody departs, though all are idle */
TEST_F(refutable, message)
{
	struct hbs_group_counters counters;

	idle(&self->member[0], 1, 0);
	idle(&self->member[1], 0, 0);
	idle(&self->member[2], 0, 0);
	none_departs(_metadata, self);
	EXPECT_TRUE(counts_as_idle(&self->member[2]));
	withdraw(&self->member[2]);
	EXPECT_FALSE(counts_as_idle(&self->member[2]));
	none_departs(_metadata, self);
	idle(&self->member[2], -1, HBS_IDLE_FREED);
	all_depart(_metadata, self, 0);
	ASSERT_EQ(group_counters(self->group.fd, &counters), 0);
	EXPECT_EQ(counters.arrivals, MEMBERS + 1);
	EXPECT_EQ(counters.withdrawals, 1);
	EXPECT_EQ(counters.readbacks, 2);
}

/* The last one to withdraw is in nobody's way; the balance is the sum of all */
TEST_F(refutable, many_messages)
{
	const int64_t many = 1LL << 40;

	for (int round = 1; round < 20; round++) {
		idle(&self->member[0], many * round, 0);
		idle(&self->member[1], -many, HBS_IDLE_FREED);
		withdraw(&self->member[0]);
		idle(&self->member[0], -many * round, HBS_IDLE_FREED);
		idle(&self->member[2], 0, 0);
		none_departs(_metadata, self);
		withdraw(&self->member[1]);
		idle(&self->member[1], many, 0);
		all_depart(_metadata, self, 0);
	}
}

TEST_F(refutable, votes)
{
	static const struct {
		uint64_t vote[MEMBERS];
		uint64_t outcome;
	} cases[] = {
		{ { 1, 1, 1 }, HBS_WORD_VOTE_ALL | HBS_WORD_VOTE_ANY },
		{ { 0, 0, 0 }, 0 },
		{ { 0, 1, 0 }, HBS_WORD_VOTE_ANY },
		{ { 1, 1, 0 }, HBS_WORD_VOTE_ANY },
		{ { 1, 1, 1 }, HBS_WORD_VOTE_ALL | HBS_WORD_VOTE_ANY },
	};

	for (unsigned int c = 0; c < ARRAY_SIZE(cases); c++) {
		/* a vote that is withdrawn does not count */
		idle(&self->member[0], 0, cases[c].vote[0] ? 0 : HBS_IDLE_VOTE);
		withdraw(&self->member[0]);
		for (int i = 0; i < MEMBERS; i++)
			idle(&self->member[i], 0, cases[c].vote[i] ? HBS_IDLE_VOTE : 0);
		all_depart(_metadata, self, 0);
		for (int i = 0; i < MEMBERS; i++)
			EXPECT_EQ(votes(&self->member[i]), cases[c].outcome);
	}
}

/* Who joins after a vote does not take its outcome for the end of an epoch */
TEST_F(refutable, join_after_a_vote)
{
	struct member *joiner = &self->member[0];
	uint64_t word;

	for (int i = 0; i < MEMBERS; i++)
		idle(&self->member[i], 0, HBS_IDLE_VOTE);
	all_depart(_metadata, self, 0);
	ASSERT_EQ(leave(joiner), 0);
	ASSERT_EQ(join(&self->group, &self->port[0], joiner), 0);
	EXPECT_EQ(joiner->word & ~VOTES, self->member[1].word & ~VOTES);
	EXPECT_FALSE(released(joiner));
	word = joiner->word;
	EXPECT_EQ(group_wait_until(self->group.fd, &word, monotonic_ns() + MILLION), -ETIMEDOUT);
	/* and the votes stay when the group breaks */
	ASSERT_EQ(group_destroy(self->group.fd), 0);
	EXPECT_EQ(group_wait(self->group.fd, &word), -EIDRM);
	EXPECT_EQ(word & VOTES, VOTES);
	for (int i = 0; i < MEMBERS; i++) {
		EXPECT_EQ(wait_spin(&self->member[i]), -EIDRM);
		EXPECT_EQ(votes(&self->member[i]), VOTES);
	}
}

/* Threads that wait in each way, while another one goes on withdrawing */
TEST_F(refutable, waiters)
{
	struct crowd crowd;
	struct member *busy = &crowd.member[0], last;
	struct port port;

	ASSERT_EQ(group_close(&self->group), 0);
	ASSERT_EQ(crowd_create_with(self->card, 1, &self->with, &crowd), 0);
	ASSERT_EQ(port_alloc_for(&crowd.group, self->card, &port), 0);
	ASSERT_EQ(join(&crowd.group, &port, &last), 0);
	for (int round = 0; round < 3; round++) {
		ASSERT_EQ(crowd_wait(&crowd), 0);
		for (int i = 0; i < 10; i++) {
			withdraw(busy);
			idle(busy, i % 2 ? -1 : 1, i % 2 ? HBS_IDLE_FREED : 0);
		}
		for (int i = 0; i < WAIT_KINDS; i++)
			ASSERT_FALSE(released(&crowd.member[i]));
		idle(&last, 0, 0);
		ASSERT_EQ(crowd_check(&crowd, 0), 0);
		ASSERT_EQ(wait_spin(&last), 0);
	}
	ASSERT_EQ(crowd_wait(&crowd), 0);
	ASSERT_EQ(group_destroy(crowd.group.fd), 0);
	ASSERT_EQ(crowd_check(&crowd, -EIDRM), 0);
}

/* The result is that of the last operands; nothing of a withdrawn arrival is left in it */
TEST_F(refutable, operands)
{
	static const struct {
		enum hbs_reduce reduce;
		uint64_t first, second;
	} cases[] = {
		{ HBS_REDUCE_AND, 1 & 6 & 4, 7 & 6 & 4 },
		{ HBS_REDUCE_OR, 1 | 6 | 4, 7 | 6 | 4 },
		{ HBS_REDUCE_XOR, 1 ^ 6 ^ 4, 7 ^ 6 ^ 4 },
		{ HBS_REDUCE_SUM, 1 + 6 + 4, 7 + 6 + 4 },
		{ HBS_REDUCE_MIN, 1, 4 },
		{ HBS_REDUCE_MAX, 6, 7 },
		{ HBS_REDUCE_SMIN, 1, 4 },
		{ HBS_REDUCE_SMAX, 6, 7 },
		{ HBS_REDUCE_VOTE, HBS_VOTE_ALL | HBS_VOTE_ANY, HBS_VOTE_ALL | HBS_VOTE_ANY },
	};

	for (unsigned int c = 0; c < ARRAY_SIZE(cases); c++) {
		self->with.reduce = cases[c].reduce;
		refill(_metadata, self);
		set_operand(&self->member[0], 0);
		idle(&self->member[0], 0, 0);
		withdraw(&self->member[0]);
		set_operand(&self->member[0], 1);
		set_operand(&self->member[1], 6);
		set_operand(&self->member[2], 4);
		all_idle(self);
		all_depart(_metadata, self, 0);
		for (int i = 0; i < MEMBERS; i++)
			EXPECT_EQ(result(&self->member[i]), cases[c].first);
		/* the others bring the same again */
		set_operand(&self->member[0], 7);
		all_idle(self);
		all_depart(_metadata, self, 0);
		for (int i = 0; i < MEMBERS; i++)
			EXPECT_EQ(result(&self->member[i]), cases[c].second);
	}
}

/* Stores that must not count; the group goes on */
TEST_F(refutable, violations)
{
	struct hbs_group_counters counters;
	struct port stranger;
	volatile uint64_t *lane;

	ASSERT_EQ(port_alloc(self->card, &stranger), 0);
	lane = (volatile uint64_t *)((char *)stranger.map + self->group.number * HBS_LANE_SIZE);
	lane[HBS_LANE_ARRIVAL / 8] = 0;
	lane[HBS_LANE_OPERAND / 8] = 1;
	lane[HBS_LANE_WITHDRAW / 8] = 0;
	EXPECT_EQ(lane[HBS_LANE_WITHDRAW / 8], 0);
	withdraw(&self->member[0]);
	for (int bit = 50; bit < 64; bit++)
		*self->member[0].arrival = 1ULL << bit;
	ASSERT_EQ(group_counters(self->group.fd, &counters), 0);
	EXPECT_EQ(counters.arrivals, 0);
	idle(&self->member[0], 1, 0);
	idle(&self->member[0], 1, 0);
	set_operand(&self->member[0], 5);
	idle(&self->member[1], 0, 0);
	idle(&self->member[2], 0, 0);
	none_departs(_metadata, self);
	withdraw(&self->member[0]);
	idle(&self->member[0], -1, 0);
	all_depart(_metadata, self, 0);
	ASSERT_EQ(group_counters(self->group.fd, &counters), 0);
	EXPECT_EQ(counters.non_member, 3);
	EXPECT_EQ(counters.unarrived, 1);
	EXPECT_EQ(counters.double_arrivals, 2);
	EXPECT_EQ(counters.refused, 0);
	EXPECT_EQ(counters.readbacks, 0);
}

TEST_F(refutable, overflow)
{
	const int64_t most = (int64_t)(HBS_IDLE_DELTA >> 1);
	struct hbs_group_missing state;

	idle(&self->member[0], most, 0);
	withdraw(&self->member[0]);
	idle(&self->member[0], 0, 0);
	none_departs(_metadata, self);
	idle(&self->member[1], 1, 0);
	all_depart(_metadata, self, -EOVERFLOW);
	EXPECT_EQ(group_missing(self->group.fd, NULL, 0, &state), 0);
	EXPECT_EQ(state.in_flight, most);
	/* a reset mends it */
	ASSERT_EQ(group_reset(self->group.fd), 0);
	join_all(_metadata, self);
	idle(&self->member[0], -most - 1, 0);
	idle(&self->member[1], most, 0);
	idle(&self->member[2], 1, 0);
	all_depart(_metadata, self, 0);
}

/* Who is not idle is told, and how many messages are in flight */
TEST_F(refutable, missing)
{
	struct hbs_missing list[MEMBERS];
	struct hbs_group_missing state;

	idle(&self->member[0], 7, 0);
	idle(&self->member[2], -2, 0);
	ASSERT_EQ(group_missing(self->group.fd, list, MEMBERS, &state), 1);
	EXPECT_EQ(list[0].port, self->port[1].number);
	EXPECT_EQ(state.in_flight, 5);
	withdraw(&self->member[2]);
	EXPECT_EQ(group_missing(self->group.fd, list, MEMBERS, &state), 2);
	EXPECT_EQ(state.in_flight, 5);
	idle(&self->member[1], -5, 0);
	idle(&self->member[2], 0, 0);
	all_depart(_metadata, self, 0);
	EXPECT_EQ(group_missing(self->group.fd, list, MEMBERS, &state), MEMBERS);
	EXPECT_EQ(state.in_flight, 0);
}

/* The timer runs while somebody is idle, and breaks the group for a member that never is */
TEST_F(refutable, timeout)
{
	struct hbs_missing list[MEMBERS];
	struct hbs_group_missing state;
	uint64_t word;

	self->with.timeout_ns = 50 * MILLION;
	refill(_metadata, self);
	idle(&self->member[0], 3, 0);
	withdraw(&self->member[0]);
	sleep_ms(100);
	none_departs(_metadata, self);
	idle(&self->member[0], 0, 0);
	idle(&self->member[1], -1, 0);
	word = self->member[0].word;
	EXPECT_EQ(group_wait(self->group.fd, &word), -ETIMEDOUT);
	all_depart(_metadata, self, -ETIMEDOUT);
	ASSERT_EQ(group_missing(self->group.fd, list, MEMBERS, &state), 1);
	EXPECT_EQ(list[0].port, self->port[2].number);
	EXPECT_EQ(state.expired, 1);
	EXPECT_EQ(state.in_flight, 2);
}

/* A dead member's messages would be in flight for ever: the group breaks, and says so */
TEST_F(refutable, death)
{
	struct hbs_missing list[MEMBERS];
	struct hbs_group_missing state;

	idle(&self->member[0], 4, 0);
	idle(&self->member[1], 0, 0);
	ASSERT_EQ(leave_died(&self->member[2]), 0);
	ASSERT_EQ(wait_spin(&self->member[0]), -EOWNERDEAD);
	ASSERT_EQ(wait_sleep(&self->member[1]), -EOWNERDEAD);
	ASSERT_EQ(group_missing(self->group.fd, list, MEMBERS, &state), 1);
	EXPECT_EQ(list[0].port, self->port[2].number);
	EXPECT_EQ(state.in_flight, 4);
}

/* What was counted before a reset is forgotten */
TEST_F(refutable, reset)
{
	idle(&self->member[0], 4, HBS_IDLE_VOTE);
	ASSERT_EQ(group_reset(self->group.fd), 0);
	all_depart(_metadata, self, -ECONNRESET);
	join_all(_metadata, self);
	for (int i = 0; i < MEMBERS; i++)
		EXPECT_FALSE(counts_as_idle(&self->member[i]));
	all_idle(self);
	all_depart(_metadata, self, 0);
	EXPECT_EQ(votes(&self->member[0]), 0);
}

/* Stores go nowhere, and a read-back gives an answer: nobody waits for ever */
TEST_F(refutable, removal)
{
	char pci[32];

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	for (int i = 0; i < MEMBERS; i++)
		idle(&self->member[i], 0, i == 1 ? HBS_IDLE_VOTE : 0);
	all_depart(_metadata, self, 0);
	idle(&self->member[0], 1, 0);
	ASSERT_EQ(card_unbind(pci), 0);
	withdraw(&self->member[0]);
	EXPECT_FALSE(counts_as_idle(&self->member[0]));
	idle(&self->member[0], -1, 0);
	set_operand(&self->member[1], 1);
	all_depart(_metadata, self, -ENODEV);
	/* what was over stays so: the members that look late find how */
	for (int i = 1; i < MEMBERS; i++)
		EXPECT_EQ(votes(&self->member[i]), HBS_WORD_VOTE_ANY);
	ASSERT_EQ(card_bind(pci), 0);
	ASSERT_EQ(card_wait(10), 0);
}

HBS_FIXTURE(kinds)

TEST_F(kinds, refused)
{
	static const struct hbs_group_create cannot[] = {
		{ .type = HBS_GROUP_REFUTABLE, .completion = HBS_COMPLETION_COUNT },
		{ .type = HBS_GROUP_REFUTABLE, .arrival = HBS_ARRIVAL_POLL },
		{ .type = HBS_GROUP_REFUTABLE, .policy = HBS_POLICY_SHRINK },
		{ .type = HBS_GROUP_REFUTABLE + 1 },
		{ .type = 32 },
		{ .type = UINT32_MAX },
	};
	struct group group;

	for (unsigned int i = 0; i < ARRAY_SIZE(cannot); i++)
		EXPECT_EQ(group_create_with(self->card, 1, &cannot[i], &group), -EOPNOTSUPP);
	EXPECT_EQ(self->info.group_types, 1 << HBS_GROUP_BARRIER | 1 << HBS_GROUP_REFUTABLE);
}

/*
 * A storm: each member sends as long as it has a budget, takes and frees what comes, and is
 * idle when it has nothing to do. A message is its sender's epoch. For each epoch there is
 * a count of the messages that nobody has freed, which must be 0 when the epoch is over.
 */
#define MOST_MEMBERS 8
#define MOST_EPOCHS  20000
#define QUEUE	     64 /* messages; a sender does not send to a full queue */

struct actor {
	struct storm *storm;
	struct port port;
	struct member member;
	unsigned int seed;
	int error;
	const char *wrong;
	pthread_t thread;

	pthread_mutex_t lock;
	uint32_t queue[QUEUE];
	unsigned int first, queued;
};

struct storm {
	struct group group;
	unsigned int members;
	struct length length;
	bool sleeps;
	struct actor actor[MOST_MEMBERS];
	atomic_int unfreed[MOST_EPOCHS];
	atomic_uint against[MOST_EPOCHS]; /* last votes of false */
	atomic_ulong sent, withdrawn;
};

static bool put(struct actor *to, uint32_t stamp)
{
	bool room;

	pthread_mutex_lock(&to->lock);
	room = to->queued < QUEUE;
	if (room)
		to->queue[(to->first + to->queued++) % QUEUE] = stamp;
	pthread_mutex_unlock(&to->lock);
	return room;
}

/* Takes the first message if it has this stamp */
static bool take(struct actor *self, uint32_t stamp, bool look)
{
	bool found;

	pthread_mutex_lock(&self->lock);
	found = self->queued && self->queue[self->first] == stamp;
	if (found && !look) {
		self->first = (self->first + 1) % QUEUE;
		self->queued--;
	}
	pthread_mutex_unlock(&self->lock);
	return found;
}

/* Sends up to @budget messages, more rarely the less is left; what it has sent */
static int send_some(struct actor *self, uint32_t epoch, unsigned int *budget)
{
	struct storm *storm = self->storm;
	int sent = 0;

	while (*budget && rand_r(&self->seed) % 4) {
		struct actor *to = &storm->actor[rand_r(&self->seed) % storm->members];

		/* counted before anybody can find it */
		atomic_fetch_add(&storm->unfreed[epoch], 1);
		if (!put(to, epoch)) {
			atomic_fetch_sub(&storm->unfreed[epoch], 1);
			break;
		}
		(*budget)--;
		sent++;
	}
	atomic_fetch_add(&storm->sent, sent);
	return sent;
}

/* Waits until the epoch is over (1), or a message of it comes (0) */
static int wait_idle(struct actor *self, uint32_t epoch)
{
	struct storm *storm = self->storm;
	unsigned int spins = 0;

	while (!released(&self->member)) {
		if (take(self, epoch, true))
			return 0;
		if (storm->sleeps && ++spins % 256 == 0) {
			uint64_t word = self->member.word;
			int ret =
				group_wait_until(storm->group.fd, &word, monotonic_ns() + MILLION);

			if (ret && ret != -ETIMEDOUT)
				return ret;
		}
		/* with one thread for all CPUs, the emulation goes on to the next one here */
		__builtin_ia32_pause();
		if (storm->members > cpus())
			sched_yield();
	}
	return wait_spin(&self->member) ?: 1;
}

static int one_epoch(struct actor *self, uint32_t epoch)
{
	struct storm *storm = self->storm;
	unsigned int budget = rand_r(&self->seed) % 8;
	bool vote = rand_r(&self->seed) % 2, against = false;
	int64_t delta = 0;
	uint64_t freed = 0;
	int ret;

	for (;;) {
		delta += send_some(self, epoch, &budget);
		while (take(self, epoch, false)) {
			/* what a message asks for is sent before the message is freed */
			delta += send_some(self, epoch, &budget);
			atomic_fetch_sub(&storm->unfreed[epoch], 1);
			delta--;
			freed = HBS_IDLE_FREED;
		}
		vote ^= rand_r(&self->seed) % 8 == 0;
		if (vote == against)
			atomic_fetch_add(&storm->against[epoch], vote ? -1 : 1);
		against = !vote;
		idle(&self->member, delta, freed | (vote ? HBS_IDLE_VOTE : 0));
		delta = 0;
		freed = 0;
		ret = wait_idle(self, epoch);
		if (ret)
			return ret < 0 ? ret : 0;
		withdraw(&self->member);
		atomic_fetch_add(&storm->withdrawn, 1);
	}
}

static void *act(void *argument)
{
	struct actor *self = argument;
	struct storm *storm = self->storm;
	unsigned int index = self - storm->actor;

	for (uint32_t epoch = 0;
	     length_has(&storm->length, index, epoch) && !self->error && !self->wrong; epoch++) {
		bool all_for;

		self->error = one_epoch(self, epoch);
		if (self->error)
			break;
		all_for = self->member.word & HBS_WORD_VOTE_ALL;
		if (atomic_load(&storm->unfreed[epoch]))
			self->wrong = "an epoch is over with a message in flight";
		else if (all_for != !atomic_load(&storm->against[epoch]))
			self->wrong = "the outcome is not that of the last votes";
	}
	if (self->error || self->wrong)
		group_destroy(storm->group.fd);
	return NULL;
}

static void run_storm(struct __test_metadata *_metadata, int card, unsigned int members,
		      unsigned int epochs, bool sleeps)
{
	struct hbs_group_create with = { .type = HBS_GROUP_REFUTABLE };
	struct storm *storm = calloc(1, sizeof(*storm));
	struct hbs_group_counters counters;
	double start = seconds();

	ASSERT_NE(storm, NULL);
	storm->members = members;
	storm->sleeps = sleeps;
	ASSERT_EQ(group_create_with(card, members, &with, &storm->group), 0);
	for (unsigned int i = 0; i < members; i++) {
		struct actor *actor = &storm->actor[i];

		actor->storm = storm;
		actor->seed = members * 1000 + i;
		pthread_mutex_init(&actor->lock, NULL);
		ASSERT_EQ(port_alloc(card, &actor->port), 0);
		ASSERT_EQ(join(&storm->group, &actor->port, &actor->member), 0);
	}
	storm->length = length_of_storm(epochs);
	for (unsigned int i = 0; i < members; i++)
		ASSERT_EQ(pthread_create(&storm->actor[i].thread, NULL, act, &storm->actor[i]), 0);
	for (unsigned int i = 0; i < members; i++)
		ASSERT_EQ(pthread_join(storm->actor[i].thread, NULL), 0);
	for (unsigned int i = 0; i < members; i++) {
		EXPECT_EQ(storm->actor[i].error, 0);
		if (storm->actor[i].wrong)
			TH_LOG("member %u: %s", i, storm->actor[i].wrong);
		EXPECT_EQ(storm->actor[i].wrong, NULL);
	}
	ASSERT_EQ(group_counters(storm->group.fd, &counters), 0);
	EXPECT_EQ(counters.completions, storm->length.epochs);
	EXPECT_EQ(counters.withdrawals, atomic_load(&storm->withdrawn));
	EXPECT_EQ(counters.double_arrivals + counters.unarrived + counters.non_member +
			  counters.refused,
		  0);
	TH_LOG("%u members, %u of %u epochs: %lu messages, %lu withdrawals, %.1f s", members,
	       storm->length.epochs, epochs, atomic_load(&storm->sent),
	       atomic_load(&storm->withdrawn), seconds() - start);
	free(storm);
}

static unsigned int epochs_of_storm(unsigned int members)
{
	unsigned int epochs = accel_is("single") ? 3000 : 8000;

	return epochs / members / (members > cpus() ? 4 : 1);
}

TEST_F(kinds, storm)
{
	static const unsigned int sizes[] = { 1, 2, 3, 4, 8 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		run_storm(_metadata, self->card, sizes[i], epochs_of_storm(sizes[i]), false);
}

TEST_F(kinds, storm_asleep)
{
	static const unsigned int sizes[] = { 2, 4, 8 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		run_storm(_metadata, self->card, sizes[i], epochs_of_storm(sizes[i]) / 4, true);
}

TEST_HARNESS_MAIN
