// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long a wait stays awake, and how often it lets others run. The test uses a clock of its
 * own, in ns, so that no other program changes what a wait learns; on this clock a yield takes
 * as long as another thread would compute. The test also counts sched_yield().
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "deadline.h"
#include "internal.h"
#include "spin.h"
#include "threads.h"

#define TRIES	10000 /* of a ms */
#define MANY	20
#define MEMBERS 2
#define US	1000ULL
#define MS	1000000ULL

static atomic_uint yields;
static bool fake;
static uint64_t fake_ns;
static uint64_t yield_takes_ns;

int __real_sched_yield(void);
int __wrap_sched_yield(void);
int __real_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);

int __wrap_sched_yield(void)
{
	atomic_fetch_add(&yields, 1);
	if (!fake)
		return __real_sched_yield();
	fake_ns += yield_takes_ns;
	return 0;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
	if (!fake)
		return __real_clock_gettime(id, time);
	*time = (struct timespec){ .tv_sec = (time_t)(fake_ns / 1000000000),
				   .tv_nsec = (long)(fake_ns % 1000000000) };
	return 0;
}

static int start_fake_clock(void **state)
{
	(void)state;
	/* the rate of the CPU's counter is measured only once */
	hbsi_ticks_from_ns(1);
	hbsi_ticks_by_clock = 1;
	fake = true;
	fake_ns = 1000 * MS;
	yield_takes_ns = 0;
	return 0;
}

static int stop_fake_clock(void **state)
{
	(void)state;
	fake = false;
	hbsi_ticks_by_clock = 0;
	return 0;
}

/* A group's waits, without the group */
struct group {
	struct spin_policy policy;
	spin_learnt learnt;
	uint32_t members;
	uint32_t epoch;
};

static struct group group_of(uint32_t members, uint64_t spin_ns, uint32_t wait_policy)
{
	struct group group = { .epoch = 1 };

	hbsi_spin_policy(&group.policy, spin_ns, wait_policy, 4);
	if (fake) {
		group.policy.ticks_per_4096_ns = 4096;
		group.policy.crowded = 2 * US;
	}
	group.members = members;
	return group;
}

static uint64_t ns_of(const struct group *group, uint64_t ticks)
{
	return ticks * 4096 / group->policy.ticks_per_4096_ns;
}

static uint64_t ticks_of(const struct group *group, uint64_t ns)
{
	return ns * group->policy.ticks_per_4096_ns / 4096;
}

static struct spin begin(struct group *group)
{
	struct spin spin;

	hbsi_spin_begin(&spin, &group->policy, &group->learnt, group->members, group->epoch++);
	return spin;
}

/* ns that the next wait would stay awake */
static uint64_t limit(struct group *group)
{
	struct spin spin = begin(group);

	return ns_of(group, spin.limit);
}

/* A wait that ends after @ns without a sleep */
static void end_after(struct group *group, uint64_t ns, bool by_yield, bool crowded)
{
	struct spin spin = begin(group);

	spin.crowded = crowded;
	hbsi_spin_succeeded(&spin, ticks_of(group, ns), by_yield);
}

/* A wait that ends asleep, @ns after its start; returns how many of them it was awake */
static uint64_t sleep_after(struct group *group, uint64_t ns, bool crowded)
{
	struct spin spin = begin(group);

	spin.crowded = crowded;
	spin.start = ticks_now() - ticks_of(group, ns);
	hbsi_spin_slept(&spin);
	return ns_of(group, spin.limit);
}

