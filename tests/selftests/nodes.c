// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HBS_DEPARTURE_NODE: each NUMA node has a record of its own, in memory of its own.
 * Needs a guest that has at least two nodes with CPUs.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define PAGE	  4096
#define MAX_NODES 8

static const struct hbs_group_create by_node = { .departure = HBS_DEPARTURE_NODE };

static int node_of_cpu(int cpu)
{
	char path[64];

	for (int node = 0; node < MAX_NODES; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpu%d", node, cpu);
		if (!access(path, F_OK))
			return node;
	}
	return -1;
}

/* From now on the thread runs on a CPU of that node; returns that CPU, or -1 */
static int run_on(int node)
{
	for (unsigned int cpu = 0; cpu < cpus(); cpu++) {
		cpu_set_t set;

		if (node_of_cpu(cpu) != node)
			continue;
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		return sched_setaffinity(0, sizeof(set), &set) ? -1 : (int)cpu;
	}
	return -1;
}

static unsigned int count_nodes(void)
{
	unsigned int n = 0;

	while (n < MAX_NODES && run_on(n) >= 0)
		n++;
	return n;
}

/* Pages that a node gave so far to threads on another node; -1 if unknown */
static long given_away(int node)
{
	char path[64], line[64];
	long pages = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/numastat", node);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "other_node %ld", &pages);
	if (file)
		fclose(file);
	return pages;
}

HBS_FIXTURE(nodes)

TEST_F(nodes, records)
{
	struct member member[MAX_NODES];
	struct port port[MAX_NODES];
	struct hbs_group_counters before, after;
	struct hbs_group_info info;
	unsigned int n = count_nodes();
	struct group group;
	long pages[2];

	ASSERT_GE(n, 2);
	ASSERT_NE(self->info.features & HBS_FEATURE_NODE_RECORD, 0);
	ASSERT_EQ(card_attribute("pages", &pages[0]), 0);
	ASSERT_EQ(group_create_with(self->card, n, &by_node, &group), 0);
	ASSERT_EQ(card_attribute("pages", &pages[1]), 0);
	EXPECT_EQ(pages[1] - pages[0], 2 * n);
	ASSERT_EQ(group_info(group.fd, &info), 0);
	EXPECT_EQ(info.map_size, n * PAGE);

	/* The record is on the node where the join happens, no matter who took the port */
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
		ASSERT_GE(run_on(i), 0);
		ASSERT_EQ(join(&group, &port[i], &member[i]), 0);
		EXPECT_EQ((char *)member[i].record - (char *)group.map, i * PAGE);
		EXPECT_EQ(*member[i].record, member[i].word);
	}
	ASSERT_EQ(group_counters(group.fd, &before), 0);
	for (int epoch = 0; epoch < 5; epoch++) {
		for (unsigned int i = 0; i < n; i++) {
			ASSERT_FALSE(released(&member[0]));
			arrive(&member[i]);
		}
		for (unsigned int i = 0; i < n; i++)
			ASSERT_EQ(wait_spin(&member[i]), 0);
	}
	ASSERT_EQ(group_counters(group.fd, &after), 0);
	EXPECT_EQ(after.record_writes - before.record_writes, 5 * n);

	/* Another record of each page after a reset; the former stay broken */
	ASSERT_EQ(group_reset(group.fd), 0);
	for (unsigned int i = 0; i < n; i++) {
		struct member former = member[i];

		EXPECT_EQ(word_error(*former.record), -ECONNRESET);
		ASSERT_GE(run_on(i), 0);
		ASSERT_EQ(join(&group, &port[i], &member[i]), 0);
		EXPECT_EQ(member[i].record - former.record, HBS_RECORD_SIZE / 8);
		EXPECT_EQ(*member[i].record, member[i].word);
	}
}

/* A mapping has the records of all nodes, and nothing beyond */
TEST_F(nodes, mapping)
{
	unsigned int n = count_nodes();
	struct group group;

	ASSERT_GE(n, 2);
	ASSERT_EQ(group_create_with(self->card, 1, &by_node, &group), 0);
	EXPECT_EQ(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, group.fd, 0), MAP_FAILED);
	EXPECT_EQ(mmap(NULL, (n + 1) * PAGE, PROT_READ, MAP_SHARED, group.fd, 0), MAP_FAILED);
	EXPECT_EQ(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, group.fd, PAGE), MAP_FAILED);
}

/* How many pages groups of a kind had from another node than the first */
static long taken_from_second(struct __test_metadata *_metadata, int card,
			      const struct hbs_group_create *with, unsigned int groups)
{
	struct group group[32];
	long before;

	ASSERT_GE(run_on(0), 0);
	before = given_away(1);
	ASSERT_GE(before, 0);
	for (unsigned int i = 0; i < groups; i++)
		ASSERT_EQ(group_create_with(card, 1, with, &group[i]), 0);
	for (unsigned int i = 0; i < groups; i++)
		ASSERT_EQ(group_close(&group[i]), 0);
	return given_away(1) - before;
}

