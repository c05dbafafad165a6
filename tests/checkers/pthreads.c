// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: pthreads [race]
 *
 * As groups.c, with barriers of POSIX; "race": two threads store to one place in each phase.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "expect.h"

#define MEMBERS 3
#define ROUNDS	20
#define TIMES	5

static pthread_barrier_t *barrier;
static int stored[MEMBERS];
static volatile int everywhere;
static bool race;

static void wait_for_all(void)
{
	int ret = pthread_barrier_wait(barrier);

	EXPECT(!ret || ret == PTHREAD_BARRIER_SERIAL_THREAD);
}

static void *take_turns(void *number)
{
	int index = *(int *)number;

	for (int round = 1; round <= ROUNDS; round++) {
		stored[index] = round;
		if (race)
			everywhere = round;
		wait_for_all();
		for (int i = 0; i < MEMBERS; i++)
			EXPECT(stored[i] == round);
		wait_for_all();
	}
	return NULL;
}

static void run(int shared)
{
	pthread_t threads[MEMBERS];
	pthread_barrierattr_t attr;
	int numbers[MEMBERS];

	EXPECT(!pthread_barrierattr_init(&attr));
	EXPECT(!pthread_barrierattr_setpshared(&attr, shared));
	/* nothing was ever stored there */
	barrier = malloc(sizeof(*barrier));
	EXPECT(barrier);
	EXPECT(!pthread_barrier_init(barrier, &attr, MEMBERS));
	for (int i = 0; i < MEMBERS; i++) {
		numbers[i] = i;
		EXPECT(!pthread_create(&threads[i], NULL, take_turns, &numbers[i]));
	}
	for (int i = 0; i < MEMBERS; i++)
		EXPECT(!pthread_join(threads[i], NULL));
	EXPECT(!pthread_barrier_destroy(barrier));
	free(barrier);
	EXPECT(!pthread_barrierattr_destroy(&attr));
}

int main(int argc, char **argv)
{
	(void)argv;
	race = argc > 1;
	for (int i = 0; i < TIMES; i++) {
		run(PTHREAD_PROCESS_PRIVATE);
		run(PTHREAD_PROCESS_SHARED);
	}
	return 0;
}
