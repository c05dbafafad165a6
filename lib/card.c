// SPDX-License-Identifier: LGPL-2.1-or-later
/* The card backend: everything but the paths that a barrier takes */
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
	hbs->page_size = info.group_map_size;
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
		/* of several errors, the one that the user can do something about */
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

	/* left over only in a child of fork, where they are the parent's */
	while ((port = hbs->ports)) {
		hbs->ports = port->next;
		free(port);
	}
	close(hbs->fd);
	free(hbs->device);
}

static int map_records(struct hbs *hbs, struct hbs_group *group)
{
	group->page = mmap(NULL, hbs->page_size, PROT_READ, MAP_SHARED, group->fd, 0);
	if (group->page != MAP_FAILED)
		return 0;
	group->page = NULL;
	return -errno;
}

_Static_assert((int)HBS_VOTE == (int)HBS_REDUCE_VOTE, "reductions are the driver's");
_Static_assert(HBS_ON_TIMEOUT_NOTIFY == HBS_POLICY_NOTIFY, "policies are the driver's");
_Static_assert(HBS_ON_DEATH_SHRINK == HBS_POLICY_SHRINK, "policies are the driver's");
_Static_assert(sizeof(struct hbs_absentee) == sizeof(struct hbs_missing) &&
		       offsetof(struct hbs_absentee, port) == offsetof(struct hbs_missing, port) &&
		       offsetof(struct hbs_absentee, pid) == offsetof(struct hbs_missing, pid) &&
		       offsetof(struct hbs_absentee, tid) == offsetof(struct hbs_missing, tid),
	       "the driver fills in the caller's list");

/* A value is stored as one; see order_arrive() */
static bool stores_values(void)
{
	return sizeof(void *) >= sizeof(uint64_t);
}

static int card_create(struct hbs *hbs, struct hbs_group *group, const struct hbs_group_attr *attr)
{
	struct hbs_group_create create = { .size = sizeof(create),
					   .type = HBS_GROUP_BARRIER,
					   .members = attr->members,
					   .reduce = attr->reduce,
					   .policy = attr->policy,
					   .timeout_ns = attr->timeout_ns };
	int ret;

	if (attr->reduce && !stores_values())
		return -EOPNOTSUPP;
	/* E2BIG: a driver that is older than these fields */
	if (ioctl(hbs->fd, HBS_GROUP_CREATE, &create))
		return errno == E2BIG ? -EOPNOTSUPP : -errno;
	group->fd = create.fd;
	group->number = create.group;
	group->reduce = attr->reduce;
	ret = map_records(hbs, group);
	if (ret)
		close(group->fd);
	return ret;
}

static int card_import(struct hbs *hbs, struct hbs_group *group)
{
	struct hbs_group_info info = { .size = sizeof(info) };
	int ret = 0;

	if (ioctl(group->fd, HBS_GROUP_INFO, &info))
		ret = errno == ENOTTY ? -EINVAL : -errno;
	else if (info.card != hbs->card)
		ret = -EXDEV;
	else if (info.reduce && !stores_values())
		ret = -EOPNOTSUPP;
	else
		ret = map_records(hbs, group);
	if (ret)
		close(group->fd);
	group->seats = info.members;
	group->number = info.group;
	group->reduce = info.reduce;
	return ret;
}

