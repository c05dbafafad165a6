// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of cards and groups, and how long members wait for each other */
#include <inttypes.h>
#include <stdio.h>

#include "arguments.h"
#include "commands.h"
#include "document.h"
#include "late.h"
#include "link.h"
#include "records.h"
#include "rights.h"
#include "software_groups.h"
#include "table.h"

struct answers {
	struct rows cards;   /* of struct card; none if the target is a group */
	struct rows groups;  /* of struct group */
	struct rows members; /* of struct member; none if the target is no group */
};

static enum status ask(const struct target *target, struct answers *answers)
{
	struct link link;
	enum status status = link_open(&link, false);

	if (status)
		return status;
	if (!target->has_group)
		status =
			link_get(&link, HBS_NL_CMD_CARD_GET, target, &schema_card, &answers->cards);
	if (!status)
		status = link_get(&link, HBS_NL_CMD_GROUP_GET, target, &schema_group,
				  &answers->groups);
	if (!status && target->has_group)
		status = link_get(&link, HBS_NL_CMD_MEMBER_GET, target, &schema_member,
				  &answers->members);
	link_close(&link);
	return status;
}

static json_t *group_json(const struct group *group)
{
	return json_pack("{s:i, s:i, s:o}", "card", (int)group->card, "group", (int)group->group,
			 "counters",
			 fields_has(group, HBS_A_GROUP_COUNTERS)
				 ? fields_json(&schema_group_counters, &group->counters)
				 : json_null());
}

static json_t *groups_json(const struct rows *groups, uint32_t card)
{
	const struct group *group = groups->items;
	json_t *array = json_array();

	for (size_t i = 0; i < groups->count; i++)
		if (group[i].card == card)
			json_array_append_new(array, group_json(&group[i]));
	return array;
}

static void print_group_json(const struct answers *answers, const struct target *target)
{
	json_t *array = groups_json(&answers->groups, target->card);
	struct late late;

	if (answers->groups.count) {
		late_of_card(answers->groups.items, &answers->members, &late);
		json_object_set_new(json_array_get(array, 0), "members", late_members_json(&late));
		late_free(&late);
	}
	document_print(array);
}

static void print_json(const struct answers *answers, const struct target *target)
{
	const struct card *cards = answers->cards.items;
	json_t *array;

	if (target->has_group) {
		print_group_json(answers, target);
		return;
	}
	array = json_array();
	for (size_t i = 0; i < answers->cards.count; i++)
		json_array_append_new(
			array, json_pack("{s:i, s:o, s:o}", "card", (int)cards[i].card, "counters",
					 fields_json(&schema_card_counters, &cards[i].counters),
					 "groups", groups_json(&answers->groups, cards[i].card)));
	document_print(array);
}

/* A line for each counter: there are too many for columns */
static void print_group(const struct group *group)
{
	struct table table;

	printf("%shbs%u/%u%s\n", colour_on(COLOUR_TITLE), group->card, group->group,
	       colour_off(COLOUR_TITLE));
	table_start(&table, "<counter count");
	for (size_t i = 0; i < schema_group_counters.count; i++) {
		const struct field *field = &schema_group_counters.fields[i];

		if (!fields_has(&group->counters, field->attribute))
			continue;
		table_add(&table, COLOUR_NONE, "%s", field->name);
		table_add(&table, COLOUR_NONE, "%" PRIu64,
			  *(const uint64_t *)((const char *)&group->counters + field->offset));
	}
	table_end(&table, stdout);
}

static void print_cards(const struct rows *rows)
{
	const struct card *cards = rows->items;
	struct table table;

	table_start(&table, "<card violations foreign_reads interrupts sleepers resets");
	for (size_t i = 0; i < rows->count; i++) {
		const struct card_counters *counters = &cards[i].counters;

		table_add(&table, COLOUR_NONE, "hbs%u", cards[i].card);
		table_add(&table, counters->violations ? COLOUR_CARE : COLOUR_NONE, "%" PRIu64,
			  counters->violations);
		table_add(&table, COLOUR_NONE, "%" PRIu64, counters->foreign_reads);
		table_add(&table, COLOUR_NONE, "%" PRIu64, counters->interrupts);
		table_add(&table, COLOUR_NONE, "%u", counters->waiters);
		table_add(&table, COLOUR_NONE, "%u", cards[i].resets);
	}
	table_end(&table, stdout);
}

