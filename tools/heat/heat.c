// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heat: a 2-D heat solver whose threads meet at barriers of libhbs, twice a sweep.
 * It compares its result with that of a run with one thread, and prints what the
 * card and the kernel counted.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "field.h"
#include "hbs.h"
#include "image.h"
#include "shared/number.h"
#include "shared/standard.h"
#include "shared/variables.h"
#include "solve.h"

#define THREADS_MAX 1024
#define SWEEPS_MAX  1000000000

/* So much work that a sweep takes some hundred times as long as its barriers */
#define SIDE 512

enum { EXIT_SAME = 0, EXIT_DIFFERS = 1, EXIT_ERROR = 2 };

struct options {
	unsigned long threads;
	unsigned long width;
	unsigned long height;
	unsigned long sweeps;
	unsigned long seed;
	bool grid_given;
	bool seed_given;
	const char *image;
	const char *output;
	struct hbs_attr attr;
	bool quiet;
};

static const struct option long_options[] = {
	{ "threads", required_argument, NULL, 't' }, { "grid", required_argument, NULL, 'g' },
	{ "sweeps", required_argument, NULL, 'n' },  { "seed", required_argument, NULL, 's' },
	{ "image", required_argument, NULL, 'i' },   { "output", required_argument, NULL, 'o' },
	{ "backend", required_argument, NULL, 'b' }, { "device", required_argument, NULL, 'd' },
	{ "spin-us", required_argument, NULL, 'p' }, { "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },	     { NULL, 0, NULL, 0 },
};

/* How many CPUs this program may use */
static unsigned int cpus(void)
{
	unsigned int count = 0;

	/* a machine may have more than a fixed set has room for */
	for (int room = CPU_SETSIZE; !count && room <= 1 << 20; room *= 2) {
		cpu_set_t *set = CPU_ALLOC(room);

		if (set && !sched_getaffinity(0, CPU_ALLOC_SIZE(room), set))
			count = (unsigned int)CPU_COUNT_S(CPU_ALLOC_SIZE(room), set);
		CPU_FREE(set);
	}
	return count ? count : 1;
}

/* One thread on each CPU; two where there is one CPU, for barriers need two */
static unsigned long default_threads(void)
{
	unsigned int count = cpus();

	if (count > THREADS_MAX)
		return THREADS_MAX;
	return count > 1 ? count : 2;
}

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: heat [OPTION]...\n"
		"Solve a 2-D heat equation with threads that meet at barriers, twice a sweep;\n"
		"check the result bit for bit against a run with one thread, and print what the\n"
		"threads gain.\n"
		"\n"
		"  -t, --threads=N     threads, 1 to %d (default: one for each CPU that may be "
		"used,\n"
		"                      but at least 2: %lu here)\n"
		"  -g, --grid=WxH      cells, %d to %d each way (default %dx%d)\n"
		"  -n, --sweeps=N      sweeps, 1 to %d (default 1000)\n"
		"  -s, --seed=N        seed of the random start (default 1)\n"
		"  -i, --image=FILE    start from a PGM image instead, which gives the grid\n"
		"  -o, --output=FILE   write the result as a PGM image, when it is known to be "
		"right;\n"
		"                      a file is replaced at once\n"
		"  -b, --backend=NAME  card, software or any (default any: a card if there is "
		"one)\n"
		"  -d, --device=PATH   the card (default: the first /dev/hbsN that opens)\n"
		"  -p, --spin-us=N     spin N us before a wait sleeps, 0 for not at all\n"
		"                      (default: that of libhbs)\n"
		"  -q, --quiet         print errors only\n"
		"  -h, --help          print this\n"
		"\n"
		"Exit status: %d the same result, %d another, %d something else went wrong.\n",
		THREADS_MAX, default_threads(), FIELD_SIDE_MIN, FIELD_SIDE_MAX, SIDE, SIDE,
		SWEEPS_MAX, EXIT_SAME, EXIT_DIFFERS, EXIT_ERROR);
}

static bool parse_grid(const char *text, struct options *options)
{
	char *copy = strdup(text);
	char *cross = copy ? strchr(copy, 'x') : NULL;
	bool good = false;

	if (cross) {
		*cross = '\0';
		good = number_parse("grid", copy, FIELD_SIDE_MIN, FIELD_SIDE_MAX,
				    &options->width) &&
		       number_parse("grid", cross + 1, FIELD_SIDE_MIN, FIELD_SIDE_MAX,
				    &options->height);
	} else {
		fprintf(stderr, "heat: --grid: '%s' is not of the form WxH\n", text);
	}
	free(copy);
	options->grid_given = true;
	return good;
}

