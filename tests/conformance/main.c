// SPDX-License-Identifier: GPL-2.0-or-later
/* Which tests run in which modes */
#define _GNU_SOURCE
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance.h"

static const struct test *const all_tests[] = {
	barrier_tests,	  phase_tests,	   membership_tests,  error_tests,	deadline_tests,
	completion_tests, value_tests,	   timeout_tests,     death_tests,	missing_tests,
	thread_tests,	  reset_tests,	   process_tests,     waiting_tests,	paper_tests,
	idle_tests,	  idle_vote_tests, idle_member_tests, idle_end_tests,	idle_time_tests,
	idle_error_tests, mailbox_tests,   idle_storm_tests,  idle_flood_tests, program_tests,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_RUNS     4096
#define TEST_LIMIT_S 150
#define MESSAGES_A_S 30000 /* at least */
#define SLOW_S	     1

/* A test in a mode */
struct run {
	const struct test *test;
	struct context context;
	char name[160];
	double start;
};

static struct run runs[MAX_RUNS];
static struct CMUnitTest unit_tests[MAX_RUNS];
static size_t n_runs;
static const char *volatile running;

/* A test that hangs is the end, and says which it was */
static void hangs(int number)
{
	static const char text[] = "\nBail out! hangs: ";

	(void)number;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0 ||
	    write(STDOUT_FILENO, running, strlen(running)) < 0 || write(STDOUT_FILENO, "\n", 1) < 0)
		_exit(2);
	_exit(1);
}

static int open_context(void **state)
{
	struct run *run = *state;
	struct context *context = &run->context;
	struct hbs_attr attr = {
		.backend = context->mode->backend,
		.device = context->device,
		.spin_ns = context->mode->spin_ns,
	};

	running = run->name;
	run->start = seconds();
	alarm(TEST_LIMIT_S + context->messages / MESSAGES_A_S);
	return hbs_open(&context->hbs, &attr);
}

static void run_in_mode(void **state)
{
	struct run *run = *state;
	struct context *context = &run->context;

	run->test->run(context);
	/* Nobody is a member any more: all can be closed */
	while (context->n_groups)
		IS(hbs_group_close(context->groups[--context->n_groups]), 0);
	while (context->n_more)
		IS(hbs_close(context->more[--context->n_more]), 0);
	IS(hbs_close(context->hbs), 0);
}

static int end_test(void **state)
{
	struct run *run = *state;

	alarm(0);
	if (seconds() - run->start > SLOW_S)
		printf("# %.1f s: %s\n", seconds() - run->start, run->name);
	return 0;
}

static void add_run(const struct context *like, const struct test *test)
{
	struct run *run = &runs[n_runs];

	if (n_runs == MAX_RUNS)
		abort();
	*run = (struct run){ .test = test, .context = *like };
	snprintf(run->name, sizeof(run->name), "%s: %s", like->mode->name, test->name);
	unit_tests[n_runs++] = (struct CMUnitTest){
		.name = run->name,
		.test_func = run_in_mode,
		.setup_func = open_context,
		.teardown_func = end_test,
		.initial_state = run,
	};
}

static void add_mode(const struct context *like, const char *only)
{
	unsigned int features = like->mode->features;

	for (size_t i = 0; i < COUNT(all_tests); i++)
		for (const struct test *test = all_tests[i]; test->name; test++)
			if (!(test->needs & ~features) && strstr(test->name, only))
				add_run(like, test);
	for (const struct refusal *refusal = refusals; refusal->test.name; refusal++)
		if (!(refusal->feature & features) && !(refusal->test.needs & ~features) &&
		    strstr(refusal->test.name, only))
			add_run(like, &refusal->test);
}

static const char help[] =
	"usage: conformance --backend software|card [OPTION...]\n"
	"Tests what a barrier promises, in each mode of the backend; prints TAP.\n"
	"  --device PATH   the card (HBS_DEVICE, or the first)\n"
	"  --lacks LIST    what the card lacks, and has to refuse: of values, timeouts,\n"
	"                  count, polling, register, member-record, node-record,\n"
	"                  refutable\n"
	"  --modes TEXT    only modes that have this in their name, as mask/store/record\n"
	"  --spin-ns N     each combination once, spinning for so long before it sleeps\n"
	"  --half          of modes that spin and sleep but are else the same, only one\n"
	"  --part I/N      the I-th of N parts of the modes that are left\n"
	"  --threads LIST  with how many threads tests of several threads run, at most 8\n"
	"                  numbers from 2 to 64 (2,3,5)\n"
	"  --less N        do the N-th part of what is done often\n"
	"  --wait-s N      a long wait is of N seconds (2)\n"
	"  --messages N    a flood of messages is of so many in all\n"
	"  --only TEXT     only tests that have this in their name\n"
	"  --list          print the names of the tests, and run none\n"
	"Exit status: 0 if all tests passed.\n";

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *format, ...)
{
	va_list arguments;

	fputs("conformance: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(2);
}

static unsigned long long number(const char *option, const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || *end)
		die("--%s: %s is not a number", option, text);
	return value;
}