/* While the others wait for a late member, they are awake for less than a hundredth of the time */
static void late_members_cost_nothing(void **state)
{
	static const uint64_t lateness[] = { 1 * MS, 10 * MS, 100 * MS };

	(void)state;
	for (size_t i = 0; i < sizeof(lateness) / sizeof(lateness[0]); i++) {
		struct group group = group_of(MEMBERS, 0, HBS_WAIT_DEFAULT);
		uint64_t awake = 0;

		for (int n = 0; n < 1000; n++)
			awake += sleep_after(&group, lateness[i], false);
		assert_true(awake < 1000 * lateness[i] / 100);
		/* and after a while nearly nothing */
		awake = 0;
		for (int n = 0; n < 1000; n++)
			awake += sleep_after(&group, lateness[i], false);
		assert_true(awake < 1000 * lateness[i] / 1000);
	}
}

static void success_is_worth_four_times(void **state)
{
	struct group group = group_of(MEMBERS, 0, HBS_WAIT_DEFAULT);
	uint64_t first = limit(&group);

	(void)state;
	end_after(&group, 100, false, false);
	assert_int_equal(limit(&group), first);
	end_after(&group, 40 * US, false, false);
	assert_in_range(limit(&group), 155 * US, 165 * US);
	/* but no longer than a sleep is cheap */
	end_after(&group, 400 * US, false, false);
	assert_in_range(limit(&group), 490 * US, 510 * US);
}

static void in_vain_halves(void **state)
{
	struct group group = group_of(MEMBERS, 0, HBS_WAIT_DEFAULT);
	uint64_t before = limit(&group);

	(void)state;
	while (before) {
		uint64_t after;

		group.epoch |= 1; /* no probe */
		sleep_after(&group, 10 * MS, false);
		group.epoch |= 1;
		after = limit(&group);
		assert_true(after <= before / 2 + 100);
		before = after;
	}
	/* and a few that succeed bring it back */
	for (int i = 0; i < 100; i++)
		end_after(&group, 1 * US, false, false);
	assert_in_range(limit(&group), 49 * US, 60 * US);
}

/* A sleep that was only a little too early: next time it is none, but this is tried once */
static void a_little_longer(void **state)
{
	struct group group = group_of(MEMBERS, 0, HBS_WAIT_DEFAULT);

	(void)state;
	sleep_after(&group, 100 * US, false);
	assert_in_range(limit(&group), 190 * US, 250 * US);
	sleep_after(&group, 250 * US, false);
	assert_in_range(limit(&group), 90 * US, 130 * US);

	/* if others ran meanwhile, they may be the members that this one waits for */
	group = group_of(MEMBERS, 0, HBS_WAIT_DEFAULT);
	sleep_after(&group, 100 * US, true);
	assert_in_range(limit(&group), 20 * US, 30 * US);
}

/* All members of a group probe at the same barrier, whatever each process has learnt */
static void probes_meet(void **state)
{
	struct group one = group_of(MEMBERS, 0, HBS_WAIT_DEFAULT);
	struct group other = one;
	unsigned int probes = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		sleep_after(&one, 40 * US, true);
	for (int i = 0; i < 10000; i++)
		sleep_after(&other, 40 * US, true);
	one.epoch = other.epoch;
	for (int i = 0; i < 4096; i++) {
		uint64_t mine = sleep_after(&one, 40 * US, true);
		uint64_t theirs = sleep_after(&other, 40 * US, true);

		assert_int_equal(mine, theirs);
		probes += mine > 0;
	}
	/* awake for twice the sleep, which is 80 us, once in a thousand: four times in all */
	assert_int_equal(probes, 4);
}

static void yield_shortly(const struct group *group, struct spin *spin, uint64_t ns)
{
	hbsi_spin_yield(spin);
	hbsi_spin_succeeded(spin, ticks_of(group, ns), true);
}

/* The wait does not end with it, for the others may just have come back as well; but soon */
static void yield_for_long(const struct group *group, struct spin *spin, uint64_t ns)
{
	uint64_t more;

	spin->start = ticks_now();
	more = hbsi_spin_yield(spin);
	assert_in_range(ns_of(group, more), 40 * US, 60 * US);
	assert_int_equal(spin->limit, ticks_of(group, ns) + more);
	assert_false(hbsi_spin_borrow(spin));
}

