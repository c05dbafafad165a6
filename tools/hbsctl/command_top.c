// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Groups as they run. The questions to the driver take registers of the card and its locks, so
 * they get a share of the time only, however many groups there are: SHARE.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arguments.h"
#include "commands.h"
#include "document.h"
#include "format.h"
#include "link.h"
#include "shared/now.h"
#include "shared/number.h"
#include "stop.h"
#include "table.h"
#include "text.h"
#include "top.h"

/* Of the time, what goes to samples */
#define SHARE 0.002

/* In an interval, so that the slowest member is not chance alone */
#define SAMPLES_MAX 50

#define INTERVAL_MS_MAX 3600000ul
#define COUNT_MAX	1000000000ul

/**
 * struct request - what is wanted
 * @interval_ms: from one table to the next
 * @count: tables; 0 for no end
 * @arguments: the others
 */
struct request {
	unsigned long interval_ms;
	unsigned long count;
	struct arguments arguments;
};

static const struct option long_options[] = {
	{ "interval", required_argument, NULL, 'i' },
	{ "count", required_argument, NULL, 'n' },
	{ "once", no_argument, NULL, 'o' },
	ARGUMENTS_COMMON,
	{ NULL, 0, NULL, 0 },
};

static bool take(int option, void *own)
{
	struct request *request = own;

	switch (option) {
	case 'o':
		request->count = 1;
		return true;
	case 'n':
		return number_parse("count", optarg, 1, COUNT_MAX, &request->count);
	default:
		return number_parse("interval", optarg, 10, INTERVAL_MS_MAX, &request->interval_ms);
	}
}

/* Return: the time that the question took, in ns */
static double sample(struct link *link, struct top_group *group)
{
	struct target target = {
		.has_card = true, .has_group = true, .card = group->card, .group = group->number
	};
	struct link_request request = { .command = HBS_NL_CMD_MEMBER_GET,
					.dump = true,
					.schema = &schema_member,
					.answers = &schema_member };
	struct rows members = { 0 };
	struct link_error error;
	double start = now_ns();

	link_put(&request, HBS_A_MEMBER_CARD, target.card);
	link_put(&request, HBS_A_MEMBER_GROUP, target.group);
	request.rows = &members;
	/* a group that has gone meanwhile is no error */
	if (!link_ask(link, &request, &error))
		top_sample(group, &members);
	rows_free(&members, &schema_member);
	return now_ns() - start;
}

/* Groups that run, in turns */
static struct top_group *next_group(struct top *top, size_t *turn)
{
	for (size_t i = 0; i < top->count; i++) {
		struct top_group *group = &top->groups[(*turn + i) % top->count];

		if (group->group.state != HBS_GROUP_STATE_RUNNING)
			continue;
		*turn = (*turn + i + 1) % top->count;
		return group;
	}
	return NULL;
}

/* Of the next group in turn, if there is one. Return: the time that it took, in ns */
static double sample_next(struct link *link, struct top *top, size_t *turn)
{
	struct top_group *group = stop_wanted() ? NULL : next_group(top, turn);

	return group ? sample(link, group) : 0;
}

/* Sample until @end. @spent: what all questions of this interval have cost so far */
static void watch(struct link *link, struct top *top, double start, double end, double spent)
{
	double least = (end - start) / SAMPLES_MAX;
	bool is_first = true;

	while (!stop_wanted()) {
		/* so long that the cost so far is its share again */
		double wait = spent / SHARE - (now_ns() - start);
		double left = end - now_ns();

		if (wait < least)
			wait = least;
		if (wait >= left)
			break;
		stop_wait(-1, (int)(wait / 1e6) + 1);
		spent += sample_next(link, top, &top->turn);
		is_first = false;
	}
	if (end > now_ns() && !stop_wanted())
		stop_wait(-1, (int)((end - now_ns()) / 1e6) + 1);
	/* a machine that is busy, so that each question takes long, is when people look */
	if (is_first)
		sample_next(link, top, &top->turn);
}

static int compare(const void *a, const void *b)
{
	uint64_t first = top_epochs(a), second = top_epochs(b);

	return first < second ? 1 : first > second ? -1 : 0;
}

static json_t *group_json(const struct top_group *group, double seconds)
{
	double waiting = top_waiting(group), share;
	int slowest = top_slowest(group, &share);
	char state[WORD_SIZE];
	json_t *object = json_pack(
		"{s:i, s:i, s:s, s:i, s:i, s:o, s:i, s:o}", "card", (int)group->card, "group",
		(int)group->number, "state",
		words_of(&words_group_state, group->group.state, state), "seats",
		(int)group->group.seats, "joined", (int)group->group.joined, "rate",
		top_is_known(group) ? json_real((double)top_epochs(group) / seconds) : json_null(),
		"samples", (int)group->samples, "waiting",
		waiting < 0 ? json_null() : json_real(waiting));

	if (slowest >= 0) {
		const struct top_member *member = &group->members[slowest];
		char comm[TEXT_SIZE(FIELD_TEXT_SIZE)];

		json_object_set_new(
			object, "slowest",
			json_pack("{s:i, s:f, s:o, s:i, s:i, s:s}", "port", slowest, "share", share,
				  "tag", json_sprintf("%llu", (unsigned long long)member->tag),
				  "pid", (int)member->pid, "tid", (int)member->tid, "comm",
				  text_escape(comm, sizeof(comm), member->comm)));
	} else {
		json_object_set_new(object, "slowest", json_null());
	}
	return object;
}

