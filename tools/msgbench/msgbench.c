// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * msgbench: how fast two threads exchange messages of a cache line, by libhbs and by Concurrency
 * Kit's ring, which take turns in the same run
 */
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <hbs_messages.h>

#include "shared/now.h"
#include "contender.h"
#include "look.h"
#include "shared/number.h"
#include "shared/standard.h"

enum { EXIT_GOOD = 0, EXIT_WRONG = 1, EXIT_ERROR = 2 };

#define ROUNDS_MAX 99

static const struct contender *const contenders[] = { &contender_ck, &contender_send,
						      &contender_post };
#define CONTENDERS (sizeof(contenders) / sizeof(contenders[0]))

static const uint32_t depths[] = { 16, 64, 1024 };

struct options {
	unsigned long messages;
	unsigned long trips;
	unsigned long rounds;
};

/* One contender in one round, on both threads */
struct trial {
	bool (*work)(unsigned int side, uint64_t count);
	uint64_t count;
	pthread_barrier_t start;
	int cpus[2];
	bool good[2];
	double ns[2];
};

static bool pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void take_side(struct trial *trial, unsigned int side)
{
	double start;
	bool is_pinned = pin(trial->cpus[side]);

	pthread_barrier_wait(&trial->start);
	start = now_ns();
	trial->good[side] = trial->work(side, trial->count) && is_pinned;
	trial->ns[side] = now_ns() - start;
}

static void *other_side(void *argument)
{
	take_side(argument, 1);
	return NULL;
}

/* Return: ns for each of @count; below 0 if something went wrong */
static double run(struct trial *trial, bool (*work)(unsigned int, uint64_t), uint64_t count)
{
	pthread_t other;

	trial->work = work;
	trial->count = count;
	if (pthread_create(&other, NULL, other_side, trial))
		return -1;
	take_side(trial, 0);
	pthread_join(other, NULL);
	/* side 1 is done last */
	return trial->good[0] && trial->good[1] ? trial->ns[1] / (double)count : -1;
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static double median(double *samples, unsigned long count)
{
	qsort(samples, count, sizeof(*samples), compare);
	return samples[count / 2];
}

static void report(const char *what, uint32_t depth, double samples[CONTENDERS][ROUNDS_MAX],
		   unsigned long rounds)
{
	double medians[CONTENDERS];

	printf("%-12s %5u", what, depth);
	for (size_t i = 0; i < CONTENDERS; i++) {
		medians[i] = median(samples[i], rounds);
		printf(" %9.1f", medians[i]);
	}
	for (size_t i = 1; i < CONTENDERS; i++)
		printf(" %9.2f", medians[i] / medians[0]);
	putchar('\n');
}

static bool measure(struct trial *trial, const struct options *options, uint32_t depth)
{
	static double pours[CONTENDERS][ROUNDS_MAX], bounces[CONTENDERS][ROUNDS_MAX];

	for (unsigned long round = 0; round < options->rounds; round++)
		for (size_t i = 0; i < CONTENDERS; i++) {
			const struct contender *contender = contenders[i];

			if (!contender->make(depth)) {
				fprintf(stderr, "msgbench: no %s with %u slots\n", contender->name,
					depth);
				return false;
			}
			pours[i][round] = run(trial, contender->pour, options->messages);
			bounces[i][round] = run(trial, contender->bounce, options->trips);
			contender->unmake();
			if (pours[i][round] < 0 || bounces[i][round] < 0) {
				fprintf(stderr,
					"msgbench: %s: a message was wrong, or its thread "
					"could not run\n",
					contender->name);
				return false;
			}
		}
	report("one way", depth, pours, options->rounds);
	report("there & back", depth, bounces, options->rounds);
	return true;
}

/* The first two CPUs that this program may use; the same one twice if there is only one */
static bool find_cpus(int cpus[2])
{
	cpu_set_t set;
	int found = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return false;
	for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[found++] = cpu;
	if (found == 1)
		cpus[found++] = cpus[0];
	return found == 2;
}

static void report_start(const struct options *options, const int cpus[2])
{
	printf("Messages of %d bytes, %d of them a header. Threads on the CPUs %d and %d. Medians "
	       "of "
	       "%lu rounds.\n",
	       LINE, (int)HBS_MESSAGES_HEADER, cpus[0], cpus[1], options->rounds);
	printf("Bytes of a queue:");
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		struct hbs_messages_attr attr = { .members = 2, .slot = LINE, .depth = depths[i] };
		struct hbs_messages_info info;
		struct hbs_messages *messages;

		if (hbs_messages_create(&attr, &messages))
			continue;
		hbs_messages_info(messages, &info);
		hbs_messages_close(messages);
		printf(" %llu for %u slots%s", (unsigned long long)info.queue_bytes, info.depth,
		       i + 1 < sizeof(depths) / sizeof(depths[0]) ? "," : ".\n");
	}
	printf("%-12s %5s %*s %9s\n", "ns", "slots", (int)(10 * CONTENDERS - 1), "", "ratio to ck");
	printf("%-12s %5s", "", "");
	for (size_t i = 0; i < CONTENDERS; i++)
		printf(" %9s", contenders[i]->name);
	for (size_t i = 1; i < CONTENDERS; i++)
		printf(" %9s", contenders[i]->name);
	putchar('\n');
}

