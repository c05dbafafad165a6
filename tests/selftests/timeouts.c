// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Timeouts: what a group's timer does when it expires and not before, the list of
 * missing members, and waits with a deadline.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define ALL_POLICIES (HBS_POLICY_NOTIFY | HBS_POLICY_SHRINK | HBS_POLICY_THREAD)

#define MS    1000000ULL
#define SHORT (50 * MS)
/* Much longer than a test: a timer that expires this late was not stopped */
#define LONG (1000 * 1000 * MS)
/* How late a guest on a busy host may see something */
#define LATE (5000 * MS)

#define BREAKS(ns)   (&(struct hbs_group_create){ .timeout_ns = (ns) })
#define NOTIFIES(ns) (&(struct hbs_group_create){ .timeout_ns = (ns), .policy = HBS_POLICY_NOTIFY })

HBS_FIXTURE(timeouts)

static short polled(int fd, int timeout_ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN | POLLPRI };

	return poll(&pollfd, 1, timeout_ms) < 0 ? -1 : pollfd.revents;
}

/* Waits until the kernel has heard of @n expiries; returns how many it has */
static long timeouts_wait(int fd, long n)
{
	double end = seconds() + 10;
	long now;

	while ((now = group_timeouts(fd)) >= 0 && now < n && seconds() < end)
		sleep_ms(1);
	return now;
}

/* A group, its first member by @one, and @n members more */
static int group_of(int card, const struct hbs_group_create *with, struct group *group,
		    struct port *port, struct member *member, unsigned int n)
{
	int ret = group_create_with(card, n, with, group);

	for (unsigned int i = 0; i < n && !ret; i++) {
		ret = port_alloc(card, &port[i]);
		if (!ret)
			ret = join(group, &port[i], &member[i]);
	}
	return ret;
}

TEST_F(timeouts, create)
{
	static const uint64_t ok[] = { 0, 1000, 1001, 12345678, 3600000000000 };
	static const uint64_t out[] = {
		1,
		999,
		3600000000001,
		1ULL << 48,
		(1ULL << 48) + 1000,
		1ULL << 63,
		(1ULL << 63) + 1000,
		UINT64_MAX,
	};
	struct hbs_group_info info;
	struct group group;

	EXPECT_NE(self->info.features & HBS_FEATURE_TIMEOUT, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(ok); i++) {
		for (uint32_t policy = 0; policy <= ALL_POLICIES; policy++) {
			struct hbs_group_create with = { .timeout_ns = ok[i], .policy = policy };

			ASSERT_EQ(group_create_with(self->card, 3, &with, &group), 0);
			ASSERT_EQ(group_info(group.fd, &info), 0);
			EXPECT_EQ(info.timeout_ns, ok[i]);
			EXPECT_EQ(info.policy, policy);
			EXPECT_EQ(info.reduce, HBS_REDUCE_NONE);
			EXPECT_EQ(info.timeouts, 0);
			EXPECT_EQ(info.members, 3);
			ASSERT_EQ(group_close(&group), 0);
		}
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(out); i++)
		EXPECT_EQ(group_create_with(self->card, 1, BREAKS(out[i]), &group), -ERANGE);
	for (uint32_t bit = ALL_POLICIES + 1; bit; bit <<= 1) {
		struct hbs_group_create with = { .policy = bit };

		EXPECT_EQ(group_create_with(self->card, 1, &with, &group), -EOPNOTSUPP);
	}
}

static int set_limit(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/hbs/%s/%s", card_name(0), name);
	return write_file(path, text);
}

