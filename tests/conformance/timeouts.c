// SPDX-License-Identifier: GPL-2.0-or-later
/* The timer of a group, and the list of missing members */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conformance.h"

#define MS	1000000ull
#define TIME_MS 200
/* Enough time for many threads, or a thread and a process, to come together */
#define CROWD_MS 1000
#define MOST_MS	 16000
#define HOUR_NS	 (3600000 * MS)

/*
 * A test for which a busy host can be too slow. It returns whether all came in time;
 * if not, it is done again, with more time.
 */
typedef bool timed_test(struct context *context, unsigned int ms);

static void in_time(struct context *context, timed_test *test, unsigned int ms)
{
	for (; !test(context, ms); ms *= 2)
		assert_true(ms < MOST_MS);
}

/* Whether a call came too late for a timer that started after @start, or else succeeded */
static bool late(int result, double start, unsigned int ms)
{
	if (result == -ETIMEDOUT)
		assert_true(seconds() - start >= ms * 1e-3);
	else
		IS(result, 0);
	return result;
}

static struct hbs_group *timed_group(struct context *context, unsigned int members,
				     unsigned int policy, unsigned int ms)
{
	return make_group_of(context, &(struct hbs_group_attr){ .members = members,
								.policy = policy,
								.timeout_ns = ms * MS });
}

static bool breaks_for_all_in(struct context *context, unsigned int ms)
{
	struct hbs_group_attr attr = { .members = 1, .timeout_ns = ms * MS };
	struct hbs_member *last;
	struct crowd crowd;
	double start, took;
	bool together;

	crowd_join(context, &crowd, &attr);
	join(crowd.group, &last, 1);
	start = seconds();
	together = crowd_waits_in_time(&crowd);
	crowd_ends(&crowd, -ETIMEDOUT);
	took = seconds() - start;
	assert_true(took >= ms * 1e-3);
	/* a member that comes too late hears of it, and so do all members ever after */
	IS(hbs_barwait(last), -ETIMEDOUT);
	for (unsigned int i = 0; i < crowd.count; i++) {
		IS(hbs_barwait(crowd.members[i]), -ETIMEDOUT);
		IS(hbs_test(crowd.members[i]), -ETIMEDOUT);
	}
	IS(barriers(crowd.group), 0);
	crowd_leave(&crowd);
	leave(&last, 1);
	return together && took < ms * 1e-3 + 5;
}

static void breaks_for_all(struct context *context)
{
	in_time(context, breaks_for_all_in, CROWD_MS);
}

/* One member stops, after some barriers; the barrier is the same one for all */
static bool breaks_the_same_barrier(struct context *context, unsigned int ms)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct hbs_group *group = timed_group(context, *n + 1, 0, ms);
		static struct race race;
		double now, start = seconds();
		struct hbs_member *last;
		unsigned int passed;

		join(group, &last, 1);
		race_start(&race, group, *n);
		/* the others arrive at once, but not before it did at the barrier before */
		for (passed = 0; passed < 20; passed++, start = now) {
			now = seconds();
			if (late(hbs_barwait(last), start, ms))
				break;
		}
		race_ends(&race, -ETIMEDOUT);
		IS(race.passed[0], passed);
		IS(hbs_barwait(last), -ETIMEDOUT);
		IS(barriers(group), passed);
		leave(&last, 1);
		if (passed < 20)
			return false;
	}
	return true;
}

static void breaks_the_same_barrier_for_all(struct context *context)
{
	in_time(context, breaks_the_same_barrier, TIME_MS);
}

/* The time runs from the first arrival to the last one, anew for each barrier */
static bool counts_from_first(struct context *context, unsigned int ms)
{
	struct hbs_group *group = timed_group(context, 2, 0, ms);
	struct hbs_member *m[2];
	bool too_late = false;

	join(group, m, 2);
	nap_us(2000 * ms);
	for (int i = 0; i < 9 && !too_late; i++) {
		double start = seconds();
		struct early early;

		early_arrives(context, &early, m[0]);
		nap_us(1000 * ms / 5);
		too_late = late(hbs_barwait(m[1]), start, ms);
		IS(early_departs(&early), too_late ? -ETIMEDOUT : 0);
		if (i == 7)
			nap_us(2000 * ms);
	}
	/* and then it does expire */
	IS(hbs_barwait(m[1]), -ETIMEDOUT);
	IS(barriers(group) == 9, !too_late);
	leave(m, 2);
	return !too_late;
}

