// SPDX-License-Identifier: LGPL-2.1-or-later
/* The card backend: memberships, but for the paths that a barrier takes */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"
#include "order.h"
#include "probe.h"

static bool has_line(const struct hbs_group *group)
{
	return group->arrive_by == HBS_ARRIVE_BY_POLLING;
}

static bool has_own_record(const struct hbs_group *group)
{
	return group->depart_by == HBS_DEPART_BY_MEMBER_RECORD;
}

/* Where a member's departure word is, and what join.record_offset is an offset in */
static const char *record_base(const struct hbs_member *member)
{
	const struct hbs_group *group = member->group;

	if (group->depart_by == HBS_DEPART_BY_CSR)
		return member->port->map;
	return has_own_record(group) ? member->port->memory : group->page;
}

static int join_port(struct hbs_member *member, struct hbs_port *port, uint64_t tag)
{
	struct hbs_group *group = member->group;
	struct hbs_group_join join = {
		.size = sizeof(join), .card_fd = group->hbs->fd, .port = port->number, .tag = tag
	};
	int ret = 0;

	if (has_line(group) || has_own_record(group))
		ret = hbsi_port_map_memory(group->hbs, port);
	if (ret)
		return ret;
	/* E2BIG: the driver is older than tags */
	if (ioctl(group->fd, HBS_GROUP_JOIN, &join))
		return errno == E2BIG ? -EOPNOTSUPP : -errno;
	hbsi_port_add(port, member);
	if (has_line(group))
		member->line = (_Atomic uint64_t *)((char *)port->memory + join.lane_offset +
						    HBS_LANE_ARRIVAL);
	else
		member->lane = (volatile uint64_t *)((char *)port->map + join.lane_offset +
						     HBS_LANE_ARRIVAL);
	member->record = (const _Atomic uint64_t *)(record_base(member) + join.record_offset +
						    HBS_RECORD_WORD);
	member->word = join.word;
	return 0;
}

/*
 * A thread uses one port for all its groups. It takes another port if it joins the
 * same group twice, since the first one is a member already. It also takes another
 * one if the port was a member before the group was reset, so that what the old
 * handle still does does not count for the new one.
 */
static int join_locked(struct hbs_member *member, uint64_t tag)
{
	struct hbs *hbs = member->group->hbs;
	pid_t tid = gettid();
	struct hbs_port *port;
	int ret;

	for (port = hbs->ports; port; port = port->next) {
		if (port->tid != tid || hbsi_port_is_in(port, member->group->number))
			continue;
		ret = join_port(member, port, tag);
		if (ret != -EEXIST)
			return ret;
	}
	ret = hbsi_port_new(hbs, tid, &port);
	if (ret)
		return ret;
	ret = join_port(member, port, tag);
	if (ret)
		hbsi_port_put(hbs, port);
	return ret;
}

int hbsi_card_join(struct hbs_member *member, uint64_t tag)
{
	struct hbs *hbs = member->group->hbs;
	int ret;

	member->poll_fd = -1;
	member->wake_fd = -1;
	pthread_mutex_lock(&hbs->lock);
	ret = join_locked(member, tag);
	pthread_mutex_unlock(&hbs->lock);
	return ret;
}

static void end_membership(struct hbs_member *member, uint32_t flags)
{
	struct hbs_group_leave leave = { .size = sizeof(leave),
					 .flags = flags,
					 .card_fd = member->group->hbs->fd,
					 .port = member->port->number };

	/* this fails if the card is gone, and the membership with it; and if the member died */
	ioctl(member->group->fd, HBS_GROUP_LEAVE, &leave);
}

void hbsi_card_leave(struct hbs_member *member)
{
	struct hbs *hbs = member->group->hbs;

	pthread_mutex_lock(&hbs->lock);
	end_membership(member, 0);
	hbsi_port_remove(member);
	hbsi_port_put(hbs, member->port);
	pthread_mutex_unlock(&hbs->lock);
}

/* The handle keeps the port, since others may look at it until the member leaves */
void hbsi_card_die(struct hbs_member *member)
{
	end_membership(member, HBS_LEAVE_DIED);
}