/* Each page is memory of its node, and the card's other memory stays where it was */
TEST_F(nodes, memory)
{
	const unsigned int groups = 32;

	ASSERT_GE(count_nodes(), 2);
	EXPECT_GE(taken_from_second(_metadata, self->card, &by_node, groups), groups);
	EXPECT_LT(taken_from_second(_metadata, self->card, &(struct hbs_group_create){ 0 }, groups),
		  groups);
}

#define CREATORS 6
#define TOGGLES	 20

/* Until told to end: makes groups by node, in which it is alone; or holds them up */
struct creator {
	pthread_t thread;
	atomic_bool *end;
	int card;
	bool holds_up;
	unsigned long made;
	int result;
};

static int make_and_pass(struct creator *creator, struct port *port)
{
	struct member member;
	struct group group;
	int ret = group_create_with(creator->card, 1, &by_node, &group);

	if (ret)
		return ret;
	for (int i = 0; i < 20 && creator->holds_up && !ret; i++)
		ret = group_reset(group.fd);
	if (!ret)
		ret = join(&group, port, &member);
	if (!ret)
		ret = barrier(&member);
	if (!ret)
		ret = leave(&member);
	return group_close(&group) ?: ret;
}

static void *create(void *arg)
{
	struct creator *creator = arg;
	struct port port;

	creator->result = port_alloc(creator->card, &port);
	while (!creator->result && !atomic_load(creator->end)) {
		creator->result = make_and_pass(creator, &port);
		creator->made += !creator->result;
	}
	return NULL;
}

/* The CPUs of a node, which the kernel cannot tell while they are offline */
struct node_cpus {
	unsigned int n;
	unsigned int cpu[64];
};

static struct node_cpus cpus_of(int node)
{
	struct node_cpus list = { 0 };

	for (unsigned int cpu = 0; cpu < 64; cpu++)
		if (node_of_cpu(cpu) == node)
			list.cpu[list.n++] = cpu;
	return list;
}

/* Takes them away, or gives them back */
static int set_online(const struct node_cpus *list, bool online)
{
	char path[64];
	int ret = 0;

	for (unsigned int i = 0; i < list->n && !ret; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", list->cpu[i]);
		ret = write_file(path, online ? "1" : "0");
	}
	return ret;
}

/* A node's last CPU goes, and its first one comes, at any time while a group is made */
TEST_F(nodes, come_and_go)
{
	struct creator creator[CREATORS] = { 0 };
	struct node_cpus second = cpus_of(1);
	atomic_bool end = false;
	struct group group;
	struct hbs_group_info info;

	ASSERT_EQ(count_nodes(), 2);
	ASSERT_GE(run_on(0), 0);
	for (int i = 0; i < CREATORS; i++) {
		creator[i] = (struct creator){
			.end = &end,
			.card = self->card,
			.holds_up = i < CREATORS / 2,
		};
		ASSERT_EQ(pthread_create(&creator[i].thread, NULL, create, &creator[i]), 0);
	}
	for (int i = 0; i < TOGGLES; i++) {
		ASSERT_EQ(set_online(&second, false), 0);
		/* There is one node with CPUs now */
		ASSERT_EQ(group_create_with(self->card, 1, &by_node, &group), 0);
		ASSERT_EQ(group_info(group.fd, &info), 0);
		EXPECT_EQ(info.map_size, PAGE);
		ASSERT_EQ(group_close(&group), 0);
		ASSERT_EQ(set_online(&second, true), 0);
	}
	atomic_store(&end, true);
	for (int i = 0; i < CREATORS; i++) {
		ASSERT_EQ(pthread_join(creator[i].thread, NULL), 0);
		EXPECT_EQ(creator[i].result, 0);
		EXPECT_GT(creator[i].made, 0);
	}
}

/* A member that joins from a node which the group did not know has a record, too */
TEST_F(nodes, a_new_one)
{
	struct node_cpus second = cpus_of(1);
	struct member member;
	struct group group;
	struct port port;

	ASSERT_EQ(count_nodes(), 2);
	ASSERT_GE(run_on(0), 0);
	ASSERT_EQ(set_online(&second, false), 0);
	ASSERT_EQ(group_create_with(self->card, 1, &by_node, &group), 0);
	ASSERT_EQ(set_online(&second, true), 0);
	ASSERT_GE(run_on(1), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(join(&group, &port, &member), 0);
	EXPECT_EQ(barrier(&member), 0);
}

TEST_HARNESS_MAIN
