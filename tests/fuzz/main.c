// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: fuzz [--seconds N] [--workers N] [--floor PERCENT] MODULE SITES SEEDS
 *
 * Loads MODULE, anew if need be; the host has listed its SITES. Lets workers make calls
 * of it for that time, starting from SEEDS. Prints what they covered and found, as TAP.
 *
 * A call that is still in progress after a second hangs: every few milliseconds, signals
 * end all calls that can sleep longer. The limit grows by as much as the whole machine
 * was late in that second (see late.h); it is five seconds for a reset of the card,
 * which is slow by the specification of PCIe.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "hbs_test.h"
#include "late.h"
#include "tap.h"

#define SECOND	   1000000000ULL
#define HANG_NS	   SECOND
#define SLOW_NS	   (5 * SECOND)
#define MAX_DEATHS 50
#define LINE	   (2 * MAX_CALLS * sizeof(struct call) + 2)

static struct shared *shared;
static pid_t worker[MAX_WORKERS];
static unsigned int workers = 3, hangs, deaths;

/* What the watchdog saw last of a thread */
static struct {
	uint64_t serial;
	struct late since;
	bool told;
} seen[MAX_WORKERS][THREADS];

static void start_worker(unsigned int index)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		worker_run(shared, index, monotonic_ns() + index);
	}
	worker[index] = pid;
}

static void tell_hang(unsigned int index, unsigned int thread, uint64_t ns)
{
	const struct watch *watch = &shared->watch[index][thread];
	char path[64], line[128];
	FILE *file;

	printf("# worker %u, thread %u hangs for %.1f s in op %u\n", index, thread, ns / 1e9,
	       atomic_load(&watch->op));
	snprintf(path, sizeof(path), "/proc/%d/stack", atomic_load(&watch->tid));
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		printf("#   %s", line);
	if (file)
		fclose(file);
	hangs++;
}

static void look_at(unsigned int index, unsigned int thread)
{
	const struct watch *watch = &shared->watch[index][thread];
	uint64_t serial = atomic_load(&watch->serial), ns;
	uint32_t op = atomic_load(&watch->op);

	if (serial != seen[index][thread].serial || !(serial & 1)) {
		seen[index][thread].serial = serial;
		seen[index][thread].since = late_note();
		seen[index][thread].told = false;
		return;
	}
	ns = late_since(&seen[index][thread].since);
	if (ns > (op == OP_RESET || op == OP_REBIND ? SLOW_NS : HANG_NS) &&
	    !seen[index][thread].told) {
		seen[index][thread].told = true;
		tell_hang(index, thread, ns);
	}
}

/* However slow the machine is, the programs of former runs are run */
static bool seeds_left(void)
{
	return atomic_load(&shared->next_seed) < shared->seeds;
}

static void watch_until(uint64_t end)
{
	while ((monotonic_ns() < end || seeds_left()) && deaths < MAX_DEATHS) {
		for (unsigned int i = 0; i < workers; i++) {
			int status;

			for (unsigned int j = 0; j < THREADS; j++)
				look_at(i, j);
			if (waitpid(worker[i], &status, WNOHANG) != worker[i])
				continue;
			printf("# worker %u died: status %#x, in op %u\n", i, status,
			       atomic_load(&shared->watch[i][0].op));
			deaths++;
			start_worker(i);
		}
		sleep_ms(50);
	}
}

/* Workers that do not end are killed, and have hung */
static void stop_workers(void)
{
	uint64_t end = monotonic_ns() + 20 * SECOND;

	atomic_store(&shared->stop, true);
	for (unsigned int i = 0; i < workers; i++) {
		while (!waitpid(worker[i], NULL, WNOHANG)) {
			if (monotonic_ns() > end) {
				tell_hang(i, 0, 20 * SECOND);
				kill(worker[i], SIGKILL);
				waitpid(worker[i], NULL, 0);
				break;
			}
			sleep_ms(20);
		}
	}
	close(shared->socket[0]);
	close(shared->socket[1]);
}

static int read_seeds(const char *path)
{
	static const struct trace nothing;
	FILE *file = fopen(path, "re");
	struct program program;
	char line[LINE];

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		if (line[0] != '#' && program_parse(&program, line))
			corpus_add(&shared->corpus, &program, &nothing);
	fclose(file);
	shared->seeds = atomic_load(&shared->corpus.count);
	return 0;
}