/* How many of so many waits yield; each of those yields takes @ns */
static unsigned int count_waits_that_yield(struct group *group, unsigned int waits, uint64_t ns)
{
	unsigned int counted = 0;

	yield_takes_ns = ns;
	for (unsigned int i = 0; i < waits; i++) {
		struct spin spin = begin(group);

		if (spin.pause == UINT64_MAX)
			continue;
		counted++;
		if (ns > MS)
			yield_for_long(group, &spin, ns);
		else
			yield_shortly(group, &spin, ns);
	}
	yield_takes_ns = 0;
	return counted;
}

/* A yield in which somebody else computes is tried again, but less and less often */
static void others_compute(void **state)
{
	struct group group = group_of(MEMBERS, 0, HBS_WAIT_DEFAULT);

	(void)state;
	assert_int_equal(count_waits_that_yield(&group, 10, US), 10);
	assert_int_equal(count_waits_that_yield(&group, 1, 2 * MS), 1);
	assert_in_range(count_waits_that_yield(&group, 64, 2 * MS), 1, 1);
	assert_in_range(count_waits_that_yield(&group, 1 << 17, 2 * MS), 1, 6);
	assert_in_range(count_waits_that_yield(&group, 1 << 18, 2 * MS), 4, 4);
	/* and when nobody does any more, it is soon done at each barrier again */
	count_waits_that_yield(&group, 1 << 18, US);
	assert_int_equal(count_waits_that_yield(&group, 1000, US), 1000);
}

static void others_compute_until_the_deadline(void **state)
{
	struct group group = group_of(MEMBERS, 0, HBS_WAIT_DEFAULT);
	struct spin spin = begin(&group);

	(void)state;
	yield_takes_ns = 2 * MS;
	spin.start = ticks_now();
	spin.most = ticks_of(&group, MS);
	hbsi_spin_yield(&spin);
	yield_takes_ns = 0;
	assert_int_equal(spin.limit, spin.most);
}

/* If only yields let the others run here, the member does not pause before its first yield */
static void yields_first(void **state)
{
	struct group group = group_of(MEMBERS, 0, HBS_WAIT_DEFAULT);
	struct spin spin;

	(void)state;
	end_after(&group, 1 * US, true, true);
	spin = begin(&group);
	assert_int_equal(spin.pause, 0);
	end_after(&group, 1 * US, true, false);
	spin = begin(&group);
	assert_int_not_equal(spin.pause, 0);
	/* from the first barrier on, where members outnumber CPUs */
	group = group_of(5, 0, HBS_WAIT_DEFAULT);
	spin = begin(&group);
	assert_int_equal(spin.pause, 0);
}

/* The last ones to come wait for members that may all have a CPU: they look before they yield */
static void few_missing_look_first(void **state)
{
	struct group group = group_of(5, 0, HBS_WAIT_DEFAULT);
	struct spin spin = begin(&group);

	(void)state;
	hbsi_spin_look_first(&spin, 4);
	assert_int_equal(spin.pause, 0);
	hbsi_spin_look_first(&spin, 3);
	assert_int_equal(ns_of(&group, spin.pause), 1 * US);
	/* that this was enough does not mean that yields are of no use */
	hbsi_spin_succeeded(&spin, ticks_of(&group, US / 2), false);
	spin = begin(&group);
	assert_int_equal(spin.pause, 0);

	/* members that have a CPU each, and must share it with others */
	group = group_of(MEMBERS, 0, HBS_WAIT_DEFAULT);
	end_after(&group, 1 * US, true, true);
	spin = begin(&group);
	hbsi_spin_look_first(&spin, 1);
	assert_int_equal(spin.pause, 0);
}

/*
 * Members that outnumber the CPUs and should not yield sleep at once, and what they have learnt
 * of waits with yields stays
 */
