// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The modes that all tests run in: each combination of the ways of a card, or each
 * algorithm of the software; and the ways to wait
 */
#include <stdio.h>
#include <string.h>

#include "conformance.h"

#define SPIN_NS 50000

/* All have these */
#define COMMON_FEATURES (VALUES | TIMEOUTS | MISSING | COMPLETION | DEATH | THREADS)
/* One thread can arrive for several members */
#define SPLIT_FEATURES (COMMON_FEATURES | SPLIT_PHASE | DEADLINES | POLL_FD)
/* Members come and go */
#define FULL_FEATURES (SPLIT_FEATURES | SHRINK | RESET | DROP | MEMBERSHIP)
#define CARD_FEATURES                                                                         \
	(FULL_FEATURES | LIMITS | POLL_TIME | COUNTING | POLLING | REGISTER | MEMBER_RECORD | \
	 NODE_RECORD | REFUTABLE)

/* Features of an algorithm of the software backend */
static const struct {
	enum hbs_algorithm number;
	unsigned int features;
} algorithms[] = {
	{ HBS_ALGORITHM_CENTRAL, FULL_FEATURES | REFUTABLE },
	{ HBS_ALGORITHM_COUNTING, FULL_FEATURES | REFUTABLE },
	{ HBS_ALGORITHM_SCAN, FULL_FEATURES | REFUTABLE },
	{ HBS_ALGORITHM_COMBINING, SPLIT_FEATURES | FAN_IN },
	{ HBS_ALGORITHM_TICKET, SPLIT_FEATURES },
	{ HBS_ALGORITHM_TOURNAMENT, COMMON_FEATURES },
	{ HBS_ALGORITHM_FWAY_TOURNAMENT, COMMON_FEATURES | FAN_IN },
	{ HBS_ALGORITHM_MCS, COMMON_FEATURES | FAN_IN },
	{ HBS_ALGORITHM_BINOMIAL, COMMON_FEATURES },
	{ HBS_ALGORITHM_BUTTERFLY, COMMON_FEATURES },
	{ HBS_ALGORITHM_PAIRWISE, COMMON_FEATURES },
	{ HBS_ALGORITHM_DISSEMINATION, COMMON_FEATURES },
	{ HBS_ALGORITHM_POOL, COMMON_FEATURES },
};

/* A way to do one thing, by its value in the group's attributes */
struct way_of_card {
	const char *name;
	unsigned int needs;
};

static const struct way_of_card completions[] = {
	[HBS_COMPLETE_BY_MASK] = { "mask", 0 },
	[HBS_COMPLETE_BY_COUNT] = { "count", COUNTING },
};

static const struct way_of_card arrivals_by[] = {
	[HBS_ARRIVE_BY_STORE] = { "store", 0 },
	[HBS_ARRIVE_BY_POLLING] = { "polling", POLLING },
};

static const struct way_of_card departures[] = {
	[HBS_DEPART_BY_RECORD] = { "record", 0 },
	[HBS_DEPART_BY_CSR] = { "register", REGISTER },
	[HBS_DEPART_BY_MEMBER_RECORD] = { "member", MEMBER_RECORD },
	[HBS_DEPART_BY_NODE_RECORD] = { "node", NODE_RECORD },
};

/* Features that a card may lack, for the test of such a card */
static const struct {
	const char *name;
	enum feature feature;
} features[] = {
	{ "values", VALUES },		{ "timeouts", TIMEOUTS | POLL_TIME },
	{ "count", COUNTING },		{ "polling", POLLING },
	{ "register", REGISTER },	{ "member-record", MEMBER_RECORD },
	{ "node-record", NODE_RECORD }, { "refutable", REFUTABLE },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum feature feature_of(const char *name)
{
	for (size_t i = 0; i < COUNT(features); i++)
		if (!strcmp(features[i].name, name))
			return features[i].feature;
	return 0;
}

static const char *const waits[] = { "spinning", "sleeping" };

static uint64_t spin_of(unsigned int wait)
{
	return wait ? HBS_SPIN_NONE : SPIN_NS;
}

static unsigned int make_software(struct mode *modes)
{
	const unsigned int all = COUNT(waits) * COUNT(algorithms);

	for (unsigned int i = 0; i < all; i++) {
		unsigned int wait = i % 2, algorithm = i / 2;
		struct mode *mode = &modes[i];

		*mode = (struct mode){ .backend = HBS_BACKEND_SOFTWARE,
				       .spin_ns = spin_of(wait),
				       .features = algorithms[algorithm].features,
				       .attr = { .algorithm = algorithms[algorithm].number } };
		snprintf(mode->name, sizeof(mode->name), "software %s, %s",
			 hbs_algorithm_name(mode->attr.algorithm), waits[wait]);
	}
	return all;
}

/* Refutable groups know who has arrived, and have to be told by stores to the card */
static unsigned int features_of_card(unsigned int lacking, unsigned int arrival,
				     unsigned int completion)
{
	if (arrival != HBS_ARRIVE_BY_STORE || completion != HBS_COMPLETE_BY_MASK)
		lacking |= REFUTABLE;
	return CARD_FEATURES & ~lacking;
}

static unsigned int make_card(unsigned int lacking, struct mode *modes)
{
	const unsigned int all =
		COUNT(waits) * COUNT(departures) * COUNT(arrivals_by) * COUNT(completions);
	unsigned int n = 0;

	for (unsigned int i = 0; i < all; i++) {
		/* the digits of i */
		unsigned int wait = i % 2, departure = i / 2 % 4;
		unsigned int arrival = i / 8 % 2, completion = i / 16;
		struct mode *mode = &modes[n];

		if (lacking & (departures[departure].needs | arrivals_by[arrival].needs |
			       completions[completion].needs))
			continue;
		*mode = (struct mode){ .backend = HBS_BACKEND_CARD,
				       .spin_ns = spin_of(wait),
				       .features = features_of_card(lacking, arrival, completion),
				       .attr = { .complete_by = completion,
						 .arrive_by = arrival,
						 .depart_by = departure } };
		snprintf(mode->name, sizeof(mode->name), "card %s/%s/%s, %s",
			 completions[completion].name, arrivals_by[arrival].name,
			 departures[departure].name, waits[wait]);
		n++;
	}
	return n;
}

void set_spin(struct mode *mode, uint64_t spin_ns)
{
	size_t end = strcspn(mode->name, ",");

	mode->spin_ns = spin_ns ? spin_ns : HBS_SPIN_NONE;
	if (spin_ns)
		snprintf(mode->name + end, sizeof(mode->name) - end, ", spinning %llu ns",
			 (unsigned long long)spin_ns);
	else
		snprintf(mode->name + end, sizeof(mode->name) - end, ", %s", waits[1]);
}

unsigned int make_modes(enum hbs_backend backend, unsigned int lacking, struct mode *modes)
{
	return backend == HBS_BACKEND_CARD ? make_card(lacking, modes) : make_software(modes);
}
