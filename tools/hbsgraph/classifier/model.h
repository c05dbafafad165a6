/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long shortest paths take, as a sum of products of features: the hypothesis of paper 002,
 * equation 1. There is a model for each mode, and for graphs with weights and without.
 */
#ifndef HBSGRAPH_MODEL_H
#define HBSGRAPH_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "../app.h"
#include "features.h"

/* 1, x1, x2, x1 x2, x3, x1 x3, x2 x3, x4, x1 x4, x2 x4, x3 x4 */
#define MODEL_TERMS 11

/* The modes that models are for */
#define MODEL_MODES 2

/**
 * struct model - a time in seconds
 * @coefficients: of the terms
 * @r2: how much of the differences between the measured times it explains, at most 1
 * @known: whether there is such a model
 */
struct model {
	double coefficients[MODEL_TERMS];
	double r2;
	bool known;
};

/* A graph that was measured: its features, and the time in seconds in each mode */
struct model_case {
	struct features features;
	double seconds[MODEL_MODES];
};

/* The terms of a graph */
void model_terms(const struct features *features, double terms[MODEL_TERMS]);

/* The time by a model; it may be negative, since the model is a sum */
double model_seconds(const struct model *model, const struct features *features);

/**
 * model_fit() - find the coefficients whose errors, each divided by the measured time, have the least
 *               sum of squares
 * @cases: what was measured
 * @count: of them
 * @mode: MODE_SYNC or MODE_ASYNC
 * @model: out; not known if there are too few cases
 *
 * Principal components that explain almost nothing are left out, as the paper does.
 *
 * Return: false if there is no memory.
 */
bool model_fit(const struct model_case *cases, uint32_t count, enum mode mode, struct model *model);

/* The models of the paper's table 4, by weighted, by mode */
extern const struct model model_paper[2][MODEL_MODES];

#endif /* HBSGRAPH_MODEL_H */
