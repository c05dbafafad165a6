// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../checker.h"
#include "../hbs.h"
#include "../number.h"
#include "algorithm.h"
#include "profile.h"

#define SYSTEM_PROFILE "/etc/hbs/profile"
#define WORDS_MAX      6

const char *const hbsi_profile_placements[PROFILE_PLACEMENTS] = {
	[PROFILE_PINNED] = "pinned",
	[PROFILE_OVERSUBSCRIBED] = "oversubscribed",
};

/* Whether it fits, and starts at the root: a relative path would depend on the working directory */
static bool make_path(char path[PATH_MAX], const char *folder, const char *file)
{
	int length = folder ? snprintf(path, PATH_MAX, "%s%s", folder, file) : -1;

	return length > 0 && length < PATH_MAX && *path == '/';
}

bool hbsi_profile_home(const char *file, char path[PATH_MAX])
{
	const char *config = secure_getenv("XDG_CONFIG_HOME");
	char end[NAME_MAX];

	if (config && *config)
		return snprintf(end, sizeof(end), "/hbs/%s", file) < NAME_MAX &&
		       make_path(path, config, end);
	return snprintf(end, sizeof(end), "/.config/hbs/%s", file) < NAME_MAX &&
	       make_path(path, secure_getenv("HOME"), end);
}

bool hbsi_profile_place(unsigned int place, char path[PATH_MAX])
{
	const char *named = secure_getenv("HBS_PROFILE");

	if (named && *named)
		return !place && snprintf(path, PATH_MAX, "%s", named) < PATH_MAX;
	if (hbsi_profile_home("profile", path) && !place--)
		return true;
	return !place && make_path(path, SYSTEM_PROFILE, "");
}

/* The value of the line "name : value"; NULL if this is another line */
static const char *value_of(const char *line, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(line, name, length))
		return NULL;
	line += length + strspn(line + length, "\t ");
	return *line == ':' ? line + 1 + strspn(line + 1, " ") : NULL;
}

/*
 * The name of the processor is in the first of these lines that the architecture has.
 * Reading only the start of the file does not make the kernel write the lines of all
 * CPUs.
 */
static void find_processor(char text[PROFILE_MACHINE_SIZE])
{
	static const char *const names[] = { "model name", "CPU part", "cpu", "uarch" };
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[PROFILE_LINE_SIZE];
	const char *value = NULL;

	snprintf(text, PROFILE_MACHINE_SIZE, "unknown");
	while (file && !value && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; !value && i < sizeof(names) / sizeof(names[0]); i++)
			value = value_of(line, names[i]);
	}
	if (value)
		snprintf(text, PROFILE_MACHINE_SIZE, "%.64s", value);
	if (file)
		fclose(file);
}

void hbsi_profile_machine(char name[PROFILE_MACHINE_SIZE])
{
	char processor[PROFILE_MACHINE_SIZE];

	find_processor(processor);
	snprintf(name, PROFILE_MACHINE_SIZE, "%ld CPUs, %.64s", sysconf(_SC_NPROCESSORS_ONLN),
		 processor);
}

static bool read_members(const char *word, uint32_t *members)
{
	uint64_t number;

	if (!number_read(word, UINT16_MAX, &number) || !number)
		return false;
	*members = (uint32_t)number;
	return true;
}

static bool read_placement(const char *word, uint32_t *placement)
{
	for (*placement = 0; *placement < PROFILE_PLACEMENTS; ++*placement)
		if (!strcmp(word, hbsi_profile_placements[*placement]))
			return true;
	return false;
}

static bool read_algorithm(const char *word, const char *fan_in, struct profile_row *row)
{
	const struct algorithm *algorithm;
	uint64_t number;

	row->algorithm = HBS_ALGORITHM_AUTO + 1;
	while ((algorithm = hbsi_algorithm(row->algorithm)) && strcmp(word, algorithm->name))
		row->algorithm++;
	if (!algorithm || !number_read(fan_in, FAN_IN_MAX, &number))
		return false;
	row->fan_in = (uint32_t)number;
	return !number || (algorithm->fan_in && number >= FAN_IN_MIN);
}

static bool read_ns(const char *word, uint64_t *ns)
{
	return number_read(word, PROFILE_NS_MAX, ns);
}

