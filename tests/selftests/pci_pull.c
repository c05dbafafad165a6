// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The card stops answering while threads wait on it, because it is pulled out or
 * broken; the kernel hears of it later, or never. The host gives another card
 * afterwards.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <hbs.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "harness.h"
#include "afterlife.h"
#include "host.h"

FIXTURE(pci_pull)
{
	struct usage before;
	char pci[32];
	int card;
	struct crowd crowd;
	struct port spare; /* mapped, no member */
};

FIXTURE_SETUP(pci_pull)
{
	ASSERT_EQ(card_wait(10), 0);
	usage_note(&self->before);
	ASSERT_EQ(card_pci_name(0, self->pci, sizeof(self->pci)), 0);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(crowd_create(self->card, 1, &self->crowd), 0);
	ASSERT_EQ(port_alloc(self->card, &self->spare), 0);
}

FIXTURE_TEARDOWN(pci_pull)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* The host takes the card away, and gives another one */
static void replace(struct __test_metadata *_metadata)
{
	ASSERT_EQ(host_do("unplug"), 0);
	for (int i = 0; i < 300 && card_name(0); i++)
		sleep_ms(100);
	ASSERT_EQ(card_name(0), NULL);
	ASSERT_EQ(host_do("plug"), 0);
	EXPECT_EQ(card_works(), 0);
}

/* The driver has not heard of it: each call that needs the card fails, and no result is made up */
static void calls_fail(struct __test_metadata *_metadata, FIXTURE_DATA(pci_pull) *self)
{
	int fd = self->crowd.group.fd;
	struct hbs_group_counters counters;
	struct hbs_group_info state;
	struct hbs_info info;
	struct member member;
	struct group group;
	long value;

	EXPECT_EQ(card_info(self->card, &info), 0);
	EXPECT_EQ(group_create(self->card, 1, &group), -ENODEV);
	EXPECT_EQ(join(&self->crowd.group, &self->spare, &member), -ENODEV);
	EXPECT_EQ(group_counters(fd, &counters), -ENODEV);
	EXPECT_EQ(group_missing(fd, NULL, 0, NULL), -ENODEV);
	EXPECT_EQ(group_reset(fd), -ENODEV);
	EXPECT_LT(card_attribute("violations", &value), 0);
	EXPECT_EQ(group_info(fd, &state), 0);
	EXPECT_EQ(state.joined, WAIT_KINDS);
	EXPECT_EQ(state.word, self->crowd.member[0].word);
	EXPECT_EQ(*self->crowd.member[0].departure, UINT64_MAX);
	for (int i = 0; i < WAIT_KINDS; i++)
		EXPECT_FALSE(released(&self->crowd.member[i]));
}

TEST_F(pci_pull, while_waiting)
{
	struct group other;
	struct member member;
	struct port port;

	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(group_create(self->card, 1, &other), 0);
	ASSERT_EQ(join(&other, &port, &member), 0);
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(host_do("fault pulled"), 0);
	calls_fail(_metadata, self);
	/* Calls that need only memory still give results */
	EXPECT_EQ(group_destroy(other.fd), 0);
	EXPECT_EQ(wait_sleep(&member), -EIDRM);
	EXPECT_EQ(leave(&member), 0);
	EXPECT_EQ(group_close(&other), 0);
	EXPECT_EQ(port_free(&port), 0);
	replace(_metadata);
	EXPECT_EQ(crowd_check(&self->crowd, -ENODEV), 0);
	EXPECT_EQ(possessions_dead(self->card, &self->crowd, &self->spare, -ENODEV), 0);
}

TEST_F(pci_pull, while_running)
{
	static struct runners runners;

	ASSERT_EQ(runners_start(self->card, 1, &runners), 0);
	ASSERT_EQ(runners_progress(&runners, 20), 0);
	ASSERT_EQ(host_do("fault pulled"), 0);
	replace(_metadata);
	EXPECT_EQ(runners_end(&runners, -ENODEV), 0);
}

TEST_F(pci_pull, unbind)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(host_do("fault pulled"), 0);
	ASSERT_EQ(card_unbind(self->pci), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ENODEV), 0);
	EXPECT_EQ(possessions_dead(self->card, &self->crowd, &self->spare, -ENODEV), 0);
	EXPECT_EQ(card_bind(self->pci), -ENODEV);
	replace(_metadata);
}

/*
 * A card that does not say that it has stopped may still write: the kernel keeps the
 * memory that the card was given, though nobody uses it any more, until it fences
 * the card.
 */
