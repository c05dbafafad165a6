// SPDX-License-Identifier: GPL-2.0-or-later
/* HBS_ON_THREAD_EXIT on a faked card: what the driver hears, about which member, and when */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_card.h"
#include "threads.h"

static int reset(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

struct thread {
	struct hbs *hbs;
	struct hbs_group *groups[2];
	struct hbs_member *members[2];
	unsigned int count; /* of them, to join */
	void *(*end)(struct thread *thread);
	int failed;
};

static void *work(void *argument)
{
	struct thread *thread = argument;

	for (unsigned int i = 0; i < thread->count; i++)
		thread->failed |= hbs_join(thread->groups[i], &thread->members[i]);
	return thread->end(thread);
}

static void *by_return(struct thread *thread)
{
	return thread;
}

static void *by_exit(struct thread *thread)
{
	pthread_exit(thread);
}

static void *by_cancellation(struct thread *thread)
{
	pthread_cancel(pthread_self());
	pthread_testcancel();
	return thread;
}

/* In order */
static void *by_leaving(struct thread *thread)
{
	for (unsigned int i = 0; i < thread->count; i++)
		thread->failed |= hbs_leave(thread->members[i]);
	return thread;
}

static void leave_first(void *argument)
{
	by_leaving(argument);
}

/* Cleanup handlers come first */
static void *by_cleanup(struct thread *thread)
{
	pthread_cleanup_push(leave_first, thread);
	pthread_exit(thread);
	pthread_cleanup_pop(0);
}

static struct hbs *open_card(void)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD };
	struct hbs *hbs = NULL;

	assert_int_equal(hbs_open(&hbs, &attr), 0);
	return hbs;
}

static struct hbs_group *create(struct hbs *hbs, uint32_t policy)
{
	struct hbs_group *group = NULL;

	assert_int_equal(
		hbs_group_create(hbs, &(struct hbs_group_attr){ .members = 2, .policy = policy },
				 &group),
		0);
	return group;
}

static void run(struct thread *thread)
{
	pthread_t id;

	assert_int_equal(pthread_create(&id, NULL, work, thread), 0);
	assert_int_equal(pthread_join(id, NULL), 0);
	assert_int_equal(thread->failed, 0);
}

static void dies(void *(*end)(struct thread *thread))
{
	struct thread thread = { .hbs = open_card(), .count = 1, .end = end };

	thread.groups[0] = create(thread.hbs, HBS_ON_THREAD_EXIT);
	assert_int_equal(fake.created.policy, HBS_POLICY_THREAD);
	run(&thread);
	assert_int_equal(fake.ports[0].died, 1);
	assert_int_equal(fake.ports[0].joined, 0);
	/* the handle is not: it says what became of it, and can be left */
	assert_int_equal(hbs_barwait(thread.members[0]), -EOWNERDEAD);
	assert_int_equal(hbs_wait(thread.members[0]), -EOWNERDEAD);
	assert_int_equal(fake_ports_taken(), 1);
	assert_int_equal(hbs_group_close(thread.groups[0]), -EBUSY);
	assert_int_equal(hbs_leave(thread.members[0]), 0);
	assert_int_equal(fake_ports_taken(), 0);
	close_all(thread.hbs, thread.groups[0]);
}

static void however_it_ends(void **state)
{
	(void)state;
	dies(by_return);
	reset(state);
	dies(by_exit);
	reset(state);
	dies(by_cancellation);
}

static void lives(uint32_t policy, void *(*end)(struct thread *thread), unsigned int leaves)
{
	struct thread thread = { .hbs = open_card(), .count = 1, .end = end };

	reset(NULL);
	thread.groups[0] = create(thread.hbs, policy);
	run(&thread);
	assert_int_equal(fake.ports[0].died, 0);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_LEAVE], leaves);
	if (!leaves)
		assert_int_equal(hbs_leave(thread.members[0]), 0);
	close_all(thread.hbs, thread.groups[0]);
}

static void without_the_policy(void **state)
{
	(void)state;
	lives(0, by_return, 0);
	lives(HBS_ON_DEATH_SHRINK, by_return, 0);
}

static void who_leaves_is_not_dead(void **state)
{
	(void)state;
	lives(HBS_ON_THREAD_EXIT, by_leaving, 1);
	lives(HBS_ON_THREAD_EXIT, by_cleanup, 1);
}

/* One thread's memberships, of several contexts; a group without the policy among them */
static void each_membership(void **state)
{
	struct thread thread = { .hbs = open_card(), .count = 2, .end = by_return };
	struct hbs *other = open_card();
	struct hbs_member *mine;

	(void)state;
	thread.groups[1] = create(other, HBS_ON_THREAD_EXIT);
	thread.groups[0] = create(thread.hbs, HBS_ON_THREAD_EXIT | HBS_ON_DEATH_SHRINK);
	/* of a thread that goes on */
	assert_int_equal(hbs_join(thread.groups[0], &mine), 0);
	run(&thread);
	assert_int_equal(fake.ports[0].died, 0);
	assert_int_equal(fake.ports[1].died | fake.ports[2].died, 3);
	assert_int_equal(hbs_leave(mine), 0);
	assert_int_equal(hbs_leave(thread.members[0]), 0);
	assert_int_equal(hbs_leave(thread.members[1]), 0);
	assert_int_equal(fake_ports_taken(), 0);
	close_all(other, thread.groups[1]);
	close_all(thread.hbs, thread.groups[0]);
}

/* Left by another thread while its own lives: there is nothing to tell at its end */
static void *let_another_leave(struct thread *thread)
{
	struct thread other = { .members = { thread->members[0] }, .end = by_leaving };
	pthread_t id;

	other.hbs = thread->hbs;
	if (pthread_create(&id, NULL, work, &other))
		return NULL;
	pthread_join(id, NULL);
	hbs_leave(thread->members[0]);
	return thread;
}

static void left_by_another(void **state)
{
	struct thread thread = { .hbs = open_card(), .count = 1, .end = let_another_leave };

	(void)state;
	thread.groups[0] = create(thread.hbs, HBS_ON_THREAD_EXIT);
	run(&thread);
	assert_int_equal(fake.ports[0].died, 0);
	assert_int_equal(fake.calls[HBS_CMD_GROUP_LEAVE], 1);
	close_all(thread.hbs, thread.groups[0]);
}

/* A child of fork that ends its thread is no member, and a member of its own is */
static void in_a_child(void **state)
{
	struct hbs *hbs = open_card();
	struct hbs_group *group = create(hbs, HBS_ON_THREAD_EXIT);
	struct hbs_member *mine;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(hbs_join(group, &mine), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct thread thread = { .hbs = open_card(), .count = 1, .end = by_return };

		/* the first page of the parent's memory is the child's copy in this fake */
		thread.groups[0] = create(thread.hbs, HBS_ON_THREAD_EXIT);
		run(&thread);
		if (fake.ports[0].died || !fake.ports[1].died || hbs_leave(thread.members[0]) ||
		    hbs_leave(mine))
			_exit(1);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(hbs_leave(mine), 0);
	close_all(hbs, group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(however_it_ends, reset),
		cmocka_unit_test_setup(without_the_policy, reset),
		cmocka_unit_test_setup(who_leaves_is_not_dead, reset),
		cmocka_unit_test_setup(each_membership, reset),
		cmocka_unit_test_setup(left_by_another, reset),
		cmocka_unit_test_setup(in_a_child, reset),
	};

	return cmocka_run_group_tests_name("thread_exit", tests, NULL, NULL);
}