/* One row; a line of that kind has @count words */
static bool read_row(struct profile *profile, char *const words[], size_t count)
{
	struct profile_row row = { .algorithm = HBS_ALGORITHM_AUTO };

	if (profile->count == PROFILE_ROWS_MAX || count < 4 ||
	    !read_members(words[1], &row.members) || !read_placement(words[2], &row.placement))
		return false;
	if (count == 6 && !strcmp(words[0], "software")) {
		if (!read_algorithm(words[3], words[4], &row) || !read_ns(words[5], &row.ns))
			return false;
	} else if (count != 4 || strcmp(words[0], "card") || !read_ns(words[3], &row.ns)) {
		return false;
	}
	profile->rows[profile->count++] = row;
	return true;
}

/* Where a file is read */
struct reader {
	struct profile *profile;
	bool ended;
	char line[PROFILE_LINE_SIZE];
};

static size_t split(char *line, char *words[WORDS_MAX + 1])
{
	char *rest = line, *word;
	size_t count = 0;

	while (count <= WORDS_MAX && (word = strsep(&rest, " ")))
		words[count++] = word;
	return count;
}

static bool read_table_line(struct reader *reader)
{
	char *words[WORDS_MAX + 1];
	size_t count = split(reader->line, words);
	uint64_t rows;

	if (strcmp(words[0], "end"))
		return read_row(reader->profile, words, count);
	reader->ended = true;
	return count == 2 && number_read(words[1], PROFILE_ROWS_MAX, &rows) &&
	       rows == reader->profile->count;
}

/* NULL, or why the library does not use the file */
static const char *read_line(struct reader *reader)
{
	struct profile *profile = reader->profile;
	const char *line = reader->line;
	char machine[PROFILE_MACHINE_SIZE];

	if (reader->ended)
		return "it goes on after its end";
	if (profile->line == 1) {
		uint64_t version;

		if (strncmp(line, PROFILE_HEAD " ", strlen(PROFILE_HEAD) + 1) ||
		    !number_read(line + strlen(PROFILE_HEAD) + 1, UINT32_MAX, &version))
			return "it is no profile";
		return version == PROFILE_VERSION ? NULL : "it is of another version of hbs";
	}
	if (*line == '#' || !strncmp(line, "kernel ", 7))
		return NULL;
	if (!strncmp(line, "machine ", 8) && !*profile->machine) {
		snprintf(profile->machine, sizeof(profile->machine), "%.120s", line + 8);
		hbsi_profile_machine(machine);
		return strcmp(profile->machine, machine) ? "it is of another machine" : NULL;
	}
	if (!*profile->machine)
		return "it does not say of what machine it is";
	return read_table_line(reader) ? NULL : "it is damaged";
}

/* The next line without its end; no more than there is room for */
static bool next_line(struct reader *reader, FILE *file, const char **why)
{
	size_t length = 0;
	int c;

	while ((c = getc_unlocked(file)) != EOF && c != '\n') {
		/*
		 * the file may not have characters that cannot be shown, nor lines without an
		 * end
		 */
		if (c < ' ' || length == sizeof(reader->line) - 1) {
			*why = "it is no text";
			return false;
		}
		reader->line[length++] = (char)c;
	}
	reader->line[length] = '\0';
	if (c == EOF && length)
		*why = "it is cut off";
	return c != EOF;
}

void hbsi_profile_read(struct profile *profile, FILE *file)
{
	struct reader reader = { .profile = profile };
	const char *why = NULL;

	profile->line = 0;
	profile->count = 0;
	*profile->machine = '\0';
	while (!why) {
		profile->line++;
		if (!next_line(&reader, file, &why))
			break;
		why = profile->line > PROFILE_LINES_MAX ? "it is too long" : read_line(&reader);
	}
	if (!why && !reader.ended)
		why = "it is cut off";
	profile->why = why;
	if (why)
		profile->count = 0;
	else
		profile->line = 0;
}

/* A plain file, which cannot hold us up or do anything when it is opened */
static FILE *open_plain(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	FILE *file = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

void hbsi_profile_load(struct profile *profile)
{
	unsigned int place = 0;
	FILE *file;

	while (hbsi_profile_place(place++, profile->path)) {
		file = open_plain(profile->path);
		if (file) {
			hbsi_profile_read(profile, file);
			fclose(file);
			return;
		}
	}
	*profile->path = '\0';
	profile->why = PROFILE_NONE;
	profile->line = 0;
	profile->count = 0;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct profile the_profile;

static void load(void)
{
	hbsi_profile_load(&the_profile);
	checker_release(&once);
}

const struct profile *hbsi_profile(void)
{
	checker_once(&once, load);
	return &the_profile;
}
