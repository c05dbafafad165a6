// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Storms: the test kills members of a busy group in software at random: while these
 * processes pass barriers, join, leave, reset or destroy, with the group's lock or without
 * it. All others get an error, or go on, within a second; they pass the same number of
 * barriers, and nobody passes before all living members have arrived; and nothing is left.
 *
 * usage: storms KILLS
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hbs.h"
#include "late.h"
#include "tap.h"

#define MEMBERS	   4
#define GIVE_UP_NS 20000000000ULL
#define HANG_NS	   1000000000ULL
#define BUSY_US	   3000

/* What a member reports, in memory that all share */
struct seat {
	_Alignas(64) _Atomic uint64_t arrived; /* at the barrier of that number, or is about to */
	_Atomic uint64_t passed;
	_Atomic int error; /* that ended it; 1: none yet */
	atomic_bool joined;
	atomic_bool busy;  /* it has passed a barrier */
	atomic_bool early; /* it was released before others had arrived */
};

/* What members do besides passing barriers */
enum busyness {
	PASSES,
	POLLS, /* the same, by a descriptor */
	COMES_AND_GOES,
	RESETS,
	DESTROYS,
	KINDS,
};

struct storm {
	const char *name;
	uint32_t algorithm;
	uint32_t policy;
	enum busyness busyness;
	unsigned int kills, failures;
};

static struct seat *seats;
static uint64_t longest_ns;
static uint64_t seed = 1;

static unsigned int pick(unsigned int n)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (unsigned int)(seed >> 33) % n;
}

static void nap_us(unsigned int us)
{
	nanosleep(&(struct timespec){ .tv_nsec = us * 1000L }, NULL);
}

/* In a group that nobody disturbs: a dead member has arrived nowhere */
static bool all_have_arrived(uint64_t barrier)
{
	for (unsigned int i = 0; i < MEMBERS; i++)
		if (atomic_load(&seats[i].arrived) < barrier)
			return false;
	return true;
}

/* Each barrier, until one dies */
static bool all_pass(const struct storm *storm)
{
	return storm->busyness <= POLLS && !(storm->policy & HBS_ON_DEATH_SHRINK);
}

static int poll_for_it(struct hbs_member *me)
{
	int ret = hbs_arrive(me);

	if (ret)
		return ret;
	do {
		struct pollfd pollfd = { .fd = hbs_member_fd(me), .events = POLLIN };

		poll(&pollfd, 1, -1);
		ret = hbs_test(me);
	} while (!ret);
	return ret < 0 ? ret : 0;
}

static int pass(const struct storm *storm, struct seat *seat, struct hbs_member *me, bool counts)
{
	uint64_t barrier = atomic_load(&seat->passed) + 1;
	int ret;

	atomic_store(&seat->arrived, barrier);
	ret = storm->busyness == POLLS ? poll_for_it(me) : hbs_barwait(me);
	if (ret)
		return ret;
	if (counts && !all_have_arrived(barrier))
		atomic_store(&seat->early, true);
	atomic_store(&seat->passed, barrier);
	atomic_store(&seat->busy, true);
	return 0;
}

static int come_and_go(struct hbs_group *group, struct hbs_member **me)
{
	struct hbs_member *old = *me;

	*me = NULL;
	hbs_leave(old);
	return hbs_join(group, me);
}

static int be_busy(const struct storm *storm, struct hbs_group *group, unsigned int index,
		   struct hbs_member **me)
{
	bool counts = all_pass(storm);
	int ret = 0;

	for (unsigned int turn = 1; !ret; turn++) {
		ret = pass(storm, &seats[index], *me, counts);
		if (ret || (turn + index) % 8)
			continue;
		if (storm->busyness == COMES_AND_GOES)
			ret = come_and_go(group, me);
		else if (storm->busyness == RESETS && !index)
			ret = hbs_group_reset(group);
		else if (storm->busyness == DESTROYS && !index && turn > 100)
			ret = hbs_group_destroy(group);
	}
	return ret;
}

