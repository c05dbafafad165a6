// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles: where they are, when they are right, and when the library refuses them as a whole */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "software/profile.h"
#include "threads.h"

static char machine[PROFILE_MACHINE_SIZE];
static char scratch[] = "/tmp/hbs-profile-XXXXXX";

/* A good one */
static const char head[] = "hbs-profile 1\n# a comment\nmachine %s\nkernel 6.1.0-18-amd64\n";
static const char rows[] = "software 2 pinned central 0 85\n"
			   "software 4 oversubscribed combining 8 10250\n"
			   "card 2 pinned 800\n";

static void read_text(struct profile *profile, const char *text, size_t size)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");

	assert_non_null(file);
	memset(profile, 0xa5, sizeof(*profile));
	hbsi_profile_read(profile, file);
	fclose(file);
}

static size_t write_text(char *text, size_t size, const char *format, const char *table)
{
	size_t length = (size_t)snprintf(text, size, format, machine);

	return length + (size_t)snprintf(text + length, size - length, "%s", table);
}

/* Why the library refuses a file with this table */
static const char *refused_table(const char *table)
{
	static struct profile profile;
	char text[4096];
	size_t length = write_text(text, sizeof(text), head, table);

	read_text(&profile, text, length);
	assert_int_equal(profile.count, 0);
	assert_true(!profile.why == !profile.line);
	return profile.why;
}

static void good(void **state)
{
	static struct profile profile;
	char text[4096], table[1024];

	(void)state;
	snprintf(table, sizeof(table), "%send 3\n", rows);
	read_text(&profile, text, write_text(text, sizeof(text), head, table));
	assert_null(profile.why);
	assert_int_equal(profile.line, 0);
	assert_string_equal(profile.machine, machine);
	assert_int_equal(profile.count, 3);
	assert_int_equal(profile.rows[0].members, 2);
	assert_int_equal(profile.rows[0].placement, PROFILE_PINNED);
	assert_int_equal(profile.rows[0].algorithm, HBS_ALGORITHM_CENTRAL);
	assert_int_equal(profile.rows[0].fan_in, 0);
	assert_int_equal(profile.rows[0].ns, 85);
	assert_int_equal(profile.rows[1].members, 4);
	assert_int_equal(profile.rows[1].placement, PROFILE_OVERSUBSCRIBED);
	assert_int_equal(profile.rows[1].algorithm, HBS_ALGORITHM_COMBINING);
	assert_int_equal(profile.rows[1].fan_in, 8);
	assert_int_equal(profile.rows[1].ns, 10250);
	assert_int_equal(profile.rows[2].algorithm, HBS_ALGORITHM_AUTO);
	assert_int_equal(profile.rows[2].members, 2);
	assert_int_equal(profile.rows[2].ns, 800);
	/* an empty table is one */
	read_text(&profile, text, write_text(text, sizeof(text), head, "end 0\n"));
	assert_null(profile.why);
	assert_int_equal(profile.count, 0);
}

static void bad_head(void **state)
{
	static const struct {
		const char *head;
		const char *why;
	} heads[] = {
		{ "", "it is cut off" },
		{ "\n", "it is no profile" },
		{ "hbs-profil 1\nmachine %s\n", "it is no profile" },
		{ "hbs-profile\nmachine %s\n", "it is no profile" },
		{ "hbs-profile 1x\nmachine %s\n", "it is no profile" },
		{ "hbs-profile -1\nmachine %s\n", "it is no profile" },
		{ "hbs-profile 2\nmachine %s\n", "it is of another version of hbs" },
		{ "# first\nhbs-profile 1\nmachine %s\n", "it is no profile" },
		{ "hbs-profile 1\n", "it does not say of what machine it is" },
		{ "hbs-profile 1\nmachine %s.\n", "it is of another machine" },
		{ "hbs-profile 1\nmachine \n", "it is of another machine" },
		{ "hbs-profile 1\nmachine %s\nmachine other\n", "it is damaged" },
	};
	static struct profile profile;
	char text[1024], table[1024];

	(void)state;
	snprintf(table, sizeof(table), "%send 3\n", rows);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		/* without a version there is no use for the rest */
		const char *rest = *heads[i].head ? table : "";
		size_t length = write_text(text, sizeof(text), heads[i].head, rest);

		read_text(&profile, text, length ? length : 1);
		if (!length)
			continue;
		assert_non_null(profile.why);
		assert_string_equal(profile.why, heads[i].why);
		assert_int_equal(profile.count, 0);
	}
}

