// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Storms: again and again, the test kills members of busy groups at random, or unbinds
 * the card, resets it, or resets its group. All others must hear of it, or go on, in
 * less than a second; nobody is released by mistake; and nothing is left.
 *
 * usage: storms KILLS UNBINDS RESETS GROUP-RESETS; how many faults of each kind. Half of
 * the kills are in groups that break, half in groups that shrink.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hbs_test.h"
#include "late.h"
#include "member.h"
#include "tap.h"

#define HANG_NS	   1000000000ULL
#define GIVE_UP_NS 20000000000ULL
#define BUSY_US	   8000 /* how long a group runs before a fault, at most */

struct storm {
	struct gathering *gathering;
	int card;
	int group;
	unsigned int faults; /* made so far, and wanted */
	unsigned int told;   /* members that were told, or went on */
	unsigned int lost;   /* members that were not, or told something else */
	uint64_t longest_ns;
	unsigned int seed;
};

static char pci[32];

static unsigned int pick(struct storm *storm, unsigned int n)
{
	return rand_r(&storm->seed) / 7 % n;
}

static void nap_us(unsigned int us)
{
	nanosleep(&(struct timespec){ .tv_nsec = us * 1000L }, NULL);
}

static struct seat *seat_of(struct storm *storm, unsigned int index)
{
	return &storm->gathering->seat[index];
}

static int state_of(struct storm *storm, unsigned int index)
{
	return atomic_load(&seat_of(storm, index)->state);
}

/* Wait until all members of a set, a bit for each, are as @is says */
static bool wait_for(struct storm *storm, unsigned int set,
		     bool (*is)(struct storm *storm, unsigned int index), struct late *since)
{
	uint64_t end = monotonic_ns() + GIVE_UP_NS;
	unsigned int left = set;

	while (left) {
		for (unsigned int i = 0; i < MEMBERS; i++)
			if (left >> i & 1 && is(storm, i))
				left &= ~(1U << i);
		if (!left)
			break;
		if (monotonic_ns() > end)
			break;
		nap_us(100);
	}
	if (since) {
		uint64_t took = late_since(since);

		storm->longest_ns = took > storm->longest_ns ? took : storm->longest_ns;
	}
	return !left;
}

static bool is_busy(struct storm *storm, unsigned int index)
{
	return state_of(storm, index) != STATE_IDLE;
}

static bool has_reported(struct storm *storm, unsigned int index)
{
	return state_of(storm, index) == STATE_REPORTED;
}

#define EVERYBODY ((1U << MEMBERS) - 1)

/* Mostly the group is busy when the fault comes, and sometimes only about to be */
static void let_run(struct storm *storm)
{
	if (pick(storm, 4) && !wait_for(storm, EVERYBODY, is_busy, NULL)) {
		printf("# a group does not start\n");
		storm->lost++;
	}
	nap_us(pick(storm, BUSY_US));
}

static int make_group(struct storm *storm, uint32_t policy)
{
	struct hbs_group_create arg = { .size = sizeof(arg), .members = MEMBERS, .policy = policy };
	int ret;

	storm->card = card_open();
	if (storm->card < 0)
		return storm->card;
	ret = hbs_ioctl(storm->card, HBS_GROUP_CREATE, &arg);
	storm->group = arg.fd;
	return ret;
}

static void let_go(struct storm *storm)
{
	close(storm->group);
	close(storm->card);
}

/* All meet in the group, as it is now */
static void gather(struct storm *storm)
{
	struct hbs_group_info info = { 0 };

	group_info(storm->group, &info);
	atomic_store(&storm->gathering->first, info.word);
	atomic_fetch_add(&storm->gathering->round, 1);
	for (unsigned int i = 0; i < MEMBERS; i++)
		storm->lost += !!member_send(storm->gathering, i, storm->group);
}

static bool broken(int group)
{
	struct hbs_group_info info = { 0 };

	group_info(group, &info);
	return info.word & HBS_WORD_BROKEN;
}

/* The errors of a fault, for members and for processes that were about to join */
struct expected {
	int member;
	int late[4];
};

static bool is_expected(const struct expected *expected, bool member, int outcome)
{
	if (outcome == expected->member)
		return true;
	for (unsigned int i = 0; i < 4 && !member; i++)
		if (outcome == expected->late[i])
			return true;
	return false;
}