static void print_groups(const struct rows *rows)
{
	const struct group *groups = rows->items;
	struct table table;

	if (!rows->count)
		return;
	putchar('\n');
	table_start(&table, "<group completions arrivals record_writes interrupts waits dropped "
			    "timeouts withdrawals");
	for (size_t i = 0; i < rows->count; i++) {
		const struct group_counters *counters = &groups[i].counters;
		uint64_t dropped = counters->non_member + counters->double_arrivals +
				   counters->refused + counters->unarrived;

		if (!fields_has(&groups[i], HBS_A_GROUP_COUNTERS))
			continue;
		table_add(&table, COLOUR_NONE, "hbs%u/%u", groups[i].card, groups[i].group);
		table_add(&table, COLOUR_NONE, "%" PRIu64, counters->completions);
		table_add(&table, COLOUR_NONE, "%" PRIu64, counters->arrivals);
		table_add(&table, COLOUR_NONE, "%" PRIu64, counters->record_writes);
		table_add(&table, COLOUR_NONE, "%" PRIu64, counters->interrupts);
		table_add(&table, COLOUR_NONE, "%" PRIu64, counters->waits);
		table_add(&table, dropped ? COLOUR_CARE : COLOUR_NONE, "%" PRIu64, dropped);
		table_add(&table, COLOUR_NONE, "%" PRIu64, groups[i].timeouts);
		table_add(&table, COLOUR_NONE, "%" PRIu64, counters->withdrawals);
	}
	table_end(&table, stdout);
}

static void print_group_and_members(const struct answers *answers)
{
	struct late late;

	print_group(answers->groups.items);
	late_of_card(answers->groups.items, &answers->members, &late);
	if (late.count)
		putchar('\n');
	late_print(&late);
	late_free(&late);
}

static void print_tables(const struct answers *answers, const struct target *target)
{
	if (target->has_group) {
		print_group_and_members(answers);
	} else if (answers->cards.count) {
		print_cards(&answers->cards);
		print_groups(&answers->groups);
	} else {
		puts("The driver has no card.");
	}
}

static void print_late(const struct late *late)
{
	printf("%s%s%s: a %s with %u seats and %zu members, in epoch %" PRIu64 ".\n",
	       colour_on(COLOUR_TITLE), late->name, colour_off(COLOUR_TITLE), late->what,
	       late->seats, late->count, late->epoch);
	late_print(late);
}

static enum status stats_of_group(const struct software_groups *groups, size_t i, json_t *array)
{
	struct late late;

	if (!late_of_software(groups->found[i].fd, &late))
		return software_groups_damaged(groups, i);
	software_groups_name(groups, i, late.name);
	if (array)
		json_array_append_new(array, late_json(&late));
	else
		print_late(&late);
	late_free(&late);
	return STATUS_GOOD;
}

static enum status stats_of_process(const struct target *target, bool json)
{
	struct software_groups groups;
	enum status status = software_groups_open(target, &groups);
	json_t *array = json && !status ? json_array() : NULL;

	for (size_t i = 0; i < groups.count; i++)
		if (stats_of_group(&groups, i, array))
			status = STATUS_FAILED;
	if (array)
		document_print(array);
	software_groups_close(&groups);
	return status;
}

static enum status stats_of_card(const struct target *target, bool json)
{
	struct answers answers = { 0 };
	enum status status = ask(target, &answers);

	if (!status && json)
		print_json(&answers, target);
	else if (!status)
		print_tables(&answers, target);
	if (!status)
		rights_tell(&answers.groups, &schema_group, HBS_A_GROUP_UID);
	rows_free(&answers.cards, &schema_card);
	rows_free(&answers.groups, &schema_group);
	rows_free(&answers.members, &schema_member);
	return status;
}

enum status command_stats(int argc, char **argv)
{
	struct arguments arguments;
	enum status status;

	if (!arguments_read_common(argc, argv, TAKES_CARD | TAKES_GROUP | TAKES_PROCESS, &arguments,
				   &status))
		return status;
	if (arguments.target.has_pid)
		return stats_of_process(&arguments.target, arguments.json);
	return stats_of_card(&arguments.target, arguments.json);
}
