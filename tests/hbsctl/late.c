// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * late ALGORITHM MS: a software group of 3 that does 10 barriers, to each of which its member 103
 * comes so many ms after the others have, however late these are. Then its members stay, and it says "ready". With 0 ms they
 * all come as soon as they can, for 20000 barriers.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <hbs.h>

static struct hbs_group *group;
static unsigned int late_ms, barriers;
static _Atomic int done;
/* Arrivals of the two others, or almost */
static _Atomic unsigned int arrived;

static void *be_member(void *arg)
{
	long tag = (long)arg;
	struct hbs_member *me;

	if (hbs_join_tagged(group, (uint64_t)tag, &me))
		exit(1);
	for (unsigned int i = 0; i < barriers; i++) {
		if (tag == 103 && late_ms) {
			while (atomic_load(&arrived) < 2 * (i + 1))
				usleep(1000);
			usleep(late_ms * 1000);
		} else {
			atomic_fetch_add(&arrived, 1);
		}
		if (hbs_barwait(me))
			exit(1);
	}
	atomic_fetch_add(&done, 1);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	struct hbs_group_attr group_attr = { .members = 3, .promise = HBS_PROMISE_FIXED };
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE };
	struct hbs *hbs;
	pthread_t thread;

	if (argc != 3)
		return 2;
	setenv("HBS_ALGORITHM", argv[1], 1);
	late_ms = (unsigned int)atoi(argv[2]);
	barriers = late_ms ? 10 : 20000;
	if (hbs_open(&hbs, &attr) || hbs_group_create(hbs, &group_attr, &group))
		return 1;
	for (long tag = 101; tag <= 103; tag++)
		if (pthread_create(&thread, NULL, be_member, (void *)tag))
			return 1;
	while (atomic_load(&done) < 3)
		usleep(1000);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
