// SPDX-License-Identifier: GPL-2.0-or-later
/* What cards are and do */
#include <inttypes.h>
#include <stdio.h>

#include "arguments.h"
#include "commands.h"
#include "document.h"
#include "format.h"
#include "link.h"
#include "people.h"
#include "records.h"
#include "table.h"
#include "text.h"

struct answers {
	struct rows cards; /* of struct card */
	struct rows users; /* of struct user, of all these cards */
};

static const struct card *card_at(const struct answers *answers, size_t i)
{
	return (const struct card *)answers->cards.items + i;
}

static const struct user *user_at(const struct answers *answers, size_t i)
{
	return (const struct user *)answers->users.items + i;
}

static enum status ask(const struct target *target, struct answers *answers)
{
	struct link link;
	enum status status = link_open(&link, false);

	if (status)
		return status;
	status = link_get(&link, HBS_NL_CMD_CARD_GET, target, &schema_card, &answers->cards);
	if (!status)
		status =
			link_get(&link, HBS_NL_CMD_USER_GET, target, &schema_user, &answers->users);
	link_close(&link);
	return status;
}

static json_t *users_json(const struct answers *answers, uint32_t card)
{
	json_t *array = json_array();

	for (size_t i = 0; i < answers->users.count; i++)
		if (user_at(answers, i)->card == card)
			json_array_append_new(array,
					      fields_json(&schema_user, user_at(answers, i)));
	return array;
}

static void print_json(const struct answers *answers)
{
	json_t *array = json_array();

	for (size_t i = 0; i < answers->cards.count; i++) {
		json_t *object = fields_json(&schema_card, card_at(answers, i));

		json_object_set_new(object, "users",
				    users_json(answers, card_at(answers, i)->card));
		json_array_append_new(array, object);
	}
	document_print(array);
}

static enum colour colour_of(uint32_t state)
{
	return state == HBS_CARD_STATE_WORKING ? COLOUR_GOOD : COLOUR_BAD;
}

static void print_head(const struct card *card)
{
	char name[TEXT_SIZE(FIELD_TEXT_SIZE)], address[TEXT_SIZE(FIELD_TEXT_SIZE)], word[WORD_SIZE];
	enum colour colour = colour_of(card->state);

	printf("%s%s%s  PCI %s, %s%s%s\n", colour_on(COLOUR_TITLE),
	       text_escape(name, sizeof(name), card->name), colour_off(COLOUR_TITLE),
	       text_escape(address, sizeof(address), card->pci_address), colour_on(colour),
	       words_of(&words_card_state, card->state, word), colour_off(colour));
}

static void print_what(const struct card *card)
{
	const struct block *blocks = card->blocks.items;
	char text[400], word[WORD_SIZE];

	printf("  register map   %u.%u:", card->version >> 16, card->version & 0xffff);
	for (size_t i = 0; i < card->blocks.count; i++)
		printf("%s %s %u", i ? "," : "", words_of(&words_block, blocks[i].type, word),
		       blocks[i].version);
	printf("\n  features       %s\n",
	       words_of_bits(&words_feature, card->features, text, sizeof(text)));
	printf("  group types    %s\n",
	       words_of_bits(&words_type, card->group_types, text, sizeof(text)));
	printf("  ports          %u of %u taken\n", card->ports_used, card->ports);
	printf("  groups         %u of %u taken\n", card->groups_used, card->groups);
	printf("  vectors        %u\n  resets         %u\n", card->vectors, card->resets);
}

static void print_limits(const struct limits *limits)
{
	char least[FORMAT_SIZE], most[FORMAT_SIZE];

	printf("  a user's most  %u ports, %u groups\n", limits->ports_per_user,
	       limits->groups_per_user);
	printf("  reserved       %u ports, %u groups\n", limits->ports_reserved,
	       limits->groups_reserved);
	printf("  timeouts       %s to %s\n", format_ns(limits->timeout_min_ns, least),
	       format_ns(limits->timeout_max_ns, most));
}

static void print_counters(const struct card_counters *counters)
{
	printf("  violations     %" PRIu64 "\n  foreign reads  %" PRIu64 "\n", counters->violations,
	       counters->foreign_reads);
	printf("  interrupts     %" PRIu64 "\n  sleepers       %u\n", counters->interrupts,
	       counters->waiters);
}

static void print_users(const struct answers *answers, uint32_t card)
{
	char name[PEOPLE_SIZE];

	for (size_t i = 0; i < answers->users.count; i++) {
		const struct user *user = user_at(answers, i);

		if (user->card == card)
			printf("  user           %s: %u ports, %u groups\n",
			       people_name(user->uid, name), user->ports, user->groups);
	}
}

static void print_card(const struct answers *answers, const struct card *card)
{
	print_head(card);
	print_what(card);
	if (fields_has(card, HBS_A_CARD_LIMITS))
		print_limits(&card->limits);
	if (fields_has(card, HBS_A_CARD_COUNTERS))
		print_counters(&card->counters);
	print_users(answers, card->card);
}

enum status command_show(int argc, char **argv)
{
	struct answers answers = { 0 };
	struct arguments arguments;
	enum status status;

	if (!arguments_read_common(argc, argv, TAKES_CARD, &arguments, &status))
		return status;
	status = ask(&arguments.target, &answers);
	if (!status && arguments.json)
		print_json(&answers);
	for (size_t i = 0; !arguments.json && i < answers.cards.count; i++)
		print_card(&answers, card_at(&answers, i));
	if (!status && !arguments.json && !answers.cards.count)
		puts("The driver has no card.");
	rows_free(&answers.cards, &schema_card);
	rows_free(&answers.users, &schema_user);
	return status;
}