static int card_destroy(struct hbs_group *group)
{
	struct hbs_group_destroy destroy = { .size = sizeof(destroy) };

	/* a card that is gone has broken its groups already */
	if (ioctl(group->fd, HBS_GROUP_DESTROY, &destroy) && errno != ENODEV && errno != ECONNRESET)
		return -errno;
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
	return 0;
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

static int card_word(struct hbs_group *group, uint64_t *word)
{
	struct hbs_group_info info = { .size = sizeof(info) };

	if (ioctl(group->fd, HBS_GROUP_INFO, &info))
		return -errno;
	*word = info.word;
	return 0;
}

static int join_port(struct hbs_member *member, struct hbs_port *port)
{
	struct hbs_group *group = member->group;
	struct hbs_group_join join = { .size = sizeof(join),
				       .card_fd = group->hbs->fd,
				       .port = port->number };

	if (ioctl(group->fd, HBS_GROUP_JOIN, &join))
		return -errno;
	hbsi_port_add(port, member);
	member->lane =
		(volatile uint64_t *)((char *)port->map + join.lane_offset + HBS_LANE_ARRIVAL);
	member->record = (const _Atomic uint64_t *)((const char *)group->page + join.record_offset +
						    HBS_RECORD_WORD);
	member->word = join.word;
	return 0;
}

/*
 * A thread uses one port for all its groups. Where that port is a member already,
 * since the thread joins the group twice, another one has to be; and where it was
 * one until the group was reset, so that what is still done by the old handle does
 * not count for the new one.
 */
static int join_locked(struct hbs_member *member)
{
	struct hbs *hbs = member->group->hbs;
	pid_t tid = gettid();
	struct hbs_port *port;
	int ret;

	for (port = hbs->ports; port; port = port->next) {
		if (port->tid != tid || hbsi_port_is_in(port, member->group->number))
			continue;
		ret = join_port(member, port);
		if (ret != -EEXIST)
			return ret;
	}
	ret = hbsi_port_new(hbs, tid, &port);
	if (ret)
		return ret;
	ret = join_port(member, port);
	if (ret)
		hbsi_port_put(hbs, port);
	return ret;
}

static int card_join(struct hbs_member *member)
{
	struct hbs *hbs = member->group->hbs;
	int ret;

	pthread_mutex_lock(&hbs->lock);
	ret = join_locked(member);
	pthread_mutex_unlock(&hbs->lock);
	return ret;
}

static void card_leave(struct hbs_member *member)
{
	struct hbs *hbs = member->group->hbs;
	struct hbs_group_leave leave = { .size = sizeof(leave),
					 .card_fd = hbs->fd,
					 .port = member->port->number };

	pthread_mutex_lock(&hbs->lock);
	/* fails if the card is gone, and with it the membership */
	ioctl(member->group->fd, HBS_GROUP_LEAVE, &leave);
	hbsi_port_remove(member);
	hbsi_port_put(hbs, member->port);
	pthread_mutex_unlock(&hbs->lock);
}

/* Whether @word tells a member that waits anything: all that is not of the past */
static bool tells(const struct hbs_member *member, uint64_t word)
{
	return word & HBS_WORD_BROKEN || (int64_t)(word - member->word) > 0;
}

/*
 * The kernel's word is the group's, and after a reset no longer the member's: the
 * record has to say that the barrier is over. It says so before the kernel does.
 */
static int card_sleep(struct hbs_member *member, uint64_t deadline, uint64_t *word)
{
	struct hbs_group_wait wait = { .size = sizeof(wait),
				       .word = member->word,
				       .deadline_ns = deadline };
	int ret;

	do
		ret = ioctl(member->group->fd, HBS_GROUP_WAIT, &wait) ? -errno : 0;
	while (ret == -EINTR);

	*word = order_depart(member->record);
	if (tells(member, *word))
		return 0;
	/* of a card that is gone, the kernel may know before the record shows it */
	if (wait.word & HBS_WORD_BROKEN) {
		*word = wait.word;
		return 0;
	}
	if (!ret && tells(member, wait.word))
		return -ECONNRESET;
	return ret == -ETIMEDOUT ? 0 : ret;
}

/*
 * The descriptor is an open file of the group of its own, since what was seen
 * belongs to the open file; it is told what this member waits on.
 */
static int card_member_fd(struct hbs_member *member)
{
	struct hbs_group_reopen reopen = { .size = sizeof(reopen), .word = member->word };

	if (member->poll_fd >= 0) {
		if (write(member->poll_fd, &member->word, sizeof(member->word)) < 0)
			return -errno;
		return member->poll_fd;
	}
	if (ioctl(member->group->fd, HBS_GROUP_REOPEN, &reopen))
		return -errno;
	member->poll_fd = reopen.fd;
	return member->poll_fd;
}

const struct backend_ops hbsi_card_ops = {
	.id = HBS_BACKEND_CARD,
	.close = card_close,
	.group_create = card_create,
	.group_import = card_import,
	.group_destroy = card_destroy,
	.group_stats = card_stats,
	.group_missing = card_missing,
	.group_reset = card_reset,
	.group_word = card_word,
	.join = card_join,
	.leave = card_leave,
	.sleep = card_sleep,
	.member_fd = card_member_fd,
};
