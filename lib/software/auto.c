// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is known without a measurement:
 *
 * Two or three members are the quickest on one line: when the last one arrives, it has the
 * line in its cache, and releases the others by it. With more members, those that wait would
 * read the line that the others still have to write, so the release has a line of its own
 * ("counting", with two generations as in HARP). On a die with 16 cores, counters took 0.50 us
 * for 4 members and 0.79 us for 8, less than all trees and than dissemination. With 16 members
 * dissemination was the quickest, with 1.14 us: arrivals at one line come one after another,
 * while those of one of its log2(n) rounds come at once.
 *
 * Dissemination is no choice for groups whose members come and go, or are idle. Of the
 * algorithms for these only "scan" has no line at which arrivals queue, so it takes over where a
 * queue is long. Where exactly has not been measured: "hbsbench tune" finds that out.
 *
 * Between caches a line takes several times as long as within one. If the lowest nodes of a
 * tree are as large as the group of CPUs that share a cache, and members join in the order of
 * their CPUs, all arrivals of a node but one stay within its cache. The survey says that 4 is
 * the best fan-in of a tree; we take no more than twice that, since the last member of a node
 * waits for all of it.
 *
 * Whether hardware threads share a core does not change the choice without a measurement. But
 * a measurement of members with a core each says less about members that share one.
 *
 * Where members outnumber CPUs, a message costs little and a turn on a CPU costs much. On a
 * counter each member needs one turn to arrive and one to leave; with most other algorithms,
 * some members also have to run in between, so that the others can go on: 8 members on 2 CPUs
 * took 8 to 9 us on a counter, and 17 to 23 us with dissemination.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../environment.h"
#include "../internal.h"
#include "../number.h"
#include "algorithm.h"
#include "auto.h"
#include "profile.h"
#include "topology.h"

#define CENTRAL_MOST  3	 /* members on one line */
#define COUNTING_MOST 8	 /* members that arrive one after another, in one cache */
#define QUEUE_MOST    16 /* the same, if the choice is a counter or "scan" */
#define NODE_MOST     8	 /* members of a node of a tree */

/* The same measurement may differ by this part of the time when it is repeated */
#define NOISE 8

/* What a profile says about other numbers of members holds for no more than this factor */
#define FAR 2

static int find_algorithm(const char *name, size_t length)
{
	const char *is;

	for (unsigned int i = 0; (is = hbs_algorithm_name(i)); i++)
		if (strlen(is) == length && !strncmp(is, name, length))
			return (int)i;
	return -EINVAL;
}

/* "name" or "name:fan-in" */
static bool read_choice(const char *value, struct auto_choice *named)
{
	size_t length = strcspn(value, ":");
	int number = find_algorithm(value, length);
	const struct algorithm *algorithm;
	uint64_t fan_in = 0;

	if (number < 0)
		return false;
	algorithm = hbsi_algorithm((uint32_t)number);
	if (value[length] &&
	    (!algorithm || !algorithm->fan_in ||
	     !number_read(value + length + 1, FAN_IN_MAX, &fan_in) || fan_in < FAN_IN_MIN))
		return false;
	*named = (struct auto_choice){ (uint32_t)number, (uint32_t)fan_in };
	return true;
}

int hbsi_auto_environment(struct auto_choice *named)
{
	const char *value = hbsi_variable("HBS_ALGORITHM");

	*named = (struct auto_choice){ .algorithm = HBS_ALGORITHM_AUTO };
	if (!value || read_choice(value, named))
		return 0;
	return hbsi_variable_is_bad(
		"HBS_ALGORITHM", value,
		"an algorithm, or a tree with a fan-in from 2 to 64 as in mcs:4");
}

struct auto_request hbsi_auto_request(const struct hbs *hbs, const struct hbs_group_attr *attr)
{
	return (struct auto_request){
		.members = attr->members,
		.cpus = hbs->spin.cpus,
		.full = !(attr->promise & HBS_PROMISE_FIXED) ||
			attr->policy & HBS_ON_DEATH_SHRINK || attr->type == HBS_REFUTABLE,
		.named = hbs->named,
	};
}

/* Whether the algorithm can do what the group needs */
static bool can(const struct auto_request *request, uint32_t number)
{
	const struct algorithm *algorithm = hbsi_algorithm(number);

	return algorithm && (algorithm->full || !request->full);
}

static enum profile_placement placement_of(const struct auto_request *request)
{
	return request->members > request->cpus ? PROFILE_OVERSUBSCRIBED : PROFILE_PINNED;
}

/* Whether a row for @a members is nearer to @members than one for @b, as a factor, up or down */
static bool is_nearer(uint64_t members, uint64_t a, uint64_t b)
{
	uint64_t a_more = a > members ? a : members, a_less = a > members ? members : a;
	uint64_t b_more = b > members ? b : members, b_less = b > members ? members : b;

	return a_more * b_less < b_more * a_less;
}

static bool is_near(uint64_t members, uint64_t other)
{
	return other <= members * FAR && members <= other * FAR;
}