static void read_threads(struct context *context, char *list)
{
	unsigned int n = 0;

	for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		unsigned long long count = number("threads", word);

		if (count < 2 || count > MAX_THREADS)
			die("--threads: %s is not from 2 to %d", word, MAX_THREADS);
		if (n == COUNT(context->threads) - 1)
			die("--threads: more than %zu numbers", COUNT(context->threads) - 1);
		context->threads[n++] = count;
	}
	if (!n)
		die("--threads: no number");
	context->threads[n] = 0;
}

static unsigned int read_lacking(char *list)
{
	unsigned int lacking = 0;

	for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		enum feature feature = feature_of(word);

		if (!feature)
			die("--lacks: there is no %s", word);
		lacking |= feature;
	}
	return lacking;
}

/* The modes to run */
struct choice {
	enum hbs_backend backend;
	unsigned int lacking;
	const char *name;
	bool own_spin, half;
	uint64_t spin_ns;
	unsigned int part, parts;
};

static void read_part(struct choice *choice, const char *text)
{
	char end;

	if (sscanf(text, "%u/%u%c", &choice->part, &choice->parts, &end) != 2 || !choice->part ||
	    choice->part > choice->parts)
		die("--part: %s is not I/N, with I from 1 to N", text);
	choice->part--;
}

static bool is_chosen(const struct choice *choice, const struct mode *mode)
{
	bool sleeps = mode->spin_ns == HBS_SPIN_NONE;

	if (!strstr(mode->name, choice->name) || (choice->own_spin && sleeps))
		return false;
	/* by turns */
	return !choice->half || (mode->attr.complete_by + mode->attr.arrive_by +
				 mode->attr.depart_by + mode->attr.algorithm + sleeps) %
						2 ==
					0;
}

static void add_modes(struct context *like, const struct choice *choice, const char *only)
{
	static struct mode modes[MAX_MODES];
	unsigned int count = make_modes(choice->backend, choice->lacking, modes), n = 0;

	for (unsigned int i = 0; i < count; i++) {
		unsigned int turn;

		if (!is_chosen(choice, &modes[i]))
			continue;
		if (choice->own_spin)
			set_spin(&modes[i], choice->spin_ns);
		/* not the same way of departure in each turn */
		turn = n + n / choice->parts;
		if (turn % choice->parts == choice->part) {
			like->mode = &modes[i];
			add_mode(like, only);
		}
		n++;
	}
	if (!n)
		die("there is no such mode");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "backend", required_argument, NULL, 'b' },
		{ "device", required_argument, NULL, 'd' },
		{ "lacks", required_argument, NULL, 'L' },
		{ "modes", required_argument, NULL, 'm' },
		{ "spin-ns", required_argument, NULL, 's' },
		{ "half", no_argument, NULL, 'H' },
		{ "part", required_argument, NULL, 'p' },
		{ "threads", required_argument, NULL, 't' },
		{ "less", required_argument, NULL, 'n' },
		{ "wait-s", required_argument, NULL, 'w' },
		{ "messages", required_argument, NULL, 'M' },
		{ "only", required_argument, NULL, 'o' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct context like = { .threads = { 2, 3, 5 }, .less = 1, .wait_s = 2 };
	struct choice choice = { .name = "", .parts = 1 };
	const char *only = "";
	bool list = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'b':
			if (!strcmp(optarg, "card"))
				choice.backend = HBS_BACKEND_CARD;
			else if (!strcmp(optarg, "software"))
				choice.backend = HBS_BACKEND_SOFTWARE;
			else
				die("--backend: %s is neither software nor card", optarg);
			break;
		case 'd':
			like.device = optarg;
			break;
		case 'L':
			choice.lacking = read_lacking(optarg);
			break;
		case 'm':
			choice.name = optarg;
			break;
		case 's':
			choice.spin_ns = number("spin-ns", optarg);
			choice.own_spin = true;
			break;
		case 'H':
			choice.half = true;
			break;
		case 'p':
			read_part(&choice, optarg);
			break;
		case 't':
			read_threads(&like, optarg);
			break;
		case 'n':
			like.less = number("less", optarg);
			if (!like.less)
				die("--less: 0 is no part");
			break;
		case 'w':
			like.wait_s = number("wait-s", optarg);
			if (!like.wait_s || like.wait_s > TEST_LIMIT_S / 2)
				die("--wait-s: %s is not from 1 to %d", optarg, TEST_LIMIT_S / 2);
			break;
		case 'M':
			like.messages = number("messages", optarg);
			break;
		case 'o':
			only = optarg;
			break;
		case 'l':
			list = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			return 2;
		}
	}
	if (optind < argc)
		die("%s is no option", argv[optind]);
	if (choice.backend == HBS_BACKEND_ANY)
		die("--backend is missing");
	add_modes(&like, &choice, only);
	if (!n_runs)
		die("--only: no test has \"%s\" in its name", only);
	for (size_t i = 0; i < n_runs && list; i++)
		puts(runs[i].name);
	if (list)
		return 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	setvbuf(stderr, NULL, _IOLBF, 0);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = hangs }, NULL);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return _cmocka_run_group_tests("conformance", unit_tests, n_runs, NULL, NULL) ? 1 : 0;
}
