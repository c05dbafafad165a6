// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdio.h>

#include "model.h"

/* What the paper divides numbers of vertices by */
#define VERTICES_UNIT (1 << 20)

/* Principal components with less than this part of the largest one are left out */
#define TOLERANCE 1e-3

void model_terms(const struct features *features, double terms[MODEL_TERMS])
{
	double x1 = features->vertices / VERTICES_UNIT, x2 = features->fanout;
	double x3 = features->diameter, x4 = features->reconvergence;
	const double values[MODEL_TERMS] = { 1,	      x1, x2,	   x1 * x2, x3,	    x1 * x3,
					     x2 * x3, x4, x1 * x4, x2 * x4, x3 * x4 };

	for (int i = 0; i < MODEL_TERMS; i++)
		terms[i] = values[i];
}

double model_seconds(const struct model *model, const struct features *features)
{
	double terms[MODEL_TERMS], sum = 0;

	model_terms(features, terms);
	for (int i = 0; i < MODEL_TERMS; i++)
		sum += model->coefficients[i] * terms[i];
	return sum;
}

/* What least squares work on */
struct system {
	gsl_matrix *terms;
	gsl_vector *weights;
	gsl_vector *seconds;
	gsl_vector *coefficients;
	gsl_matrix *covariance;
	gsl_multifit_linear_workspace *work;
};

static bool system_begin(struct system *system, uint32_t count)
{
	*system = (struct system){
		.terms = gsl_matrix_alloc(count, MODEL_TERMS),
		.weights = gsl_vector_alloc(count),
		.seconds = gsl_vector_alloc(count),
		.coefficients = gsl_vector_alloc(MODEL_TERMS),
		.covariance = gsl_matrix_alloc(MODEL_TERMS, MODEL_TERMS),
		.work = gsl_multifit_linear_alloc(count, MODEL_TERMS),
	};
	return system->terms && system->weights && system->seconds && system->coefficients &&
	       system->covariance && system->work;
}

static void system_end(struct system *system)
{
	gsl_matrix_free(system->terms);
	gsl_vector_free(system->weights);
	gsl_vector_free(system->seconds);
	gsl_vector_free(system->coefficients);
	gsl_matrix_free(system->covariance);
	gsl_multifit_linear_free(system->work);
}

static void fill(struct system *system, const struct model_case *cases, uint32_t count,
		 enum mode mode)
{
	for (uint32_t i = 0; i < count; i++) {
		double terms[MODEL_TERMS], seconds = cases[i].seconds[mode];

		model_terms(&cases[i].features, terms);
		for (int t = 0; t < MODEL_TERMS; t++)
			gsl_matrix_set(system->terms, i, (size_t)t, terms[t]);
		gsl_vector_set(system->seconds, i, seconds);
		/* errors count as a part of the time: a choice for a small graph matters as much */
		gsl_vector_set(system->weights, i, 1 / (seconds * seconds));
	}
}

/* R2 of the times as they are, as the paper has it */
static double explained(const struct model *model, const struct model_case *cases, uint32_t count,
			enum mode mode)
{
	double mean = 0, error = 0, spread = 0;

	for (uint32_t i = 0; i < count; i++)
		mean += cases[i].seconds[mode] / count;
	for (uint32_t i = 0; i < count; i++) {
		double seconds = cases[i].seconds[mode];

		error += pow(seconds - model_seconds(model, &cases[i].features), 2);
		spread += pow(seconds - mean, 2);
	}
	return spread > 0 ? 1 - error / spread : 1;
}

bool model_fit(const struct model_case *cases, uint32_t count, enum mode mode, struct model *model)
{
	struct system system;
	double squares;
	size_t rank;
	int ret;

	*model = (struct model){ .known = false };
	if (count < MODEL_TERMS)
		return true;
	/* by default, GSL ends the program where it could return an error */
	gsl_set_error_handler_off();
	ret = system_begin(&system, count) ? 0 : GSL_ENOMEM;
	if (!ret) {
		fill(&system, cases, count, mode);
		ret = gsl_multifit_wlinear_tsvd(system.terms, system.weights, system.seconds,
						TOLERANCE, system.coefficients, system.covariance,
						&squares, &rank, system.work);
	}
	if (!ret) {
		for (int i = 0; i < MODEL_TERMS; i++)
			model->coefficients[i] = gsl_vector_get(system.coefficients, (size_t)i);
		model->known = true;
		model->r2 = explained(model, cases, count, mode);
	} else {
		fprintf(stderr, "hbsgraph: no model: %s\n", gsl_strerror(ret));
	}
	system_end(&system);
	return !ret;
}
