// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "csv.h"

/* As RFC 4180 says; the apostrophe keeps a spreadsheet from taking a text for a formula */
static void write_text(FILE *file, const char *text)
{
	fputc('"', file);
	if (text && *text && strchr("=+-@", *text))
		fputc('\'', file);
	for (; text && *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

/* An unknown value leaves its field empty */
static void write_number(FILE *file, double value)
{
	if (value == UNKNOWN)
		fputs(",", file);
	else
		fprintf(file, ",%.9g", value);
}

static void write_names(FILE *file, const struct row *row)
{
	write_text(file, row->workload);
	fputc(',', file);
	write_text(file, row->unit);
	fputc(',', file);
	write_text(file, row->contender);
	fputc(',', file);
	write_text(file, row->placement);
	fprintf(file, ",%u,%d,", row->members, row->means_little);
	write_text(file, row->error);
}

static void write_repetition(FILE *file, const struct repetition *repetition)
{
	static const int chosen[] = { LEVEL_MIN, LEVEL_MEDIAN, LEVEL_P99, LEVEL_P999, LEVEL_MAX };

	for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++)
		write_number(file, repetition->quantile[chosen[i]]);
	write_number(file, repetition->mean);
	write_number(file, repetition->cpu);
	write_number(file, repetition->system);
	write_number(file, repetition->burn);
	write_number(file, repetition->samples);
	write_number(file, repetition->violations);
	write_number(file, repetition->misplaced);
	write_number(file, repetition->load);
	write_number(file, repetition->barriers);
}

static void write_condition(FILE *file, const struct row *row)
{
	fputc(',', file);
	write_text(file, row->condition);
	fputs("\r\n", file);
}

void csv_write(const struct results *results, FILE *file)
{
	fputs("workload,unit,contender,placement,members,means_little,error,repetition,min_ns,"
	      "median_ns,p99_ns,p999_ns,max_ns,mean_ns,cpu_ns,system_ns,burn,samples,violations,"
	      "misplaced,load,barriers,condition\r\n",
	      file);
	for (size_t i = 0; i < results->row_count; i++) {
		const struct row *row = &results->rows[i];

		if (!row->count) {
			write_names(file, row);
			fputs(",,,,,,,,,,,,,,,", file);
			write_condition(file, row);
		}
		for (size_t k = 0; k < row->count; k++) {
			write_names(file, row);
			fprintf(file, ",%zu", k);
			write_repetition(file, &row->repetitions[k]);
			write_condition(file, row);
		}
	}
}