/* All of a set have to report; @were_members says who was a member at the fault */
static void expect(struct storm *storm, unsigned int set, unsigned int were_members,
		   const struct expected *expected, struct late *since)
{
	wait_for(storm, set, has_reported, since);
	for (unsigned int i = 0; i < MEMBERS; i++) {
		int outcome = atomic_load(&seat_of(storm, i)->outcome);

		if (!(set >> i & 1))
			continue;
		if (has_reported(storm, i) &&
		    is_expected(expected, were_members >> i & 1, outcome)) {
			storm->told++;
			continue;
		}
		storm->lost++;
		printf("# fault %u: member %u: state %d, outcome %d, was%s a member\n",
		       storm->faults, i, state_of(storm, i), outcome,
		       were_members >> i & 1 ? "" : " not");
	}
}

static unsigned int members_now(struct storm *storm)
{
	unsigned int set = 0;

	for (unsigned int i = 0; i < MEMBERS; i++)
		set |= (unsigned int)(state_of(storm, i) == STATE_MEMBER) << i;
	return set;
}

/* Some, and not all, of the members; mostly one */
static unsigned int pick_victims(struct storm *storm)
{
	unsigned int set;

	if (pick(storm, 2))
		return 1U << pick(storm, MEMBERS);
	do {
		set = pick(storm, EVERYBODY);
	} while (!set);
	return set;
}

static unsigned int kill_set(struct storm *storm, unsigned int set)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < MEMBERS; i++)
		if (set >> i & 1) {
			atomic_store(&seat_of(storm, i)->state, STATE_DOOMED);
			kill(seat_of(storm, i)->pid, SIGKILL);
		}
	for (unsigned int i = 0; i < MEMBERS; i++)
		if (set >> i & 1) {
			member_kill(storm->gathering, i);
			n++;
		}
	storm->faults += n;
	return n;
}

static void replace(struct storm *storm, unsigned int set)
{
	for (unsigned int i = 0; i < MEMBERS; i++)
		if (set >> i & 1)
			storm->lost += !!member_start(storm->gathering, i);
}

/* A fault of which not all hear, for not all were members */
static void end_round(struct storm *storm)
{
	group_destroy(storm->group);
}

static void kills_in_breaking_group(struct storm *storm, unsigned int wanted)
{
	static const struct expected all = { -EOWNERDEAD, { -EIDRM } };

	if (make_group(storm, 0))
		return;
	while (storm->faults < wanted && !storm->lost) {
		unsigned int victims = pick_victims(storm), members;
		struct late since;

		gather(storm);
		let_run(storm);
		members = members_now(storm);
		since = late_note();
		kill_set(storm, victims);
		if (members & victims) {
			expect(storm, EVERYBODY & ~victims, members, &all, &since);
		} else {
			/* The dead were no members, perhaps: then nothing has happened */
			if (!broken(storm->group))
				end_round(storm);
			expect(storm, EVERYBODY & ~victims, 0, &all, NULL);
		}
		replace(storm, victims);
		if (group_reset(storm->group))
			storm->lost++;
	}
	let_go(storm);
}

/* How far each member had come, to see which ones go on */
static uint64_t reached[MEMBERS];

static bool goes_on(struct storm *storm, unsigned int index)
{
	return atomic_load(&seat_of(storm, index)->reached) >=
		       reached[index] + 3 * HBS_WORD_EPOCH_ONE ||
	       has_reported(storm, index);
}

static void kills_in_shrinking_group(struct storm *storm, unsigned int wanted)
{
	static const struct expected none = { -EIDRM, { 0 } };

	if (make_group(storm, HBS_POLICY_SHRINK))
		return;
	gather(storm);
	while (storm->faults < wanted && !storm->lost) {
		unsigned int victims = pick_victims(storm);
		struct late since;

		let_run(storm);
		for (unsigned int i = 0; i < MEMBERS; i++)
			reached[i] = atomic_load(&seat_of(storm, i)->reached);
		since = late_note();
		kill_set(storm, victims);
		replace(storm, victims);
		for (unsigned int i = 0; i < MEMBERS; i++)
			if (victims >> i & 1)
				storm->lost += !!member_send(storm->gathering, i, storm->group);
		if (!wait_for(storm, EVERYBODY & ~victims, goes_on, &since)) {
			printf("# fault %u: the group does not go on\n", storm->faults);
			storm->lost++;
		}
		for (unsigned int i = 0; i < MEMBERS; i++) {
			bool ended = has_reported(storm, i);

			if (ended)
				printf("# member %u ended: %d\n", i,
				       atomic_load(&seat_of(storm, i)->outcome));
			storm->lost += ended;
			storm->told += !ended && !(victims >> i & 1);
		}
	}
	wait_for(storm, EVERYBODY, is_busy, NULL);
	end_round(storm);
	expect(storm, EVERYBODY, EVERYBODY, &none, NULL);
	let_go(storm);
}

