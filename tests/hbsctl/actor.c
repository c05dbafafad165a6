// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the guests' tests need somebody to do on a card:
 *	actor crowd PORTS GROUPS	have so many ports in so many groups, and wait
 *	actor stuck NAME		be a group of 3 whose last member, a thread of that name,
 *					does not come
 *	actor late BARRIERS MS		be a group of 3 whose last member comes to each so
 *					late after the others have, however late these are
 *	actor resets N			reset a group so often
 *	actor violate			arrive at a group as no member
 *	actor time N COMMAND...		run a command so often, and print the least time and the
 *					median, in ms
 *	actor pace PAIRS MS COMMAND...	do barriers while the command runs, and while it does not:
 *					see compare_windows()
 * What waits says "ready" first.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <hbs.h>
#include <linux/hbs.h>

#include "shared/now.h"

#define START_MS  1500
#define SETTLE_MS 50
#define TIMES_MAX 1000

static void must(int result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "actor: %s: %s\n", what, hbs_strerror(result));
	exit(1);
}

static struct hbs *open_card(void)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD };
	struct hbs *hbs;

	must(hbs_open(&hbs, &attr), "hbs_open");
	return hbs;
}

static struct hbs_group *make_group(struct hbs *hbs, uint32_t members)
{
	struct hbs_group_attr attr = { .members = members };
	struct hbs_group *group;

	must(hbs_group_create(hbs, &attr, &group), "hbs_group_create");
	return group;
}