TEST_F(timeouts, limits_that_root_sets)
{
	static const char *const bad[] = {
		"", "x", "-1", "1.5", "1000 ns", "18446744073709551616"
	};
	static const char *const out[] = { "0", "281474976710656", "18446744073709551615" };
	struct hbs_group_info info;
	struct group before, group;
	int status;
	long value;
	pid_t pid;

	ASSERT_EQ(card_attribute("timeout_min_ns", &value), 0);
	EXPECT_EQ(value, 1000);
	ASSERT_EQ(card_attribute("timeout_max_ns", &value), 0);
	EXPECT_EQ(value, 3600000000000);
	ASSERT_EQ(group_create_with(self->card, 1, BREAKS(1000), &before), 0);

	ASSERT_EQ(set_limit("timeout_min_ns", "2000\n"), 0);
	ASSERT_EQ(set_limit("timeout_max_ns", "0xbb8"), 0);
	ASSERT_EQ(card_attribute("timeout_min_ns", &value), 0);
	EXPECT_EQ(value, 2000);
	ASSERT_EQ(card_attribute("timeout_max_ns", &value), 0);
	EXPECT_EQ(value, 3000);
	EXPECT_EQ(group_create_with(self->card, 1, BREAKS(1999), &group), -ERANGE);
	EXPECT_EQ(group_create_with(self->card, 1, BREAKS(3001), &group), -ERANGE);
	EXPECT_EQ(group_create_with(self->card, 1, NOTIFIES(3001), &group), -ERANGE);
	EXPECT_EQ(group_create_with(self->card, 1, BREAKS(2000), &group), 0);
	EXPECT_EQ(group_create_with(self->card, 1, BREAKS(3000), &group), 0);
	EXPECT_EQ(group_create_with(self->card, 1, BREAKS(0), &group), 0);
	/* A group that was made before keeps its timeout */
	ASSERT_EQ(group_info(before.fd, &info), 0);
	EXPECT_EQ(info.timeout_ns, 1000);

	/* One limit must leave room for the other */
	EXPECT_EQ(set_limit("timeout_min_ns", "3001"), -ERANGE);
	EXPECT_EQ(set_limit("timeout_max_ns", "1999"), -ERANGE);
	EXPECT_EQ(set_limit("timeout_min_ns", "3000"), 0);
	EXPECT_EQ(set_limit("timeout_min_ns", "2000"), 0);
	/* an empty write is no write */
	for (unsigned int i = 1; i < ARRAY_SIZE(bad); i++) {
		int error = i == ARRAY_SIZE(bad) - 1 ? -ERANGE : -EINVAL;

		EXPECT_EQ(set_limit("timeout_min_ns", bad[i]), error);
		EXPECT_EQ(set_limit("timeout_max_ns", bad[i]), error);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(out); i++) {
		EXPECT_EQ(set_limit("timeout_min_ns", out[i]), -ERANGE);
		EXPECT_EQ(set_limit("timeout_max_ns", out[i]), -ERANGE);
	}
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(1);
		_exit(set_limit("timeout_min_ns", "2500") == -EACCES &&
				      set_limit("timeout_max_ns", "2500") == -EACCES
			      ? 0
			      : 2);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	ASSERT_EQ(card_attribute("timeout_min_ns", &value), 0);
	EXPECT_EQ(value, 2000);
	ASSERT_EQ(card_attribute("timeout_max_ns", &value), 0);
	EXPECT_EQ(value, 3000);

	/* The card's whole range */
	ASSERT_EQ(set_limit("timeout_max_ns", "281474976710655"), 0);
	ASSERT_EQ(set_limit("timeout_min_ns", "1"), 0);
	EXPECT_EQ(group_create_with(self->card, 1, BREAKS((1ULL << 48) - 1), &group), 0);
	EXPECT_EQ(group_create_with(self->card, 1, BREAKS(1), &group), 0);
	EXPECT_EQ(group_create_with(self->card, 1, BREAKS(1ULL << 48), &group), -ERANGE);

	ASSERT_EQ(set_limit("timeout_max_ns", "3600000000000"), 0);
	ASSERT_EQ(set_limit("timeout_min_ns", "1000"), 0);
}

