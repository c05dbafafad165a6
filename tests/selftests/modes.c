// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All combinations of the ways to complete, to arrive and to depart: a group
 * behaves the same in all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"
#include "modes.h"

#define MEMBERS (WAIT_KINDS + 1)

/* Four members that wait in four ways, and a member that does not arrive */
FIXTURE(modes)
{
	struct usage before;
	int card;
	struct hbs_group_create with;
	struct crowd crowd;
	struct port port;
	struct member absent;
	int fd; /* the group */
};

MODES(modes)

/* Four members and a fifth */
static void fill(struct __test_metadata *_metadata, FIXTURE_DATA(modes) *self)
{
	ASSERT_EQ(crowd_create_with(self->card, 1, &self->with, &self->crowd), 0);
	ASSERT_EQ(port_alloc_for(&self->crowd.group, self->card, &self->port), 0);
	ASSERT_EQ(join(&self->crowd.group, &self->port, &self->absent), 0);
	self->fd = self->crowd.group.fd;
}

FIXTURE_SETUP(modes)
{
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	self->with = (struct hbs_group_create){
		.completion = variant->completion,
		.arrival = variant->arrival,
		.departure = variant->departure,
	};
	fill(_metadata, self);
}

FIXTURE_TEARDOWN(modes)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* A group of another kind, in place of the one from the setup */
static void refill(struct __test_metadata *_metadata, FIXTURE_DATA(modes) *self)
{
	release_all();
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	fill(_metadata, self);
}

/* One barrier to which the fifth member comes last; nobody is released before that */
static void all_wait(struct __test_metadata *_metadata, FIXTURE_DATA(modes) *self)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	for (int i = 0; i < WAIT_KINDS; i++)
		ASSERT_FALSE(released(&self->crowd.member[i]));
	ASSERT_FALSE(released(&self->absent));
}

static void works(struct __test_metadata *_metadata, FIXTURE_DATA(modes) *self, int rounds)
{
	while (rounds--) {
		all_wait(_metadata, self);
		ASSERT_EQ(barrier(&self->absent), 0);
		ASSERT_EQ(crowd_check(&self->crowd, 0), 0);
	}
}

static void all_depart(struct __test_metadata *_metadata, FIXTURE_DATA(modes) *self)
{
	for (int i = 0; i < WAIT_KINDS; i++)
		ASSERT_EQ(wait_spin(&self->crowd.member[i]), 0);
}

/* For tests in which no thread has to wait */
static void four_arrive(FIXTURE_DATA(modes) *self, uint64_t value)
{
	for (int i = 0; i < WAIT_KINDS; i++)
		arrive_value(&self->crowd.member[i], value);
}

static void all_arrive(FIXTURE_DATA(modes) *self, uint64_t value)
{
	four_arrive(self, value);
	arrive_value(&self->absent, value);
}

/* The way to depart decides how often members read the card, and how often it wrote */
TEST_F(modes, release)
{
	const int rounds = 3;
	struct hbs_group_counters before, after;
	uint64_t writes;

	ASSERT_EQ(group_counters(self->fd, &before), 0);
	works(_metadata, self, rounds);
	ASSERT_EQ(group_counters(self->fd, &after), 0);
	EXPECT_EQ(after.completions, rounds);
	EXPECT_EQ(after.arrivals, rounds * MEMBERS);
	EXPECT_EQ(after.non_member + after.double_arrivals + after.refused, 0);
	EXPECT_EQ(after.waits, 2 * rounds);

	writes = after.record_writes - before.record_writes;
	switch (variant->departure) {
	case HBS_DEPARTURE_CSR:
		EXPECT_EQ(writes, 0);
		break;
	case HBS_DEPARTURE_PORT:
		EXPECT_EQ(writes, rounds * (1 + MEMBERS));
		break;
	default:
		EXPECT_EQ(writes, rounds * self->crowd.group.size / getpagesize());
		break;
	}
	EXPECT_EQ(!!after.departure_reads, variant->departure == HBS_DEPARTURE_CSR);
	if (variant->arrival == HBS_ARRIVAL_POLL) {
		EXPECT_GE(after.line_reads, after.arrivals);
	} else {
		EXPECT_EQ(after.line_reads, 0);
	}
}

