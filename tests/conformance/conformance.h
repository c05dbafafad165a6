/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the test files share. They test the semantics of a barrier over the public
 * interface of the library, in each mode.
 *
 * cmocka's asserts leave a test by longjmp, which only the first thread may do, and
 * no child: other threads and children use CHECK() and CHECK_IS(), which print what
 * was wrong and return 1. IS() is for the test itself.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <sys/types.h>

#include <cmocka.h>

#include "hbs.h"

/* What a mode may have or lack; it must refuse what it lacks, see refused.c */
enum feature {
	VALUES = 1u << 0,
	TIMEOUTS = 1u << 1,
	SHRINK = 1u << 2, /* the others go on without a dead member */
	MISSING = 1u << 3,
	RESET = 1u << 4,
	COMPLETION = 1u << 5,
	SPLIT_PHASE = 1u << 6,
	DROP = 1u << 7,
	DEADLINES = 1u << 8,
	POLL_FD = 1u << 9,
	DEATH = 1u << 10,   /* it notices the death of a member */
	THREADS = 1u << 11, /* that of a thread too */
	/* the ways of a card, other than the ones that all have */
	COUNTING = 1u << 12,
	POLLING = 1u << 13,
	REGISTER = 1u << 14,
	MEMBER_RECORD = 1u << 15,
	NODE_RECORD = 1u << 16,
	/* the limits that an administrator sets */
	LIMITS = 1u << 17,
	/* members that join and leave after the start do not disturb the others */
	MEMBERSHIP = 1u << 18,
	/* a choice of how many members a node of a tree has */
	FAN_IN = 1u << 19,
	/* a timeout that only notifies is POLLPRI */
	POLL_TIME = 1u << 20,
	/* refutable groups */
	REFUTABLE = 1u << 21,
};

/* A way to run all tests, see modes.c */
struct mode {
	char name[64];
	enum hbs_backend backend;
	uint64_t spin_ns;
	unsigned int features;
	struct hbs_group_attr attr; /* for every group, with the test's fields added */
};

#define MAX_GROUPS   64
#define MAX_THREADS  64
#define MAX_CONTEXTS 8

#define MAX_MODES 64

/* All modes of a backend, without those that need a feature of @lacking; returns how many */
unsigned int make_modes(enum hbs_backend backend, unsigned int lacking, struct mode *modes);
/* Spin so long, and say so in the name */
void set_spin(struct mode *mode, uint64_t spin_ns);
/* By name; 0 if no feature has that name */
enum feature feature_of(const char *name);

/* What a test has. After the test all of it is closed, which must be possible. */
struct context {
	const struct mode *mode;
	const char *device;
	struct hbs *hbs;
	struct hbs *more[MAX_CONTEXTS];
	struct hbs_group *groups[MAX_GROUPS];
	unsigned int n_more, n_groups;
	/* numbers of threads for tests with several threads; 0 ends it */
	unsigned int threads[8];
	/* how many seconds a long wait lasts */
	unsigned int wait_s;
	unsigned int less; /* divides what is done often */
	/* how many messages a flood has; 0: as many as other tests */
	unsigned long messages;
};

struct test {
	const char *name; /* the promise that it is about */
	void (*run)(struct context *context);
	unsigned int needs; /* features */
};

/* A refusal of each feature that a mode lacks */
struct refusal {
	enum feature feature;
	struct test test;
};

/* Each is ended by one without a name */
extern const struct test barrier_tests[], phase_tests[], membership_tests[], error_tests[],
	deadline_tests[], completion_tests[], value_tests[], timeout_tests[], death_tests[],
	missing_tests[], thread_tests[], reset_tests[], process_tests[], waiting_tests[],
	paper_tests[], idle_tests[], idle_vote_tests[], idle_member_tests[], idle_end_tests[],
	idle_time_tests[], idle_error_tests[], idle_storm_tests[], idle_flood_tests[],
	mailbox_tests[], program_tests[];
extern const struct refusal refusals[];

