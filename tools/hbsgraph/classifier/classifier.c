// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>

#include "classifier.h"

bool classifier_add(struct classifier *classifier, bool weighted, const struct model_case *one)
{
	uint32_t count = classifier->count[weighted];
	struct model_case *more;

	if (count == CLASSIFIER_CASES_MAX)
		return false;
	more = realloc(classifier->cases[weighted], (count + 1) * sizeof(*more));
	if (!more)
		return false;
	more[count] = *one;
	classifier->cases[weighted] = more;
	classifier->count[weighted] = count + 1;
	return true;
}

bool classifier_fit(struct classifier *classifier)
{
	for (int weighted = 0; weighted < 2; weighted++)
		for (int mode = 0; mode < MODEL_MODES; mode++)
			if (!model_fit(classifier->cases[weighted], classifier->count[weighted],
				       (enum mode)mode, &classifier->models[weighted][mode]))
				return false;
	return true;
}

void classifier_free(struct classifier *classifier)
{
	free(classifier->cases[false]);
	free(classifier->cases[true]);
	*classifier = (struct classifier){ 0 };
}

/* By how many times two features differ, as a logarithm; a diameter may be 0 */
static double apart(double a, double b)
{
	return fabs(log((a + 1) / (b + 1)));
}

static double distance(const struct features *a, const struct features *b)
{
	return apart(a->vertices, b->vertices) / 4 + apart(a->fanout, b->fanout) +
	       apart(a->diameter, b->diameter) + apart(a->reconvergence, b->reconvergence);
}

static const struct model_case *most_like(const struct classifier *classifier, bool weighted,
					  const struct features *features)
{
	const struct model_case *best = NULL;
	double least = INFINITY;

	for (uint32_t i = 0; i < classifier->count[weighted]; i++) {
		const struct model_case *one = &classifier->cases[weighted][i];
		double far = distance(&one->features, features);

		if (far < least) {
			least = far;
			best = one;
		}
	}
	return best;
}

bool classifier_choose(const struct classifier *classifier, bool weighted,
		       const struct features *features, struct verdict *verdict)
{
	const struct model *models = classifier->models[weighted];
	const double *seconds = verdict->seconds;

	*verdict = (struct verdict){ .by_models = true };
	for (int mode = 0; mode < MODEL_MODES; mode++) {
		verdict->seconds[mode] = model_seconds(&models[mode], features);
		verdict->by_models &= models[mode].known && verdict->seconds[mode] > 0;
	}
	if (!verdict->by_models) {
		verdict->like = most_like(classifier, weighted, features);
		if (!verdict->like)
			return false;
		seconds = verdict->like->seconds;
	}
	verdict->mode = seconds[MODE_SYNC] < seconds[MODE_ASYNC] ? MODE_SYNC : MODE_ASYNC;
	return true;
}
