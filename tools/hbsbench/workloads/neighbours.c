// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Barriers while the machine is not quiet. Nobody knows before how long a barrier takes, and
 * with one contender it may take a thousand times as long as with another; so all run for the
 * same time. The first member looks at the clock. Before a barrier it says which one is the
 * first after the warm-up, and which is the last: after that barrier all members know it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "busy.h"
#include "cgroup.h"
#include "child.h"
#include "clock.h"
#include "clustering.h"
#include "condition.h"
#include "cpus.h"
#include "narrow.h"
#include "sampler.h"
#include "usage.h"
#include "workload.h"

#define NS_OF_MS 1e6

/* Before the measurement: a part of the time, and at least one barrier */
#define WARM_UP_PART 0.25
/* Long enough for the scheduler to give a busy loop its turn */
#define BUSY_LEAST_NS 50e6
/* A quota counts in periods of 100 ms, of which there should be some */
#define QUOTA_LEAST_NS 500e6
/* Late members should come late a few times */
#define LATE_TIMES 4
/*
 * What part of a CPU a busy loop has to take during the measurement, and how long we wait for
 * that
 */
#define BUSY_TURN_NS 1e6
#define BUSY_WAIT_NS 2e9
/* A pause of less than this part of the time is not late */
#define LATE_LEAST 0.5
/* The findings of one of the programs; all times in ticks */
struct program {
	_Alignas(CACHE_LINE) atomic_ulong first; /* what all members read after each barrier */
	atomic_ulong last;
	_Alignas(CACHE_LINE) struct sampler sampler;
	uint64_t window; /* what was measured */
	uint64_t steps;	 /* in it */
	uint64_t whole;	 /* and until all programs had finished */
	uint64_t whole_steps;
	double busy_ns;
	_Atomic uint64_t cpu_ns;
	_Atomic uint64_t late_cpu_ns;
};

struct neighbours {
	pthread_barrier_t gate; /* of the programs */
	uint64_t start_at;
	uint64_t end_at;
	atomic_uint finished;
	struct program programs[PROGRAMS_MAX];
};

enum stage { WARMING, STARTING, MEASURING, ENDING, ACCOMPANYING };

/* Only the first member uses this */
struct lead {
	enum stage stage;
	uint64_t now;
	uint64_t start;
};

static struct neighbours *all;
static struct program *mine;
static struct lead lead;
static pid_t others[PROGRAMS_MAX];
static pid_t loops[2];
static struct clustering *clustering;
static struct points points;

static unsigned int half_of_cpus(void)
{
	return cpus_count() / 2;
}

static double window_ns(const struct run *run)
{
	const struct condition *condition = run->condition;
	double least = condition->late_ms * NS_OF_MS * LATE_TIMES;

	if (condition->busy)
		least = BUSY_LEAST_NS;
	if (condition->quota)
		least = QUOTA_LEAST_NS;
	return run->time_ns > least ? run->time_ns : least;
}

static void make_gate(unsigned int programs)
{
	pthread_barrierattr_t attr;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&all->gate, &attr, programs);
	pthread_barrierattr_destroy(&attr);
}

static void make_programs(struct run *run)
{
	uint32_t room = SAMPLES_MAX / run->condition->programs;

	for (unsigned int i = 0; i < run->condition->programs; i++) {
		struct program *program = &all->programs[i];

		atomic_init(&program->first, ULONG_MAX);
		atomic_init(&program->last, ULONG_MAX);
		program->sampler.samples = run->report->samples + i * room;
		program->sampler.room = room;
	}
}

static void start_program(struct run *run, unsigned int number, void (*program)(struct run *run))
{
	pid_t parent = getpid();
	struct run copy = *run;

	others[number] = fork();
	if (others[number] < 0)
		child_die("another program", strerror(errno));
	if (others[number])
		return;
	child_start(parent);
	mine = &all->programs[number];
	program(&copy);
	_exit(0);
}

/* This comes before there is a contender or a thread, so that each program has its own */
static void neighbours_begin(struct run *run, void (*program)(struct run *run))
{
	const struct condition *condition = run->condition;
	const char *why = condition->quota ? cgroup_enter() : NULL;

	if (why)
		child_die(NULL, why);
	all = arena_map(sizeof(*all));
	mine = &all->programs[0];
	make_gate(condition->programs);
	make_programs(run);
	for (unsigned int i = 0; i < condition->busy; i++)
		loops[i] = busy_start();
	if (condition->narrowed)
		narrow_start();
	for (unsigned int i = 1; i < condition->programs; i++)
		start_program(run, i, program);
}

