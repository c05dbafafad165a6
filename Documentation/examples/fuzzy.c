/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fuzzy barrier: between arriving and waiting a thread does work that the others do not wait
 * for, and that does not need theirs.
 */
#include <pthread.h>

#include "must.h"

#define THREADS 4
#define STEPS	50

static struct hbs_group *group;
static int edges[THREADS], inner[THREADS];

static void *work(void *argument)
{
	int rank = (int)(long)argument, left = (rank + THREADS - 1) % THREADS;
	struct hbs_member *me;

	must(hbs_join(group, &me));
	for (int step = 1; step <= STEPS; step++) {
		edges[rank] = step; /* what a neighbour needs comes first */
		must(hbs_arrive(me));
		inner[rank] = step; /* and the rest, while the others arrive */
		must(hbs_wait(me));
		if (edges[left] != step)
			puts("the neighbour's edge is not there");
		must(hbs_barwait(me)); /* before the edges change */
	}
	must(hbs_leave(me));
	return NULL;
}

int main(void)
{
	struct hbs_group_attr attr = { .members = THREADS };
	pthread_t threads[THREADS];
	struct hbs *hbs;

	must(hbs_open(&hbs, NULL));
	must(hbs_group_create(hbs, &attr, &group));
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	must(hbs_group_close(group));
	must(hbs_close(hbs));
	printf("%d steps\n", inner[0]);
	return 0;
}
