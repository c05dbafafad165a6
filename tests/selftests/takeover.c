// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When its driver takes a card over, from a kernel that crashed or after the system
 * slept, the card must keep nothing from before: no group, no address of memory that
 * others have now, no interrupt.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/klog.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hbs_regs.h>

#include "harness.h"
#include "afterlife.h"

#define READ_ALL   3  /* of klogctl() */
#define LOG_SIZE   10 /* likewise */
#define SOME_GROUP 5
#define SOME_PORT  3
#define SOME_PLACE 0x123456000ULL

FIXTURE(takeover)
{
	struct usage before;
	char pci[32];
	struct hbs_info info;
	volatile void *regs;
};

FIXTURE_SETUP(takeover)
{
	int card;

	usage_note(&self->before);
	ASSERT_EQ(card_pci_name(0, self->pci, sizeof(self->pci)), 0);
	card = card_open();
	ASSERT_GE(card, 0);
	ASSERT_EQ(card_info(card, &self->info), 0);
	close(card);
}

FIXTURE_TEARDOWN(takeover)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* A BAR of a card that has no driver */
static volatile void *bar_map(const char *pci, int bar, size_t size)
{
	char path[128];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource%d", pci, bar);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* Takes the card away from its driver, and maps its registers */
static void take_card(struct __test_metadata *_metadata, FIXTURE_DATA(takeover) *self)
{
	ASSERT_EQ(card_unbind(self->pci), 0);
	ASSERT_EQ(card_pci_command(self->pci, PCI_COMMAND_MEMORY, true), 0);
	self->regs = bar_map(self->pci, HBSR_BAR_REGISTERS, HBSR_BAR0_SIZE);
	ASSERT_NE(self->regs, NULL);
	ASSERT_EQ(*(volatile uint32_t *)(self->regs + HBSR_ID_MAGIC), HBSR_ID_MAGIC_DEFAULT);
}

static void give_card(struct __test_metadata *_metadata, FIXTURE_DATA(takeover) *self)
{
	munmap((void *)self->regs, HBSR_BAR0_SIZE);
	ASSERT_EQ(card_bind(self->pci), 0);
}

static volatile uint32_t *reg32(FIXTURE_DATA(takeover) *self, size_t offset)
{
	return self->regs + offset;
}

static volatile uint64_t *reg64(FIXTURE_DATA(takeover) *self, size_t offset)
{
	return self->regs + offset;
}

static size_t grp(uint32_t group, size_t offset)
{
	return HBSR_GRP_BASE + group * HBSR_GRP_STRIDE + offset;
}

static size_t prt(uint32_t port)
{
	return HBSR_PRT_BASE + port * HBSR_PRT_STRIDE + HBSR_PRT_ADDR;
}

/* How many addresses the card knows, without records of the groups before a first one */
static unsigned int addresses(FIXTURE_DATA(takeover) *self, uint32_t first_group)
{
	unsigned int n = 0;

	for (uint32_t port = 0; port < self->info.ports; port++)
		n += !!*reg64(self, prt(port));
	for (uint32_t group = first_group; group < self->info.groups; group++)
		for (int i = 0; i < HBSR_GRP_RECORD_ADDR_COUNT; i++)
			n += !!*reg64(self, grp(group, HBSR_GRP_RECORD_ADDR(i)));
	return n;
}

/* A line of the kernel's log, in which the driver reports violations */
static bool log_has(const char *text)
{
	int size = klogctl(LOG_SIZE, NULL, 0);
	char *log = calloc(1, size + 1);
	bool found = log && klogctl(READ_ALL, log, size) > 0 && strstr(log, text);

	free(log);
	return found;
}

TEST_F(takeover, from_a_crashed_kernel)
{
	volatile uint64_t *lane;
	volatile void *ports;
	char violation[64];
	uint64_t epoch;

	take_card(_metadata, self);
	ports = bar_map(self->pci, HBSR_BAR_PORTS,
			(SOME_PORT + 1) * (size_t)HBSR_ID_PORT_STRIDE_DEFAULT);
	ASSERT_NE(ports, NULL);
	/* A group in the middle of an epoch, with a record and memory at old addresses */
	*reg32(self, HBSR_CTL_CTRL) = HBSR_CTL_CTRL_ENABLE;
	*reg64(self, prt(SOME_PORT)) = SOME_PLACE;
	*reg32(self, grp(SOME_GROUP, HBSR_GRP_VACANT)) = 2;
	*reg32(self, grp(SOME_GROUP, HBSR_GRP_RECORDS)) = 1;
	*reg64(self, grp(SOME_GROUP, HBSR_GRP_RECORD_ADDR(0))) = SOME_PLACE + 0x1000;
	*reg32(self, grp(SOME_GROUP, HBSR_GRP_CTRL)) = HBSR_GRP_CTRL_ENABLE;
	*reg32(self, grp(SOME_GROUP, HBSR_GRP_COMMAND)) =
		HBSR_OP_JOIN << HBSR_GRP_COMMAND_OP_SHIFT | SOME_PORT;
	/* and a cause of an interrupt: an arrival of a port that is no member */
	*reg32(self, HBSR_INT_ENABLE) = HBSR_INT_ENABLE_VIOLATION;
	lane = ports + (SOME_PORT - 1) * (size_t)HBSR_ID_PORT_STRIDE_DEFAULT +
	       SOME_GROUP * HBSR_LANE_STRIDE + HBSR_LANE_ARRIVAL;
	*lane = 0;
	ASSERT_EQ(*reg32(self, HBSR_INT_CAUSE) & HBSR_INT_CAUSE_VIOLATION,
		  HBSR_INT_CAUSE_VIOLATION);
	ASSERT_EQ(*reg64(self, prt(SOME_PORT)), SOME_PLACE);
	epoch = *reg64(self, grp(SOME_GROUP, HBSR_GRP_EPOCH));
	munmap((void *)ports, (SOME_PORT + 1) * (size_t)HBSR_ID_PORT_STRIDE_DEFAULT);
	give_card(_metadata, self);
	EXPECT_EQ(card_works(), 0);
	snprintf(violation, sizeof(violation), "port %u, group %u\n", SOME_PORT - 1, SOME_GROUP);
	EXPECT_FALSE(log_has(violation));

	take_card(_metadata, self);
	/* The groups that were used since have addresses of now */
	EXPECT_EQ(addresses(self, SOME_GROUP), 0);
	EXPECT_EQ(*reg32(self, grp(SOME_GROUP, HBSR_GRP_CTRL)), 0);
	EXPECT_EQ(*reg64(self, grp(SOME_GROUP, HBSR_GRP_EPOCH)), epoch);
	give_card(_metadata, self);
	EXPECT_EQ(card_works(), 0);
}

static bool can_hibernate(void)
{
	return !access("/sys/power/disk", F_OK) && !access("/sys/power/pm_test", F_OK);
}

/*
 * The kernel makes an image of the system, then thaws the devices: the card did not
 * lose its power, and was not reset. The kernel waits for 5 s in between.
 */
TEST_F(takeover, from_before_a_thaw)
{
	const struct hbs_group_create polling = {
		.arrival = HBS_ARRIVAL_POLL,
		.departure = HBS_DEPARTURE_PORT,
	};
	struct group group;
	struct member member;
	struct crowd crowd;
	struct port port, spare;
	int card;

	if (!can_hibernate())
		SKIP(return, "this kernel cannot hibernate");
	card = card_open();
	ASSERT_GE(card, 0);
	ASSERT_EQ(crowd_create(card, 1, &crowd), 0);
	ASSERT_EQ(port_alloc(card, &spare), 0);
	if (self->info.features & HBS_FEATURE_POLL_ARRIVAL) {
		ASSERT_EQ(group_create_with(card, 2, &polling, &group), 0);
		ASSERT_EQ(port_alloc_for(&group, card, &port), 0);
		ASSERT_EQ(join(&group, &port, &member), 0);
		arrive(&member);
	}
	ASSERT_EQ(crowd_wait(&crowd), 0);
	ASSERT_EQ(write_file("/sys/power/pm_test", "devices"), 0);
	ASSERT_EQ(write_file("/sys/power/state", "disk"), 0);
	ASSERT_EQ(write_file("/sys/power/pm_test", "none"), 0);
	EXPECT_EQ(crowd_check(&crowd, -ECONNRESET), 0);
	EXPECT_EQ(possessions_dead(card, &crowd, &spare, -ECONNRESET), 0);

	take_card(_metadata, self);
	EXPECT_EQ(addresses(self, 1), 0);
	give_card(_metadata, self);
	EXPECT_EQ(card_works(), 0);
}

TEST_HARNESS_MAIN