static void counts_from_the_first_arrival(struct context *context)
{
	in_time(context, counts_from_first, TIME_MS);
}

/* It also expires for a member that only looks, or waits for short times */
static void expires_for_who_looks(struct context *context)
{
	for (int waits = 0; waits < 2; waits++) {
		struct hbs_group *group = timed_group(context, 2, 0, TIME_MS);
		double start = seconds();
		struct hbs_member *m[2];

		join(group, m, 2);
		IS(hbs_arrive(m[0]), 0);
		while (seconds() - start < TIME_MS * 1e-3 + 5) {
			nap_us(1000);
			if (waits)
				hbs_wait_for(m[0], 100000);
			if (hbs_test(m[0]))
				break;
		}
		IS(hbs_test(m[0]), -ETIMEDOUT);
		assert_true(seconds() - start >= TIME_MS * 1e-3);
		leave(m, 2);
	}
}

/* Later arrivals give it no more time */
static bool is_not_prolonged_in(struct context *context, unsigned int ms)
{
	struct hbs_group *group = timed_group(context, 3, 0, ms);
	struct hbs_member *m[3];
	double start = seconds();
	struct early early;

	join(group, m, 3);
	early_arrives(context, &early, m[0]);
	nap_us(600 * ms);
	IS(hbs_barwait(m[1]), -ETIMEDOUT);
	IS(early_departs(&early), -ETIMEDOUT);
	leave(m, 3);
	return seconds() - start < ms * 1.5e-3;
}

static void is_not_prolonged(struct context *context)
{
	in_time(context, is_not_prolonged_in, CROWD_MS);
}

/*
 * Members also wait for seats that nobody has taken; these are not in the list of missing
 * members
 */
static void counts_while_seats_are_free(struct context *context)
{
	struct hbs_group *group = timed_group(context, 3, 0, TIME_MS);
	struct hbs_absentee list[3];
	struct hbs_member *m[2], *none = NULL;

	join(group, m, 2);
	IS(hbs_barwait(m[0]), -ETIMEDOUT);
	IS(hbs_group_missing(group, list, 3), 1);
	IS(list[0].tid, gettid());
	IS(hbs_join(group, &none), -ETIMEDOUT);
	assert_null(none);
	leave(m, 2);
}

static bool stops_without_arrivals_in(struct context *context, unsigned int ms)
{
	struct hbs_group *group = timed_group(context, 2, 0, ms);
	double start = seconds();
	struct hbs_member *m[2];
	bool too_late;

	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	too_late = late(hbs_barwait(m[1]), start, ms);
	if (!too_late) {
		IS(hbs_wait(m[0]), 0);
		start = seconds();
		IS(hbs_arrive(m[0]), 0);
	}
	/* the only one that has arrived leaves: nobody waits any more */
	IS(hbs_leave(m[0]), 0);
	if (!too_late && seconds() - start < ms * 1e-3) {
		nap_us(2000 * ms);
		IS(hbs_barwait(m[1]), 0);
	} else {
		too_late = true;
	}
	leave(&m[1], 1);
	return !too_late;
}

static void stops_without_arrivals(struct context *context)
{
	in_time(context, stops_without_arrivals_in, TIME_MS);
}

/* Waits for an hour, but its group does not; a deadline before that does not break it */
static bool shorter_time_is_first(struct context *context, unsigned int ms)
{
	struct hbs_group *group = timed_group(context, 2, 0, ms);
	double start = seconds();
	struct hbs_member *m[2];
	bool too_late;

	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_wait_for(m[0], ms * MS / 10), -ETIMEDOUT);
	too_late = late(hbs_test(m[0]), start, ms) || late(hbs_barwait(m[1]), start, ms);
	if (!too_late) {
		IS(hbs_wait(m[0]), 0);
		IS(hbs_arrive(m[0]), 0);
		IS(hbs_wait_for(m[0], HOUR_NS), -ETIMEDOUT);
		IS(hbs_test(m[0]), -ETIMEDOUT);
	}
	leave(m, 2);
	return !too_late;
}

