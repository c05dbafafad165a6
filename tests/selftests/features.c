// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The driver refuses what a card lacks, and nothing else. Run this on cards with
 * and without features (tools/vm/boot --features).
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

HBS_FIXTURE(features)

static uint64_t needed_for(const struct hbs_group_create *with)
{
	static const uint64_t completion[] = { 0, HBS_FEATURE_COUNTING };
	static const uint64_t arrival[] = { 0, HBS_FEATURE_POLL_ARRIVAL };
	static const uint64_t departure[] = {
		HBS_FEATURE_RECORD,
		HBS_FEATURE_CSR_DEPARTURE,
		HBS_FEATURE_PORT_RECORD,
		HBS_FEATURE_NODE_RECORD,
	};
	uint64_t needed =
		completion[with->completion] | arrival[with->arrival] | departure[with->departure];

	if (with->type == HBS_GROUP_REFUTABLE)
		needed |= HBS_FEATURE_REFUTABLE;
	if (with->reduce)
		needed |= HBS_FEATURE_REDUCE;
	if (with->timeout_ns || with->policy & HBS_POLICY_NOTIFY)
		needed |= HBS_FEATURE_TIMEOUT;
	return needed;
}

TEST_F(features, groups)
{
	unsigned int made = 0, refused = 0;

	for (unsigned int i = 0; i < 2 * 2 * 4 * 2 * 2 * 2 * 2; i++) {
		struct hbs_group_create with = {
			.completion = i & 1,
			.arrival = i >> 1 & 1,
			.departure = i >> 2 & 3,
			.reduce = i >> 4 & 1 ? HBS_REDUCE_MAX : HBS_REDUCE_NONE,
			.policy = i >> 5 & 1 ? HBS_POLICY_NOTIFY : HBS_POLICY_THREAD,
			.timeout_ns = i >> 6 & 1 ? 1000000000 : 0,
			.type = i >> 7 & 1 ? HBS_GROUP_REFUTABLE : HBS_GROUP_BARRIER,
		};
		uint64_t needed = needed_for(&with);
		bool possible = with.type == HBS_GROUP_BARRIER || !(with.completion | with.arrival);
		struct group group;
		int ret = group_create_with(self->card, 1, &with, &group);

		if ((self->info.features & needed) == needed && possible) {
			ASSERT_EQ(ret, 0);
			ASSERT_EQ(group_close(&group), 0);
			made++;
		} else {
			ASSERT_EQ(ret, -EOPNOTSUPP);
			refused++;
		}
	}
	EXPECT_GT(made, 0);
	TH_LOG("features 0x%llx: %u kinds of group made, %u refused",
	       (unsigned long long)self->info.features, made, refused);
}

/* Values that mean nothing, alone and beside good ones */
TEST_F(features, unknown)
{
	struct hbs_group_create with;
	struct group group;

	for (int bit = 0; bit < 32; bit++) {
		with = (struct hbs_group_create){ .completion = 1U << bit };
		if (with.completion > HBS_COMPLETION_COUNT)
			EXPECT_EQ(group_create_with(self->card, 1, &with, &group), -EOPNOTSUPP);
		with = (struct hbs_group_create){ .arrival = 1U << bit };
		if (with.arrival > HBS_ARRIVAL_POLL)
			EXPECT_EQ(group_create_with(self->card, 1, &with, &group), -EOPNOTSUPP);
		with = (struct hbs_group_create){ .departure = 1U << bit };
		if (with.departure > HBS_DEPARTURE_NODE)
			EXPECT_EQ(group_create_with(self->card, 1, &with, &group), -EOPNOTSUPP);
		with = (struct hbs_group_create){ .policy = 1U << bit };
		if (with.policy > HBS_POLICY_THREAD)
			EXPECT_EQ(group_create_with(self->card, 1, &with, &group), -EOPNOTSUPP);
		with = (struct hbs_group_create){ .reserved2 = 1U << bit };
		EXPECT_EQ(group_create_with(self->card, 1, &with, &group), -EINVAL);
	}
}

/* A port has memory where the card has a use for it */
TEST_F(features, port_memory)
{
	const uint64_t users = HBS_FEATURE_POLL_ARRIVAL | HBS_FEATURE_PORT_RECORD;
	struct port port;

	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	if (self->info.features & users) {
		EXPECT_GE(port.memory_size, self->info.groups * HBS_LANE_SIZE);
		EXPECT_EQ(port_map_memory(&port), 0);
		return;
	}
	EXPECT_EQ(port.memory_size, 0);
	port.memory_size = self->info.port_map_size;
	EXPECT_EQ(port_map_memory(&port), -EINVAL);
}

TEST_F(features, missing)
{
	struct group group;

	ASSERT_EQ(group_create(self->card, 1, &group), 0);
	EXPECT_EQ(group_missing(group.fd, NULL, 0, NULL),
		  self->info.features & HBS_FEATURE_TIMEOUT ? 0 : -EOPNOTSUPP);
}

TEST_HARNESS_MAIN
