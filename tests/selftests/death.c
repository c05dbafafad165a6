// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Deaths: in each way of waiting the others get the right error, or go on if the
 * dead process was no member.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

/* Four members that wait in four ways, and a free seat */
FIXTURE(death)
{
	struct usage before;
	int card;
	struct crowd crowd;
	int ready[2]; /* a pipe: the child has done its part */
	pid_t child;
};

FIXTURE_SETUP(death)
{
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(crowd_create(self->card, 1, &self->crowd), 0);
	ASSERT_EQ(pipe(self->ready), 0);
}

FIXTURE_TEARDOWN(death)
{
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

static void ready(const int *pipe)
{
	if (write(pipe[1], "", 1) != 1)
		_exit(1);
}

static bool child_ready(const int *pipe)
{
	char byte;

	return read(pipe[0], &byte, 1) == 1;
}

/* A child that takes the free seat through a card file of its own */
static void become_member(FIXTURE_DATA(death) *self, struct one *one)
{
	int card = card_open();

	close(self->card);
	if (card < 0 || group_adopt(self->crowd.group.fd, &one->group) ||
	    port_alloc(card, &one->port) || join(&one->group, &one->port, &one->member))
		_exit(2);
}

/* How the fifth member dies */
typedef void (*last_act)(FIXTURE_DATA(death) *self, struct one *one);

static void act_pause(FIXTURE_DATA(death) *self, struct one *one)
{
	(void)one;
	ready(self->ready);
	pause();
}

static void start_child(FIXTURE_DATA(death) *self, last_act act)
{
	self->child = fork();
	if (!self->child) {
		static struct one one;

		become_member(self, &one);
		act(self, &one);
		_exit(0);
	}
}

#define START_AND_WAIT(act)                             \
	do {                                            \
		start_child(self, (act));               \
		ASSERT_GT(self->child, 0);              \
		ASSERT_TRUE(child_ready(self->ready));  \
		ASSERT_EQ(crowd_wait(&self->crowd), 0); \
	} while (0)

static void end_child(FIXTURE_DATA(death) *self)
{
	kill(self->child, SIGKILL);
	waitpid(self->child, NULL, 0);
	self->child = 0;
}

/*
 * The list has the dead members, not those that waited; it stays so, no matter who has their
 * port since
 */
TEST_F(death, is_told)
{
	struct hbs_group_join join_tagged = { .size = sizeof(join_tagged) };
	struct hbs_group_missing state;
	struct hbs_missing dead[8];
	struct port port[2];
	pid_t child;

	START_AND_WAIT(act_pause);
	child = self->child;
	ASSERT_EQ(group_missing(self->crowd.group.fd, dead, 8, &state), 1);
	EXPECT_EQ(dead[0].pid, child);
	EXPECT_EQ(dead[0].tag, 0);
	end_child(self);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(group_missing(self->crowd.group.fd, dead, 8, &state), 1);
		EXPECT_EQ(dead[0].pid, child);
		EXPECT_EQ(state.expired, 0);
		EXPECT_EQ(word_error(state.word), -EOWNERDEAD);
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
	}
	EXPECT_EQ(dead[0].port, port[0].number);

	/* Until the group is reset; and a tag is what was given */
	ASSERT_EQ(group_reset(self->crowd.group.fd), 0);
	ASSERT_EQ(group_missing(self->crowd.group.fd, dead, 8, &state), 0);
	for (int i = 1; i >= 0; i--) {
		join_tagged.card_fd = self->card;
		join_tagged.port = port[i].number;
		join_tagged.tag = UINT64_MAX - i;
		ASSERT_EQ(hbs_ioctl(self->crowd.group.fd, HBS_GROUP_JOIN, &join_tagged), 0);
	}
	ASSERT_EQ(group_missing(self->crowd.group.fd, dead, 8, &state), 2);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(dead[i].port, port[i].number);
		EXPECT_EQ(dead[i].tag, UINT64_MAX - i);
	}
}

