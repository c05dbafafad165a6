/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trials of a card: a group of this process's threads, which does barriers */
#ifndef HBSCTL_TRIAL_H
#define HBSCTL_TRIAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <hbs.h>

#define TRIAL_MEMBERS_MAX 4

/* A barrier that takes longer is stuck */
#define TRIAL_PATIENCE_NS 20000000000ull

/**
 * struct trial - what to try, and what came of it
 * @attr: the group; its members are how many threads there are
 * @rounds: barriers
 * @value: the value of member @i in a round, for a group that reduces
 * @expected: the result of a round
 * @error: out: 0, or the first negative errno of a call
 * @call: out: the call that returned it
 * @early: out: how often a member was let go before another one had arrived
 * @wrong: out: how many results were wrong
 * @stats: out: the counters of the group after all
 */
struct trial {
	struct hbs_group_attr attr;
	unsigned int rounds;
	uint64_t (*value)(unsigned int round, unsigned int i);
	uint64_t (*expected)(const struct trial *trial, unsigned int round);
	_Atomic int error;
	const char *call;
	_Atomic uint64_t early;
	_Atomic uint64_t wrong;
	struct hbs_group_stats stats;
};

/* Do it. Return: whether no call failed. */
bool trial_run(struct hbs *hbs, struct trial *trial);

/**
 * struct trial_timeout - the outcome of a barrier that one of two members does not come to
 * @timeout_ns: in: of the group
 * @error: out: what the one who waited got: -ETIMEDOUT if all is well
 * @took_ns: out: how long it waited
 * @missing: out: how many members were missing
 * @right: out: the one that is missing is the one that did not come
 */
struct trial_timeout {
	uint64_t timeout_ns;
	int error;
	uint64_t took_ns;
	int missing;
	bool right;
};

/* Return: 0, or the negative errno of a call before the barrier */
int trial_timeout(struct hbs *hbs, struct trial_timeout *timeout);

#endif /* HBSCTL_TRIAL_H */