/* Every waiting thread, in every way, gets ETIMEDOUT; and the absent one is named */
TEST_F(timeouts, breaks)
{
	struct hbs_group_missing state;
	struct hbs_group_counters counters;
	struct hbs_missing missing[WAIT_KINDS];
	struct crowd crowd;
	struct member absent, other;
	struct port port, late;
	uint64_t word;
	int fd;

	ASSERT_EQ(crowd_create_with(self->card, 1, BREAKS(1500 * MS), &crowd), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(join(&crowd.group, &port, &absent), 0);
	fd = group_reopen(crowd.group.fd, absent.word);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(crowd_wait(&crowd), 0);
	EXPECT_EQ(crowd_check(&crowd, -ETIMEDOUT), 0);

	ASSERT_EQ(group_missing(crowd.group.fd, missing, ARRAY_SIZE(missing), &state), 1);
	EXPECT_EQ(missing[0].port, port.number);
	EXPECT_EQ(missing[0].pid, getpid());
	EXPECT_EQ(missing[0].tid, gettid());
	EXPECT_EQ(missing[0].reserved, 0);
	EXPECT_EQ(state.expired, 1);
	EXPECT_EQ(state.vacant, 0);
	EXPECT_EQ(state.word, *absent.record);
	EXPECT_EQ(word_error(state.word), -ETIMEDOUT);
	EXPECT_EQ(group_timeouts(crowd.group.fd), 1);
	EXPECT_EQ(polled(fd, 0), POLLIN | POLLPRI | POLLERR);

	/* and for ever after */
	word = absent.word;
	EXPECT_EQ(group_wait(fd, &word), -ETIMEDOUT);
	EXPECT_EQ(word, *absent.record);
	word = absent.word;
	EXPECT_EQ(group_wait_until(fd, &word, 1), -ETIMEDOUT);
	EXPECT_EQ(word, *absent.record);
	arrive(&absent);
	EXPECT_EQ(wait_spin(&absent), -ETIMEDOUT);
	EXPECT_EQ(word_error(*absent.departure), -ETIMEDOUT);
	ASSERT_EQ(group_counters(fd, &counters), 0);
	EXPECT_EQ(counters.refused, 1);
	EXPECT_EQ(counters.completions, 0);
	EXPECT_EQ(counters.arrivals, WAIT_KINDS);
	ASSERT_EQ(port_alloc(self->card, &late), 0);
	EXPECT_EQ(join(&crowd.group, &late, &other), -ETIMEDOUT);
	/* A member that was missing and has left is not missing any more */
	EXPECT_EQ(leave(&absent), 0);
	EXPECT_EQ(group_missing(crowd.group.fd, missing, ARRAY_SIZE(missing), &state), 0);
	EXPECT_EQ(state.expired, 1);
	/* A timeout is reported once, and the first reason stays */
	EXPECT_EQ(group_destroy(fd), 0);
	EXPECT_EQ(word_error(*absent.record), -ETIMEDOUT);
	EXPECT_EQ(group_timeouts(fd), 1);
}

/* Not before its time, and not much later; spinning without a system call */
TEST_F(timeouts, when)
{
	static const uint64_t ns[] = { 1 * MS, 20 * MS, 300 * MS };

	for (unsigned int i = 0; i < ARRAY_SIZE(ns); i++) {
		struct port port[2];
		struct member member[2];
		struct group group;
		uint64_t start, took;

		ASSERT_EQ(group_of(self->card, BREAKS(ns[i]), &group, port, member, 2), 0);
		/* It does not run before somebody has arrived */
		sleep_ms(30);
		ASSERT_FALSE(released(&member[0]));
		/* Touched before, so that the store is only a store */
		ASSERT_EQ(*member[0].departure, member[0].word);
		start = monotonic_ns();
		ASSERT_EQ(barrier(&member[0]), -ETIMEDOUT);
		took = monotonic_ns() - start;
		EXPECT_GE(took, ns[i]);
		EXPECT_LT(took, ns[i] + LATE);
		EXPECT_EQ(group_timeouts(group.fd), 1);
	}
}

/* Seats that nobody has taken are nobody's, but the timer runs */
TEST_F(timeouts, vacant_seats)
{
	struct hbs_group_missing state;
	struct one one;

	ASSERT_EQ(group_create_with(self->card, 3, BREAKS(SHORT), &one.group), 0);
	EXPECT_EQ(group_missing(one.group.fd, NULL, 0, &state), 0);
	EXPECT_EQ(state.vacant, 3);
	EXPECT_EQ(state.expired, 0);
	ASSERT_EQ(port_alloc(self->card, &one.port), 0);
	ASSERT_EQ(join(&one.group, &one.port, &one.member), 0);
	EXPECT_EQ(group_missing(one.group.fd, NULL, 0, &state), 1);
	EXPECT_EQ(state.vacant, 2);
	EXPECT_EQ(barrier(&one.member), -ETIMEDOUT);
	EXPECT_EQ(group_missing(one.group.fd, NULL, 0, &state), 0);
	EXPECT_EQ(state.vacant, 2);
	EXPECT_EQ(state.expired, 1);
}

/* Each epoch has the whole time, however many there are */
TEST_F(timeouts, restarts_each_epoch)
{
	struct port port[2];
	struct member member[2];
	struct group group;

	ASSERT_EQ(group_of(self->card, BREAKS(1000 * MS), &group, port, member, 2), 0);
	for (int i = 0; i < 10; i++) {
		arrive(&member[i % 2]);
		sleep_ms(150);
		ASSERT_EQ(barrier(&member[!(i % 2)]), 0);
		ASSERT_EQ(wait_spin(&member[i % 2]), 0);
	}
	/* and between epochs it does not run */
	sleep_ms(1200);
	EXPECT_FALSE(released(&member[0]));
	EXPECT_EQ(group_timeouts(group.fd), 0);
	/* but it still does its duty */
	EXPECT_EQ(barrier(&member[0]), -ETIMEDOUT);
	EXPECT_EQ(group_timeouts(group.fd), 1);
}

/* All that have arrived leave: nobody waits, and nothing expires */
TEST_F(timeouts, stops_when_nobody_waits)
{
	struct hbs_group_missing state;
	struct port port[3];
	struct member member[3];
	struct group group;

	ASSERT_EQ(group_of(self->card, BREAKS(300 * MS), &group, port, member, 3), 0);
	for (int i = 0; i < 2; i++) {
		arrive(&member[0]);
		ASSERT_EQ(leave(&member[0]), 0);
		sleep_ms(500);
		EXPECT_EQ(group_timeouts(group.fd), 0);
		EXPECT_EQ(group_missing(group.fd, NULL, 0, &state), 2);
		EXPECT_EQ(state.expired, 0);
		ASSERT_EQ(join(&group, &port[0], &member[0]), 0);
	}
	arrive(&member[0]);
	arrive(&member[1]);
	EXPECT_EQ(barrier(&member[2]), 0);
	/* A destroyed group has no timer either */
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(wait_spin(&member[i]), 0);
	arrive(&member[0]);
	ASSERT_EQ(group_destroy(group.fd), 0);
	sleep_ms(500);
	EXPECT_EQ(group_timeouts(group.fd), 0);
	EXPECT_EQ(word_error(*member[0].record), -EIDRM);
}

TEST_F(timeouts, none_when_all_arrive)
{
	struct port port[2];
	struct member member[2];
	struct group group;
	uint64_t end;
	int epochs = 0;

	/* For much longer than the timeout */
	ASSERT_EQ(group_of(self->card, BREAKS(500 * MS), &group, port, member, 2), 0);
	for (end = monotonic_ns() + 1500 * MS; monotonic_ns() < end; epochs++) {
		arrive(&member[0]);
		ASSERT_EQ(barrier(&member[1]), 0);
		ASSERT_EQ(wait_spin(&member[0]), 0);
	}
	EXPECT_EQ(group_timeouts(group.fd), 0);
	TH_LOG("epochs %d", epochs);
}

struct urgent {
	int fd;
	short revents;
};

static void *poll_urgent(void *arg)
{
	struct urgent *urgent = arg;
	struct pollfd pollfd = { .fd = urgent->fd, .events = POLLPRI };

	if (poll(&pollfd, 1, 60000) == 1)
		urgent->revents = pollfd.revents;
	return NULL;
}

/* The timeout is reported, breaks nothing, and waiting members wait on */
TEST_F(timeouts, notifies)
{
	struct hbs_group_missing state;
	struct hbs_missing missing[WAIT_KINDS];
	struct crowd crowd;
	struct member absent;
	struct port port;
	struct urgent urgent;
	pthread_t thread;
	int fd;

	ASSERT_EQ(crowd_create_with(self->card, 1, NOTIFIES(1000 * MS), &crowd), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(join(&crowd.group, &port, &absent), 0);
	for (int round = 1; round <= 2; round++) {
		fd = group_reopen(crowd.group.fd, absent.word);
		ASSERT_GE(fd, 0);
		urgent = (struct urgent){ .fd = fd };
		EXPECT_EQ(polled(fd, 0), 0);
		ASSERT_EQ(pthread_create(&thread, NULL, poll_urgent, &urgent), 0);
		ASSERT_EQ(crowd_wait(&crowd), 0);
		ASSERT_EQ(pthread_join(thread, NULL), 0);
		EXPECT_EQ(urgent.revents, POLLPRI);
		EXPECT_EQ(polled(fd, 0), POLLPRI);
		EXPECT_EQ(group_timeouts(fd), round);

		ASSERT_EQ(group_missing(fd, missing, ARRAY_SIZE(missing), &state), 1);
		EXPECT_EQ(missing[0].port, port.number);
		EXPECT_EQ(state.expired, 1);
		EXPECT_EQ(state.word, absent.word);
		/* Once an epoch */
		sleep_ms(1200);
		EXPECT_EQ(group_timeouts(fd), round);
		for (int kind = WAIT_IOCTL; kind < WAIT_KINDS; kind++)
			EXPECT_EQ(wait_asleep(crowd.waiter[kind].tid), 0);
		EXPECT_FALSE(released(&absent));
		/* The absent one comes, and all is as if it had come in time */
		EXPECT_EQ(barrier(&absent), 0);
		EXPECT_EQ(crowd_check(&crowd, 0), 0);
		EXPECT_EQ(polled(fd, 0), POLLIN);
		EXPECT_EQ(group_missing(fd, missing, ARRAY_SIZE(missing), &state), WAIT_KINDS + 1);
		EXPECT_EQ(state.expired, 0);
		EXPECT_EQ(state.word, absent.word);
		close(fd);
	}
}

/* The list shows the moment of the expiry, without those that have left since */
TEST_F(timeouts, missing_then)
{
	struct hbs_group_missing state;
	struct hbs_missing missing[8];
	struct port port[5];
	struct member member[5];
	struct group group;

	ASSERT_EQ(group_of(self->card, NOTIFIES(SHORT), &group, port, member, 5), 0);
	arrive(&member[1]);
	ASSERT_EQ(timeouts_wait(group.fd, 1), 1);
	arrive(&member[2]);
	ASSERT_EQ(leave(&member[3]), 0);
	ASSERT_EQ(group_missing(group.fd, missing, 8, &state), 3);
	EXPECT_EQ(state.expired, 1);
	EXPECT_EQ(missing[0].port, port[0].number);
	EXPECT_EQ(missing[1].port, port[2].number);
	EXPECT_EQ(missing[2].port, port[4].number);
	/* In the next epoch it is of now again */
	arrive(&member[0]);
	arrive(&member[4]);
	EXPECT_EQ(wait_spin(&member[1]), 0);
	EXPECT_EQ(wait_spin(&member[2]), 0);
	EXPECT_EQ(group_missing(group.fd, missing, 8, &state), 4);
	EXPECT_EQ(state.expired, 0);
}

/* The list of now: in each order of arrivals, and no more of it than there is room */
TEST_F(timeouts, missing_now)
{
	struct hbs_group_missing state, untouched;
	struct hbs_missing missing[8];
	struct port port[5];
	struct member member[5];
	struct group group;

	ASSERT_EQ(group_of(self->card, BREAKS(0), &group, port, member, 5), 0);
	for (unsigned int set = 0; set < 31; set++) {
		uint64_t word = member[0].word;
		unsigned int n = 0;

		for (int i = 0; i < 5; i++)
			if (set >> i & 1)
				arrive(&member[i]);
		for (uint32_t room = 0; room <= 8; room++) {
			n = 0;
			memset(missing, 0x5a, sizeof(missing));
			ASSERT_EQ(group_missing(group.fd, missing, room, &state),
				  5 - __builtin_popcount(set));
			EXPECT_EQ(state.word, word);
			EXPECT_EQ(state.expired, 0);
			for (int i = 0; i < 5; i++) {
				if (set >> i & 1 || n == room)
					continue;
				EXPECT_EQ(missing[n].port, port[i].number);
				EXPECT_EQ(missing[n].pid, getpid());
				n++;
			}
			for (; n < 8; n++)
				EXPECT_EQ(missing[n].port, 0x5a5a5a5a);
		}
		for (int i = 0; i < 5; i++)
			if (!(set >> i & 1))
				arrive(&member[i]);
		for (int i = 0; i < 5; i++)
			ASSERT_EQ(wait_spin(&member[i]), 0);
	}
	/* A list that cannot be written, while only the list cannot */
	EXPECT_EQ(group_missing(group.fd, NULL, 1, &untouched), -EFAULT);
	EXPECT_EQ(untouched.count, 0);
	EXPECT_EQ(group_missing(group.fd, (void *)-8UL, UINT32_MAX, NULL), -EFAULT);
	EXPECT_EQ(group_missing(group.fd, missing, 8, NULL), 5);
}

/* A thread of this process that takes a port, and ends or waits for its end */
struct taker {
	int card;
	struct port port;
	pid_t tid;
	int ret;
};

static void *take_port(void *arg)
{
	struct taker *taker = arg;

	taker->tid = gettid();
	taker->ret = port_alloc(taker->card, &taker->port);
	return NULL;
}

static bool is_missing(const struct hbs_missing *list, int n, uint32_t port, pid_t pid, pid_t tid)
{
	for (int i = 0; i < n; i++)
		if (list[i].port == port)
			return list[i].pid == pid && list[i].tid == tid;
	return false;
}

/* Who is missing: this process, a thread of it, another process, and a dead one */
TEST_F(timeouts, missing_pids)
{
	struct hbs_group_missing state;
	struct taker taker = { .card = self->card };
	struct hbs_missing missing[8];
	struct one one;
	struct member member;
	struct port *dead;
	uint32_t *number;
	int done[2], n, status;
	pthread_t thread;
	pid_t pid, gone;
	char byte;

	dead = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(dead, MAP_FAILED);
	number = (uint32_t *)(dead + 1);
	ASSERT_EQ(pipe(done), 0);
	ASSERT_EQ(group_create_with(self->card, 4, BREAKS(500 * MS), &one.group), 0);
	/* a thread that is gone when it is asked for */
	ASSERT_EQ(pthread_create(&thread, NULL, take_port, &taker), 0);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	ASSERT_EQ(taker.ret, 0);
	ASSERT_EQ(join(&one.group, &taker.port, &member), 0);
	/* a process that takes a port in a file of ours, and dies */
	gone = fork();
	if (!gone)
		_exit(port_alloc_only(self->card, dead) ? 1 : 0);
	ASSERT_EQ(waitpid(gone, &status, 0), gone);
	ASSERT_EQ(status, 0);
	ASSERT_EQ(join(&one.group, dead, &member), 0);
	/* a process that lives, with a thread */
	pid = fork();
	if (!pid) {
		struct taker mine = { .card = card_open() };

		close(self->card);
		if (pthread_create(&thread, NULL, take_port, &mine) || pthread_join(thread, NULL) ||
		    mine.ret || join(&one.group, &mine.port, &member))
			_exit(1);
		*number = mine.port.number;
		number[1] = mine.tid;
		if (write(done[1], "", 1) != 1)
			_exit(2);
		pause();
	}
	ASSERT_EQ(read(done[0], &byte, 1), 1);
	ASSERT_EQ(port_alloc(self->card, &one.port), 0);
	ASSERT_EQ(join(&one.group, &one.port, &one.member), 0);

	n = group_missing(one.group.fd, missing, 8, &state);
	EXPECT_EQ(n, 4);
	EXPECT_TRUE(is_missing(missing, n, one.port.number, getpid(), getpid()));
	EXPECT_TRUE(is_missing(missing, n, taker.port.number, getpid(), taker.tid));
	EXPECT_TRUE(is_missing(missing, n, dead->number, gone, gone));
	EXPECT_TRUE(is_missing(missing, n, *number, pid, number[1]));
	EXPECT_NE((pid_t)number[1], pid);
	/* and the same three at the timeout */
	EXPECT_EQ(barrier(&one.member), -ETIMEDOUT);
	n = group_missing(one.group.fd, missing, 8, &state);
	EXPECT_EQ(n, 3);
	EXPECT_EQ(state.expired, 1);
	EXPECT_TRUE(is_missing(missing, n, dead->number, gone, gone));
	EXPECT_TRUE(is_missing(missing, n, *number, pid, number[1]));

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* In another pid namespace: numbers of that namespace, and 0 for processes that are not in it */
TEST_F(timeouts, missing_in_a_namespace)
{
	struct hbs_missing missing[4];
	struct one one;
	struct member member;
	struct port port, *theirs;
	int status, n;
	pid_t pid;

	theirs = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(theirs, MAP_FAILED);
	ASSERT_EQ(group_create(self->card, 2, &one.group), 0);
	ASSERT_EQ(port_alloc(self->card, &one.port), 0);
	ASSERT_EQ(join(&one.group, &one.port, &one.member), 0);
	pid = fork();
	if (!pid) {
		pid_t init;

		if (unshare(CLONE_NEWPID))
			_exit(1);
		init = fork();
		if (!init) {
			if (getpid() != 1 || port_alloc_only(self->card, &port))
				_exit(2);
			*theirs = port;
			if (join(&one.group, &port, &member))
				_exit(3);
			n = group_missing(one.group.fd, missing, 4, NULL);
			_exit(n == 2 && is_missing(missing, n, one.port.number, 0, 0) &&
					      is_missing(missing, n, port.number, 1, 1)
				      ? 0
				      : 4);
		}
		_exit(waitpid(init, &status, 0) != init || status ? 5 : init & 0x7f);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFEXITED(status));
	n = group_missing(one.group.fd, missing, 4, NULL);
	ASSERT_EQ(n, 2);
	for (int i = 0; i < n; i++) {
		if (missing[i].port != theirs->number)
			continue;
		/* From here its number is an ordinary one */
		EXPECT_GT(missing[i].pid, 1);
		EXPECT_EQ(missing[i].pid & 0x7f, WEXITSTATUS(status));
		EXPECT_EQ(missing[i].tid, missing[i].pid);
	}
}

/* A deadline is over: nothing is broken, and the arrival stands */
TEST_F(timeouts, deadline)
{
	struct port port[2];
	struct member member[2];
	struct group group;
	uint64_t word, start, deadline;

	ASSERT_EQ(group_of(self->card, BREAKS(0), &group, port, member, 2), 0);
	arrive(&member[0]);
	/* past */
	for (int i = 0; i < 3; i++) {
		word = member[0].word;
		EXPECT_EQ(group_wait_until(group.fd, &word, i == 2 ? monotonic_ns() : 1ULL + i),
			  -ETIMEDOUT);
		EXPECT_EQ(word, member[0].word);
	}
	for (int i = 0; i < 5; i++) {
		start = monotonic_ns();
		deadline = start + (i + 1) * 20 * MS;
		EXPECT_EQ(group_wait_until(group.fd, &word, deadline), -ETIMEDOUT);
		EXPECT_EQ(word, member[0].word);
		EXPECT_GE(monotonic_ns(), deadline);
		EXPECT_LT(monotonic_ns(), deadline + LATE);
	}
	EXPECT_FALSE(released(&member[0]));
	ASSERT_EQ(barrier(&member[1]), 0);
	/* A barrier that is over is over, whatever the deadline */
	for (int i = 0; i < 3; i++) {
		word = member[0].word;
		EXPECT_EQ(group_wait_until(group.fd, &word, i), 0);
		EXPECT_EQ(word, member[1].word);
	}
	ASSERT_EQ(wait_spin(&member[0]), 0);
	ASSERT_EQ(group_destroy(group.fd), 0);
	EXPECT_EQ(group_wait_until(group.fd, &word, 1), -EIDRM);
	EXPECT_EQ(word_error(word), -EIDRM);
}

/* A thread that waits with a deadline */
struct bounded {
	struct member *member;
	uint64_t deadline;
	uint64_t end;
	uint64_t word;
	pid_t tid;
	int result;
};

static void *bounded_run(void *arg)
{
	struct bounded *bounded = arg;

	bounded->word = bounded->member->word;
	__atomic_store_n(&bounded->tid, gettid(), __ATOMIC_RELEASE);
	bounded->result =
		group_wait_until(bounded->member->group, &bounded->word, bounded->deadline);
	bounded->end = monotonic_ns();
	return NULL;
}

static int bounded_start(struct bounded *bounded, struct member *member, uint64_t deadline,
			 pthread_t *thread)
{
	int ret;

	*bounded = (struct bounded){ .member = member, .deadline = deadline };
	ret = -pthread_create(thread, NULL, bounded_run, bounded);
	while (!ret && !__atomic_load_n(&bounded->tid, __ATOMIC_ACQUIRE))
		sleep_ms(1);
	return ret ? ret : wait_asleep(bounded->tid);
}

TEST_F(timeouts, deadline_far_away)
{
	static const uint64_t far[] = { INT64_MAX - 1, INT64_MAX, 1ULL << 63, UINT64_MAX };
	struct port port[2];
	struct member member[2];
	struct group group;
	struct bounded bounded;
	pthread_t thread;

	ASSERT_EQ(group_of(self->card, BREAKS(0), &group, port, member, 2), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(far); i++) {
		arrive(&member[0]);
		ASSERT_EQ(bounded_start(&bounded, &member[0], far[i], &thread), 0);
		ASSERT_EQ(barrier(&member[1]), 0);
		ASSERT_EQ(pthread_join(thread, NULL), 0);
		EXPECT_EQ(bounded.result, 0);
		EXPECT_EQ(bounded.word, member[1].word);
		ASSERT_EQ(wait_spin(&member[0]), 0);
	}
	arrive(&member[0]);
	ASSERT_EQ(bounded_start(&bounded, &member[0], monotonic_ns() + 100 * 1000 * MS, &thread),
		  0);
	ASSERT_EQ(group_destroy(group.fd), 0);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	EXPECT_EQ(bounded.result, -EIDRM);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* Signals that restart the call do not move the deadline */
TEST_F(timeouts, deadline_and_signals)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct port port[2];
	struct member member[2];
	struct group group;
	struct bounded bounded;
	pthread_t thread;
	uint64_t deadline;

	ASSERT_EQ(group_of(self->card, BREAKS(0), &group, port, member, 2), 0);
	arrive(&member[0]);
	ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	deadline = monotonic_ns() + 600 * MS;
	ASSERT_EQ(bounded_start(&bounded, &member[0], deadline, &thread), 0);
	/* Were it counted from the latest restart, it would never come */
	while (pthread_tryjoin_np(thread, NULL)) {
		ASSERT_LT(monotonic_ns(), deadline + LATE);
		ASSERT_EQ(pthread_kill(thread, SIGUSR1), 0);
		sleep_ms(20);
	}
	EXPECT_EQ(bounded.result, -ETIMEDOUT);
	EXPECT_EQ(bounded.word, member[0].word);
	EXPECT_GE(bounded.end, deadline);
	EXPECT_LT(bounded.end, deadline + LATE);

	action.sa_flags = 0;
	ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	ASSERT_EQ(bounded_start(&bounded, &member[0], monotonic_ns() + LONG, &thread), 0);
	ASSERT_EQ(pthread_kill(thread, SIGUSR1), 0);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	EXPECT_EQ(bounded.result, -EINTR);
}

/* A timer that expires as often as it can: few interrupts, and the last one comes */
TEST_F(timeouts, storm)
{
	struct port port[2];
	struct member member[2];
	struct group group;
	long before, after;
	double start = seconds(), took;
	int fd, epochs = 2000;

	ASSERT_EQ(group_of(self->card, NOTIFIES(1000), &group, port, member, 2), 0);
	ASSERT_EQ(card_attribute("interrupts", &before), 0);
	for (int i = 0; i < epochs; i++) {
		struct hbs_group_missing state = { 0 };
		uint64_t end = monotonic_ns() + 2000;

		arrive(&member[0]);
		while (monotonic_ns() < end || (i == epochs - 1 && !state.expired))
			if (i == epochs - 1)
				group_missing(group.fd, NULL, 0, &state);
		if (i < epochs - 1) {
			ASSERT_EQ(barrier(&member[1]), 0);
			ASSERT_EQ(wait_spin(&member[0]), 0);
		}
	}
	fd = group_reopen(group.fd, member[0].word);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(polled(fd, 5000), POLLPRI);
	took = seconds() - start;
	ASSERT_EQ(card_attribute("interrupts", &after), 0);
	/* One timer a tick, and there are 250 to 1000 ticks a second */
	EXPECT_LT(after - before, 10 + 1100 * took);
	EXPECT_GT(group_timeouts(group.fd), 0);
	EXPECT_LE(group_timeouts(group.fd), epochs);
	TH_LOG("%d epochs, %ld expiries seen, %ld interrupts in %.2f s", epochs,
	       group_timeouts(group.fd), after - before, took);
}

/* What a group's timer did does not show in the next group in its place */
TEST_F(timeouts, next_group)
{
	struct hbs_group_missing state;
	struct group group;
	struct one one;

	ASSERT_EQ(port_alloc(self->card, &one.port), 0);
	for (int i = 0; i < 20; i++) {
		uint32_t number;
		int fd;

		ASSERT_EQ(group_create_with(self->card, 2, NOTIFIES(1000), &one.group), 0);
		number = one.group.number;
		ASSERT_EQ(join(&one.group, &one.port, &one.member), 0);
		arrive(&one.member);
		while (group_missing(one.group.fd, NULL, 0, &state) == 0 && !state.expired)
			;
		ASSERT_EQ(group_close(&one.group), 0);
		ASSERT_EQ(group_create_with(self->card, 2, NOTIFIES(LONG), &group), 0);
		ASSERT_EQ(group.number, number);
		EXPECT_EQ(group_timeouts(group.fd), 0);
		EXPECT_EQ(group_missing(group.fd, NULL, 0, &state), 0);
		EXPECT_EQ(state.expired, 0);
		fd = group_reopen(group.fd, *(uint64_t *)group.map);
		ASSERT_GE(fd, 0);
		EXPECT_EQ(polled(fd, 2), 0);
		EXPECT_EQ(group_timeouts(group.fd), 0);
		close(fd);
		ASSERT_EQ(group_close(&group), 0);
	}
}

/* Two members that come so close to the timeout that either may happen: both see the same */
struct racer {
	struct member member;
	struct port port;
	pthread_barrier_t *start;
	enum wait_kind kind;
	uint64_t delay;
	int rounds;
	int *result;
	struct group *group;
	int wrong;
	pthread_t thread;
};

static void *racer_run(void *arg)
{
	struct racer *racer = arg;

	for (int i = 0; i < racer->rounds; i++) {
		uint64_t end;

		if (join(racer->group, &racer->port, &racer->member))
			racer->wrong++;
		pthread_barrier_wait(racer->start);
		for (end = monotonic_ns() + racer->delay; monotonic_ns() < end;)
			;
		racer->delay = (racer->delay * 7 + 10007) % 200000;
		arrive(&racer->member);
		racer->result[i] = racer->kind == WAIT_SPIN ? wait_spin(&racer->member)
							    : wait_sleep(&racer->member);
		pthread_barrier_wait(racer->start);
		/* The main thread mends the group */
		pthread_barrier_wait(racer->start);
	}
	return NULL;
}

TEST_F(timeouts, race_with_completion)
{
	enum { ROUNDS = 300 };
	static int result[2][ROUNDS];
	static struct racer racer[2];
	pthread_barrier_t start;
	struct group group;
	int broken = 0;

	ASSERT_EQ(pthread_barrier_init(&start, NULL, 3), 0);
	ASSERT_EQ(group_create_with(self->card, 2, BREAKS(100000), &group), 0);
	for (int i = 0; i < 2; i++) {
		racer[i] = (struct racer){
			.start = &start,
			.kind = i ? WAIT_IOCTL : WAIT_SPIN,
			.delay = 1000 * i,
			.rounds = ROUNDS,
			.result = result[i],
			.group = &group,
		};
		ASSERT_EQ(port_alloc(self->card, &racer[i].port), 0);
		ASSERT_EQ(pthread_create(&racer[i].thread, NULL, racer_run, &racer[i]), 0);
	}
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&start);
		pthread_barrier_wait(&start);
		broken += !!result[0][i];
		EXPECT_EQ(result[0][i], result[1][i]);
		EXPECT_TRUE(result[0][i] == 0 || result[0][i] == -ETIMEDOUT);
		EXPECT_EQ(group_timeouts(group.fd), broken);
		ASSERT_EQ(group_reset(group.fd), 0);
		pthread_barrier_wait(&start);
	}
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(pthread_join(racer[i].thread, NULL), 0);
		EXPECT_EQ(racer[i].wrong, 0);
	}
	TH_LOG("epochs %d, %d of them broken", ROUNDS, broken);
}