static void print_json(const struct top *top, double seconds, const char *time)
{
	json_t *groups = json_array();

	for (size_t i = 0; i < top->count; i++)
		if (top->groups[i].seen)
			json_array_append_new(groups, group_json(&top->groups[i], seconds));
	document_print_line(
		json_pack("{s:s, s:f, s:o}", "time", time, "seconds", seconds, "groups", groups));
}

static void add_slowest(struct table *table, const struct top_group *group)
{
	double share;
	int slowest = top_slowest(group, &share);
	char comm[TEXT_SIZE(FIELD_TEXT_SIZE)];

	if (slowest < 0) {
		table_add(table, COLOUR_NONE, "-");
		table_add(table, COLOUR_NONE, "-");
		return;
	}
	table_add(table, COLOUR_NONE, "%.0f%%", share * 100);
	table_add(table, COLOUR_NONE, "port %d, tag %" PRIu64 ", thread %u (%s)", slowest,
		  group->members[slowest].tag, group->members[slowest].tid,
		  text_escape(comm, sizeof(comm), group->members[slowest].comm));
}

static void print_group(struct table *table, const struct top_group *group, double seconds)
{
	char state[WORD_SIZE], rate[FORMAT_SIZE];
	double waiting = top_waiting(group);

	table_add(table, COLOUR_NONE, "hbs%u/%u", group->card, group->number);
	table_add(table,
		  group->group.state == HBS_GROUP_STATE_BROKEN	  ? COLOUR_BAD
		  : group->group.state == HBS_GROUP_STATE_RUNNING ? COLOUR_GOOD
								  : COLOUR_CARE,
		  "%s", words_of(&words_group_state, group->group.state, state));
	table_add(table, COLOUR_NONE, "%u/%u", group->group.joined, group->group.seats);
	table_add(table, COLOUR_NONE, "%s",
		  top_is_known(group) ? format_rate((double)top_epochs(group) / seconds, rate)
				      : "-");
	if (waiting < 0)
		table_add(table, COLOUR_NONE, "-");
	else
		table_add(table, COLOUR_NONE, "%.0f%%", waiting * 100);
	add_slowest(table, group);
}

static void print_table(const struct top *top, double seconds, const char *time)
{
	struct table table;
	size_t groups = 0;

	/* on a terminal the new table takes the place of the old one */
	if (isatty(STDOUT_FILENO))
		fputs("\033[H\033[J", stdout);
	for (size_t i = 0; i < top->count; i++)
		groups += top->groups[i].seen;
	printf("%s  %zu group%s, in %.1f s\n", time, groups, groups == 1 ? "" : "s", seconds);
	table_start(&table, "<group <state members barriers/s waiting blame <slowest_member");
	for (size_t i = 0; i < top->count; i++)
		if (top->groups[i].seen)
			print_group(&table, &top->groups[i], seconds);
	table_end(&table, stdout);
	if (!isatty(STDOUT_FILENO))
		putchar('\n');
	fflush(stdout);
}

static void print(const struct request *request, struct top *top, double seconds)
{
	char text[FORMAT_SIZE];
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (top->count)
		qsort(top->groups, top->count, sizeof(*top->groups), compare);
	if (request->arguments.json)
		print_json(top, seconds, format_time(&now, text));
	else
		print_table(top, seconds, format_time(&now, text));
}

/**
 * struct view - the groups as they were looked at last
 * @groups: of struct group
 * @time_ns: when
 * @cost_ns: how long that took
 */
struct view {
	struct rows groups;
	double time_ns;
	double cost_ns;
};

static enum status look(struct link *link, const struct request *request, struct view *view)
{
	double start = now_ns();
	enum status status;

	rows_free(&view->groups, &schema_group);
	status = link_get(link, HBS_NL_CMD_GROUP_GET, &request->arguments.target, &schema_group,
			  &view->groups);
	view->cost_ns = now_ns() - start;
	/* each group was looked at somewhere in between */
	view->time_ns = start + view->cost_ns / 2;
	return status;
}

/* One interval. @view is what it begins with, and then what it ends with. */
static enum status run(struct link *link, const struct request *request, struct top *top,
		       struct view *view)
{
	double start = view->time_ns;
	enum status status;

	top_begin(top, &view->groups);
	watch(link, top, start, start + (double)request->interval_ms * 1e6, view->cost_ns);
	status = look(link, request, view);
	if (status)
		return status;
	top_end(top, &view->groups);
	print(request, top, (view->time_ns - start) / 1e9);
	return STATUS_GOOD;
}

enum status command_top(int argc, char **argv)
{
	struct request request = { .interval_ms = 1000 };
	struct view view = { 0 };
	struct top top = { 0 };
	enum status status;
	struct link link;

	if (!arguments_read(argc, argv, TAKES_CARD | TAKES_GROUP, "i:n:jh", long_options, take,
			    &request, &request.arguments, &status))
		return status;
	stop_prepare();
	status = link_open(&link, false);
	if (status)
		return status;
	status = look(&link, &request, &view);
	for (unsigned long i = 0;
	     !status && !stop_wanted() && (!request.count || i < request.count); i++)
		status = run(&link, &request, &top, &view);
	top_free(&top);
	rows_free(&view.groups, &schema_group);
	link_close(&link);
	return status;
}