static int load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret = fd < 0 || syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;

	close(fd);
	return ret;
}

static int unload(void)
{
	/* That it is not there will do */
	return syscall(SYS_delete_module, "hbs", O_NONBLOCK) && errno != ENOENT ? -errno : 0;
}

static void collect_own(void)
{
	struct trace trace = { 0 };

	coverage_collect(0, &shared->coverage, &trace);
	coverage_clear(0);
}

static int start(char **paths)
{
	const char *name;
	int ret;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED ||
	    socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, shared->socket))
		return -errno;
	ret = coverage_start(paths[1]);
	if (!ret)
		ret = read_seeds(paths[2]);
	if (!ret)
		ret = coverage_thread(0);
	if (!ret)
		ret = unload();
	if (!ret)
		ret = load(paths[0]);
	if (!ret)
		ret = coverage_locate();
	if (ret)
		return ret;
	collect_own();
	name = card_name(0);
	if (!name)
		return -ENODEV;
	snprintf(shared->device, sizeof(shared->device), "/dev/%s", name);
	snprintf(shared->attributes, sizeof(shared->attributes), "/sys/class/hbs/%s", name);
	snprintf(shared->counts, sizeof(shared->counts), "/sys/kernel/debug/hbs/%s", name);
	ret = card_pci_name(0, shared->pci, sizeof(shared->pci));
	return ret ? ret : late_start();
}

static void report(void)
{
	static const char *const names[OPS] = {
		"open",	   "close", "dup",     "ioctl", "mmap",	 "munmap", "mremap", "mprotect",
		"madvise", "load",  "store",   "poll",	"epoll", "read",   "write",  "fork",
		"kill",	   "send",  "receive", "race",	"sysfs", "reset",  "rebind",
	};

	for (unsigned int i = 0; i < OPS; i++)
		if (names[i] && atomic_load(&shared->by_op[i]))
			printf("# calls of %-8s %7lu, mean %.3f ms\n", names[i],
			       atomic_load(&shared->by_op[i]),
			       atomic_load(&shared->ns_by_op[i]) / 1e6 /
				       atomic_load(&shared->by_op[i]));
	coverage_report(&shared->coverage);
	printf("# fewest programs: %u\n", corpus_print_fewest(&shared->corpus));
	printf("# figure: fuzz: calls %lu, refused %lu, programs %lu, corpus %u\n",
	       atomic_load(&shared->calls), atomic_load(&shared->refused),
	       atomic_load(&shared->programs), atomic_load(&shared->corpus.count));
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "workers", required_argument, NULL, 'w' },
		{ "floor", required_argument, NULL, 'f' },
		{ 0 },
	};
	unsigned int seconds_wanted = 10, floor = 0;
	struct usage before;
	int option, ret, lost;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			seconds_wanted = strtoul(optarg, NULL, 10);
			break;
		case 'w':
			workers = strtoul(optarg, NULL, 10);
			break;
		case 'f':
			floor = strtoul(optarg, NULL, 10);
			break;
		default:
			return 2;
		}
	}
	tap_plan(4);
	if (argc - optind != 3 || !workers || workers > MAX_WORKERS) {
		printf("Bail out! usage: fuzz [OPTION...] MODULE SITES SEEDS\n");
		return 2;
	}
	ret = start(argv + optind);
	if (ret) {
		printf("Bail out! no card, no module or no KCOV: %d\n", ret);
		return 1;
	}
	usage_note(&before);
	for (unsigned int i = 0; i < workers; i++)
		start_worker(i);
	watch_until(monotonic_ns() + seconds_wanted * SECOND);
	stop_workers();
	lost = usage_compare(&before);
	/* If anybody still holds something of the module, this fails, and prints what is lost */
	ret = unload();
	collect_own();
	if (!ret)
		ret = load(argv[optind]);
	if (ret) {
		printf("# the module cannot be unloaded and loaded: %d\n", ret);
		lost++;
	}
	report();
	printf("# figure: fuzz: lost %d, hangs %u\n", lost, hangs);
	tap_result(!lost, "nothing is left of what the programs made");
	tap_result(!hangs, "no call takes more than a second");
	tap_result(!deaths, "no worker dies by a program that lets it live");
	tap_result(coverage_count(&shared->coverage) * 100 >= floor * coverage_sites(),
		   "the driver's code is covered as far as it should be");
	return tap_end();
}