TEST_F(death, kill9_of_a_member)
{
	struct member *member = &self->crowd.member[0];

	START_AND_WAIT(act_pause);
	end_child(self);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
	/* and for ever after */
	EXPECT_EQ(wait_sleep(member), -EOWNERDEAD);
	arrive(member);
	EXPECT_TRUE(*member->departure & HBS_WORD_BROKEN);
	EXPECT_EQ(word_error(*member->record), -EOWNERDEAD);
	EXPECT_EQ(leave(member), 0);
	EXPECT_EQ(join(&self->crowd.group, &self->crowd.port[0], member), -EOWNERDEAD);
}

static void act_sleep(FIXTURE_DATA(death) *self, struct one *one)
{
	struct group two;
	struct member in_two;

	/* Asleep in a group of its own, whose other seat nobody takes */
	if (group_create(one->port.card, 2, &two) || join(&two, &one->port, &in_two))
		_exit(3);
	ready(self->ready);
	wait_sleep(&in_two);
}

TEST_F(death, kill9_of_a_sleeping_member)
{
	START_AND_WAIT(act_sleep);
	end_child(self);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
}

static void act_spin(FIXTURE_DATA(death) *self, struct one *one)
{
	(void)one;
	ready(self->ready);
	for (;;)
		sched_yield();
}

TEST_F(death, kill9_of_a_running_member)
{
	START_AND_WAIT(act_spin);
	end_child(self);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
}

static void *pause_thread(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

static void act_threads(FIXTURE_DATA(death) *self, struct one *one)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, pause_thread, NULL))
			_exit(3);
	act_pause(self, one);
}

TEST_F(death, kill9_of_a_process_with_threads)
{
	START_AND_WAIT(act_threads);
	end_child(self);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
}

/* The child goes on when the others wait */
#define LET_CHILD_GO() ASSERT_EQ(kill(self->child, SIGUSR1), 0)

static void wait_for_go(FIXTURE_DATA(death) *self)
{
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	ready(self->ready);
	sigwait(&set, &signal);
}

static void act_exit(FIXTURE_DATA(death) *self, struct one *one)
{
	(void)one;
	wait_for_go(self);
	_exit(0);
}

TEST_F(death, exit_without_leaving)
{
	START_AND_WAIT(act_exit);
	LET_CHILD_GO();
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
}

static void act_abort(FIXTURE_DATA(death) *self, struct one *one)
{
	(void)one;
	wait_for_go(self);
	kill(getpid(), SIGSEGV);
	pause();
}

TEST_F(death, crash)
{
	START_AND_WAIT(act_abort);
	LET_CHILD_GO();
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
}

#define CORE_PATTERN "/proc/sys/kernel/core_pattern"
#define TAKER	     "/tmp/take-core"
#define TAKE_IT	     "/tmp/take-core-now"

/* Takes a core dump, but only when it is told to */
static int write_taker(void)
{
	static const char script[] = "#!/bin/sh\n"
				     "while [ ! -e " TAKE_IT " ]; do sleep 0.1; done\n"
				     "cat >/dev/null\n";
	int fd = open(TAKER, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	bool done = fd >= 0 && write(fd, script, sizeof(script) - 1) == sizeof(script) - 1;

	if (fd >= 0)
		close(fd);
	return done ? 0 : -EIO;
}

static void act_dump(FIXTURE_DATA(death) *self, struct one *one)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	size_t size = 4 << 20; /* more than the pipe to the taker holds */
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || setrlimit(RLIMIT_CORE, &all))
		_exit(3);
	memset(memory, 1, size);
	act_abort(self, one);
}

/*
 * What the contract says about a process that dumps core: it lives until the dump
 * is written, however long that takes.
 */
