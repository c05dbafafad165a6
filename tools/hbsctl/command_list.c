// SPDX-License-Identifier: GPL-2.0-or-later
/* Cards on the PCI bus */
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "commands.h"
#include "document.h"
#include "pci_cards.h"
#include "table.h"

static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

static void print_json(const struct pci_card *cards, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(
			array, json_pack("{s:s, s:o, s:o, s:o, s:b, s:o}", "pci_address",
					 cards[i].address, "driver", text_or_null(cards[i].driver),
					 "name", text_or_null(cards[i].name), "node",
					 text_or_null(cards[i].node), "openable", cards[i].openable,
					 "why", text_or_null(cards[i].why)));
	document_print(array);
}

static void print_table(const struct pci_card *cards, size_t count)
{
	struct table table;

	if (!count) {
		puts("There is no hbs card on the PCI bus.");
		return;
	}
	table_start(&table, "<PCI_address <driver <node <state");
	for (size_t i = 0; i < count; i++) {
		bool good = !*cards[i].why;

		table_add(&table, COLOUR_NONE, "%s", cards[i].address);
		table_add(&table, COLOUR_NONE, "%s", *cards[i].driver ? cards[i].driver : "-");
		table_add(&table, COLOUR_NONE, "%s", *cards[i].node ? cards[i].node : "-");
		table_add(&table, good ? COLOUR_GOOD : COLOUR_CARE, "%s",
			  good ? "ready" : cards[i].why);
	}
	table_end(&table, stdout);
}

enum status command_list(int argc, char **argv)
{
	struct arguments arguments;
	struct pci_card *cards;
	enum status status;
	size_t count;

	if (!arguments_read_common(argc, argv, 0, &arguments, &status))
		return status;
	if (!pci_cards_find(&cards, &count))
		return STATUS_FAILED;
	if (arguments.json)
		print_json(cards, count);
	else
		print_table(cards, count);
	free(cards);
	return STATUS_GOOD;
}
