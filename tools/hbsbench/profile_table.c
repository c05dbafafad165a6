// SPDX-License-Identifier: GPL-2.0-or-later
#include "hbs.h"
#include "profile_table.h"
#include "software/algorithm.h"
#include "software/auto.h"
#include "table.h"

enum kind { SOFTWARE, FULL, CARD };

static bool is_kind(const struct profile_row *row, enum kind kind)
{
	if (kind == CARD)
		return row->algorithm == HBS_ALGORITHM_AUTO;
	return row->algorithm != HBS_ALGORITHM_AUTO &&
	       (kind == SOFTWARE || hbsi_algorithm(row->algorithm)->full);
}

static bool alike(const struct profile_row *a, const struct profile_row *b)
{
	return a->members == b->members && a->placement == b->placement;
}

/* The fastest row of a kind, among those like @row; NULL if there is none */
static const struct profile_row *best(const struct profile *profile, const struct profile_row *row,
				      enum kind kind)
{
	const struct profile_row *found = NULL;

	for (uint32_t i = 0; i < profile->count; i++) {
		const struct profile_row *other = &profile->rows[i];

		if (alike(row, other) && is_kind(other, kind) && (!found || other->ns < found->ns))
			found = other;
	}
	return found;
}

static const char *name_of(struct auto_choice choice, char text[40])
{
	if (choice.algorithm == HBS_ALGORITHM_AUTO)
		return "a card";
	if (!choice.fan_in)
		return hbs_algorithm_name(choice.algorithm);
	snprintf(text, 40, "%s:%u", hbs_algorithm_name(choice.algorithm), choice.fan_in);
	return text;
}

/* What the library chooses for such a group */
static struct auto_choice choose(const struct profile *profile, const struct profile_row *row,
				 bool full)
{
	struct auto_request request = {
		.members = row->members,
		.cpus = row->placement == PROFILE_PINNED ? row->members : row->members - 1,
		.full = full,
	};

	return hbsi_auto_by_profile(profile, &request);
}

static void write_row(const struct profile_row *row, const struct profile_row *least, FILE *file)
{
	char name[40], time[TIME_SIZE];

	fprintf(file, "  %-20s %9s",
		name_of((struct auto_choice){ row->algorithm, row->fan_in }, name),
		table_time((double)row->ns, time));
	if (least && least->ns)
		fprintf(file, " %8.2f", (double)row->ns / (double)least->ns);
	fputs(is_kind(row, FULL) ? "  does all\n" : "\n", file);
}

static void write_choice(const struct profile *profile, const struct profile_row *row, FILE *file)
{
	const struct profile_row *card = best(profile, row, CARD);
	const struct profile_row *full = best(profile, row, FULL);
	struct auto_choice all = choose(profile, row, true), fixed = choose(profile, row, false);
	char name[40];

	fprintf(file, "  auto: %s", name_of(all, name));
	if (fixed.algorithm != all.algorithm || fixed.fan_in != all.fan_in)
		fprintf(file, "; %s for a fixed group", name_of(fixed, name));
	if (full && card)
		fprintf(file, "; %s than a card", full->ns < card->ns ? "faster" : "not faster");
	fputc('\n', file);
}

void profile_table(const struct profile *profile, FILE *file)
{
	for (uint32_t i = 0; i < profile->count; i++) {
		const struct profile_row *row = &profile->rows[i];

		if (!i || !alike(row, row - 1))
			fprintf(file, "\n%u members, %s\n  %-20s %9s %8s\n", row->members,
				hbsi_profile_placements[row->placement], "algorithm", "time",
				"to best");
		write_row(row, best(profile, row, SOFTWARE), file);
		if (i + 1 == profile->count || !alike(row, row + 1))
			write_choice(profile, row, file);
	}
	fputs("\ntime: of a barrier, the median; of more members than CPUs the mean\n"
	      "does all: also for members that leave, come, or do something between the halves\n",
	      file);
}