/* A fault of the card itself, which ends the group, and what has to follow it */
struct disaster {
	int (*make)(void);
	int (*mend)(void);
	struct expected expected;
};

static int unbind(void)
{
	return card_unbind(pci);
}

static int bind_card(void)
{
	return card_bind(pci);
}

static int reset(void)
{
	return card_pci_write(pci, "reset", "1");
}

static int nothing(void)
{
	return 0;
}

static void strike(struct storm *storm, unsigned int wanted, const struct disaster *disaster)
{
	int card = -1, group = -1;

	while (storm->faults < wanted && !storm->lost) {
		unsigned int members;
		struct late since;

		if (make_group(storm, 0)) {
			printf("# no group after fault %u\n", storm->faults);
			storm->lost++;
			break;
		}
		/* The former ones until now, so that the card never has no user */
		close(card);
		close(group);
		card = storm->card;
		group = storm->group;
		gather(storm);
		let_run(storm);
		members = members_now(storm);
		since = late_note();
		storm->lost += !!disaster->make();
		storm->faults++;
		expect(storm, EVERYBODY, members, &disaster->expected, &since);
		storm->lost += !!disaster->mend();
	}
	close(card);
	close(group);
}

static void unbinds(struct storm *storm, unsigned int wanted)
{
	static const struct disaster disaster = { unbind,
						  bind_card,
						  { -ENODEV, { -ENOENT, -ENXIO, -EXDEV } } };

	strike(storm, wanted, &disaster);
}

static void resets(struct storm *storm, unsigned int wanted)
{
	static const struct disaster disaster = { reset, nothing, { -ECONNRESET, { 0 } } };

	strike(storm, wanted, &disaster);
}

static void group_resets(struct storm *storm, unsigned int wanted)
{
	static const struct expected all = { -ECONNRESET, { -EIDRM } };

	if (make_group(storm, 0))
		return;
	while (storm->faults < wanted && !storm->lost) {
		unsigned int members;
		struct late since;

		gather(storm);
		let_run(storm);
		members = members_now(storm);
		since = late_note();
		storm->lost += !!group_reset(storm->group);
		storm->faults++;
		expect(storm, members, members, &all, &since);
		/* A process that came late is a member of the mended group */
		end_round(storm);
		expect(storm, EVERYBODY & ~members, 0, &all, NULL);
		storm->lost += !!group_reset(storm->group);
	}
	let_go(storm);
}

static void run(const char *name, void (*run)(struct storm *storm, unsigned int wanted),
		unsigned int wanted, bool library)
{
	struct storm storm = { .seed = wanted };
	uint64_t barriers = 0, start = monotonic_ns();
	struct usage before;
	bool clean;

	usage_note(&before);
	storm.gathering = gathering_make();
	if (!storm.gathering)
		abort();
	atomic_store(&storm.gathering->library, library);
	replace(&storm, EVERYBODY);
	run(&storm, wanted);
	for (unsigned int i = 0; i < MEMBERS; i++) {
		member_kill(storm.gathering, i);
		barriers += atomic_load(&storm.gathering->seat[i].barriers);
	}
	clean = !usage_compare(&before);
	printf("# figure: %s: faults %u, told %u, lost %u, released by mistake %lu of %lu, longest "
	       "%.3f s, took %.1f s\n",
	       name, storm.faults, storm.told, storm.lost, atomic_load(&storm.gathering->early),
	       barriers, storm.longest_ns / 1e9, (monotonic_ns() - start) / 1e9);
	tap_result(clean && storm.faults >= wanted && !storm.lost &&
			   !atomic_load(&storm.gathering->early) && barriers > 0 &&
			   storm.longest_ns < HANG_NS,
		   name);
}

int main(int argc, char **argv)
{
	unsigned int wanted[4];
	int ret = card_pci_name(0, pci, sizeof(pci));

	if (argc != 5) {
		fprintf(stderr, "usage: storms KILLS UNBINDS RESETS GROUP-RESETS\n");
		return 2;
	}
	for (int i = 0; i < 4; i++)
		wanted[i] = strtoul(argv[i + 1], NULL, 10);
	tap_plan(5);
	if (!ret)
		ret = late_start();
	if (ret) {
		printf("Bail out! no card, or no thread: %d\n", ret);
		return 1;
	}
	run("kills in groups that break", kills_in_breaking_group, (wanted[0] + 1) / 2, true);
	run("kills in a group that shrinks", kills_in_shrinking_group, wanted[0] / 2, false);
	run("unbinds", unbinds, wanted[1], true);
	run("resets of the card", resets, wanted[2], true);
	run("resets of a group", group_resets, wanted[3], true);
	return tap_end();
}
