// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "child.h"
#include "cpus.h"
#include "narrow.h"

/*
 * A thread that starts meanwhile has the CPUs of the thread that starts it, so two passes find
 * all
 */
#define ROUNDS 2

struct narrow {
	sem_t asked;
	sem_t done;
	unsigned int count;
	int error;
};

static struct narrow *narrow;

static int narrow_threads(pid_t process, unsigned int count)
{
	struct dirent *entry;
	char path[40];
	int ret = 0;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", process);
	threads = opendir(path);
	if (!threads)
		return errno;
	while (!ret && (entry = readdir(threads))) {
		int thread = atoi(entry->d_name);

		/* a thread that has ended meanwhile needs nothing */
		if (thread > 0 && !cpus_limit(thread, count) && errno != ESRCH)
			ret = errno;
	}
	closedir(threads);
	return ret;
}

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) && errno == EINTR)
		;
}

static _Noreturn void serve(pid_t process)
{
	wait_for(&narrow->asked);
	for (int i = 0; i < ROUNDS && !narrow->error; i++)
		narrow->error = narrow_threads(process, narrow->count);
	sem_post(&narrow->done);
	_exit(0);
}

void narrow_start(void)
{
	pid_t process = getpid(), pid;

	narrow = arena_map(sizeof(*narrow));
	sem_init(&narrow->asked, 1, 0);
	sem_init(&narrow->done, 1, 0);
	pid = fork();
	if (pid < 0)
		child_die("a process that takes CPUs away", strerror(errno));
	if (pid)
		return;
	child_start(process);
	serve(process);
}

void narrow_to(unsigned int count)
{
	narrow->count = count;
	sem_post(&narrow->asked);
	wait_for(&narrow->done);
	if (narrow->error)
		child_die("CPUs cannot be taken away", strerror(narrow->error));
}
