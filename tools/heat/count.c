// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "count.h"

#define EVENT_ID "/sys/kernel/tracing/events/raw_syscalls/sys_enter/id"

static bool event_id(uint64_t *id, struct count *count)
{
	FILE *file = fopen(EVENT_ID, "r");
	unsigned long long value;
	bool good;

	if (!file) {
		snprintf(count->why, sizeof(count->why),
			 "%s: %s (needs root, and tracefs mounted there)", EVENT_ID,
			 strerror(errno));
		return false;
	}
	good = fscanf(file, "%llu", &value) == 1;
	fclose(file);
	if (!good) {
		snprintf(count->why, sizeof(count->why), "%s has no number", EVENT_ID);
		return false;
	}
	*id = value;
	return true;
}

bool count_open(struct count *count)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.disabled = 1,
	};
	uint64_t id;

	count->fd = -1;
	if (!event_id(&id, count))
		return false;
	attr.config = id;
	count->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (count->fd < 0) {
		snprintf(count->why, sizeof(count->why), "perf_event_open: %s", strerror(errno));
		return false;
	}
	/* the call that stops the counter is counted, since the thread enters it before */
	count->cost = 0;
	count_start(count);
	count->cost = count_stop(count);
	return true;
}

void count_start(struct count *count)
{
	ioctl(count->fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(count->fd, PERF_EVENT_IOC_ENABLE, 0);
}

uint64_t count_stop(struct count *count)
{
	uint64_t value;

	ioctl(count->fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(count->fd, &value, sizeof(value)) != sizeof(value))
		return 0;
	return value - count->cost;
}

void count_close(struct count *count)
{
	if (count->fd >= 0)
		close(count->fd);
}
