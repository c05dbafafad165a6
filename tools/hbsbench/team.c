// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "team.h"

struct member {
	pthread_t thread;
	pid_t pid;
	unsigned int number;
	member_fn work;
	void *arg;
};

static void *thread_work(void *arg)
{
	struct member *member = arg;

	member->work(member->number, member->arg);
	return NULL;
}

static void start_thread(struct member *member)
{
	int ret = pthread_create(&member->thread, NULL, thread_work, member);

	if (ret)
		child_die("pthread_create", strerror(ret));
}

static void start_process(struct member *member)
{
	pid_t parent = getpid();

	member->pid = fork();
	if (member->pid < 0)
		child_die("fork", strerror(errno));
	if (member->pid)
		return;
	child_start(parent);
	member->work(member->number, member->arg);
	_exit(0);
}

static void end_process(const struct member *member)
{
	int status;

	while (waitpid(member->pid, &status, 0) < 0 && errno == EINTR)
		;
	/* the call has said itself why */
	if (status)
		_exit(1);
}

void team_run(const struct contender *contender, unsigned int members, bool processes,
	      member_fn work, void *arg)
{
	struct member *team = calloc(members, sizeof(*team));
	int ret;

	if (!team)
		child_die("the members", strerror(ENOMEM));
	if (contender->team) {
		ret = contender->team(members, work, arg);
		if (ret)
			child_die("the members", strerror(ret));
		free(team);
		return;
	}
	for (unsigned int i = 1; i < members; i++) {
		team[i] = (struct member){ .number = i, .work = work, .arg = arg };
		if (processes)
			start_process(&team[i]);
		else
			start_thread(&team[i]);
	}
	work(0, arg);
	for (unsigned int i = 1; i < members; i++) {
		if (processes)
			end_process(&team[i]);
		else
			pthread_join(team[i].thread, NULL);
	}
	free(team);
}