/* Prints if they differ; returns whether they are the same */
bool same(long long got, long long want, const char *text, const char *file, int line);
bool holds(bool condition, const char *text, const char *file, int line);

#define IS(got, want)                                           \
	do {                                                    \
		if (!same(got, want, #got, __FILE__, __LINE__)) \
			fail_msg("%s is not %s", #got, #want);  \
	} while (0)
#define CHECK_IS(got, want)                                     \
	do {                                                    \
		if (!same(got, want, #got, __FILE__, __LINE__)) \
			return 1;                               \
	} while (0)
#define CHECK(condition)                                               \
	do {                                                           \
		if (!holds(condition, #condition, __FILE__, __LINE__)) \
			return 1;                                      \
	} while (0)

/* Another context of the mode, which spins for so long */
struct hbs *open_more(struct context *context, uint64_t spin_ns);
/* Groups that are closed after the test */
struct hbs_group *make_group(struct context *context, unsigned int members);
struct hbs_group *make_group_of(struct context *context, const struct hbs_group_attr *attr);
struct hbs_group *import_group(struct context *context, struct hbs *hbs, struct hbs_group *group);
/* The attributes that make_group_of() gives to the library */
struct hbs_group_attr group_attr(const struct context *context, const struct hbs_group_attr *attr);
void join(struct hbs_group *group, struct hbs_member **members, unsigned int count);
void leave(struct hbs_member **members, unsigned int count);
/* In a list from hbs_group_missing(), the member that joined with that tag, or NULL */
const struct hbs_absentee *find_tag(const struct hbs_absentee *list, int count, uint64_t tag);
uint64_t barriers(struct hbs_group *group);

/* A refutable group, and hbs_begin_idle() with these numbers and no value */
struct hbs_group *make_refutable(struct context *context, unsigned int members);
int be_idle(struct hbs_member *member, uint64_t sent, uint64_t freed, int vote);
/* All say so and nothing else */
void all_idle(struct hbs_member **members, unsigned int count);
/* All depart from an epoch that is over, or none can yet */
void all_depart(struct context *context, struct hbs_member **members, unsigned int count);
void none_departs(struct hbs_member **members, unsigned int count);
struct hbs_group_stats stats_of(struct hbs_group *group);

/*
 * Whether the mode's card polls for arrivals, or shows a departure to one member after
 * the other, so that what has happened may be seen a moment later
 */
bool lags(const struct context *context);
#define LAG_MS 5000
/* How many arrivals there were; in a mode that lags, once there are that many */
uint64_t arrivals(struct context *context, struct hbs_group *group, uint64_t want);
/* A call that returns @not_yet before a barrier is over that all have arrived at */
int soon(struct context *context, struct hbs_member *member, int (*call)(struct hbs_member *member),
	 int not_yet);
/* hbs_test() so */
int over(struct context *context, struct hbs_member *member);

/* Less of a long test where everything is slow */
unsigned int scaled(const struct context *context, unsigned int count);
unsigned int cpus(void);
void nap_us(unsigned int us);
double seconds(void);
/* A sequence that looks random, and is the same each time */
uint64_t random_from(uint64_t *seed);

/* A thread or process that takes part */
struct part {
	struct context *context;
	struct hbs_group *group;
	struct hbs_member *me;
	unsigned int index, count;
	void *shared;
	uint64_t seed;
};

/* Returns 0 or 1, having said what was wrong */
typedef int part_work(struct part *part);

/*
 * Run threads. Those of run_members() join @group before and leave it after; if one
 * fails, the group is destroyed so that the others end too.
 */
void run_threads(struct context *context, unsigned int count, part_work *work, void *shared);
void run_members(struct context *context, struct hbs_group *group, unsigned int count,
		 part_work *work, void *shared);
/* The same, for use in threads: returns how many failed */
unsigned int try_members(struct context *context, struct hbs_group *group, unsigned int count,
			 part_work *work, void *shared);

/* The ways to arrive and to depart */
enum way {
	BY_BARWAIT,
	BY_WAIT,
	BY_TEST,
	BY_WAIT_FOR,
	WAYS,
};

/* The way of @fixed, or all of them by turns if that is negative */
enum way way_of(int fixed, uint64_t turn);
/* One barrier; if the mode lacks the way, by hbs_barwait() */
int pass(struct part *part, enum way way);

/* A thread that waits, after it has arrived */
struct waiter {
	struct hbs_member *member;
	int (*wait)(struct hbs_member *member);
	int result;
	uint64_t value;
	bool brings; /* the value */
	bool over;
	pid_t tid;
	pthread_t thread;
};

/* Returns when it waits */
void waiter_start(struct waiter *waiter, struct hbs_member *member,
		  int (*wait)(struct hbs_member *member));
int waiter_end(struct waiter *waiter);
/* hbs_wait_for() an hour */
int wait_long(struct hbs_member *member);
/* poll, then hbs_test() */
int wait_by_poll(struct hbs_member *member);

/*
 * A member that arrives before others do, and waits: in the thread that runs the test if
 * the mode has the split phase, or else in a thread of its own.
 */
struct early {
	struct context *context;
	struct waiter waiter;
};

void early_arrives(struct context *context, struct early *early, struct hbs_member *member);
/* It brings that value */
void early_brings(struct context *context, struct early *early, struct hbs_member *member,
		  uint64_t value);
/* It is not over */
void early_waits(struct early *early);
/* How the wait ends */
int early_departs(struct early *early);
/* All but the last arrive early, and all depart */
void pass_all(struct context *context, struct hbs_member **members, unsigned int count);

/* A group in which somebody waits in each way that there is, and seats are free */
struct crowd {
	struct hbs_group *group;
	struct hbs_member *members[6];
	struct waiter waiters[6];
	unsigned int count, waiting;
};

/* Joins, nobody waits yet; attr->members is the number of seats left free */
void crowd_join(struct context *context, struct crowd *crowd, const struct hbs_group_attr *attr);
void crowd_wait(struct crowd *crowd);
/* The same, unless the group's timer expires before all wait */
bool crowd_waits_in_time(struct crowd *crowd);
/* All end with that result */
void crowd_ends(struct crowd *crowd, int result);
void crowd_leave(struct crowd *crowd);

/*
 * A process that opens a context, takes part in a group, and says when it has joined.
 * @work is run with its membership; a process that returns from it leaves and closes
 * all, and ends with what @work returned. It joins with @index as its tag.
 */
struct child {
	pid_t pid;
	int socket; /* a byte each way */
};

void child_start(struct context *context, struct child *child, int group_fd, part_work *work,
		 void *shared, unsigned int index);
/* In a child: tell the parent, and wait for it */
int child_tell(struct part *part);
int child_hear(struct part *part);
void hear_child(struct child *child);
void tell_child(struct child *child);
void child_kill(struct child *child); /* SIGKILL */
void child_ends(struct child *child); /* with 0 */
/* Memory that processes share */
void *shared_memory(size_t size);

/* Members that pass barriers until there is an error; they tell how far each one came */
struct race {
	struct hbs_group *group;
	struct hbs_member *members[MAX_THREADS];
	uint64_t passed[MAX_THREADS];
	int error[MAX_THREADS];
	pthread_t threads[MAX_THREADS];
	unsigned int count;
};

void race_start(struct race *race, struct hbs_group *group, unsigned int count);
/* All ended with @error, after the same number of barriers */
void race_ends(struct race *race, int error);

/* Counters by which members see each other */
#define LINE 8
struct steps {
	uint64_t at[MAX_THREADS * LINE]; /* a cache line each */
	unsigned int epochs;
	int way; /* enum way, or -1: by turns */
};

/*
 * A work: writes, passes a barrier, looks whether all have written, and passes
 * another. The memory is plain: it is the barrier that orders it.
 */
int take_steps(struct part *part);

#endif /* CONFORMANCE_H */