TEST_F(pci_pull, memory_is_kept)
{
	const struct hbs_group_create polling = { .arrival = HBS_ARRIVAL_POLL };
	long before, full, kept;
	struct member member;
	struct group group;
	struct port port;

	ASSERT_EQ(card_attribute("pages", &before), 0);
	ASSERT_EQ(group_create_with(self->card, 1, &polling, &group), 0);
	ASSERT_EQ(port_alloc_for(&group, self->card, &port), 0);
	ASSERT_EQ(join(&group, &port, &member), 0);
	ASSERT_EQ(card_attribute("pages", &full), 0);
	ASSERT_EQ(host_do("fault silent"), 0);
	EXPECT_EQ(leave(&member), 0);
	EXPECT_EQ(group_close(&group), 0);
	EXPECT_EQ(port_free(&port), 0);
	ASSERT_EQ(card_attribute("pages", &kept), 0);
	/* Half of it was to stand in, which the card knows nothing of */
	EXPECT_EQ(kept - before, (full - before) / 2);
	/* Nothing is added to that */
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(group_create(self->card, 1, &group), -ENODEV);
		ASSERT_EQ(port_alloc_only(self->card, &port), 0);
		EXPECT_EQ(port_map_memory(&port), -ENODEV);
		EXPECT_EQ(port_free(&port), 0);
	}
	ASSERT_EQ(card_attribute("pages", &kept), 0);
	EXPECT_EQ(kept - before, (full - before) / 2);
	/* A reset fences the card, even if the card does not work again */
	EXPECT_EQ(card_pci_write(self->pci, "reset", "1"), 0);
	release_all();
	EXPECT_EQ(card_attribute("pages", &kept), 0);
	EXPECT_EQ(kept, 0);
	replace(_metadata);
}

/* The registers are dead for good: recovery fails, and so does what waits for it */
TEST_F(pci_pull, fatal_error)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(host_do("fault silent"), 0);
	ASSERT_EQ(host_inject(self->pci, "fatal"), 0);
	/* It was a reset when they were told */
	EXPECT_EQ(crowd_check(&self->crowd, -ECONNRESET), 0);
	EXPECT_EQ(card_open(), -ENODEV);
	replace(_metadata);
}

TEST_F(pci_pull, function_reset)
{
	struct hbs_info info;

	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(host_do("fault silent"), 0);
	EXPECT_EQ(card_pci_write(self->pci, "reset", "1"), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ECONNRESET), 0);
	EXPECT_EQ(card_open(), -ENODEV);
	EXPECT_EQ(card_info(self->card, &info), -ENODEV);
	replace(_metadata);
}

/* Two members that add by a register; @other is always the one that is late */
struct adders {
	struct hbs *hbs;
	struct hbs_group *group;
	struct hbs_member *me, *other;
};

static void adders_join(struct __test_metadata *_metadata, struct adders *adders)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD };
	struct hbs_group_attr way = {
		.members = 2,
		.reduce = HBS_SUM,
		.depart_by = HBS_DEPART_BY_CSR,
	};

	ASSERT_EQ(hbs_open(&adders->hbs, &attr), 0);
	ASSERT_EQ(hbs_group_create(adders->hbs, &way, &adders->group), 0);
	ASSERT_EQ(hbs_join(adders->group, &adders->me), 0);
	ASSERT_EQ(hbs_join(adders->group, &adders->other), 0);
}

static void adders_leave(struct __test_metadata *_metadata, struct adders *adders)
{
	EXPECT_EQ(hbs_leave(adders->me), 0);
	EXPECT_EQ(hbs_leave(adders->other), 0);
	EXPECT_EQ(hbs_group_close(adders->group), 0);
	EXPECT_EQ(hbs_close(adders->hbs), 0);
}

/* One barrier, from which the other has not departed */
static void adders_add(struct __test_metadata *_metadata, struct adders *adders, uint64_t value)
{
	uint64_t result;

	ASSERT_EQ(hbs_arrive_value(adders->other, value), 0);
	ASSERT_EQ(hbs_allreduce(adders->me, 2 * value, &result), 0);
	ASSERT_EQ(result, 3 * value);
}

/* Both, however often they ask */
static void adders_have(struct __test_metadata *_metadata, struct adders *adders, uint64_t wanted)
{
	struct hbs_member *const member[] = { adders->me, adders->other };
	uint64_t result;

	for (int i = 0; i < 4; i++) {
		result = 0;
		EXPECT_EQ(hbs_result(member[i % 2], &result), 0);
		EXPECT_EQ(result, wanted);
	}
}

