// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a barrier does not complete */
#include <stdlib.h>

#include "arguments.h"
#include "commands.h"
#include "document.h"
#include "memory.h"
#include "software_groups.h"
#include "stall.h"
#include "stall_software.h"
#include "stop.h"

static enum status why_of_card(const struct target *target, bool json)
{
	struct stall stall;
	enum status status = stall_of_card(target, &stall);

	if (!status && json)
		document_print(json_pack("[o]", stall_json(&stall)));
	else if (!status)
		stall_print(&stall);
	stall_free(&stall);
	return status;
}

/* What was seen of a group before it was watched; good: it could be read */
struct before {
	bool good;
	struct stall stall;
};

static enum status explain(const struct software_groups *groups, size_t i,
			   const struct before *before, json_t *array)
{
	struct stall stall;

	if (!before->good || !stall_of_software(groups->found[i].fd, &stall))
		return software_groups_damaged(groups, i);
	software_groups_name(groups, i, stall.name);
	stall_of_software_judge(&stall, &before->stall);
	if (array)
		json_array_append_new(array, stall_json(&stall));
	else
		stall_print(&stall);
	stall_free(&stall);
	return STATUS_GOOD;
}

static enum status explain_all(const struct software_groups *groups, struct before *before,
			       bool json)
{
	json_t *array = json ? json_array() : NULL;
	enum status status = STATUS_GOOD;

	for (size_t i = 0; i < groups->count; i++)
		before[i].good = stall_of_software(groups->found[i].fd, &before[i].stall);
	stop_wait(-1, STALL_WATCH_MS);
	for (size_t i = 0; i < groups->count; i++) {
		if (explain(groups, i, &before[i], array))
			status = STATUS_FAILED;
		stall_free(&before[i].stall);
	}
	if (array)
		document_print(array);
	return status;
}

static enum status why_of_process(const struct target *target, bool json)
{
	struct software_groups groups;
	enum status status = software_groups_open(target, &groups);

	if (!status) {
		struct before *before = memory_resize(NULL, groups.count * sizeof(struct before));

		status = explain_all(&groups, before, json);
		free(before);
	}
	software_groups_close(&groups);
	return status;
}

enum status command_why(int argc, char **argv)
{
	struct arguments arguments;
	enum status status;

	if (!arguments_read_common(argc, argv, TAKES_GROUP | TAKES_PROCESS | NEEDS_ONE, &arguments,
				   &status))
		return status;
	stop_prepare();
	if (arguments.target.has_pid)
		return why_of_process(&arguments.target, arguments.json);
	return why_of_card(&arguments.target, arguments.json);
}
