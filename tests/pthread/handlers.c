// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: handlers [drop-in]
 *
 * A program's own fork handlers, registered before all else in it, use barriers: they make,
 * use and destroy one, destroy one that was made before the fork, and take a lock that another
 * thread holds while it makes barriers. This holds for the C library's barriers too; "drop-in"
 * adds that a child's handler finds barriers free at which threads of the parent wait. Prints
 * TAP.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS 300

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t kept;
static pthread_barrier_t busy; /* the barrier where a thread waits */
static bool is_busy;
static bool handlers_on;
static atomic_bool stop;
static _Atomic unsigned int faults;

static void expect(bool ok)
{
	if (!ok)
		atomic_fetch_add(&faults, 1);
}

static bool wait_at(pthread_barrier_t *barrier)
{
	int ret = pthread_barrier_wait(barrier);

	return !ret || ret == PTHREAD_BARRIER_SERIAL_THREAD;
}

static void use_one(void)
{
	pthread_barrier_t barrier;

	expect(!pthread_barrier_init(&barrier, NULL, 1));
	expect(wait_at(&barrier));
	expect(!pthread_barrier_destroy(&barrier));
}

static void prepare(void)
{
	if (!handlers_on)
		return;
	pthread_mutex_lock(&lock);
	use_one();
	expect(!pthread_barrier_init(&kept, NULL, 1));
	expect(wait_at(&kept));
}

static void after(void)
{
	if (!handlers_on)
		return;
	expect(wait_at(&kept));
	expect(!pthread_barrier_destroy(&kept));
	use_one();
	pthread_mutex_unlock(&lock);
}

static void *wait_there(void *barrier)
{
	expect(wait_at(barrier));
	return NULL;
}

/* For a barrier of two, with one thread of this process */
static void in_child(void)
{
	pthread_t thread;

	if (is_busy) {
		pthread_create(&thread, NULL, wait_there, &busy);
		expect(wait_at(&busy));
		pthread_join(thread, NULL);
		expect(!pthread_barrier_destroy(&busy));
	}
	after();
}

static void register_handlers(void)
{
	pthread_atfork(prepare, after, in_child);
}

/* Before the constructors of all libraries */
__attribute__((section(".preinit_array"), used)) static void (*first)(void) = register_handlers;

static void *use_locked(void *unused)
{
	while (!atomic_load(&stop)) {
		pthread_mutex_lock(&lock);
		use_one();
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *use_free(void *unused)
{
	while (!atomic_load(&stop))
		use_one();
	return unused;
}

static bool fork_once(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		use_one();
		_exit(faults != 0);
	}
	return waitpid(child, &status, 0) == child && !status;
}

/* Before the first use of anything in the child, and after */
static bool fork_busy(void)
{
	pthread_t thread;
	bool ok;

	pthread_barrier_init(&busy, NULL, 2);
	pthread_create(&thread, NULL, wait_there, &busy);
	usleep(20000);
	is_busy = true;
	ok = fork_once();
	is_busy = false;
	pthread_barrier_wait(&busy);
	pthread_join(thread, NULL);
	return ok && !pthread_barrier_destroy(&busy);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	bool ok = true;

	(void)argv;

	alarm(120);
	handlers_on = true;
	printf("%sok 1 - fork handlers, before there was a barrier\n", fork_once() ? "" : "not ");
	pthread_create(&threads[0], NULL, use_locked, NULL);
	pthread_create(&threads[1], NULL, use_free, NULL);
	for (int i = 0; ok && i < FORKS; i++)
		ok = fork_once();
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%sok 2 - fork handlers, while threads make barriers\n", ok ? "" : "not ");
	printf("%sok 3 - all that they did\n", faults ? "not " : "");
	if (argc > 1)
		printf("%sok 4 - barriers at which a parent's threads wait\n",
		       fork_busy() ? "" : "not ");
	printf("1..%d\n", argc > 1 ? 4 : 3);
	return 0;
}
