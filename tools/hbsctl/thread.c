// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "syscalls.h"
#include "text.h"
#include "thread.h"

#define FILE_SIZE 4096

/* A file of /proc/PID/task/TID, up to FILE_SIZE - 1 bytes. Return: 0, or an error number. */
static int read_file(uint32_t pid, uint32_t tid, const char *name, char text[FILE_SIZE])
{
	char path[80];
	ssize_t size;
	int fd, error = 0;

	*text = '\0';
	snprintf(path, sizeof(path), "/proc/%u/task/%u/%s", pid, tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	size = read(fd, text, FILE_SIZE - 1);
	if (size < 0)
		error = errno;
	text[size < 0 ? 0 : size] = '\0';
	close(fd);
	return error;
}

static bool is_hidden(int error)
{
	return error == EACCES || error == EPERM;
}

/* The name is in parentheses, and may have parentheses and blanks itself */
static void look_at_stat(const char *text, struct thread *thread)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	unsigned long user = 0, system = 0;
	char comm[64];
	int cpu = -1;

	if (!open || !close || close < open)
		return;
	snprintf(comm, sizeof(comm), "%.*s", (int)(close - open - 1), open + 1);
	text_escape(thread->comm, sizeof(thread->comm), comm);
	/* the state is field 3, CPU times are 14 and 15, the CPU is 39 */
	sscanf(close + 1,
	       " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu %*s %*s %*s %*s %*s %*s %*s "
	       "%*s "
	       "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
	       &thread->state, &user, &system, &cpu);
	thread->cpu = cpu;
	thread->cpu_ticks = user + system;
}

static bool sleeps(const struct thread *thread)
{
	return thread->state == 'S' || thread->state == 'D';
}

/* "0" is what the kernel shows if the thread runs, and also if this user may not see it */
static void look_at_place(uint32_t pid, uint32_t tid, struct thread *thread)
{
	char text[FILE_SIZE];
	int error = read_file(pid, tid, "wchan", text);

	if (!strcmp(text, "0"))
		*text = '\0';
	text_escape(thread->where, sizeof(thread->where), text);
	thread->where_hidden = is_hidden(error) || (sleeps(thread) && !*text);
}

static bool is_32_bit(uint32_t pid)
{
	char path[40], head[5] = "";
	int fd;
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	size = read(fd, head, sizeof(head));
	close(fd);
	return size == sizeof(head) && head[4] == 1;
}

static void look_at_call(uint32_t pid, uint32_t tid, struct thread *thread)
{
	char text[FILE_SIZE], *end;
	int error = read_file(pid, tid, "syscall", text);
	const char *name;
	long number;

	thread->call_hidden = is_hidden(error);
	number = strtol(text, &end, 10);
	/* "running", or -1 if it is in the kernel for another reason */
	if (error || end == text || number < 0)
		return;
	name = is_32_bit(pid) ? NULL : syscalls_name((unsigned long)number);
	if (name)
		snprintf(thread->call, sizeof(thread->call), "%s", name);
	else
		snprintf(thread->call, sizeof(thread->call), "number %ld", number);
}

/* Lines as "[<0>] futex_wait+0x1/0x2" */
static void look_at_stack(uint32_t pid, uint32_t tid, struct thread *thread)
{
	char text[FILE_SIZE], *rest = text, *line;
	int error = read_file(pid, tid, "stack", text);

	thread->stack_hidden = is_hidden(error);
	while ((line = strsep(&rest, "\n")) && thread->frames < THREAD_STACK_MAX) {
		const char *frame = strchr(line, ']');

		if (frame && frame[1])
			text_escape(thread->stack[thread->frames++], THREAD_FRAME_SIZE, frame + 2);
	}
}

void thread_look(uint32_t pid, uint32_t tid, struct thread *thread)
{
	char text[FILE_SIZE];
	int error;

	*thread = (struct thread){ .cpu = -1 };
	error = read_file(pid, tid, "stat", text);
	thread->gone = error == ENOENT || error == ESRCH;
	thread->error = thread->gone ? 0 : error;
	if (error)
		return;
	look_at_stat(text, thread);
	look_at_place(pid, tid, thread);
	look_at_call(pid, tid, thread);
	look_at_stack(pid, tid, thread);
}
