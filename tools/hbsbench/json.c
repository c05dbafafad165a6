// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <string.h>

#include "json.h"

#define FORMAT_NAME    "hbsbench"
#define FORMAT_VERSION 1

static json_t *text(const char *value)
{
	return value ? json_string(value) : json_null();
}

static json_t *write_repetition(const struct repetition *repetition)
{
	json_t *object = json_object(), *quantiles = json_array();

	for (int i = 0; i < LEVELS; i++)
		json_array_append_new(quantiles, json_real(repetition->quantile[i]));
	json_object_set_new(object, "quantiles", quantiles);
	json_object_set_new(object, "mean", json_real(repetition->mean));
	json_object_set_new(object, "cpu", json_real(repetition->cpu));
	json_object_set_new(object, "system", json_real(repetition->system));
	json_object_set_new(object, "burn", json_real(repetition->burn));
	json_object_set_new(object, "samples", json_real(repetition->samples));
	json_object_set_new(object, "violations", json_real(repetition->violations));
	json_object_set_new(object, "misplaced", json_real(repetition->misplaced));
	return object;
}

static json_t *write_row(const struct row *row)
{
	json_t *object = json_object(), *repetitions = json_array();

	for (size_t i = 0; i < row->count; i++)
		json_array_append_new(repetitions, write_repetition(&row->repetitions[i]));
	json_object_set_new(object, "workload", text(row->workload));
	json_object_set_new(object, "unit", text(row->unit));
	json_object_set_new(object, "contender", text(row->contender));
	json_object_set_new(object, "placement", text(row->placement));
	json_object_set_new(object, "members", json_integer(row->members));
	json_object_set_new(object, "ours", json_boolean(row->ours));
	json_object_set_new(object, "ideal", json_boolean(row->ideal));
	json_object_set_new(object, "means_little", json_boolean(row->means_little));
	json_object_set_new(object, "distribution", json_boolean(row->distribution));
	json_object_set_new(object, "error", text(row->error));
	json_object_set_new(object, "repetitions", repetitions);
	return object;
}

static json_t *write_contestant(const struct contestant *contestant)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", text(contestant->name));
	json_object_set_new(object, "what", text(contestant->what));
	json_object_set_new(object, "version", text(contestant->version));
	json_object_set_new(object, "absent", text(contestant->absent));
	json_object_set_new(object, "ours", json_boolean(contestant->ours));
	json_object_set_new(object, "ideal", json_boolean(contestant->ideal));
	json_object_set_new(object, "spins", json_boolean(contestant->spins));
	json_object_set_new(object, "memory_members", json_integer(contestant->memory_members));
	json_object_set_new(object, "memory", json_real(contestant->memory));
	json_object_set_new(object, "memory_each", json_real(contestant->memory_each));
	json_object_set_new(object, "memory_budget", json_real(contestant->memory_budget));
	json_object_set_new(object, "memory_process", json_real(contestant->memory_process));
	return object;
}

static json_t *write_levels(void)
{
	json_t *array = json_array();

	for (int i = 0; i < LEVELS; i++)
		json_array_append_new(array, json_real(levels[i]));
	return array;
}

bool json_write(const struct results *results, FILE *file, const char *path)
{
	json_t *root = json_object(), *facts = json_object(), *contestants = json_array(),
	       *rows = json_array();
	bool good;

	for (size_t i = 0; i < results->fact_count; i++)
		json_object_set_new(facts, results->facts[i].name, text(results->facts[i].value));
	for (size_t i = 0; i < results->contestant_count; i++)
		json_array_append_new(contestants, write_contestant(&results->contestants[i]));
	for (size_t i = 0; i < results->row_count; i++)
		json_array_append_new(rows, write_row(&results->rows[i]));
	json_object_set_new(root, "format", json_string(FORMAT_NAME));
	json_object_set_new(root, "version", json_integer(FORMAT_VERSION));
	json_object_set_new(root, "facts", facts);
	json_object_set_new(root, "levels", write_levels());
	json_object_set_new(root, "contenders", contestants);
	json_object_set_new(root, "rows", rows);
	good = !json_dumpf(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) &&
	       fputc('\n', file) != EOF;
	if (!good)
		fprintf(stderr, "hbsbench: %s: could not write all of it\n", path);
	json_decref(root);
	return good;
}