static void bad_table(void **state)
{
	static const char *const tables[] = {
		"software 2 pinned central 0\nend 1\n",
		"software 2 pinned central 0 85 1\nend 1\n",
		"software 2 pinned central 0 85 \nend 1\n",
		"software  2 pinned central 0 85\nend 1\n",
		" software 2 pinned central 0 85\nend 1\n",
		"software 0 pinned central 0 85\nend 1\n",
		"software -2 pinned central 0 85\nend 1\n",
		"software +2 pinned central 0 85\nend 1\n",
		"software 65536 pinned central 0 85\nend 1\n",
		"software 18446744073709551618 pinned central 0 85\nend 1\n",
		"software 2 nailed central 0 85\nend 1\n",
		"software 2 pinned auto 0 85\nend 1\n",
		"software 2 pinned centra 0 85\nend 1\n",
		"software 2 pinned centrals 0 85\nend 1\n",
		/* it has no choice */
		"software 2 pinned central 4 85\nend 1\n",
		"software 2 pinned combining 1 85\nend 1\n",
		"software 2 pinned combining 65 85\nend 1\n",
		"software 2 pinned central 0 1000000000001\nend 1\n",
		"software 2 pinned central 0 8.5\nend 1\n",
		"hardware 2 pinned central 0 85\nend 1\n",
		"card 2 pinned\nend 1\n",
		"card 2 pinned central 0 85\nend 1\n",
		"software 2 pinned 85\nend 1\n",
		"\nend 0\n",
		"end\n",
		"end 1\n",
		"end 0 0\n",
		"software 2 pinned central 0 85\nend 0\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const char *why = refused_table(tables[i]);

		assert_non_null(why);
		assert_string_equal(why, "it is damaged");
	}
	assert_string_equal(refused_table("software 2 pinned central 0 85\n"), "it is cut off");
	assert_string_equal(refused_table("end 0"), "it is cut off");
	assert_string_equal(refused_table("end 0\n#\n"), "it goes on after its end");
	assert_string_equal(refused_table("\t\nend 0\n"), "it is no text");
}

/* Lines, their length and the table may reach their limits and not exceed them */
static void long_ones(void **state)
{
	static char text[PROFILE_LINES_MAX * 64];
	static struct profile profile;
	size_t length;

	(void)state;
	for (int more = 0; more < 2; more++) {
		length = write_text(text, sizeof(text), head, "");
		for (int i = 0; i < PROFILE_ROWS_MAX + more; i++)
			length += (size_t)sprintf(text + length, "card %d pinned 5\n", i + 1);
		length += (size_t)sprintf(text + length, "end %d\n", PROFILE_ROWS_MAX + more);
		read_text(&profile, text, length);
		assert_true(!profile.why == !more);
		assert_int_equal(profile.count, more ? 0 : PROFILE_ROWS_MAX);

		length = write_text(text, sizeof(text), head, "#");
		for (int i = 1; i < PROFILE_LINE_SIZE - 1 + more; i++)
			text[length++] = 'x';
		length += (size_t)sprintf(text + length, "\nend 0\n");
		read_text(&profile, text, length);
		assert_true(!profile.why == !more);

		/* the head has 4 lines */
		length = write_text(text, sizeof(text), head, "");
		for (int i = 0; i < PROFILE_LINES_MAX - 5 + more; i++)
			length += (size_t)sprintf(text + length, "#\n");
		length += (size_t)sprintf(text + length, "end 0\n");
		read_text(&profile, text, length);
		assert_true(!profile.why == !more);
	}
}

static bool row_is_good(const struct profile_row *row)
{
	return row->members && row->members <= UINT16_MAX && row->placement < PROFILE_PLACEMENTS &&
	       row->ns <= PROFILE_NS_MAX && row->fan_in <= 64 && hbs_algorithm_name(row->algorithm);
}

