// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads that wait, in each way that there is */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conformance.h"

#define LONG_NS	  3600000000000u
#define SPIN_LONG 10000000000u
#define SETTLE_US 30000

int wait_long(struct hbs_member *member)
{
	return hbs_wait_for(member, LONG_NS);
}

int wait_by_poll(struct hbs_member *member)
{
	struct pollfd pollfd = { .fd = hbs_member_fd(member), .events = POLLIN };
	int ret;

	if (pollfd.fd < 0)
		return pollfd.fd;
	if (poll(&pollfd, 1, -1) != 1)
		return -errno;
	ret = hbs_test(member);
	/* 0 would be a descriptor that promised too much */
	return ret == 1 ? 0 : ret ? ret : -EPROTO;
}

static void *waiter_run(void *argument)
{
	struct waiter *waiter = argument;
	uint64_t got;

	__atomic_store_n(&waiter->tid, gettid(), __ATOMIC_RELEASE);
	waiter->result = waiter->brings ? hbs_allreduce(waiter->member, waiter->value, &got)
					: waiter->wait(waiter->member);
	__atomic_store_n(&waiter->over, true, __ATOMIC_RELEASE);
	return NULL;
}

static bool is_asleep(pid_t tid)
{
	char path[64], line[256], *state = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fgets(line, sizeof(line), file))
		state = strrchr(line, ')');
	fclose(file);
	return state && state[2] == 'S';
}

/* Returns when it waits */
static void start(struct waiter *waiter)
{
	unsigned int asleep = 0;

	IS(pthread_create(&waiter->thread, NULL, waiter_run, waiter), 0);
	while (!__atomic_load_n(&waiter->tid, __ATOMIC_ACQUIRE))
		nap_us(100);
	/* Asleep thrice in a row, for it may sleep on the way there; or it spins */
	for (unsigned int us = 0; us < SETTLE_US && asleep < 3; us += 1000) {
		asleep = is_asleep(waiter->tid) ? asleep + 1 : 0;
		nap_us(1000);
	}
}

void waiter_start(struct waiter *waiter, struct hbs_member *member,
		  int (*wait)(struct hbs_member *member))
{
	*waiter = (struct waiter){ .member = member, .wait = wait };
	start(waiter);
}

int waiter_end(struct waiter *waiter)
{
	IS(pthread_join(waiter->thread, NULL), 0);
	return waiter->result;
}

static bool by_itself(const struct early *early)
{
	return early->context->mode->features & SPLIT_PHASE;
}

void early_arrives(struct context *context, struct early *early, struct hbs_member *member)
{
	early->context = context;
	if (!by_itself(early)) {
		waiter_start(&early->waiter, member, hbs_barwait);
		return;
	}
	early->waiter.member = member;
	IS(hbs_arrive(member), 0);
}

void early_brings(struct context *context, struct early *early, struct hbs_member *member,
		  uint64_t value)
{
	*early = (struct early){ .context = context,
				 .waiter = { .member = member, .value = value, .brings = true } };
	if (by_itself(early))
		IS(hbs_arrive_value(member, value), 0);
	else
		start(&early->waiter);
}

void early_waits(struct early *early)
{
	if (by_itself(early))
		IS(hbs_test(early->waiter.member), 0);
	else
		assert_false(__atomic_load_n(&early->waiter.over, __ATOMIC_ACQUIRE));
}

int early_departs(struct early *early)
{
	return by_itself(early) ? hbs_wait(early->waiter.member) : waiter_end(&early->waiter);
}

void pass_all(struct context *context, struct hbs_member **members, unsigned int count)
{
	struct early early[MAX_THREADS];

	for (unsigned int i = 0; i < count - 1; i++)
		early_arrives(context, &early[i], members[i]);
	for (unsigned int i = 0; i < count - 1; i++)
		early_waits(&early[i]);
	IS(hbs_barwait(members[count - 1]), 0);
	for (unsigned int i = 0; i < count - 1; i++)
		IS(early_departs(&early[i]), 0);
}

struct kind {
	int (*wait)(struct hbs_member *member);
	bool arrive; /* before it */
	bool spin;
	unsigned int needs;
};

/* The member that spins is last: it leaves the others no time to come */
static const struct kind kinds[] = {
	{ hbs_barwait, false, false, 0 },
	{ hbs_wait, true, false, SPLIT_PHASE },
	{ wait_long, true, false, SPLIT_PHASE | DEADLINES },
	{ wait_by_poll, true, false, SPLIT_PHASE | POLL_FD },
	{ hbs_wait, true, true, SPLIT_PHASE },
	{ hbs_barwait, false, true, 0 },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

void crowd_join(struct context *context, struct crowd *crowd, const struct hbs_group_attr *attr)
{
	struct hbs_group_attr all = *attr;
	struct hbs_group *spinning, *sleeping;

	*crowd = (struct crowd){ 0 };
	for (unsigned int i = 0; i < KINDS; i++)
		if (!(kinds[i].needs & ~context->mode->features))
			crowd->count++;
	all.members += crowd->count;
	crowd->group = make_group_of(context, &all);
	spinning = import_group(context, open_more(context, SPIN_LONG), crowd->group);
	sleeping = import_group(context, open_more(context, HBS_SPIN_NONE), crowd->group);
	for (unsigned int i = 0, n = 0; i < KINDS; i++) {
		if (kinds[i].needs & ~context->mode->features)
			continue;
		join(kinds[i].spin ? spinning : sleeping, &crowd->members[n], 1);
		crowd->waiters[n++].wait = kinds[i].wait;
	}
}

bool crowd_waits_in_time(struct crowd *crowd)
{
	for (crowd->waiting = 0; crowd->waiting < crowd->count; crowd->waiting++) {
		struct waiter *waiter = &crowd->waiters[crowd->waiting];
		struct hbs_member *member = crowd->members[crowd->waiting];
		int ret = waiter->wait == hbs_barwait ? 0 : hbs_arrive(member);

		if (ret == -ETIMEDOUT)
			return false;
		IS(ret, 0);
		waiter_start(waiter, member, waiter->wait);
	}
	return true;
}

void crowd_wait(struct crowd *crowd)
{
	assert_true(crowd_waits_in_time(crowd));
}

void crowd_ends(struct crowd *crowd, int result)
{
	for (unsigned int i = 0; i < crowd->waiting; i++)
		IS(waiter_end(&crowd->waiters[i]), result);
}

void crowd_leave(struct crowd *crowd)
{
	leave(crowd->members, crowd->count);
}