static void the_shorter_time_is_first(struct context *context)
{
	in_time(context, shorter_time_is_first, TIME_MS);
}

/* A thread that joins, says who it is, and stays away */
struct absent {
	pid_t pid, tid;
	struct hbs_member *member;
	struct hbs_group *group;
	pthread_t thread;
	int go[2];
};

static void *stay_away(void *argument)
{
	struct absent *absent = argument;
	char byte;

	absent->tid = gettid();
	if (hbs_join(absent->group, &absent->member) || write(absent->go[1], "", 1) != 1 ||
	    read(absent->go[0], &byte, 1) != 1)
		return NULL;
	return absent;
}

static int child_stays_away(struct part *part)
{
	struct absent *absent = part->shared;

	absent->pid = getpid();
	absent->tid = gettid();
	CHECK_IS(child_tell(part), 0);
	CHECK_IS(child_hear(part), 0);
	return 0;
}

static const struct hbs_absentee *find(const struct hbs_absentee *list, int count, pid_t tid)
{
	for (int i = 0; i < count; i++)
		if (list[i].tid == tid)
			return &list[i];
	return NULL;
}

/* A thread of this process and another process stay away */
static void tell_who_is_missing(struct context *context, unsigned int policy)
{
	struct hbs_group *group = timed_group(context, 4, policy, 3 * TIME_MS);
	struct absent *child_absent = shared_memory(sizeof(*child_absent));
	const struct hbs_absentee *found;
	struct hbs_absentee list[8];
	struct absent absent = { .group = group };
	struct early early[2];
	struct hbs_member *m[2];
	struct child child;
	char byte = 0;
	int ends[2], back[2];

	child_start(context, &child, hbs_group_fd(group), child_stays_away, child_absent, 0);
	hear_child(&child);
	IS(pipe2(ends, O_CLOEXEC), 0);
	IS(pipe2(back, O_CLOEXEC), 0);
	absent.go[0] = back[0];
	absent.go[1] = ends[1];
	IS(pthread_create(&absent.thread, NULL, stay_away, &absent), 0);
	IS(read(ends[0], &byte, 1), 1);
	join(group, m, 2);
	for (int i = 0; i < 2; i++)
		early_arrives(context, &early[i], m[i]);
	if (policy & HBS_ON_TIMEOUT_NOTIFY) {
		nap_us(2000 * 3 * TIME_MS);
		early_waits(&early[0]);
	} else {
		IS(early_departs(&early[0]), -ETIMEDOUT);
		IS(early_departs(&early[1]), -ETIMEDOUT);
	}
	memset(list, 0xff, sizeof(list));
	IS(hbs_group_missing(group, list, 8), 2);
	found = find(list, 2, absent.tid);
	assert_non_null(found);
	IS(found->pid, getpid());
	found = find(list, 2, child_absent->tid);
	assert_non_null(found);
	IS(found->pid, child_absent->pid);
	assert_true(list[0].port != list[1].port);
	/* no more than there is room for */
	memset(list, 0xff, sizeof(list));
	IS(hbs_group_missing(group, list, 1), 2);
	IS(list[1].port, UINT32_MAX);
	IS(hbs_group_missing(group, NULL, 0), 2);

	IS(write(back[1], "", 1), 1);
	{
		void *result = NULL;

		IS(pthread_join(absent.thread, &result), 0);
		assert_non_null(result);
	}
	/* so that all waits end */
	IS(hbs_group_destroy(group), 0);
	if (policy & HBS_ON_TIMEOUT_NOTIFY)
		for (int i = 0; i < 2; i++)
			IS(early_departs(&early[i]), -EIDRM);
	leave(&absent.member, 1);
	tell_child(&child);
	child_ends(&child);
	leave(m, 2);
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(back[i]);
	}
}

static void who_is_missing_when_broken(struct context *context)
{
	tell_who_is_missing(context, 0);
}

static void who_is_missing_when_told(struct context *context)
{
	tell_who_is_missing(context, HBS_ON_TIMEOUT_NOTIFY);
}

