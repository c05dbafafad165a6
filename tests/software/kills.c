// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The test kills a process at each point of its work on a group in software. It runs the
 * process one instruction after the other, and kills it after each one that has changed
 * the group's memory, and after each system call. Whatever the process did not finish, the
 * others must get an error or go on, all at the same barrier, with the values of all that
 * had arrived; and the group can be used again.
 *
 * usage: kills EVERY [TEXT]; kills at every EVERY-th of these points, in scenes with TEXT
 * in their name
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hbs.h"
#include "tap.h"

#define SEATS	    4
#define ROUNDS	    3
#define MOST_BYTES  8192
#define CHILD	    (1ULL << 16) /* the values of the victim, and of the one before */
#define VICTIM	    (1ULL << 32)
#define GIVE_UP_S   10
#define MOST_POINTS 60

enum {
	LATE_JOINERS = 1, /* two seats are taken after the kill only: nobody has arrived yet */
	ARRIVED = 2,	  /* it had arrived before */
	MAY_ARRIVE = 4,	  /* it arrives, or is killed before that */
	WITH_VICTIM = 8,  /* another process has been killed before */
	NEEDS_FULL = 16,
	NEEDS_SPLIT = 32,
	NEEDS_OTHERS = 64, /* that wait, or it would */
	BY_THREAD = 128,   /* the work of its second thread */
	USED = 256,	   /* others have used the group and left, so that it starts anew */
	REFUTABLE = 512,   /* members are idle where they would arrive */
	IN_FLIGHT = 1024,  /* and it has sent a message, so that it is not over */
};

struct action {
	const char *name;
	int (*act)(struct hbs_group *group, struct hbs_member **me);
	unsigned int how;
	int error; /* that the others may get by it */
};

struct survivor {
	struct hbs_member *me;
	uint64_t value;
	uint64_t result[ROUNDS];
	int error;
	unsigned int passed;
	pthread_t thread;
	sem_t *go;
	const struct scene *scene;
};

struct scene {
	const struct action *action;
	uint32_t algorithm;
	uint32_t policy;
	bool plain; /* it does not reduce */
	bool early; /* the others wait while it is killed */
	char name[128];
	struct hbs *hbs;
	struct hbs_group *group;
	char *memory;
	size_t size;
	struct survivor survivors[SEATS];
	unsigned int count;
	pid_t child, victim;
};

static double longest_s;

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool is_full(const struct scene *scene)
{
	return scene->algorithm == HBS_ALGORITHM_CENTRAL ||
	       scene->algorithm == HBS_ALGORITHM_COUNTING || scene->algorithm == HBS_ALGORITHM_SCAN;
}

static bool shrinks(const struct scene *scene)
{
	return scene->policy & HBS_ON_DEATH_SHRINK;
}

static bool is_refutable(const struct scene *scene)
{
	return scene->action->how & REFUTABLE;
}

static int begin(const struct scene *scene, struct hbs_member *me, uint64_t value, uint64_t sent)
{
	struct hbs_idle idle = { .vote = 1, .sent = sent, .value = scene->plain ? 0 : value };

	return is_refutable(scene) ? hbs_begin_idle(me, &idle) : hbs_arrive_value(me, value);
}

static int meet(const struct scene *scene, struct hbs_member *me, uint64_t value, uint64_t *result)
{
	int ret;

	if (!is_refutable(scene))
		return hbs_allreduce(me, value, result);
	ret = begin(scene, me, value, 0);
	if (!ret)
		ret = hbs_wait(me);
	return ret || scene->plain ? ret : hbs_result(me, result);
}

static int join(struct hbs_group *group, struct hbs_member **me)
{
	return hbs_join(group, me);
}

static int leave(struct hbs_group *group, struct hbs_member **me)
{
	(void)group;
	return hbs_leave(*me);
}

static int arrive(struct hbs_group *group, struct hbs_member **me)
{
	(void)group;
	return hbs_arrive_value(*me, CHILD);
}

static int allreduce(struct hbs_group *group, struct hbs_member **me)
{
	(void)group;
	return hbs_allreduce(*me, CHILD, &(uint64_t){ 0 });
}

static int drop(struct hbs_group *group, struct hbs_member **me)
{
	(void)group;
	return hbs_arrive_and_drop(*me);
}

