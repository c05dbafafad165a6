// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a card is well: barriers, reductions and a timeout of a group of its own. It takes
 * one group and a few ports at a time, so that it disturbs nobody else's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/hbs.h>

#include "arguments.h"
#include "colour.h"
#include "commands.h"
#include "document.h"
#include "format.h"
#include "link.h"
#include "records.h"
#include "trial.h"

#define ROUNDS	     1000
#define ROUNDS_SHORT 100
#define TIMEOUT_NS   20000000ull

enum outcome { PASSED, FAILED, SKIPPED };

/**
 * struct selftest - a test of a card
 * @card: what it is
 * @hbs: its context
 * @members: how many threads a group has
 * @json: the outcomes, or NULL to print them
 * @failed: how many trials failed
 * @refused: how many the user's limits, or other users, left no room for
 */
struct selftest {
	struct card card;
	struct hbs *hbs;
	unsigned int members;
	json_t *json;
	unsigned int failed;
	unsigned int refused;
};

static void __attribute__((format(printf, 4, 5)))
report(struct selftest *test, enum outcome outcome, const char *name, const char *format, ...)
{
	static const char *const words[] = { "ok", "FAILED", "skipped" };
	static const char *const keys[] = { "ok", "failed", "skipped" };
	static const enum colour colours[] = { COLOUR_GOOD, COLOUR_BAD, COLOUR_CARE };
	va_list arguments;
	char text[300];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	test->failed += outcome == FAILED;
	if (test->json) {
		json_array_append_new(test->json,
				      json_pack("{s:s, s:s, s:s}", "name", name, "outcome",
						keys[outcome], "text", text));
		return;
	}
	printf("%s%-8s%s%-22s %s\n", colour_on(colours[outcome]), words[outcome],
	       colour_off(colours[outcome]), name, text);
	fflush(stdout);
}

/* What is wrong with it. Return: whether something is. */
static bool find_fault(const struct trial *trial, char *text, size_t size)
{
	uint64_t arrivals = (uint64_t)trial->rounds * trial->attr.members;

	if (trial->error)
		snprintf(text, size, "%s: %s", trial->call, hbs_strerror(trial->error));
	else if (trial->early)
		snprintf(text, size,
			 "members were let go before all had arrived, %" PRIu64 " times",
			 trial->early);
	else if (trial->wrong)
		snprintf(text, size, "%" PRIu64 " results were wrong", trial->wrong);
	else if (trial->stats.barriers != trial->rounds || trial->stats.arrivals != arrivals)
		snprintf(text, size,
			 "the card counted %" PRIu64 " barriers and %" PRIu64
			 " arrivals, where there were %u and %" PRIu64,
			 trial->stats.barriers, trial->stats.arrivals, trial->rounds, arrivals);
	else if (trial->stats.dropped)
		snprintf(text, size, "the card dropped %" PRIu64 " arrivals", trial->stats.dropped);
	else
		return false;
	return true;
}

/* Whether the user's limits, or other users, left no room: then the card is not to blame */
static bool is_refusal(int error)
{
	return error == -EDQUOT || error == -ENOSPC;
}

static void try(struct selftest *test, const char *name, struct trial *trial)
{
	char fault[200];

	trial->attr.members = test->members;
	trial_run(test->hbs, trial);
	if (is_refusal(trial->error)) {
		test->refused++;
		report(test, SKIPPED, name, "%s: %s", trial->call, hbs_strerror(trial->error));
	} else if (find_fault(trial, fault, sizeof(fault))) {
		report(test, FAILED, name, "%s", fault);
	} else {
		report(test, PASSED, name,
		       "%u barriers of %u threads; the card counted %" PRIu64 " arrivals",
		       trial->rounds, trial->attr.members, trial->stats.arrivals);
	}
}

/* Signed and unsigned, great and small, and different ones in each round */
static uint64_t value_of(unsigned int round, unsigned int i)
{
	return (uint64_t)(round * 4 + i + 1) * 0x9e3779b97f4a7c15ull;
}

/* Some rounds have all votes, some a few, some none */
static uint64_t vote_of(unsigned int round, unsigned int i)
{
	return round % 3 == 0 || (round % 3 == 1 && i % 2);
}

static uint64_t reduce_two(uint32_t how, uint64_t a, uint64_t b)
{
	switch (how) {
	case HBS_AND:
		return a & b;
	case HBS_OR:
		return a | b;
	case HBS_XOR:
		return a ^ b;
	case HBS_SUM:
		return a + b;
	case HBS_MIN:
		return a < b ? a : b;
	case HBS_MAX:
		return a > b ? a : b;
	case HBS_SMIN:
		return (int64_t)a < (int64_t)b ? a : b;
	default:
		return (int64_t)a > (int64_t)b ? a : b;
	}
}

