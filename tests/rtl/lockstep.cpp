/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The card and the model of the page in lockstep, under random accesses and random weather.
 * lockstep [--seed N] [--accesses N] [--episodes N] [--verbose] [--coverage FILE] [--measure]
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench.h"
#include "sentences.h"

using namespace hbs;

namespace
{
struct Options {
	uint64_t seed = 1, accesses = 100000;
	unsigned runs = 0; /* 0: as many as there are manners */
	bool verbose = false, measure = false;
	const char *coverage = nullptr;
};

struct Named {
	const char *name;
	Manner manner;
};

/*				      noise resets disables moves spoils changes active members plain */
const Named MANNERS[] = {
	{ "quiet", { 0, 0, 0, 0, 0, 200, 2, 16, true } },
	{ "modes", { 30, 0, 0, 0, 0, 60, 3, 12, false } },
	{ "noise", { 4, 0, 0, 0, 0, 40, 3, 8, false } },
	{ "moves", { 30, 0, 0, 150, 0, 60, 3, 8, false } },
	{ "halts", { 20, 0, 300, 0, 0, 60, 4, 8, false } },
	{ "faults", { 30, 0, 0, 0, 10, 30, 3, 8, false } },
	{ "resets", { 20, 3000, 2000, 800, 30, 40, 3, 6, false } },
	{ "crowd", { 50, 0, 0, 0, 0, 300, 2, 1024, false } },
	{ "storm", { 10, 20000, 1500, 400, 20, 40, 4, 20, false } },
	{ "epochs", { 200, 0, 0, 0, 0, 2000, 4, 3, false } },
};
constexpr unsigned NUMBER = sizeof(MANNERS) / sizeof(MANNERS[0]);

bool parse(int argc, char **argv, Options *options)
{
	for (int i = 1; i < argc; i++) {
		const char *name = argv[i];
		const char *value = i + 1 < argc ? argv[i + 1] : nullptr;

		if (!strcmp(name, "--verbose")) {
			options->verbose = true;
		} else if (!strcmp(name, "--measure")) {
			options->measure = true;
		} else if (!value) {
			return false;
		} else if (!strcmp(name, "--seed")) {
			options->seed = strtoull(argv[++i], nullptr, 0);
		} else if (!strcmp(name, "--accesses")) {
			options->accesses = strtoull(argv[++i], nullptr, 0);
		} else if (!strcmp(name, "--runs")) {
			options->runs = strtoul(argv[++i], nullptr, 0);
		} else if (!strcmp(name, "--coverage")) {
			options->coverage = argv[++i];
		} else {
			return false;
		}
	}
	return true;
}

/* The manners, one after the other, on one card, and then the cases */
bool lockstep(Bench &bench, const Options &options)
{
	const unsigned runs = options.runs ? options.runs : NUMBER;

	for (unsigned i = 0; i < runs; i++) {
		const Named &named = MANNERS[(i + options.seed - 1) % NUMBER];

		printf("# %s\n", named.name);
		fflush(stdout);
		if (!bench.run(options.accesses / runs, named.manner) || !bench.compare_all() ||
		    !bench.reset())
			return false;
	}
	printf("# cases\n");
	return bench.cases();
}
} // namespace

int main(int argc, char **argv)
{
	const Parameters p = Card::parameters();
	Options options;
	bool right;

	if (!parse(argc, argv, &options)) {
		fprintf(stderr,
			"usage: %s [--seed N] [--accesses N] [--runs N] [--verbose] [--measure] "
			"[--coverage FILE]\n",
			argv[0]);
		return 2;
	}
	Bench bench(options.seed, options.verbose);

	right = options.measure ? bench.measure() : lockstep(bench, options);
	bench.print_totals();
	if (!right) {
		bench.print_last();
		printf("# %s\n# again: %s --seed %llu --accesses %llu%s\n", bench.error().c_str(),
		       argv[0], (unsigned long long)options.seed,
		       (unsigned long long)options.accesses, options.measure ? " --measure" : "");
	}
	print_sentences();
	if (options.coverage)
		bench.write_coverage(options.coverage);
	printf("%s - %s: %u ports, %u groups, %u records, features %llx, %u tags, %u reads%s; "
	       "%llu accesses, seed %llu\n",
	       right ? "ok" : "not ok", options.measure ? "measures" : "lockstep", p.ports,
	       p.groups, p.records, (unsigned long long)p.features, p.tags, p.reads,
	       p.wide ? ", wide" : "", (unsigned long long)bench.taken(),
	       (unsigned long long)options.seed);
	return !right;
}
