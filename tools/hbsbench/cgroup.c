// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "busy.h"
#include "cgroup.h"
#include "child.h"
#include "control_file.h"

#define PERIOD_US 100000
/* The kernel has to hold back a busy loop in so many periods; how long we wait for that at most */
#define PROBE_PERIODS 2
#define PROBE_TRIES   50
#define PROBE_NS      100000000L
#define PROBE_LIMIT_S 10
/* How long we try to remove it: its last process may be about to end */
#define REMOVE_TRIES	200
#define REMOVE_PAUSE_NS 10000000L

struct cgroup {
	char folder[PATH_MAX];
	char parent[PATH_MAX]; /* the cgroup where the controller was enabled for it, or "" */
	bool first_version;
	double share;
	int keeper; /* when this end of the pipe is closed, the keeper ends */
	pid_t keeper_pid;
};

static struct cgroup cgroup;
static char why[CHILD_ERROR_SIZE];

static const char *refuse(const char *what, const char *reason)
{
	/* with only a part of a long path, since a reason has limited room */
	snprintf(why, sizeof(why), "%.90s: %.60s", what, reason);
	return why;
}

/* Where the cgroups are mounted that can have quotas: those of version 1, or else of version 2 */
static bool find_mount(char mount[PATH_MAX])
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	bool found = false;

	cgroup.first_version = false;
	while (mounts && !cgroup.first_version && (entry = getmntent(mounts))) {
		bool first = !strcmp(entry->mnt_type, "cgroup") && hasmntopt(entry, "cpu");

		if (!first && strcmp(entry->mnt_type, "cgroup2"))
			continue;
		cgroup.first_version = first;
		snprintf(mount, PATH_MAX, "%s", entry->mnt_dir);
		found = true;
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

static bool lists(char *controllers, const char *wanted)
{
	char *item;

	while ((item = strsep(&controllers, ",")))
		if (!strcmp(item, wanted))
			return true;
	return false;
}

/* The cgroup that this process is in, as a path below the mount */
static bool find_own(char own[PATH_MAX])
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX + 200];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		char *rest = line, *number = strsep(&rest, ":"), *controllers = strsep(&rest, ":");

		if (!rest)
			continue;
		rest[strcspn(rest, "\n")] = '\0';
		found = cgroup.first_version ? lists(controllers, "cpu") : !strcmp(number, "0");
		if (found)
			snprintf(own, PATH_MAX, "%s", strcmp(rest, "/") ? rest : "");
	}
	if (file)
		fclose(file);
	return found;
}

static bool has_file(const char *name)
{
	char path[PATH_MAX + 40];

	snprintf(path, sizeof(path), "%s/%s", cgroup.folder, name);
	return !access(path, W_OK);
}

/* A cgroup below @parent that has the controller; enables it if need be */
static bool make_below(const char *parent)
{
	const char *quota = cgroup.first_version ? "cpu.cfs_quota_us" : "cpu.max";
	int length = snprintf(cgroup.folder, PATH_MAX, "%s/hbsbench-%d", parent, getpid());

	*cgroup.parent = '\0';
	if (length >= PATH_MAX || mkdir(cgroup.folder, 0755))
		return false;
	if (has_file(quota))
		return true;
	if (!cgroup.first_version && control_write(parent, "cgroup.subtree_control", "+cpu")) {
		snprintf(cgroup.parent, PATH_MAX, "%s", parent);
		if (has_file(quota))
			return true;
	}
	rmdir(cgroup.folder);
	errno = ENOTSUP;
	return false;
}

/*
 * Below our own cgroup. With version 2 a cgroup that has processes has no controllers, so above
 * it too
 */
static bool make(const char *mount, char *own)
{
	char parent[PATH_MAX];

	while (1) {
		char *slash = strrchr(own, '/');

		if (snprintf(parent, sizeof(parent), "%s%s", mount, own) < PATH_MAX &&
		    make_below(parent))
			return true;
		if (cgroup.first_version || !slash)
			return false;
		*slash = '\0';
	}
}