static void wait_for_end(void)
{
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

static void crowd(uint32_t ports, uint32_t groups)
{
	/* a context for each group: in one, a thread would have one port for all groups */
	for (uint32_t i = 0; i < groups; i++) {
		struct hbs_group *group = make_group(open_card(), ports / groups);
		struct hbs_member *member;

		for (uint32_t j = 0; j < ports / groups; j++)
			must(hbs_join_tagged(group, j, &member), "hbs_join");
	}
	wait_for_end();
}

struct person {
	struct hbs_group *group;
	uint64_t tag;
	const char *name;
	_Atomic unsigned int *joined;
	_Atomic bool *stop;
};

static void *be_stuck(void *arg)
{
	struct person *person = arg;
	struct hbs_member *me;

	prctl(PR_SET_NAME, person->name);
	must(hbs_join_tagged(person->group, person->tag, &me), "hbs_join");
	atomic_fetch_add(person->joined, 1);
	if (person->tag == 103)
		for (;;)
			pause();
	hbs_barwait(me);
	return NULL;
}

static void stuck(const char *name)
{
	struct hbs_group *group = make_group(open_card(), 3);
	static _Atomic unsigned int joined;
	struct person people[3];
	pthread_t thread;

	for (unsigned int i = 0; i < 3; i++) {
		people[i] =
			(struct person){ group, 101 + i, i == 2 ? name : "waits", &joined, NULL };
		must(-pthread_create(&thread, NULL, be_stuck, &people[i]), "pthread_create");
	}
	while (atomic_load(&joined) < 3)
		usleep(1000);
	/* the two others have time to arrive */
	usleep(300000);
	wait_for_end();
}

static unsigned int barriers, late_ms;
/* Arrivals of the two others, or almost */
static _Atomic unsigned int arrived;

static void *be_late(void *arg)
{
	struct person *person = arg;
	struct hbs_member *me;

	must(hbs_join_tagged(person->group, person->tag, &me), "hbs_join");
	for (unsigned int i = 0; i < barriers; i++) {
		if (person->tag == 103) {
			while (atomic_load(&arrived) < 2 * (i + 1))
				usleep(1000);
			usleep(late_ms * 1000);
		} else {
			atomic_fetch_add(&arrived, 1);
		}
		must(hbs_barwait(me), "hbs_barwait");
	}
	atomic_fetch_add(person->joined, 1);
	for (;;)
		pause();
	return NULL;
}

static void late(unsigned int count, unsigned int ms)
{
	struct hbs_group *group = make_group(open_card(), 3);
	static _Atomic unsigned int done;
	struct person people[3];
	pthread_t thread;

	barriers = count;
	late_ms = ms;
	for (unsigned int i = 0; i < 3; i++) {
		people[i] = (struct person){ group, 101 + i, NULL, &done, NULL };
		must(-pthread_create(&thread, NULL, be_late, &people[i]), "pthread_create");
	}
	while (atomic_load(&done) < 3)
		usleep(1000);
	wait_for_end();
}

static void resets(unsigned int count)
{
	struct hbs_group *group = make_group(open_card(), 1);

	while (count--)
		must(hbs_group_reset(group), "hbs_group_reset");
}

static void violate(void)
{
	struct hbs_port_alloc port = { .size = sizeof(port) };
	int fd = open("/dev/hbs0", O_RDWR | O_CLOEXEC);
	char *lanes;

	if (fd < 0 || ioctl(fd, HBS_PORT_ALLOC, &port)) {
		perror("actor: /dev/hbs0");
		exit(1);
	}
	lanes = mmap(NULL, port.map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     (off_t)port.map_offset);
	if (lanes == MAP_FAILED) {
		perror("actor: mmap");
		exit(1);
	}
	*(volatile uint64_t *)(lanes + HBS_LANE_ARRIVAL) = 0;
	/* the card has it, and the driver has heard of it */
	(void)*(volatile uint64_t *)(lanes + HBS_LANE_DEPARTURE);
	usleep(200000);
}

static pid_t start(char **command)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (freopen("/dev/null", "w", stdout))
		execvp(command[0], command);
	_exit(127);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void time_command(unsigned int count, char **command)
{
	static double times[TIMES_MAX];

	if (!count || count > TIMES_MAX)
		exit(2);
	for (unsigned int i = 0; i < count; i++) {
		double begin = now_ns();
		int status;

		if (waitpid(start(command), &status, 0) < 0 || status) {
			fprintf(stderr, "actor: %s failed\n", command[0]);
			exit(1);
		}
		times[i] = (now_ns() - begin) / 1e6;
	}
	qsort(times, count, sizeof(times[0]), compare);
	printf("%.1f %.1f\n", times[0], times[count / 2]);
}

static void *do_barriers(void *arg)
{
	struct person *person = arg;
	struct hbs_member *me;

	must(hbs_join(person->group, &me), "hbs_join");
	while (!atomic_load(person->stop)) {
		if (hbs_barwait(me))
			break;
		if (!person->tag)
			atomic_fetch_add(person->joined, 1);
	}
	hbs_group_destroy(person->group);
	hbs_leave(me);
	return NULL;
}

static double barriers_in(_Atomic unsigned int *count, unsigned int ms)
{
	unsigned int before = atomic_load(count);
	double begin = now_ns();

	usleep(ms * 1000);
	return (atomic_load(count) - before) / (now_ns() - begin) * 1e9;
}

/* How many barriers there were in the window, once the command is stopped or goes on */
static double window(pid_t pid, int signal, _Atomic unsigned int *count, unsigned int ms)
{
	kill(pid, signal);
	usleep(SETTLE_MS * 1000);
	return barriers_in(count, ms);
}

/* How far from the middle are the values between which the median is, with 95% */
static unsigned int median_error(unsigned int count)
{
	unsigned int error = 0;

	/* a standard deviation of half the root of count, twice: error * error >= count */
	while (error * error < count)
		error++;
	return error < count / 2 ? error : count / 2;
}

/*
 * Pairs of windows, in which the command runs and is stopped. Their order changes, so that what
 * gets slower by and by does so in both; and the median counts, since others use this machine.
 * Prints the barriers a second without and with the command, and of their ratios the median and
 * between what it is.
 */
static void compare_windows(pid_t pid, unsigned int pairs, unsigned int ms,
			    _Atomic unsigned int *count)
{
	static double with[TIMES_MAX], without[TIMES_MAX], ratios[TIMES_MAX];
	unsigned int error = median_error(pairs);

	for (unsigned int i = 0; i < pairs; i++) {
		if (i & 1)
			with[i] = window(pid, SIGCONT, count, ms);
		without[i] = window(pid, SIGSTOP, count, ms);
		if (!(i & 1))
			with[i] = window(pid, SIGCONT, count, ms);
		ratios[i] = with[i] / without[i];
	}
	qsort(with, pairs, sizeof(double), compare);
	qsort(without, pairs, sizeof(double), compare);
	qsort(ratios, pairs, sizeof(double), compare);
	printf("%.0f %.0f %.5f %.5f %.5f\n", without[pairs / 2], with[pairs / 2], ratios[pairs / 2],
	       ratios[pairs / 2 - error], ratios[(pairs - 1) / 2 + error]);
}

static void pace(unsigned int pairs, unsigned int ms, char **command)
{
	struct hbs_group *group = make_group(open_card(), 2);
	static _Atomic unsigned int count;
	static _Atomic bool stop;
	struct person people[2] = { { group, 0, NULL, &count, &stop },
				    { group, 1, NULL, &count, &stop } };
	pthread_t threads[2];
	pid_t pid;

	if (!pairs || pairs > TIMES_MAX)
		exit(2);
	for (int i = 0; i < 2; i++)
		must(-pthread_create(&threads[i], NULL, do_barriers, &people[i]), "pthread_create");
	pid = start(command);
	usleep(START_MS * 1000);
	compare_windows(pid, pairs, ms, &count);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned int first = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;
	unsigned int second = argc > 3 ? (unsigned int)atoi(argv[3]) : 0;

	if (!strcmp(what, "crowd") && second)
		crowd(first, second);
	else if (!strcmp(what, "stuck") && argc > 2)
		stuck(argv[2]);
	else if (!strcmp(what, "late") && second)
		late(first, second);
	else if (!strcmp(what, "resets"))
		resets(first);
	else if (!strcmp(what, "violate"))
		violate();
	else if (!strcmp(what, "time") && argc > 3)
		time_command(first, argv + 3);
	else if (!strcmp(what, "pace") && argc > 4 && second)
		pace(first, second, argv + 4);
	else
		return 2;
	return 0;
}