static void __attribute__((noreturn))
be_a_member(const struct storm *storm, int fd, unsigned int index)
{
	struct hbs_group *group;
	struct hbs_member *me = NULL;
	struct hbs *hbs;
	int ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE }) ||
	    hbs_group_import(hbs, fd, &group))
		_exit(1);
	ret = hbs_join(group, &me);
	atomic_store(&seats[index].joined, true);
	if (!ret)
		ret = be_busy(storm, group, index, &me);
	/* a reset ends memberships: the error says so, and that is all */
	atomic_store(&seats[index].error, ret);
	if (me)
		hbs_leave(me);
	hbs_group_close(group);
	hbs_close(hbs);
	_exit(0);
}

static bool is_told(unsigned int index)
{
	return atomic_load(&seats[index].error) <= 0;
}

/* The others may go on: without the dead, or since it was no member just then */
static bool may_go_on(const struct storm *storm)
{
	return storm->policy & HBS_ON_DEATH_SHRINK || storm->busyness == COMES_AND_GOES;
}

static bool goes_on(unsigned int index, uint64_t from)
{
	return atomic_load(&seats[index].passed) > from + 2;
}

static bool may_be(const struct storm *storm, int error)
{
	if (error == -EOWNERDEAD)
		return !(storm->policy & HBS_ON_DEATH_SHRINK);
	/* the seat of the dead member is not free before somebody finds out */
	return (storm->busyness == RESETS && error == -ECONNRESET) ||
	       (storm->busyness == DESTROYS && error == -EIDRM) ||
	       (storm->busyness == COMES_AND_GOES && error == -ENOSPC);
}

static bool complain(struct storm *storm, const char *what, unsigned int index, long long value)
{
	printf("# %s, after %u kills: member %u: %s: %lld\n", storm->name, storm->kills, index,
	       what, value);
	storm->failures++;
	return false;
}

/* All but the dead get an error, or go on */
static void see_that_all_know(struct storm *storm, unsigned int dead)
{
	struct late since = late_note();
	uint64_t from[MEMBERS], took;

	for (unsigned int i = 0; i < MEMBERS; i++)
		from[i] = atomic_load(&seats[i].passed);
	for (unsigned int i = 0; i < MEMBERS; i++) {
		while (i != dead && !is_told(i) && !(may_go_on(storm) && goes_on(i, from[i]))) {
			took = late_since(&since);
			if (took > GIVE_UP_NS) {
				complain(storm, "hangs", i, (long long)took);
				return;
			}
			nap_us(50);
		}
	}
	took = late_since(&since);
	longest_ns = took > longest_ns ? took : longest_ns;
	if (took > HANG_NS)
		complain(storm, "was told too late", 0, (long long)took);
}

/* The reports of all members when they have ended */
static void judge(struct storm *storm, unsigned int dead)
{
	uint64_t passed = UINT64_MAX;

	for (unsigned int i = 0; i < MEMBERS; i++) {
		int error = atomic_load(&seats[i].error);

		if (atomic_load(&seats[i].early))
			complain(storm, "was released too early", i, 0);
		if (i == dead)
			continue;
		if (error <= 0 && !may_be(storm, error))
			complain(storm, "was told something else", i, error);
		if (!all_pass(storm))
			continue;
		if (passed == UINT64_MAX)
			passed = atomic_load(&seats[i].passed);
		if (atomic_load(&seats[i].passed) != passed)
			complain(storm, "passed another number of barriers", i,
				 (long long)(atomic_load(&seats[i].passed) - passed));
	}
}

/* Mostly it is busy when the blow comes, and sometimes about to be */
static bool is_ready(const struct storm *storm, bool busy)
{
	/* if the dead leaves before the start, the others wait for somebody in its place */
	busy |= may_go_on(storm);
	for (unsigned int i = 0; i < MEMBERS; i++)
		if (!atomic_load(busy ? &seats[i].busy : &seats[i].joined) && !is_told(i))
			return false;
	return true;
}

