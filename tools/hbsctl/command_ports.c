// SPDX-License-Identifier: GPL-2.0-or-later
/* Ports of cards that somebody has */
#include <inttypes.h>
#include <stdio.h>

#include "arguments.h"
#include "commands.h"
#include "document.h"
#include "link.h"
#include "people.h"
#include "records.h"
#include "rights.h"
#include "table.h"
#include "text.h"

/* As many as a line has room for */
#define GROUPS_SIZE 60

static const char *groups_of(const struct port *port, char text[GROUPS_SIZE])
{
	const struct membership *memberships = port->memberships.items;
	size_t used = 0;

	snprintf(text, GROUPS_SIZE, "-");
	for (size_t i = 0; i < port->memberships.count; i++) {
		char one[32];
		int length = snprintf(one, sizeof(one), "%s%u", i ? "," : "", memberships[i].group);

		if (memberships[i].tag)
			length += snprintf(one + length, sizeof(one) - (size_t)length, ":%" PRIu64,
					   memberships[i].tag);
		if (used + (size_t)length >= GROUPS_SIZE - sizeof(",...")) {
			snprintf(text + used, GROUPS_SIZE - used, ",...");
			break;
		}
		used += (size_t)snprintf(text + used, GROUPS_SIZE - used, "%s", one);
	}
	return text;
}

static void add_number(struct table *table, bool known, uint32_t number)
{
	if (known)
		table_add(table, COLOUR_NONE, "%u", number);
	else
		table_add(table, COLOUR_NONE, "-");
}

static void add_port(struct table *table, const struct port *port)
{
	char comm[TEXT_SIZE(FIELD_TEXT_SIZE)], name[PEOPLE_SIZE], groups[GROUPS_SIZE];

	table_add(table, COLOUR_NONE, "hbs%u", port->card);
	table_add(table, COLOUR_NONE, "%u", port->port);
	table_add(table, COLOUR_NONE, "%s",
		  fields_has(port, HBS_A_PORT_UID) ? people_name(port->uid, name) : "-");
	add_number(table, port->pid, port->pid);
	add_number(table, port->tid, port->tid);
	add_number(table, fields_has(port, HBS_A_PORT_CPU), port->cpu);
	add_number(table, fields_has(port, HBS_A_PORT_MAPPINGS), port->mappings);
	add_number(table, fields_has(port, HBS_A_PORT_MEMORY), port->memory);
	table_add(table, COLOUR_NONE, "%s",
		  fields_has(port, HBS_A_PORT_COMM) ? text_escape(comm, sizeof(comm), port->comm)
						    : "-");
	table_add(table, COLOUR_NONE, "%s", groups_of(port, groups));
}

static void print_table(const struct rows *ports)
{
	struct table table;

	if (!ports->count) {
		puts("Nobody has a port.");
		return;
	}
	table_start(&table, "<card port <user process thread CPU mappings memory <name <groups");
	for (size_t i = 0; i < ports->count; i++)
		add_port(&table, (const struct port *)ports->items + i);
	table_end(&table, stdout);
}

enum status command_ports(int argc, char **argv)
{
	struct arguments arguments;
	struct rows ports = { 0 };
	enum status status;
	struct link link;

	if (!arguments_read_common(argc, argv, TAKES_CARD, &arguments, &status))
		return status;
	status = link_open(&link, false);
	if (status)
		return status;
	status = link_get(&link, HBS_NL_CMD_PORT_GET, &arguments.target, &schema_port, &ports);
	link_close(&link);
	if (!status && arguments.json)
		document_print(rows_json(&ports, &schema_port));
	else if (!status)
		print_table(&ports);
	if (!status)
		rights_tell(&ports, &schema_port, HBS_A_PORT_UID);
	rows_free(&ports, &schema_port);
	return status;
}
