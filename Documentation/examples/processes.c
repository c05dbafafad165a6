/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several processes: each child imports the group by the descriptor that it inherits. Programs
 * that are no relatives pass the descriptor through a UNIX socket (SCM_RIGHTS).
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"

#define PROCESSES 3

/* What the processes share; memory beside hbs is the program's own matter */
static int *shared;

static int child(int fd, int rank)
{
	struct hbs_member *me;
	struct hbs_group *group;
	struct hbs *hbs;
	int sum = 0;

	must(hbs_open(&hbs, NULL)); /* a context of its own: the parent's is not inherited */
	must(hbs_group_import(hbs, fd, &group));
	must(hbs_join_tagged(group, (uint64_t)rank, &me));
	shared[rank] = rank + 1;
	must(hbs_barwait(me));
	for (int i = 0; i < PROCESSES; i++)
		sum += shared[i];
	must(hbs_leave(me));
	must(hbs_group_close(group));
	must(hbs_close(hbs));
	return sum == 6 ? 0 : 1;
}

int main(void)
{
	struct hbs_group_attr attr = { .members = PROCESSES };
	struct hbs_group *group;
	struct hbs *hbs;
	int status, wrong = 0;

	shared = (int *)mmap(NULL, sizeof(*shared) * PROCESSES, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	must(hbs_open(&hbs, NULL));
	must(hbs_group_create(hbs, &attr, &group));
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0)
			_exit(child(must(hbs_group_fd(group)), i));
	while (wait(&status) > 0)
		wrong += status != 0;
	must(hbs_group_close(group));
	must(hbs_close(hbs));
	printf("%d processes, %d wrong\n", PROCESSES, wrong);
	return wrong;
}