/* Any change of a good profile: it is refused, or is no worse than a good one */
static void hostile(void **state)
{
	static struct profile profile;
	char good[4096], text[4096], table[1024];
	size_t length;
	uint64_t random = 1;
	int refused = 0;

	(void)state;
	snprintf(table, sizeof(table), "%send 3\n", rows);
	length = write_text(good, sizeof(good), head, table);
	for (int round = 0; round < 20000; round++) {
		memcpy(text, good, length);
		for (int changes = 1 + round % 4; changes; changes--) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			text[(random >> 33) % length] = (char)(random >> 25);
		}
		read_text(&profile, text, length - (round % 3 ? 0 : (random >> 33) % length));
		refused += profile.why != NULL;
		assert_true(profile.why ? !profile.count : profile.count == 3);
		for (uint32_t i = 0; i < profile.count; i++)
			assert_true(row_is_good(&profile.rows[i]));
	}
	/* most places matter, and the comment and the kernel do not */
	assert_in_range(refused, 10000, 19999);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static int clean(void **state)
{
	(void)state;
	unsetenv("HBS_PROFILE");
	unsetenv("XDG_CONFIG_HOME");
	return setenv("HOME", scratch, 1);
}

static bool place_is(unsigned int place, const char *end)
{
	char path[PATH_MAX], full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", *end == '/' ? scratch : "", end);
	return hbsi_profile_place(place, path) && !strcmp(path, *end == '=' ? end + 1 : full);
}

static void places(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_true(place_is(0, "/.config/hbs/profile"));
	assert_true(hbsi_profile_place(1, path));
	assert_string_equal(path, "/etc/hbs/profile");
	assert_false(hbsi_profile_place(2, path));
	/* a relative path counts as none */
	setenv("XDG_CONFIG_HOME", "here", 1);
	assert_true(hbsi_profile_place(0, path));
	assert_string_equal(path, "/etc/hbs/profile");
	assert_false(hbsi_profile_place(1, path));
	setenv("XDG_CONFIG_HOME", "", 1);
	assert_true(place_is(0, "/.config/hbs/profile"));
	setenv("XDG_CONFIG_HOME", "/config", 1);
	assert_true(hbsi_profile_place(0, path));
	assert_string_equal(path, "/config/hbs/profile");
	setenv("HBS_PROFILE", "mine", 1);
	assert_true(hbsi_profile_place(0, path));
	assert_string_equal(path, "mine");
	assert_false(hbsi_profile_place(1, path));
	setenv("HBS_PROFILE", "", 1);
	assert_true(hbsi_profile_place(0, path));
	assert_string_equal(path, "/config/hbs/profile");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	assert_true(hbsi_profile_place(0, path));
	assert_string_equal(path, "/etc/hbs/profile");
}

static void loading(void **state)
{
	static struct profile profile;
	char path[PATH_MAX], text[4096];

	(void)state;
	hbsi_profile_load(&profile);
	/* a profile of the machine may be there */
	if (!*profile.path)
		assert_string_equal(profile.why, PROFILE_NONE);
	snprintf(path, sizeof(path), "%s/hbs", scratch);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/profile");
	write_text(text, sizeof(text), head, "end 0\n");
	put(path, text);
	setenv("XDG_CONFIG_HOME", scratch, 1);
	hbsi_profile_load(&profile);
	assert_string_equal(profile.path, path);
	assert_null(profile.why);
	/* no other file replaces one that is wrong */
	put(path, "hbs-profile 7\n");
	hbsi_profile_load(&profile);
	assert_string_equal(profile.path, path);
	assert_string_equal(profile.why, "it is of another version of hbs");
	/* nothing that is no file holds us up */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	setenv("HBS_PROFILE", path, 1);
	hbsi_profile_load(&profile);
	assert_string_equal(profile.why, PROFILE_NONE);
	setenv("HBS_PROFILE", "/dev/zero", 1);
	hbsi_profile_load(&profile);
	assert_string_equal(profile.why, PROFILE_NONE);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dirname(path)), 0);
}

/* The kernel's own text has it, with as many CPUs as are on */
static void this_machine(void **state)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[PROFILE_LINE_SIZE], count[32];
	bool found = false;

	(void)state;
	snprintf(count, sizeof(count), "%ld CPUs, ", sysconf(_SC_NPROCESSORS_ONLN));
	assert_memory_equal(machine, count, strlen(count));
	assert_non_null(file);
	while (!found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = strstr(line, machine + strlen(count)) != NULL;
	}
	fclose(file);
	assert_true(found || !strcmp(machine + strlen(count), "unknown"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad_head),
		cmocka_unit_test(bad_table),
		cmocka_unit_test(long_ones),
		cmocka_unit_test(hostile),
		cmocka_unit_test_setup(places, clean),
		cmocka_unit_test_setup(loading, clean),
		cmocka_unit_test(this_machine),
	};
	int failed;

	hbsi_profile_machine(machine);
	if (!mkdtemp(scratch))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(scratch);
	return failed;
}
