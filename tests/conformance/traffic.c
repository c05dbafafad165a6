// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of a barrier on the bus, in each combination of the ways of a card, as the
 * card counts it: a table, or the test that its exact columns have the right values.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance.h"

#define BARRIERS 100
#define MEMBERS	 4

struct work {
	struct hbs_group *group;
	pthread_barrier_t quiet; /* nobody is at a barrier of the card */
};

/* Sums over all barriers */
struct traffic {
	uint64_t stores; /* to the card */
	uint64_t loads;	 /* from the card */
	uint64_t reads, writes;
};

static void die(const char *what, int error)
{
	fprintf(stderr, "traffic: %s: %s\n", what, hbs_strerror(error));
	exit(2);
}

static void pass_often(struct work *work, struct hbs_member *me, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		int ret = hbs_barwait(me);

		if (ret)
			die("hbs_barwait", ret);
	}
	pthread_barrier_wait(&work->quiet);
}

static void *take_part(void *argument)
{
	struct work *work = argument;
	struct hbs_member *me;
	int ret = hbs_join(work->group, &me);

	if (ret)
		die("hbs_join", ret);
	pass_often(work, me, 1);
	/* while the first thread counts */
	pthread_barrier_wait(&work->quiet);
	pass_often(work, me, BARRIERS);
	hbs_leave(me);
	return NULL;
}

static struct hbs_group_stats count(struct hbs_group *group)
{
	struct hbs_group_stats stats;
	int ret = hbs_group_stats(group, &stats);

	if (ret)
		die("hbs_group_stats", ret);
	return stats;
}

static struct traffic measure(struct hbs *hbs, const struct mode *mode, uint32_t reduce)
{
	struct hbs_group_attr attr = mode->attr;
	struct hbs_group_stats before, after;
	pthread_t threads[MEMBERS];
	struct work work;
	int ret;

	attr.members = MEMBERS;
	attr.reduce = reduce;
	ret = hbs_group_create(hbs, &attr, &work.group);
	if (ret)
		die(mode->name, ret);
	pthread_barrier_init(&work.quiet, NULL, MEMBERS + 1);
	for (unsigned int i = 0; i < MEMBERS; i++)
		if (pthread_create(&threads[i], NULL, take_part, &work))
			abort();
	pthread_barrier_wait(&work.quiet);
	before = count(work.group);
	pthread_barrier_wait(&work.quiet);
	pthread_barrier_wait(&work.quiet);
	after = count(work.group);
	for (unsigned int i = 0; i < MEMBERS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&work.quiet);
	hbs_group_close(work.group);
	if (after.barriers - before.barriers != BARRIERS)
		die("the card counted another number of barriers", 0);
	/* an arrival that the card polls for is no store to it; a store that it drops is */
	return (struct traffic){
		.stores = after.dropped - before.dropped +
			  (attr.arrive_by == HBS_ARRIVE_BY_STORE ? after.arrivals - before.arrivals
								 : 0),
		.loads = after.departure_reads - before.departure_reads,
		.reads = after.line_reads - before.line_reads,
		.writes = after.record_writes - before.record_writes,
	};
}

/* NUMA nodes that have CPUs, in a list such as 0-1 or 0,2 */
static unsigned int nodes(void)
{
	FILE *file = fopen("/sys/devices/system/node/has_cpu", "re");
	unsigned int count = 0, first, last;
	char mark;

	while (file && fscanf(file, "%u", &first) == 1) {
		last = first;
		mark = (char)fgetc(file);
		if (mark == '-' && fscanf(file, "%u%c", &last, &mark) < 1)
			break;
		count += last - first + 1;
		if (mark != ',')
			break;
	}
	if (file)
		fclose(file);
	return count ? count : 1;
}

/* How much a barrier has to write by DMA */
static uint64_t writes_of(const struct mode *mode)
{
	switch (mode->attr.depart_by) {
	case HBS_DEPART_BY_CSR:
		return 0;
	case HBS_DEPART_BY_MEMBER_RECORD:
		return MEMBERS + 1;
	case HBS_DEPART_BY_NODE_RECORD:
		return nodes();
	default:
		return 1;
	}
}

static bool is_exact(uint64_t got, uint64_t want, const char *what)
{
	if (got == want * BARRIERS)
		return true;
	printf("# %s: %llu in %d barriers, not %llu in each\n", what, (unsigned long long)got,
	       BARRIERS, (unsigned long long)want);
	return false;
}

/* At least one for each member and barrier where there have to be any, and else none */
static bool is_enough(uint64_t got, bool any, const char *what)
{
	if (any ? got >= (uint64_t)MEMBERS * BARRIERS : !got)
		return true;
	printf("# %s: %llu in %d barriers\n", what, (unsigned long long)got, BARRIERS);
	return false;
}

