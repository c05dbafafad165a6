// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "text.h"

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
	json_object_set_new(object, "load", json_real(repetition->load));
	json_object_set_new(object, "barriers", json_real(repetition->barriers));
	return object;
}

static json_t *write_row(const struct row *row)
{
	json_t *object = json_object(), *repetitions = json_array();

	for (size_t i = 0; i < row->count; i++)
		json_array_append_new(repetitions, write_repetition(&row->repetitions[i]));
	json_object_set_new(object, "workload", text(row->workload));
	json_object_set_new(object, "condition", text(row->condition));
	json_object_set_new(object, "policy_of", text(row->policy_of));
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

/* Facts with the same name are an array */
static json_t *write_facts(const struct results *results)
{
	json_t *facts = json_object();

	for (size_t i = 0; i < results->fact_count; i++) {
		const struct fact *fact = &results->facts[i];
		json_t *there = json_object_get(facts, fact->name);

		if (json_is_array(there)) {
			json_array_append_new(there, text(fact->value));
		} else if (there) {
			json_t *both = json_array();

			json_array_append(both, there);
			json_array_append_new(both, text(fact->value));
			json_object_set_new(facts, fact->name, both);
		} else {
			json_object_set_new(facts, fact->name, text(fact->value));
		}
	}
	return facts;
}

bool json_write(const struct results *results, FILE *file)
{
	json_t *root = json_object(), *contestants = json_array(), *rows = json_array();
	bool good;

	for (size_t i = 0; i < results->contestant_count; i++)
		json_array_append_new(contestants, write_contestant(&results->contestants[i]));
	for (size_t i = 0; i < results->row_count; i++)
		json_array_append_new(rows, write_row(&results->rows[i]));
	json_object_set_new(root, "format", json_string(FORMAT_NAME));
	json_object_set_new(root, "version", json_integer(FORMAT_VERSION));
	json_object_set_new(root, "facts", write_facts(results));
	json_object_set_new(root, "levels", write_levels());
	json_object_set_new(root, "contenders", contestants);
	json_object_set_new(root, "rows", rows);
	good = !json_dumpf(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) &&
	       fputc('\n', file) != EOF;
	json_decref(root);
	return good;
}

/* The first key in an object that is missing or wrong */
struct reader {
	const char *wrong;
};

static void refuse(struct reader *reader, const char *key)
{
	if (!reader->wrong)
		reader->wrong = key;
}

/* NULL is right where it is not @needed */
static char *read_text(struct reader *reader, json_t *object, const char *key, bool needed)
{
	json_t *value = json_object_get(object, key);
	const char *is = json_string_value(value);

	if (is ? !text_printable(is) : needed || (value && !json_is_null(value)))
		refuse(reader, key);
	return text_copy(is);
}

static bool read_flag(struct reader *reader, json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	if (value && !json_is_boolean(value))
		refuse(reader, key);
	return json_is_true(value);
}

/* A value that older files do not have is unknown */
static double read_number(struct reader *reader, json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);
	double number = json_number_value(value);

	if (!value)
		return UNKNOWN;
	if (!json_is_number(value) || (number < 0 && number != UNKNOWN))
		refuse(reader, key);
	return number;
}

static unsigned int read_members(struct reader *reader, json_t *object, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(object, key));

	if (value < 1 || value > UINT_MAX)
		refuse(reader, key);
	return (unsigned int)value;
}

/* Times that do not decrease */
static void read_quantiles(struct reader *reader, json_t *object, double *quantile)
{
	json_t *quantiles = json_object_get(object, "quantiles");
	double last = 0;

	if (json_array_size(quantiles) != LEVELS)
		refuse(reader, "quantiles");
	for (size_t i = 0; i < LEVELS; i++) {
		json_t *value = json_array_get(quantiles, i);

		quantile[i] = json_number_value(value);
		if (!json_is_number(value) || quantile[i] < last)
			refuse(reader, "quantiles");
		last = quantile[i];
	}
}

static void read_repetition(struct reader *reader, json_t *object, struct repetition *repetition)
{
	read_quantiles(reader, object, repetition->quantile);
	repetition->mean = read_number(reader, object, "mean");
	repetition->cpu = read_number(reader, object, "cpu");
	repetition->system = read_number(reader, object, "system");
	repetition->burn = read_number(reader, object, "burn");
	repetition->samples = read_number(reader, object, "samples");
	repetition->violations = read_number(reader, object, "violations");
	repetition->misplaced = read_number(reader, object, "misplaced");
	repetition->load = read_number(reader, object, "load");
	repetition->barriers = read_number(reader, object, "barriers");
}

