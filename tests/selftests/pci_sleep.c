// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The system sleeps while threads wait in each way: for the card that is a reset.
 * The host wakes it. HBS_TEST_ROUNDS says how often, which takes a while: half of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "harness.h"
#include "afterlife.h"
#include "host.h"

/* The host wakes the system from s2idle by sending something to the serial port */
#define WAKER "/sys/class/tty/ttyS0/power/wakeup"

FIXTURE(pci_sleep)
{
	struct usage before;
	long rounds;
	int card;
	struct crowd crowd;
	struct port spare; /* mapped, no member */
};

FIXTURE_VARIANT(pci_sleep)
{
	const char *mode;
};

/* The processors stop, and devices keep their power */
FIXTURE_VARIANT_ADD(pci_sleep, s2idle){
	.mode = "s2idle",
};

/* All but memory loses its power */
FIXTURE_VARIANT_ADD(pci_sleep, deep){
	.mode = "deep",
};

FIXTURE_SETUP(pci_sleep)
{
	usage_note(&self->before);
	self->rounds = env_long("HBS_TEST_ROUNDS", 2);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(crowd_create(self->card, 1, &self->crowd), 0);
	ASSERT_EQ(port_alloc(self->card, &self->spare), 0);
}

FIXTURE_TEARDOWN(pci_sleep)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/*
 * Where ACPI's registers are. q35's firmware does not set that again when it wakes
 * up; without it the machine could sleep only once, and not be switched off.
 */
static int acpi_registers(bool restore)
{
	static char saved[8];
	int fd = open("/sys/bus/pci/devices/0000:00:1f.0/config", O_RDWR | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	if (restore)
		n = pwrite(fd, saved, sizeof(saved), 0x40);
	else
		n = pread(fd, saved, sizeof(saved), 0x40);
	close(fd);
	return n == sizeof(saved) ? 0 : -EIO;
}

static int fall_asleep(const char *mode)
{
	char request[32];
	int ret;

	ret = write_file("/sys/power/mem_sleep", mode);
	if (!ret)
		ret = write_file(WAKER, "enabled");
	if (!ret)
		ret = acpi_registers(false);
	if (ret)
		return ret;
	snprintf(request, sizeof(request), "sleep %s", mode);
	host_tell(request);
	ret = write_file("/sys/power/state", "mem");
	if (!ret)
		ret = acpi_registers(true);
	return host_do("awake") ?: ret;
}

TEST_F_TIMEOUT(pci_sleep, while_waiting, 150)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(fall_asleep(variant->mode), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ECONNRESET), 0);
	EXPECT_EQ(card_works(), 0);
	EXPECT_EQ(possessions_dead(self->card, &self->crowd, &self->spare, -ECONNRESET), 0);
	for (long i = 0; i < (self->rounds + 1) / 2; i++) {
		static struct runners runners;
		int card = card_open();

		ASSERT_GE(card, 0);
		ASSERT_EQ(runners_start(card, i, &runners), 0);
		ASSERT_EQ(runners_progress(&runners, 20), 0);
		ASSERT_EQ(fall_asleep(variant->mode), 0);
		ASSERT_EQ(runners_end(&runners, -ECONNRESET), 0);
		EXPECT_EQ(card_works(), 0);
	}
}

TEST_HARNESS_MAIN
