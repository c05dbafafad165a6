/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From pthread_barrier_t to hbs. In the comments is what stood there before. A thread gets a
 * handle of its own, and the return value says more: there is no serial thread, but a completion
 * function, which one thread calls while the others wait.
 */
#include <pthread.h>

#include "must.h"

#define THREADS 4
#define STEPS	10

static struct hbs_group *group; /* pthread_barrier_t barrier; */
static int steps;

static void count(void *unused)
{
	(void)unused;
	steps++; /* if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) steps++; */
}

static void *work(void *unused)
{
	struct hbs_member *me;

	must(hbs_join(group, &me)); /* nothing */
	for (int i = 0; i < STEPS; i++)
		must(hbs_barwait(me)); /* pthread_barrier_wait(&barrier); */
	must(hbs_leave(me));	       /* nothing */
	return unused;
}

int main(void)
{
	struct hbs_group_attr attr = { .members = THREADS, .completion = count };
	pthread_t threads[THREADS];
	struct hbs *hbs;

	must(hbs_open(&hbs, NULL));		    /* nothing */
	must(hbs_group_create(hbs, &attr, &group)); /* pthread_barrier_init(&barrier, NULL, 4); */
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	must(hbs_group_close(group)); /* pthread_barrier_destroy(&barrier); */
	must(hbs_close(hbs));
	printf("%d steps\n", steps);
	return 0;
}
