// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups: this file checks the arguments, and the backends do the work */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"
#include "probe.h"
#include "say.h"
#include "software/auto.h"

static bool attr_is_good(const struct hbs_group_attr *attr)
{
	if (!attr->members || attr->type > HBS_REFUTABLE)
		return false;
	/* nobody arrives at a barrier there, and nobody would free the messages of the dead */
	if (attr->type == HBS_REFUTABLE && (attr->completion || attr->complete_by ||
					    attr->arrive_by || attr->policy & HBS_ON_DEATH_SHRINK))
		return false;
	if (attr->reduce > HBS_VOTE ||
	    attr->policy & ~(HBS_ON_TIMEOUT_NOTIFY | HBS_ON_DEATH_SHRINK | HBS_ON_THREAD_EXIT))
		return false;
	if (attr->complete_by > HBS_COMPLETE_BY_COUNT || attr->arrive_by > HBS_ARRIVE_BY_POLLING ||
	    attr->depart_by > HBS_DEPART_BY_NODE_RECORD)
		return false;
	if (attr->algorithm > HBS_ALGORITHM_SCAN || attr->promise & ~HBS_PROMISE_FIXED)
		return false;
	if (attr->fan_in && (attr->fan_in < FAN_IN_MIN || attr->fan_in > FAN_IN_MAX))
		return false;
	/* a completion function sees what the members wrote, and needs no values */
	if (attr->completion ? attr->reduce != 0 : attr->completion_arg != NULL)
		return false;
	for (size_t i = 0; i < sizeof(attr->reserved) / sizeof(attr->reserved[0]); i++)
		if (attr->reserved[i])
			return false;
	return true;
}

static void group_free(struct hbs_group *group)
{
	hbsi_completion_free(group->completion);
	free(group);
}

/* The group has no members yet, or no more; if its card is gone, it will never have any */
static void start_completion(struct hbs_group *group)
{
	uint64_t word;

	if (!group_ops(group)->group_word(group, &word))
		hbsi_completion_start(group->completion, word);
}

static int make(struct hbs_group *group, const struct hbs_group_attr *attr)
{
	const struct backend_ops *ops = group_ops(group);
	int ret;

	/* of the backend that was chosen for the group, which may differ from the context's */
	if (ops->max_members && attr->members > ops->max_members)
		return -EINVAL;
	group->seats = attr->members;
	if (attr->completion) {
		group->completion =
			hbsi_completion_new(group, attr->completion, attr->completion_arg);
		if (!group->completion)
			return -ENOMEM;
	}
	ret = ops->group_create(group->hbs, group, attr);
	if (!ret && group->completion)
		start_completion(group);
	return ret;
}

/*
 * If no card was asked for, a group that names an algorithm is in software; and so is a
 * group that is faster there on this machine, unless it asks for one of the ways of a
 * card.
 */
static const struct backend_ops *choose_ops(const struct hbs *hbs,
					    const struct hbs_group_attr *attr)
{
	struct auto_request request;

	if (!hbs->any || attr->complete_by || attr->arrive_by || attr->depart_by)
		return hbs->ops;
	request = hbsi_auto_request(hbs, attr);
	if (attr->algorithm != HBS_ALGORITHM_AUTO || hbsi_auto_prefers_software(&request))
		return &hbsi_software_ops;
	return hbs->ops;
}

/* The backend that a descriptor belongs to; only groups in software are memory files */
static const struct backend_ops *ops_of_fd(const struct hbs *hbs, int fd)
{
	return hbs->any && fcntl(fd, F_GET_SEALS) >= 0 ? &hbsi_software_ops : hbs->ops;
}

/* For HBS_VERBOSE: the algorithm of a group, and why it is not what HBS_ALGORITHM names */
static void tell(const struct hbs_group *group, const struct hbs_group_attr *attr)
{
	const struct auto_choice *named = &group->hbs->named;
	bool software = group->backend == HBS_BACKEND_SOFTWARE;
	bool otherwise = software && attr->algorithm == HBS_ALGORITHM_AUTO && named->algorithm &&
			 named->algorithm != group->algorithm;

	hbsi_say("libhbs: a group of %u: %s%s%s%s%s%s", group->seats,
		 software ? "software, " : hbs_backend_name(group->hbs),
		 software ? hbs_algorithm_name(group->algorithm) : "", otherwise ? "; " : "",
		 otherwise ? hbs_algorithm_name(named->algorithm) : "",
		 otherwise ? " is for groups that promise HBS_PROMISE_FIXED" : "",
		 otherwise && attr->policy & HBS_ON_DEATH_SHRINK ? ", and do not shrink" : "");
}

