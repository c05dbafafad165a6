// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of a barrier: how many instructions barwait takes if the release is
 * already there, and what a warm loop asks of card and kernel. The test counts, and
 * does not time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <hbs.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define MAX_INSTRUCTIONS 40
#define MAX_THREADS	 4
#define WARM		 100
#define EPOCHS		 500

/* Sleeping would be a system call, and the point is that none is needed */
static const struct hbs_attr attr = {
	.backend = HBS_BACKEND_CARD,
	.spin_ns = 60000000000ULL,
};

/* Spinning is for threads that have a CPU each */
static unsigned int threads(void)
{
	return cpus() < MAX_THREADS ? cpus() : MAX_THREADS;
}

FIXTURE(fastpath)
{
	struct usage before;
};

FIXTURE_SETUP(fastpath)
{
	usage_note(&self->before);
}

FIXTURE_TEARDOWN(fastpath)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

static int traced_child(void)
{
	const struct hbs_group_attr one = { .members = 1 };
	struct hbs_group *group;
	struct hbs_member *me;
	struct hbs *hbs;

	if (hbs_open(&hbs, &attr) || hbs_group_create(hbs, &one, &group) || hbs_join(group, &me))
		return 1;
	for (int i = 0; i < WARM; i++)
		if (hbs_barwait(me))
			return 2;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		return 3;
	raise(SIGSTOP);
	if (hbs_barwait(me) || hbs_barwait(me))
		return 4;
	return hbs_leave(me) || hbs_group_close(group) ? 5 : 0;
}

/* Steps until the instruction at @address is next; returns the count, or -1 */
static long step_to(pid_t pid, unsigned long address, struct user_regs_struct *regs)
{
	long steps = 0;
	int status;

	do {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid ||
		    !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP || ++steps > 1000000 ||
		    ptrace(PTRACE_GETREGS, pid, NULL, regs))
			return -1;
	} while (regs->rip != address);
	return steps;
}

