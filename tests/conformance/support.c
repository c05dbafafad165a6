// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tests share: contexts and groups, time, threads that take part */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "conformance.h"

bool same(long long got, long long want, const char *text, const char *file, int line)
{
	if (got == want)
		return true;
	printf("# %s:%d: %s: %lld (%s), not %lld\n", file, line, text, got,
	       got < 0 ? hbs_strerror(got) : "no error", want);
	return false;
}

bool holds(bool condition, const char *text, const char *file, int line)
{
	if (!condition)
		printf("# %s:%d: not so: %s\n", file, line, text);
	return condition;
}

struct hbs *open_more(struct context *context, uint64_t spin_ns)
{
	struct hbs_attr attr = {
		.backend = context->mode->backend,
		.device = context->device,
		.spin_ns = spin_ns,
	};
	struct hbs *hbs = NULL;

	assert_true(context->n_more < MAX_CONTEXTS);
	IS(hbs_open(&hbs, &attr), 0);
	context->more[context->n_more++] = hbs;
	return hbs;
}

static struct hbs_group *keep_group(struct context *context, struct hbs_group *group)
{
	assert_true(context->n_groups < MAX_GROUPS);
	context->groups[context->n_groups++] = group;
	return group;
}

struct hbs_group_attr group_attr(const struct context *context, const struct hbs_group_attr *attr)
{
	struct hbs_group_attr all = context->mode->attr;

	all.members = attr->members;
	all.type = attr->type;
	all.reduce = attr->reduce;
	all.policy = attr->policy;
	all.timeout_ns = attr->timeout_ns;
	all.completion = attr->completion;
	all.completion_arg = attr->completion_arg;
	return all;
}

struct hbs_group *make_group_of(struct context *context, const struct hbs_group_attr *attr)
{
	struct hbs_group_attr all = group_attr(context, attr);
	struct hbs_group *group = NULL;

	IS(hbs_group_create(context->hbs, &all, &group), 0);
	return keep_group(context, group);
}

struct hbs_group *make_group(struct context *context, unsigned int members)
{
	return make_group_of(context, &(struct hbs_group_attr){ .members = members });
}

struct hbs_group *import_group(struct context *context, struct hbs *hbs, struct hbs_group *group)
{
	struct hbs_group *imported = NULL;

	IS(hbs_group_import(hbs, hbs_group_fd(group), &imported), 0);
	return keep_group(context, imported);
}

void join(struct hbs_group *group, struct hbs_member **members, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		IS(hbs_join(group, &members[i]), 0);
}

void leave(struct hbs_member **members, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		IS(hbs_leave(members[i]), 0);
}

struct hbs_group_stats stats_of(struct hbs_group *group)
{
	struct hbs_group_stats stats = { 0 };

	IS(hbs_group_stats(group, &stats), 0);
	return stats;
}

const struct hbs_absentee *find_tag(const struct hbs_absentee *list, int count, uint64_t tag)
{
	for (int i = 0; i < count; i++)
		if (list[i].tag == tag)
			return &list[i];
	return NULL;
}

uint64_t barriers(struct hbs_group *group)
{
	return stats_of(group).barriers;
}

bool lags(const struct context *context)
{
	const struct hbs_group_attr *attr = &context->mode->attr;

	return attr->arrive_by == HBS_ARRIVE_BY_POLLING ||
	       attr->depart_by == HBS_DEPART_BY_MEMBER_RECORD ||
	       attr->depart_by == HBS_DEPART_BY_NODE_RECORD;
}

uint64_t arrivals(struct context *context, struct hbs_group *group, uint64_t want)
{
	uint64_t count = stats_of(group).arrivals;

	for (int ms = 0; lags(context) && count < want && ms < LAG_MS; ms++) {
		nap_us(1000);
		count = stats_of(group).arrivals;
	}
	return count;
}

int soon(struct context *context, struct hbs_member *member, int (*call)(struct hbs_member *member),
	 int not_yet)
{
	int ret = call(member);

	for (int ms = 0; lags(context) && ret == not_yet && ms < LAG_MS; ms++) {
		nap_us(1000);
		ret = call(member);
	}
	return ret;
}

int over(struct context *context, struct hbs_member *member)
{
	return soon(context, member, hbs_test, 0);
}

unsigned int scaled(const struct context *context, unsigned int count)
{
	/* a card is an emulated one, in an emulated machine */
	unsigned int part = context->mode->backend == HBS_BACKEND_CARD ? 20 : 1;

	part *= context->less;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	part *= 4;
#endif
	return count >= part ? count / part : 1;
}

