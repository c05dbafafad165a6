/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A first barrier: four threads do a hundred steps, and none begins a step before the others do */
#include <pthread.h>

#include "must.h"

#define THREADS 4
#define STEPS	100

static struct hbs_group *group;
static int done[THREADS];

static void *work(void *argument)
{
	int rank = (int)(long)argument;
	struct hbs_member *me;

	must(hbs_join(group, &me));
	for (int step = 1; step <= STEPS; step++) {
		done[rank] = step; /* the work of this step */
		must(hbs_barwait(me));
		/* all have done it: each may read what the others have written */
		for (int i = 0; i < THREADS; i++)
			if (done[i] != step)
				printf("%d is at step %d, not %d\n", i, done[i], step);
		/* and all have read, before anybody writes again */
		must(hbs_barwait(me));
	}
	must(hbs_leave(me));
	return NULL;
}

int main(void)
{
	struct hbs_group_attr attr = { .members = THREADS };
	pthread_t threads[THREADS];
	struct hbs *hbs;

	must(hbs_open(&hbs, NULL)); /* a card, or software where there is none */
	must(hbs_group_create(hbs, &attr, &group));
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	must(hbs_group_close(group));
	must(hbs_close(hbs));
	puts("100 steps");
	return 0;
}
