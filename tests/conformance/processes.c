// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups of several processes, which get the group by fork or by a socket */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../passing.h"
#include "conformance.h"

#define PROCESSES 3

static int step_with_others(struct part *part)
{
	part->count = PROCESSES;
	return take_steps(part);
}

static void by_fork(struct context *context)
{
	struct hbs_group *group = make_group(context, PROCESSES);
	struct steps *steps = shared_memory(sizeof(*steps));
	struct child children[PROCESSES - 1];
	struct part part = { context, group, NULL, 0, PROCESSES, steps, 1 };

	steps->epochs = scaled(context, 2000);
	steps->way = -1;
	for (unsigned int i = 0; i < PROCESSES - 1; i++)
		child_start(context, &children[i], hbs_group_fd(group), step_with_others, steps,
			    i + 1);
	join(group, &part.me, 1);
	IS(take_steps(&part), 0);
	for (unsigned int i = 0; i < PROCESSES - 1; i++)
		child_ends(&children[i]);
	IS(barriers(group), 2 * steps->epochs);
	leave(&part.me, 1);
	munmap(steps, sizeof(*steps));
}

static int open_again(const struct context *context, struct hbs **hbs)
{
	struct hbs_attr attr = { .backend = context->mode->backend,
				 .device = context->device,
				 .spin_ns = context->mode->spin_ns };

	return hbs_open(hbs, &attr);
}

/* A process that inherits nothing of the group, for it is older */
static int take_part_by_socket(struct context *context, int socket, struct steps *steps,
			       unsigned int index)
{
	struct part part = { context, NULL, NULL, index, PROCESSES, steps, index };
	int fd = receive_fd(socket);
	struct hbs *hbs;

	CHECK(fd >= 0);
	CHECK_IS(open_again(context, &hbs), 0);
	CHECK_IS(hbs_group_import(hbs, fd, &part.group), 0);
	/* the group has its own */
	CHECK_IS(close(fd), 0);
	CHECK_IS(hbs_join(part.group, &part.me), 0);
	CHECK_IS(take_steps(&part), 0);
	CHECK_IS(hbs_leave(part.me), 0);
	CHECK_IS(hbs_group_close(part.group), 0);
	CHECK_IS(hbs_close(hbs), 0);
	return 0;
}

static void ends_well(pid_t pid)
{
	int status;

	IS(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	IS(WEXITSTATUS(status), 0);
}

static void by_socket(struct context *context)
{
	struct steps *steps = shared_memory(sizeof(*steps));
	struct part part = { context, NULL, NULL, 0, PROCESSES, steps, 1 };
	int sockets[PROCESSES - 1][2];
	pid_t pids[PROCESSES - 1];

	steps->epochs = scaled(context, 2000);
	steps->way = -1;
	for (unsigned int i = 0; i < PROCESSES - 1; i++) {
		IS(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets[i]), 0);
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (!pids[i]) {
			close(sockets[i][0]);
			_exit(take_part_by_socket(context, sockets[i][1], steps, i + 1));
		}
		close(sockets[i][1]);
	}
	part.group = make_group(context, PROCESSES);
	for (unsigned int i = 0; i < PROCESSES - 1; i++)
		IS(send_fd(sockets[i][0], hbs_group_fd(part.group)), 0);
	join(part.group, &part.me, 1);
	IS(take_steps(&part), 0);
	for (unsigned int i = 0; i < PROCESSES - 1; i++) {
		ends_well(pids[i]);
		close(sockets[i][0]);
	}
	leave(&part.me, 1);
	munmap(steps, sizeof(*steps));
}

/* The process that made it goes; the group stays */
static void outlives_its_maker(struct context *context)
{
	int sockets[2], fd;
	struct hbs_group *group;
	struct hbs_member *m[2];
	pid_t pid;

	IS(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct hbs_group_attr attr =
			group_attr(context, &(struct hbs_group_attr){ .members = 2 });
		struct hbs *hbs;

		if (open_again(context, &hbs) || hbs_group_create(hbs, &attr, &group) ||
		    send_fd(sockets[1], hbs_group_fd(group)))
			_exit(1);
		_exit(0);
	}
	fd = receive_fd(sockets[0]);
	ends_well(pid);
	IS(hbs_group_import(context->hbs, fd, &group), 0);
	IS(close(fd), 0);
	context->groups[context->n_groups++] = group;
	join(group, m, 2);
	for (int i = 0; i < 3; i++)
		pass_all(context, m, 2);
	leave(m, 2);
	close(sockets[0]);
	close(sockets[1]);
}

