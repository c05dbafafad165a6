// SPDX-License-Identifier: GPL-2.0-or-later
/* How much memory the algorithms need, which part of it they touch, and who writes it */
#include <stdlib.h>
#include <string.h>

#include "members.h"

#define MOST_MEMBERS 65535
#define LINE_WORDS   (ALGORITHM_LINE / sizeof(uint64_t))
#define FLAGS_AT     (offsetof(struct algorithm_line, flag) / sizeof(uint64_t))

/* Beside those that members have anyway */
static size_t most_lines(const struct kind *kind, uint32_t members, uint32_t rounds)
{
	if (kind->round_flags)
		return rounds ? (size_t)members * (rounds - 1) : 0;
	/* the nodes of a tree of counters, and its release; else a root's flag */
	return kind->lines_shared ? (size_t)members + rounds + 1 : 1;
}

static void within_budget(void **state)
{
	const struct kind *kind = *state;
	uint32_t rounds = 0;

	for (uint32_t members = 1; members <= MOST_MEMBERS; members++) {
		size_t bytes = kind->algorithm->bytes(members, kind->fan_in);

		if (bytes > most_lines(kind, members, rounds) * ALGORITHM_LINE)
			fail_msg("%zu bytes for %u members", bytes, members);
		if (members == 1U << rounds)
			rounds++;
	}
}

/* Nobody can touch what lies before and after the memory: that would be a fault */
static void between_guards(void **state)
{
	for (enum edge edge = AT_START; edge <= AT_END; edge++)
		for (const uint32_t *count = member_counts; *count; count++) {
			struct group group;
			struct members members;

			group_make(&group, *state, *count, edge);
			members_start(&members, &group, 1);
			for (uint64_t epoch = 1; epoch <= MOST_EPOCHS; epoch++) {
				for (uint32_t rank = 0; rank < *count; rank++)
					members_arrive(&members, rank);
				members_all_leave(&members, epoch);
			}
			members_free(&members);
			group_free(&group);
		}
}

/* A copy of the memory as it was, and the writer of each line */
struct watch {
	struct group *group;
	uint64_t *before;
	uint32_t *writer; /* rank + 1; 0: nobody yet */
};

/*
 * A line of the algorithm has one word, and a member's line has the flags, which the member
 * writes itself
 */
static void check_place(const struct group *group, size_t word, uint32_t rank)
{
	size_t line = word / LINE_WORDS;

	if (line >= group->members ? word % LINE_WORDS != 0 : word % LINE_WORDS < FLAGS_AT)
		fail_msg("word %zu is no place for a flag", word);
	if (line < group->members && line != rank)
		fail_msg("%u members: %u writes the line of %zu", group->members, rank, line);
}

/* Look at what a member's step has changed */
static void check_writes(struct watch *watch, uint32_t rank)
{
	const struct group *group = watch->group;
	const uint64_t *now = group->memory;

	for (size_t word = 0; word < group->bytes / sizeof(*now); word++) {
		uint32_t *writer = &watch->writer[word / LINE_WORDS];

		if (now[word] == watch->before[word])
			continue;
		check_place(group, word, rank);
		if (now[word] < watch->before[word])
			fail_msg("word %zu went from %lu to %lu", word,
				 (unsigned long)watch->before[word], (unsigned long)now[word]);
		if (*writer && *writer != rank + 1 && !group->kind->lines_shared)
			fail_msg("%u members: %u writes a line of %u", group->members, rank,
				 *writer - 1);
		*writer = rank + 1;
		watch->before[word] = now[word];
	}
}

static void watch_steps(const struct kind *kind, uint32_t count)
{
	struct group group;
	struct members members;
	struct watch watch = { .group = &group };

	group_make(&group, kind, count, AT_END);
	members_start(&members, &group, count);
	watch.before = calloc(1, group.bytes + 1);
	watch.writer = calloc(group.bytes / ALGORITHM_LINE + 1, sizeof(*watch.writer));
	assert_non_null(watch.before);
	assert_non_null(watch.writer);
	for (uint64_t steps = 0; members.left[MOST_EPOCHS] < count; steps++) {
		uint32_t rank = members_random(&members, count);

		if (steps == (uint64_t)MOST_STEPS * MOST_EPOCHS * count)
			fail_msg("%u members do not get on", count);
		members_step(&members, rank, MOST_EPOCHS);
		check_writes(&watch, rank);
	}
	free(watch.before);
	free(watch.writer);
	members_free(&members);
	group_free(&group);
}

static void flags_go_up(void **state)
{
	for (const uint32_t *count = member_counts; *count; count++)
		watch_steps(*state, *count);
}

int main(void)
{
	static const CMUnitTestFunction tests[] = { within_budget, between_guards, flags_go_up };
	static const char *const names[] = { "memory within the budget",
					     "nothing touched beyond the memory",
					     "flags go up, and have one writer each" };

	return run_kinds("memory", tests, names, sizeof(tests) / sizeof(tests[0]));
}