static void neighbours_prepare(struct run *run)
{
	const char *why;

	if (!run->condition->cluster)
		return;
	why = points_load(run->points, &points);
	if (why)
		child_die(run->points ? run->points : "the places", why);
	clustering = clustering_make(&points, run->members);
}

/* The first members of all programs agree when to measure */
static void agree(const struct run *run)
{
	double window = window_ns(run);

	if (pthread_barrier_wait(&all->gate) == PTHREAD_BARRIER_SERIAL_THREAD) {
		all->start_at = ticks_now() + clock_ticks(window * WARM_UP_PART);
		all->end_at = all->start_at + clock_ticks(window);
	}
	pthread_barrier_wait(&all->gate);
	lead.now = ticks_now();
}

static double busy_of_all(const struct run *run)
{
	double sum = 0;

	for (unsigned int i = 0; i < run->condition->busy; i++)
		sum += busy_ns(loops[i]);
	return sum;
}

/* If far more threads run than there are CPUs, a busy loop's turn may come late */
static bool loops_had_their_turn(const struct run *run)
{
	double least = BUSY_TURN_NS * run->condition->busy;

	return lead.now >= all->end_at + clock_ticks(BUSY_WAIT_NS) ||
	       busy_of_all(run) - mine->busy_ns >= least;
}

/* The first member does this before barrier number @step */
static void before_step(const struct run *run, unsigned long step)
{
	switch (lead.stage) {
	case WARMING:
		if (!step || lead.now < all->start_at)
			return;
		if (run->condition->narrowed)
			narrow_to(half_of_cpus());
		atomic_store(&mine->first, step);
		lead.stage = STARTING;
		return;
	case MEASURING:
		if (run->condition->programs > 1 || lead.now < all->end_at ||
		    !loops_had_their_turn(run))
			return;
		atomic_store(&mine->last, step);
		lead.stage = ENDING;
		return;
	case ACCOMPANYING:
		/* all programs have neighbours as long as one of them is measured */
		if (atomic_load(&all->finished) == run->condition->programs)
			atomic_store(&mine->last, step);
		return;
	default:
		return;
	}
}

static void begin_window(const struct run *run)
{
	mine->busy_ns = busy_of_all(run);
	lead.start = ticks_now();
	lead.now = lead.start;
	lead.stage = MEASURING;
	/* however long the warm-up took; several programs keep to what they agreed on */
	if (run->condition->programs == 1)
		all->end_at = lead.start + clock_ticks(window_ns(run));
}

static void end_window(const struct run *run)
{
	mine->window = lead.now - lead.start;
	mine->busy_ns = busy_of_all(run) - mine->busy_ns;
	sampler_finish(&mine->sampler);
	atomic_fetch_add(&all->finished, 1);
}

static void count_step(const struct run *run, uint64_t now)
{
	mine->whole_steps++;
	mine->whole = now - lead.start;
	if (lead.stage == ACCOMPANYING)
		return;
	mine->steps++;
	sampler_add(&mine->sampler, now - lead.now);
	lead.now = now;
	if (lead.stage == ENDING) {
		end_window(run);
	} else if (run->condition->programs > 1 && now >= all->end_at) {
		end_window(run);
		lead.stage = ACCOMPANYING;
	}
}

/* The same member after that barrier */
static void after_step(const struct run *run)
{
	if (lead.stage == WARMING)
		lead.now = ticks_now();
	else if (lead.stage == STARTING)
		begin_window(run);
	else
		count_step(run, ticks_now());
}

static void come_late(const struct run *run)
{
	unsigned int ms = run->condition->late_ms;
	struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	uint64_t start = ticks_now();

	nanosleep(&pause, NULL);
	/* not by the time of a barrier, which other programs on the machine lengthen as well */
	if (clock_ns(ticks_now() - start) < ms * NS_OF_MS * LATE_LEAST)
		child_die(run->condition->name, "nobody came late");
}

static void series(struct run *run, unsigned int member)
{
	bool late = run->condition->late_ms && member == run->members - 1;
	struct usage usage = { 0 };

	for (unsigned long step = 0; step <= atomic_load(&mine->last); step++) {
		if (!member)
			before_step(run, step);
		if (late)
			come_late(run);
		if (clustering)
			clustering_step(clustering, member, run->wait);
		else
			run->wait(member);
		if (!member)
			after_step(run);
		if (step == atomic_load(&mine->first))
			usage = usage_now();
	}
	usage = usage_since(usage);
	usage_add(run->report, usage);
	atomic_fetch_add(&mine->cpu_ns, (uint64_t)usage.cpu_ns);
	if (late)
		atomic_fetch_add(&mine->late_cpu_ns, (uint64_t)usage.cpu_ns);
}

