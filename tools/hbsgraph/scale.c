// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hbs_graph.h"
#include "scale.h"
#include "shared/number.h"

/* NAME or NAME:NUMBER; false if it is neither. A number that is wrong has been complained about. */
static bool take_factor(const char *word, const char *name, uint32_t *factor, bool *is_wrong)
{
	size_t length = strlen(name);
	unsigned long number;

	if (strncmp(word, name, length) || (word[length] && word[length] != ':') || *factor)
		return false;
	if (!word[length]) {
		*factor = SCALE_ALL;
		return true;
	}
	*is_wrong = !number_parse("scale", word + length + 1, 1, HBS_GRAPH_VERTICES_MAX, &number);
	*factor = *is_wrong ? 0 : (uint32_t)number;
	return true;
}

bool scale_parse(const char *text, struct scale *scale)
{
	char *copy = strdup(text), *rest = copy, *word;
	bool is_wrong = false, is_known = copy;

	*scale = (struct scale){ 0 };
	while (is_known && !is_wrong && (word = strsep(&rest, ",")))
		is_known = !strcmp(word, "time") ||
			   take_factor(word, "data", &scale->data, &is_wrong) ||
			   take_factor(word, "clone", &scale->copies, &is_wrong);
	free(copy);
	if (!is_known)
		fprintf(stderr,
			"hbsgraph: --scale: '%s' is not time, data[:N], clone[:N] or some of "
			"them with commas\n",
			text);
	/* what is not named is 1: the runs one after the other do the rest */
	scale->data += !scale->data;
	scale->copies += !scale->copies;
	return is_known && !is_wrong;
}

struct scale scale_fit(const struct scale *scale, uint32_t vertices)
{
	struct scale fit = *scale;
	uint32_t all;

	if (!fit.data) {
		fit.data = SCALE_DATA_DEFAULT;
		fit.copies = 1;
	}
	if (fit.data > vertices)
		fit.data = vertices ? vertices : 1;
	all = vertices ? (vertices - 1) / fit.data + 1 : 1;
	if (fit.copies > all)
		fit.copies = all;
	return fit;
}