static int destroy(struct hbs_group *group, struct hbs_member **me)
{
	(void)me;
	return hbs_group_destroy(group);
}

static int reset(struct hbs_group *group, struct hbs_member **me)
{
	(void)me;
	return hbs_group_reset(group);
}

/* Until its barrier is over, and then it leaves, which ends the library's thread */
static int poll_it(struct hbs_group *group, struct hbs_member **me)
{
	do {
		struct pollfd pollfd = { .fd = hbs_member_fd(*me), .events = POLLIN };

		poll(&pollfd, 1, -1);
	} while (!hbs_test(*me));
	return leave(group, me);
}

static int wait_it(struct hbs_group *group, struct hbs_member **me)
{
	(void)group;
	return hbs_wait(*me);
}

static int begin_with(struct hbs_member *me, uint64_t freed)
{
	struct hbs_idle idle = { .vote = 1, .freed = freed, .value = CHILD };
	int ret = hbs_begin_idle(me, &idle);

	if (ret != -EOPNOTSUPP)
		return ret;
	/* the group does not reduce */
	idle.value = 0;
	return hbs_begin_idle(me, &idle);
}

static int be_idle(struct hbs_group *group, struct hbs_member **me)
{
	(void)group;
	return begin_with(*me, 0);
}

static int withdraw(struct hbs_group *group, struct hbs_member **me)
{
	(void)group;
	return hbs_withdraw(*me);
}

/* Once it has freed what it had sent, the others can go on */
static int be_idle_again(struct hbs_group *group, struct hbs_member **me)
{
	int ret = withdraw(group, me);

	return ret ? ret : begin_with(*me, 1);
}

/* Finds out that the victim is dead */
static int look(struct hbs_group *group, struct hbs_member **me)
{
	(void)group;
	hbs_test(*me);
	return 0;
}

static const struct action actions[] = {
	{ "joining", join, LATE_JOINERS, 0 },
	{ "joining what all have left", join, LATE_JOINERS | USED, 0 },
	{ "leaving", leave, 0, -ENOTCONN },
	{ "leaving after it arrived", leave, ARRIVED | NEEDS_SPLIT, -ENOTCONN },
	{ "arriving", arrive, MAY_ARRIVE | NEEDS_SPLIT, 0 },
	{ "passing a barrier", allreduce, MAY_ARRIVE | NEEDS_OTHERS, 0 },
	{ "dropping out", drop, NEEDS_FULL, 0 },
	{ "destroying", destroy, 0, -EIDRM },
	{ "resetting", reset, NEEDS_FULL, -ECONNRESET },
	{ "resetting after it arrived", reset, ARRIVED | NEEDS_FULL, -ECONNRESET },
	{ "polling", poll_it, ARRIVED | NEEDS_SPLIT | NEEDS_OTHERS, -ENOTCONN },
	{ "polling in its second thread", poll_it, ARRIVED | NEEDS_SPLIT | BY_THREAD, -ENOTCONN },
	{ "finding a dead member", look, ARRIVED | WITH_VICTIM | NEEDS_SPLIT, 0 },
	{ "becoming idle", be_idle, MAY_ARRIVE | REFUTABLE, 0 },
	{ "withdrawing", withdraw, ARRIVED | REFUTABLE, 0 },
	{ "withdrawing from an epoch with a message in flight", withdraw,
	  ARRIVED | REFUTABLE | IN_FLIGHT, 0 },
	{ "becoming idle again", be_idle_again, ARRIVED | REFUTABLE | IN_FLIGHT, 0 },
	{ "waiting while it is idle", wait_it, ARRIVED | REFUTABLE | NEEDS_OTHERS, 0 },
};

static void __attribute__((noreturn)) die(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

static bool complain(const struct scene *scene, unsigned int point, const char *what, long long got)
{
	printf("# %s, killed at point %u: %s: %lld\n", scene->name, point, what, got);
	return false;
}

/* A process that takes part, up to what it is killed in */
static int take_part(struct scene *scene, struct hbs *hbs, struct hbs_group **group,
		     struct hbs_member **me, bool joins)
{
	uint64_t result;

	if (hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE }) ||
	    hbs_group_import(hbs, hbs_group_fd(scene->group), group))
		return 1;
	if (!joins)
		return 0;
	return hbs_join(*group, me) || meet(scene, *me, 0, &result);
}

