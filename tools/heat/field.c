// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "field.h"

#define WANTED	 (FIELD_HOT / 2) /* the temperature that the thermostat wants to see */
#define RESPONSE 4.0

/* The kernel may promise more memory than there is, and kill the program to get it back */
static bool fits(size_t cells)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	/* two fields, the one of the threads and the serial one, of two buffers each */
	return cells <= memory / (4 * sizeof(double));
}

int field_init(struct field *field, size_t width, size_t height)
{
	memset(field, 0, sizeof(*field));
	if (!fits(width * height))
		return -ENOMEM;
	field->width = width;
	field->height = height;
	for (int i = 0; i < 2; i++) {
		field->cells[i] = calloc(width * height, sizeof(double));
		if (!field->cells[i]) {
			field_free(field);
			return -ENOMEM;
		}
	}
	return 0;
}

int field_copy(struct field *field, const struct field *from)
{
	size_t size = from->width * from->height * sizeof(double);
	int ret = field_init(field, from->width, from->height);

	if (ret)
		return ret;
	for (int i = 0; i < 2; i++)
		memcpy(field->cells[i], from->cells[i], size);
	field->now = from->now;
	field->heater = from->heater;
	return 0;
}

void field_free(struct field *field)
{
	free(field->cells[0]);
	free(field->cells[1]);
}

static uint64_t random_next(uint64_t *state)
{
	/* splitmix64 */
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void field_randomise(struct field *field, uint64_t seed)
{
	size_t count = field->width * field->height;

	for (size_t i = 0; i < count; i++) {
		double value = (double)(random_next(&seed) >> 11) * 0x1p-53 * FIELD_HOT;

		/* both buffers get the edges, which no sweep writes */
		field->cells[0][i] = value;
		field->cells[1][i] = value;
	}
}

double field_sweep(const struct field *field, size_t first, size_t last)
{
	const double *from = field->cells[field->now];
	double *to = field->cells[!field->now];
	size_t width = field->width;
	double residual = 0.0;

	for (size_t y = first; y < last; y++) {
		for (size_t x = 1; x < width - 1; x++) {
			size_t i = y * width + x;

			to[i] = 0.25 *
				(from[i - width] + from[i + width] + from[i - 1] + from[i + 1]);
			residual = fmax(residual, fabs(to[i] - from[i]));
		}
	}
	return residual;
}

void field_turn(struct field *field, double residual)
{
	size_t width = field->width, height = field->height;
	double *cells = field->cells[!field->now];
	double seen = 0.0;

	/* one probe in each row, so that the work of every thread counts */
	for (size_t y = 1; y < height - 1; y++)
		seen += cells[y * width + 1 + y % (width - 2)];
	seen /= (double)(height - 2);
	field->heater = fmin(fmax(WANTED + RESPONSE * (WANTED - seen), 0.0), FIELD_HOT);
	for (size_t y = 0; y < height; y++)
		cells[y * width] = field->heater;
	field->residual = residual;
	field->now = !field->now;
}

void field_share(const struct field *field, unsigned int part, unsigned int parts, size_t *first,
		 size_t *last)
{
	size_t rows = field->height - 2;

	*first = 1 + rows * part / parts;
	*last = 1 + rows * (part + 1) / parts;
}

void field_solve(struct field *field, unsigned long sweeps)
{
	for (unsigned long i = 0; i < sweeps; i++)
		field_turn(field, field_sweep(field, 1, field->height - 1));
}

bool field_equal(const struct field *a, const struct field *b, size_t *x, size_t *y)
{
	size_t count = a->width * a->height;

	for (size_t i = 0; i < count; i++) {
		if (!memcmp(&a->cells[a->now][i], &b->cells[b->now][i], sizeof(double)))
			continue;
		*x = i % a->width;
		*y = i / a->width;
		return false;
	}
	return true;
}