TEST_F(death, core_dump)
{
	struct hbs_group_info info;
	char pattern[128];
	int status;

	if (read_file(CORE_PATTERN, pattern, sizeof(pattern)))
		SKIP(return, "a kernel without core dumps");
	ASSERT_EQ(write_taker(), 0);
	ASSERT_EQ(write_file(CORE_PATTERN, "|" TAKER), 0);
	START_AND_WAIT(act_dump);
	LET_CHILD_GO();
	sleep_ms(1500);
	EXPECT_EQ(waitpid(self->child, NULL, WNOHANG), 0);
	EXPECT_EQ(group_info(self->crowd.group.fd, &info), 0);
	EXPECT_EQ(word_error(info.word), 0);

	ASSERT_EQ(mkdir(TAKE_IT, 0700), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
	EXPECT_EQ(waitpid(self->child, &status, 0), self->child);
	EXPECT_TRUE(WIFSIGNALED(status) && WCOREDUMP(status));
	self->child = 0;
	EXPECT_EQ(rmdir(TAKE_IT), 0);
	EXPECT_EQ(write_file(CORE_PATTERN, pattern), 0);
}

static int live_on(void *pipe)
{
	const int *until = pipe;
	char byte;

	/* Until the test closes the other end */
	close(until[1]);
	return read(until[0], &byte, 1) == 1;
}

static int until[2];

/* A process that shares the member's memory, and outlives it */
static void act_share(FIXTURE_DATA(death) *self, struct one *one)
{
	static char stack[65536] __attribute__((aligned(16)));

	(void)one;
	if (clone(live_on, stack + sizeof(stack), CLONE_VM | SIGCHLD, until) < 0)
		_exit(3);
	close(until[1]);
	ready(self->ready);
	pause();
}

/* What the contract says about memory that two processes share: it is the member's life */
TEST_F(death, memory_of_another_process)
{
	struct hbs_group_info info;

	ASSERT_EQ(pipe(until), 0);
	START_AND_WAIT(act_share);
	end_child(self);
	sleep_ms(500);
	EXPECT_EQ(group_info(self->crowd.group.fd, &info), 0);
	EXPECT_EQ(word_error(info.word), 0);
	ASSERT_EQ(close(until[1]), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
}

static void act_exec(FIXTURE_DATA(death) *self, struct one *one)
{
	(void)one;
	wait_for_go(self);
	execlp("sleep", "sleep", "60", NULL);
	_exit(4);
}

/* The process lives on, but as another program */
TEST_F(death, exec)
{
	START_AND_WAIT(act_exec);
	LET_CHILD_GO();
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
	EXPECT_EQ(waitpid(self->child, NULL, WNOHANG), 0);
}

static void act_unmap(FIXTURE_DATA(death) *self, struct one *one)
{
	wait_for_go(self);
	port_unmap(&one->port);
	pause();
}

TEST_F(death, munmap_of_the_port)
{
	START_AND_WAIT(act_unmap);
	LET_CHILD_GO();
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
}

/* Only the last mapping of a port is its member's life */
static void act_unmap_one_of_two(FIXTURE_DATA(death) *self, struct one *one)
{
	void *first = one->port.map;

	if (port_map(&one->port) || munmap(first, one->port.size))
		_exit(3);
	ready(self->ready);
	pause();
}

TEST_F(death, munmap_of_one_of_two)
{
	START_AND_WAIT(act_unmap_one_of_two);
	for (int i = 0; i < WAIT_KINDS; i++)
		EXPECT_FALSE(released(&self->crowd.member[i]));
	end_child(self);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
}

/* A child of the member has its descriptors, but not its mappings */
static void act_fork(FIXTURE_DATA(death) *self, struct one *one)
{
	pid_t pid = fork();

	(void)one;
	if (!pid) {
		ready(self->ready);
		/* It lives a while longer than the member */
		for (int i = 0; i < 200 && getppid() != 1; i++)
			usleep(50000);
		usleep(500000);
		_exit(0);
	}
	pause();
}

TEST_F(death, fork_child_does_not_keep_a_member_alive)
{
	START_AND_WAIT(act_fork);
	end_child(self);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
}

/* The port's mapping is not the child's */
TEST_F(death, fork_child_has_no_mapping)
{
	volatile uint64_t *arrival = self->crowd.member[0].arrival;
	int status;
	pid_t pid = fork();

	if (!pid) {
		*arrival = 0;
		_exit(0);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	/* and its end ends nothing of ours */
	EXPECT_EQ(word_error(*self->crowd.member[0].record), 0);
}

static void act_leave(FIXTURE_DATA(death) *self, struct one *one)
{
	wait_for_go(self);
	if (leave(&one->member))
		_exit(3);
	_exit(0);
}

/* A member that has left may die: the others are released, and go on */
TEST_F(death, leave_then_exit)
{
	int status;

	START_AND_WAIT(act_leave);
	LET_CHILD_GO();
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	ASSERT_EQ(waitpid(self->child, &status, 0), self->child);
	self->child = 0;
	EXPECT_EQ(status, 0);
	for (int i = 0; i < WAIT_KINDS; i++)
		arrive(&self->crowd.member[i]);
	for (int i = 0; i < WAIT_KINDS; i++)
		EXPECT_EQ(wait_spin(&self->crowd.member[i]), 0);
}

/* A member that dies before the start breaks the group, too */
TEST_F(death, before_the_start)
{
	struct one one;

	ASSERT_EQ(group_create(self->card, 3, &one.group), 0);
	ASSERT_EQ(port_alloc(self->card, &one.port), 0);
	ASSERT_EQ(join(&one.group, &one.port, &one.member), 0);
	self->child = fork();
	if (!self->child) {
		struct one mine;
		int card = card_open();

		if (card < 0 || port_alloc(card, &mine.port) ||
		    join(&one.group, &mine.port, &mine.member))
			_exit(1);
		act_pause(self, &mine);
	}
	ASSERT_TRUE(child_ready(self->ready));
	end_child(self);
	arrive(&one.member);
	EXPECT_EQ(wait_spin(&one.member), -EOWNERDEAD);
}

/* All groups of the dead break, and no other */
TEST_F(death, in_several_groups)
{
	struct one one[3];

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(one_member(self->card, i < 2 ? 2 : 1, &one[i]), 0);
	self->child = fork();
	if (!self->child) {
		struct port port;
		struct member member;
		int card = card_open();

		if (card < 0 || port_alloc(card, &port) || join(&one[0].group, &port, &member) ||
		    join(&one[1].group, &port, &member))
			_exit(1);
		ready(self->ready);
		pause();
	}
	ASSERT_TRUE(child_ready(self->ready));
	end_child(self);
	for (int i = 0; i < 2; i++) {
		arrive(&one[i].member);
		EXPECT_EQ(wait_spin(&one[i].member), -EOWNERDEAD);
	}
	EXPECT_EQ(barrier(&one[2].member), 0);
	EXPECT_EQ(leave(&one[2].member), 0);
}

/* Its maker is no member: the group outlives it */
TEST_F(death, kill9_of_the_creator)
{
	struct port port[2];
	struct member member[2];
	struct group group;
	struct waiter waiter;
	int pair[2];

	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	self->child = fork();
	if (!self->child) {
		struct group mine;
		int card = card_open();

		if (card < 0 || group_create(card, 2, &mine) || send_fd(pair[1], mine.fd))
			_exit(1);
		pause();
	}
	ASSERT_EQ(group_adopt(receive_fd(pair[0]), &group), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
		ASSERT_EQ(join(&group, &port[i], &member[i]), 0);
	}
	arrive(&member[0]);
	ASSERT_EQ(waiter_start(&waiter, &member[0], WAIT_IOCTL), 0);
	end_child(self);
	EXPECT_FALSE(released(&member[0]));
	EXPECT_EQ(barrier(&member[1]), 0);
	ASSERT_EQ(waiter_join(&waiter), 0);
	EXPECT_EQ(waiter.result, 0);
	for (int i = 0; i < 100; i++) {
		arrive(&member[0]);
		ASSERT_EQ(barrier(&member[1]), 0);
		ASSERT_EQ(wait_spin(&member[0]), 0);
	}
}

/* A process that only has mappings */
TEST_F(death, kill9_of_a_holder_of_mappings)
{
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	self->child = fork();
	if (!self->child) {
		struct group group;
		struct port port;
		int card = card_open();

		if (card < 0 || group_adopt(one.group.fd, &group) || port_alloc(card, &port))
			_exit(1);
		close(card);
		ready(self->ready);
		pause();
	}
	ASSERT_TRUE(child_ready(self->ready));
	EXPECT_EQ(barrier(&one.member), 0);
	end_child(self);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(barrier(&one.member), 0);
}

/* While it is mapped, a port outlives the descriptor */
TEST_F(death, close_of_the_card)
{
	struct one one;
	int card = card_open();

	ASSERT_GE(card, 0);
	ASSERT_EQ(one_member(card, 1, &one), 0);
	ASSERT_EQ(close(card), 0);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(barrier(&one.member), 0);
	ASSERT_EQ(port_unmap(&one.port), 0);
	EXPECT_EQ(group_wait(one.group.fd, &one.member.word), -EOWNERDEAD);
}

/* Without a mapping the open file is the member's life */
TEST_F(death, close_of_the_card_without_mapping)
{
	struct port port;
	struct member member;
	int card = card_open();

	ASSERT_GE(card, 0);
	ASSERT_EQ(port_alloc_only(card, &port), 0);
	ASSERT_EQ(join(&self->crowd.group, &port, &member), 0);
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(close(card), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
}

/* The last descriptor of a group goes while others spin on its mapping */
TEST_F(death, close_of_the_group_while_mapped)
{
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	ASSERT_EQ(close(one.group.fd), 0);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(barrier(&one.member), 0);
}

TEST_F(death, destroy)
{
	struct port port;
	struct member member;

	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(group_destroy(self->crowd.group.fd), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -EIDRM), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	EXPECT_EQ(join(&self->crowd.group, &port, &member), -EIDRM);
	/* A group that is broken keeps its reason */
	ASSERT_EQ(port_unmap(&self->crowd.port[0]), 0);
	EXPECT_EQ(word_error(*self->crowd.member[1].record), -EIDRM);
}

/* From a process that has nothing but the descriptor */
TEST_F(death, destroy_by_another_process)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	self->child = fork();
	if (!self->child)
		_exit(group_destroy(self->crowd.group.fd));
	EXPECT_EQ(crowd_check(&self->crowd, -EIDRM), 0);
}

static void *join_and_end(void *arg)
{
	struct one *one = arg;

	if (join(&one->group, &one->port, &one->member))
		one->member.arrival = NULL;
	return NULL;
}

/* A port belongs to its process: a thread's end breaks nothing */
TEST_F(death, thread_exit)
{
	struct one one = { .group = self->crowd.group };
	pthread_t thread;

	ASSERT_EQ(port_alloc(self->card, &one.port), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, join_and_end, &one), 0);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	ASSERT_NE(one.member.arrival, NULL);
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	for (int i = 0; i < WAIT_KINDS; i++)
		EXPECT_FALSE(released(&self->crowd.member[i]));
	EXPECT_EQ(barrier(&one.member), 0);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
}

/* A process dies while its threads are members of one group, asleep and not */
TEST_F(death, all_members_in_one_process)
{
	self->child = fork();
	if (!self->child) {
		static struct crowd mine;
		int card;

		release_all();
		card = card_open();
		if (card < 0 || crowd_create(card, 1, &mine) || crowd_wait(&mine))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	ASSERT_EQ(waitpid(self->child, NULL, 0), self->child);
	self->child = 0;
}

TEST_HARNESS_MAIN