static void __attribute__((noreturn)) be_the_child(struct scene *scene)
{
	const struct action *action = scene->action;
	struct hbs_group *group = NULL;
	struct hbs_member *me = NULL;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (take_part(scene, NULL, &group, &me, !(action->how & LATE_JOINERS)) ||
	    (action->how & ARRIVED && begin(scene, me, CHILD, !!(action->how & IN_FLIGHT))) ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	raise(SIGUSR1);
	action->act(group, &me);
	raise(SIGUSR2);
	_exit(0);
}

static void __attribute__((noreturn)) be_the_victim(struct scene *scene)
{
	struct hbs_group *group = NULL;
	struct hbs_member *me = NULL;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (take_part(scene, NULL, &group, &me, true) || hbs_arrive_value(me, VICTIM))
		_exit(1);
	raise(SIGSTOP);
	_exit(1);
}

static pid_t fork_as(struct scene *scene, void (*be)(struct scene *scene))
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		be(scene);
	return pid;
}

static void *survive(void *argument)
{
	struct survivor *survivor = argument;

	while (sem_wait(survivor->go))
		;
	while (survivor->passed < ROUNDS && !survivor->error) {
		survivor->error = meet(survivor->scene, survivor->me, survivor->value,
				       &survivor->result[survivor->passed]);
		if (!survivor->error)
			survivor->passed++;
	}
	return NULL;
}

/* The barrier that starts it, so that nobody is in it any more when somebody is killed */
static void *start(void *argument)
{
	struct survivor *survivor = argument;

	survivor->error = meet(survivor->scene, survivor->me, 0, &survivor->result[0]);
	return NULL;
}

static void join_survivor(struct scene *scene)
{
	struct survivor *survivor = &scene->survivors[scene->count];
	double end = seconds() + GIVE_UP_S;
	int ret;

	*survivor = (struct survivor){ .value = 1ULL << scene->count, .scene = scene };
	/* the seat of the dead member is free in a moment */
	while ((ret = hbs_join(scene->group, &survivor->me)) == -ENOSPC && shrinks(scene))
		if (seconds() > end)
			die("no seat gets free");
	survivor->error = ret;
	if (!ret)
		scene->count++;
}

/* They pass one barrier */
static void pass_together(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++)
		pthread_create(&scene->survivors[i].thread, NULL, start, &scene->survivors[i]);
	for (unsigned int i = 0; i < scene->count; i++)
		pthread_join(scene->survivors[i].thread, NULL);
}

/*
 * Once the victim has arrived and the child has stopped: a member that still waits for the barrier
 * before would find the victim, and the child could not arrive any more.
 */
static void kill_victim(struct scene *scene)
{
	siginfo_t info;
	int status;

	if (waitid(P_PID, (id_t)scene->child, &info, WSTOPPED | WEXITED | WNOWAIT) ||
	    waitpid(scene->victim, &status, WUNTRACED) != scene->victim || !WIFSTOPPED(status))
		die("a victim could not take part");
	kill(scene->victim, SIGKILL);
	waitpid(scene->victim, NULL, 0);
}

static void use(struct scene *scene)
{
	while (scene->count < SEATS)
		join_survivor(scene);
	pass_together(scene);
	while (scene->count)
		hbs_leave(scene->survivors[--scene->count].me);
}

