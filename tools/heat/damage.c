// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For the test of the comparison: the threads' sweeps, but not those of the serial
 * run, end with one cell that is wrong in its last bit.
 */
#include <math.h>

#include "field.h"

double __real_field_sweep(const struct field *field, size_t first, size_t last);
double __wrap_field_sweep(const struct field *field, size_t first, size_t last);

double __wrap_field_sweep(const struct field *field, size_t first, size_t last)
{
	double residual = __real_field_sweep(field, first, last);
	double *cell = &field->cells[!field->now][first * field->width + 1];

	*cell = nextafter(*cell, 2 * FIELD_HOT);
	return residual;
}
