/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which mode shortest paths will take less time in */
#ifndef HBSGRAPH_CLASSIFIER_H
#define HBSGRAPH_CLASSIFIER_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

/* The graphs that were measured on a machine, and the models that were fitted to them */
#define CLASSIFIER_CASES_MAX 1024

struct classifier {
	struct model_case *cases[2]; /* by weighted */
	uint32_t count[2];
	struct model models[2][MODEL_MODES];
};

/* What a classifier says of a graph */
struct verdict {
	enum mode mode;
	double seconds[MODEL_MODES]; /* by the models */
	bool by_models;		     /* else by the measured graph that is most like it */
	const struct model_case *like;
};

/* Add a case, whose features and times are positive. Return: false if there is no memory, or too many. */
bool classifier_add(struct classifier *classifier, bool weighted, const struct model_case *one);

/* Fit the models to all cases. Return: false, with a message on stderr, if that fails. */
bool classifier_fit(struct classifier *classifier);

void classifier_free(struct classifier *classifier);

/**
 * classifier_choose() - choose a mode
 * @classifier: with fitted models
 * @weighted: whether edges have weights
 * @features: of the graph
 * @verdict: out
 *
 * Where a model says a time that is not above 0, the measured graph that is most like this one decides.
 *
 * Return: false if nothing like it was measured.
 */
bool classifier_choose(const struct classifier *classifier, bool weighted,
		       const struct features *features, struct verdict *verdict);

#endif /* HBSGRAPH_CLASSIFIER_H */
