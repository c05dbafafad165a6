/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reduction: each member brings a value to the barrier, and all get the largest one */
#include <pthread.h>

#include "must.h"

#define THREADS 4

static struct hbs_group *group;

/* Halves its error in each step, until the largest error of all is small */
static void *work(void *argument)
{
	uint64_t error = 100 * ((uint64_t)(long)argument + 1), worst;
	struct hbs_member *me;
	int steps = 0;

	must(hbs_join(group, &me));
	do {
		error /= 2;
		steps++;
		must(hbs_allreduce(me, error, &worst)); /* this is a barrier, too */
	} while (worst > 1);
	if (argument == NULL)
		printf("all have settled after %d steps\n", steps);
	must(hbs_leave(me));
	return NULL;
}

int main(void)
{
	struct hbs_group_attr attr = { .members = THREADS, .reduce = HBS_MAX };
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
	return 0;
}
