// SPDX-License-Identifier: GPL-2.0-or-later
/* What HBS_ALGORITHM_AUTO chooses: by the environment, by a profile, and without a measurement */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "software/algorithm.h"
#include "software/auto.h"
#include "software/profile.h"
#include "software/topology.h"
#include "threads.h"

static char scratch[] = "/tmp/hbs-auto-XXXXXX";
static int loads;

/* Taken in place of dlopen(): the library must not load what it does not need */
void *__real_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode)
{
	loads++;
	return __real_dlopen(file, mode);
}

static uint32_t choose(struct auto_request request)
{
	uint32_t fan_in;

	return hbsi_auto_algorithm(&request, &fan_in);
}

static uint32_t fan_in_of(struct auto_request request)
{
	uint32_t fan_in;

	hbsi_auto_algorithm(&request, &fan_in);
	return fan_in;
}

/* A profile of this machine with these rows, for the children to come */
static void use_profile(const char *rows, int count)
{
	char machine[PROFILE_MACHINE_SIZE];
	FILE *file = fopen(scratch, "w");

	assert_non_null(file);
	hbsi_profile_machine(machine);
	fprintf(file, "%s %d\nmachine %s\n%send %d\n", PROFILE_HEAD, PROFILE_VERSION, machine, rows,
		count);
	assert_int_equal(fclose(file), 0);
	setenv("HBS_PROFILE", scratch, 1);
}

static int clean(void **state)
{
	(void)state;
	unsetenv("HBS_ALGORITHM");
	unsetenv("HWLOC_SYNTHETIC");
	/* no profile, whatever the user has */
	return setenv("HBS_PROFILE", "/dev/null", 1);
}

static void environment(void **state)
{
	static const char *const bad[] = { "none",	  "Central", "central ",     "centra",
					   "central:4",	  ":4",	     "auto:4",	     "combining:",
					   "combining:1", "12",	     "combining:65", "combining:4x",
					   "combining:-4" };
	struct auto_choice named;
	char text[64];

	(void)state;
	named.algorithm = 77;
	assert_int_equal(hbsi_auto_environment(&named), 0);
	assert_int_equal(named.algorithm, HBS_ALGORITHM_AUTO);
	setenv("HBS_ALGORITHM", "", 1);
	assert_int_equal(hbsi_auto_environment(&named), 0);
	for (unsigned int i = 0; hbs_algorithm_name(i); i++) {
		setenv("HBS_ALGORITHM", hbs_algorithm_name(i), 1);
		assert_int_equal(hbsi_auto_environment(&named), 0);
		assert_int_equal(named.algorithm, i);
		assert_int_equal(named.fan_in, 0);
		snprintf(text, sizeof(text), "%s:64", hbs_algorithm_name(i));
		setenv("HBS_ALGORITHM", text, 1);
		if (i && hbsi_algorithm(i)->fan_in) {
			assert_int_equal(hbsi_auto_environment(&named), 0);
			assert_int_equal(named.algorithm, i);
			assert_int_equal(named.fan_in, 64);
		} else {
			assert_int_equal(hbsi_auto_environment(&named), -EINVAL);
		}
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setenv("HBS_ALGORITHM", bad[i], 1);
		assert_int_equal(hbsi_auto_environment(&named), -EINVAL);
	}
}

/* The rules, without a measurement */
static int check_rules(const void *arg)
{
	(void)arg;
	for (int full = 0; full < 2; full++) {
		CHECK(choose((struct auto_request){ 1, 16, full, { 0, 0 } }) ==
		      HBS_ALGORITHM_CENTRAL);
		CHECK(choose((struct auto_request){ 3, 16, full, { 0, 0 } }) ==
		      HBS_ALGORITHM_CENTRAL);
		CHECK(choose((struct auto_request){ 4, 16, full, { 0, 0 } }) ==
		      HBS_ALGORITHM_COUNTING);
		CHECK(choose((struct auto_request){ 8, 8, full, { 0, 0 } }) ==
		      HBS_ALGORITHM_COUNTING);
		/* more members than CPUs */
		CHECK(choose((struct auto_request){ 8, 7, full, { 0, 0 } }) ==
		      HBS_ALGORITHM_CENTRAL);
		CHECK(choose((struct auto_request){ 64, 16, full, { 0, 0 } }) ==
		      HBS_ALGORITHM_CENTRAL);
	}
	CHECK(choose((struct auto_request){ 16, 16, true, { 0, 0 } }) == HBS_ALGORITHM_COUNTING);
	CHECK(choose((struct auto_request){ 17, 32, true, { 0, 0 } }) == HBS_ALGORITHM_SCAN);
	/* none of these needed to know the caches */
	CHECK(!loads);
	return 0;
}