static void neighbours_work(struct run *run, unsigned int member)
{
	const struct condition *condition = run->condition;

	/* at the end we see whether it worked */
	if (condition->one_cpu)
		cpus_pin(0);
	if (!member)
		agree(run);
	run_meet(run);
	series(run, member);
	if (condition->one_cpu && !cpus_pinned(0))
		child_die(condition->name, "a member is not on the CPU that it pinned itself to");
	if (condition->narrowed && cpus_allowed() != half_of_cpus())
		child_die(condition->name, "the CPUs were not taken away");
}

static void alone(unsigned int member)
{
	(void)member;
}

/* The same by one member: each barrier has to give this result */
static void check_clusters(struct run *run)
{
	struct clustering *serial = clustering_make(&points, 1);
	unsigned long last = atomic_load(&mine->last);

	for (unsigned long step = 0; step <= last; step++)
		clustering_step(serial, 0, alone);
	if (clustering_digest(serial) != clustering_digest(clustering))
		run->report->violations++;
}

static void end_others(const struct run *run)
{
	for (unsigned int i = 1; i < run->condition->programs; i++) {
		int status = 0;

		while (waitpid(others[i], &status, 0) < 0 && errno == EINTR)
			;
		/* the call has said itself why */
		if (status)
			_exit(1);
	}
	for (unsigned int i = 0; i < run->condition->busy; i++)
		busy_end(loops[i]);
}

/* A program that hardly proceeds counts as much as the one that holds it up */
static void add_up(struct run *run)
{
	struct report *report = run->report;
	unsigned int programs = run->condition->programs;
	unsigned long of_step = clustering ? CLUSTERING_BARRIERS : 1;

	for (unsigned int i = 0; i < programs; i++) {
		const struct program *program = &all->programs[i];

		memmove(report->samples + report->sample_count, program->sampler.samples,
			program->sampler.count * sizeof(uint64_t));
		report->sample_count += program->sampler.count;
		report->mean_ns += clock_ns(program->window) / (double)program->steps / programs;
		report->barriers += program->whole_steps * of_step;
	}
}

/* How many CPUs the neighbours took */
static double load(const struct run *run)
{
	double sum = mine->busy_ns / clock_ns(mine->window);

	for (unsigned int i = 1; i < run->condition->programs; i++)
		sum += (double)all->programs[i].cpu_ns / clock_ns(all->programs[i].whole);
	return sum;
}

static double burn(const struct run *run)
{
	if (run->members < 2)
		return 0;
	return (double)(mine->cpu_ns - mine->late_cpu_ns) / clock_ns(mine->whole) /
	       (run->members - 1);
}

/* Whether the condition was there at all */
static void check(const struct run *run)
{
	const struct condition *condition = run->condition;
	char text[CHILD_ERROR_SIZE];

	if (mine->busy_ns < BUSY_TURN_NS * condition->busy) {
		snprintf(text, sizeof(text), "the busy loops took only %.3f CPUs",
			 run->report->load);
		child_die(condition->name, text);
	}
	if (condition->quota && !cgroup_entered())
		child_die(condition->name, "the members are not in the cgroup");
}

static void neighbours_end(struct run *run)
{
	const struct condition *condition = run->condition;

	end_others(run);
	add_up(run);
	if (condition->busy || condition->programs > 1)
		run->report->load = load(run);
	if (condition->late_ms)
		run->report->burn = burn(run);
	check(run);
	if (clustering)
		check_clusters(run);
}

/* What hbs is compared with; its own fixed ways to wait come by themselves */
static const char *const contestants[] = {
	"pthread",     "libgomp",	  "libomp-14",	  "libomp-19",	  "std-barrier",
	CONTENDER_HBS, CONTENDER_DROP_IN, CONTENDER_IDLE, CONTENDER_CARD, NULL,
};

const struct workload workload_neighbours = {
	.name = "neighbours",
	.what = "barriers while the machine is not quiet, in several conditions",
	.unit = "barrier",
	.hidden = true,
	.strict = true,
	.conditions = conditions,
	.contenders = contestants,
	.repetitions = 5,
	.time_ns = 200e6,
	.limit_s = 10,
	.begin = neighbours_begin,
	.prepare = neighbours_prepare,
	.work = neighbours_work,
	.end = neighbours_end,
};
