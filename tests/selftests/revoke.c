// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The card goes, by unbind, removal or reset, or the module is reloaded, while
 * threads wait in each way. HBS_TEST_MODULE is the path of hbs.ko, and
 * HBS_TEST_RELOADS says how often to reload it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "hbs_test.h"

FIXTURE(revoke)
{
	struct usage before;
	char pci[32];
	int card;
	struct crowd crowd;
	struct port spare; /* mapped, no member */
	struct member member;
};

FIXTURE_SETUP(revoke)
{
	usage_note(&self->before);
	ASSERT_EQ(card_pci_name(0, self->pci, sizeof(self->pci)), 0);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(crowd_create(self->card, 1, &self->crowd), 0);
	ASSERT_EQ(port_alloc(self->card, &self->spare), 0);
}

FIXTURE_TEARDOWN(revoke)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* The card works, from the open on */
static void works(struct __test_metadata *_metadata)
{
	struct one one;
	struct port port;
	struct member other;
	struct waiter waiter;
	struct hbs_group_counters counters;
	int card;

	ASSERT_EQ(card_wait(10), 0);
	card = card_open();
	ASSERT_GE(card, 0);
	ASSERT_EQ(one_member(card, 2, &one), 0);
	ASSERT_EQ(port_alloc(card, &port), 0);
	ASSERT_EQ(join(&one.group, &port, &other), 0);
	for (int i = 0; i < 3; i++) {
		arrive(&other);
		ASSERT_EQ(barrier(&one.member), 0);
		ASSERT_EQ(wait_spin(&other), 0);
	}
	/* interrupts too */
	arrive(&other);
	ASSERT_EQ(waiter_start(&waiter, &other, WAIT_IOCTL), 0);
	ASSERT_EQ(barrier(&one.member), 0);
	ASSERT_EQ(waiter_join(&waiter), 0);
	EXPECT_EQ(waiter.result, 0);
	ASSERT_EQ(group_counters(one.group.fd, &counters), 0);
	EXPECT_EQ(counters.completions, 4);
	EXPECT_EQ(counters.arrivals, 8);
	EXPECT_EQ(counters.non_member + counters.double_arrivals + counters.refused, 0);
	ASSERT_EQ(leave(&one.member), 0);
	ASSERT_EQ(leave(&other), 0);
	ASSERT_EQ(port_free(&one.port), 0);
	ASSERT_EQ(port_free(&port), 0);
	ASSERT_EQ(group_close(&one.group), 0);
	ASSERT_EQ(close(card), 0);
}

/* What somebody has of a card that is no more: the error, and nothing else */
static void is_dead(struct __test_metadata *_metadata, FIXTURE_DATA(revoke) *self, int error)
{
	struct member *member = &self->crowd.member[0];
	struct hbs_group_counters counters;
	struct hbs_info info;
	struct hbs_group_info group_state;
	struct group group;
	struct port port;
	struct member other;
	uint64_t word = 0;
	int fd = self->crowd.group.fd;

	EXPECT_EQ(card_info(self->card, &info), error);
	EXPECT_EQ(port_alloc_only(self->card, &port), error);
	EXPECT_EQ(group_create(self->card, 1, &group), error);
	port = self->spare;
	EXPECT_EQ(join(&self->crowd.group, &port, &other), error);
	EXPECT_EQ(group_wait(fd, &word), error);
	EXPECT_EQ(word_error(word), error);
	EXPECT_EQ(read(fd, &word, 8), 8);
	EXPECT_EQ(word_error(word), error);
	EXPECT_EQ(group_counters(fd, &counters), error);
	/* A dead group can be asked */
	EXPECT_EQ(group_info(fd, &group_state), 0);
	EXPECT_EQ(word_error(group_state.word), error);
	EXPECT_EQ(mmap(NULL, self->spare.size, PROT_READ | PROT_WRITE, MAP_SHARED, self->card,
		       self->spare.offset),
		  MAP_FAILED);
	EXPECT_EQ(errno, -error);
	/* The records keep saying so, and stores go nowhere */
	for (int i = 0; i < WAIT_KINDS; i++) {
		arrive(&self->crowd.member[i]);
		EXPECT_EQ(word_error(*self->crowd.member[i].record), error);
	}
	for (size_t offset = 0; offset < self->spare.size; offset += 8)
		*(volatile uint64_t *)((char *)self->spare.map + offset) = ~0ULL;
	EXPECT_EQ(word_error(*member->departure), error);
}

TEST_F(revoke, unbind)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(card_unbind(self->pci), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ENODEV), 0);
	EXPECT_EQ(card_open(), -ENODEV);
	is_dead(_metadata, self, -ENODEV);
	ASSERT_EQ(card_bind(self->pci), 0);
	works(_metadata);
	/* The old ones stay dead, and do not reach the new card */
	is_dead(_metadata, self, -ENODEV);
	works(_metadata);
	EXPECT_EQ(leave(&self->crowd.member[0]), -ENODEV);
}

TEST_F(revoke, remove_and_rescan)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(card_pci_write(self->pci, "remove", "1"), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ENODEV), 0);
	is_dead(_metadata, self, -ENODEV);
	ASSERT_EQ(write_file("/sys/bus/pci/rescan", "1"), 0);
	works(_metadata);
	is_dead(_metadata, self, -ENODEV);
	works(_metadata);
}