static bool parse_backend(const char *text, struct options *options)
{
	static const char *const names[] = { "any", "card", "software" };

	for (uint32_t i = 0; i < 3; i++) {
		if (!strcmp(text, names[i])) {
			options->attr.backend = i;
			return true;
		}
	}
	fprintf(stderr, "heat: --backend: '%s' is not any, card or software\n", text);
	return false;
}

static bool parse_spin(const char *text, struct options *options)
{
	unsigned long us;

	if (!number_parse("spin-us", text, 0, 1000000000000, &us))
		return false;
	options->attr.spin_ns = us ? us * 1000 : HBS_SPIN_NONE;
	return true;
}

static bool parse_option(int option, struct options *options)
{
	switch (option) {
	case 't':
		return number_parse("threads", optarg, 1, THREADS_MAX, &options->threads);
	case 'g':
		return parse_grid(optarg, options);
	case 'n':
		return number_parse("sweeps", optarg, 1, SWEEPS_MAX, &options->sweeps);
	case 's':
		options->seed_given = true;
		return number_parse("seed", optarg, 0, ULONG_MAX, &options->seed);
	case 'i':
		options->image = optarg;
		return true;
	case 'o':
		options->output = optarg;
		return true;
	case 'b':
		return parse_backend(optarg, options);
	case 'd':
		options->attr.device = optarg;
		return true;
	case 'p':
		return parse_spin(optarg, options);
	case 'q':
		options->quiet = true;
		return true;
	case 'h':
		usage(stdout);
		exit(EXIT_SUCCESS);
	default:
		fprintf(stderr, "heat: try --help\n");
		return false;
	}
}

static bool parse_options(int argc, char **argv, struct options *options)
{
	int option;

	while ((option = getopt_long(argc, argv, "t:g:n:s:i:o:b:d:p:qh", long_options, NULL)) != -1)
		if (!parse_option(option, options))
			return false;
	if (optind < argc) {
		fprintf(stderr, "heat: '%s' is not an option; try --help\n", argv[optind]);
		return false;
	}
	if (options->image && (options->grid_given || options->seed_given)) {
		fprintf(stderr,
			"heat: --image gives the grid and the start: no --grid or --seed\n");
		return false;
	}
	if (options->attr.device && options->attr.backend == HBS_BACKEND_SOFTWARE) {
		fprintf(stderr, "heat: --device is no use with --backend=software\n");
		return false;
	}
	return true;
}

static bool make_field(const struct options *options, struct field *field)
{
	const char *wrong;

	if (options->image) {
		wrong = image_read(options->image, field);
		if (wrong)
			fprintf(stderr, "heat: --image: %s: %s\n", options->image, wrong);
		return !wrong;
	}
	if (field_init(field, options->width, options->height)) {
		fprintf(stderr, "heat: --grid: %lux%lu cells need more memory than there is\n",
			options->width, options->height);
		return false;
	}
	field_randomise(field, options->seed);
	return true;
}

static void print_system_calls(const struct solve_result *result)
{
	if (result->system_calls_known)
		printf("system calls     %llu in the loop, of all threads\n",
		       (unsigned long long)result->system_calls);
	else
		printf("system calls     not available: %s\n", result->why_not);
}

static void print_result(const struct options *options, const struct field *field,
			 const struct hbs *hbs, const struct solve_result *result)
{
	unsigned long long barriers = result->after.barriers - result->before.barriers;
	unsigned long long arrivals = result->after.arrivals - result->before.arrivals;
	bool card = hbs_backend(hbs) == HBS_BACKEND_CARD;

#define DELTA(counter) ((unsigned long long)(result->after.counter - result->before.counter))
	printf("backend          %s\n", hbs_backend_name(hbs));
	printf("problem          %zux%zu cells, %lu sweeps, %lu threads\n", field->width,
	       field->height, options->sweeps, options->threads);
	printf("barriers         %llu\n", barriers);
	printf("%-16s %llu\n", card ? "ARRIVAL stores" : "arrivals", arrivals);
	printf("  each           %.3f per thread and barrier\n",
	       (double)arrivals / (double)options->threads / (double)barriers);
	if (card) {
		printf("DEPARTURE loads  %llu\n", DELTA(departure_reads));
		printf("record writes    %llu\n", DELTA(record_writes));
		printf("dropped stores   %llu\n", DELTA(dropped));
		printf("interrupts       %llu\n", DELTA(interrupts));
	}
	printf("sleeps           %llu\n", DELTA(sleeps));
	print_system_calls(result);
	printf("time             %.3f s, %.3f us per barrier with the work before it\n",
	       result->seconds, result->seconds * 1e6 / (double)barriers);
#undef DELTA
}