/* The kernel knows of the barrier when the card goes: a member that is late gets its result */
TEST_F(pci_pull, result_of_a_late_member)
{
	struct hbs_group_info info;
	struct adders adders;

	adders_join(_metadata, &adders);
	adders_add(_metadata, &adders, 5);
	ASSERT_EQ(hbs_wait(adders.other), 0);
	adders_add(_metadata, &adders, 7);
	ASSERT_EQ(group_info(hbs_group_fd(adders.group), &info), 0);
	ASSERT_EQ(host_do("fault pulled"), 0);
	/* The kernel has not heard of it */
	ASSERT_EQ(hbs_test(adders.other), 1);
	adders_have(_metadata, &adders, 21);
	replace(_metadata);
	adders_have(_metadata, &adders, 21);
	EXPECT_EQ(hbs_barwait(adders.me), -ENODEV);
	EXPECT_EQ(hbs_barwait(adders.other), -ENODEV);
	adders_leave(_metadata, &adders);
}

/* The same, if it departs when the kernel has heard of it; or after a reset */
static void departs_late(struct __test_metadata *_metadata, const char *pci, bool reset)
{
	struct hbs_group_info info;
	struct adders adders;

	adders_join(_metadata, &adders);
	adders_add(_metadata, &adders, 9);
	ASSERT_EQ(group_info(hbs_group_fd(adders.group), &info), 0);
	ASSERT_EQ(host_do("fault silent"), 0);
	ASSERT_EQ(reset ? card_pci_write(pci, "reset", "1") : card_unbind(pci), 0);
	EXPECT_EQ(hbs_wait(adders.other), 0);
	adders_have(_metadata, &adders, 27);
	EXPECT_EQ(hbs_barwait(adders.other), reset ? -ECONNRESET : -ENODEV);
	adders_leave(_metadata, &adders);
	replace(_metadata);
}

TEST_F(pci_pull, result_after_unbind)
{
	departs_late(_metadata, self->pci, false);
}

TEST_F(pci_pull, result_after_reset)
{
	departs_late(_metadata, self->pci, true);
}

/* Nobody knows of the barrier but the member that has departed; and it has no result any more */
TEST_F(pci_pull, no_result)
{
	struct adders adders;
	uint64_t result = 3;

	adders_join(_metadata, &adders);
	adders_add(_metadata, &adders, 5);
	ASSERT_EQ(hbs_wait(adders.other), 0);
	adders_add(_metadata, &adders, 7);
	ASSERT_EQ(host_do("fault pulled"), 0);
	EXPECT_EQ(hbs_result(adders.me, &result), -ENODEV);
	EXPECT_EQ(hbs_test(adders.other), 0);
	replace(_metadata);
	EXPECT_EQ(hbs_result(adders.me, &result), -ENODEV);
	EXPECT_EQ(result, 3);
	EXPECT_EQ(hbs_wait(adders.other), -ENODEV);
	adders_leave(_metadata, &adders);
}

/* Two that reduce all the time, and a third thread that makes the kernel look, at any moment */
struct reducer {
	struct hbs_member *member;
	unsigned long epochs, wrong;
	int ret;
	pthread_t thread;
};

static void *reduce(void *arg)
{
	struct reducer *reducer = arg;
	uint64_t result, n;

	for (n = 1; !reducer->ret; n++) {
		reducer->ret = hbs_allreduce(reducer->member, n, &result);
		if (!reducer->ret)
			reducer->wrong += result != 2 * n;
		__atomic_add_fetch(&reducer->epochs, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static bool done;

static void *look(void *arg)
{
	struct hbs_group_info info;

	while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
		group_info(*(int *)arg, &info);
	return NULL;
}

TEST_F_TIMEOUT(pci_pull, while_reducing, 600)
{
	long rounds = env_long("HBS_TEST_ROUNDS", 2);
	struct reducer reducer[2];
	struct adders adders;
	pthread_t looker;
	int fd;

	for (long round = 0; round < rounds; round++) {
		adders_join(_metadata, &adders);
		fd = hbs_group_fd(adders.group);
		reducer[0] = (struct reducer){ .member = adders.me };
		reducer[1] = (struct reducer){ .member = adders.other };
		done = false;
		for (int i = 0; i < 2; i++)
			ASSERT_EQ(pthread_create(&reducer[i].thread, NULL, reduce, &reducer[i]), 0);
		ASSERT_EQ(pthread_create(&looker, NULL, look, &fd), 0);
		while (__atomic_load_n(&reducer[0].epochs, __ATOMIC_RELAXED) < 100)
			sleep_ms(1);
		ASSERT_EQ(host_do(round % 2 ? "fault silent" : "fault pulled"), 0);
		replace(_metadata);
		for (int i = 0; i < 2; i++) {
			ASSERT_EQ(pthread_join(reducer[i].thread, NULL), 0);
			EXPECT_EQ(reducer[i].ret, -ENODEV);
			EXPECT_EQ(reducer[i].wrong, 0);
		}
		done = true;
		ASSERT_EQ(pthread_join(looker, NULL), 0);
		TH_LOG("epochs %lu, %lu", reducer[0].epochs, reducer[1].epochs);
		adders_leave(_metadata, &adders);
	}
}

TEST_HARNESS_MAIN
