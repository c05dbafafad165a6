// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stepbench: how long a synchronous step takes, in which each member sends one message to each
 * other and all find out that all are received; by hbs and by Open MPI, which take turns in the
 * same run. See Documentation/stepbench.rst.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"
#include "interrupt.h"
#include "machine.h"
#include "report.h"
#include "shared/number.h"
#include "shared/standard.h"
#include "step.h"
#include "text.h"

enum { EXIT_GOOD = 0, EXIT_WRONG = 1, EXIT_ERROR = 2 };

#define SIZES_MAX   8
#define PROBE_STEPS 8
#define WAYS	    (sizeof(ways) / sizeof(ways[0]))

static const struct way *const ways[] = { &way_hbs_threads, &way_mpi_spin, &way_hbs_processes,
					  &way_mpi_yield };

struct options {
	unsigned int members[SIZES_MAX];
	size_t sizes;
	unsigned long rounds;
	struct trial trial; /* but its number of members */
};

/* Where it fails with two members and few steps, it is not here */
static void probe(const struct options *options, struct line lines[WAYS])
{
	struct trial trial = options->trial;

	trial.members = 2;
	trial.steps = PROBE_STEPS;
	for (size_t i = 0; i < WAYS && !interrupted(); i++) {
		lines[i].way = ways[i];
		if (ways[i]->run(ways[i], &trial, lines[i].absent) < 0)
			text_clean(lines[i].absent);
		else
			lines[i].is_here = true;
	}
}

/*
 * Return: false if the way failed. It is left out from then on, which is no failure of a peer that
 * only takes too long: one that spins does, where members outnumber CPUs.
 */
static bool run_trial(const struct trial *trial, struct line *line)
{
	char error[CHILD_ERROR_SIZE] = "";
	double ns = line->way->run(line->way, trial, error);

	if (ns >= 0) {
		line->ns[line->rounds++] = ns;
		return true;
	}
	text_clean(error);
	memcpy(line->error, error, sizeof(line->error));
	return !line->way->ours && !strncmp(error, TOO_LONG, strlen(TOO_LONG));
}

/* All ways in turns, with another one first in each round */
static bool measure(const struct options *options, struct line lines[WAYS], unsigned int members)
{
	struct trial trial = options->trial;
	bool good = true;

	trial.members = members;
	for (size_t i = 0; i < WAYS; i++) {
		lines[i].rounds = 0;
		*lines[i].error = '\0';
	}
	for (unsigned long round = 0; round < options->rounds; round++)
		for (size_t i = 0; i < WAYS && !interrupted(); i++) {
			struct line *line = &lines[(round + i) % WAYS];

			if (line->is_here && !*line->error)
				good &= run_trial(&trial, line);
		}
	return good;
}

static void describe(const struct options *options, const char *topology)
{
	struct results results = { 0 };

	machine_describe(&results, topology, NULL);
	results_add_fact(&results, "a step",
			 "a message of %zu bytes from each member to each other", STEP_BYTES);
	results_add_fact(&results, "rounds", "%lu of %lu steps, after %lu to warm up; all in turns",
			 options->rounds, options->trial.steps, STEP_WARM_UP(options->trial.steps));
	results_add_fact(&results, "members",
			 options->trial.pinned ? "pinned: member i on CPU i modulo %u"
					       : "not pinned, on %u CPUs",
			 cpus_count());
	for (size_t i = 0; i < results.fact_count; i++)
		printf("%-19s %s\n", results.facts[i].name, results.facts[i].value);
	results_free(&results);
}

static bool run(const struct options *options, const char *topology)
{
	static struct line lines[WAYS];
	bool good = true;

	describe(options, topology);
	probe(options, lines);
	report_ways(lines, WAYS);
	for (size_t i = 0; i < options->sizes && !interrupted(); i++) {
		good &= measure(options, lines, options->members[i]);
		report_lines(lines, WAYS, options->members[i]);
		fflush(stdout);
	}
	for (size_t i = 0; i < WAYS; i++)
		good &= lines[i].is_here || !lines[i].way->ours;
	return good;
}

static void usage(void)
{
	printf("usage: stepbench [OPTION]...\n"
	       "How long a step takes, in which each member sends one message to each other and "
	       "all\n"
	       "find out that all are received: by hbs, and by Open MPI if it is here.\n"
	       "  --members=N,...  how many, 2 to %d (default 2,4)\n"
	       "  --steps=N        in each round (default 20000)\n"
	       "  --rounds=N       of each contender in turn (default 11)\n"
	       "  --limit=SECONDS  a round may take; what takes longer is left out (default 10)\n"
	       "  --unpinned       the system chooses the CPUs of the members\n"
	       "Exit status: 0; 1 if a step was wrong or hbs could not be measured; 2 for wrong\n"
	       "options, or output that could not be written.\n",
	       STEP_MEMBERS_MAX);
}

static bool parse_members(char *text, struct options *options)
{
	unsigned long value;

	options->sizes = 0;
	for (char *part = strsep(&text, ","); part; part = strsep(&text, ",")) {
		if (!number_parse("members", part, 2, STEP_MEMBERS_MAX, &value))
			return false;
		if (options->sizes == SIZES_MAX) {
			fprintf(stderr, "stepbench: --members: more than %d numbers\n", SIZES_MAX);
			return false;
		}
		options->members[options->sizes++] = (unsigned int)value;
	}
	return true;
}

static bool parse_option(int option, struct options *options)
{
	unsigned long limit;

	switch (option) {
	case 'm':
		return parse_members(optarg, options);
	case 's':
		return number_parse("steps", optarg, 1, 1000000000, &options->trial.steps);
	case 'r':
		return number_parse("rounds", optarg, 1, ROUNDS_MAX, &options->rounds);
	case 'l':
		if (!number_parse("limit", optarg, 1, 3600, &limit))
			return false;
		options->trial.limit_s = (unsigned int)limit;
		return true;
	case 'u':
		options->trial.pinned = false;
		return true;
	case 'h':
		usage();
		exit(EXIT_GOOD);
	}
	return false;
}

/* Return: false, with a message, for a wrong one */
static bool parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "members", required_argument, NULL, 'm' },
		{ "steps", required_argument, NULL, 's' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "limit", required_argument, NULL, 'l' },
		{ "unpinned", no_argument, NULL, 'u' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
		if (!parse_option(option, options))
			return false;
	if (optind < argc)
		fprintf(stderr, "stepbench: takes no argument: %s\n", argv[optind]);
	return optind == argc;
}

int main(int argc, char **argv)
{
	struct options options = {
		.members = { 2, 4 },
		.sizes = 2,
		.rounds = 11,
		.trial = { .steps = 20000, .pinned = true, .limit_s = 10 },
	};
	const char *topology;
	bool good;

	standard_start("stepbench", EXIT_ERROR);
	if (!parse(argc, argv, &options))
		return EXIT_ERROR;
	topology = cpus_start();
	interrupt_watch();
	good = run(&options, topology);
	fflush(stdout);
	interrupt_end();
	return good ? EXIT_GOOD : EXIT_WRONG;
}
