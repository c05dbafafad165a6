/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The algorithms under test, and groups of their members. Their memory has a page before
 * it and one after it that nobody may touch.
 */
#ifndef TEST_GROUP_H
#define TEST_GROUP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algorithm.h"

/* An algorithm, with one of its fan-ins if it has a choice, else 0 */
struct kind {
	const struct algorithm *algorithm;
	uint32_t fan_in;
	bool round_flags;  /* it has a flag for each member and round */
	bool lines_shared; /* its lines have more than one writer */
};

/* The last one has no algorithm */
extern const struct kind kinds[];

/* Numbers of members: all to 17, and those next to powers of two; the last one is 0 */
extern const uint32_t member_counts[];

enum edge { AT_START, AT_END }; /* which end of the memory touches the guard page exactly */

struct group {
	const struct kind *kind;
	uint32_t members;
	size_t bytes;
	void *memory; /* the lines of the members, and the algorithm's other memory */
	struct algorithm_member *member; /* an array */
	void *mapping;
	size_t mapping_bytes;
};

void group_make(struct group *group, const struct kind *kind, uint32_t members, enum edge edge);

/* As before the first barrier */
void group_clear(struct group *group);

void group_free(struct group *group);

/* Rounds of polling all members after which all must be over: each is a step further */
uint32_t group_most_sweeps(const struct group *group);

/* Run a test for each kind; it gets a struct kind */
int run_kinds(const char *name, const CMUnitTestFunction *tests, const char *const *names,
	      size_t count);

#endif /* TEST_GROUP_H */
