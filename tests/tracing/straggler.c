// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: straggler BACKEND MEMBERS LATE EPOCHS
 *
 * Threads that meet, of which one comes late to each barrier: the member with the tag LATE, of
 * 1 to MEMBERS. Nobody spins. Then one of them destroys the group, and all are told. It prints
 * the threads' ids and tags, which the trace has to show.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hbs.h"

#define LATE_US 20000

struct thread {
	pthread_t id;
	struct hbs_group *group;
	unsigned long tag, late, epochs;
	int ret;
};

static int meet(struct thread *thread)
{
	struct hbs_member *me;
	int ret = hbs_join_tagged(thread->group, thread->tag, &me);

	if (ret)
		return ret;
	printf("member %lu is thread %d\n", thread->tag, gettid());
	for (unsigned long epoch = 0; !ret && epoch < thread->epochs; epoch++) {
		if (thread->tag == thread->late)
			usleep(LATE_US);
		ret = hbs_barwait(me);
	}
	if (!ret && thread->tag == thread->late) {
		usleep(LATE_US);
		ret = hbs_group_destroy(thread->group);
	}
	if (!ret)
		ret = hbs_barwait(me) == -EIDRM ? 0 : -EPROTO;
	hbs_leave(me);
	return ret;
}

static void *run(void *arg)
{
	struct thread *thread = arg;

	thread->ret = meet(thread);
	return NULL;
}

static int start(struct hbs_group *group, unsigned long members, unsigned long late,
		 unsigned long epochs)
{
	struct thread *threads = calloc(members, sizeof(*threads));
	int ret = threads ? 0 : -ENOMEM;

	for (unsigned long i = 0; !ret && i < members; i++) {
		threads[i] = (struct thread){
			.group = group, .tag = i + 1, .late = late, .epochs = epochs
		};
		ret = -pthread_create(&threads[i].id, NULL, run, &threads[i]);
	}
	for (unsigned long i = 0; !ret && i < members; i++) {
		pthread_join(threads[i].id, NULL);
		ret = threads[i].ret;
	}
	free(threads);
	return ret;
}

int main(int argc, char **argv)
{
	struct hbs_attr attr = { .spin_ns = HBS_SPIN_NONE };
	struct hbs_group_attr group_attr = { 0 };
	struct hbs_group *group;
	struct hbs *hbs;
	int ret;

	if (argc != 5)
		return 2;
	attr.backend = strcmp(argv[1], "card") ? HBS_BACKEND_SOFTWARE : HBS_BACKEND_CARD;
	group_attr.members = (uint32_t)strtoul(argv[2], NULL, 0);
	ret = hbs_open(&hbs, &attr);
	if (!ret)
		ret = hbs_group_create(hbs, &group_attr, &group);
	if (!ret)
		ret = start(group, group_attr.members, strtoul(argv[3], NULL, 0),
			    strtoul(argv[4], NULL, 0));
	if (ret) {
		fprintf(stderr, "straggler: %s\n", hbs_strerror(ret));
		return 1;
	}
	return hbs_group_close(group) || hbs_close(hbs);
}