/* How much the threads gain here */
static void print_gain(const struct options *options, double serial, double parallel)
{
	double gain = serial / parallel;

	printf("serial run       %.3f s\n", serial);
	if (gain >= 1)
		printf("gain             %.2f times as fast as the serial run, by %lu threads on "
		       "%u "
		       "CPUs\n",
		       gain, options->threads, cpus());
	else
		printf("loss             %.2f times as slow as the serial run, with %lu threads on "
		       "%u "
		       "CPUs\n",
		       1 / gain, options->threads, cpus());
}

static int check(const struct options *options, const struct field *solved, struct field *serial,
		 double parallel)
{
	struct timespec start, end;
	size_t x, y;

	clock_gettime(CLOCK_MONOTONIC, &start);
	field_solve(serial, options->sweeps);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (!options->quiet)
		print_gain(options,
			   (double)(end.tv_sec - start.tv_sec) +
				   (double)(end.tv_nsec - start.tv_nsec) * 1e-9,
			   parallel);
	if (!field_equal(solved, serial, &x, &y)) {
		fprintf(stderr, "heat: cell (%zu,%zu) is %.17g, but %.17g in the serial run\n", x,
			y, solved->cells[solved->now][y * solved->width + x],
			serial->cells[serial->now][y * serial->width + x]);
		return EXIT_DIFFERS;
	}
	if (!options->quiet)
		printf("result           bit for bit that of the serial run, residual %.3g\n",
		       solved->residual);
	return EXIT_SAME;
}

static void explain(const struct options *options, const struct hbs *hbs,
		    const struct solve_result *result, int error)
{
	/* all other arguments of the call are right */
	if (error == -EINVAL && hbs_backend(hbs) == HBS_BACKEND_CARD)
		fprintf(stderr, "heat: --threads: %lu is more than %s has ports\n",
			options->threads, hbs_backend_name(hbs));
	else
		fprintf(stderr, "heat: %lu threads on %s: %s: %s\n", options->threads,
			hbs_backend_name(hbs), result->call, hbs_strerror(error));
}

static int complain_of_output(const struct options *options, const char *wrong)
{
	fprintf(stderr, "heat: --output: %s: %s\n", options->output, wrong);
	return EXIT_ERROR;
}

static int run(const struct options *options, struct hbs *hbs, struct field *field,
	       struct field *serial, struct replacement *output)
{
	struct solve_result result;
	const char *wrong = NULL;
	int ret = solve(hbs, field, (unsigned int)options->threads, options->sweeps, &result);

	if (ret) {
		explain(options, hbs, &result, ret);
		return EXIT_ERROR;
	}
	if (!options->quiet)
		print_result(options, field, hbs, &result);
	ret = check(options, field, serial, result.seconds);
	if (!options->output || ret != EXIT_SAME)
		return ret;
	wrong = image_write(output, field);
	return wrong ? complain_of_output(options, wrong) : EXIT_SAME;
}

/* The environment too decides what is opened */
static void explain_open(const struct options *options, int error)
{
	char set[400];

	if (options->attr.device)
		fprintf(stderr, "heat: --device: %s: %s", options->attr.device,
			hbs_strerror(error));
	else
		fprintf(stderr, "heat: --backend: %s", hbs_strerror(error));
	fprintf(stderr, "%s\n", variables_set(set, sizeof(set)));
}

static int open_and_run(const struct options *options, struct field *field, struct field *serial,
			struct replacement *output)
{
	struct hbs *hbs;
	int ret = hbs_open(&hbs, &options->attr);

	if (ret) {
		explain_open(options, ret);
		return EXIT_ERROR;
	}
	ret = run(options, hbs, field, serial, output);
	hbs_close(hbs);
	return ret;
}

/* Prepare room for the result, and a place to write it to */
static int solve_and_check(const struct options *options, struct field *field,
			   struct replacement *output)
{
	struct field serial;
	int ret;

	if (field_copy(&serial, field)) {
		fprintf(stderr, "heat: no memory for the serial run\n");
		return EXIT_ERROR;
	}
	ret = open_and_run(options, field, &serial, output);
	field_free(&serial);
	return ret;
}

int main(int argc, char **argv)
{
	struct options options = { .threads = default_threads(),
				   .width = SIDE,
				   .height = SIDE,
				   .sweeps = 1000,
				   .seed = 1 };
	struct replacement output = { .fd = -1 };
	const char *wrong = NULL;
	struct field field;
	int ret;

	standard_start("heat", EXIT_ERROR);
	if (!parse_options(argc, argv, &options) || !make_field(&options, &field))
		return EXIT_ERROR;
	if (options.output)
		wrong = replace_prepare(&output, options.output);
	ret = wrong ? complain_of_output(&options, wrong)
		    : solve_and_check(&options, &field, &output);
	replace_forget(&output);
	field_free(&field);
	return ret;
}