static bool is_for(const struct auto_request *request, const struct profile_row *row, bool card)
{
	return row->placement == placement_of(request) && is_near(request->members, row->members) &&
	       (card ? row->algorithm == HBS_ALGORITHM_AUTO : can(request, row->algorithm));
}

/*
 * Whether some of so many members, on a CPU each, share a core: then each has less of it, and
 * two of them are nearer to each other than any others
 */
static bool shares_cores(uint32_t members)
{
	return members > hbsi_topology()->cores;
}

/*
 * The number of members to judge by, of two: 1 if it is the first, -1 if the second, 0 if both
 * are as good
 */
static int compare_members(const struct auto_request *request, uint32_t one, uint32_t other)
{
	uint32_t members = request->members;

	if (one != members && other != members && one != other &&
	    placement_of(request) == PROFILE_PINNED && shares_cores(one) != shares_cores(other))
		return shares_cores(one) == shares_cores(members) ? 1 : -1;
	return is_nearer(members, one, other) - is_nearer(members, other, one);
}

/*
 * Whether the row has the better number of members to judge by, or the greater one of two that
 * are as good; or the same number and a shorter time
 */
static bool is_better(const struct auto_request *request, const struct profile_row *row,
		      const struct profile_row *best)
{
	int better = compare_members(request, row->members, best->members);

	if (row->members == best->members)
		return row->ns < best->ns;
	return better > 0 || (!better && row->members > best->members);
}

/* The best row for a group, for a card or for software; NULL if there is none */
static const struct profile_row *find_row(const struct profile *profile,
					  const struct auto_request *request, bool card)
{
	const struct profile_row *best = NULL;

	for (uint32_t i = 0; i < profile->count; i++) {
		const struct profile_row *row = &profile->rows[i];

		if (is_for(request, row, card) && (!best || is_better(request, row, best)))
			best = row;
	}
	return best;
}

/* Groups of CPUs between which a line takes longer; a virtual machine may report only its nodes */
static uint32_t count_islands(const struct topology *topology)
{
	return topology->caches > topology->nodes ? topology->caches : topology->nodes;
}

/* See HBS_PROMISE_FIXED */
static uint32_t choose_for_fixed(uint32_t members, uint32_t *fan_in)
{
	uint32_t islands;

	/* below that, finding out would cost more than it brings */
	if (members <= COUNTING_MOST)
		return HBS_ALGORITHM_COUNTING;
	islands = count_islands(hbsi_topology());
	if (islands == 1)
		return HBS_ALGORITHM_DISSEMINATION;
	*fan_in = (members + islands - 1) / islands;
	if (*fan_in > NODE_MOST)
		*fan_in = NODE_MOST;
	if (*fan_in < FAN_IN_MIN)
		*fan_in = FAN_IN_MIN;
	return HBS_ALGORITHM_COMBINING;
}

/* The choice without a measurement */
static struct auto_choice choose_by_rule(const struct auto_request *request)
{
	struct auto_choice choice = { .algorithm = HBS_ALGORITHM_COUNTING };

	if (request->members <= CENTRAL_MOST || request->members > request->cpus)
		choice.algorithm = HBS_ALGORITHM_CENTRAL;
	else if (!request->full)
		choice.algorithm = choose_for_fixed(request->members, &choice.fan_in);
	else if (request->members > QUEUE_MOST)
		choice.algorithm = HBS_ALGORITHM_SCAN;
	return choice;
}

/* Whether the profile says that @rule is as fast as @best, as far as it says anything */
static bool is_as_fast(const struct profile *profile, struct auto_choice rule,
		       const struct profile_row *best)
{
	for (uint32_t i = 0; i < profile->count; i++) {
		const struct profile_row *row = &profile->rows[i];

		if (row->members == best->members && row->placement == best->placement &&
		    row->algorithm == rule.algorithm && row->fan_in == rule.fan_in)
			return row->ns - best->ns <= best->ns / NOISE;
	}
	return false;
}

struct auto_choice hbsi_auto_by_profile(const struct profile *profile,
					const struct auto_request *request)
{
	struct auto_choice rule = choose_by_rule(request);
	const struct profile_row *best = find_row(profile, request, false);

	if (!best || is_as_fast(profile, rule, best))
		return rule;
	return (struct auto_choice){ best->algorithm, best->fan_in };
}

uint32_t hbsi_auto_algorithm(const struct auto_request *request, uint32_t *fan_in)
{
	struct auto_choice choice = request->named;

	if (!can(request, choice.algorithm))
		choice = hbsi_auto_by_profile(hbsi_profile(), request);
	*fan_in = choice.fan_in;
	return choice.algorithm;
}

bool hbsi_auto_prefers_software(const struct auto_request *request)
{
	const struct profile_row *card = find_row(hbsi_profile(), request, true);
	const struct profile_row *software = find_row(hbsi_profile(), request, false);

	return card && software && software->ns < card->ns;
}