TEST_F(revoke, reset)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(card_pci_write(self->pci, "reset", "1"), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ECONNRESET), 0);
	is_dead(_metadata, self, -ECONNRESET);
	works(_metadata);
	is_dead(_metadata, self, -ECONNRESET);
	/* Again, with nobody there but the dead */
	ASSERT_EQ(card_pci_write(self->pci, "reset", "1"), 0);
	is_dead(_metadata, self, -ECONNRESET);
	works(_metadata);
	/* Unbinding now does not change what the dead are told */
	ASSERT_EQ(card_unbind(self->pci), 0);
	EXPECT_EQ(word_error(*self->crowd.member[0].record), -ECONNRESET);
	ASSERT_EQ(card_bind(self->pci), 0);
	works(_metadata);
}

/* The card does not go while its descriptors are closed in a dead state */
TEST_F(revoke, rebind_many_times)
{
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(card_unbind(self->pci), 0);
		ASSERT_EQ(card_bind(self->pci), 0);
	}
	works(_metadata);
}

/* Two threads in the middle of a barrier loop */
struct runner {
	struct member member;
	struct port port;
	bool asleep;
	unsigned long epochs;
	int result;
	pthread_t thread;
};

static void *runner_run(void *arg)
{
	struct runner *runner = arg;

	while (!runner->result) {
		runner->result =
			runner->asleep ? barrier_sleep(&runner->member) : barrier(&runner->member);
		__atomic_add_fetch(&runner->epochs, !runner->result, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void while_running(struct __test_metadata *_metadata, const char *pci, bool reset)
{
	static struct runner runner[2];
	struct group group;
	int error = reset ? -ECONNRESET : -ENODEV;
	int card;

	for (int round = 0; round < 10; round++) {
		ASSERT_EQ(card_wait(10), 0);
		card = card_open();
		ASSERT_GE(card, 0);
		ASSERT_EQ(group_create(card, 2, &group), 0);
		for (int i = 0; i < 2; i++) {
			runner[i] = (struct runner){ .asleep = round & (1 << i) };
			ASSERT_EQ(port_alloc(card, &runner[i].port), 0);
			ASSERT_EQ(join(&group, &runner[i].port, &runner[i].member), 0);
		}
		for (int i = 0; i < 2; i++)
			ASSERT_EQ(pthread_create(&runner[i].thread, NULL, runner_run, &runner[i]),
				  0);
		while (__atomic_load_n(&runner[0].epochs, __ATOMIC_RELAXED) < 20)
			usleep(500);
		ASSERT_EQ(reset ? card_pci_write(pci, "reset", "1") : card_unbind(pci), 0);
		for (int i = 0; i < 2; i++) {
			struct timespec end;

			clock_gettime(CLOCK_REALTIME, &end);
			end.tv_sec += 10;
			ASSERT_EQ(pthread_timedjoin_np(runner[i].thread, NULL, &end), 0);
			EXPECT_EQ(runner[i].result, error);
		}
		if (!reset)
			ASSERT_EQ(card_bind(pci), 0);
	}
	works(_metadata);
}

TEST_F(revoke, unbind_while_running)
{
	while_running(_metadata, self->pci, false);
}

TEST_F(revoke, reset_while_running)
{
	while_running(_metadata, self->pci, true);
}

/* Faults of the mappings while the card goes: they were never touched before */
TEST_F(revoke, first_touch_after_unbind)
{
	ASSERT_EQ(card_unbind(self->pci), 0);
	arrive(&self->crowd.member[0]);
	EXPECT_EQ(word_error(*self->crowd.member[0].record), -ENODEV);
	EXPECT_EQ(wait_sleep(&self->crowd.member[1]), -ENODEV);
	ASSERT_EQ(card_bind(self->pci), 0);
	works(_metadata);
}

static int module_load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

static int module_unload(void)
{
	return syscall(SYS_delete_module, "hbs", O_NONBLOCK) ? -errno : 0;
}

/* As module_unload, but waits a little for what is still closing */
static int module_unload_soon(void)
{
	double end = seconds() + 5;
	int ret;

	while ((ret = module_unload()) == -EWOULDBLOCK && seconds() < end)
		usleep(2000);
	return ret;
}

TEST_F_TIMEOUT(revoke, module_reload, 120)
{
	const char *path = getenv("HBS_TEST_MODULE");
	struct crowd *crowd = &self->crowd;
	long reloads = env_long("HBS_TEST_RELOADS", 100);
	double start = seconds();

	ASSERT_NE(path, NULL) TH_LOG("HBS_TEST_MODULE must be the path of hbs.ko");
	release_all();
	for (long i = 0; i < reloads; i++) {
		int card = card_open();

		ASSERT_GE(card, 0);
		ASSERT_EQ(crowd_create(card, 1, crowd), 0);
		ASSERT_EQ(crowd_wait(crowd), 0);
		/* In use: it cannot be unloaded, and nobody notices the attempt */
		ASSERT_EQ(module_unload(), -EWOULDBLOCK);
		for (int kind = 0; kind < WAIT_KINDS; kind++)
			ASSERT_FALSE(released(&crowd->member[kind]));
		/* The card can be taken away, and then the module */
		ASSERT_EQ(card_unbind(self->pci), 0);
		ASSERT_EQ(crowd_check(crowd, -ENODEV), 0);
		release_all();
		ASSERT_EQ(module_unload_soon(), 0);
		ASSERT_EQ(module_load(path), 0);
		ASSERT_EQ(card_wait(10), 0);
	}
	TH_LOG("reloads %ld: %.0f ms each", reloads, (seconds() - start) * 1e3 / reloads);
	works(_metadata);
}

TEST_HARNESS_MAIN
