/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plate: a grid of temperatures, its sweeps, and the thermostat */
#ifndef HEAT_FIELD_H
#define HEAT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIELD_SIDE_MIN 3
#define FIELD_SIDE_MAX 16384
#define FIELD_HOT      100.0

struct field {
	size_t width;
	size_t height;
	double *cells[2]; /* a sweep reads cells[now] and writes the other one */
	unsigned int now;
	double heater;	 /* temperature of the left edge */
	double residual; /* largest change of the last sweep */
};

/* Return: 0, or -ENOMEM, also if the machine cannot hold two such fields */
int field_init(struct field *field, size_t width, size_t height);
int field_copy(struct field *field, const struct field *from);
void field_free(struct field *field);

/* Random temperatures; the same for the same seed */
void field_randomise(struct field *field, uint64_t seed);

/* Sweep the rows from @first to before @last; return the largest change */
double field_sweep(const struct field *field, size_t first, size_t last);

/*
 * One thread does this between two sweeps, when all rows are done: it swaps the
 * buffers, and lets the thermostat set the left edge from the temperatures at its
 * probes all over the plate.
 */
void field_turn(struct field *field, double residual);

/* The inner rows of one of @parts threads: from *first to before *last */
void field_share(const struct field *field, unsigned int part, unsigned int parts, size_t *first,
		 size_t *last);

/* Solve with one thread */
void field_solve(struct field *field, unsigned long sweeps);

/* Compare bit for bit; return false and the first cell that differs */
bool field_equal(const struct field *a, const struct field *b, size_t *x, size_t *y);

#endif /* HEAT_FIELD_H */
