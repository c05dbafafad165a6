// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The card goes, by unbind, removal or reset, or the module is reloaded, while
 * threads wait in each way. HBS_TEST_MODULE is the path of hbs.ko, and
 * HBS_TEST_RELOADS says how often to reload it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"
#include "afterlife.h"

FIXTURE(revoke)
{
	struct usage before;
	char pci[32];
	int card;
	struct crowd crowd;
	struct port spare; /* mapped, no member */
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

static int is_dead(FIXTURE_DATA(revoke) *self, int error)
{
	return possessions_dead(self->card, &self->crowd, &self->spare, error);
}

TEST_F(revoke, unbind)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(card_unbind(self->pci), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ENODEV), 0);
	EXPECT_EQ(card_open(), -ENODEV);
	EXPECT_EQ(is_dead(self, -ENODEV), 0);
	ASSERT_EQ(card_bind(self->pci), 0);
	EXPECT_EQ(card_works(), 0);
	/* The old ones stay dead, and do not reach the new card */
	EXPECT_EQ(is_dead(self, -ENODEV), 0);
	EXPECT_EQ(card_works(), 0);
	EXPECT_EQ(leave(&self->crowd.member[0]), -ENODEV);
}

TEST_F(revoke, remove_and_rescan)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(card_pci_write(self->pci, "remove", "1"), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ENODEV), 0);
	EXPECT_EQ(is_dead(self, -ENODEV), 0);
	ASSERT_EQ(write_file("/sys/bus/pci/rescan", "1"), 0);
	EXPECT_EQ(card_works(), 0);
	EXPECT_EQ(is_dead(self, -ENODEV), 0);
	EXPECT_EQ(card_works(), 0);
}

TEST_F(revoke, reset)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(card_pci_write(self->pci, "reset", "1"), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ECONNRESET), 0);
	EXPECT_EQ(is_dead(self, -ECONNRESET), 0);
	EXPECT_EQ(card_works(), 0);
	EXPECT_EQ(is_dead(self, -ECONNRESET), 0);
	/* Again, with nobody there but the dead */
	ASSERT_EQ(card_pci_write(self->pci, "reset", "1"), 0);
	EXPECT_EQ(is_dead(self, -ECONNRESET), 0);
	EXPECT_EQ(card_works(), 0);
	/* If the card is unbound now, the dead still see the same error */
	ASSERT_EQ(card_unbind(self->pci), 0);
	EXPECT_EQ(word_error(*self->crowd.member[0].record), -ECONNRESET);
	ASSERT_EQ(card_bind(self->pci), 0);
	EXPECT_EQ(card_works(), 0);
}

/* The card does not go while its descriptors are closed in a dead state */
TEST_F(revoke, rebind_many_times)
{
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(card_unbind(self->pci), 0);
		ASSERT_EQ(card_bind(self->pci), 0);
	}
	EXPECT_EQ(card_works(), 0);
}

static void while_running(struct __test_metadata *_metadata, const char *pci, bool reset)
{
	int error = reset ? -ECONNRESET : -ENODEV;
	static struct runners runners;
	int card;

	for (int round = 0; round < 10; round++) {
		ASSERT_EQ(card_wait(10), 0);
		card = card_open();
		ASSERT_GE(card, 0);
		ASSERT_EQ(runners_start(card, round, &runners), 0);
		ASSERT_EQ(runners_progress(&runners, 20), 0);
		ASSERT_EQ(reset ? card_pci_write(pci, "reset", "1") : card_unbind(pci), 0);
		ASSERT_EQ(runners_end(&runners, error), 0);
		if (!reset)
			ASSERT_EQ(card_bind(pci), 0);
	}
	EXPECT_EQ(card_works(), 0);
}

TEST_F(revoke, unbind_while_running)
{
	while_running(_metadata, self->pci, false);
}

TEST_F(revoke, reset_while_running)
{
	while_running(_metadata, self->pci, true);
}

/* Faults on the mappings while the card goes: nobody touched them before */
TEST_F(revoke, first_touch_after_unbind)
{
	ASSERT_EQ(card_unbind(self->pci), 0);
	arrive(&self->crowd.member[0]);
	EXPECT_EQ(word_error(*self->crowd.member[0].record), -ENODEV);
	EXPECT_EQ(wait_sleep(&self->crowd.member[1]), -ENODEV);
	ASSERT_EQ(card_bind(self->pci), 0);
	EXPECT_EQ(card_works(), 0);
}

/* A port's waits are its owner's, whatever becomes of the card */
TEST_F(revoke, waits_stay)
{
	struct port *port = &self->crowd.port[0];
	volatile struct hbs_waits *waits;

	ASSERT_EQ(port_map_waits(port), 0);
	ASSERT_EQ(port_map_waits(&self->crowd.port[1]), 0);
	waits = port->waits;
	waits[0].waited_ns = 4711;
	ASSERT_EQ(card_unbind(self->pci), 0);
	EXPECT_EQ(waits[0].waited_ns, 4711);
	waits[0].waited_ns++;
	EXPECT_EQ(waits[0].waited_ns, 4712);
	/* one that nobody had touched before */
	self->crowd.port[1].waits[0].waited_ns = 1;
	EXPECT_EQ(self->crowd.port[1].waits[0].waited_ns, 1);
	ASSERT_EQ(port_unmap_waits(port), 0);
	EXPECT_EQ(port_map_waits(port), -ENODEV);
	ASSERT_EQ(card_bind(self->pci), 0);
	EXPECT_EQ(card_works(), 0);
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

/* As module_unload, but waits a little for files that are still closing */
static int module_unload_soon(void)
{
	double end = seconds() + 5;
	int ret;

	while ((ret = module_unload()) == -EWOULDBLOCK && seconds() < end)
		usleep(2000);
	return ret;
}

TEST_F(revoke, module_reload)
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
	EXPECT_EQ(card_works(), 0);
}

TEST_HARNESS_MAIN