static void outnumbered_cpus_need_yields(void **state)
{
	struct group group = group_of(5, 0, HBS_WAIT_DEFAULT);
	uint64_t awake = limit(&group);

	(void)state;
	assert_int_equal(count_waits_that_yield(&group, 1, 2 * MS), 1);
	for (int i = 0; i < 1000; i++) {
		struct spin spin = begin(&group);

		if (spin.pause != UINT64_MAX) {
			assert_int_equal(ns_of(&group, spin.limit), awake);
			continue;
		}
		assert_int_equal(spin.limit, 0);
		assert_false(hbsi_spin_borrow(&spin));
		hbsi_spin_slept(&spin);
	}
}

/* After thousands of short waits, a long one is allowed some ms, once */
static void loans(void **state)
{
	struct group group = group_of(MEMBERS, 0, HBS_WAIT_DEFAULT);
	struct spin spin;

	(void)state;
	group.epoch = 1000000;
	spin = begin(&group);
	/* a new group has some credit, whatever its epoch is */
	assert_true(hbsi_spin_borrow(&spin));
	assert_int_equal(ns_of(&group, spin.limit), 4 * MS);
	spin = begin(&group);
	assert_false(hbsi_spin_borrow(&spin));
	for (int i = 0; i < 3 * 4096; i++)
		end_after(&group, 100, false, false);

	/* not where others want the CPU, nor where a yield would let them compute */
	spin = begin(&group);
	spin.crowded = true;
	assert_false(hbsi_spin_borrow(&spin));
	spin = begin(&group);
	spin.pause = UINT64_MAX;
	assert_false(hbsi_spin_borrow(&spin));

	spin = begin(&group);
	assert_true(hbsi_spin_borrow(&spin));
	assert_int_equal(ns_of(&group, spin.limit), 3 * MS);
	/* that it took so long is not what others should stay awake for */
	hbsi_spin_succeeded(&spin, ticks_of(&group, 2 * MS), false);
	assert_in_range(limit(&group), 40 * US, 60 * US);
	spin = begin(&group);
	assert_false(hbsi_spin_borrow(&spin));

	/* no longer than its deadline, nor than 8 ms */
	group.epoch += 3 * 4096;
	spin = begin(&group);
	hbsi_spin_until(&spin, deadline_after(1 * MS));
	assert_true(hbsi_spin_borrow(&spin));
	assert_int_equal(spin.limit, hbsi_ticks_from_ns(1 * MS));
	group.epoch += 100 * 4096;
	spin = begin(&group);
	assert_true(hbsi_spin_borrow(&spin));
	assert_int_equal(ns_of(&group, spin.limit), 8 * MS);
	/* and it ends when others come */
	yield_takes_ns = 100 * US;
	hbsi_spin_yield(&spin);
	yield_takes_ns = 0;
	assert_int_equal(spin.limit, 0);
}