static char *read_text(json_t *object, const char *key)
{
	return text_copy(json_string_value(json_object_get(object, key)));
}

static bool read_flag(json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

static double read_number(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : UNKNOWN;
}

static bool read_repetition(json_t *object, struct repetition *repetition)
{
	json_t *quantiles = json_object_get(object, "quantiles");

	if (json_array_size(quantiles) != LEVELS)
		return false;
	for (int i = 0; i < LEVELS; i++) {
		json_t *value = json_array_get(quantiles, (size_t)i);

		if (!json_is_number(value))
			return false;
		repetition->quantile[i] = json_number_value(value);
	}
	repetition->mean = read_number(object, "mean");
	repetition->cpu = read_number(object, "cpu");
	repetition->system = read_number(object, "system");
	repetition->burn = read_number(object, "burn");
	repetition->samples = read_number(object, "samples");
	repetition->violations = read_number(object, "violations");
	repetition->misplaced = read_number(object, "misplaced");
	return true;
}

static bool read_row(json_t *object, struct row *row)
{
	json_t *repetitions = json_object_get(object, "repetitions");
	json_t *repetition;
	size_t i;

	row->workload = read_text(object, "workload");
	row->unit = read_text(object, "unit");
	row->contender = read_text(object, "contender");
	row->placement = read_text(object, "placement");
	row->members = (unsigned int)json_integer_value(json_object_get(object, "members"));
	row->ours = read_flag(object, "ours");
	row->ideal = read_flag(object, "ideal");
	row->means_little = read_flag(object, "means_little");
	row->distribution = read_flag(object, "distribution");
	row->error = read_text(object, "error");
	json_array_foreach(
		repetitions, i,
		repetition) if (!read_repetition(repetition, row_add_repetition(row))) return false;
	return row->workload && row->unit && row->contender && row->placement && row->members;
}

static bool read_contestant(json_t *object, struct contestant *contestant)
{
	contestant->name = read_text(object, "name");
	contestant->what = read_text(object, "what");
	contestant->version = read_text(object, "version");
	contestant->absent = read_text(object, "absent");
	contestant->ours = read_flag(object, "ours");
	contestant->ideal = read_flag(object, "ideal");
	contestant->spins = read_flag(object, "spins");
	contestant->memory_members =
		(unsigned int)json_integer_value(json_object_get(object, "memory_members"));
	contestant->memory = read_number(object, "memory");
	contestant->memory_each = read_number(object, "memory_each");
	contestant->memory_budget = read_number(object, "memory_budget");
	contestant->memory_process = read_number(object, "memory_process");
	return contestant->name && contestant->what;
}

/* NULL, or what is wrong with it */
static const char *read_all(struct results *results, json_t *root)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	const char *name;
	json_t *item;
	size_t i;

	if (!format || strcmp(format, FORMAT_NAME))
		return "is not of hbsbench";
	if (json_integer_value(json_object_get(root, "version")) != FORMAT_VERSION)
		return "is of another version of hbsbench";
	json_object_foreach(json_object_get(root, "facts"), name, item) if (json_is_string(item))
		results_add_fact(results, name, "%s", json_string_value(item));
	json_array_foreach(json_object_get(root, "contenders"), i, item) if (
		!read_contestant(item,
				 results_add_contestant(
					 results))) return "has a contender that is not whole";
	json_array_foreach(
		json_object_get(root, "rows"), i,
		item) if (!read_row(item,
				    results_add_row(results))) return "has a row that is not whole";
	return NULL;
}

bool json_read(struct results *results, const char *path)
{
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);
	const char *why;

	if (!root) {
		fprintf(stderr, "hbsbench: %s: %s\n", path, error.text);
		return false;
	}
	why = read_all(results, root);
	if (why) {
		fprintf(stderr, "hbsbench: %s: %s\n", path, why);
		results_free(results);
	}
	json_decref(root);
	return !why;
}