static bool report_looks(const struct options *options)
{
	static const uint32_t members[] = { 2, 64, 1024 };

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		double samples[ROUNDS_MAX];

		for (unsigned long round = 0; round < options->rounds; round++) {
			samples[round] = look_for_nothing(members[i], options->trips);
			if (samples[round] < 0) {
				fprintf(stderr, "msgbench: no mailbox of %u members\n", members[i]);
				return false;
			}
		}
		printf("A receiver among %u members sees in %.1f ns that there is no message.\n",
		       members[i], median(samples, options->rounds));
	}
	return true;
}

static void usage(void)
{
	printf("usage: msgbench [OPTION]...\n"
	       "How fast two threads exchange messages, by libhbs and by Concurrency Kit's ring.\n"
	       "  --messages=N  in each round, one way (default 1000000)\n"
	       "  --trips=N     in each round, there and back (default 100000)\n"
	       "  --rounds=N    of each contender in turn (default 11)\n");
}

/* Return: false, with a message, for a wrong one */
static bool parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "messages", required_argument, NULL, 'm' },
		{ "trips", required_argument, NULL, 't' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		bool good = false;

		switch (option) {
		case 'm':
			good = number_parse("messages", optarg, 1, 1000000000, &options->messages);
			break;
		case 't':
			good = number_parse("trips", optarg, 1, 1000000000, &options->trips);
			break;
		case 'r':
			good = number_parse("rounds", optarg, 1, ROUNDS_MAX, &options->rounds);
			break;
		case 'h':
			usage();
			exit(EXIT_GOOD);
		}
		if (!good)
			return false;
	}
	if (optind < argc)
		fprintf(stderr, "msgbench: takes no argument: %s\n", argv[optind]);
	return optind == argc;
}

int main(int argc, char **argv)
{
	struct options options = { .messages = 1000000, .trips = 100000, .rounds = 11 };
	struct trial trial;
	bool good = true;

	standard_start("msgbench", EXIT_ERROR);
	if (!parse(argc, argv, &options))
		return EXIT_ERROR;
	if (!find_cpus(trial.cpus) || pthread_barrier_init(&trial.start, NULL, 2))
		return EXIT_ERROR;
	report_start(&options, trial.cpus);
	for (size_t i = 0; good && i < sizeof(depths) / sizeof(depths[0]); i++)
		good = measure(&trial, &options, depths[i]);
	pthread_barrier_destroy(&trial.start);
	good = good && report_looks(&options);
	return good ? EXIT_GOOD : EXIT_WRONG;
}
