// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups of cards, and the members of one */
#include <inttypes.h>
#include <stdio.h>

#include "arguments.h"
#include "commands.h"
#include "document.h"
#include "format.h"
#include "link.h"
#include "people.h"
#include "records.h"
#include "rights.h"
#include "table.h"
#include "text.h"

static enum colour colour_of(const struct group *group)
{
	if (group->state == HBS_GROUP_STATE_BROKEN)
		return COLOUR_BAD;
	return group->state == HBS_GROUP_STATE_RUNNING ? COLOUR_GOOD : COLOUR_CARE;
}

static void add_state(struct table *table, const struct group *group)
{
	char state[WORD_SIZE], reason[WORD_SIZE];

	if (group->state == HBS_GROUP_STATE_BROKEN)
		table_add(table, colour_of(group), "broken (%s)",
			  words_of(&words_reason, group->reason, reason));
	else
		table_add(table, colour_of(group), "%s",
			  words_of(&words_group_state, group->state, state));
}

/* A number that this user may not see, or that the card does not tell, is "-". */
static void add_number(struct table *table, bool known, uint64_t number)
{
	if (known)
		table_add(table, COLOUR_NONE, "%" PRIu64, number);
	else
		table_add(table, COLOUR_NONE, "-");
}

/* How its maker made it: for those who may see it */
static void add_ways(struct table *table, const struct group *group)
{
	char text[4][WORD_SIZE], time[FORMAT_SIZE], policy[WORD_SIZE * 3];

	if (!fields_has(group, HBS_A_GROUP_UID)) {
		for (int i = 0; i < 4; i++)
			table_add(table, COLOUR_NONE, "-");
		return;
	}
	table_add(table, COLOUR_NONE, "%s", words_of(&words_reduce, group->reduce, text[0]));
	table_add(table, COLOUR_NONE, "%s/%s/%s",
		  words_of(&words_completion, group->completion, text[1]),
		  words_of(&words_arrival, group->arrival, text[2]),
		  words_of(&words_departure, group->departure, text[3]));
	table_add(table, COLOUR_NONE, "%s",
		  words_of_bits(&words_policy, group->policy, policy, sizeof(policy)));
	table_add(table, COLOUR_NONE, "%s%s", format_ns(group->timeout_ns, time),
		  fields_has(group, HBS_A_GROUP_EXPIRED) ? " (expired)" : "");
}

static void add_group(struct table *table, const struct group *group)
{
	char word[WORD_SIZE], name[PEOPLE_SIZE];

	table_add(table, COLOUR_NONE, "hbs%u/%u", group->card, group->group);
	table_add(table, COLOUR_NONE, "%s",
		  fields_has(group, HBS_A_GROUP_UID) ? people_name(group->uid, name) : "-");
	add_state(table, group);
	table_add(table, COLOUR_NONE, "%u/%u", group->joined, group->seats);
	add_number(table, fields_has(group, HBS_A_GROUP_MISSING), group->missing);
	add_number(table, fields_has(group, HBS_A_GROUP_EPOCH), group->epoch);
	table_add(table, COLOUR_NONE, "%s", words_of(&words_type, group->type, word));
	add_ways(table, group);
}

static void print_groups(const struct rows *groups)
{
	struct table table;

	if (!groups->count) {
		puts("There are no groups.");
		return;
	}
	table_start(&table, "<group <user <state members missing epoch <type <reduce <ways "
			    "<policy timeout");
	for (size_t i = 0; i < groups->count; i++)
		add_group(&table, (const struct group *)groups->items + i);
	table_end(&table, stdout);
}

static const char *member_state(const struct member *member)
{
	if (fields_has(member, HBS_A_MEMBER_DEAD))
		return "dead";
	if (!fields_has(member, HBS_A_MEMBER_MISSING))
		return "-";
	return member->missing ? "missing" : "arrived";
}

static enum colour member_colour(const struct member *member)
{
	if (fields_has(member, HBS_A_MEMBER_DEAD))
		return COLOUR_BAD;
	if (!fields_has(member, HBS_A_MEMBER_MISSING))
		return COLOUR_NONE;
	return member->missing ? COLOUR_CARE : COLOUR_GOOD;
}

static void add_member(struct table *table, const struct member *member)
{
	char comm[TEXT_SIZE(FIELD_TEXT_SIZE)];

	table_add(table, COLOUR_NONE, "%u", member->port);
	add_number(table, fields_has(member, HBS_A_MEMBER_TAG), member->tag);
	table_add(table, member_colour(member), "%s", member_state(member));
	add_number(table, member->pid, member->pid);
	add_number(table, member->tid, member->tid);
	add_number(table, fields_has(member, HBS_A_MEMBER_CPU), member->cpu);
	table_add(table, COLOUR_NONE, "%s",
		  fields_has(member, HBS_A_MEMBER_COMM)
			  ? text_escape(comm, sizeof(comm), member->comm)
			  : "-");
}

static void print_members(const struct rows *members)
{
	struct table table;

	if (!members->count)
		return;
	putchar('\n');
	table_start(&table, "port tag <state process thread CPU <name");
	for (size_t i = 0; i < members->count; i++)
		add_member(&table, (const struct member *)members->items + i);
	table_end(&table, stdout);
}

static void print_json(const struct rows *groups, const struct rows *members, bool one)
{
	json_t *array = rows_json(groups, &schema_group);

	if (one && groups->count)
		json_object_set_new(json_array_get(array, 0), "members",
				    rows_json(members, &schema_member));
	document_print(array);
}

static enum status ask(const struct target *target, struct rows *groups, struct rows *members)
{
	struct link link;
	enum status status = link_open(&link, false);

	if (status)
		return status;
	status = link_get(&link, HBS_NL_CMD_GROUP_GET, target, &schema_group, groups);
	if (!status && target->has_group)
		status = link_get(&link, HBS_NL_CMD_MEMBER_GET, target, &schema_member, members);
	link_close(&link);
	return status;
}

enum status command_groups(int argc, char **argv)
{
	struct rows groups = { 0 }, members = { 0 };
	struct arguments arguments;
	enum status status;

	if (!arguments_read_common(argc, argv, TAKES_CARD | TAKES_GROUP, &arguments, &status))
		return status;
	status = ask(&arguments.target, &groups, &members);
	if (!status && arguments.json) {
		print_json(&groups, &members, arguments.target.has_group);
	} else if (!status) {
		print_groups(&groups);
		print_members(&members);
	}
	if (!status)
		rights_tell(&groups, &schema_group, HBS_A_GROUP_UID);
	rows_free(&groups, &schema_group);
	rows_free(&members, &schema_member);
	return status;
}