/* A member that comes often counts once, except where arrivals are counted */
TEST_F(modes, often)
{
	struct hbs_group_counters counters;
	bool counts = variant->completion == HBS_COMPLETION_COUNT &&
		      variant->arrival == HBS_ARRIVAL_STORE;

	for (int i = 0; i < MEMBERS; i++)
		arrive(&self->absent);
	sleep_ms(2);
	ASSERT_EQ(group_counters(self->fd, &counters), 0);
	EXPECT_EQ(counters.completions, counts);
	EXPECT_EQ(counters.arrivals, counts ? MEMBERS : 1);
	for (int i = 0; i < WAIT_KINDS; i++) {
		ASSERT_EQ(released(&self->crowd.member[i]), counts);
		if (counts)
			ASSERT_EQ(wait_spin(&self->crowd.member[i]), 0);
	}
	if (counts) {
		ASSERT_EQ(wait_spin(&self->absent), 0);
	} else {
		four_arrive(self, 0);
		all_depart(_metadata, self);
		ASSERT_EQ(wait_spin(&self->absent), 0);
	}
	works(_metadata, self, 1);
}

TEST_F(modes, values)
{
	self->with.reduce = HBS_REDUCE_SUM;
	refill(_metadata, self);
	for (uint64_t value = 1; value < 4; value++) {
		all_arrive(self, value);
		ASSERT_EQ(value == 2 ? wait_sleep(&self->absent) : wait_spin(&self->absent), 0);
		EXPECT_EQ(result(&self->absent), value * MEMBERS);
		for (int i = 0; i < WAIT_KINDS; i++) {
			ASSERT_EQ(wait_spin(&self->crowd.member[i]), 0);
			EXPECT_EQ(result(&self->crowd.member[i]), value * MEMBERS);
		}
	}
}

/* What HBS_GROUP_WAIT tells of the result to a member that has departed */
static int ask_result(FIXTURE_DATA(modes) *self, struct hbs_group_wait *wait)
{
	*wait = (struct hbs_group_wait){
		.size = sizeof(*wait),
		.word = self->absent.word,
		.deadline_ns = 1,
	};
	return hbs_ioctl(self->fd, HBS_GROUP_WAIT, wait);
}

/* The kernel has the result in a register's place, and of a group that is broken or was reset */
TEST_F(modes, kernel_has_the_result)
{
	bool is_csr = variant->departure == HBS_DEPARTURE_CSR;
	struct hbs_group_wait wait;

	all_arrive(self, 0);
	ASSERT_EQ(wait_spin(&self->absent), 0);
	ASSERT_EQ(group_destroy(self->fd), 0);
	EXPECT_EQ(ask_result(self, &wait), -EIDRM);
	EXPECT_EQ(wait.result, 0);
	EXPECT_EQ(wait.result_word, 0);
	self->with.reduce = HBS_REDUCE_SUM;
	refill(_metadata, self);
	for (uint64_t value = 1; value < 4; value++) {
		all_arrive(self, value);
		ASSERT_EQ(wait_spin(&self->absent), 0);
		all_depart(_metadata, self);
		EXPECT_EQ(ask_result(self, &wait), -ETIMEDOUT);
		EXPECT_EQ(wait.result, is_csr ? value * MEMBERS : 0);
		EXPECT_EQ(wait.result_word, is_csr ? self->absent.word : 0);
	}
	/* Nobody has asked about this one before it breaks */
	all_arrive(self, 4);
	ASSERT_EQ(wait_spin(&self->absent), 0);
	ASSERT_EQ(group_destroy(self->fd), 0);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(ask_result(self, &wait), -EIDRM);
		EXPECT_EQ(wait.result, 4 * MEMBERS);
		EXPECT_EQ(wait.result_word, self->absent.word);
		ASSERT_EQ(group_reset(self->fd), 0);
	}
}