unsigned int cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

void nap_us(unsigned int us)
{
	struct timespec rest = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L };

	while (nanosleep(&rest, &rest))
		;
}

double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* splitmix64 */
uint64_t random_from(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

struct thread {
	struct part part;
	part_work *work;
	pthread_t id;
	int failed;
};

static void *thread_run(void *argument)
{
	struct thread *thread = argument;
	struct part *part = &thread->part;

	if (part->group)
		thread->failed =
			!same(hbs_join(part->group, &part->me), 0, "hbs_join", __FILE__, __LINE__);
	if (!thread->failed)
		thread->failed = thread->work(part);
	/* so that nobody waits for this one */
	if (part->group && thread->failed)
		hbs_group_destroy(part->group);
	if (part->me)
		hbs_leave(part->me);
	return NULL;
}

unsigned int try_members(struct context *context, struct hbs_group *group, unsigned int count,
			 part_work *work, void *shared)
{
	struct thread threads[MAX_THREADS];
	unsigned int failed = 0;

	if (count > MAX_THREADS)
		abort();
	for (unsigned int i = 0; i < count; i++) {
		threads[i] = (struct thread){
			.part = { context, group, NULL, i, count, shared, count * 1000 + i },
			.work = work,
		};
		if (pthread_create(&threads[i].id, NULL, thread_run, &threads[i]))
			abort();
	}
	for (unsigned int i = 0; i < count; i++) {
		pthread_join(threads[i].id, NULL);
		failed += threads[i].failed;
	}
	return failed;
}

void run_members(struct context *context, struct hbs_group *group, unsigned int count,
		 part_work *work, void *shared)
{
	IS(try_members(context, group, count, work, shared), 0);
}

void run_threads(struct context *context, unsigned int count, part_work *work, void *shared)
{
	run_members(context, NULL, count, work, shared);
}

enum way way_of(int fixed, uint64_t turn)
{
	return fixed < 0 ? (enum way)(turn % WAYS) : (enum way)fixed;
}

int pass(struct part *part, enum way way)
{
	unsigned int features = part->context->mode->features;
	int ret;

	if (!(features & SPLIT_PHASE) || (way == BY_WAIT_FOR && !(features & DEADLINES)))
		way = BY_BARWAIT;
	if (way == BY_BARWAIT)
		return hbs_barwait(part->me);
	ret = hbs_arrive(part->me);
	if (ret)
		return ret;
	switch (way) {
	case BY_TEST:
		while (!(ret = hbs_test(part->me)))
			sched_yield();
		return ret == 1 ? 0 : ret;
	case BY_WAIT_FOR:
		/* times that are sometimes too short, be it to spin or to sleep */
		while ((ret = hbs_wait_for(part->me, random_from(&part->seed) % 1000000)) ==
		       -ETIMEDOUT)
			sched_yield();
		return ret;
	default:
		return hbs_wait(part->me);
	}
}

int take_steps(struct part *part)
{
	struct steps *steps = part->shared;

	for (uint64_t epoch = 1; epoch <= steps->epochs; epoch++) {
		enum way way = way_of(steps->way, epoch + part->index);

		steps->at[part->index * LINE] = epoch;
		CHECK_IS(pass(part, way), 0);
		for (unsigned int i = 0; i < part->count; i++)
			CHECK_IS(steps->at[i * LINE], epoch);
		CHECK_IS(pass(part, way), 0);
	}
	return 0;
}

static void *race_run(void *argument)
{
	struct race *race = ((void **)argument)[0];
	unsigned int index = (uintptr_t)((void **)argument)[1];

	while (!(race->error[index] = hbs_barwait(race->members[index])))
		race->passed[index]++;
	return NULL;
}

void race_start(struct race *race, struct hbs_group *group, unsigned int count)
{
	static void *arguments[MAX_THREADS][2];

	*race = (struct race){ .group = group, .count = count };
	join(group, race->members, count);
	for (unsigned int i = 0; i < count; i++) {
		arguments[i][0] = race;
		arguments[i][1] = (void *)(uintptr_t)i;
		IS(pthread_create(&race->threads[i], NULL, race_run, arguments[i]), 0);
	}
}

void race_ends(struct race *race, int error)
{
	for (unsigned int i = 0; i < race->count; i++)
		IS(pthread_join(race->threads[i], NULL), 0);
	for (unsigned int i = 0; i < race->count; i++) {
		IS(race->error[i], error);
		IS(race->passed[i], race->passed[0]);
	}
	leave(race->members, race->count);
}
