// SPDX-License-Identifier: GPL-2.0-or-later
/* Show and set what users of a card may have */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "commands.h"
#include "document.h"
#include "format.h"
#include "link.h"
#include "records.h"
#include "table.h"

/* The value of the first option; the others follow in the order of the attributes */
#define FIRST_OPTION 1000

#define LIMIT(name, attribute)                                            \
	{                                                                 \
		name, required_argument, NULL, FIRST_OPTION + (attribute) \
	}

static const struct option long_options[] = {
	LIMIT("ports-per-user", HBS_A_LIMITS_PORTS_PER_USER),
	LIMIT("ports-reserved", HBS_A_LIMITS_PORTS_RESERVED),
	LIMIT("groups-per-user", HBS_A_LIMITS_GROUPS_PER_USER),
	LIMIT("groups-reserved", HBS_A_LIMITS_GROUPS_RESERVED),
	LIMIT("timeout-min-ns", HBS_A_LIMITS_TIMEOUT_MIN_NS),
	LIMIT("timeout-max-ns", HBS_A_LIMITS_TIMEOUT_MAX_NS),
	ARGUMENTS_COMMON,
	{ NULL, 0, NULL, 0 },
};

static bool is_wide(uint16_t attribute)
{
	return attribute == HBS_A_LIMITS_TIMEOUT_MIN_NS || attribute == HBS_A_LIMITS_TIMEOUT_MAX_NS;
}

/* The driver knows the limits of limits; here a number has to fit only */
static bool parse(const char *name, const char *text, bool wide, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && (wide || *value <= UINT32_MAX))
		return true;
	fprintf(stderr, "hbsctl: limits: --%s: '%s' is no number from 0 to %s\n", name, text,
		wide ? "18446744073709551615" : "4294967295");
	return false;
}

/* The last of several values for one limit counts */
static bool take(int option, void *own)
{
	struct link_request *request = own;
	uint16_t number = (uint16_t)(option - FIRST_OPTION);
	uint64_t value;
	size_t i = 0;

	if (!parse(fields_name(&schema_limits, number), optarg, is_wide(number), &value))
		return false;
	while (i < request->count && request->attributes[i].number != number)
		i++;
	if (i == request->count)
		link_put_wide(request, number, value);
	request->attributes[i].value = value;
	request->attributes[i].wide = is_wide(number);
	return true;
}

static enum status set(struct link *link, struct link_request *request, const struct target *target)
{
	char name[FIELD_TEXT_SIZE];
	struct link_error error;

	if (!request->count)
		return STATUS_GOOD;
	link_put(request, HBS_A_LIMITS_CARD, target->card);
	if (!link_ask(link, request, &error))
		return STATUS_GOOD;
	return link_complain(&error, link_name(target, name));
}

static void print(const struct limits *limits)
{
	char text[FORMAT_SIZE];
	struct table table;

	printf("%shbs%u%s\n", colour_on(COLOUR_TITLE), limits->card, colour_off(COLOUR_TITLE));
	table_start(&table, "<limit value _");
	for (size_t i = 0; i < schema_limits.count; i++) {
		const struct field *field = &schema_limits.fields[i];
		const void *from = (const char *)limits + field->offset;

		if (field->attribute == HBS_A_LIMITS_CARD || !fields_has(limits, field->attribute))
			continue;
		table_add(&table, COLOUR_NONE, "%s", field->name);
		if (field->kind == FIELD_U64) {
			table_add(&table, COLOUR_NONE, "%" PRIu64, *(const uint64_t *)from);
			table_add(&table, COLOUR_NONE, "%s",
				  format_ns(*(const uint64_t *)from, text));
		} else {
			table_add(&table, COLOUR_NONE, "%u", *(const uint32_t *)from);
			table_add(&table, COLOUR_NONE, "%s", "");
		}
	}
	table_end(&table, stdout);
}

static enum status show(struct link *link, const struct arguments *arguments)
{
	struct rows rows;
	enum status status =
		link_get(link, HBS_NL_CMD_LIMITS_GET, &arguments->target, &schema_limits, &rows);

	if (!status && arguments->json)
		document_print(rows_json(&rows, &schema_limits));
	for (size_t i = 0; !arguments->json && i < rows.count; i++)
		print((const struct limits *)rows.items + i);
	rows_free(&rows, &schema_limits);
	return status;
}

enum status command_limits(int argc, char **argv)
{
	struct link_request request = { .command = HBS_NL_CMD_LIMITS_SET,
					.schema = &schema_limits };
	struct arguments arguments;
	enum status status;
	struct link link;

	if (!arguments_read(argc, argv, TAKES_CARD | NEEDS_ONE, NULL, long_options, take, &request,
			    &arguments, &status))
		return status;
	status = link_open(&link, false);
	if (status)
		return status;
	status = set(&link, &request, &arguments.target);
	if (!status)
		status = show(&link, &arguments);
	link_close(&link);
	return status;
}
