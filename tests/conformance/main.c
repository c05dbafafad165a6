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

#define SOFTWARE_FEATURES (COMPLETION | SPLIT_PHASE | DROP | DEADLINES)
#define CARD_FEATURES                                                                       \
	(VALUES | TIMEOUTS | POLICIES | MISSING | RESET | COMPLETION | SPLIT_PHASE | DROP | \
	 DEADLINES | POLL_FD | DEATH)
#define SPIN_NS 50000

static const struct mode modes[] = {
	{ "software, spinning", HBS_BACKEND_SOFTWARE, SPIN_NS, SOFTWARE_FEATURES, { 0 } },
	{ "software, sleeping", HBS_BACKEND_SOFTWARE, HBS_SPIN_NONE, SOFTWARE_FEATURES, { 0 } },
	{ "card, spinning", HBS_BACKEND_CARD, SPIN_NS, CARD_FEATURES, { 0 } },
	{ "card, sleeping", HBS_BACKEND_CARD, HBS_SPIN_NONE, CARD_FEATURES, { 0 } },
};

static const struct test *const all_tests[] = {
	barrier_tests,	  phase_tests,	 membership_tests, error_tests, deadline_tests,
	completion_tests, value_tests,	 timeout_tests,	   death_tests, reset_tests,
	process_tests,	  waiting_tests, paper_tests,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_RUNS     1024
#define TEST_LIMIT_S 60
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
	alarm(TEST_LIMIT_S);
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
		if (!(refusal->feature & features) && strstr(refusal->test.name, only))
			add_run(like, &refusal->test);
}

static const char help[] =
	"usage: conformance --backend software|card [OPTION...]\n"
	"Tests what a barrier promises, in each mode of the backend; prints TAP.\n"
	"  --device PATH   the card (HBS_DEVICE, or the first)\n"
	"  --spin-ns N     one mode only, which spins for so long before it sleeps\n"
	"  --threads LIST  with how many threads tests of several threads run, at most 8\n"
	"                  numbers from 2 to 64 (2,3,5)\n"
	"  --only TEXT     the tests that have this in their name\n"
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

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "backend", required_argument, NULL, 'b' },
		{ "device", required_argument, NULL, 'd' },
		{ "spin-ns", required_argument, NULL, 's' },
		{ "threads", required_argument, NULL, 't' },
		{ "only", required_argument, NULL, 'o' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct context like = { .threads = { 2, 3, 5 } };
	enum hbs_backend backend = HBS_BACKEND_ANY;
	uint64_t spin_ns = 0;
	const char *only = "";
	bool list = false, one_mode = false;
	static struct mode own;
	static char own_name[64];
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'b':
			if (!strcmp(optarg, "card"))
				backend = HBS_BACKEND_CARD;
			else if (!strcmp(optarg, "software"))
				backend = HBS_BACKEND_SOFTWARE;
			else
				die("--backend: %s is neither software nor card", optarg);
			break;
		case 'd':
			like.device = optarg;
			break;
		case 's':
			spin_ns = number("spin-ns", optarg);
			one_mode = true;
			break;
		case 't':
			read_threads(&like, optarg);
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
	if (backend == HBS_BACKEND_ANY)
		die("--backend is missing");
	for (size_t i = 0; i < COUNT(modes); i++) {
		like.mode = &modes[i];
		if (modes[i].backend != backend)
			continue;
		if (one_mode) {
			own = modes[i];
			snprintf(own_name, sizeof(own_name), "%s, spinning %llu ns",
				 backend == HBS_BACKEND_CARD ? "card" : "software",
				 (unsigned long long)spin_ns);
			own.name = own_name;
			own.spin_ns = spin_ns ? spin_ns : HBS_SPIN_NONE;
			like.mode = &own;
		}
		add_mode(&like, only);
		if (one_mode)
			break;
	}
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
