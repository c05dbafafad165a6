// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups that processes share, by fork and by descriptor passing */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../passing.h"
#include "threads.h"

#define EPOCHS 2000

/* Counters that the processes look at; plain, as in the ordering tests */
static volatile uint64_t *shared_steps(void)
{
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(map, MAP_FAILED);
	return map;
}

static int take_part(struct hbs_group *group, volatile uint64_t *steps, unsigned int self,
		     unsigned int processes)
{
	struct hbs_member *member;

	CHECK(!hbs_join(group, &member));
	for (uint64_t epoch = 1; epoch <= EPOCHS; epoch++) {
		steps[self * 8] = epoch;
		CHECK(!hbs_barwait(member));
		for (unsigned int i = 0; i < processes; i++)
			CHECK(steps[i * 8] == epoch);
		CHECK(!hbs_barwait(member));
	}
	CHECK(!hbs_leave(member));
	return 0;
}

/* What a child does with the group's descriptor; it may use no assert */
static int child_takes_part(int fd, volatile uint64_t *steps, unsigned int self)
{
	struct hbs_attr attr = { .backend = backend_under_test() };
	struct hbs_group *group;
	struct hbs *hbs;
	int line;

	CHECK(!hbs_open(&hbs, &attr));
	CHECK(!hbs_group_import(hbs, fd, &group));
	line = take_part(group, steps, self, 3);
	CHECK(!hbs_group_close(group));
	CHECK(!hbs_close(hbs));
	return line;
}

/* A line number does not fit an exit status */
static int status_of(int line)
{
	return line ? 1 : 0;
}

static void wait_for(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void by_fork(void **state)
{
	volatile uint64_t *steps = shared_steps();
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 3);
	pid_t children[2];

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (!children[i])
			_exit(status_of(child_takes_part(hbs_group_fd(group), steps, i + 1)));
	}
	assert_int_equal(take_part(group, steps, 0, 3), 0);
	wait_for(children[0]);
	wait_for(children[1]);
	close_all(hbs, group);
	munmap((void *)steps, 4096);
}

static void by_descriptor_passing(void **state)
{
	volatile uint64_t *steps = shared_steps();
	pid_t children[2];
	int sockets[2][2];
	struct hbs_group *group;
	struct hbs *hbs;

	(void)state;
	/* the children come first: they inherit nothing of the group */
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[i]), 0);
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (!children[i])
			_exit(status_of(child_takes_part(receive_fd(sockets[i][1]), steps, i + 1)));
	}
	hbs = open_backend();
	group = create_group(hbs, 3);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(send_fd(sockets[i][0], hbs_group_fd(group)), 0);
	assert_int_equal(take_part(group, steps, 0, 3), 0);
	for (unsigned int i = 0; i < 2; i++) {
		wait_for(children[i]);
		close(sockets[i][0]);
		close(sockets[i][1]);
	}
	close_all(hbs, group);
	munmap((void *)steps, 4096);
}

/* A child closes its parent's handles, and the parent does not notice */
static int child_lets_go(struct hbs *hbs, struct hbs_group *group, struct hbs_member *a,
			 struct hbs_member *b)
{
	struct hbs_group_stats stats;
	struct hbs_member *more;
	struct hbs_group *other;

	CHECK(hbs_join(group, &more) == -ECHILD);
	CHECK(hbs_group_create(hbs, &(struct hbs_group_attr){ .members = 1 }, &other) == -ECHILD);
	CHECK(hbs_group_import(hbs, hbs_group_fd(group), &other) == -ECHILD);
	CHECK(hbs_group_destroy(group) == -ECHILD);
	CHECK(hbs_member_fd(a) == -ECHILD);
	CHECK(hbs_group_stats(group, &stats) == -ECHILD);
	CHECK(!hbs_leave(a));
	CHECK(!hbs_leave(b));
	CHECK(!hbs_group_close(group));
	CHECK(!hbs_close(hbs));
	return 0;
}

static void inherited_handles(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_member *a, *b;
	pid_t child;

	(void)state;
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_arrive(a), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(status_of(child_lets_go(hbs, group, a, b)));
	wait_for(child);
	/* its seat and its arrival are still there, and no more than that */
	assert_int_equal(hbs_test(a), 0);
	assert_int_equal(hbs_barwait(b), 0);
	assert_int_equal(hbs_wait(a), 0);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(hbs_leave(b), 0);
	close_all(hbs, group);
}

/* The group outlives the process that made it */
static void creator_goes(void **state)
{
	struct hbs_group *group;
	struct hbs_member *member;
	struct hbs *hbs;
	int sockets[2], fd;
	pid_t child;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		hbs = open_backend();
		assert_int_equal(send_fd(sockets[1], hbs_group_fd(create_group(hbs, 1))), 0);
		_exit(0);
	}
	fd = receive_fd(sockets[0]);
	wait_for(child);
	hbs = open_backend();
	assert_int_equal(hbs_group_import(hbs, fd, &group), 0);
	close(fd);
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_barwait(member), 0);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
	close(sockets[0]);
	close(sockets[1]);
}

static int child_dies(int fd, int ready)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD };
	struct hbs_member *member;
	struct hbs_group *group;
	struct hbs *hbs;

	CHECK(!hbs_open(&hbs, &attr));
	CHECK(!hbs_group_import(hbs, fd, &group));
	CHECK(!hbs_join(group, &member));
	CHECK(write(ready, "j", 1) == 1);
	pause();
	return 0;
}

/* A member that is killed breaks its group on a card; software does not notice */
static void member_dies(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_member *member = NULL;
	int ready[2];
	char joined;
	pid_t child;

	(void)state;
	if (hbs_backend(hbs) == HBS_BACKEND_CARD) {
		assert_int_equal(pipe(ready), 0);
		assert_int_equal(hbs_join(group, &member), 0);
		child = fork();
		assert_true(child >= 0);
		if (!child)
			_exit(status_of(child_dies(hbs_group_fd(group), ready[1])));
		assert_int_equal(read(ready[0], &joined, 1), 1);
		assert_int_equal(hbs_arrive(member), 0);
		assert_int_equal(hbs_test(member), 0);
		assert_int_equal(kill(child, SIGKILL), 0);
		assert_int_equal(hbs_wait(member), -EOWNERDEAD);
		assert_int_equal(hbs_barwait(member), -EOWNERDEAD);
		assert_int_equal(waitpid(child, NULL, 0), child);
		assert_int_equal(hbs_leave(member), 0);
		close(ready[0]);
		close(ready[1]);
	}
	close_all(hbs, group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_fork),	     cmocka_unit_test(by_descriptor_passing),
		cmocka_unit_test(inherited_handles), cmocka_unit_test(creator_goes),
		cmocka_unit_test(member_dies),
	};

	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
