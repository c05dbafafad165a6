// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PCI errors, which the host injects, while threads wait in each way: correctable
 * ones pass unnoticed, the others reset the card. HBS_TEST_ROUNDS says how often.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "harness.h"
#include "afterlife.h"
#include "host.h"

FIXTURE(pci_errors)
{
	struct usage before;
	long rounds;
	char pci[32];
	int card;
	struct crowd crowd;
	struct port spare; /* mapped, no member */
};

FIXTURE_SETUP(pci_errors)
{
	usage_note(&self->before);
	self->rounds = env_long("HBS_TEST_ROUNDS", 2);
	ASSERT_EQ(card_pci_name(0, self->pci, sizeof(self->pci)), 0);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(crowd_create(self->card, 1, &self->crowd), 0);
	ASSERT_EQ(port_alloc(self->card, &self->spare), 0);
}

FIXTURE_TEARDOWN(pci_errors)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* How many such errors the card's port reported to the kernel */
static long errors_told(const char *pci, const char *kind)
{
	char path[128];
	long count = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/../aer_rootport_total_err_%s", pci,
		 kind);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%ld", &count) != 1)
		count = -1;
	fclose(file);
	return count;
}

/* Injects an error, and waits until the kernel has been told */
static int inject(const char *pci, const char *kind)
{
	long before = errors_told(pci, kind);
	double end = seconds() + 30;

	if (before < 0 || host_inject(pci, kind))
		return -EIO;
	while (errors_told(pci, kind) == before) {
		if (seconds() > end)
			return -ETIMEDOUT;
		sleep_ms(1);
	}
	return 0;
}

/* The card's status of correctable errors; the virtual card has it at 0x110 */
static uint32_t correctable_status(const char *pci)
{
	uint32_t status = 0;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", pci);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (pread(fd, &status, sizeof(status), 0x110) != sizeof(status))
		status = 0;
	close(fd);
	return status;
}

TEST_F(pci_errors, correctable)
{
	struct member last;

	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	for (long i = 0; i < self->rounds; i++) {
		long before = errors_told(self->pci, "cor");

		ASSERT_EQ(host_inject(self->pci, "cor"), 0);
		/* QEMU 7.2 tells nobody, and nobody clears it then */
		if (!correctable_status(self->pci))
			EXPECT_GT(errors_told(self->pci, "cor"), before);
	}
	sleep_ms(200);
	for (int i = 0; i < WAIT_KINDS; i++)
		EXPECT_FALSE(released(&self->crowd.member[i]));
	ASSERT_EQ(join(&self->crowd.group, &self->spare, &last), 0);
	EXPECT_EQ(barrier(&last), 0);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
}

/* The members of a crowd are told, then the card works, round after round */
static void while_waiting(struct __test_metadata *_metadata, FIXTURE_DATA(pci_errors) *self,
			  const char *kind)
{
	int card;

	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(inject(self->pci, kind), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ECONNRESET), 0);
	EXPECT_EQ(card_works(), 0);
	EXPECT_EQ(possessions_dead(self->card, &self->crowd, &self->spare, -ECONNRESET), 0);
	for (long i = 0; i < self->rounds; i++) {
		struct crowd crowd;

		card = card_open();
		ASSERT_GE(card, 0);
		ASSERT_EQ(crowd_create(card, 1, &crowd), 0);
		ASSERT_EQ(crowd_wait(&crowd), 0);
		ASSERT_EQ(inject(self->pci, kind), 0);
		ASSERT_EQ(crowd_check(&crowd, -ECONNRESET), 0);
		EXPECT_EQ(card_works(), 0);
	}
	/* With nobody there but the dead */
	ASSERT_EQ(inject(self->pci, kind), 0);
	EXPECT_EQ(card_works(), 0);
	EXPECT_EQ(possessions_dead(self->card, &self->crowd, &self->spare, -ECONNRESET), 0);
}

TEST_F(pci_errors, nonfatal)
{
	while_waiting(_metadata, self, "nonfatal");
}

TEST_F(pci_errors, fatal)
{
	while_waiting(_metadata, self, "fatal");
}

/*
 * The driver cannot tell a card that is frozen to stop, and the locks that it needs may be
 * busy: so the card must lose the bus before all else.
 */
TEST_F(pci_errors, bus_first)
{
	ASSERT_EQ(host_do("watch"), 0);
	ASSERT_EQ(inject(self->pci, "nonfatal"), 0);
	EXPECT_EQ(card_works(), 0);
	EXPECT_EQ(host_do("fenced_first"), 0);
}

TEST_F(pci_errors, while_running)
{
	static struct runners runners;

	for (long round = 0; round < 2 * self->rounds; round++) {
		int card;

		ASSERT_EQ(card_wait(10), 0);
		card = card_open();
		ASSERT_GE(card, 0);
		ASSERT_EQ(runners_start(card, round, &runners), 0);
		ASSERT_EQ(runners_progress(&runners, 20), 0);
		ASSERT_EQ(inject(self->pci, round & 1 ? "nonfatal" : "fatal"), 0);
		ASSERT_EQ(runners_end(&runners, -ECONNRESET), 0);
	}
	EXPECT_EQ(card_works(), 0);
}

/* Otherwise the kernel resets the card as soon as it hears of the error */
TEST_F(pci_errors, reset_meanwhile)
{
	for (long round = 0; round < 5 * self->rounds; round++) {
		ASSERT_EQ(inject(self->pci, "fatal"), 0);
		ASSERT_EQ(card_pci_write(self->pci, "reset", "1"), 0);
		ASSERT_EQ(card_works(), 0);
	}
}

/* Then nobody may be there to set it up again; it has to be found anew */
TEST_F(pci_errors, remove_meanwhile)
{
	for (long round = 0; round < self->rounds; round++) {
		ASSERT_EQ(inject(self->pci, round & 1 ? "nonfatal" : "fatal"), 0);
		ASSERT_EQ(card_unbind(self->pci), 0);
		ASSERT_EQ(card_pci_write(self->pci, "remove", "1"), 0);
		ASSERT_EQ(write_file("/sys/bus/pci/rescan", "1"), 0);
		ASSERT_EQ(card_works(), 0);
	}
}

TEST_HARNESS_MAIN
