/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory a contender takes, counted in a process of its own */
#ifndef HBSBENCH_MEMORY_H
#define HBSBENCH_MEMORY_H

#include "contender.h"

/**
 * struct memory - bytes, or UNKNOWN
 * @group: of a group and its members
 * @process: bytes that a process takes once, however many groups it has
 * @budget: the most that @group may be
 */
struct memory {
	double group;
	double process;
	double budget;
};

struct memory memory_of(const struct contender *contender, unsigned int members);

#endif /* HBSBENCH_MEMORY_H */
