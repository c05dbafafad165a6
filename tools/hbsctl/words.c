// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/hbs.h>
#include <linux/hbs_netlink.h>

#include "words.h"

#define WORDS(name)                                    \
	{                                              \
		name, sizeof(name) / sizeof((name)[0]) \
	}

static const char *const card_state[] = {
	[HBS_CARD_STATE_WORKING] = "working",
	[HBS_CARD_STATE_RESETTING] = "resetting",
	[HBS_CARD_STATE_GONE] = "gone",
};

static const char *const block[] = {
	[HBS_BLOCK_ID] = "id",	   [HBS_BLOCK_CTL] = "ctl", [HBS_BLOCK_INT] = "int",
	[HBS_BLOCK_CNT] = "cnt",   [HBS_BLOCK_GRP] = "grp", [HBS_BLOCK_FABRIC] = "fabric",
	[HBS_BLOCK_STAT] = "stat", [HBS_BLOCK_PRT] = "prt",
};

static const char *const group_state[] = {
	[HBS_GROUP_STATE_GATHERING] = "gathering",
	[HBS_GROUP_STATE_RUNNING] = "running",
	[HBS_GROUP_STATE_BROKEN] = "broken",
};

static const char *const violation[] = {
	[HBS_VIOLATION_NON_MEMBER] = "non-member", [HBS_VIOLATION_DOUBLE] = "double",
	[HBS_VIOLATION_REFUSED] = "refused",	   [HBS_VIOLATION_ACCESS] = "access",
	[HBS_VIOLATION_OVERFLOW] = "overflow",	   [HBS_VIOLATION_UNARRIVED] = "unarrived",
};

/* By bit: HBS_FEATURE_ */
static const char *const feature[] = {
	[0] = "record",	       [1] = "csr-departure", [2] = "wait",	  [3] = "node-record",
	[8] = "timeout",       [9] = "reduce",	      [10] = "refutable", [11] = "counting",
	[12] = "poll-arrival", [13] = "port-record",  [14] = "fabric",
};

static const char *const type[] = {
	[HBS_GROUP_BARRIER] = "barrier",
	[HBS_GROUP_REFUTABLE] = "refutable",
};

static const char *const reason[] = {
	[HBS_REASON_NONE] = "none", [HBS_REASON_TIMEOUT] = "timeout",
	[HBS_REASON_DIED] = "died", [HBS_REASON_RESET] = "reset",
	[HBS_REASON_GONE] = "gone", [HBS_REASON_DESTROYED] = "destroyed",
	[HBS_REASON_DMA] = "dma",   [HBS_REASON_OVERFLOW] = "overflow",
};

static const char *const reduce[] = {
	[HBS_REDUCE_NONE] = "none", [HBS_REDUCE_AND] = "and",	[HBS_REDUCE_OR] = "or",
	[HBS_REDUCE_XOR] = "xor",   [HBS_REDUCE_SUM] = "sum",	[HBS_REDUCE_MIN] = "min",
	[HBS_REDUCE_MAX] = "max",   [HBS_REDUCE_SMIN] = "smin", [HBS_REDUCE_SMAX] = "smax",
	[HBS_REDUCE_VOTE] = "vote",
};

/* By bit: HBS_POLICY_ */
static const char *const policy[] = { "notify", "shrink", "thread" };

static const char *const completion[] = {
	[HBS_COMPLETION_MASK] = "mask",
	[HBS_COMPLETION_COUNT] = "count",
};

static const char *const arrival[] = {
	[HBS_ARRIVAL_STORE] = "store",
	[HBS_ARRIVAL_POLL] = "poll",
};

static const char *const departure[] = {
	[HBS_DEPARTURE_RECORD] = "record",
	[HBS_DEPARTURE_CSR] = "csr",
	[HBS_DEPARTURE_PORT] = "port",
	[HBS_DEPARTURE_NODE] = "node",
};

const struct words words_card_state = WORDS(card_state);
const struct words words_block = WORDS(block);
const struct words words_group_state = WORDS(group_state);
const struct words words_violation = WORDS(violation);
const struct words words_feature = WORDS(feature);
const struct words words_type = WORDS(type);
const struct words words_reason = WORDS(reason);
const struct words words_reduce = WORDS(reduce);
const struct words words_policy = WORDS(policy);
const struct words words_completion = WORDS(completion);
const struct words words_arrival = WORDS(arrival);
const struct words words_departure = WORDS(departure);

const char *words_of(const struct words *words, uint64_t value, char room[WORD_SIZE])
{
	if (value < words->count && words->list[value])
		return words->list[value];
	snprintf(room, WORD_SIZE, "%" PRIu64, value);
	return room;
}

const char *words_of_bits(const struct words *words, uint64_t bits, char *text, size_t size)
{
	size_t used = 0;

	snprintf(text, size, "-");
	for (unsigned int bit = 0; bit < 64 && used < size; bit++) {
		char room[WORD_SIZE];

		if (bits >> bit & 1)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "",
						 words_of(words, bit, room));
	}
	return text;
}