/* A new handle: of a group made as @attr says, or of the group of @fd if @attr is NULL */
static int group_new(struct hbs *hbs, const struct hbs_group_attr *attr, int fd,
		     struct hbs_group **group)
{
	const struct backend_ops *ops = attr ? choose_ops(hbs, attr) : ops_of_fd(hbs, fd);
	struct hbs_group *new = calloc(1, ops->group_size);
	int ret;

	if (!new) {
		if (!attr)
			close(fd);
		return -ENOMEM;
	}
	checker_ignore(new, ops->group_size);
	new->hbs = hbs;
	new->backend = (uint8_t)ops->id;
	new->fd = fd;
	ret = attr ? make(new, attr) : ops->group_import(hbs, new);
	if (ret) {
		group_free(new);
		return ret;
	}
	if (hbs->verbose && attr)
		tell(new, attr);
	atomic_fetch_add(&hbs->groups, 1);
	probe_group_open(new);
	*group = new;
	return 0;
}

int hbs_group_create(struct hbs *hbs, const struct hbs_group_attr *attr, struct hbs_group **group)
{
	int cancel, ret;

	if (!hbs || !attr || !group || !attr_is_good(attr))
		return -EINVAL;
	if (hbsi_is_foreign(hbs))
		return -ECHILD;
	cancel = cancel_off();
	ret = group_new(hbs, attr, -1, group);
	cancel_restore(cancel);
	return ret;
}

int hbs_group_fd(const struct hbs_group *group)
{
	if (!group)
		return -EINVAL;
	/* another process could not call the function */
	if (group->completion || group->alone)
		return -EOPNOTSUPP;
	return group->fd;
}

int hbs_group_algorithm(const struct hbs_group *group)
{
	if (!group)
		return -EINVAL;
	return group->backend == HBS_BACKEND_SOFTWARE ? group->algorithm : -EOPNOTSUPP;
}

int hbs_group_import(struct hbs *hbs, int fd, struct hbs_group **group)
{
	int cancel, ret, own;

	if (!hbs || !group)
		return -EINVAL;
	if (hbsi_is_foreign(hbs))
		return -ECHILD;
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return -errno;
	cancel = cancel_off();
	ret = group_new(hbs, NULL, own, group);
	cancel_restore(cancel);
	return ret;
}

int hbs_group_close(struct hbs_group *group)
{
	struct hbs *hbs;
	int cancel;

	if (!group)
		return -EINVAL;
	if (atomic_load(&group->members))
		return -EBUSY;
	hbs = group->hbs;
	cancel = cancel_off();
	probe_group_close(group);
	/* if fork left the mapping out, something else may be there by now */
	if (group->page && !hbsi_is_foreign(hbs))
		munmap(group->page, group->map_size);
	if (group_ops(group)->group_free)
		group_ops(group)->group_free(group);
	close(group->fd);
	cancel_restore(cancel);
	group_free(group);
	atomic_fetch_sub(&hbs->groups, 1);
	return 0;
}

int hbs_group_destroy(struct hbs_group *group)
{
	if (!group)
		return -EINVAL;
	if (hbsi_is_foreign(group->hbs))
		return -ECHILD;
	checked_end(group);
	return group_ops(group)->group_destroy(group);
}

int hbs_group_stats(struct hbs_group *group, struct hbs_group_stats *stats)
{
	if (!group || !stats)
		return -EINVAL;
	if (hbsi_is_foreign(group->hbs))
		return -ECHILD;
	memset(stats, 0, sizeof(*stats));
	return group_ops(group)->group_stats(group, stats);
}

int hbs_group_missing(struct hbs_group *group, struct hbs_absentee *list, size_t room)
{
	if (!group || (room && !list))
		return -EINVAL;
	if (hbsi_is_foreign(group->hbs))
		return -ECHILD;
	if (room > UINT32_MAX)
		room = UINT32_MAX;
	return group_ops(group)->group_missing(group, list, (uint32_t)room);
}

int hbs_group_reset(struct hbs_group *group)
{
	int cancel, ret;

	if (!group)
		return -EINVAL;
	if (hbsi_is_foreign(group->hbs))
		return -ECHILD;
	cancel = cancel_off();
	checked_end(group);
	hbsi_completion_lock(group->completion);
	ret = group_ops(group)->group_reset(group);
	if (!ret && group->completion)
		start_completion(group);
	hbsi_completion_unlock(group->completion);
	cancel_restore(cancel);
	return ret;
}