static void gather(struct scene *scene)
{
	unsigned int others = scene->action->how & USED		  ? SEATS
			      : scene->action->how & WITH_VICTIM  ? 2
			      : scene->action->how & LATE_JOINERS ? 2
								  : 1;
	struct hbs_group_attr attr = { .members = SEATS,
				       .type = is_refutable(scene) ? HBS_REFUTABLE : HBS_BARRIER,
				       .reduce = scene->plain ? HBS_NO_REDUCTION : HBS_SUM,
				       .policy = scene->policy,
				       .algorithm = scene->algorithm };
	struct stat file;

	scene->count = 0;
	if (hbs_group_create(scene->hbs, &attr, &scene->group))
		die("hbs_group_create");
	scene->size = fstat(hbs_group_fd(scene->group), &file) ? 0 : (size_t)file.st_size;
	if (!scene->size || scene->size > MOST_BYTES)
		die("a group is larger than expected");
	scene->memory =
		mmap(NULL, scene->size, PROT_READ, MAP_SHARED, hbs_group_fd(scene->group), 0);
	if (scene->memory == MAP_FAILED)
		die("mmap");
	if (scene->action->how & USED)
		use(scene);
	scene->child = fork_as(scene, be_the_child);
	scene->victim = scene->action->how & WITH_VICTIM ? fork_as(scene, be_the_victim) : 0;
	while (scene->count < SEATS - others)
		join_survivor(scene);
	if (!(scene->action->how & LATE_JOINERS))
		pass_together(scene);
	if (scene->victim)
		kill_victim(scene);
}

static bool is_at_system_call(pid_t child)
{
	struct user_regs_struct registers;
	long code;

	if (ptrace(PTRACE_GETREGS, child, NULL, &registers))
		die("PTRACE_GETREGS");
	code = ptrace(PTRACE_PEEKTEXT, child, registers.rip, NULL);
	return (code & 0xffff) == 0x050f;
}

static int stopped_by(pid_t child)
{
	int status;

	if (waitpid(child, &status, __WALL) != child)
		die("waitpid");
	return WIFSTOPPED(status) ? WSTOPSIG(status) : -1;
}

/* Let the child run on when it has started its second thread, which is stopped */
static pid_t second_thread(pid_t child)
{
	unsigned long thread;

	if (ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACECLONE) ||
	    ptrace(PTRACE_CONT, child, NULL, NULL) || stopped_by(child) != SIGTRAP ||
	    ptrace(PTRACE_GETEVENTMSG, child, NULL, &thread) ||
	    stopped_by((pid_t)thread) != SIGSTOP || ptrace(PTRACE_CONT, child, NULL, NULL))
		die("a child has no second thread");
	return (pid_t)thread;
}

/*
 * Kill the child at that point. False if it had done all before. A system call may wait
 * for the others to arrive, so nothing waits for it that waits for them.
 */
static bool kill_at(struct scene *scene, unsigned int point)
{
	pid_t stepped = scene->child;
	char before[MOST_BYTES];
	unsigned int points = 0;
	bool killed = true;
	int signal;

	if (stopped_by(scene->child) != SIGUSR1)
		die("a child could not take part");
	if (scene->action->how & BY_THREAD)
		stepped = second_thread(scene->child);
	memcpy(before, scene->memory, scene->size);
	while (points < point) {
		bool calls = is_at_system_call(stepped);

		if (ptrace(PTRACE_SINGLESTEP, stepped, NULL, NULL))
			die("PTRACE_SINGLESTEP");
		signal = stopped_by(stepped);
		/* all of it is done, or the second thread has ended */
		if (signal == SIGUSR2 || signal < 0)
			killed = false;
		if (signal != SIGTRAP)
			break;
		if (calls || memcmp(before, scene->memory, scene->size))
			points++;
		memcpy(before, scene->memory, scene->size);
	}
	kill(scene->child, SIGKILL);
	if (stepped != scene->child)
		waitpid(stepped, NULL, __WALL);
	waitpid(scene->child, NULL, 0);
	/* if the others wait for it to be killed, it polls for ever */
	return killed && (scene->early || !(scene->action->how & BY_THREAD) || point < MOST_POINTS);
}

/* All of them, or the first that hangs is the end */
static void end_survivors(struct scene *scene, unsigned int point, double since)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += GIVE_UP_S;
	for (unsigned int i = 0; i < scene->count; i++)
		if (pthread_timedjoin_np(scene->survivors[i].thread, NULL, &until)) {
			complain(scene, point, "a member hangs", i);
			die("a member hangs");
		}
	if (seconds() - since > longest_s)
		longest_s = seconds() - since;
}

static uint64_t sum_of(const struct scene *scene)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < scene->count; i++)
		sum += scene->survivors[i].value;
	return sum;
}