static void strike(struct storm *storm, struct hbs *hbs)
{
	struct hbs_group_attr attr = { .members = MEMBERS,
				       .policy = storm->policy,
				       .algorithm = storm->algorithm };
	unsigned int dead = pick(MEMBERS);
	struct hbs_group *group;
	pid_t pids[MEMBERS];
	bool busy;

	if (hbs_group_create(hbs, &attr, &group)) {
		complain(storm, "no group", 0, 0);
		return;
	}
	memset(seats, 0, MEMBERS * sizeof(*seats));
	for (unsigned int i = 0; i < MEMBERS; i++)
		atomic_store(&seats[i].error, 1);
	for (unsigned int i = 0; i < MEMBERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			be_a_member(storm, hbs_group_fd(group), i);
	}
	busy = pick(4);
	while (!is_ready(storm, busy))
		nap_us(50);
	nap_us(pick(BUSY_US));
	kill(pids[dead], SIGKILL);
	waitpid(pids[dead], NULL, 0);
	storm->kills++;
	see_that_all_know(storm, dead);
	for (unsigned int i = 0; i < MEMBERS; i++)
		if (i != dead && may_go_on(storm))
			kill(pids[i], SIGKILL);
	for (unsigned int i = 0; i < MEMBERS; i++)
		if (i != dead)
			waitpid(pids[i], NULL, 0);
	judge(storm, dead);
	hbs_group_close(group);
}

static unsigned int descriptors(void)
{
	DIR *list = opendir("/proc/self/fd");
	unsigned int count = 0;

	while (list && readdir(list))
		count++;
	if (list)
		closedir(list);
	return count;
}

#define SHRINK HBS_ON_DEATH_SHRINK

static struct storm storms[] = {
	{ "central, breaking", HBS_ALGORITHM_CENTRAL, 0, PASSES, 0, 0 },
	{ "central, shrinking", HBS_ALGORITHM_CENTRAL, SHRINK, PASSES, 0, 0 },
	{ "central, shrinking, members come and go", HBS_ALGORITHM_CENTRAL, SHRINK, COMES_AND_GOES,
	  0, 0 },
	{ "central, breaking, members come and go", HBS_ALGORITHM_CENTRAL, 0, COMES_AND_GOES, 0,
	  0 },
	{ "central, with resets", HBS_ALGORITHM_CENTRAL, 0, RESETS, 0, 0 },
	{ "central, destroyed", HBS_ALGORITHM_CENTRAL, 0, DESTROYS, 0, 0 },
	{ "central, shrinking, by poll", HBS_ALGORITHM_CENTRAL, SHRINK, POLLS, 0, 0 },
	{ "counting, breaking, by poll", HBS_ALGORITHM_COUNTING, 0, POLLS, 0, 0 },
	{ "combining, breaking, by poll", HBS_ALGORITHM_COMBINING, 0, POLLS, 0, 0 },
	{ "counting, breaking", HBS_ALGORITHM_COUNTING, 0, PASSES, 0, 0 },
	{ "counting, shrinking, members come and go", HBS_ALGORITHM_COUNTING, SHRINK,
	  COMES_AND_GOES, 0, 0 },
	{ "combining, breaking", HBS_ALGORITHM_COMBINING, 0, PASSES, 0, 0 },
	{ "dissemination, breaking", HBS_ALGORITHM_DISSEMINATION, 0, PASSES, 0, 0 },
	{ "mcs, breaking", HBS_ALGORITHM_MCS, 0, PASSES, 0, 0 },
	{ "pairwise, destroyed", HBS_ALGORITHM_PAIRWISE, 0, DESTROYS, 0, 0 },
};

#define STORMS (sizeof(storms) / sizeof(storms[0]))

int main(int argc, char **argv)
{
	unsigned int kills = argc == 2 ? (unsigned int)atoi(argv[1]) : 0, before;
	struct hbs *hbs;

	if (!kills) {
		fputs("usage: storms KILLS\n", stderr);
		return 2;
	}
	seats = mmap(NULL, MEMBERS * sizeof(*seats), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	tap_plan(STORMS + 1);
	if (seats == MAP_FAILED || late_start() ||
	    hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE })) {
		puts("Bail out! no memory");
		return 1;
	}
	before = descriptors();
	for (unsigned int i = 0; i < STORMS; i++) {
		while (storms[i].kills < (kills + STORMS - 1) / STORMS && !storms[i].failures)
			strike(&storms[i], hbs);
		tap_result(!storms[i].failures, storms[i].name);
	}
	tap_result(descriptors() == before, "no descriptor is left open");
	printf("# figure: %u kills in busy groups: all were told, or went on, within %.0f ms\n",
	       kills, (double)longest_ns / 1e6);
	return tap_end();
}
