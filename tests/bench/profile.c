// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A profile is replaced as a whole: neither a reader, nor somebody who ends the writer, ever
 * finds a half
 */
#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hbs.h"
#include "profile_file.h"

#define FEW    3
#define MANY   1000
#define READS  2000
#define KILLED 100

static char scratch[] = "/tmp/hbsbench-profile-XXXXXX";
static char path[PATH_MAX];

static const struct profile *table(uint32_t count)
{
	static struct profile profile;

	profile.count = count;
	for (uint32_t i = 0; i < count; i++)
		profile.rows[i] = (struct profile_row){ .members = i + 1,
							.algorithm = HBS_ALGORITHM_CENTRAL,
							.ns = count };
	return &profile;
}

/* Return: was it written? */
static bool write_profile(const struct profile *profile, const char *to)
{
	struct replacement replacement;

	return !profile_prepare(&replacement, to) && !profile_write(profile, &replacement);
}

/* A process that writes one and the other in turns until it is killed */
static pid_t start_writer(void)
{
	pid_t pid;

	assert_true(write_profile(table(FEW), path));
	pid = fork();
	assert_true(pid >= 0);
	while (!pid)
		if (!write_profile(table(MANY), path) || !write_profile(table(FEW), path))
			_exit(1);
	return pid;
}

static void end_writer(pid_t pid, int signal)
{
	int status;

	assert_int_equal(kill(pid, signal), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

/* Return: rows of the profile that is there, which is whole */
static uint32_t read_whole(void)
{
	static struct profile profile;

	hbsi_profile_load(&profile);
	assert_null(profile.why);
	assert_true(profile.count == FEW || profile.count == MANY);
	for (uint32_t i = 0; i < profile.count; i++)
		assert_int_equal(profile.rows[i].ns, profile.count);
	return profile.count;
}

static unsigned int count_files(void)
{
	DIR *folder = opendir(scratch);
	unsigned int count = 0;

	assert_non_null(folder);
	for (struct dirent *is; (is = readdir(folder));)
		count += *is->d_name != '.';
	closedir(folder);
	return count;
}

static void reader_sees_a_whole_one(void **state)
{
	pid_t writer = start_writer();
	unsigned int many = 0, few = 0;

	(void)state;
	/* it is not over before the writer has had its turns */
	while (many + few < READS || !many || !few) {
		if (read_whole() == MANY)
			many++;
		else
			few++;
	}
	end_writer(writer, SIGTERM);
}

static void signal_leaves_nothing_beside_it(void **state)
{
	(void)state;
	for (int i = 0; i < KILLED; i++) {
		pid_t writer = start_writer();

		usleep(1000 + (useconds_t)i * 97);
		end_writer(writer, i % 2 ? SIGTERM : SIGINT);
		assert_int_equal(count_files(), 1);
		read_whole();
	}
}

static void error_leaves_what_was_there(void **state)
{
	struct rlimit before, small;
	char inside[PATH_MAX + 8];

	(void)state;
	assert_true(write_profile(table(FEW), path));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ .rlim_cur = 512, .rlim_max = before.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_false(write_profile(table(MANY), path));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(read_whole(), FEW);
	assert_int_equal(count_files(), 1);
	/* it cannot replace a folder */
	assert_int_equal(unlink(path), 0);
	snprintf(inside, sizeof(inside), "%s/in", path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(write_profile(table(FEW), path));
	assert_int_equal(count_files(), 1);
	assert_true(write_profile(table(FEW), inside));
	assert_int_equal(unlink(inside), 0);
	assert_int_equal(rmdir(path), 0);
}

/* The kernel stops a process that exceeds the limit of a file: no test of time */
static void fatal_signal_waits_for_the_end(void **state)
{
	struct rlimit small = { .rlim_cur = 512, .rlim_max = 512 };
	int status;
	pid_t pid;

	(void)state;
	assert_true(write_profile(table(FEW), path));
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_FSIZE, &small);
		write_profile(table(MANY), path);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
	assert_int_equal(count_files(), 1);
	assert_int_equal(read_whole(), FEW);
}

static int clean(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reader_sees_a_whole_one),
		cmocka_unit_test(signal_leaves_nothing_beside_it),
		cmocka_unit_test(error_leaves_what_was_there),
		cmocka_unit_test(fatal_signal_waits_for_the_end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (!mkdtemp(scratch))
		return 1;
	snprintf(path, sizeof(path), "%s/profile", scratch);
	setenv("HBS_PROFILE", path, 1);
	return cmocka_run_group_tests(tests, NULL, clean);
}
