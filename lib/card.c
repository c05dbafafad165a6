// SPDX-License-Identifier: LGPL-2.1-or-later
/* The card backend: devices and groups */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"
#include "order.h"

#define CARD_NEEDS (HBS_FEATURE_RECORD | HBS_FEATURE_WAIT)

static int open_path(struct hbs *hbs, const char *path)
{
	struct hbs_info info = { .size = sizeof(info) };
	int ret = 0;

	hbs->fd = open(path, O_RDWR | O_CLOEXEC);
	if (hbs->fd < 0)
		return -errno;
	if (ioctl(hbs->fd, HBS_INFO, &info))
		ret = errno == ENOTTY ? -ENODEV : -errno;
	else if ((info.features & CARD_NEEDS) != CARD_NEEDS)
		ret = -EOPNOTSUPP;
	else if (!(hbs->device = strdup(path)))
		ret = -ENOMEM;
	if (ret) {
		close(hbs->fd);
		return ret;
	}
	hbs->card = info.card;
	return 0;
}

/* The lowest N of a /dev/hbsN that is not below @from, or -1 */
static int next_card(int from)
{
	DIR *dir = opendir("/dev");
	struct dirent *entry;
	int best = -1;

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		int number, length = 0;

		if (sscanf(entry->d_name, "hbs%9d%n", &number, &length) != 1 ||
		    entry->d_name[length] || number < from)
			continue;
		if (best < 0 || number < best)
			best = number;
	}
	closedir(dir);
	return best;
}

static int open_first(struct hbs *hbs)
{
	char path[32];
	int result = -ENODEV;

	for (int number = next_card(0); number >= 0; number = next_card(number + 1)) {
		int ret;

		snprintf(path, sizeof(path), "/dev/hbs%d", number);
		ret = open_path(hbs, path);
		if (!ret)
			return 0;
		/* of several errors, keep the one that the user can do something about */
		if (result == -ENODEV || ret == -EACCES)
			result = ret;
	}
	return result;
}

int hbsi_card_open(struct hbs *hbs, const char *device)
{
	return device ? open_path(hbs, device) : open_first(hbs);
}

static void card_close(struct hbs *hbs)
{
	struct hbs_port *port;

	/* these are left over only in a child of fork, and belong to the parent */
	while ((port = hbs->ports)) {
		hbs->ports = port->next;
		free(port);
	}
	close(hbs->fd);
	free(hbs->device);
}

_Static_assert((int)HBS_REFUTABLE == HBS_GROUP_REFUTABLE, "types are the driver's");
_Static_assert((int)HBS_VOTE == (int)HBS_REDUCE_VOTE, "reductions are the driver's");
_Static_assert(HBS_ON_TIMEOUT_NOTIFY == HBS_POLICY_NOTIFY, "policies are the driver's");
_Static_assert(HBS_ON_DEATH_SHRINK == HBS_POLICY_SHRINK, "policies are the driver's");
_Static_assert(HBS_ON_THREAD_EXIT == HBS_POLICY_THREAD, "policies are the driver's");
_Static_assert((int)HBS_COMPLETE_BY_COUNT == (int)HBS_COMPLETION_COUNT, "ways are the driver's");
_Static_assert((int)HBS_ARRIVE_BY_POLLING == (int)HBS_ARRIVAL_POLL, "ways are the driver's");
_Static_assert((int)HBS_DEPART_BY_CSR == (int)HBS_DEPARTURE_CSR &&
		       (int)HBS_DEPART_BY_MEMBER_RECORD == (int)HBS_DEPARTURE_PORT &&
		       (int)HBS_DEPART_BY_NODE_RECORD == (int)HBS_DEPARTURE_NODE,
	       "ways are the driver's");
_Static_assert(sizeof(struct hbs_absentee) == sizeof(struct hbs_missing) &&
		       offsetof(struct hbs_absentee, port) == offsetof(struct hbs_missing, port) &&
		       offsetof(struct hbs_absentee, pid) == offsetof(struct hbs_missing, pid) &&
		       offsetof(struct hbs_absentee, tid) == offsetof(struct hbs_missing, tid) &&
		       offsetof(struct hbs_absentee, tag) == offsetof(struct hbs_missing, tag),
	       "the driver fills in the caller's list");

/*
 * A value, or an idle word, is stored to the card as one, see order_arrive(); in memory it
 * may be in pieces.
 */
static bool takes_values(uint32_t arrive_by)
{
	return arrive_by == HBS_ARRIVE_BY_POLLING || sizeof(void *) >= sizeof(uint64_t);
}

/* Departure records in the group's memory are mapped; others are a port's, or none */
static int map_records(struct hbs_group *group)
{
	if (group->depart_by == HBS_DEPART_BY_CSR ||
	    group->depart_by == HBS_DEPART_BY_MEMBER_RECORD)
		return 0;
	group->page = mmap(NULL, group->map_size, PROT_READ, MAP_SHARED, group->fd, 0);
	if (group->page != MAP_FAILED)
		return 0;
	group->page = NULL;
	return -errno;
}

