// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hbs_idle() where a process is confined: in a sandbox, with few descriptors, without /proc,
 * without the CPU's counter, or on one CPU. Each test runs in a child, in which nothing was open
 * before.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "child.h"
#include "hbs_messages.h"
#include "sandbox.h"
#include "threads.h"

#define EPOCHS	    20
#define HOPS	    20 /* of a message in each epoch: it goes round */
#define LIMIT_S	    120
#define FOR_EVER_NS 100000000000

/* Members that share all this; processes have handles of their own */
struct team {
	struct hbs *hbs;
	struct hbs_group *group;
	struct hbs_messages *messages;
	atomic_uint *received; /* in each epoch, by all */
	unsigned int members;
};

static int open_software(struct hbs_attr attr, struct hbs **hbs)
{
	attr.backend = HBS_BACKEND_SOFTWARE;
	return hbs_open(hbs, &attr);
}

static int make_team(struct team *team, struct hbs_attr attr, unsigned int members)
{
	struct hbs_group_attr group = { .members = members, .type = HBS_REFUTABLE };
	struct hbs_messages_attr messages = { .members = members };

	*team = (struct team){ .members = members };
	team->received = mmap(NULL, EPOCHS * sizeof(*team->received), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(team->received != MAP_FAILED);
	CHECK(!open_software(attr, &team->hbs));
	CHECK(!hbs_group_create(team->hbs, &group, &team->group));
	CHECK(!hbs_messages_create(&messages, &team->messages));
	return 0;
}

static int end_team(struct team *team)
{
	CHECK(!hbs_messages_close(team->messages));
	CHECK(!hbs_group_close(team->group));
	CHECK(!hbs_close(team->hbs));
	munmap(team->received, EPOCHS * sizeof(*team->received));
	return 0;
}

/* What a message asks for is sent before it is freed */
static int pass_on(const struct team *team, struct hbs_mailbox *me, unsigned int index,
		   unsigned int epoch)
{
	struct hbs_message message;
	int ret;

	while (!(ret = hbs_message_recv(me, &message))) {
		uint32_t hops = *(const uint32_t *)message.data;

		atomic_fetch_add(&team->received[epoch], 1);
		if (hops--)
			CHECK(!hbs_message_send(me, (index + 1) % team->members, &hops,
						sizeof(hops)));
		CHECK(!hbs_message_free(me, &message));
	}
	CHECK(ret == -EAGAIN);
	return 0;
}

static int pass_epochs(const struct team *team, struct hbs_mailbox *me, unsigned int index)
{
	for (unsigned int epoch = 0; epoch < EPOCHS; epoch++) {
		uint32_t hops = HOPS;
		int ret;

		if (!index)
			CHECK(!hbs_message_send(me, 1, &hops, sizeof(hops)));
		while (!(ret = hbs_idle(me, 1))) {
			ret = pass_on(team, me, index, epoch);
			if (ret)
				return ret;
		}
		CHECK(ret == 2);
		CHECK(atomic_load(&team->received[epoch]) == HOPS + 1);
	}
	return 0;
}

static int take_place(const struct team *team, unsigned int index, struct hbs_member **member,
		      struct hbs_mailbox **me)
{
	CHECK(!hbs_join(team->group, member));
	CHECK(!hbs_mailbox_open(team->messages, index, me));
	CHECK(!hbs_mailbox_bind(*me, *member));
	return 0;
}

static int leave_place(struct hbs_member *member, struct hbs_mailbox *me)
{
	CHECK(!hbs_mailbox_close(me));
	CHECK(!hbs_leave(member));
	return 0;
}

static int be_a_member(void *shared, unsigned int index)
{
	const struct team *team = shared;
	struct hbs_member *member;
	struct hbs_mailbox *me;
	int line = take_place(team, index, &member, &me);

	if (!line)
		line = pass_epochs(team, me, index);
	/* the others must not wait for one that has given up */
	if (line)
		hbs_group_destroy(team->group);
	return line ? line : leave_place(member, me);
}

static int run_team(struct hbs_attr attr, unsigned int members)
{
	struct team team;
	int line = make_team(&team, attr, members);

	if (!line)
		line = run_threads(members, be_a_member, &team);
	return line ? line : end_team(&team);
}

static int run_teams(struct hbs_attr attr)
{
	static const unsigned int sizes[] = { 2, 4 };
	int line = 0;

	for (size_t i = 0; !line && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		line = run_team(attr, sizes[i]);
	return line;
}

static const struct hbs_attr ways[] = {
	{ .wait_policy = HBS_WAIT_PASSIVE },
	{ 0 },
	{ .spin_ns = 20000 },
	{ .wait_policy = HBS_WAIT_ACTIVE },
};

static int in_each_way(void)
{
	int line = 0;

	for (size_t i = 0; !line && i < sizeof(ways) / sizeof(ways[0]); i++)
		line = run_teams(ways[i]);
	return line;
}

static void in_child(int (*work)(const void *arg), const void *arg)
{
	assert_int_equal(run_child(work, arg), 0);
}

/* A sleeper cannot have its senders pass a fence */
static int threads_alone(const void *unused)
{
	(void)unused;
	alarm(LIMIT_S);
	CHECK(!forbid_membarrier());
	return in_each_way();
}

static void no_membarrier(void **state)
{
	(void)state;
	in_child(threads_alone, NULL);
}

static int be_a_process(const struct team *parents, struct hbs_attr attr, unsigned int index)
{
	struct team team = *parents;

	CHECK(!open_software(attr, &team.hbs));
	CHECK(!hbs_group_import(team.hbs, hbs_group_fd(parents->group), &team.group));
	CHECK(!hbs_messages_import(hbs_messages_fd(parents->messages), &team.messages));
	return be_a_member(&team, index);
}

/* Of two processes one is in the sandbox, and it comes when the other one sleeps */
static int two_processes(const void *confined)
{
	const unsigned int index = *(const unsigned int *)confined;
	const struct hbs_attr passive = { .wait_policy = HBS_WAIT_PASSIVE };
	struct team team;
	int line = make_team(&team, passive, 2), status;
	pid_t pid;

	if (line)
		return line;
	alarm(LIMIT_S);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		alarm(LIMIT_S);
		usleep(20000);
		_exit(forbid_membarrier() ? 255 : be_a_process(&team, passive, index));
	}
	line = be_a_member(&team, !index);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(!status);
	return line;
}

static void mixed_membarrier(void **state)
{
	(void)state;
	for (unsigned int index = 0; index < 2; index++)
		in_child(two_processes, &index);
}

/* Threads need no name of what they share; there is no /dev/shm either */
static int in_empty_folder(const void *folder)
{
	struct hbs_messages_attr attr = { .members = 2 };
	struct hbs_messages *messages, *import;

	alarm(LIMIT_S);
	CHECK(!chdir(folder) && !chroot("."));
	CHECK(access("/proc", F_OK) && access("/dev", F_OK));
	CHECK(!hbs_messages_create(&attr, &messages));
	CHECK(!hbs_messages_import(hbs_messages_fd(messages), &import));
	CHECK(!hbs_messages_close(import));
	CHECK(!hbs_messages_close(messages));
	return in_each_way();
}

static void no_proc(void **state)
{
	char folder[] = "/tmp/hbs-confined-XXXXXX";

	(void)state;
	if (geteuid()) {
		skip();
		return;
	}
	assert_non_null(mkdtemp(folder));
	in_child(in_empty_folder, folder);
	assert_int_equal(rmdir(folder), 0);
}

static int limit_files(int limit)
{
	return setrlimit(RLIMIT_NOFILE, &(struct rlimit){ (rlim_t)limit, 4096 });
}

static int next_file(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* Short of descriptors, each call either works or leaves nothing behind */
static int make_with_few(void)
{
	struct hbs_messages_attr attr = { .members = 2 };
	struct hbs_messages *whole, *messages = NULL;
	int next, created = 0, imported = 0;

	CHECK(!hbs_messages_create(&attr, &whole));
	next = next_file();
	for (int left = 0; left < 4; left++) {
		int ret;

		CHECK(!limit_files(next + left));
		ret = hbs_messages_create(&attr, &messages);
		CHECK(!ret || ret == -EMFILE);
		created += !ret;
		CHECK(ret || !hbs_messages_close(messages));
		ret = hbs_messages_import(hbs_messages_fd(whole), &messages);
		CHECK(!ret || ret == -EMFILE);
		imported += !ret;
		CHECK(ret || !hbs_messages_close(messages));
		CHECK(!limit_files(4096));
		CHECK(next_file() == next);
	}
	/* two are enough for each */
	CHECK(created == 2 && imported == 2);
	CHECK(!hbs_messages_close(whole));
	return 0;
}

/* To be idle takes no descriptor; to poll takes some, and leaves nothing if there are none */
static int idle_with_none(void)
{
	struct hbs_member *member[2];
	struct hbs_mailbox *me[2];
	struct pollfd wanted = { .events = POLLIN };
	struct team team;
	int next;

	CHECK(!make_team(&team, (struct hbs_attr){ 0 }, 2));
	next = next_file();
	CHECK(!limit_files(next));
	for (unsigned int i = 0; i < 2; i++)
		CHECK(!take_place(&team, i, &member[i], &me[i]));
	for (int round = 0; round < 3; round++) {
		CHECK(hbs_idle_try(me[0], 1) == -EAGAIN);
		CHECK(hbs_mailbox_fd(me[0]) == -EMFILE);
		CHECK(hbs_idle_try(me[0], 1) == -EAGAIN);
		CHECK(hbs_idle(me[1], 1) == 2);
		CHECK(hbs_idle(me[0], 1) == 2);
	}
	CHECK(hbs_idle_try(me[0], 1) == -EAGAIN);
	CHECK(!limit_files(4096));
	CHECK(next_file() == next);
	wanted.fd = hbs_mailbox_fd(me[0]);
	CHECK(wanted.fd >= 0);
	CHECK(!poll(&wanted, 1, 0));
	CHECK(!hbs_message_send(me[1], 0, "a", 1));
	CHECK(poll(&wanted, 1, 60000) == 1);
	CHECK(hbs_idle_try(me[0], 1) == 0);
	for (unsigned int i = 0; i < 2; i++)
		CHECK(!leave_place(member[i], me[i]));
	return end_team(&team);
}

static int few_files(const void *unused)
{
	struct team team;
	int line = make_with_few();

	(void)unused;
	alarm(LIMIT_S);
	if (!line)
		line = idle_with_none();
	/* and a whole team, after the last descriptor is taken */
	if (!line)
		line = make_team(&team, (struct hbs_attr){ .wait_policy = HBS_WAIT_PASSIVE }, 4);
	if (line)
		return line;
	CHECK(!limit_files(next_file()));
	line = run_threads(4, be_a_member, &team);
	return line ? line : end_team(&team);
}

static void few_descriptors(void **state)
{
	(void)state;
	in_child(few_files, NULL);
}

static int use_one_cpu(void)
{
	cpu_set_t set;
	int first = 0;

	CHECK(!sched_getaffinity(0, sizeof(set), &set));
	while (!CPU_ISSET(first, &set))
		first++;
	CPU_ZERO(&set);
	CPU_SET(first, &set);
	CHECK(!sched_setaffinity(0, sizeof(set), &set));
	return 0;
}

static int from_the_start(const void *unused)
{
	(void)unused;
	alarm(LIMIT_S);
	CHECK(!use_one_cpu());
	return in_each_way();
}

/* The context counts on all CPUs still */
static int later(const void *way)
{
	struct team team;
	int line = make_team(&team, *(const struct hbs_attr *)way, 4);

	if (line)
		return line;
	alarm(LIMIT_S);
	CHECK(!use_one_cpu());
	line = run_threads(4, be_a_member, &team);
	return line ? line : end_team(&team);
}

static void one_cpu(void **state)
{
	(void)state;
	in_child(from_the_start, NULL);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		in_child(later, &ways[i]);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static struct team silent;
static atomic_uint silent_ones;

static void *idle_without_calls(void *number)
{
	unsigned int index = *(const unsigned int *)number;
	struct hbs_member *member;
	struct hbs_mailbox *me;
	int line = take_place(&silent, index, &member, &me);

	/* what is done once */
	if (!line && hbs_idle(me, 1) != 2)
		line = __LINE__;
	if (!line && !forbid_calls())
		line = pass_epochs(&silent, me, index);
	if (line)
		_exit(line < 255 ? line : 255);
	atomic_fetch_add(&silent_ones, 1);
	/* ends the thread for the kernel, since pthread_exit() does more */
	syscall(SYS_exit, 0);
	return NULL;
}

/* Members that spin, and messages, need the kernel for nothing */
static int without_calls(const void *unused)
{
	unsigned int index[2] = { 0, 1 };
	pthread_t thread;
	int line = make_team(&silent, (struct hbs_attr){ .spin_ns = FOR_EVER_NS }, 2);

	(void)unused;
	if (line)
		return line;
	alarm(LIMIT_S);
	for (unsigned int i = 0; i < 2; i++)
		CHECK(!pthread_create(&thread, NULL, idle_without_calls, &index[i]));
	while (atomic_load(&silent_ones) < 2)
		usleep(1000);
	return 0;
}

static void no_calls(void **state)
{
	(void)state;
	in_child(without_calls, NULL);
}
#endif

#if (defined(__x86_64__) || defined(__i386__)) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__)
/* Who reads the counter is killed, and so is who asks the C library for the time */
static int without_counter(const void *unused)
{
	(void)unused;
	alarm(LIMIT_S);
	CHECK(!prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0));
	return in_each_way();
}

static void no_counter(void **state)
{
	(void)state;
	in_child(without_counter, NULL);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_membarrier),
		cmocka_unit_test(mixed_membarrier),
		cmocka_unit_test(no_proc),
		cmocka_unit_test(few_descriptors),
		cmocka_unit_test(one_cpu),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
		cmocka_unit_test(no_calls),
#if defined(__x86_64__) || defined(__i386__)
		cmocka_unit_test(no_counter),
#endif
#endif
	};

	return cmocka_run_group_tests_name("confined", tests, NULL, NULL);
}