static uint64_t expected_value(const struct trial *trial, unsigned int round)
{
	uint64_t result = value_of(round, 0);

	for (unsigned int i = 1; i < trial->attr.members; i++)
		result = reduce_two(trial->attr.reduce, result, value_of(round, i));
	return result;
}

static uint64_t expected_votes(const struct trial *trial, unsigned int round)
{
	bool all = true, any = false;

	for (unsigned int i = 0; i < trial->attr.members; i++) {
		all &= vote_of(round, i) != 0;
		any |= vote_of(round, i) != 0;
	}
	return (all ? HBS_VOTE_ALL : 0) | (any ? HBS_VOTE_ANY : 0);
}

static void try_reductions(struct selftest *test)
{
	for (uint32_t how = HBS_AND; how <= HBS_VOTE; how++) {
		struct trial trial = { .attr = { .reduce = how },
				       .rounds = ROUNDS_SHORT,
				       .value = how == HBS_VOTE ? vote_of : value_of,
				       .expected =
					       how == HBS_VOTE ? expected_votes : expected_value };
		char name[40], word[WORD_SIZE];

		snprintf(name, sizeof(name), "reduction %s", words_of(&words_reduce, how, word));
		if (test->card.features & HBS_FEATURE_REDUCE)
			try(test, name, &trial);
		else
			report(test, SKIPPED, name, "the card has no reductions");
	}
}

static void try_ways(struct selftest *test)
{
	static const struct {
		const char *name;
		uint64_t feature;
		struct hbs_group_attr attr;
	} ways[] = {
		{ "completion by count",
		  HBS_FEATURE_COUNTING,
		  { .complete_by = HBS_COMPLETE_BY_COUNT } },
		{ "arrival by polling",
		  HBS_FEATURE_POLL_ARRIVAL,
		  { .arrive_by = HBS_ARRIVE_BY_POLLING } },
		{ "departure by csr",
		  HBS_FEATURE_CSR_DEPARTURE,
		  { .depart_by = HBS_DEPART_BY_CSR } },
		{ "departure by port",
		  HBS_FEATURE_PORT_RECORD,
		  { .depart_by = HBS_DEPART_BY_MEMBER_RECORD } },
		{ "departure by node",
		  HBS_FEATURE_NODE_RECORD,
		  { .depart_by = HBS_DEPART_BY_NODE_RECORD } },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct trial trial = { .attr = ways[i].attr, .rounds = ROUNDS_SHORT };

		if (test->card.features & ways[i].feature)
			try(test, ways[i].name, &trial);
		else
			report(test, SKIPPED, ways[i].name, "the card does not have it");
	}
}

static void judge_timeout(struct selftest *test, const struct trial_timeout *timeout)
{
	char after[FORMAT_SIZE], wanted[FORMAT_SIZE];

	format_ns(timeout->took_ns, after);
	format_ns(timeout->timeout_ns, wanted);
	if (timeout->error != -ETIMEDOUT)
		report(test, FAILED, "timeout", "a barrier that cannot complete ended after %s: %s",
		       after, timeout->error ? hbs_strerror(timeout->error) : "it completed");
	else if (timeout->took_ns < timeout->timeout_ns)
		report(test, FAILED, "timeout", "it came after %s, too early for %s", after,
		       wanted);
	else if (!timeout->right)
		report(test, FAILED, "timeout",
		       "it came, but the member that was missing is not told");
	else
		report(test, PASSED, "timeout",
		       "of %s came after %s, and the missing member is told", wanted, after);
}

static void try_timeout(struct selftest *test)
{
	const struct limits *limits = &test->card.limits;
	struct trial_timeout timeout = { .timeout_ns = TIMEOUT_NS };
	int error;

	if (!(test->card.features & HBS_FEATURE_TIMEOUT)) {
		report(test, SKIPPED, "timeout", "the card has no timers");
		return;
	}
	/* as the administrator wants it */
	if (timeout.timeout_ns < limits->timeout_min_ns)
		timeout.timeout_ns = limits->timeout_min_ns;
	if (timeout.timeout_ns > limits->timeout_max_ns)
		timeout.timeout_ns = limits->timeout_max_ns;
	error = trial_timeout(test->hbs, &timeout);
	test->refused += is_refusal(error);
	if (error)
		report(test, is_refusal(error) ? SKIPPED : FAILED, "timeout", "%s",
		       hbs_strerror(error));
	else
		judge_timeout(test, &timeout);
}

