// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What POSIX says about barriers, which holds for the C library's too; with an
 * argument, also what only the drop-in promises; with a second one, a tenth of the
 * rounds; with "eagain", whether no barrier can be made. Prints TAP.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned int rounds = 2000; /* rounds of tests that repeat */

static int results;

static void report(bool ok, const char *name)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++results, name);
	fflush(stdout);
}

struct team {
	pthread_barrier_t *barrier;
	unsigned int members;
	unsigned int rounds;
	_Atomic unsigned int *arrived;
	_Atomic unsigned int *serials;
	_Atomic unsigned int *faults;
};

static void *take_part(void *arg)
{
	struct team *team = arg;

	for (unsigned int round = 1; round <= team->rounds; round++) {
		int ret;

		atomic_fetch_add(team->arrived, 1);
		ret = pthread_barrier_wait(team->barrier);
		if (ret == PTHREAD_BARRIER_SERIAL_THREAD)
			atomic_fetch_add(team->serials, 1);
		else if (ret)
			atomic_fetch_add(team->faults, 1);
		/* nobody passes before all have arrived */
		if (atomic_load(team->arrived) < round * team->members)
			atomic_fetch_add(team->faults, 1);
	}
	return NULL;
}

static bool run_team(pthread_barrier_t *barrier, unsigned int members, unsigned int rounds)
{
	_Atomic unsigned int arrived = 0, serials = 0, faults = 0;
	struct team team = { barrier, members, rounds, &arrived, &serials, &faults };
	pthread_t threads[64];

	for (unsigned int i = 0; i < members; i++)
		if (pthread_create(&threads[i], NULL, take_part, &team))
			abort();
	for (unsigned int i = 0; i < members; i++)
		pthread_join(threads[i], NULL);
	return serials == rounds && !faults;
}

static void test_sizes(void)
{
	static const unsigned int sizes[] = { 1, 2, 3, 4, 8, 33 };
	bool ok = true;

	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		pthread_barrier_t barrier;

		ok = ok && !pthread_barrier_init(&barrier, NULL, sizes[i]);
		ok = ok && run_team(&barrier, sizes[i], sizes[i] > 4 ? rounds / 10 : rounds);
		ok = ok && !pthread_barrier_destroy(&barrier);
	}
	report(ok, "nobody passes early, one serial thread a barrier, 1 to 33 threads");
}

/*
 * All see after a barrier what was written before it: plain words, which the barrier alone
 * orders
 */
enum { WRITERS = 4, WORDS = 16 };

struct page {
	pthread_barrier_t barrier;
	unsigned int rounds;
	struct {
		_Alignas(64) unsigned int word;
	} of[WRITERS];
	unsigned int faults[WRITERS * WORDS]; /* a line each */
};

struct writer {
	struct page *page;
	unsigned int index;
};

static void *write_and_read(void *arg)
{
	struct writer *writer = arg;
	struct page *page = writer->page;

	for (unsigned int round = 1; round <= page->rounds; round++) {
		page->of[writer->index].word = round;
		pthread_barrier_wait(&page->barrier);
		for (unsigned int i = 0; i < WRITERS; i++)
			page->faults[writer->index * WORDS] += page->of[i].word != round;
		pthread_barrier_wait(&page->barrier);
	}
	return NULL;
}

static void test_order(void)
{
	static struct page page;
	struct writer writers[WRITERS];
	pthread_t threads[WRITERS];
	unsigned int faults = 0;

	page.rounds = rounds / 2;
	if (pthread_barrier_init(&page.barrier, NULL, WRITERS))
		abort();
	for (unsigned int i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ &page, i };
		if (pthread_create(&threads[i], NULL, write_and_read, &writers[i]))
			abort();
	}
	for (unsigned int i = 0; i < WRITERS; i++) {
		pthread_join(threads[i], NULL);
		faults += page.faults[i * WORDS];
	}
	pthread_barrier_destroy(&page.barrier);
	report(!faults, "what was written before is seen after");
}