/* A member that did not sleep, and asks, hears it now, though no interrupt came */
TEST_F(modes, ask)
{
	uint64_t first = self->absent.word, word = first;
	struct hbs_group_info info;
	struct pollfd pollfd = { .events = POLLIN };

	pollfd.fd = group_reopen(self->fd, first);
	ASSERT_GE(pollfd.fd, 0);
	ASSERT_EQ(fcntl(pollfd.fd, F_SETFL, O_NONBLOCK), 0);
	EXPECT_EQ(read(pollfd.fd, &word, 8), -1);
	EXPECT_EQ(errno, EAGAIN);
	for (int round = 0; round < 3; round++) {
		all_arrive(self, 0);
		ASSERT_EQ(wait_spin(&self->absent), 0);
		all_depart(_metadata, self);
	}
	ASSERT_EQ(group_info(self->fd, &info), 0);
	EXPECT_EQ(info.word, self->absent.word);
	EXPECT_EQ(info.word, first + 3 * HBS_WORD_EPOCH_ONE);
	EXPECT_EQ(info.completion, variant->completion);
	EXPECT_EQ(info.arrival, variant->arrival);
	EXPECT_EQ(info.departure, variant->departure);
	/* Each asks after an epoch that nobody has asked about yet */
	all_arrive(self, 0);
	word = first;
	ASSERT_EQ(wait_spin(&self->absent), 0);
	EXPECT_EQ(group_wait(self->fd, &word), 0);
	EXPECT_EQ(word, self->absent.word);
	all_depart(_metadata, self);
	all_arrive(self, 0);
	ASSERT_EQ(wait_spin(&self->absent), 0);
	EXPECT_EQ(poll(&pollfd, 1, 0), 1);
	EXPECT_EQ(pollfd.revents, POLLIN);
	ASSERT_EQ(read(pollfd.fd, &word, 8), 8);
	EXPECT_EQ(word, self->absent.word);
	EXPECT_EQ(poll(&pollfd, 1, 0), 0);
	ASSERT_EQ(group_destroy(self->fd), 0);
	EXPECT_EQ(poll(&pollfd, 1, 0), 1);
	EXPECT_EQ(pollfd.revents, POLLIN | POLLERR);
	EXPECT_EQ(wait_spin(&self->absent), -EIDRM);
}

TEST_F(modes, timeout)
{
	struct hbs_group_info info;
	uint64_t word;

	self->with.timeout_ns = 5000000;
	refill(_metadata, self);
	word = self->absent.word;
	EXPECT_EQ(barrier(&self->absent), -ETIMEDOUT);
	EXPECT_EQ(self->absent.word & EPOCH_MASK, word);
	ASSERT_EQ(group_info(self->fd, &info), 0);
	EXPECT_EQ(info.word, self->absent.word);
	EXPECT_EQ(wait_sleep(&self->crowd.member[0]), -ETIMEDOUT);
	ASSERT_EQ(group_reset(self->fd), 0);
	ASSERT_EQ(join(&self->crowd.group, &self->port, &self->absent), 0);
	EXPECT_EQ(barrier_sleep(&self->absent), -ETIMEDOUT);
	EXPECT_EQ(join(&self->crowd.group, &self->crowd.port[0], &self->crowd.member[0]),
		  -ETIMEDOUT);
}