/* A group of one: the store completes it, so the release is there at once */
TEST_F(fastpath, instructions)
{
	struct user_regs_struct regs;
	unsigned long back;
	int status;
	long count;
	pid_t pid = fork();

	if (!pid)
		_exit(traced_child());
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFSTOPPED(status));
	for (int i = 0; i < 2; i++) {
		ASSERT_GT(step_to(pid, (unsigned long)hbs_barwait, &regs), 0);
		back = ptrace(PTRACE_PEEKDATA, pid, regs.rsp, NULL);
		/* From the first instruction to the return, both counted */
		count = step_to(pid, back, &regs);
		ASSERT_GT(count, 0);
		EXPECT_EQ((int)regs.rax, 0);
		EXPECT_LE(count, MAX_INSTRUCTIONS);
	}
	printf("# figure: barwait with the release there: %ld instructions (at most %d)\n", count,
	       MAX_INSTRUCTIONS);
	fflush(stdout);
	ASSERT_EQ(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

/* Threads that run a loop of barriers between two getppid() */
struct loop {
	struct hbs_group *group;
	int error;
};

static void *loop_run(void *arg)
{
	struct loop *loop = arg;
	struct hbs_member *me;
	int error = hbs_join(loop->group, &me);

	for (int i = 0; i < WARM && !error; i++)
		error = hbs_barwait(me);
	syscall(SYS_getppid);
	for (int i = 0; i < EPOCHS && !error; i++)
		error = hbs_barwait(me);
	syscall(SYS_getppid);
	if (!error)
		error = hbs_leave(me);
	if (error)
		__atomic_store_n(&loop->error, error, __ATOMIC_RELAXED);
	return NULL;
}

static int loop_child(void)
{
	const struct hbs_group_attr all = { .members = threads() };
	struct loop loop = { 0 };
	pthread_t thread[MAX_THREADS];
	struct hbs *hbs;

	if (hbs_open(&hbs, &attr) || hbs_group_create(hbs, &all, &loop.group))
		return 1;
	raise(SIGSTOP);
	for (int i = 0; i < (int)threads(); i++)
		if (pthread_create(&thread[i], NULL, loop_run, &loop))
			return 2;
	for (int i = 0; i < (int)threads(); i++)
		pthread_join(thread[i], NULL);
	return loop.error ? 3 : 0;
}

/* What a thread did: the getppid() calls seen, and other calls between them */
struct trace {
	pid_t tid;
	int marks;
	long calls;
};

static struct trace *trace_of(struct trace *trace, pid_t tid)
{
	while (trace->tid && trace->tid != tid)
		trace++;
	trace->tid = tid;
	return trace;
}

static void on_stop(struct trace *trace, pid_t tid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	trace = trace_of(trace, tid);
	if (info.entry.nr == SYS_getppid)
		trace->marks++;
	else if (trace->marks == 1)
		trace->calls++;
}

TEST_F(fastpath, system_calls)
{
	struct trace trace[MAX_THREADS + 4] = { { 0 } };
	unsigned int complete = 0;
	long calls = 0;
	int status, signal;
	pid_t tid, pid = fork();

	if (!pid)
		_exit(loop_child());
	ASSERT_EQ(ptrace(PTRACE_SEIZE, pid, NULL,
			 PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL),
		  0);
	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (tid == pid)
				EXPECT_EQ(status, 0);
			continue;
		}
		signal = WSTOPSIG(status);
		if (signal == (SIGTRAP | 0x80))
			on_stop(trace, tid);
		/* SIGSTOP and SIGTRAP are the tracing itself, or the child's start */
		if (signal == SIGSTOP && tid == pid && !(status >> 16))
			kill(pid, SIGCONT);
		signal = signal & 0x80 || signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
		ptrace(PTRACE_SYSCALL, tid, NULL, signal);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(trace); i++) {
		complete += trace[i].marks == 2;
		calls += trace[i].calls;
	}
	EXPECT_EQ(complete, threads());
	EXPECT_EQ(calls, 0);
	printf("# figure: %d barriers of %u threads: %ld system calls\n", EPOCHS, threads(), calls);
	fflush(stdout);
}

TEST_F(fastpath, counters)
{
	const struct hbs_group_attr all = { .members = threads() };
	struct hbs_group_stats stats;
	struct loop loop = { 0 };
	pthread_t thread[MAX_THREADS];
	struct hbs *hbs;

	ASSERT_EQ(hbs_open(&hbs, &attr), 0);
	ASSERT_EQ(hbs_group_create(hbs, &all, &loop.group), 0);
	for (int i = 0; i < (int)threads(); i++)
		ASSERT_EQ(pthread_create(&thread[i], NULL, loop_run, &loop), 0);
	for (int i = 0; i < (int)threads(); i++)
		ASSERT_EQ(pthread_join(thread[i], NULL), 0);
	ASSERT_EQ(loop.error, 0);
	ASSERT_EQ(hbs_group_stats(loop.group, &stats), 0);
	EXPECT_EQ(stats.barriers, WARM + EPOCHS);
	EXPECT_EQ(stats.arrivals, threads() * (WARM + EPOCHS));
	EXPECT_EQ(stats.departure_reads, 0);
	/* The first was written when the group was made */
	EXPECT_EQ(stats.record_writes, WARM + EPOCHS + 1);
	EXPECT_EQ(stats.interrupts, 0);
	EXPECT_EQ(stats.dropped, 0);
	EXPECT_EQ(stats.sleeps, 0);
	printf("# figure: a thread and barrier: %.3f ARRIVAL stores, %llu DEPARTURE loads, %llu "
	       "interrupts\n",
	       (double)stats.arrivals / threads() / stats.barriers,
	       (unsigned long long)stats.departure_reads, (unsigned long long)stats.interrupts);
	fflush(stdout);
	ASSERT_EQ(hbs_group_close(loop.group), 0);
	ASSERT_EQ(hbs_close(hbs), 0);
}

TEST_HARNESS_MAIN