/* The results of a barrier that all passed */
static bool result_is_right(struct scene *scene, unsigned int point, unsigned int round)
{
	const struct action *action = scene->action;
	uint64_t got = scene->survivors[0].result[round], sum = sum_of(scene);
	uint64_t more = 0;

	for (unsigned int i = 1; i < scene->count; i++)
		if (scene->survivors[i].result[round] != got)
			return complain(scene, point, "another result", (long long)got);
	if (!round && action->how & ARRIVED)
		more = CHILD;
	if (!round && action->how & WITH_VICTIM)
		more += VICTIM;
	if (got == sum + more || (!round && action->how & MAY_ARRIVE && got == sum + CHILD))
		return true;
	return complain(scene, point, "a wrong result", (long long)(got - sum));
}

static bool is_well(struct scene *scene, unsigned int point, bool killed)
{
	const struct action *action = scene->action;
	const struct survivor *first = &scene->survivors[0];

	(void)killed;
	for (unsigned int i = 1; i < scene->count; i++) {
		if (scene->survivors[i].passed != first->passed)
			return complain(scene, point, "another barrier", first->passed);
		if (scene->survivors[i].error != first->error)
			return complain(scene, point, "another error", first->error);
	}
	/* what it has sent is never freed */
	if (action->act == withdraw && action->how & IN_FLIGHT && first->passed)
		return complain(scene, point, "an epoch with a message in flight", first->passed);
	for (unsigned int round = 0; round < first->passed && !scene->plain; round++)
		if (!result_is_right(scene, point, round))
			return false;
	if (first->error && first->error != action->error &&
	    (first->error != -EOWNERDEAD || shrinks(scene)))
		return complain(scene, point, "a wrong error", first->error);
	return true;
}

static uint64_t barriers(struct scene *scene)
{
	struct hbs_group_stats stats = { 0 };

	if (hbs_group_stats(scene->group, &stats))
		die("hbs_group_stats");
	return stats.barriers;
}

/* All leave, and a group that can be used again is */
static bool works_anew(struct scene *scene, unsigned int point, int error)
{
	uint64_t before;

	for (unsigned int i = 0; i < scene->count; i++)
		hbs_leave(scene->survivors[i].me);
	scene->count = 0;
	if (is_full(scene)) {
		if (hbs_group_reset(scene->group))
			return complain(scene, point, "no reset", 0);
	} else if (error && error != -ENOTCONN) {
		return true;
	}
	before = barriers(scene);
	for (unsigned int i = 0; i < SEATS; i++) {
		join_survivor(scene);
		if (scene->count != i + 1) {
			/* the death may be noticed only now, which breaks it for ever */
			if (!is_full(scene) && scene->survivors[i].error == -EOWNERDEAD)
				return true;
			return complain(scene, point, "no new member", scene->survivors[i].error);
		}
	}
	for (unsigned int i = 0; i < SEATS; i++)
		pthread_create(&scene->survivors[i].thread, NULL, start, &scene->survivors[i]);
	end_survivors(scene, point, seconds());
	for (unsigned int i = 0; i < SEATS; i++)
		if (scene->survivors[i].error)
			return complain(scene, point, "no new barrier", scene->survivors[i].error);
	if (barriers(scene) != before + 1)
		return complain(scene, point, "new barriers",
				(long long)(barriers(scene) - before));
	return true;
}

static bool run_at(struct scene *scene, unsigned int point, bool *killed)
{
	bool late = scene->action->how & LATE_JOINERS, well = true;
	sem_t go;
	double since;
	int error = 0;

	sem_init(&go, 0, 0);
	gather(scene);
	if (!late)
		for (unsigned int i = 0; i < scene->count; i++) {
			scene->survivors[i].go = &go;
			pthread_create(&scene->survivors[i].thread, NULL, survive,
				       &scene->survivors[i]);
			if (scene->early)
				sem_post(&go);
		}
	*killed = kill_at(scene, point);
	since = seconds();
	while (late && scene->count < SEATS && !error) {
		join_survivor(scene);
		error = scene->count < SEATS ? scene->survivors[scene->count].error : 0;
		/* it had joined, and two did before the last seat was asked for */
		if (error == -ENOSPC || error == -EOWNERDEAD)
			break;
		error = 0;
	}
	if (late) {
		for (unsigned int i = 0; i < scene->count; i++) {
			scene->survivors[i].go = &go;
			pthread_create(&scene->survivors[i].thread, NULL, survive,
				       &scene->survivors[i]);
		}
	}
	for (unsigned int i = 0; i < scene->count && (late || !scene->early); i++)
		sem_post(&go);
	end_survivors(scene, point, since);
	error = scene->survivors[0].error;
	well = is_well(scene, point, *killed);
	/* and that before: of all that are left, or of those who have used it */
	if (well &&
	    barriers(scene) != scene->survivors[0].passed + (!late || scene->action->how & USED))
		well = complain(scene, point, "barriers", (long long)barriers(scene));
	well = works_anew(scene, point, error) && well;
	for (unsigned int i = 0; i < scene->count; i++)
		hbs_leave(scene->survivors[i].me);
	munmap(scene->memory, scene->size);
	if (hbs_group_close(scene->group))
		die("hbs_group_close");
	sem_destroy(&go);
	return well;
}

