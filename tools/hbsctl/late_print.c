// SPDX-License-Identifier: GPL-2.0-or-later
/* How long members wait, as tables, a sentence and JSON */
#include <inttypes.h>
#include <stdio.h>

#include "colour.h"
#include "document.h"
#include "format.h"
#include "late.h"
#include "table.h"

static const char *short_or_from(uint64_t ns, char text[FORMAT_SIZE])
{
	return ns ? format_ns(ns, text) : "short";
}

static void add_thread(struct table *table, uint32_t number)
{
	if (number)
		table_add(table, COLOUR_NONE, "%u", number);
	else
		table_add(table, COLOUR_NONE, "-");
}

static void add_waits(struct table *table, const struct late_member *member)
{
	char text[FORMAT_SIZE];

	if (!member->known || !member->epochs) {
		for (int i = 0; i < 5; i++)
			table_add(table, COLOUR_NONE, "-");
		return;
	}
	table_add(table, COLOUR_NONE, "%.0f%%",
		  100.0 * (double)member->waits[0] / (double)member->epochs);
	table_add(table, COLOUR_NONE, "%s", short_or_from(late_quantile(member, 0.5), text));
	table_add(table, COLOUR_NONE, "%s", short_or_from(late_quantile(member, 1), text));
	table_add(table, COLOUR_NONE, "%s", format_ns(member->waited_ns, text));
	table_add(table, COLOUR_NONE, "%" PRIu64, member->slept);
}

static void print_members(const struct late *late, const struct late_member *latest)
{
	char titles[120];
	struct table table;

	snprintf(titles, sizeof(titles),
		 "%s tag process thread epochs short median longest waited slept", late->unit);
	table_start(&table, titles);
	for (size_t i = 0; i < late->count; i++) {
		const struct late_member *member = &late->members[i];

		table_add(&table, member == latest ? COLOUR_CARE : COLOUR_NONE, "%u",
			  member->number);
		table_add(&table, COLOUR_NONE, "%" PRIu64, member->tag);
		add_thread(&table, member->pid);
		add_thread(&table, member->tid);
		table_add(&table, COLOUR_NONE, "%" PRIu64, member->epochs);
		add_waits(&table, member);
	}
	table_end(&table, stdout);
}

/* Waits of all members by their length */
static void print_steps(const struct late *late)
{
	char text[FORMAT_SIZE];
	struct table table;

	table_start(&table, "<wait_from waits");
	for (unsigned int step = 0; step < LATE_STEPS; step++) {
		uint64_t count = 0;

		for (size_t i = 0; i < late->count; i++)
			if (late->members[i].known)
				count += late->members[i].waits[step];
		if (!count)
			continue;
		table_add(&table, COLOUR_NONE, "%s", short_or_from(late_from(step), text));
		table_add(&table, COLOUR_NONE, "%" PRIu64, count);
	}
	table_end(&table, stdout);
}

void late_print(const struct late *late)
{
	const struct late_member *latest = late_latest(late);
	size_t known = 0;

	for (size_t i = 0; i < late->count; i++)
		known += late->members[i].known && late->members[i].epochs;
	if (!late->count)
		return;
	print_members(late, latest);
	if (!known)
		return;
	putchar('\n');
	print_steps(late);
	putchar('\n');
	if (latest)
		printf("The others wait for %s %u, tag %" PRIu64 ".\n", late->unit, latest->number,
		       latest->tag);
	else
		puts("No member is late again and again.");
}

static json_t *waits_json(const struct late_member *member)
{
	json_t *array = json_array();

	for (unsigned int step = 0; step < LATE_STEPS; step++)
		if (member->waits[step])
			json_array_append_new(array,
					      json_pack("{s:o, s:o}", "from_ns",
							document_number(late_from(step)), "count",
							document_number(member->waits[step])));
	return array;
}

json_t *late_members_json(const struct late *late)
{
	const struct late_member *latest = late_latest(late);
	json_t *array = json_array();

	for (size_t i = 0; i < late->count; i++) {
		const struct late_member *member = &late->members[i];

		json_array_append_new(
			array,
			json_pack("{s:i, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:b}", late->unit,
				  (int)member->number, "tag",
				  json_sprintf("%llu", (unsigned long long)member->tag), "pid",
				  (int)member->pid, "tid", (int)member->tid, "epochs",
				  document_number(member->epochs), "waited_ns",
				  member->known ? document_number(member->waited_ns) : json_null(),
				  "slept",
				  member->known ? document_number(member->slept) : json_null(),
				  "waits", member->known ? waits_json(member) : json_null(), "late",
				  member == latest));
	}
	return array;
}

json_t *late_json(const struct late *late)
{
	return json_pack("{s:s, s:s, s:i, s:o, s:o}", "name", late->name, "what", late->what,
			 "seats", (int)late->seats, "epoch", document_number(late->epoch),
			 "members", late_members_json(late));
}