static void test_attributes(void)
{
	pthread_barrierattr_t attr;
	pthread_barrier_t barrier;
	int shared = -1;
	bool ok = !pthread_barrierattr_init(&attr);

	ok = ok && !pthread_barrierattr_getpshared(&attr, &shared);
	ok = ok && shared == PTHREAD_PROCESS_PRIVATE;
	ok = ok && !pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	ok = ok && !pthread_barrierattr_getpshared(&attr, &shared);
	ok = ok && shared == PTHREAD_PROCESS_SHARED;
	ok = ok && pthread_barrierattr_setpshared(&attr, 7) == EINVAL;
	ok = ok && !pthread_barrierattr_destroy(&attr);
	report(ok, "attributes");
	report(pthread_barrier_init(&barrier, NULL, 0) == EINVAL, "no members: EINVAL");
}

/*
 * The thread that by its own view is the last to leave, the serial one or another,
 * destroys the barrier and unmaps the memory, which the other must not touch any more
 */
struct storm {
	pthread_barrier_t *barrier;
	bool by_serial;
	_Atomic unsigned int faults;
};

static void *storm_member(void *arg)
{
	struct storm *storm = arg;
	int ret = pthread_barrier_wait(storm->barrier);

	if (ret && ret != PTHREAD_BARRIER_SERIAL_THREAD)
		atomic_fetch_add(&storm->faults, 1);
	if ((ret == PTHREAD_BARRIER_SERIAL_THREAD) == storm->by_serial) {
		if (pthread_barrier_destroy(storm->barrier))
			atomic_fetch_add(&storm->faults, 1);
		munmap(storm->barrier, sizeof(*storm->barrier));
	}
	return NULL;
}

static void test_destroy(bool shared)
{
	unsigned int faults = 0;
	pthread_barrierattr_t attr;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, shared);
	for (int i = 0; (unsigned int)i < rounds; i++) {
		struct storm storm = { .by_serial = i & 1 };
		pthread_t threads[2];

		storm.barrier = mmap(NULL, sizeof(*storm.barrier), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (storm.barrier == MAP_FAILED || pthread_barrier_init(storm.barrier, &attr, 2))
			abort();
		for (int j = 0; j < 2; j++)
			if (pthread_create(&threads[j], NULL, storm_member, &storm))
				abort();
		for (int j = 0; j < 2; j++)
			pthread_join(threads[j], NULL);
		faults += storm.faults;
	}
	report(!faults, shared ? "destroy directly after wait, process-shared"
			       : "destroy directly after wait");
}

static void test_processes(void)
{
	struct memory {
		pthread_barrier_t barrier;
		_Atomic unsigned int arrived, serials, faults;
	} *memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	struct team team = { &memory->barrier, 3, rounds, &memory->arrived, &memory->serials,
			     &memory->faults };
	pthread_barrierattr_t attr;
	bool ok = true;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	if (pthread_barrier_init(&memory->barrier, &attr, 3))
		abort();
	for (int i = 0; i < 3; i++) {
		if (!fork()) {
			take_part(&team);
			_exit(0);
		}
	}
	for (int i = 0; i < 3; i++) {
		int status;

		wait(&status);
		ok = ok && !status;
	}
	report(ok && memory->serials == rounds && !memory->faults, "three processes");
	report(!pthread_barrier_destroy(&memory->barrier), "destroy after they ended");
	munmap(memory, sizeof(*memory));
}

static _Atomic int handled;

static void handler(int number)
{
	(void)number;
	handled++;
}

/* Run program @self as another member of the barrier in the memory of @fd */
static void run_other(const char *self, int fd)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	execl(self, self, "member", number, NULL);
	_exit(126);
}

struct between {
	pthread_barrier_t barrier;
	_Atomic unsigned int arrived, serials, faults;
};