static bool can(const struct scene *scene)
{
	bool splits = is_full(scene) || scene->algorithm == HBS_ALGORITHM_COMBINING;

	if (scene->action->how & NEEDS_OTHERS && !scene->early)
		return false;
	if (scene->action->how & (NEEDS_FULL | REFUTABLE) && !is_full(scene))
		return false;
	/* which goes on with any number */
	if (scene->action->how & USED && is_full(scene))
		return false;
	return !(scene->action->how & NEEDS_SPLIT) || splits;
}

static void run(struct scene *scene, unsigned int every)
{
	bool well = true, killed = true;
	unsigned int points = 0;

	for (unsigned int point = 0; killed; point += every, points++)
		well = run_at(scene, point, &killed) && well;
	printf("# %u kills\n", points);
	tap_result(well, scene->name);
}

static const uint32_t algorithms[] = {
	HBS_ALGORITHM_CENTRAL,	 HBS_ALGORITHM_COUNTING,      HBS_ALGORITHM_SCAN,
	HBS_ALGORITHM_COMBINING, HBS_ALGORITHM_DISSEMINATION,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MOST_SCENES  (COUNT(algorithms) * COUNT(actions) * 4)

static const char *kind_of(const struct scene *scene)
{
	if (is_refutable(scene))
		return scene->plain ? "refutable" : "refutable and reducing";
	return shrinks(scene) ? "shrinking" : "breaking";
}

static unsigned int make_scenes(struct scene *scenes, const char *text)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < MOST_SCENES; i++) {
		struct scene *scene = &scenes[count];

		*scene = (struct scene){
			.action = &actions[i / 4 % COUNT(actions)],
			.algorithm = algorithms[i / 4 / COUNT(actions)],
			.early = i / 2 % 2,
		};
		/* a refutable group always breaks */
		scene->plain = i % 2 && is_refutable(scene);
		scene->policy = i % 2 && !scene->plain ? HBS_ON_DEATH_SHRINK : 0;
		snprintf(scene->name, sizeof(scene->name), "%s, %s, killed while %s%s",
			 hbs_algorithm_name(scene->algorithm), kind_of(scene), scene->action->name,
			 scene->early ? ", and others wait" : "");
		/*
		 * a waiting member finds the victim first; and nobody waits before all have
		 * joined
		 */
		if (!can(scene) || (shrinks(scene) && !is_full(scene)) ||
		    (scene->early && scene->action->how & (WITH_VICTIM | LATE_JOINERS)) ||
		    !strstr(scene->name, text))
			continue;
		count++;
	}
	return count;
}

int main(int argc, char **argv)
{
	static struct scene scenes[MOST_SCENES];
	unsigned int every = argc > 1 ? (unsigned int)atoi(argv[1]) : 0, count;
	struct hbs *hbs;

	if (!every) {
		fputs("usage: kills EVERY [TEXT]\n", stderr);
		return 2;
	}
	count = make_scenes(scenes, argc > 2 ? argv[2] : "");
	tap_plan(count);
	if (hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE }))
		die("hbs_open");
	for (unsigned int i = 0; i < count; i++) {
		scenes[i].hbs = hbs;
		run(&scenes[i], every);
	}
	printf("# figure: all were told, or went on, within %.0f ms of a kill\n", longest_s * 1e3);
	hbs_close(hbs);
	return tap_end();
}