static void read_row(struct reader *reader, json_t *object, struct results *results)
{
	json_t *repetitions = json_object_get(object, "repetitions"), *repetition;
	struct row *row = results_add_row(results);
	size_t i;

	row->workload = read_text(reader, object, "workload", true);
	row->condition = read_text(reader, object, "condition", false);
	row->policy_of = read_text(reader, object, "policy_of", false);
	row->unit = read_text(reader, object, "unit", true);
	row->contender = read_text(reader, object, "contender", true);
	row->placement = read_text(reader, object, "placement", true);
	row->members = read_members(reader, object, "members");
	row->ours = read_flag(reader, object, "ours");
	row->ideal = read_flag(reader, object, "ideal");
	row->means_little = read_flag(reader, object, "means_little");
	row->distribution = read_flag(reader, object, "distribution");
	row->error = read_text(reader, object, "error", false);
	if (!json_is_array(repetitions))
		refuse(reader, "repetitions");
	json_array_foreach(repetitions, i, repetition)
	{
		read_repetition(reader, repetition, row_add_repetition(row));
	}
}

static void read_contestant(struct reader *reader, json_t *object, struct results *results)
{
	struct contestant *contestant = results_add_contestant(results);

	contestant->name = read_text(reader, object, "name", true);
	contestant->what = read_text(reader, object, "what", true);
	contestant->version = read_text(reader, object, "version", false);
	contestant->absent = read_text(reader, object, "absent", false);
	contestant->ours = read_flag(reader, object, "ours");
	contestant->ideal = read_flag(reader, object, "ideal");
	contestant->spins = read_flag(reader, object, "spins");
	contestant->memory_members = read_members(reader, object, "memory_members");
	contestant->memory = read_number(reader, object, "memory");
	contestant->memory_each = read_number(reader, object, "memory_each");
	contestant->memory_budget = read_number(reader, object, "memory_budget");
	contestant->memory_process = read_number(reader, object, "memory_process");
}

typedef void (*read_fn)(struct reader *reader, json_t *object, struct results *results);

static bool read_list(struct results *results, json_t *root, const char *name, read_fn read,
		      const char *path)
{
	json_t *list = json_object_get(root, name), *item;
	size_t i;

	if (!json_is_array(list)) {
		fprintf(stderr, "hbsbench: %s: has no list of %s\n", path, name);
		return false;
	}
	json_array_foreach(list, i, item)
	{
		struct reader reader = { 0 };

		read(&reader, item, results);
		if (!reader.wrong)
			continue;
		fprintf(stderr, "hbsbench: %s: %s[%zu]: '%s' is missing or wrong\n", path, name, i,
			reader.wrong);
		return false;
	}
	return true;
}

/* Our quantiles are at these levels, and no other levels mean the same */
static bool has_our_levels(json_t *root)
{
	json_t *array = json_object_get(root, "levels");
	bool same = json_array_size(array) == LEVELS;

	for (size_t i = 0; same && i < LEVELS; i++)
		same = fabs(json_number_value(json_array_get(array, i)) - levels[i]) < 1e-6;
	return same;
}

static void read_fact(struct reader *reader, struct results *results, const char *name,
		      json_t *value)
{
	const char *is = json_string_value(value);
	json_t *item;
	size_t i;

	if (is && text_printable(is) && text_printable(name))
		results_add_fact(results, name, "%s", is);
	else if (!json_is_array(value))
		refuse(reader, name);
	json_array_foreach(value, i, item)
	{
		/* no array in an array */
		if (json_is_string(item))
			read_fact(reader, results, name, item);
		else
			refuse(reader, name);
	}
}

/* NULL, or what is wrong with the row */
static const char *read_head(struct results *results, json_t *root)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	json_t *facts = json_object_get(root, "facts"), *item;
	struct reader reader = { 0 };
	const char *name;

	if (!format || strcmp(format, FORMAT_NAME))
		return "is not of hbsbench";
	if (json_integer_value(json_object_get(root, "version")) != FORMAT_VERSION)
		return "is of another version of hbsbench";
	if (!has_our_levels(root))
		return "has quantiles of other levels";
	if (!json_is_object(facts))
		return "has no facts";
	json_object_foreach(facts, name, item)
	{
		read_fact(&reader, results, name, item);
	}
	return reader.wrong ? "has a fact that is no text" : NULL;
}

/* This function says itself what is wrong */
static json_t *load(const char *path)
{
	FILE *file = fopen(path, "re");
	json_error_t error;
	json_t *root = NULL;
	int first;

	if (!file) {
		fprintf(stderr, "hbsbench: %s: %s\n", path, strerror(errno));
		return NULL;
	}
	first = fgetc(file);
	if (first == EOF) {
		fprintf(stderr, "hbsbench: %s: %s\n", path,
			ferror(file) ? strerror(errno) : "is empty");
	} else {
		ungetc(first, file);
		root = json_loadf(file, 0, &error);
		if (!root)
			fprintf(stderr, "hbsbench: %s: is no JSON, or cut off: line %d: %s\n", path,
				error.line, error.text);
	}
	fclose(file);
	return root;
}

bool json_read(struct results *results, const char *path)
{
	json_t *root = load(path);
	const char *why;
	bool good;

	if (!root)
		return false;
	why = read_head(results, root);
	if (why)
		fprintf(stderr, "hbsbench: %s: %s\n", path, why);
	good = !why && read_list(results, root, "contenders", read_contestant, path) &&
	       read_list(results, root, "rows", read_row, path);
	if (!good)
		results_free(results);
	json_decref(root);
	return good;
}