static struct between *map_between(int fd)
{
	void *memory =
		mmap(NULL, sizeof(struct between), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

static struct team team_between(struct between *memory)
{
	return (struct team){ &memory->barrier, 2, 200, &memory->arrived, &memory->serials,
			      &memory->faults };
}

static int be_the_other(int fd)
{
	struct team team = team_between(map_between(fd));

	alarm(120);
	take_part(&team);
	return 0;
}

static void test_other_program(const char *self)
{
	int fd = memfd_create("barrier", 0);
	pthread_barrierattr_t attr;
	struct between *memory;
	struct team team;
	int status = -1;
	pid_t other;
	bool ok;

	if (fd < 0 || ftruncate(fd, sizeof(*memory)))
		abort();
	memory = map_between(fd);
	team = team_between(memory);
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	ok = !pthread_barrier_init(&memory->barrier, &attr, 2);
	other = fork();
	if (!other)
		run_other(self, fd);
	take_part(&team);
	waitpid(other, &status, 0);
	ok = ok && !status && memory->serials == team.rounds && !memory->faults;
	ok = ok && !pthread_barrier_destroy(&memory->barrier);
	report(ok, "another program, which maps the barrier elsewhere");
	munmap(memory, sizeof(*memory));
	close(fd);
}

/* More threads than members: each barrier takes any of them */
static void *take_turns(void *arg)
{
	struct team *team = arg;

	/* as many threads as fill the last barrier, no matter which */
	while (atomic_fetch_add(team->arrived, 1) < team->rounds * team->members) {
		int ret = pthread_barrier_wait(team->barrier);

		if (ret == PTHREAD_BARRIER_SERIAL_THREAD)
			atomic_fetch_add(team->serials, 1);
		else if (ret)
			atomic_fetch_add(team->faults, 1);
	}
	return NULL;
}

static void test_turns(void)
{
	enum { MEMBERS = 3, THREADS = 8 };
	_Atomic unsigned int arrived = 0, serials = 0, faults = 0;
	pthread_barrier_t barrier;
	struct team team = { &barrier, MEMBERS, rounds, &arrived, &serials, &faults };
	pthread_t threads[THREADS];
	bool ok = !pthread_barrier_init(&barrier, NULL, MEMBERS);

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, take_turns, &team))
			abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ok = ok && !faults && serials == rounds;
	report(ok, "more threads than members take turns");
	pthread_barrier_destroy(&barrier);
}

static void test_storm(void)
{
	unsigned int members = 50;
	bool ok = true;

	for (unsigned int i = 0; ok && i < rounds / 40; i++) {
		pthread_barrier_t barrier;

		ok = !pthread_barrier_init(&barrier, NULL, members) &&
		     run_team(&barrier, members, 2) && !pthread_barrier_destroy(&barrier);
	}
	report(ok, "barriers of 50 threads, made and destroyed");
}

/* Whether the drop-in sleeps when it waits */
static bool sleeps(void)
{
	const char *policy = getenv("HBS_WAIT_POLICY");

	return !policy || strcmp(policy, "active");
}

/* In the kernel: a spin would have it run, and so no signal would end a sleep */
static void await_sleep(pid_t tid)
{
	char name[64], state = 0;

	snprintf(name, sizeof(name), "/proc/self/task/%d/stat", tid);
	while (state != 'S') {
		FILE *file = fopen(name, "r");

		if (!file || fscanf(file, "%*d %*s %c", &state) != 1)
			abort();
		fclose(file);
		usleep(100);
	}
}

static _Atomic bool gone;
static _Atomic pid_t waiter;

static void *wait_once(void *arg)
{
	int ret;

	waiter = gettid();
	ret = pthread_barrier_wait(arg);
	gone = true;
	/* PTHREAD_BARRIER_SERIAL_THREAD would look like PTHREAD_CANCELED */
	return ret == PTHREAD_BARRIER_SERIAL_THREAD ? &gone : NULL;
}