static void fixed_policies_learn_nothing(void **state)
{
	static const struct {
		uint64_t spin_ns;
		uint32_t wait_policy;
		uint64_t limit_ns;
	} cases[] = {
		{ 0, HBS_WAIT_PASSIVE, 0 },
		{ HBS_SPIN_NONE, HBS_WAIT_DEFAULT, 0 },
		{ 20 * US, HBS_WAIT_DEFAULT, 20 * US },
		{ 20 * US, HBS_WAIT_ACTIVE, 20 * US },
		{ 0, HBS_WAIT_ACTIVE, 1 * MS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct group group = group_of(9, cases[i].spin_ns, cases[i].wait_policy);
		uint64_t ticks = hbsi_ticks_from_ns(cases[i].limit_ns);

		for (int n = 0; n < 100; n++) {
			struct spin spin;

			sleep_after(&group, 10 * MS, false);
			end_after(&group, 100 * US, true, true);
			spin = begin(&group);
			assert_int_equal(spin.limit, ticks);
			assert_int_equal(spin.pause, UINT64_MAX);
		}
	}
}

/* Yields of one member that waits for the others, until it sleeps or has yielded often */
static unsigned int count_yields(uint32_t wait_policy)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE, .wait_policy = wait_policy };
	struct hbs_member *me[MEMBERS];
	struct hbs_group *group;
	void *result = NULL;
	unsigned int counted;
	pthread_t thread;
	struct hbs *hbs;

	assert_int_equal(hbs_open(&hbs, &attr), 0);
	group = create_group(hbs, MEMBERS);
	for (uint32_t i = 0; i < MEMBERS; i++)
		assert_int_equal(hbs_join(group, &me[i]), 0);
	atomic_store(&yields, 0);
	assert_int_equal(pthread_create(&thread, NULL, barwait_in_thread, me[0]), 0);
	for (int i = 0; i < TRIES && !count_sleeps(group) && atomic_load(&yields) < MANY; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	counted = atomic_load(&yields);
	for (uint32_t i = 1; i < MEMBERS; i++)
		assert_int_equal(hbs_arrive(me[i]), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
	for (uint32_t i = 0; i < MEMBERS; i++)
		assert_int_equal(hbs_leave(me[i]), 0);
	close_all(hbs, group);
	return counted;
}

static void never_asleep(void **state)
{
	(void)state;
	assert_true(count_yields(HBS_WAIT_ACTIVE) >= MANY);
}

static void before_a_sleep(void **state)
{
	(void)state;
	assert_true(count_yields(HBS_WAIT_DEFAULT) >= 1);
	assert_int_equal(count_yields(HBS_WAIT_PASSIVE), 0);
}

/*
 * One CPU, and a member with a higher priority than its partner, which never sleeps: its yield
 * lets no other run
 */
struct real_time {
	struct hbs_group *group;
	int cpu;
	int refused;
};

static int one_above_the_other(void *shared, unsigned int index)
{
	struct real_time *run = shared;
	struct sched_param above = { .sched_priority = 1 };
	struct timespec used;
	struct hbs_member *me;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(run->cpu, &one);
	CHECK(!hbs_join(run->group, &me));
	CHECK(!sched_setaffinity(0, sizeof(one), &one));
	if (!index && sched_setscheduler(0, SCHED_FIFO, &above))
		run->refused = errno;
	for (int i = 0; i < MANY; i++)
		CHECK(!hbs_barwait(me));
	/* not only when the kernel takes real-time threads off the CPU, as it may do each second */
	CHECK(!clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used));
	CHECK(used.tv_sec < 2);
	CHECK(!hbs_leave(me));
	return 0;
}

static void real_time(void **state)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE, .wait_policy = HBS_WAIT_ACTIVE };
	struct real_time run = { .cpu = sched_getcpu() };
	struct hbs *hbs;

	(void)state;
	assert_int_equal(hbs_open(&hbs, &attr), 0);
	run.group = create_group(hbs, MEMBERS);
	assert_int_equal(run_threads(MEMBERS, one_above_the_other, &run), 0);
	close_all(hbs, run.group);
	if (run.refused) {
		print_message("no real-time policy is allowed here: errno %d\n", run.refused);
		skip();
	}
}

#define of_the_clock(test) cmocka_unit_test_setup_teardown(test, start_fake_clock, stop_fake_clock)

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_the_clock(late_members_cost_nothing),
		of_the_clock(success_is_worth_four_times),
		of_the_clock(in_vain_halves),
		of_the_clock(a_little_longer),
		of_the_clock(probes_meet),
		of_the_clock(others_compute),
		of_the_clock(others_compute_until_the_deadline),
		of_the_clock(yields_first),
		of_the_clock(few_missing_look_first),
		of_the_clock(outnumbered_cpus_need_yields),
		of_the_clock(loans),
		of_the_clock(fixed_policies_learn_nothing),
		cmocka_unit_test(never_asleep),
		cmocka_unit_test(before_a_sleep),
		cmocka_unit_test(real_time),
	};

	return cmocka_run_group_tests_name("spin", tests, NULL, NULL);
}