TEST_F(modes, death)
{
	works(_metadata, self, 1);
	all_wait(_metadata, self);
	ASSERT_EQ(port_unmap(&self->port), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
}

TEST_F(modes, died)
{
	all_wait(_metadata, self);
	ASSERT_EQ(leave_died(&self->absent), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
	EXPECT_EQ(leave_died(&self->absent), -ENOENT);
	EXPECT_EQ(leave_died(&self->crowd.member[0]), 0);
}

TEST_F(modes, shrink)
{
	struct hbs_group_info info;

	self->with.policy = HBS_POLICY_SHRINK | HBS_POLICY_THREAD;
	refill(_metadata, self);
	ASSERT_EQ(group_info(self->fd, &info), 0);
	EXPECT_EQ(info.policy, self->with.policy);
	works(_metadata, self, 1);
	all_wait(_metadata, self);
	ASSERT_EQ(leave_died(&self->absent), 0);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	/* by four of them it goes on, and by five again */
	four_arrive(self, 0);
	all_depart(_metadata, self);
	ASSERT_EQ(join(&self->crowd.group, &self->port, &self->absent), 0);
	works(_metadata, self, 1);
}

TEST_F(modes, destroy)
{
	all_wait(_metadata, self);
	ASSERT_EQ(group_destroy(self->fd), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -EIDRM), 0);
	EXPECT_EQ(wait_spin(&self->absent), -EIDRM);
	ASSERT_EQ(leave(&self->absent), 0);
	EXPECT_EQ(join(&self->crowd.group, &self->port, &self->absent), -EIDRM);
}

/* Former members are told, and the group works again, whatever they have stored */
TEST_F(modes, group_reset)
{
	for (int round = 0; round < 2; round++) {
		struct member former = self->absent;

		all_wait(_metadata, self);
		ASSERT_EQ(group_reset(self->fd), 0);
		EXPECT_EQ(crowd_check(&self->crowd, -ECONNRESET), 0);
		EXPECT_EQ(wait_sleep(&former), -ECONNRESET);
		former = self->absent;
		EXPECT_EQ(wait_spin(&former), -ECONNRESET);
		former = self->absent;
		arrive(&former);
		for (int i = 0; i < WAIT_KINDS; i++)
			ASSERT_EQ(join(&self->crowd.group, &self->crowd.port[i],
				       &self->crowd.member[i]),
				  0);
		ASSERT_EQ(crowd_wait(&self->crowd), 0);
		for (int i = 0; i < WAIT_KINDS; i++)
			ASSERT_FALSE(released(&self->crowd.member[i]));
		ASSERT_EQ(join(&self->crowd.group, &self->port, &self->absent), 0);
		ASSERT_EQ(barrier(&self->absent), 0);
		ASSERT_EQ(crowd_check(&self->crowd, 0), 0);
		EXPECT_EQ(wait_sleep(&former), -ECONNRESET);
		works(_metadata, self, 1);
	}
}

/* A member whose group has no descriptor left is not released by the next one there */
TEST_F(modes, last_descriptor)
{
	struct waiter waiter;
	struct group group;
	struct member member;

	if (variant->departure != HBS_DEPARTURE_CSR && variant->departure != HBS_DEPARTURE_PORT)
		SKIP(return, "what is looked at holds a descriptor");
	arrive(&self->absent);
	ASSERT_EQ(waiter_start(&waiter, &self->absent, WAIT_SPIN), 0);
	ASSERT_EQ(group_close(&self->crowd.group), 0);
	ASSERT_EQ(waiter_join(&waiter), 0);
	EXPECT_LT(waiter.result, 0);
	/* late */
	for (int i = 0; i < 2; i++) {
		EXPECT_LT(wait_spin(&self->crowd.member[i]), 0);
		ASSERT_EQ(group_create_with(self->card, 1, &self->with, &group), 0);
		ASSERT_EQ(group.number, 0);
		ASSERT_EQ(join(&group, &self->port, &member), 0);
		ASSERT_EQ(barrier(&member), 0);
		EXPECT_NE(*self->crowd.member[2].record & EPOCH_MASK,
			  (self->crowd.member[2].word & EPOCH_MASK) + HBS_WORD_EPOCH_ONE);
		ASSERT_EQ(group_close(&group), 0);
	}
}

/* The card can neither write records nor read lines; a group that needs neither works */
TEST_F(modes, no_dma)
{
	int error = variant->arrival == HBS_ARRIVAL_STORE && variant->departure == HBS_DEPARTURE_CSR
			    ? 0
			    : -EIO;
	struct hbs_group_missing state = { 0 };
	double end = seconds() + 10;
	char pci[32];

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	ASSERT_EQ(card_pci_command(pci, PCI_COMMAND_MASTER, false), 0);
	all_arrive(self, 0);
	while (error && !(state.word & HBS_WORD_BROKEN)) {
		ASSERT_GE(group_missing(self->fd, NULL, 0, &state), 0);
		ASSERT_LT(seconds(), end);
	}
	ASSERT_EQ(card_pci_command(pci, PCI_COMMAND_MASTER, true), 0);
	/* Its interrupt is a write, too: so it is by this that the driver hears of it */
	if (error)
		ASSERT_EQ(group_destroy(self->fd), 0);
	for (int i = 0; i < WAIT_KINDS; i++)
		EXPECT_EQ(wait_spin(&self->crowd.member[i]), error);
	EXPECT_EQ(wait_spin(&self->absent), error);
}

static void go(struct __test_metadata *_metadata, const char *pci, bool reset)
{
	if (reset) {
		ASSERT_EQ(card_pci_write(pci, "reset", "1"), 0);
		return;
	}
	ASSERT_EQ(card_unbind(pci), 0);
	ASSERT_EQ(card_bind(pci), 0);
	ASSERT_EQ(card_wait(10), 0);
}

/* The card goes while all wait; then a new card file finds it as it was */
TEST_F(modes, removal)
{
	char pci[32];

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	for (int reset = 0; reset < 2; reset++) {
		works(_metadata, self, 1);
		all_wait(_metadata, self);
		go(_metadata, pci, reset);
		EXPECT_EQ(crowd_check(&self->crowd, reset ? -ECONNRESET : -ENODEV), 0);
		/* There is no SIGBUS, wherever it stores */
		all_arrive(self, 0);
		EXPECT_EQ(wait_spin(&self->absent), reset ? -ECONNRESET : -ENODEV);
		refill(_metadata, self);
	}
}

/* The group sums, and one barrier of it is over: a later one has another result */
static void sum_once(struct __test_metadata *_metadata, FIXTURE_DATA(modes) *self)
{
	self->with.reduce = HBS_REDUCE_SUM;
	refill(_metadata, self);
	all_arrive(self, 7);
	ASSERT_EQ(wait_spin(&self->absent), 0);
	all_depart(_metadata, self);
}

/* A barrier that was over when the card found that it cannot write has the result of that one */
TEST_F(modes, no_dma_for_a_result)
{
	struct hbs_group_missing state = { 0 };
	double end = seconds() + 10;
	char pci[32];

	if (variant->arrival == HBS_ARRIVAL_POLL || variant->departure == HBS_DEPARTURE_CSR)
		SKIP(return, "no barrier is over, or no record is written");
	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	sum_once(_metadata, self);
	ASSERT_EQ(card_pci_command(pci, PCI_COMMAND_MASTER, false), 0);
	all_arrive(self, 9);
	while (!(state.word & HBS_WORD_BROKEN)) {
		ASSERT_GE(group_missing(self->fd, NULL, 0, &state), 0);
		ASSERT_LT(seconds(), end);
	}
	ASSERT_EQ(card_pci_command(pci, PCI_COMMAND_MASTER, true), 0);
	ASSERT_EQ(group_destroy(self->fd), 0);
	EXPECT_EQ(word_error(*self->absent.record), -EIO);
	EXPECT_EQ(*self->absent.record & EPOCH_MASK, next_epoch(self->absent.word));
	EXPECT_EQ(result(&self->absent), 9 * MEMBERS);
	for (int i = 0; i < WAIT_KINDS; i++) {
		EXPECT_EQ(*self->crowd.member[i].record, *self->absent.record);
		EXPECT_EQ(result(&self->crowd.member[i]), 9 * MEMBERS);
	}
}

/* A card that is gone may have written the last epoch into some records only */
TEST_F(modes, removal_amid_records)
{
	const uint64_t broken = HBS_WORD_BROKEN | HBS_REASON_RESET << HBS_WORD_REASON_SHIFT;
	volatile uint64_t *record = (volatile uint64_t *)self->absent.record;
	uint64_t word = self->absent.word;
	char pci[32];

	if (variant->departure != HBS_DEPARTURE_PORT)
		SKIP(return, "nobody but the card can write records");
	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	record[HBS_RECORD_RESULT / 8] = 5;
	record[HBS_RECORD_WORD / 8] = next_epoch(word);
	go(_metadata, pci, true);
	EXPECT_EQ(record[HBS_RECORD_WORD / 8], next_epoch(word) | broken);
	EXPECT_EQ(record[HBS_RECORD_RESULT / 8], 5);
	EXPECT_EQ(*self->crowd.member[0].record, word | broken);
}

/* A barrier that was over before the card went is over for all, with its result */
TEST_F(modes, removal_after_the_epoch)
{
	const uint64_t broken = HBS_WORD_BROKEN | HBS_REASON_RESET << HBS_WORD_REASON_SHIFT;
	struct hbs_group_info info;
	char pci[32];
	double end;

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	sum_once(_metadata, self);
	all_arrive(self, 9);
	end = seconds() + 10;
	while (!released(&self->absent))
		ASSERT_LT(seconds(), end);
	go(_metadata, pci, true);
	ASSERT_EQ(group_info(self->fd, &info), 0);
	EXPECT_EQ(info.word, (self->absent.word + HBS_WORD_EPOCH_ONE) | broken);
	EXPECT_EQ(*self->absent.record, info.word);
	EXPECT_EQ(result(&self->absent), 9 * MEMBERS);
	for (int i = 0; i < WAIT_KINDS; i++) {
		EXPECT_EQ(*self->crowd.member[i].record, info.word);
		EXPECT_EQ(result(&self->crowd.member[i]), 9 * MEMBERS);
	}
}

TEST_HARNESS_MAIN