static void rules(void **state)
{
	(void)state;
	assert_int_equal(run_child(check_rules, NULL), 0);
}

struct machine {
	const char *synthetic;
	uint32_t members;
	uint32_t algorithm;
	uint32_t fan_in;
};

/* On a machine that hwloc makes up; this thread may use two of its CPUs */
static void pretend(const char *synthetic)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
	setenv("HWLOC_SYNTHETIC", synthetic, 1);
	setenv("HWLOC_THISSYSTEM", "1", 1);
}

/* A fixed group on the machine that hwloc makes up; this thread may use two of its CPUs */
static int check_machine(const void *arg)
{
	const struct machine *machine = arg;
	struct auto_request request = { .members = machine->members, .cpus = 64 };

	pretend(machine->synthetic);
	if (hbsi_topology()->known) {
		CHECK(choose(request) == machine->algorithm);
		CHECK(fan_in_of(request) == machine->fan_in);
	} else {
		/* no hwloc, or not both of these CPUs */
		CHECK(choose(request) == HBS_ALGORITHM_DISSEMINATION);
	}
	/* once, however often it is asked; not at all where it was built without */
	CHECK(loads <= 1);
	/* a group that needs everything gets the same with these caches */
	request.full = true;
	CHECK(choose(request) ==
	      (request.members > 16 ? HBS_ALGORITHM_SCAN : HBS_ALGORITHM_COUNTING));
	return 0;
}