static bool is_right(struct hbs *hbs, const struct mode *mode, uint32_t reduce)
{
	struct traffic traffic = measure(hbs, mode, reduce);
	bool polls = mode->attr.arrive_by == HBS_ARRIVE_BY_POLLING;
	/* a result is a write of its own */
	uint64_t writes = writes_of(mode) * (reduce ? 2 : 1);
	bool stores_right = is_exact(traffic.stores, polls ? 0 : MEMBERS, "stores");
	bool writes_right = is_exact(traffic.writes, writes, "DMA writes");
	bool reads_right = is_enough(traffic.reads, polls, "DMA reads");

	return is_enough(traffic.loads, mode->attr.depart_by == HBS_DEPART_BY_CSR, "loads") &&
	       stores_right && writes_right && reads_right;
}

static int check(struct hbs *hbs, const struct mode *modes, unsigned int n)
{
	unsigned int number = 0, failed = 0;

	printf("1..%u\n", n);
	/* each combination is there twice, for two ways to wait that are the same to the bus */
	for (unsigned int i = 0; i < n; i++) {
		uint32_t reduce = i % 2 ? HBS_SUM : HBS_NO_REDUCTION;
		bool right = is_right(hbs, &modes[i - i % 2], reduce);

		printf("%sok %u - traffic: %.*s%s\n", right ? "" : "not ", ++number,
		       (int)strcspn(modes[i].name, ","), modes[i].name,
		       reduce ? ", with values" : "");
		failed += !right;
	}
	return failed ? 1 : 0;
}

/* A number for each barrier; "~" where it depends on how long members and card wait */
static void print_cell(uint64_t sum)
{
	if (sum % BARRIERS)
		printf("     - ~%.0f\n", (double)sum / BARRIERS);
	else
		printf("     - %llu\n", (unsigned long long)(sum / BARRIERS));
}

static void print_waiting(uint64_t sum)
{
	if (sum)
		printf("     - ~%.0f\n", (double)sum / BARRIERS);
	else
		puts("     - 0");
}

/* The name in the HARP paper, which counts and knows no NUMA nodes */
static void print_paper(const struct hbs_group_attr *attr)
{
	static const char *const departures[] = {
		[HBS_DEPART_BY_RECORD] = "memory write, shared",
		[HBS_DEPART_BY_CSR] = "CSR polling",
		[HBS_DEPART_BY_MEMBER_RECORD] = "memory write, per thread",
	};

	if (attr->complete_by == HBS_COMPLETE_BY_MASK ||
	    attr->depart_by == HBS_DEPART_BY_NODE_RECORD)
		puts("     - none");
	else
		printf("     - %s; %s\n",
		       attr->arrive_by == HBS_ARRIVE_BY_STORE ? "CSR write" : "memory polling",
		       departures[attr->depart_by]);
}

static int print_table(struct hbs *hbs, const struct mode *modes, unsigned int n)
{
	static const char *const head[] = { "completion", "arrival",   "departure",  "stores",
					    "loads",	  "DMA reads", "DMA writes", "HARP paper" };

	puts(".. list-table::\n   :header-rows: 1\n");
	for (unsigned int i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		printf("   %c - %s\n", i ? ' ' : '*', head[i]);
	for (unsigned int i = 0; i < n; i += 2) {
		struct traffic traffic = measure(hbs, &modes[i], HBS_NO_REDUCTION);
		char names[3][16] = { "", "", "" };

		if (sscanf(modes[i].name, "card %15[^/]/%15[^/]/%15[^,]", names[0], names[1],
			   names[2]) != 3)
			abort();
		printf("   * - %s\n     - %s\n     - %s\n", names[0], names[1], names[2]);
		print_cell(traffic.stores);
		print_waiting(traffic.loads);
		print_waiting(traffic.reads);
		print_cell(traffic.writes);
		print_paper(&modes[i].attr);
	}
	return 0;
}

static const char help[] =
	"usage: traffic --table|--check\n"
	"Counts what a barrier of 4 members costs on the bus, in each combination of the\n"
	"ways of a card.\n"
	"  --table   print it as a table of reStructuredText\n"
	"  --check   test that what is exact is right, and print TAP\n";

int main(int argc, char **argv)
{
	/* a sleeper would also add loads to the count, not depending on how long it waited */
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD, .spin_ns = 10000000000 };
	static struct mode modes[MAX_MODES];
	unsigned int n = make_modes(HBS_BACKEND_CARD, 0, modes);
	struct hbs *hbs;
	int ret;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(help, stdout);
		return 0;
	}
	if (argc != 2 || (strcmp(argv[1], "--table") && strcmp(argv[1], "--check"))) {
		fputs(help, stderr);
		return 2;
	}
	ret = hbs_open(&hbs, &attr);
	if (ret)
		die("hbs_open", ret);
	ret = strcmp(argv[1], "--table") ? check(hbs, modes, n) : print_table(hbs, modes, n);
	hbs_close(hbs);
	return ret;
}