/* How many of three members are missing, when the card has seen the arrivals */
static int missing_after(struct context *context, struct hbs_group *group,
			 struct hbs_absentee *list, int want)
{
	int count = hbs_group_missing(group, list, 3);

	for (int ms = 0; lags(context) && count > want && ms < LAG_MS; ms++) {
		nap_us(1000);
		count = hbs_group_missing(group, list, 3);
	}
	return count;
}

static void who_is_missing_now(struct context *context)
{
	struct hbs_group *group = make_group(context, 3);
	struct hbs_absentee list[3];
	struct hbs_member *m[3];
	struct early early[2];

	IS(hbs_group_missing(group, list, 3), 0);
	join(group, m, 2);
	IS(hbs_group_missing(group, list, 3), 2);
	join(group, &m[2], 1);
	for (int i = 0; i < 3; i++) {
		IS(hbs_group_missing(group, list, 3), 3);
		early_arrives(context, &early[0], m[i]);
		IS(missing_after(context, group, list, 2), 2);
		IS(list[0].pid, getpid());
		IS(list[0].tid, gettid());
		early_arrives(context, &early[1], m[(i + 1) % 3]);
		IS(missing_after(context, group, list, 1), 1);
		IS(hbs_barwait(m[(i + 2) % 3]), 0);
		IS(early_departs(&early[0]), 0);
		IS(early_departs(&early[1]), 0);
	}
	leave(m, 3);
}

/* All go on waiting; the missing member comes, and the barrier is over for all */
static bool notify_breaks_nothing_in(struct context *context, unsigned int ms)
{
	struct hbs_group_attr attr = { .members = 1,
				       .policy = HBS_ON_TIMEOUT_NOTIFY,
				       .timeout_ns = ms * MS };
	struct hbs_absentee list[8];
	struct hbs_member *last;
	bool too_late = false;
	struct crowd crowd;

	crowd_join(context, &crowd, &attr);
	join(crowd.group, &last, 1);
	for (int i = 1; i <= 2; i++) {
		double start = seconds();

		crowd_wait(&crowd);
		too_late |= seconds() - start > ms * 0.8e-3;
		if (!too_late) {
			nap_us(1500 * ms);
			IS(hbs_group_missing(crowd.group, list, 8), 1);
			IS(list[0].tid, gettid());
		}
		IS(hbs_barwait(last), 0);
		crowd_ends(&crowd, 0);
		/* nobody has arrived at the next one */
		IS(hbs_group_missing(crowd.group, list, 8), crowd.count + 1);
		IS(barriers(crowd.group), i);
	}
	crowd_leave(&crowd);
	leave(&last, 1);
	return !too_late;
}

static void notify_breaks_nothing(struct context *context)
{
	in_time(context, notify_breaks_nothing_in, CROWD_MS);
}

static int polled(int fd, int timeout_ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN | POLLPRI };

	return poll(&pollfd, 1, timeout_ms) == 1 ? pollfd.revents : 0;
}

static void notify_is_polled(struct context *context)
{
	struct hbs_group *group = timed_group(context, 2, HBS_ON_TIMEOUT_NOTIFY, 3 * TIME_MS);
	struct hbs_member *m[2];

	join(group, m, 2);
	for (int i = 0; i < 2; i++) {
		IS(hbs_arrive(m[0]), 0);
		IS(polled(hbs_member_fd(m[0]), 0), 0);
		IS(polled(hbs_member_fd(m[0]), 10000), POLLPRI);
		IS(hbs_barwait(m[1]), 0);
		IS(polled(hbs_member_fd(m[0]), 10000), POLLIN);
		IS(hbs_wait(m[0]), 0);
		IS(polled(hbs_member_fd(m[0]), 0), 0);
	}
	leave(m, 2);
}

/* Barriers quicker than the timer, with all that goes on: it never expires */
static void never_without_cause(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct steps steps = { .epochs = scaled(context, 1000), .way = -1 };
		struct hbs_group *group =
			make_group_of(context, &(struct hbs_group_attr){ .members = *n,
									 .timeout_ns = 5000 * MS });

		run_members(context, group, *n, take_steps, &steps);
	}
}