static void caches(void **state)
{
	static const struct machine machines[] = {
		{ "pack:1 l3:1 core:2 pu:1", 9, HBS_ALGORITHM_DISSEMINATION, 0 },
		{ "pack:1 l3:1 core:2 pu:1", 64, HBS_ALGORITHM_DISSEMINATION, 0 },
		{ "pack:2 l3:1 core:1 pu:1", 9, HBS_ALGORITHM_COMBINING, 5 },
		{ "pack:2 l3:1 core:1 pu:1", 64, HBS_ALGORITHM_COMBINING, 8 },
		/* no cache that cores share: nothing is known of how near they are */
		{ "pack:1 l2:2 core:1 pu:1", 9, HBS_ALGORITHM_DISSEMINATION, 0 },
		{ "numa:2 pack:1 l2:1 core:1 pu:1", 9, HBS_ALGORITHM_COMBINING, 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		assert_int_equal(run_child(check_machine, &machines[i]), 0);
}

/* The algorithm that the environment names comes first, unless it cannot do what the group needs */
static int check_named(const void *arg)
{
	struct auto_request request = { .members = 2, .cpus = 2 };

	(void)arg;
	request.named = (struct auto_choice){ HBS_ALGORITHM_COMBINING, 7 };
	CHECK(choose(request) == HBS_ALGORITHM_COMBINING);
	CHECK(fan_in_of(request) == 7);
	request.full = true;
	CHECK(choose(request) == HBS_ALGORITHM_CENTRAL);
	CHECK(fan_in_of(request) == 0);
	request.named = (struct auto_choice){ HBS_ALGORITHM_COUNTING, 0 };
	CHECK(choose(request) == HBS_ALGORITHM_COUNTING);
	return 0;
}

static void named(void **state)
{
	(void)state;
	assert_int_equal(run_child(check_named, NULL), 0);
	/* nor does a profile come before it */
	use_profile("software 2 pinned mcs 0 10\n", 1);
	assert_int_equal(run_child(check_named, NULL), 0);
}

static int check_obeyed(const void *arg)
{
	(void)arg;
	/* the fastest that can do it */
	CHECK(choose((struct auto_request){ 4, 16, false, { 0, 0 } }) == HBS_ALGORITHM_BUTTERFLY);
	CHECK(choose((struct auto_request){ 4, 16, true, { 0, 0 } }) == HBS_ALGORITHM_CENTRAL);
	/* near 4; near 8; as far from 100 as from 400: the greater one counts */
	CHECK(choose((struct auto_request){ 5, 16, false, { 0, 0 } }) == HBS_ALGORITHM_BUTTERFLY);
	CHECK(choose((struct auto_request){ 6, 16, false, { 0, 0 } }) == HBS_ALGORITHM_COMBINING);
	CHECK(choose((struct auto_request){ 16, 16, false, { 0, 0 } }) == HBS_ALGORITHM_COMBINING);
	CHECK(choose((struct auto_request){ 200, 512, false, { 0, 0 } }) == HBS_ALGORITHM_TICKET);
	CHECK(fan_in_of((struct auto_request){ 16, 16, false, { 0, 0 } }) == 3);
	CHECK(fan_in_of((struct auto_request){ 4, 16, false, { 0, 0 } }) == 0);
	/* nothing near was measured, or nothing that can do it: as without a profile */
	CHECK(choose((struct auto_request){ 17, 64, true, { 0, 0 } }) == HBS_ALGORITHM_SCAN);
	CHECK(choose((struct auto_request){ 1, 16, false, { 0, 0 } }) == HBS_ALGORITHM_CENTRAL);
	CHECK(choose((struct auto_request){ 8, 16, true, { 0, 0 } }) == HBS_ALGORITHM_CENTRAL);
	CHECK(choose((struct auto_request){ 10, 16, true, { 0, 0 } }) == HBS_ALGORITHM_COUNTING);
	/* groups with more members than CPUs have rows of their own */
	CHECK(choose((struct auto_request){ 4, 2, false, { 0, 0 } }) == HBS_ALGORITHM_TICKET);
	CHECK(choose((struct auto_request){ 4, 2, true, { 0, 0 } }) == HBS_ALGORITHM_CENTRAL);
	return 0;
}

static void obeyed(void **state)
{
	(void)state;
	use_profile("software 4 pinned counting 0 105\n"
		    "software 4 pinned central 0 90\n"
		    "software 4 pinned butterfly 0 50\n"
		    "software 4 pinned mcs 0 60\n"
		    "card 4 pinned 1\n"
		    "software 8 pinned combining 3 500\n"
		    "software 100 pinned mcs 0 900\n"
		    "software 400 pinned ticket 0 950\n"
		    "software 4 oversubscribed ticket 0 9\n",
		    9);
	assert_int_equal(run_child(check_obeyed, NULL), 0);
}

/* On a machine of two cores; whether they have more hardware threads makes no difference */
static int check_cores(const void *arg)
{
	(void)arg;
	pretend("pack:1 l3:1 core:2 pu:1");
	if (hbsi_topology()->cores != 2)
		return 0;
	/* 2 are nearer to 3 than 6 are, but have a core each */
	CHECK(choose((struct auto_request){ 3, 16, false, { 0, 0 } }) == HBS_ALGORITHM_MCS);
	CHECK(choose((struct auto_request){ 2, 16, false, { 0, 0 } }) == HBS_ALGORITHM_TICKET);
	/* better than nothing */
	CHECK(choose((struct auto_request){ 1, 16, false, { 0, 0 } }) == HBS_ALGORITHM_TICKET);
	/* of more members than CPUs, all share */
	CHECK(choose((struct auto_request){ 3, 2, false, { 0, 0 } }) == HBS_ALGORITHM_POOL);
	return 0;
}

static void cores(void **state)
{
	(void)state;
	use_profile("software 2 pinned ticket 0 10\n"
		    "software 6 pinned mcs 0 90\n"
		    "software 2 oversubscribed pool 0 10\n"
		    "software 6 oversubscribed mcs 0 90\n",
		    4);
	assert_int_equal(run_child(check_cores, NULL), 0);
}

/* The library takes the rules' choice unless it is slower by more than an eighth */
static int check_noise(const void *arg)
{
	(void)arg;
	CHECK(choose((struct auto_request){ 4, 16, true, { 0, 0 } }) == HBS_ALGORITHM_COUNTING);
	CHECK(choose((struct auto_request){ 6, 16, true, { 0, 0 } }) == HBS_ALGORITHM_CENTRAL);
	CHECK(choose((struct auto_request){ 3, 2, true, { 0, 0 } }) == HBS_ALGORITHM_CENTRAL);
	return 0;
}

static void noise(void **state)
{
	(void)state;
	use_profile("software 4 pinned central 0 800\n"
		    "software 4 pinned counting 0 900\n"
		    "software 6 pinned central 0 800\n"
		    "software 6 pinned counting 0 901\n"
		    "software 3 oversubscribed counting 0 800\n"
		    "software 3 oversubscribed central 0 900\n",
		    6);
	assert_int_equal(run_child(check_noise, NULL), 0);
}

static bool software_wins(uint32_t members, uint32_t cpus, bool full)
{
	return hbsi_auto_prefers_software(
		&(struct auto_request){ .members = members, .cpus = cpus, .full = full });
}

static int check_card(const void *arg)
{
	(void)arg;
	CHECK(software_wins(2, 16, false));
	CHECK(software_wins(2, 16, true));
	/* the fast one is not for groups that need everything */
	CHECK(software_wins(8, 16, false));
	CHECK(!software_wins(8, 16, true));
	CHECK(!software_wins(16, 16, false));
	/* only one of the two was measured */
	CHECK(!software_wins(4, 2, false));
	CHECK(!software_wins(64, 64, false));
	return 0;
}

static int check_no_card(const void *arg)
{
	(void)arg;
	CHECK(!software_wins(2, 16, false));
	CHECK(!software_wins(64, 16, true));
	return 0;
}

static void card(void **state)
{
	(void)state;
	assert_int_equal(run_child(check_no_card, NULL), 0);
	use_profile("software 2 pinned central 0 90\n"
		    "card 2 pinned 800\n"
		    "software 8 pinned central 0 900\n"
		    "software 8 pinned mcs 0 700\n"
		    "card 8 pinned 800\n"
		    "software 16 pinned mcs 0 800\n"
		    "card 16 pinned 800\n"
		    "software 4 oversubscribed central 0 5\n"
		    "card 64 pinned 900\n",
		    9);
	assert_int_equal(run_child(check_card, NULL), 0);
}

/* The algorithm of a group of 2; hbs_open() or hbs_group_create() may fail */
static int group_algorithm(struct hbs_group_attr attr)
{
	struct hbs_group *group;
	struct hbs *hbs;
	int ret = hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE });

	if (ret)
		return ret;
	attr.members = 2;
	ret = hbs_group_create(hbs, &attr, &group);
	if (!ret) {
		ret = hbs_group_algorithm(group);
		hbs_group_close(group);
	}
	hbs_close(hbs);
	return ret;
}

