// SPDX-License-Identifier: GPL-2.0-or-later
/* That a virtual IOMMU translates the card's DMA. Needs a guest that has one. */
#include <stdio.h>

#include "harness.h"
#include "hbs_test.h"

static void read_line(const char *pci, const char *file, char *line, int size)
{
	char path[128];
	FILE *stream;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", pci, file);
	stream = fopen(path, "re");
	line[0] = 0;
	if (!stream)
		return;
	if (!fgets(line, size, stream))
		line[0] = 0;
	fclose(stream);
}

TEST(translates)
{
	char pci[32], type[32];

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	read_line(pci, "iommu_group/type", type, sizeof(type));
	EXPECT_STREQ(type, "DMA\n");
}

/* Pages come and go in it: for many groups, one after the other and at once */
TEST(pages_come_and_go)
{
	struct usage before;
	struct hbs_info info;
	struct one one;
	struct group group[128];
	int card;

	usage_note(&before);
	card = card_open();
	ASSERT_GE(card, 0);
	ASSERT_EQ(card_info(card, &info), 0);
	for (int i = 0; i < 50; i++) {
		ASSERT_EQ(one_member(card, 1, &one), 0);
		ASSERT_EQ(barrier(&one.member), 0);
		ASSERT_EQ(leave(&one.member), 0);
		ASSERT_EQ(port_free(&one.port), 0);
		ASSERT_EQ(group_close(&one.group), 0);
	}
	ASSERT_EQ(port_alloc(card, &one.port), 0);
	for (unsigned int g = 0; g < info.groups; g++) {
		ASSERT_EQ(group_create(card, 1, &group[g]), 0);
		ASSERT_EQ(join(&group[g], &one.port, &one.member), 0);
		ASSERT_EQ(barrier(&one.member), 0);
	}
	release_all();
	EXPECT_EQ(usage_compare(&before), 0);
}

TEST_HARNESS_MAIN