/* A handle needs no more than what the driver knows of the group */
static int card_import(struct hbs *hbs, struct hbs_group *group)
{
	struct hbs_group_info info = { .size = sizeof(info) };
	int ret = 0;

	if (ioctl(group->fd, HBS_GROUP_INFO, &info))
		ret = errno == ENOTTY ? -EINVAL : -errno;
	else if (info.card != hbs->card)
		ret = -EXDEV;
	else if (info.type > HBS_REFUTABLE ||
		 ((info.reduce || info.type) && !takes_values(info.arrival)))
		ret = -EOPNOTSUPP;
	group->seats = info.members;
	group->number = info.group;
	group->type = info.type & 15;
	group->reduce = (uint8_t)info.reduce;
	group->policy = (uint8_t)info.policy;
	group->arrive_by = info.arrival & 15;
	group->depart_by = (uint8_t)info.departure;
	group->map_size = info.map_size;
	if (!ret)
		ret = map_records(group);
	if (ret)
		close(group->fd);
	return ret;
}

static int card_create(struct hbs *hbs, struct hbs_group *group, const struct hbs_group_attr *attr)
{
	struct hbs_group_create create = { .size = sizeof(create),
					   .type = attr->type,
					   .members = attr->members,
					   .reduce = attr->reduce,
					   .policy = attr->policy,
					   .timeout_ns = attr->timeout_ns,
					   .completion = attr->complete_by,
					   .arrival = attr->arrive_by,
					   .departure = attr->depart_by };

	if (attr->algorithm || attr->fan_in ||
	    ((attr->reduce || attr->type) && !takes_values(attr->arrive_by)))
		return -EOPNOTSUPP;
	/* E2BIG: the driver is older than these fields */
	if (ioctl(hbs->fd, HBS_GROUP_CREATE, &create))
		return errno == E2BIG ? -EOPNOTSUPP : -errno;
	group->fd = create.fd;
	return card_import(hbs, group);
}

static int card_destroy(struct hbs_group *group)
{
	struct hbs_group_destroy destroy = { .size = sizeof(destroy) };

	/* a card that is gone has broken its groups already */
	if (ioctl(group->fd, HBS_GROUP_DESTROY, &destroy) && errno != ENODEV && errno != ECONNRESET)
		return -errno;
	return 0;
}

static int in_flight(struct hbs_group *group, int64_t *count)
{
	struct hbs_group_missing missing = { .size = sizeof(missing) };

	if (group->type != HBS_REFUTABLE)
		return 0;
	/* a card may have no timers, and then no list of the missing */
	if (ioctl(group->fd, HBS_GROUP_MISSING, &missing) && errno != EOPNOTSUPP)
		return -errno;
	*count = missing.in_flight;
	return 0;
}

static int card_stats(struct hbs_group *group, struct hbs_group_stats *stats)
{
	struct hbs_group_counters counters = { .size = sizeof(counters) };

	if (ioctl(group->fd, HBS_GROUP_COUNTERS, &counters))
		return -errno;
	stats->barriers = counters.completions;
	stats->arrivals = counters.arrivals;
	stats->departure_reads = counters.departure_reads;
	stats->record_writes = counters.record_writes;
	stats->dropped = counters.non_member + counters.double_arrivals + counters.refused;
	stats->interrupts = counters.interrupts;
	stats->sleeps = counters.waits;
	stats->line_reads = counters.line_reads;
	stats->withdrawals = counters.withdrawals;
	stats->dropped += counters.unarrived;
	return in_flight(group, &stats->in_flight);
}

static int card_missing(struct hbs_group *group, struct hbs_absentee *list, uint32_t room)
{
	struct hbs_group_missing missing = { .size = sizeof(missing),
					     .list = (uintptr_t)list,
					     .room = room };

	if (ioctl(group->fd, HBS_GROUP_MISSING, &missing))
		return -errno;
	return (int)missing.count;
}

static int card_reset(struct hbs_group *group)
{
	struct hbs_group_reset reset = { .size = sizeof(reset) };

	return ioctl(group->fd, HBS_GROUP_RESET, &reset) ? -errno : 0;
}

/* This fails if there is no such member, or no card any more: then there is nobody to wake */
static void card_wake(struct hbs_group *group, uint32_t number)
{
	struct hbs_group_wake wake = { .size = sizeof(wake), .port = number };

	ioctl(group->fd, HBS_GROUP_WAKE, &wake);
}

static int card_word(struct hbs_group *group, uint64_t *word)
{
	struct hbs_group_info info = { .size = sizeof(info) };

	if (ioctl(group->fd, HBS_GROUP_INFO, &info))
		return -errno;
	*word = info.word;
	return 0;
}

const struct backend_ops hbsi_card_ops = {
	.id = HBS_BACKEND_CARD,
	.group_size = sizeof(struct hbs_group),
	.close = card_close,
	.group_create = card_create,
	.group_import = card_import,
	.group_destroy = card_destroy,
	.group_stats = card_stats,
	.group_missing = card_missing,
	.group_reset = card_reset,
	.group_word = card_word,
	.join = hbsi_card_join,
	.leave = hbsi_card_leave,
	.die = hbsi_card_die,
	.sleep = hbsi_card_sleep,
	.last_word = hbsi_card_last_word,
	.member_fd = hbsi_card_member_fd,
	.number = hbsi_card_number,
	.wake = card_wake,
	.idle_fd = hbsi_card_idle_fd,
};
