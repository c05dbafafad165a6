// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages of each algorithm: the test counts the changes of memory that other members wait
 * for, in all steps of a barrier, and compares them with the right numbers, and with
 * Documentation/algorithms.rst. One thread takes the steps of all members.
 *
 * The survey counts what is set in other nodes; its pseudo-code says how many. A message to
 * all nodes counts as one here, as it is one store there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "software/software.h"
#include "threads.h"

#define MOST	 65
#define BARRIERS 3
#define FEW	 6 /* as in the survey's figures; and MANY: the page has these two numbers */
#define MANY	 16

static const uint32_t member_counts[] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
					  13, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65 };

#define COUNTS (sizeof(member_counts) / sizeof(member_counts[0]))

static uint32_t log2_up(uint32_t n)
{
	uint32_t rounds = 0;

	while (1u << rounds < n)
		rounds++;
	return rounds;
}

static uint32_t log2_down(uint32_t n)
{
	return log2_up(n + 1) - 1;
}

/* All that come to nodes of more than one, and the release */
static uint32_t ours_combining(uint32_t n, uint32_t fan_in)
{
	uint32_t messages = 1;

	for (uint32_t width = n; width > 1; width = (width + fan_in - 1) / fan_in)
		messages += width - (width % fan_in == 1);
	return messages;
}

static uint32_t ours(uint32_t algorithm, uint32_t n, uint32_t fan_in)
{
	uint32_t power = 1u << log2_down(n);

	switch (algorithm) {
	case HBS_ALGORITHM_COMBINING:
		return ours_combining(n, fan_in);
	case HBS_ALGORITHM_MCS:
		/* a flag of each but the root, and of each that has others to wake */
		return n > 1 ? n - 1 + n / 2 : 1;
	case HBS_ALGORITHM_BUTTERFLY:
	case HBS_ALGORITHM_DISSEMINATION:
		return n * log2_up(n);
	case HBS_ALGORITHM_PAIRWISE:
		return power * log2_down(n) + 2 * (n - power);
	case HBS_ALGORITHM_COUNTING:
	case HBS_ALGORITHM_SCAN:
		return n + 1;
	default:
		return n;
	}
}

/* 0: the algorithm is not in the survey */
static uint32_t surveys(uint32_t algorithm, uint32_t n)
{
	uint32_t all = 1u << log2_up(n); /* with the virtual ones */

	switch (algorithm) {
	case HBS_ALGORITHM_COUNTING:
	case HBS_ALGORITHM_POOL:
	case HBS_ALGORITHM_TICKET:
	case HBS_ALGORITHM_SCAN:
		return 0;
	case HBS_ALGORITHM_BUTTERFLY:
		return all * log2_up(n);
	case HBS_ALGORITHM_PAIRWISE:
	case HBS_ALGORITHM_DISSEMINATION:
		return ours(algorithm, n, 0);
	default:
		/* each member but one tells another, and all hear it at once */
		return n - 1 + 1;
	}
}

struct counting {
	struct software *software;
	uint64_t *before;
	uint32_t messages;
};

/* Whether another member waits for a change of the word at an offset */
static bool is_message(const struct software *software, size_t offset)
{
	const struct soft_page *page = soft_page(software);
	size_t seats = (size_t)((char *)soft_seats_of_half(software, 0) - (char *)page);
	size_t end = seats + software->group.seats * sizeof(struct soft_seat);
	size_t reports = (size_t)((char *)soft_reports_of_half(software, 0) - (char *)page);

	if (soft_scans(software) && offset >= reports && offset < seats)
		return (offset - reports) % sizeof(struct soft_report) ==
		       offsetof(struct soft_report, word);
	if (soft_algorithm(software)->full)
		return offset == offsetof(struct soft_page, state) ||
		       offset == offsetof(struct soft_page, release[0].word) ||
		       offset == offsetof(struct soft_page, release[1].word);
	if (offset < seats)
		return false;
	return offset >= end ||
	       (offset - seats) % sizeof(struct soft_seat) >= offsetof(struct soft_seat, flag);
}

/* The changes of the last step */
static void look(struct counting *counting)
{
	const struct software *software = counting->software;
	const uint64_t *now = software->group.page;

	for (size_t i = 0; i < software->group.map_size / sizeof(*now); i++) {
		if (now[i] != counting->before[i] && is_message(software, i * sizeof(*now)))
			counting->messages++;
		counting->before[i] = now[i];
	}
}

