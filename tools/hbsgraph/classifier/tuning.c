// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "../generate.h"
#include "measure.h"
#include "tuning.h"

#define GRAPH_TEXT 80

/* Of the paper */
static const struct weights plain = { 1, 1 }, random_weights = { 10, 1000 };

static enum mode better_of(const double seconds[MODEL_MODES])
{
	return seconds[MODE_SYNC] < seconds[MODE_ASYNC] ? MODE_SYNC : MODE_ASYNC;
}

static const char *name_of(enum mode mode)
{
	return mode == MODE_SYNC ? "sync" : "async";
}

static bool measure_case(struct tuning *tuning, struct tuned *tuned, const char *graph)
{
	struct edges edges = { 0 };
	bool good;
	int ret;

	good = generate(graph, tuned->weighted ? &random_weights : &plain, 1, &edges) &&
	       features_estimate(&edges, &tuned->one.features);
	if (good) {
		ret = measure_modes(&app_sssp, &edges, tuning->hbs, &tuning->threads,
				    tuning->repetitions, tuned->one.seconds, &tuned->pairs);
		if (ret)
			fprintf(stderr, "hbsgraph: %s: %s\n", graph, hbs_strerror(ret));
		good = !ret;
	}
	edges_free(&edges);
	return good;
}

static void print_case(const struct tuned *tuned, const char *graph)
{
	const struct features *features = &tuned->one.features;
	const double *seconds = tuned->one.seconds;

	printf("%-26s %-8s %8.0f %8.3g %10.6f %10.6f %8.2f\n", graph,
	       tuned->weighted ? "weighted" : "plain", features->diameter, features->reconvergence,
	       seconds[MODE_SYNC], seconds[MODE_ASYNC], seconds[MODE_SYNC] / seconds[MODE_ASYNC]);
	fflush(stdout);
}

bool tuning_measure(struct tuning *tuning)
{
	char graph[GRAPH_TEXT];

	printf("%-26s %-8s %8s %8s %10s %10s %8s\n", "graph", "weights", "diameter", "reconv.",
	       "sync s", "async s", "Sa");
	for (int size = 0; size < TUNING_SIZES; size++) {
		uint32_t vertices = tuning->vertices;

		for (int i = size + 1; i < TUNING_SIZES; i++)
			vertices /= TUNING_GROWTH;
		for (int i = 0; i < TOPOLOGIES * 2; i++) {
			struct tuned *tuned = &tuning->cases[tuning->count];

			*tuned = (struct tuned){ .topology = &topologies[i / 2],
						 .size = size,
						 .weighted = i % 2 };
			topology_graph(tuned->topology, vertices, graph, sizeof(graph));
			if (!measure_case(tuning, tuned, graph))
				return false;
			print_case(tuned, graph);
			tuning->count++;
		}
	}
	return true;
}

bool tuning_classifier(const struct tuning *tuning, const struct topology *without,
		       struct classifier *classifier)
{
	*classifier = (struct classifier){ 0 };
	for (uint32_t i = 0; i < tuning->count; i++) {
		const struct tuned *tuned = &tuning->cases[i];

		if (tuned->topology != without &&
		    !classifier_add(classifier, tuned->weighted, &tuned->one)) {
			fprintf(stderr, "hbsgraph: no memory for what was measured\n");
			return false;
		}
	}
	return classifier_fit(classifier);
}

/* How well a classifier does */
struct score {
	int right;
	int cases;
	int sure; /* cases in which one mode is surely ahead */
	int right_of_sure;
	double worst; /* what the worst choice costs, as a part of the better time */
};

static void count_choice(struct score *score, const struct tuned *tuned,
			 const struct verdict *verdict)
{
	const double *seconds = tuned->one.seconds;
	double chosen = seconds[verdict->mode];
	double other = seconds[verdict->mode == MODE_SYNC ? MODE_ASYNC : MODE_SYNC];
	bool sure = pairs_are_sure(&tuned->pairs);

	score->cases++;
	score->right += chosen <= other;
	score->sure += sure;
	score->right_of_sure += sure && chosen <= other;
	if (chosen / other - 1 > score->worst)
		score->worst = chosen / other - 1;
}

static void print_score(const char *what, const struct score *score)
{
	printf("%s the better mode in %d of %d cases", what, score->right, score->cases);
	if (score->right < score->cases)
		printf("; the worst choice costs %.1f%%", 100 * score->worst);
	putchar('\n');
}

static void print_choice(const struct tuned *tuned, const struct verdict *verdict)
{
	uint32_t ahead = better_of(tuned->one.seconds) == MODE_ASYNC
				 ? tuned->pairs.sync_longer
				 : tuned->pairs.count - tuned->pairs.sync_longer;
	const double *seconds = tuned->one.seconds;

	printf("%-24s %-8s %8.2f %8.2f ", tuned->topology->name,
	       tuned->weighted ? "weighted" : "plain", tuned->topology->speedup[tuned->weighted],
	       seconds[MODE_SYNC] / seconds[MODE_ASYNC]);
	if (verdict->by_models)
		printf("%8.2f", verdict->seconds[MODE_SYNC] / verdict->seconds[MODE_ASYNC]);
	else
		printf("%8s", "error");
	printf(" %-6s %2u of %-2u %-6s\n", name_of(better_of(seconds)), ahead, tuned->pairs.count,
	       name_of(verdict->mode));
}

static bool is_largest(const struct tuned *tuned)
{
	return tuned->size == TUNING_SIZES - 1;
}

static bool count_unseen(const struct tuning *tuning, struct score *score)
{
	struct classifier classifier = { 0 };
	struct verdict verdict;
	bool good = true;

	for (uint32_t i = 0; good && i < tuning->count; i++) {
		const struct tuned *tuned = &tuning->cases[i];

		if (!is_largest(tuned))
			continue;
		good = tuning_classifier(tuning, tuned->topology, &classifier);
		if (good &&
		    classifier_choose(&classifier, tuned->weighted, &tuned->one.features, &verdict))
			count_choice(score, tuned, &verdict);
		classifier_free(&classifier);
	}
	return good;
}

bool tuning_print(const struct tuning *tuning, const struct classifier *classifier)
{
	struct score seen = { 0 }, unseen = { 0 };
	struct verdict verdict;

	printf("\nSa is the time in mode sync divided by that in mode async, as in the paper's "
	       "table 2.\n%-24s %-8s %8s %8s %8s %-6s %-8s %-6s\n",
	       "topology", "weights", "paper Sa", "Sa", "model Sa", "better", "pairs", "auto");
	for (uint32_t i = 0; i < tuning->count; i++) {
		const struct tuned *tuned = &tuning->cases[i];

		if (!is_largest(tuned) ||
		    !classifier_choose(classifier, tuned->weighted, &tuned->one.features, &verdict))
			continue;
		print_choice(tuned, &verdict);
		count_choice(&seen, tuned, &verdict);
	}
	if (!count_unseen(tuning, &unseen))
		return false;
	putchar('\n');
	print_score("auto takes", &seen);
	printf("  in %d of them one mode was surely ahead (a sign test): there it takes that "
	       "one in %d\n",
	       seen.sure, seen.right_of_sure);
	print_score("without having seen that topology, it would take", &unseen);
	return true;
}
