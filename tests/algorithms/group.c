// SPDX-License-Identifier: GPL-2.0-or-later
/* See group.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "group.h"

extern const struct algorithm hbsi_combining, hbsi_tournament, hbsi_fway_tournament, hbsi_mcs,
	hbsi_binomial, hbsi_butterfly, hbsi_pairwise, hbsi_dissemination, hbsi_pool, hbsi_ticket;

const struct kind kinds[] = {
	{ .algorithm = &hbsi_combining, .fan_in = 2, .lines_shared = true },
	{ .algorithm = &hbsi_combining, .fan_in = 3, .lines_shared = true },
	{ .algorithm = &hbsi_combining, .fan_in = 4, .lines_shared = true },
	{ .algorithm = &hbsi_combining, .fan_in = 64, .lines_shared = true },
	{ .algorithm = &hbsi_tournament },
	{ .algorithm = &hbsi_fway_tournament, .fan_in = 2 },
	{ .algorithm = &hbsi_fway_tournament, .fan_in = 3 },
	{ .algorithm = &hbsi_fway_tournament, .fan_in = 4 },
	{ .algorithm = &hbsi_fway_tournament, .fan_in = 64 },
	{ .algorithm = &hbsi_mcs, .fan_in = 2 },
	{ .algorithm = &hbsi_mcs, .fan_in = 3 },
	{ .algorithm = &hbsi_mcs, .fan_in = 4 },
	{ .algorithm = &hbsi_mcs, .fan_in = 64 },
	{ .algorithm = &hbsi_binomial },
	{ .algorithm = &hbsi_butterfly, .round_flags = true },
	{ .algorithm = &hbsi_pairwise, .round_flags = true },
	{ .algorithm = &hbsi_dissemination, .round_flags = true },
	{ .algorithm = &hbsi_pool },
	{ .algorithm = &hbsi_ticket, .lines_shared = true },
	{ 0 },
};

#define KINDS	   (sizeof(kinds) / sizeof(kinds[0]) - 1)
#define MOST_TESTS 8

const uint32_t member_counts[] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
				   13, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 0 };

void group_make(struct group *group, const struct kind *kind, uint32_t members, enum edge edge)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t lines = members * sizeof(struct algorithm_line);
	size_t bytes = lines + kind->algorithm->bytes(members, kind->fan_in);
	size_t inside = (bytes + page - 1) / page * page;
	char *mapping;

	*group = (struct group){ .kind = kind, .members = members, .bytes = bytes };
	assert_int_equal(bytes % ALGORITHM_LINE, 0);
	group->mapping_bytes = inside + 2 * page;
	mapping = mmap(NULL, group->mapping_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(mapping, MAP_FAILED);
	if (inside)
		assert_int_equal(mprotect(mapping + page, inside, PROT_READ | PROT_WRITE), 0);
	group->mapping = mapping;
	group->memory = mapping + page + (edge == AT_END ? inside - bytes : 0);
	group->member = calloc(members, sizeof(*group->member));
	assert_non_null(group->member);
	group_clear(group);
}

void group_clear(struct group *group)
{
	memset(group->memory, 0, group->bytes);
	for (uint32_t rank = 0; rank < group->members; rank++)
		group->member[rank] = (struct algorithm_member){
			.lines = group->memory,
			.members = (uint16_t)group->members,
			.rank = (uint16_t)rank,
			.fan_in = (uint16_t)group->kind->fan_in,
		};
}

void group_free(struct group *group)
{
	free(group->member);
	munmap(group->mapping, group->mapping_bytes);
}

uint32_t group_most_sweeps(const struct group *group)
{
	uint32_t rounds = 0;

	if (!group->kind->algorithm->helps)
		return 1;
	while (1U << rounds < group->members)
		rounds++;
	/* up and down a binary tree, and one to see it */
	return 2 * rounds + 1;
}

int run_kinds(const char *name, const CMUnitTestFunction *tests, const char *const *names,
	      size_t count)
{
	static struct CMUnitTest all[KINDS * MOST_TESTS];
	static char texts[KINDS * MOST_TESTS][64];
	size_t n = 0;

	if (count > MOST_TESTS)
		abort();
	for (const struct kind *kind = kinds; kind->algorithm; kind++)
		for (size_t test = 0; test < count; test++, n++) {
			int length = snprintf(texts[n], sizeof(texts[n]), "%s: %s",
					      kind->algorithm->name, names[test]);

			if (kind->fan_in)
				snprintf(texts[n] + length, sizeof(texts[n]) - length,
					 " (fan-in %u)", kind->fan_in);
			all[n] = (struct CMUnitTest){
				.name = texts[n],
				.test_func = tests[test],
				.initial_state = (void *)kind,
			};
		}
	return _cmocka_run_group_tests(name, all, n, NULL, NULL);
}
