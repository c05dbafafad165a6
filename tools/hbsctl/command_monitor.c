// SPDX-License-Identifier: GPL-2.0-or-later
/* Events as they come */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "arguments.h"
#include "commands.h"
#include "document.h"
#include "events.h"
#include "format.h"
#include "link.h"
#include "shared/number.h"
#include "stop.h"
#include "table.h"
#include "text.h"

#define COUNT_MAX  1000000000ul
#define BUFFER_MAX 1000000000ul

/**
 * struct monitor - what is wanted
 * @count: end after so many events; 0 for never
 * @buffer: of the kernel, in bytes
 * @told: events so far
 * @arguments: the others
 */
struct monitor {
	unsigned long count;
	unsigned long buffer;
	unsigned long told;
	struct arguments arguments;
};

static const struct option long_options[] = {
	{ "count", required_argument, NULL, 'n' },
	{ "buffer", required_argument, NULL, 'b' },
	ARGUMENTS_COMMON,
	{ NULL, 0, NULL, 0 },
};

static bool take(int option, void *own)
{
	struct monitor *monitor = own;

	if (option == 'n')
		return number_parse("count", optarg, 1, COUNT_MAX, &monitor->count);
	return number_parse("buffer", optarg, 1, BUFFER_MAX, &monitor->buffer);
}

/* What it is about; false if it is about no card */
static bool subject(const struct event *event, struct target *target)
{
	*target = (struct target){ .has_card = true };
	if (event->schema == &schema_card) {
		target->card = event->card.card;
	} else if (event->schema == &schema_group) {
		target->card = event->group.card;
		target->group = event->group.group;
		target->has_group = true;
	} else if (event->schema == &schema_member) {
		target->card = event->member.card;
		target->group = event->member.group;
		target->has_group = true;
	} else if (event->schema == &schema_violation) {
		target->card = event->violation.card;
		target->group = event->violation.group;
		target->has_group = fields_has(&event->violation, HBS_A_VIOLATION_GROUP);
	} else {
		target->has_card = false;
	}
	return target->has_card;
}

/* What concerns a whole card concerns its groups as well */
static bool is_wanted(const struct monitor *monitor, const struct event *event)
{
	const struct target *wanted = &monitor->arguments.target;
	struct target target;

	if (!subject(event, &target) || !wanted->has_card)
		return true;
	return target.card == wanted->card &&
	       (!wanted->has_group || !target.has_group || target.group == wanted->group);
}

static void print_json(const struct event *event, const char *time)
{
	json_t *object = event->schema ? fields_json(event->schema, &event->has) : json_object();
	char kind[FIELD_TEXT_SIZE];

	document_key(kind, sizeof(kind), event->kind);
	json_object_set_new(object, "time", json_string(time));
	json_object_set_new(object, "event", json_string(kind));
	document_print_line(object);
}

static void print_card(const struct card *card)
{
	char address[TEXT_SIZE(FIELD_TEXT_SIZE)], state[WORD_SIZE];

	if (fields_has(card, HBS_A_CARD_PCI_ADDRESS))
		printf(" PCI %s", text_escape(address, sizeof(address), card->pci_address));
	if (fields_has(card, HBS_A_CARD_STATE))
		printf(" %s", words_of(&words_card_state, card->state, state));
	if (fields_has(card, HBS_A_CARD_RESETS))
		printf(", resets: %u", card->resets);
}

static void print_details(const struct event *event)
{
	char word[WORD_SIZE];

	if (event->schema == &schema_card)
		print_card(&event->card);
	else if (event->schema == &schema_group && event->group.reason)
		printf(" %s", words_of(&words_reason, event->group.reason, word));
	else if (event->schema == &schema_member)
		printf(" port %u", event->member.port);
	else if (event->schema == &schema_violation)
		printf(" %s by port %u, %" PRIu64 " so far",
		       words_of(&words_violation, event->violation.kind, word),
		       event->violation.port, event->violation.count);
}

static void print_text(const struct event *event, const char *time)
{
	char name[FIELD_TEXT_SIZE];
	struct target target;
	bool bad = !strcmp(event->kind, "lost") || !strcmp(event->kind, "group-broken") ||
		   !strcmp(event->kind, "member-died") || !strcmp(event->kind, "violation");
	enum colour colour = bad ? COLOUR_BAD : COLOUR_NONE;

	printf("%s %-8s %s%s%s", time, subject(event, &target) ? link_name(&target, name) : "-",
	       colour_on(colour), event->kind, colour_off(colour));
	if (!strcmp(event->kind, "lost"))
		printf(": events came faster than they were read, and some are not here");
	print_details(event);
	putchar('\n');
	fflush(stdout);
}

static void tell(const struct event *event, void *own)
{
	struct monitor *monitor = own;
	char text[FORMAT_SIZE];
	struct timespec now;

	if (!is_wanted(monitor, event) || (monitor->count && monitor->told > monitor->count))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	if (monitor->arguments.json)
		print_json(event, format_time(&now, text));
	else
		print_text(event, format_time(&now, text));
	monitor->told++;
}

/* The first line says from when on nothing is missed. It does not count. */
static void start(struct monitor *monitor)
{
	struct event event = { .kind = "start" };

	tell(&event, monitor);
}

enum status command_monitor(int argc, char **argv)
{
	struct monitor monitor = { 0 };
	struct events events = { .tell = tell, .own = &monitor };
	enum status status;

	if (!arguments_read(argc, argv, TAKES_CARD | TAKES_GROUP, "n:b:jh", long_options, take,
			    &monitor, &monitor.arguments, &status))
		return status;
	stop_prepare();
	status = events_open(&events, (int)monitor.buffer);
	if (status)
		return status;
	start(&monitor);
	while (!stop_wanted() && (!monitor.count || monitor.told <= monitor.count))
		if (stop_wait(events_fd(&events), -1))
			events_read(&events);
	events_close(&events);
	return STATUS_GOOD;
}