static int create_with(struct context *context, uint64_t timeout_ns)
{
	struct hbs_group_attr attr = group_attr(
		context, &(struct hbs_group_attr){ .members = 2, .timeout_ns = timeout_ns });
	struct hbs_group *group;
	int ret = hbs_group_create(context->hbs, &attr, &group);

	return ret ? ret : hbs_group_close(group);
}

static FILE *limit(struct context *context, const char *name, const char *mode)
{
	const char *card = strrchr(hbs_backend_name(context->hbs), '/');
	char path[128];

	assert_non_null(card);
	snprintf(path, sizeof(path), "/sys/class/hbs%s/%s", card, name);
	return fopen(path, mode);
}

static unsigned long long get_limit(struct context *context, const char *name)
{
	FILE *file = limit(context, name, "re");
	unsigned long long value = 0;

	assert_non_null(file);
	IS(fscanf(file, "%llu", &value), 1);
	fclose(file);
	return value;
}

static void set_limit(struct context *context, const char *name, unsigned long long value)
{
	FILE *file = limit(context, name, "we");

	assert_non_null(file);
	fprintf(file, "%llu\n", value);
	IS(fclose(file), 0);
}

/* The administrator's limits, as they are, and changed by a user who may */
static void limits(struct context *context)
{
	unsigned long long min = get_limit(context, "timeout_min_ns");
	unsigned long long max = get_limit(context, "timeout_max_ns");

	IS(create_with(context, 0), 0);
	IS(create_with(context, min), 0);
	IS(create_with(context, max), 0);
	IS(create_with(context, min - 1), -ERANGE);
	IS(create_with(context, max + 1), -ERANGE);
	IS(create_with(context, UINT64_MAX), -ERANGE);
	if (geteuid())
		return;
	set_limit(context, "timeout_min_ns", 10 * MS);
	set_limit(context, "timeout_max_ns", 20 * MS);
	IS(create_with(context, 10 * MS - 1), -ERANGE);
	IS(create_with(context, 10 * MS), 0);
	IS(create_with(context, 20 * MS), 0);
	IS(create_with(context, 20 * MS + 1), -ERANGE);
	set_limit(context, "timeout_max_ns", max);
	set_limit(context, "timeout_min_ns", min);
	IS(create_with(context, max), 0);
}

const struct test timeout_tests[] = {
	{ "a timeout breaks the group for all, spinning and asleep", breaks_for_all, TIMEOUTS },
	{ "a timeout breaks the same barrier for all", breaks_the_same_barrier_for_all, TIMEOUTS },
	{ "a timeout counts from the first arrival, anew in each barrier",
	  counts_from_the_first_arrival, TIMEOUTS },
	{ "a timeout is not prolonged by later arrivals", is_not_prolonged, TIMEOUTS },
	{ "a timeout expires for who does not wait but look", expires_for_who_looks,
	  TIMEOUTS | SPLIT_PHASE | DEADLINES },
	{ "a timeout counts while seats are free", counts_while_seats_are_free,
	  TIMEOUTS | MISSING },
	{ "a timeout stops when nobody waits any more", stops_without_arrivals,
	  TIMEOUTS | SPLIT_PHASE | MEMBERSHIP },
	{ "a timeout of the group and a deadline of a wait", the_shorter_time_is_first,
	  TIMEOUTS | DEADLINES | SPLIT_PHASE },
	{ "a timeout never comes without cause", never_without_cause, TIMEOUTS },
	{ "a timeout tells who is missing", who_is_missing_when_broken, TIMEOUTS | MISSING },
	{ "a timeout that only notifies tells who is missing", who_is_missing_when_told,
	  TIMEOUTS | MISSING },
	{ "a timeout that only notifies breaks nothing", notify_breaks_nothing,
	  TIMEOUTS | MISSING },
	{ "a timeout that only notifies is seen by poll", notify_is_polled, TIMEOUTS | POLL_TIME },
	{ "a timeout is vetted against the administrator's limits", limits, TIMEOUTS | LIMITS },
	{ "who is missing can be asked at any time", who_is_missing_now, MISSING },
	{ 0 },
};
