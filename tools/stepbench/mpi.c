// SPDX-License-Identifier: GPL-2.0-or-later
/* A step over Open MPI: mpirun starts a rank for each member, as a user would */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"
#include "way.h"

#define RANK "stepbench-rank"
/* mpirun ends its ranks itself; if it does not, it is ended */
#define MPIRUN_TAKES_S 10
/* the status of mpirun whose --timeout is over */
#define STATUS_TIMEOUT ETIMEDOUT

enum { SPIN, YIELD };

struct mpirun {
	const struct way *way;
	const struct trial *trial;
	int output;
};

/* What was built beside this program; false if there is none */
static bool find_rank(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof(RANK) - 1);
	char *slash;

	if (length < 0)
		return false;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return false;
	memcpy(slash + 1, RANK, sizeof(RANK));
	return !access(path, X_OK);
}

/* Instead of this process, which is a child */
_Noreturn static void become_mpirun(const struct mpirun *mpirun)
{
	const struct trial *trial = mpirun->trial;
	char members[16], steps[24], limit[16], rank[PATH_MAX];

	if (!find_rank(rank))
		child_die(NULL, RANK " was not built, for want of Open MPI");
	snprintf(members, sizeof(members), "%u", trial->members);
	snprintf(steps, sizeof(steps), "%lu", trial->steps);
	snprintf(limit, sizeof(limit), "%u", trial->limit_s);
	if (dup2(mpirun->output, STDOUT_FILENO) < 0 || dup2(mpirun->output, STDERR_FILENO) < 0)
		child_die("mpirun", strerror(errno));
	execlp("mpirun", "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
	       "--timeout", limit, "--mca", "mpi_yield_when_idle",
	       mpirun->way->detail == YIELD ? "1" : "0", "-n", members, rank, members, steps,
	       trial->pinned ? "pinned" : "unpinned", (char *)NULL);
	child_die("mpirun (package openmpi-bin)", strerror(errno));
}

static void child_work(void *arg)
{
	become_mpirun(arg);
}

static bool is_of_rank(const char *line)
{
	return !strncmp(line, RANK ": ", strlen(RANK ": "));
}

/* What a rank says is the reason, else the first line with a word in it; mpirun may say more before */
static bool says_more(const char *line, const char *reason)
{
	if (!*reason)
		return strpbrk(line, "abcdefghijklmnopqrstuvwxyz");
	return is_of_rank(line) && !is_of_rank(reason);
}

/* Only a program that is still there has a result, since mpirun may fail after it */
static double read_result(FILE *output, char reason[CHILD_ERROR_SIZE])
{
	char line[CHILD_ERROR_SIZE];
	double ns = -1, value;

	*reason = '\0';
	rewind(output);
	while (fgets(line, sizeof(line), output)) {
		if (sscanf(line, "ns %lf", &value) == 1 && value > 0)
			ns = value;
		line[strcspn(line, "\n")] = '\0';
		if (says_more(line, reason))
			memcpy(reason, line, sizeof(line));
	}
	text_clean(reason);
	return ns;
}

static double mpi_run(const struct way *self, const struct trial *trial,
		      char error[CHILD_ERROR_SIZE])
{
	char reason[CHILD_ERROR_SIZE], timeout[40];
	FILE *output = tmpfile();
	struct mpirun mpirun = { .way = self, .trial = trial };
	double ns;
	bool good;

	if (!output) {
		snprintf(error, CHILD_ERROR_SIZE, "a temporary file: %s", strerror(errno));
		return -1;
	}
	mpirun.output = fileno(output);
	good = child_run(child_work, &mpirun, trial->limit_s + MPIRUN_TAKES_S, error);
	ns = read_result(output, reason);
	fclose(output);
	snprintf(timeout, sizeof(timeout), "ended with status %d", STATUS_TIMEOUT);
	if (good && ns < 0)
		snprintf(error, CHILD_ERROR_SIZE, "mpirun gave no result");
	else if (!strcmp(error, timeout))
		snprintf(error, CHILD_ERROR_SIZE, TOO_LONG " %u s", trial->limit_s);
	else if (!good && !strncmp(error, "ended", strlen("ended")) && *reason)
		memcpy(error, reason, CHILD_ERROR_SIZE);
	return good ? ns : -1;
}

static const char *mpi_version(void)
{
	static char text[80];
	FILE *output;

	if (*text)
		return text;
	output = popen("mpirun --version 2>/dev/null", "re");
	if (output && !fgets(text, sizeof(text), output))
		*text = '\0';
	if (output)
		pclose(output);
	text[strcspn(text, "\n")] = '\0';
	text_clean(text);
	return *text ? text : NULL;
}

const struct way way_mpi_spin = {
	.name = "mpi-spin",
	.what = "MPI_Issend, MPI_Iprobe, MPI_Ibarrier; mpi_yield_when_idle is 0",
	.detail = SPIN,
	.version = mpi_version,
	.run = mpi_run,
};

const struct way way_mpi_yield = {
	.name = "mpi-yield",
	.what = "the same, mpi_yield_when_idle is 1",
	.detail = YIELD,
	.version = mpi_version,
	.run = mpi_run,
};