/* A card that is reset forgets its timers, and the limits are the driver's */
TEST_F(timeouts, card_reset)
{
	struct hbs_group_missing state;
	struct port port[2];
	struct member member[2];
	struct group group;
	char pci[32];
	long value;

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	ASSERT_EQ(set_limit("timeout_min_ns", "2000"), 0);
	ASSERT_EQ(group_of(self->card, BREAKS(400 * MS), &group, port, member, 2), 0);
	arrive(&member[0]);
	ASSERT_EQ(card_pci_write(pci, "reset", "1"), 0);
	EXPECT_EQ(wait_spin(&member[0]), -ECONNRESET);
	sleep_ms(600);
	EXPECT_EQ(word_error(*member[1].record), -ECONNRESET);
	EXPECT_EQ(group_timeouts(group.fd), 0);
	EXPECT_EQ(group_missing(group.fd, NULL, 0, &state), -ECONNRESET);
	ASSERT_EQ(card_attribute("timeout_min_ns", &value), 0);
	EXPECT_EQ(value, 2000);
	ASSERT_EQ(set_limit("timeout_min_ns", "1000"), 0);
	/* and new timers work */
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(group_of(self->card, BREAKS(SHORT), &group, port, member, 2), 0);
	EXPECT_EQ(barrier(&member[0]), -ETIMEDOUT);
	EXPECT_EQ(group_timeouts(group.fd), 1);
}

TEST_HARNESS_MAIN
