// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../read_file.h"
#include "profile.h"
#include "shared/folders.h"
#include "shared/replace.h"

#define HEAD	"hbs-graph-profile 1"
#define NUMBERS 6

bool graph_profile_path(char path[PATH_MAX])
{
	const char *named = secure_getenv("HBS_GRAPH_PROFILE");

	if (named && *named)
		return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX;
	return hbsi_profile_home("graph-profile", path);
}

/* Positive numbers and nothing else. Return: whether there are so many. */
static bool read_numbers(const char *text, double numbers[NUMBERS])
{
	char *end;

	for (int i = 0; i < NUMBERS; i++) {
		numbers[i] = strtod(text, &end);
		if (end == text || !isfinite(numbers[i]) || numbers[i] < 0)
			return false;
		text = end;
	}
	return !text[strspn(text, " ")];
}

static bool read_case(struct file *file, const char *text, bool weighted,
		      struct graph_profile *profile)
{
	double numbers[NUMBERS];
	struct model_case one;

	if (!read_numbers(text, numbers) || numbers[4] <= 0 || numbers[5] <= 0)
		return file_wrong(file, "a case has four features, and two times above 0");
	one = (struct model_case){
		.features = { .vertices = numbers[0],
			      .fanout = numbers[1],
			      .diameter = numbers[2],
			      .reconvergence = numbers[3] },
		.seconds = { [MODE_SYNC] = numbers[4], [MODE_ASYNC] = numbers[5] },
	};
	return classifier_add(&profile->classifier, weighted, &one) ||
	       file_wrong(file, "more than %d cases", CLASSIFIER_CASES_MAX);
}

/* The text after @word and a blank; NULL if the line begins with something else */
static const char *after(const struct file *file, const char *word)
{
	size_t length = strlen(word);

	return strncmp(file->line, word, length) || file->line[length] != ' '
		       ? NULL
		       : file->line + length + 1;
}

static bool read_number(struct file *file, const char *text, uint64_t most, uint64_t *number)
{
	return (file_number(&text, most, number) && !*text) ||
	       file_wrong(file, "not a whole number up to %llu", (unsigned long long)most);
}

static bool read_line(struct file *file, struct graph_profile *profile, bool *ended)
{
	const struct classifier *classifier = &profile->classifier;
	uint64_t number = 0;
	const char *text;

	if (*ended)
		return file_wrong(file, "the profile goes on after its end");
	if (*file->line == '#')
		return true;
	if ((text = after(file, "machine"))) {
		snprintf(profile->machine, sizeof(profile->machine), "%s", text);
		return true;
	}
	if ((text = after(file, "threads"))) {
		if (!read_number(file, text, HBS_GRAPH_THREADS_MAX, &number))
			return false;
		profile->threads = (uint32_t)number;
		return true;
	}
	if ((text = after(file, "backend"))) {
		profile->card = !strcmp(text, "card");
		return profile->card || !strcmp(text, "software") ||
		       file_wrong(file, "a backend is card or software");
	}
	if ((text = after(file, "case plain")))
		return read_case(file, text, false, profile);
	if ((text = after(file, "case weighted")))
		return read_case(file, text, true, profile);
	if (!(text = after(file, "end")))
		return file_wrong(file, "not a line of a profile");
	*ended = true;
	return read_number(file, text, UINT32_MAX, &number) &&
	       (number == (uint64_t)classifier->count[0] + classifier->count[1] ||
		file_wrong(file, "there are other lines than the last one says"));
}

static bool read_lines(struct file *file, struct graph_profile *profile)
{
	bool ended = false, good;

	if (!file_next(file, &good) || strcmp(file->line, HEAD))
		return good && file_wrong(file, "a profile begins with %s", HEAD);
	while (file_next(file, &good))
		if (!read_line(file, profile, &ended))
			return false;
	return good && (ended || file_wrong(file, "the profile is cut short"));
}

bool graph_profile_read(const char *path, struct graph_profile *profile, int *closed)
{
	struct file file = { .path = path, .stream = fopen(path, "re") };
	bool good;

	*profile = (struct graph_profile){ 0 };
	*closed = file.stream ? 0 : errno;
	if (!file.stream)
		return false;
	good = read_lines(&file, profile) && classifier_fit(&profile->classifier);
	fclose(file.stream);
	free(file.line);
	return good;
}

static void write_case(const struct model_case *one, bool weighted, FILE *to)
{
	const struct features *features = &one->features;

	fprintf(to, "case %s %.0f %.9g %.0f %.9g %.9g %.9g\n", weighted ? "weighted" : "plain",
		features->vertices, features->fanout, features->diameter, features->reconvergence,
		one->seconds[MODE_SYNC], one->seconds[MODE_ASYNC]);
}

static void write_text(const struct graph_profile *profile, FILE *to)
{
	const struct classifier *classifier = &profile->classifier;

	fprintf(to,
		HEAD "\n# by hbsgraph tune; vertices, fan-out, diameter, reconvergence, seconds "
		     "in modes sync and async\nmachine %s\nthreads %u\nbackend %s\n",
		profile->machine, profile->threads, profile->card ? "card" : "software");
	for (int weighted = 0; weighted < 2; weighted++)
		for (uint32_t i = 0; i < classifier->count[weighted]; i++)
			write_case(&classifier->cases[weighted][i], weighted, to);
	fprintf(to, "end %u\n", classifier->count[0] + classifier->count[1]);
}

const char *graph_profile_write(const char *path, const struct graph_profile *profile)
{
	struct replacement replacement;
	const char *why =
		folders_make(path) ? replace_prepare(&replacement, path) : strerror(errno);
	char *text = NULL;
	size_t size = 0;
	FILE *file;

	if (why)
		return why;
	file = open_memstream(&text, &size);
	if (file)
		write_text(profile, file);
	if (!file || (ferror(file) | fclose(file)))
		why = strerror(ENOMEM);
	else
		why = replace_write(&replacement, text, size);
	replace_forget(&replacement);
	free(text);
	return why;
}

void graph_profile_free(struct graph_profile *profile)
{
	classifier_free(&profile->classifier);
}
