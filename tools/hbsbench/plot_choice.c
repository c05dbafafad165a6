// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"
#include "plot_choice.h"

#define CARD "hbs-card"

/* How far a contender is from the best, and whether it is the best with some number of members */
struct score {
	double sum;
	unsigned int count;
	bool best;
	bool taken;
};

struct choice {
	const struct results *results;
	const struct row *like;
	plot_has_fn has;
	bool all;
};

bool plot_row_counts(const struct row *row, bool all)
{
	return row_good(row) && row_quantile(row, LEVEL_MEDIAN) > 0 && (all || !row->means_little);
}

static bool counts(const struct choice *choice, const struct row *row)
{
	return plot_row_counts(row, choice->all) && choice->has(row, choice->like);
}

/* The smallest median of the peers that @row is compared with; 0 if there are none */
static double least(const struct choice *choice, const struct row *row)
{
	double result = 0;

	for (size_t i = 0; i < choice->results->row_count; i++) {
		const struct row *peer = &choice->results->rows[i];
		double median;

		if (peer->ours || peer->ideal || !counts(choice, peer) || !rows_alike(peer, row))
			continue;
		median = row_quantile(peer, LEVEL_MEDIAN);
		if (!result || median < result)
			result = median;
	}
	return result;
}

static struct score score_of(const struct choice *choice, const char *contender)
{
	struct score score = { 0 };

	for (size_t i = 0; i < choice->results->row_count; i++) {
		const struct row *row = &choice->results->rows[i];
		double best, median;

		if (strcmp(row->contender, contender) || !counts(choice, row))
			continue;
		best = least(choice, row);
		median = row_quantile(row, LEVEL_MEDIAN);
		score.count++;
		if (best > 0) {
			score.sum += log(median / best);
			score.best |= median <= best;
		}
	}
	return score;
}

static bool is_better(const struct score *a, const struct score *b)
{
	if (a->best != b->best)
		return a->best;
	if (a->count != b->count)
		return a->count > b->count;
	return a->sum / a->count < b->sum / b->count;
}

static void take_peers(const struct choice *choice, struct score *scores)
{
	const struct contestant *contestants = choice->results->contestants;
	size_t count = choice->results->contestant_count;

	for (unsigned int taken = 0; taken < PLOT_PEERS; taken++) {
		struct score *best = NULL;

		for (size_t i = 0; i < count; i++)
			if (!contestants[i].ours && !contestants[i].ideal && scores[i].count &&
			    !scores[i].taken && (!best || is_better(&scores[i], best)))
				best = &scores[i];
		if (!best)
			return;
		best->taken = true;
	}
}

/* The contestant that stands for hbs, or NULL */
static const struct contestant *find_marked(const struct results *results,
					    const struct score *scores)
{
	const struct contestant *marked = NULL;

	for (size_t i = 0; i < results->contestant_count; i++) {
		const struct contestant *contestant = &results->contestants[i];

		if (!contestant->ours || !scores[i].count)
			continue;
		if (!strcmp(contestant->name, CONTENDER_HBS))
			return contestant;
		if (!marked || !strcmp(contestant->name, CARD))
			marked = contestant;
	}
	return marked;
}

static bool is_wanted(const struct choice *choice, const struct contestant *contestant,
		      const struct score *score)
{
	return score->count && (choice->all || score->taken || contestant->ideal ||
				!strcmp(contestant->name, CARD));
}

size_t plot_choose(const struct results *results, const struct row *like, plot_has_fn has, bool all,
		   struct line *lines)
{
	struct choice choice = { results, like, has, all };
	struct score *scores = calloc(results->contestant_count + 1, sizeof(*scores));
	const struct contestant *marked;
	unsigned int styles = 0;
	size_t count = 0;

	if (!scores)
		return 0;
	for (size_t i = 0; i < results->contestant_count; i++)
		scores[i] = score_of(&choice, results->contestants[i].name);
	take_peers(&choice, scores);
	marked = find_marked(results, scores);
	for (size_t i = 0; i < results->contestant_count; i++) {
		const struct contestant *contestant = &results->contestants[i];
		unsigned int style = contestant->ideal ? 0 : styles++;

		if (contestant == marked || !is_wanted(&choice, contestant, &scores[i]))
			continue;
		lines[count++] = (struct line){ contestant->name,
						contestant->ideal  ? LINE_IDEAL
						: contestant->ours ? LINE_OURS
								   : LINE_PEER,
						style };
	}
	if (marked)
		lines[count++] = (struct line){ marked->name, LINE_MARKED, 0 };
	free(scores);
	return count;
}
