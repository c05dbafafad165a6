// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes that take part */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance.h"

struct family {
	struct part part;
	int socket;
};

static int child_run(struct family *family, int group_fd, part_work *work)
{
	struct part *part = &family->part;
	struct hbs_attr attr = {
		.backend = part->context->mode->backend,
		.device = part->context->device,
		.spin_ns = part->context->mode->spin_ns,
	};
	struct hbs *hbs;

	CHECK_IS(hbs_open(&hbs, &attr), 0);
	CHECK_IS(hbs_group_import(hbs, group_fd, &part->group), 0);
	/* hbs_group_missing() calls it by its index */
	CHECK_IS(hbs_join_tagged(part->group, part->index, &part->me), 0);
	CHECK_IS(child_tell(part), 0);
	CHECK_IS(work(part), 0);
	if (part->me)
		CHECK_IS(hbs_leave(part->me), 0);
	CHECK_IS(hbs_group_close(part->group), 0);
	CHECK_IS(hbs_close(hbs), 0);
	return 0;
}

void child_start(struct context *context, struct child *child, int group_fd, part_work *work,
		 void *shared, unsigned int index)
{
	int sockets[2];

	IS(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
	*child = (struct child){ .socket = sockets[0] };
	child->pid = fork();
	assert_true(child->pid >= 0);
	if (!child->pid) {
		struct family family = {
			.part = { context, NULL, NULL, index, 0, shared, index },
			.socket = sockets[1],
		};

		/* a test that fails leaves no process behind */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(sockets[0]);
		_exit(child_run(&family, group_fd, work));
	}
	close(sockets[1]);
	hear_child(child);
}

int child_tell(struct part *part)
{
	return write(((struct family *)part)->socket, "", 1) == 1 ? 0 : 1;
}

int child_hear(struct part *part)
{
	char byte;

	return read(((struct family *)part)->socket, &byte, 1) == 1 ? 0 : 1;
}

void hear_child(struct child *child)
{
	char byte;

	IS(read(child->socket, &byte, 1), 1);
}

void tell_child(struct child *child)
{
	IS(write(child->socket, "", 1), 1);
}

void child_kill(struct child *child)
{
	int status;

	IS(kill(child->pid, SIGKILL), 0);
	IS(waitpid(child->pid, &status, 0), child->pid);
	close(child->socket);
	assert_true(WIFSIGNALED(status));
}

void child_ends(struct child *child)
{
	int status;

	IS(waitpid(child->pid, &status, 0), child->pid);
	close(child->socket);
	assert_true(WIFEXITED(status));
	IS(WEXITSTATUS(status), 0);
}

void *shared_memory(size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(map, MAP_FAILED);
	return map;
}
