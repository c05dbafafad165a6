// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To test the comparison: after each sweep of the threads, but not of the serial
 * run, one cell is wrong in its last bit.
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