static void test_signals(bool drop_in)
{
	struct sigaction action = { .sa_handler = handler };
	pthread_barrier_t barrier;
	pthread_t thread;
	void *ret;
	int mine;
	bool early;

	sigaction(SIGUSR1, &action, NULL);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_once, &barrier);
	for (int i = 0; i < 20; i++) {
		int before = handled;

		while (!waiter)
			usleep(100);
		if (!drop_in || sleeps())
			await_sleep(waiter);
		pthread_kill(thread, SIGUSR1);
		while (handled == before)
			usleep(1000);
	}
	pthread_cancel(thread);
	usleep(10000);
	early = gone;
	if (drop_in)
		report(pthread_barrier_destroy(&barrier) == EBUSY, "destroy while one waits");
	mine = pthread_barrier_wait(&barrier);
	pthread_join(thread, &ret);
	report(!early && ret != PTHREAD_CANCELED &&
		       (mine == PTHREAD_BARRIER_SERIAL_THREAD) + (ret == &gone) == 1,
	       "signals and a cancellation do not end a wait");
	pthread_barrier_destroy(&barrier);
}

/* Processes that died in the midst of a barrier do not hold its memory */
static void test_died(void)
{
	struct between *memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct team team = { &memory->barrier, 2, 100, &memory->arrived, &memory->serials,
			     &memory->faults };
	pthread_barrierattr_t attr;
	pid_t child;
	bool ok;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	if (memory == MAP_FAILED || pthread_barrier_init(&memory->barrier, &attr, 2))
		abort();
	child = fork();
	if (!child) {
		atomic_store(&memory->faults, 1);
		pthread_barrier_wait(&memory->barrier);
		_exit(1);
	}
	while (!atomic_load(&memory->faults))
		usleep(100);
	usleep(10000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	atomic_store(&memory->faults, 0);
	ok = !pthread_barrier_init(&memory->barrier, &attr, 2);
	for (int i = 0; ok && i < 2; i++) {
		if (!fork()) {
			take_part(&team);
			_exit(0);
		}
	}
	for (int i = 0; ok && i < 2; i++)
		wait(NULL);
	report(ok && memory->serials == team.rounds && !memory->faults,
	       "init of a process-shared barrier whose users have died");
	munmap(memory, sizeof(*memory));
}

#ifndef __SANITIZE_THREAD__
/* A thread waits at a barrier for ever; another barrier may take its memory */
static void test_given_out_again(void)
{
	pthread_barrier_t *barrier = malloc(sizeof(*barrier));
	pthread_t thread;
	bool ok;

	if (!barrier || pthread_barrier_init(barrier, NULL, 3))
		abort();
	waiter = 0;
	gone = false;
	pthread_create(&thread, NULL, wait_once, barrier);
	pthread_detach(thread);
	while (!waiter)
		usleep(100);
	usleep(10000);
	ok = !pthread_barrier_init(barrier, NULL, 2) && run_team(barrier, 2, 100) &&
	     !pthread_barrier_destroy(barrier);
	report(ok && !gone, "init in memory that was given out again");
	free(barrier);
}

/* An error of the program, which gives EINVAL at best, and is no reason to crash */
struct amid {
	pthread_barrier_t barrier;
	atomic_bool stop;
};

static void *wait_amid(void *arg)
{
	struct amid *amid = arg;
	bool ok = true;

	while (!atomic_load(&amid->stop)) {
		int ret = pthread_barrier_wait(&amid->barrier);

		ok = ok && (ret == EINVAL || ret == PTHREAD_BARRIER_SERIAL_THREAD);
	}
	return ok ? amid : NULL;
}

static void test_destroy_amid(void)
{
	struct amid amid = { .stop = false };
	pthread_t thread;
	bool ok = true;
	void *ret;

	pthread_barrier_init(&amid.barrier, NULL, 1);
	pthread_create(&thread, NULL, wait_amid, &amid);
	for (unsigned int i = 0; ok && i < 10 * rounds; i++) {
		int error = pthread_barrier_destroy(&amid.barrier);

		ok = error == EBUSY || (!error && !pthread_barrier_init(&amid.barrier, NULL, 1));
	}
	atomic_store(&amid.stop, true);
	pthread_join(thread, &ret);
	report(ok && ret == &amid, "destroy while a thread comes");
}

static bool use_and_destroy(pthread_barrier_t *barrier)
{
	return run_team(barrier, 2, 100) && !pthread_barrier_destroy(barrier);
}

static bool destroy(pthread_barrier_t *barrier)
{
	return !pthread_barrier_destroy(barrier);
}

static bool in_child(bool (*use)(pthread_barrier_t *barrier), pthread_barrier_t *barrier)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		alarm(120);
		_exit(!use(barrier));
	}
	waitpid(child, &status, 0);
	return !status;
}

