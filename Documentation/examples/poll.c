/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event loop: a thread waits for a barrier and for a pipe at the same time */
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "must.h"

static struct hbs_group *group;
static int ends[2];

/* Writes to the pipe, and arrives later */
static void *other(void *unused)
{
	const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	struct hbs_member *me;

	must(hbs_join(group, &me));
	for (int i = 0; i < 3; i++) {
		if (write(ends[1], "!", 1) != 1)
			exit(1);
		nanosleep(&pause, NULL);
	}
	must(hbs_barwait(me));
	must(hbs_leave(me));
	return unused;
}

int main(void)
{
	struct hbs_group_attr attr = { .members = 2 };
	struct hbs_member *me;
	struct hbs *hbs;
	pthread_t thread;
	int events = 0;
	char byte;

	if (pipe(ends))
		return 1;
	must(hbs_open(&hbs, NULL));
	must(hbs_group_create(hbs, &attr, &group));
	must(hbs_join(group, &me));
	pthread_create(&thread, NULL, other, NULL);

	must(hbs_arrive(me));
	while (!must(hbs_test(me))) {
		/* ask for the descriptor each time: that prepares it */
		struct pollfd fds[2] = {
			{ .fd = must(hbs_member_fd(me)), .events = POLLIN },
			{ .fd = ends[0], .events = POLLIN },
		};

		poll(fds, 2, -1);
		if (fds[1].revents && read(ends[0], &byte, 1) == 1)
			events++;
	}

	pthread_join(thread, NULL);
	must(hbs_leave(me));
	must(hbs_group_close(group));
	must(hbs_close(hbs));
	printf("%d events while the barrier was open\n", events);
	return 0;
}