static bool set_quota(void)
{
	char period[20], quota[20], both[40];

	snprintf(period, sizeof(period), "%d", PERIOD_US);
	snprintf(quota, sizeof(quota), "%.0f", cgroup.share * PERIOD_US);
	snprintf(both, sizeof(both), "%s %s", quota, period);
	if (!cgroup.first_version)
		return control_write(cgroup.folder, "cpu.max", both);
	return control_write(cgroup.folder, "cpu.cfs_period_us", period) &&
	       control_write(cgroup.folder, "cpu.cfs_quota_us", quota);
}

static void pause_ns(long ns)
{
	struct timespec pause = { .tv_nsec = ns };

	nanosleep(&pause, NULL);
}

static void remove_it(void)
{
	for (int i = 0; i < REMOVE_TRIES && rmdir(cgroup.folder) && errno == EBUSY; i++)
		pause_ns(REMOVE_PAUSE_NS);
	if (*cgroup.parent)
		control_write(cgroup.parent, "cgroup.subtree_control", "-cpu");
}

/* Wait until the program closes its end of the pipe, or the kernel does so at its end */
static _Noreturn void keep(int from)
{
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	while (read(from, &byte, 1) < 0 && errno == EINTR)
		;
	remove_it();
	_exit(0);
}

static bool start_keeper(void)
{
	int ends[2];

	if (pipe(ends))
		return false;
	fflush(NULL);
	cgroup.keeper_pid = fork();
	if (!cgroup.keeper_pid) {
		close(ends[1]);
		keep(ends[0]);
	}
	close(ends[0]);
	cgroup.keeper = ends[1];
	if (cgroup.keeper_pid > 0)
		return true;
	close(ends[1]);
	return false;
}

/* In how many periods the kernel held back processes of the cgroup; 0 if it does not say */
static unsigned long held_back(void)
{
	char path[PATH_MAX + 40], line[100];
	unsigned long periods = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu.stat", cgroup.folder);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "nr_throttled ", strlen("nr_throttled ")))
			periods = strtoul(line + strlen("nr_throttled "), NULL, 10);
	if (file)
		fclose(file);
	return periods;
}

/* In a child: whether the kernel holds back a busy loop */
static void probe(void *arg)
{
	const char *reason = cgroup_enter();
	bool *held = arg;
	pid_t loop;

	if (reason)
		child_die(NULL, reason);
	loop = busy_start();
	for (int i = 0; i < PROBE_TRIES && !*held; i++) {
		pause_ns(PROBE_NS);
		*held = held_back() >= PROBE_PERIODS;
	}
	busy_end(loop);
}

static const char *probe_quota(void)
{
	static bool *held;
	char error[CHILD_ERROR_SIZE];

	if (!held)
		held = arena_map(sizeof(*held));
	*held = false;
	if (!child_run(probe, held, PROBE_LIMIT_S, error))
		return refuse("the cgroup", error);
	return *held ? NULL : "the quota does not hold back a busy loop";
}

const char *cgroup_start(double share)
{
	char mount[PATH_MAX], own[PATH_MAX];
	const char *reason = NULL;

	cgroup = (struct cgroup){ .share = share, .keeper = -1 };
	if (!find_mount(mount) || !find_own(own))
		return "no cgroup that could have a quota is mounted";
	if (!make(mount, own))
		return refuse(cgroup.folder, strerror(errno));
	if (!start_keeper()) {
		reason = refuse("the cgroup's keeper", strerror(errno));
		remove_it();
		return reason;
	}
	if (!set_quota())
		reason = refuse(cgroup.folder, strerror(errno));
	if (!reason)
		reason = probe_quota();
	if (reason)
		cgroup_end();
	return reason;
}

const char *cgroup_enter(void)
{
	/* the kernel takes 0 for the one that writes it */
	if (control_write(cgroup.folder, "cgroup.procs", "0"))
		return NULL;
	return refuse(cgroup.folder, strerror(errno));
}

bool cgroup_entered(void)
{
	const char *name = strrchr(cgroup.folder, '/');
	char own[PATH_MAX];
	const char *is = find_own(own) ? strrchr(own, '/') : NULL;

	return is && !strcmp(is, name);
}

void cgroup_end(void)
{
	int status;

	close(cgroup.keeper);
	while (waitpid(cgroup.keeper_pid, &status, 0) < 0 && errno == EINTR)
		;
}