/* All arrive, from the one on, and look until all have left */
static void take_steps(struct counting *counting, struct hbs_member **members, uint32_t n,
		       uint32_t from)
{
	uint32_t left = 0;
	bool gone[MOST] = { false };

	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(hbsi_arrive(members[(from + i) % n], 0), 0);
		look(counting);
	}
	for (uint32_t turns = 0; left < n; turns++) {
		assert_true(turns < 4 * MOST);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t who = (from + i) % n;

			if (gone[who] || hbsi_soft_depart(members[who]) == HBSI_PENDING)
				continue;
			gone[who] = true;
			left++;
			look(counting);
		}
		look(counting);
	}
}

/* For one barrier; the same for each of several */
static uint32_t count(struct hbs *hbs, uint32_t algorithm, uint32_t n, uint32_t fan_in)
{
	struct hbs_group_attr attr = { .members = n, .algorithm = algorithm, .fan_in = fan_in };
	struct hbs_member *members[MOST];
	struct counting counting = { 0 };
	struct hbs_group *group;
	uint32_t messages = 0;

	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(hbs_join(group, &members[i]), 0);
	counting.software = soft_of(group);
	counting.before = calloc(1, group->map_size);
	assert_non_null(counting.before);
	look(&counting);
	for (uint32_t barrier = 0; barrier < BARRIERS; barrier++) {
		counting.messages = 0;
		take_steps(&counting, members, n, barrier * (n / 3 + 1) % n);
		if (barrier)
			assert_int_equal(counting.messages, messages);
		messages = counting.messages;
	}
	free(counting.before);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(hbs_leave(members[i]), 0);
	assert_int_equal(hbs_group_close(group), 0);
	return messages;
}

static void messages(void **state)
{
	struct hbs *hbs = NULL;

	(void)state;
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE }), 0);
	for (uint32_t algorithm = 1; algorithm <= HBS_ALGORITHM_SCAN; algorithm++) {
		uint32_t most = hbsi_algorithm(algorithm)->fan_in;

		for (uint32_t fan_in = most ? 2 : 0; fan_in <= most; fan_in++)
			for (size_t i = 0; i < COUNTS; i++) {
				uint32_t n = member_counts[i];
				uint32_t got = count(hbs, algorithm, n, fan_in);

				if (got != ours(algorithm, n, fan_in))
					fail_msg(
						"%s, fan-in %u: %u messages for %u members, not %u",
						hbs_algorithm_name(algorithm), fan_in, got, n,
						ours(algorithm, n, fan_in));
			}
	}
	assert_int_equal(hbs_close(hbs), 0);
}

static uint32_t number_of(const char *name)
{
	for (uint32_t i = 1; i <= HBS_ALGORITHM_SCAN; i++)
		if (!strcmp(hbs_algorithm_name(i), name))
			return i;
	return 0;
}

/* A cell of the page; "--" if there is none */
static void is_cell(const char *cell, uint32_t number)
{
	char text[16] = "--";

	if (number)
		snprintf(text, sizeof(text), "%u", number);
	assert_string_equal(cell, text);
}

/* Rows as: ``name`` place few many few-of-survey many-of-survey */
static void page(void **state)
{
	FILE *file = fopen(ALGORITHMS_PAGE, "re");
	char line[256], name[32], few[8], many[8], few_there[8], many_there[8];
	uint32_t rows = 0;

	(void)state;
	if (!file)
		fail_msg("%s cannot be read", ALGORITHMS_PAGE);
	while (fgets(line, sizeof(line), file)) {
		uint32_t number;

		if (sscanf(line, "``%31[a-z-]`` %*s %7[0-9-] %7[0-9-] %7[0-9-] %7[0-9-]", name, few,
			   many, few_there, many_there) != 5)
			continue;
		number = number_of(name);
		assert_int_not_equal(number, 0);
		is_cell(few, ours(number, FEW, 4));
		is_cell(many, ours(number, MANY, 4));
		is_cell(few_there, surveys(number, FEW));
		is_cell(many_there, surveys(number, MANY));
		rows++;
	}
	fclose(file);
	assert_int_equal(rows, HBS_ALGORITHM_SCAN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages),
		cmocka_unit_test(page),
	};

	return cmocka_run_group_tests_name("messages", tests, NULL, NULL);
}