/* What a child inherits is not its own; if it closes it, nobody loses anything */
static int let_go(struct context *context, struct hbs_group *group, struct hbs_member **m)
{
	struct hbs_group_attr attr = group_attr(context, &(struct hbs_group_attr){ .members = 1 });
	struct hbs_group_stats stats;
	struct hbs_member *more;
	struct hbs_group *other;

	CHECK_IS(hbs_join(group, &more), -ECHILD);
	CHECK_IS(hbs_group_create(context->hbs, &attr, &other), -ECHILD);
	CHECK_IS(hbs_group_destroy(group), -ECHILD);
	CHECK_IS(hbs_group_stats(group, &stats), -ECHILD);
	CHECK_IS(hbs_leave(m[0]), 0);
	CHECK_IS(hbs_leave(m[1]), 0);
	CHECK_IS(hbs_group_close(group), 0);
	CHECK_IS(hbs_close(context->hbs), 0);
	return 0;
}

static void inherited_handles(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];
	struct early early;
	pid_t pid;

	join(group, m, 2);
	early_arrives(context, &early, m[0]);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(let_go(context, group, m));
	ends_well(pid);
	early_waits(&early);
	IS(hbs_barwait(m[1]), 0);
	IS(early_departs(&early), 0);
	IS(barriers(group), 1);
	leave(m, 2);
}

/* When one process destroys a group, it is destroyed for all */
static int destroy_for_all(struct part *part)
{
	CHECK_IS(child_hear(part), 0);
	CHECK_IS(hbs_group_destroy(part->group), 0);
	CHECK_IS(hbs_barwait(part->me), -EIDRM);
	return 0;
}

static void errors_reach_all_processes(struct context *context)
{
	struct crowd crowd;
	struct child child;

	crowd_join(context, &crowd, &(struct hbs_group_attr){ .members = 1 });
	child_start(context, &child, hbs_group_fd(crowd.group), destroy_for_all, NULL, 0);
	crowd_wait(&crowd);
	tell_child(&child);
	crowd_ends(&crowd, -EIDRM);
	child_ends(&child);
	crowd_leave(&crowd);
}

static int sum_up(struct part *part)
{
	unsigned int *epochs = part->shared;
	uint64_t got;

	for (uint64_t epoch = 1; epoch <= *epochs; epoch++) {
		CHECK_IS(hbs_allreduce(part->me, epoch << (8 * part->index), &got), 0);
		CHECK_IS(got, epoch + (epoch << 8) + (epoch << 16));
	}
	return 0;
}

static void values_reach_all_processes(struct context *context)
{
	struct hbs_group *group = make_group_of(
		context, &(struct hbs_group_attr){ .members = PROCESSES, .reduce = HBS_SUM });
	unsigned int epochs = scaled(context, 2000);
	struct part part = { context, group, NULL, 0, PROCESSES, &epochs, 1 };
	struct child children[PROCESSES - 1];

	for (unsigned int i = 0; i < PROCESSES - 1; i++)
		child_start(context, &children[i], hbs_group_fd(group), sum_up, &epochs, i + 1);
	join(group, &part.me, 1);
	IS(sum_up(&part), 0);
	for (unsigned int i = 0; i < PROCESSES - 1; i++)
		child_ends(&children[i]);
	leave(&part.me, 1);
}

const struct test process_tests[] = {
	{ "processes share a group by fork", by_fork, 0 },
	{ "processes share a group by a descriptor that was sent", by_socket, 0 },
	{ "a group outlives the process that made it", outlives_its_maker, 0 },
	{ "a child has no part in what it inherits", inherited_handles, 0 },
	{ "errors reach the members in all processes", errors_reach_all_processes, 0 },
	{ "values reach the members in all processes", values_reach_all_processes, VALUES },
	{ 0 },
};