/* All that it took has gone back */
static void check_leftovers(struct selftest *test, struct link *link, const struct target *target)
{
	unsigned int mine = 0;
	struct rows ports;

	if (link_get(link, HBS_NL_CMD_PORT_GET, target, &schema_port, &ports)) {
		report(test, FAILED, "cleaning up", "the driver does not tell its ports");
		return;
	}
	for (size_t i = 0; i < ports.count; i++)
		mine += ((const struct port *)ports.items)[i].pid == (uint32_t)getpid();
	rows_free(&ports, &schema_port);
	if (mine)
		report(test, FAILED, "cleaning up", "%u ports have not gone back", mine);
	else
		report(test, PASSED, "cleaning up", "all ports have gone back");
}

/* Others may cause some at any time, so they are told and no failure */
static void tell_violations(struct selftest *test, struct link *link, const struct target *target)
{
	struct rows cards;
	uint64_t more = 0;

	if (link_get(link, HBS_NL_CMD_CARD_GET, target, &schema_card, &cards))
		return;
	if (cards.count)
		more = ((const struct card *)cards.items)->counters.violations -
		       test->card.counters.violations;
	rows_free(&cards, &schema_card);
	report(test, PASSED, "violations", "%" PRIu64 " meanwhile%s", more,
	       more ? ", by other users of the card" : "");
}

static void try_all(struct selftest *test, struct link *link, const struct target *target)
{
	struct trial barriers = { .rounds = ROUNDS };

	try(test, "barriers", &barriers);
	try_ways(test);
	try_reductions(test);
	try_timeout(test);
	hbs_close(test->hbs);
	check_leftovers(test, link, target);
	tell_violations(test, link, target);
}

/* What the environment says of libhbs is not meant for this */
static int open_card(struct selftest *test, uint32_t card)
{
	static const char *const names[] = { "HBS_BACKEND", "HBS_DEVICE",      "HBS_ALGORITHM",
					     "HBS_SPIN_NS", "HBS_WAIT_POLICY", "OMP_WAIT_POLICY" };
	char path[40];
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD, .device = path };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	snprintf(path, sizeof(path), "/dev/hbs%u", card);
	return -hbs_open(&test->hbs, &attr);
}

static enum status ask(struct selftest *test, struct link *link, const struct target *target)
{
	struct rows cards;
	enum status status = link_get(link, HBS_NL_CMD_CARD_GET, target, &schema_card, &cards);
	int error;

	if (status)
		return status;
	test->card = *(const struct card *)cards.items;
	rows_free(&cards, &schema_card);
	error = open_card(test, target->card);
	if (error)
		fprintf(stderr, "hbsctl: /dev/hbs%u: %s\n", target->card, strerror(error));
	return status_of_errno(error);
}

/* As many threads as there are ports, if there are few */
static bool choose_members(struct selftest *test)
{
	unsigned int left = test->card.ports - test->card.ports_used;

	test->members = left < TRIAL_MEMBERS_MAX ? left : TRIAL_MEMBERS_MAX;
	if (test->members >= 2 && test->card.groups > test->card.groups_used)
		return true;
	fprintf(stderr,
		"hbsctl: hbs%u has no two ports and a group to spare: a test would disturb "
		"others\n",
		test->card.card);
	return false;
}

static enum status finish(struct selftest *test)
{
	if (test->json)
		document_print(json_pack("{s:i, s:b, s:o}", "card", (int)test->card.card, "passed",
					 !test->failed && !test->refused, "trials", test->json));
	else if (test->failed)
		printf("hbs%u has failed.\n", test->card.card);
	else if (test->refused)
		printf("hbs%u could not be tried in full.\n", test->card.card);
	else
		printf("hbs%u is well.\n", test->card.card);
	return test->failed || test->refused ? STATUS_FAILED : STATUS_GOOD;
}

enum status command_selftest(int argc, char **argv)
{
	struct selftest test = { 0 };
	struct arguments arguments;
	enum status status;
	struct link link;

	if (!arguments_read_common(argc, argv, TAKES_CARD | NEEDS_ONE, &arguments, &status))
		return status;
	status = link_open(&link, false);
	if (status)
		return status;
	status = ask(&test, &link, &arguments.target);
	if (!status && !choose_members(&test)) {
		hbs_close(test.hbs);
		status = STATUS_FAILED;
	} else if (!status) {
		test.json = arguments.json ? json_array() : NULL;
		try_all(&test, &link, &arguments.target);
		status = finish(&test);
	}
	link_close(&link);
	return status;
}
