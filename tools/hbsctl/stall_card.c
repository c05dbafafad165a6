// SPDX-License-Identifier: GPL-2.0-or-later
/* Why the barrier of a card's group does not complete */
#include <stdio.h>
#include <unistd.h>

#include <linux/hbs.h>

#include "link.h"
#include "records.h"
#include "rights.h"
#include "stall.h"
#include "stop.h"

/* The driver names no thread that has ended, nor one of somebody else, but to root it does. */
static bool is_ended(const struct member *member)
{
	return !fields_has(member, HBS_A_MEMBER_COMM) && !geteuid();
}

static void take_members(const struct rows *rows, struct stall *stall)
{
	const struct member *members = rows->items;

	for (size_t i = 0; i < rows->count; i++) {
		bool dead = fields_has(&members[i], HBS_A_MEMBER_DEAD);
		struct absent *absent;

		if (!members[i].missing && !dead)
			continue;
		absent = stall_add(stall);
		absent->number = members[i].port;
		absent->dead = dead;
		absent->pid = members[i].pid;
		absent->tid = members[i].tid;
		absent->elsewhere = !members[i].pid;
		absent->ended = members[i].pid && is_ended(&members[i]);
		absent->tag = members[i].tag;
	}
}

/* Ask who is missing first, so that an epoch that ends meanwhile is seen to have ended */
static enum status ask(struct link *link, const struct target *target, struct stall *stall,
		       struct group *group)
{
	struct rows members = { 0 }, groups = { 0 };
	enum status status =
		link_get(link, HBS_NL_CMD_MEMBER_GET, target, &schema_member, &members);

	if (!status)
		status = link_get(link, HBS_NL_CMD_GROUP_GET, target, &schema_group, &groups);
	if (!status && groups.count)
		*group = *(const struct group *)groups.items;
	take_members(&members, stall);
	rows_free(&members, &schema_member);
	rows_free(&groups, &schema_group);
	return status;
}

static void describe(struct stall *stall, const struct target *target, const struct group *group)
{
	link_name(target, stall->name);
	stall->what = "group of a card";
	stall->unit = "port";
	stall->refutable = group->type == HBS_GROUP_REFUTABLE;
	stall->seats = group->seats;
	stall->members = group->joined;
	stall->epoch = group->epoch;
	stall->started = group->state != HBS_GROUP_STATE_GATHERING;
	stall->broken = group->state == HBS_GROUP_STATE_BROKEN;
	stall->reason = group->reason;
	stall->expired = fields_has(group, HBS_A_GROUP_EXPIRED);
	stall->timeout_ns = group->timeout_ns;
	stall->slept_ns = stall->refutable ? 0 : group->waiting_ns;
}

/* Whether the driver tells this user what the group waits for; stderr says why it does not */
static enum status check_known(const struct target *target, const struct group *group)
{
	char name[FIELD_TEXT_SIZE];

	if (fields_has(group, HBS_A_GROUP_MISSING))
		return STATUS_GOOD;
	link_name(target, name);
	if (!fields_has(group, HBS_A_GROUP_UID)) {
		fprintf(stderr, "hbsctl: %s: you may not see who is missing: " RIGHTS_NEEDED "\n",
			name);
		return STATUS_RIGHTS;
	}
	fprintf(stderr,
		"hbsctl: %s: the card does not tell who is missing: it has no timers, or "
		"does not answer\n",
		name);
	return STATUS_FAILED;
}

enum status stall_of_card(const struct target *target, struct stall *stall)
{
	struct group first = { 0 }, group = { 0 };
	struct stall before = { 0 };
	struct link link;
	enum status status = link_open(&link, false);

	*stall = (struct stall){ 0 };
	if (status)
		return status;
	status = ask(&link, target, &before, &first);
	if (!status)
		status = check_known(target, &first);
	if (!status) {
		stall_look(&before, NULL);
		stop_wait(-1, STALL_WATCH_MS);
		status = ask(&link, target, stall, &group);
	}
	if (!status) {
		describe(stall, target, &group);
		stall_judge(stall, first.epoch);
		stall_look(stall, &before);
	}
	stall_free(&before);
	link_close(&link);
	return status;
}