static void test_fork(void)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_once, &barrier);
	usleep(20000);
	report(in_child(use_and_destroy, &barrier),
	       "a child's threads have its barriers for themselves");
	report(in_child(destroy, &barrier), "a child destroys what its parent's threads wait at");
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
}

static void *make_and_destroy(void *stop)
{
	while (!atomic_load((atomic_bool *)stop)) {
		pthread_barrier_t barrier;

		if (pthread_barrier_init(&barrier, NULL, 1))
			abort();
		pthread_barrier_wait(&barrier);
		if (pthread_barrier_destroy(&barrier))
			abort();
	}
	return NULL;
}

static bool make_use_and_destroy(pthread_barrier_t *barrier)
{
	return !pthread_barrier_init(barrier, NULL, 2) && run_team(barrier, 2, 2) &&
	       !pthread_barrier_destroy(barrier);
}

/* Fork while the parent's threads may hold any lock of the library */
static void test_fork_amid(void)
{
	atomic_bool stop = false;
	pthread_t threads[2];
	bool ok = true;

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, make_and_destroy, &stop))
			abort();
	for (unsigned int i = 0; ok && i < rounds / 10; i++)
		ok = in_child(make_use_and_destroy, &(pthread_barrier_t){ 0 });
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	report(ok, "children of a process whose threads make and destroy barriers");
}

#endif

static void test_garbage(void)
{
	static pthread_barrier_t zero;
	pthread_barrier_t garbage, barrier, copy;

	memset(&garbage, 0xa5, sizeof(garbage));
	pthread_barrier_init(&barrier, NULL, 1);
	copy = barrier;
	report(pthread_barrier_wait(&zero) == EINVAL && pthread_barrier_destroy(&zero) == EINVAL,
	       "static memory: EINVAL");
	report(pthread_barrier_wait(&garbage) == EINVAL, "garbage: EINVAL");
	report(pthread_barrier_wait(&copy) == EINVAL && pthread_barrier_destroy(&copy) == EINVAL,
	       "a copy: EINVAL");
	pthread_barrier_destroy(&barrier);
	report(pthread_barrier_wait(&barrier) == EINVAL &&
		       pthread_barrier_destroy(&barrier) == EINVAL,
	       "destroyed: EINVAL");
}

/* Seven barriers, and five of a child that ends as a program does; for the statistics */
static int have_a_child(void)
{
	pthread_barrier_t barrier;
	bool ok = !pthread_barrier_init(&barrier, NULL, 2) && run_team(&barrier, 2, 7);
	int status = -1;

	if (!fork())
		exit(!run_team(&barrier, 2, 5));
	wait(&status);
	return !ok || status;
}

int main(int argc, char **argv)
{
	bool drop_in = argc > 1;

	if (argc > 1 && !strcmp(argv[1], "eagain"))
		return pthread_barrier_init(&(pthread_barrier_t){ 0 }, NULL, 2) != EAGAIN;
	if (argc > 1 && !strcmp(argv[1], "child"))
		return have_a_child();
	if (argc > 2 && !strcmp(argv[1], "member"))
		return be_the_other(atoi(argv[2]));
	if (argc > 2)
		rounds /= 10;
	alarm(120);
	test_sizes();
	test_order();
	test_attributes();
	test_destroy(false);
	test_destroy(true);
	test_processes();
	test_other_program(argv[0]);
	test_died();
	test_turns();
	test_storm();
	test_signals(drop_in);
	if (drop_in) {
#ifdef __SANITIZE_THREAD__
		printf("ok %d - a child's threads # SKIP the sanitizer knows no threads there\n",
		       ++results);
#else
		test_fork();
		test_fork_amid();
		test_destroy_amid();
		test_given_out_again();
#endif
		test_garbage();
	}
	printf("1..%d\n", results);
	return 0;
}
