// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>

#include "constants.h"
#include "cycles.h"
#include "report.h"
#include "win.h"

static void print_time(double ns)
{
	if (isnan(ns))
		printf(" %6s", "-");
	else
		printf(" %6.0f", ns);
}

static void print_levels(double low, double typical, double high)
{
	printf("  %6.0f %7.0f %6.0f", low, typical, high);
}

static void print_row(const struct setting *setting, const struct place *place)
{
	double software = model_software(TYPICAL, place);
	double card = model_card(TYPICAL, setting, place);

	printf("%7u %7u", place->members, place->sockets);
	print_levels(model_software(LOW, place), software, model_software(HIGH, place));
	print_levels(model_card(LOW, setting, place), card, model_card(HIGH, setting, place));
	printf(" %6.2f  %-7s", software / card, win_names[win_at(setting, place)]);
	print_time(model_harp(place));
	print_time(model_harp_projected(place));
	print_time(model_umsg(place));
	print_time(model_hbs(place));
	print_time(model_photonic(place));
	putchar('\n');
}

void report_times(const struct options *options)
{
	const struct setting *setting = &options->setting;

	printf("A barrier of members that arrive at once, in ns\n"
	       "card: %u MHz, %u lanes, %u record%s%s: the last word after %u cycles\n\n",
	       setting->clock, setting->lanes, setting->records, setting->records > 1 ? "s" : "",
	       setting->reduce ? ", reduces" : "", model_card_cycles(setting));
	printf("%7s %7s  %-21s  %-21s %6s  %-7s %6s %6s %6s %6s\n", "", "", "software", "card", "",
	       "", "HARP", "HARP", "UMsg", "HBS");
	printf("%7s %7s  %6s %7s %6s  %6s %7s %6s %6s  %-7s %6s %6s %6s %6s %6s\n", "members",
	       "sockets", "low", "typical", "high", "low", "typical", "high", "gain", "faster", "",
	       "ideal", "", "", "photon");
	for (size_t j = 0; j < options->sockets.count; j++) {
		for (size_t i = 0; i < options->members.count; i++) {
			struct place place = { options->members.numbers[i],
					       options->sockets.numbers[j] };

			if (place.members >= place.sockets)
				print_row(setting, &place);
		}
	}
}

/* The numbers of members, as "9-384, 400", for which the card is at least so sure to be faster */
static void print_ranges(const struct setting *setting, unsigned int sockets, enum win least)
{
	unsigned int first = 0;
	const char *comma = "";

	for (unsigned int members = sockets > 2 ? sockets : 2; members <= MEMBERS_MOST + 1;
	     members++) {
		struct place place = { members, sockets };
		bool wins = members <= MEMBERS_MOST && win_at(setting, &place) <= least;

		if (wins && !first)
			first = members;
		if (wins || !first)
			continue;
		printf("%s%u", comma, first);
		if (members - 1 > first)
			printf("-%u", members - 1);
		comma = ", ";
		first = 0;
	}
	printf("%s\n", *comma ? "" : "none");
}

void report_wins(const struct options *options)
{
	printf("\nMembers, from as many as sockets to %d, for which the card is faster\n",
	       MEMBERS_MOST);
	for (size_t j = 0; j < options->sockets.count; j++) {
		for (enum win win = WINS_SURE; win <= WINS_LUCKY; win++) {
			printf("sockets %u, %-8s", options->sockets.numbers[j], win_names[win]);
			print_ranges(&options->setting, options->sockets.numbers[j], win);
		}
	}
}

void report_sources(void)
{
	for (int i = 0; i < CONSTANTS; i++)
		printf("%-52s %7g %-8s %s\n", constants[i].name, constants[i].value,
		       constants[i].unit, constants[i].source);
	printf("the card: an arrival %33s%7d %-8s %s\n", "", CYCLES_ARRIVAL, "cycles",
	       "tools/latency/cycles.h");
	printf("the card: the last arrival to the first write %9s%7d %-8s %s\n", "", CYCLES_WRITE,
	       "cycles", "the same");
	printf("the card: each further write %26s%7d %-8s %s\n\n", "", CYCLES_FURTHER, "cycles",
	       "the same");
	for (int i = 0; constants_references[i]; i++)
		printf("%s\n", constants_references[i]);
}
