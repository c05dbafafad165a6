// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pthread.h>

#include "shared/now.h"
#include "trial.h"

struct person {
	struct shared *shared;
	unsigned int number;
};

/* What the threads of a trial share */
struct shared {
	struct trial *trial;
	struct hbs_group *group;
	_Atomic unsigned int arrived[TRIAL_MEMBERS_MAX]; /* at so many barriers */
};

/* Only the first error counts: the others follow from it */
static void fail(struct shared *shared, const char *call, int error)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&shared->trial->error, &none, error))
		shared->trial->call = call;
	/* nobody waits for a member that has given up */
	hbs_group_destroy(shared->group);
}

static bool arrive(struct person *person, struct hbs_member *me, unsigned int round)
{
	struct trial *trial = person->shared->trial;
	int error;

	atomic_store(&person->shared->arrived[person->number], round);
	if (trial->attr.reduce)
		error = hbs_arrive_value(me, trial->value(round, person->number));
	else
		error = hbs_arrive(me);
	if (error)
		fail(person->shared, "hbs_arrive", error);
	return !error;
}

static bool depart(struct person *person, struct hbs_member *me, unsigned int round)
{
	struct trial *trial = person->shared->trial;
	uint64_t result;
	int error = hbs_wait_for(me, TRIAL_PATIENCE_NS);

	if (error) {
		fail(person->shared, "hbs_wait", error);
		return false;
	}
	for (unsigned int i = 0; i < trial->attr.members; i++)
		if (atomic_load(&person->shared->arrived[i]) < round)
			atomic_fetch_add(&trial->early, 1);
	if (!trial->attr.reduce)
		return true;
	error = hbs_result(me, &result);
	if (error)
		fail(person->shared, "hbs_result", error);
	else if (result != trial->expected(trial, round))
		atomic_fetch_add(&trial->wrong, 1);
	return !error;
}

static void *be_member(void *arg)
{
	struct person *person = arg;
	struct hbs_member *me;
	int error = hbs_join_tagged(person->shared->group, person->number + 1, &me);

	if (error) {
		fail(person->shared, "hbs_join", error);
		return NULL;
	}
	for (unsigned int round = 1; round <= person->shared->trial->rounds; round++)
		if (!arrive(person, me, round) || !depart(person, me, round))
			break;
	hbs_leave(me);
	return NULL;
}

static void run_threads(struct shared *shared)
{
	struct person people[TRIAL_MEMBERS_MAX];
	pthread_t threads[TRIAL_MEMBERS_MAX];
	unsigned int count = 0;

	for (; count < shared->trial->attr.members; count++) {
		int error;

		people[count] = (struct person){ shared, count };
		error = pthread_create(&threads[count], NULL, be_member, &people[count]);
		if (error) {
			fail(shared, "pthread_create", -error);
			break;
		}
	}
	while (count)
		pthread_join(threads[--count], NULL);
}

bool trial_run(struct hbs *hbs, struct trial *trial)
{
	struct shared shared = { .trial = trial };
	int error = hbs_group_create(hbs, &trial->attr, &shared.group);

	if (error) {
		trial->error = error;
		trial->call = "hbs_group_create";
		return false;
	}
	run_threads(&shared);
	error = hbs_group_stats(shared.group, &trial->stats);
	if (error)
		fail(&shared, "hbs_group_stats", error);
	hbs_group_close(shared.group);
	return !trial->error;
}

static void wait_in_vain(struct hbs_group *group, struct hbs_member *me,
			 struct trial_timeout *timeout)
{
	struct hbs_absentee absentee = { 0 };
	double start = now_ns();

	timeout->error = hbs_arrive(me);
	if (!timeout->error)
		timeout->error = hbs_wait_for(me, timeout->timeout_ns + TRIAL_PATIENCE_NS);
	timeout->took_ns = (uint64_t)(now_ns() - start);
	timeout->missing = hbs_group_missing(group, &absentee, 1);
	timeout->right = timeout->missing == 1 && absentee.tag == 2;
}

int trial_timeout(struct hbs *hbs, struct trial_timeout *timeout)
{
	struct hbs_group_attr attr = { .members = 2, .timeout_ns = timeout->timeout_ns };
	struct hbs_member *me, *other;
	struct hbs_group *group;
	int error = hbs_group_create(hbs, &attr, &group);

	if (error)
		return error;
	error = hbs_join_tagged(group, 1, &me);
	if (!error) {
		error = hbs_join_tagged(group, 2, &other);
		if (!error) {
			wait_in_vain(group, me, timeout);
			hbs_leave(other);
		}
		hbs_leave(me);
	}
	hbs_group_close(group);
	return error;
}