/* Whether @word tells a waiting member anything: every word does that is not of the past */
static bool tells(const struct hbs_member *member, uint64_t word)
{
	return word & HBS_WORD_BROKEN || (int64_t)((word & ~WORD_STATUS) - member->word) > 0;
}

static int ask_kernel_by(int fd, const struct hbs_member *member, struct hbs_group_wait *wait)
{
	int ret;

	*wait = (struct hbs_group_wait){ .size = sizeof(*wait),
					 .word = member->word,
					 .deadline_ns = wait->deadline_ns };
	do
		ret = ioctl(fd, HBS_GROUP_WAIT, wait) ? -errno : 0;
	while (ret == -EINTR);
	return ret;
}

static int ask_kernel(const struct hbs_member *member, struct hbs_group_wait *wait)
{
	return ask_kernel_by(member->group->fd, member, wait);
}

/*
 * The member's own record has to say that the barrier is over, so that what comes with
 * it is there too. If there are several records, the kernel looks at another one, and
 * may know a moment earlier: then the caller looks again, as it does when the member was
 * woken.
 */
int hbsi_card_sleep(struct hbs_member *member, uint64_t deadline, uint64_t *word)
{
	struct hbs_group_wait wait = { .deadline_ns = deadline };
	int fd = member->wake_fd >= 0 ? member->wake_fd : member->group->fd;
	int ret;

	probe_sleep(member);
	ret = ask_kernel_by(fd, member, &wait);
	probe_awake(member);

	*word = order_depart(member->record);
	if (tells(member, *word))
		return 0;
	/* if the card is gone, the kernel may know before the record shows it */
	if (wait.word & HBS_WORD_BROKEN) {
		*word = wait.word;
		return 0;
	}
	if (!ret && (wait.word & ~WORD_STATUS) - member->word > HBS_WORD_EPOCH_ONE)
		return -ECONNRESET;
	return ret == -ETIMEDOUT ? 0 : ret;
}

/*
 * When the group was reset, its record stayed as it was, for those who were members. The
 * card's register did not stay, and a port's record goes with the port; the kernel
 * remembers both.
 */
uint64_t hbsi_card_last_word(struct hbs_member *member)
{
	struct hbs_group_wait wait = { .deadline_ns = 1 };

	if (member->group->page)
		return order_depart(member->record);
	ask_kernel(member, &wait);
	return wait.word;
}

/* If nothing is new for the kernel, and it does not have the result, the card does not answer */
int hbsi_card_last_result(struct hbs_member *member, uint64_t *result)
{
	struct hbs_group_wait wait = { .deadline_ns = 1 };
	int ret = ask_kernel(member, &wait);

	if (wait.result_word == member->word) {
		*result = wait.result;
		return 0;
	}
	if (!ret)
		return -ECONNRESET;
	return ret == -ETIMEDOUT && !(wait.word & HBS_WORD_BROKEN) ? -ENODEV : ret;
}

/*
 * The descriptor is an open file of the group of its own, since each open file
 * remembers what was seen; the library tells it which word this member waits on.
 */
int hbsi_card_member_fd(struct hbs_member *member)
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

/* By its port, through an open file of the group that is the member's; older drivers have none */
int hbsi_card_number(struct hbs_member *member)
{
	struct hbs_group_reopen reopen = { .size = sizeof(reopen),
					   .flags = HBS_REOPEN_MEMBER,
					   .word = member->word,
					   .card_fd = member->group->hbs->fd,
					   .port = member->port->number };

	if (member->wake_fd >= 0)
		return (int)member->port->number;
	if (ioctl(member->group->fd, HBS_GROUP_REOPEN, &reopen))
		return errno == E2BIG ? -EOPNOTSUPP : -errno;
	member->wake_fd = reopen.fd;
	return (int)member->port->number;
}

/* A wait that is over at once takes the mark of a wake before this call */
int hbsi_card_idle_fd(struct hbs_member *member, const _Atomic uint32_t *asleep)
{
	struct hbs_group_wait wait = { .deadline_ns = 1 };
	int ret = hbsi_card_number(member);

	(void)asleep;
	if (ret < 0)
		return ret;
	ask_kernel_by(member->wake_fd, member, &wait);
	if (write(member->wake_fd, &member->word, sizeof(member->word)) < 0)
		return -errno;
	return member->wake_fd;
}
