// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stuck NAME TIMEOUT_NS ALGORITHM: a software group of 3, with an epoch behind it, whose
 * member 103, a thread of that name, does not come to the second one. With an empty name all
 * come, again and again. It says "ready".
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <hbs.h>

static struct hbs_group *group;
static const char *name;
static _Atomic int done;

static void *be_member(void *arg)
{
	long tag = (long)arg;
	struct hbs_member *me;

	prctl(PR_SET_NAME, tag == 103 && *name ? name : "waits");
	if (hbs_join_tagged(group, (uint64_t)tag, &me) || hbs_barwait(me))
		exit(1);
	atomic_fetch_add(&done, 1);
	while (!*name)
		if (hbs_barwait(me))
			exit(1);
	if (tag == 103)
		for (;;)
			pause();
	hbs_barwait(me);
	return NULL;
}

int main(int argc, char **argv)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE };
	struct hbs_group_attr group_attr = { .members = 3, .policy = HBS_ON_TIMEOUT_NOTIFY };
	struct hbs *hbs;
	pthread_t thread;

	if (argc != 4)
		return 2;
	name = argv[1];
	group_attr.timeout_ns = strtoull(argv[2], NULL, 10);
	/* it is asked for by the environment, which has names */
	setenv("HBS_ALGORITHM", argv[3], 1);
	group_attr.promise = HBS_PROMISE_FIXED;
	if (hbs_open(&hbs, &attr) || hbs_group_create(hbs, &group_attr, &group))
		return 1;
	for (long tag = 101; tag <= 103; tag++)
		if (pthread_create(&thread, NULL, be_member, (void *)tag))
			return 1;
	while (atomic_load(&done) < 3)
		usleep(1000);
	usleep(200000);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
