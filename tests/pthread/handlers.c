// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program's own fork handlers, registered before all else in it, use barriers: they make,
 * use and destroy one, destroy one that was made before the fork, and take a lock that another
 * thread holds while it makes barriers. True of the C library's barriers too. Prints TAP.
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
	expect(!pthread_barrier_destroy(&kept));
	use_one();
	pthread_mutex_unlock(&lock);
}

static void register_handlers(void)
{
	pthread_atfork(prepare, after, after);
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

int main(void)
{
	pthread_t threads[2];
	bool ok = true;

	alarm(60);
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
	printf("1..3\n");
	return 0;
}