static int check_groups(const void *arg)
{
	const struct hbs_group_attr any = { .promise = 0 },
				    fixed = { .promise = HBS_PROMISE_FIXED };
	struct hbs_group_attr attr = fixed;

	(void)arg;
	CHECK(group_algorithm(fixed) == HBS_ALGORITHM_BUTTERFLY);
	CHECK(group_algorithm(any) == HBS_ALGORITHM_COUNTING);
	/* a promise does not help where a policy needs more */
	attr.policy = HBS_ON_DEATH_SHRINK;
	CHECK(group_algorithm(attr) == HBS_ALGORITHM_COUNTING);
	/* a fan-in is for a tree, if one is taken */
	attr = fixed;
	attr.fan_in = 3;
	CHECK(group_algorithm(attr) == HBS_ALGORITHM_BUTTERFLY);
	/* an algorithm that the program names comes before all */
	setenv("HBS_ALGORITHM", "mcs", 1);
	attr = (struct hbs_group_attr){ .algorithm = HBS_ALGORITHM_TOURNAMENT };
	CHECK(group_algorithm(attr) == HBS_ALGORITHM_TOURNAMENT);
	CHECK(group_algorithm(fixed) == HBS_ALGORITHM_MCS);
	CHECK(group_algorithm(any) == HBS_ALGORITHM_COUNTING);
	attr = fixed;
	attr.fan_in = 3;
	setenv("HBS_ALGORITHM", "combining", 1);
	CHECK(group_algorithm(attr) == HBS_ALGORITHM_COMBINING);
	setenv("HBS_ALGORITHM", "combine", 1);
	CHECK(group_algorithm(fixed) == -EINVAL);
	CHECK(group_algorithm((struct hbs_group_attr){ .algorithm = HBS_ALGORITHM_CENTRAL }) ==
	      -EINVAL);
	return 0;
}

/* All of it, as a program sees it */
static void groups(void **state)
{
	(void)state;
	/* the same for one CPU as for many */
	use_profile("software 2 pinned butterfly 0 70\n"
		    "software 2 pinned counting 0 80\n"
		    "software 2 pinned central 0 95\n"
		    "software 2 oversubscribed butterfly 0 70\n"
		    "software 2 oversubscribed counting 0 80\n"
		    "software 2 oversubscribed central 0 95\n",
		    6);
	assert_int_equal(run_child(check_groups, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(environment, clean), cmocka_unit_test_setup(rules, clean),
		cmocka_unit_test_setup(named, clean),	    cmocka_unit_test_setup(obeyed, clean),
		cmocka_unit_test_setup(cores, clean),	    cmocka_unit_test_setup(noise, clean),
		cmocka_unit_test_setup(card, clean),	    cmocka_unit_test_setup(caches, clean),
		cmocka_unit_test_setup(groups, clean),
	};
	int failed;

	if (close(mkstemp(scratch)))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(scratch);
	return failed;
}
