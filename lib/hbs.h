/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * DOC: Overview
 *
 * libhbs: hardware barriers, and the same barriers in software without a card::
 *
 *	hbs_open(&hbs, NULL);
 *	hbs_group_create(hbs, &(struct hbs_group_attr){ .members = 8 }, &group);
 *	... in each of the 8 threads:
 *	hbs_join(group, &me);
 *	for (step = 0; step < steps; step++) {
 *		work(step);
 *		hbs_barwait(me);
 *	}
 *	hbs_leave(me);
 *
 * All functions return 0 (or a value >= 0 where their comment says so) or a negative
 * errno. They may change errno itself, which says nothing about them. Times are in ns, sizes in
 * bytes. Where a call comes from a paper, its comment names it: the HBS and HARP papers are two
 * parts of "Paths to Fast Barrier Synchronization on the Node" (Hetland and others, 2019); the
 * Tinsel paper is that on refutable barriers among 49,152 threads. The other calls are our own.
 *
 * Threads: different handles may be used by different threads at once. A member
 * handle belongs to one thread at a time. Many threads may use a context or a group,
 * but a thread may close it only when no other thread is inside a call on it.
 *
 * fork: a child has no part in its parent's contexts, groups and members. It may
 * close and leave them, which frees its copies and nothing else, and import
 * hbs_group_fd() into a context of its own. Other functions return -ECHILD. It must
 * not call the functions that arrive and wait.
 *
 * A barrier that was over before its group broke stays over: either all members get 0
 * for it, or none does. The next call returns the error.
 */

/**
 * DOC: Errors of a broken group
 *
 * They come from every function on it or its members::
 *
 *   -EOWNERDEAD  a member died without leaving; if it dumps core, once that is written
 *   -ETIMEDOUT   the group's timer expired
 *   -ECONNRESET  the card was reset, or hbs_group_reset() reset the group
 *   -ENODEV      the card is gone
 *   -EIDRM       the group was destroyed
 *   -EIO         the card could not reach memory
 *   -EOVERFLOW   more messages in flight than a refutable group can count
 *   -ENOTCONN    software: a member left, and the algorithm needs all of them
 */
#ifndef HBS_H
#define HBS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The version of these headers. All else that has a version takes it from here or is tested
 * to have the same (Documentation/releases.rst).
 */
#define HBS_VERSION_MAJOR 1
#define HBS_VERSION_MINOR 0
#define HBS_VERSION_PATCH 0

#define HBS_VERSION_OF_(major, minor, patch) #major "." #minor "." #patch
#define HBS_VERSION_OF(major, minor, patch)  HBS_VERSION_OF_(major, minor, patch)

/* The same as a string, "1.0.0" for instance */
#define HBS_VERSION HBS_VERSION_OF(HBS_VERSION_MAJOR, HBS_VERSION_MINOR, HBS_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

struct hbs;
struct hbs_group;
struct hbs_member;

/**
 * enum hbs_backend - what does the barriers
 * @HBS_BACKEND_ANY: a card if there is one, else software
 * @HBS_BACKEND_CARD: a card
 * @HBS_BACKEND_SOFTWARE: the library, in shared memory
 */
enum hbs_backend {
	HBS_BACKEND_ANY = 0,
	HBS_BACKEND_CARD = 1,
	HBS_BACKEND_SOFTWARE = 2,
};

/* Spin for no time at all, in hbs_attr.spin_ns (0 there means the default) */
#define HBS_SPIN_NONE UINT64_MAX

/**
 * enum hbs_wait_policy - how to wait
 * @HBS_WAIT_DEFAULT: spin for as long as has been worth it lately, then sleep
 * @HBS_WAIT_ACTIVE: spin and never sleep, but let others run from time to time
 * @HBS_WAIT_PASSIVE: sleep at once
 *
 * If a spin time is given, it overrides this.
 */
enum hbs_wait_policy {
	HBS_WAIT_DEFAULT = 0,
	HBS_WAIT_ACTIVE = 1,
	HBS_WAIT_PASSIVE = 2,
};

/**
 * struct hbs_attr - what to open; zero is the default of every field
 * @backend: which backend; HBS_BACKEND_ANY asks the environment variable
 *           HBS_BACKEND (card, software or any) first
 * @wait_policy: enum hbs_wait_policy; HBS_WAIT_DEFAULT asks the environment variable
 *               HBS_WAIT_POLICY (active or passive), and without that OMP_WAIT_POLICY
 * @device: path of the card, or NULL for the environment variable HBS_DEVICE,
 *          and without that the first /dev/hbsN that opens
 * @spin_ns: how long a wait spins before it sleeps, in ns; 0 for the environment
 *           variable HBS_SPIN_NS, and without that as the policy says
 * @reserved: 0
 */
struct hbs_attr {
	uint32_t backend;
	uint32_t wait_policy;
	const char *device;
	uint64_t spin_ns;
	uint64_t reserved[5];
};

/**
 * hbs_open() - open a card or the software backend
 * @hbs: out: the context
 * @attr: what to open, or NULL for all defaults
 *
 * Return: 0; -EINVAL for a bad attribute or environment variable (standard error names the
 * variable), or for a device in @attr where HBS_BACKEND says software; -ENODEV if
 * HBS_BACKEND_CARD finds no card; -EACCES if there is a card that this user may not open;
 * another errno of open(2). HBS_BACKEND_ANY takes software if there is no card that this user
 * may open, unless a device is named. If there is a card, the context chooses again for each
 * group: a group is in software if it names an algorithm, or if "hbsbench tune" has measured
 * on this machine that it is faster there.
 */
int hbs_open(struct hbs **hbs, const struct hbs_attr *attr);

/**
 * hbs_close() - close a context
 * @hbs: the context
 *
 * Return: 0; -EBUSY while it has groups.
 */
int hbs_close(struct hbs *hbs);

/**
 * hbs_backend() - the backend of a context
 * @hbs: the context
 *
 * Return: HBS_BACKEND_CARD or HBS_BACKEND_SOFTWARE; HBS_BACKEND_CARD also for a
 * context that chooses for each group.
 */
enum hbs_backend hbs_backend(const struct hbs *hbs);

/**
 * hbs_backend_name() - the name of what a context runs on, for people
 * @hbs: the context
 *
 * Return: "software", or the path of the card. The string lives as long as the
 * context.
 */
const char *hbs_backend_name(const struct hbs *hbs);

/**
 * struct hbs_group_attr - what group to make; zero is the default of all fields but
 *                         @members
 * @members: number of members; the first barrier completes when all have joined
 *           and arrived
 * @type: enum hbs_group_type
 * @reduce: enum hbs_reduction: what the group does with the values that its members bring;
 *          a member that arrives without a value brings 0
 * @policy: HBS_ON_ bits
 * @timeout_ns: time from the first arrival at a barrier after which the group breaks with
 *              -ETIMEDOUT, or only reports it (HBS_ON_TIMEOUT_NOTIFY); 0 for none
 * @completion: a function that one of the members calls, once for each barrier that all
 *              arrive at, in any of its calls, when all have arrived and before any of
 *              them departs; NULL for none. It has to return, and must not call functions
 *              on its own group or on members of it. Such a group cannot be imported, and
 *              has no reduction.
 * @completion_arg: the argument of @completion; NULL without @completion
 * @complete_by: enum hbs_complete_by
 * @arrive_by: enum hbs_arrive_by
 * @depart_by: enum hbs_depart_by
 * @algorithm: enum hbs_algorithm: how the software backend does a barrier
 * @fan_in: software: how many members a node of a tree has, 2 to 64; 0 for the best known.
 *          An algorithm that is named must have this choice, else -EINVAL
 * @promise: HBS_PROMISE_ bits: what the members will not do, so that HBS_ALGORITHM_AUTO
 *           may choose an algorithm that does not support it
 * @reserved: 0
 *
 * The fields that end in _by choose how a card does a barrier, so that the ways can be
 * compared (HARP paper, section 3). Zero is the fastest. A group behaves the same with
 * each value.
 */
struct hbs_group_attr {
	uint32_t members;
	uint32_t type;
	uint32_t reduce;
	uint32_t policy;
	uint64_t timeout_ns;
	void (*completion)(void *arg);
	void *completion_arg;
	uint32_t complete_by;
	uint32_t arrive_by;
	uint32_t depart_by;
	uint32_t algorithm;
	uint32_t fan_in;
	uint32_t promise;
	uint64_t reserved[4];
};

/**
 * enum hbs_group_type - what kind of group it is
 * @HBS_BARRIER: for barriers
 * @HBS_REFUTABLE: for termination detection, after the Tinsel paper
 *
 * Members of a refutable group do not arrive at barriers: they are
 * idle, see hbs_begin_idle(). Such a group has no completion function, completes by
 * HBS_COMPLETE_BY_MASK, takes HBS_ARRIVE_BY_STORE and does not shrink. In software its algorithm
 * is central, counting or scan.
 */
enum hbs_group_type {
	HBS_BARRIER = 0,
	HBS_REFUTABLE = 1,
};

/**
 * DOC: Promises, the bits of hbs_group_attr.promise
 *
 * HBS_PROMISE_FIXED: after all have joined, the members only call hbs_barwait(), hbs_allreduce()
 * and hbs_vote(), and leave in the end: no split phase, and no barrier after a member has
 * left.
 */
#define HBS_PROMISE_FIXED 0x1u

/**
 * enum hbs_algorithm - how the software backend does a barrier
 * @HBS_ALGORITHM_AUTO: the library chooses, see HBS_ALGORITHM in hbs_group_create()
 * @HBS_ALGORITHM_CENTRAL: a central counter (survey)
 * @HBS_ALGORITHM_COMBINING: a combining tree (survey)
 * @HBS_ALGORITHM_TOURNAMENT: a tournament (survey)
 * @HBS_ALGORITHM_FWAY_TOURNAMENT: a tournament of several in each match (survey)
 * @HBS_ALGORITHM_MCS: the tree of Mellor-Crummey and Scott (survey)
 * @HBS_ALGORITHM_BINOMIAL: a binomial tree (survey)
 * @HBS_ALGORITHM_BUTTERFLY: a butterfly (survey)
 * @HBS_ALGORITHM_PAIRWISE: pairwise exchange (survey)
 * @HBS_ALGORITHM_DISSEMINATION: dissemination (survey)
 * @HBS_ALGORITHM_COUNTING: a central counter, and two release lines in turns (HARP paper)
 * @HBS_ALGORITHM_POOL: flags that a master collects (HARP paper)
 * @HBS_ALGORITHM_TICKET: a counter that is never reset (HARP paper)
 * @HBS_ALGORITHM_SCAN: each member looks at the lines of the others (our own)
 *
 * The survey is "A Survey of Barrier Algorithms for Coarse Grained Supercomputers", by
 * Hoefler, Mehlan, Mietke and Rehm. Documentation/algorithms.rst says what each one
 * is, costs and can do. A group behaves the same with each, except that an algorithm
 * refuses what it cannot do.
 */
enum hbs_algorithm {
	HBS_ALGORITHM_AUTO = 0,
	HBS_ALGORITHM_CENTRAL = 1,
	HBS_ALGORITHM_COMBINING = 2,
	HBS_ALGORITHM_TOURNAMENT = 3,
	HBS_ALGORITHM_FWAY_TOURNAMENT = 4,
	HBS_ALGORITHM_MCS = 5,
	HBS_ALGORITHM_BINOMIAL = 6,
	HBS_ALGORITHM_BUTTERFLY = 7,
	HBS_ALGORITHM_PAIRWISE = 8,
	HBS_ALGORITHM_DISSEMINATION = 9,
	HBS_ALGORITHM_COUNTING = 10,
	HBS_ALGORITHM_POOL = 11,
	HBS_ALGORITHM_TICKET = 12,
	HBS_ALGORITHM_SCAN = 13,
};

/**
 * enum hbs_complete_by - how a card finds that a barrier is complete (HARP paper)
 * @HBS_COMPLETE_BY_MASK: the card knows who has arrived
 * @HBS_COMPLETE_BY_COUNT: the card counts arrivals
 */
enum hbs_complete_by {
	HBS_COMPLETE_BY_MASK = 0,
	HBS_COMPLETE_BY_COUNT = 1,
};

/**
 * enum hbs_arrive_by - how a member arrives at a card (HARP paper)
 * @HBS_ARRIVE_BY_STORE: by a store to the card
 * @HBS_ARRIVE_BY_POLLING: by a store to memory, which the card polls
 */
enum hbs_arrive_by {
	HBS_ARRIVE_BY_STORE = 0,
	HBS_ARRIVE_BY_POLLING = 1,
};

/**
 * enum hbs_depart_by - where a member sees that a card's barrier is over (HARP paper; the
 *                      record of each node is our own)
 * @HBS_DEPART_BY_RECORD: in a word of memory that the card writes for all
 * @HBS_DEPART_BY_CSR: in a register of the card, which it polls
 * @HBS_DEPART_BY_MEMBER_RECORD: in a word of memory for each member
 * @HBS_DEPART_BY_NODE_RECORD: in a word of memory for each NUMA node
 */
enum hbs_depart_by {
	HBS_DEPART_BY_RECORD = 0,
	HBS_DEPART_BY_CSR = 1,
	HBS_DEPART_BY_MEMBER_RECORD = 2,
	HBS_DEPART_BY_NODE_RECORD = 3,
};

/**
 * enum hbs_reduction - what a group does with the values of its members, of 64 bits each
 * @HBS_NO_REDUCTION: the members bring no values
 * @HBS_AND: bit by bit
 * @HBS_OR: bit by bit
 * @HBS_XOR: bit by bit
 * @HBS_SUM: modulo 2^64, so for signed numbers too
 * @HBS_MIN: the least, unsigned
 * @HBS_MAX: the greatest, unsigned
 * @HBS_SMIN: the least, signed
 * @HBS_SMAX: the greatest, signed
 * @HBS_VOTE: whether all and any voted yes, see hbs_vote()
 */
enum hbs_reduction {
	HBS_NO_REDUCTION = 0,
	HBS_AND = 1,
	HBS_OR = 2,
	HBS_XOR = 3,
	HBS_SUM = 4,
	HBS_MIN = 5,
	HBS_MAX = 6,
	HBS_SMIN = 7,
	HBS_SMAX = 8,
	HBS_VOTE = 9,
};

/**
 * DOC: Policies, the bits of hbs_group_attr.policy
 *
 * HBS_ON_TIMEOUT_NOTIFY, HBS_ON_DEATH_SHRINK, HBS_ON_THREAD_EXIT.
 * Without the first two, a timeout and a death break
 * the group. With the third, a thread that joined and ends without leaving is a dead
 * member, as a process is; use it only if no member is handed to another thread.
 */
#define HBS_ON_TIMEOUT_NOTIFY 0x1u /* hbs_group_missing() reports a timeout */
#define HBS_ON_DEATH_SHRINK   0x2u /* the others go on without the dead member */
#define HBS_ON_THREAD_EXIT    0x4u /* a member dies with its thread */

/**
 * hbs_group_create() - make a group (HBS paper: create_barrier)
 * @hbs: the context
 * @attr: what to make
 * @group: out: the group
 *
 * Return: 0; -EINVAL for a bad attribute, or more members than the card has ports (software:
 * 65535); -EOPNOTSUPP for what the backend, the card or the algorithm does not have; -ERANGE
 * for a timeout outside the limits that the administrator set; -ENOSPC if the card has no
 * groups left but reserved ones; -EDQUOT if the user has as many groups as the administrator
 * allows; -EFBIG in software, if the process may not make files so large (RLIMIT_FSIZE);
 * -EAGAIN if the process may lock no more memory (RLIMIT_MEMLOCK); -EMFILE, -ENOMEM.
 *
 * In software, HBS_ALGORITHM_AUTO takes the algorithm that the environment variable
 * HBS_ALGORITHM names, if that algorithm can do all that the group's members may do: with
 * HBS_PROMISE_FIXED any can; without it, and in a refutable group, only central, counting and
 * scan. Otherwise the library chooses by the number of members, the CPUs and their caches, and
 * by what "hbsbench tune" measured on this machine. With HBS_VERBOSE=1 in the environment, the
 * library says on standard error what it chose for each group.
 */
int hbs_group_create(struct hbs *hbs, const struct hbs_group_attr *attr, struct hbs_group **group);

/**
 * hbs_group_algorithm() - the algorithm of a group
 * @group: the group
 *
 * Return: an enum hbs_algorithm, never HBS_ALGORITHM_AUTO; -EOPNOTSUPP on a card.
 */
int hbs_group_algorithm(const struct hbs_group *group);

/**
 * hbs_algorithm_name() - the name of an algorithm
 * @algorithm: enum hbs_algorithm
 *
 * Return: its name, as in the environment variable HBS_ALGORITHM; NULL if no algorithm
 * has that number. The numbers have no gap, and start from 0, which is "auto".
 */
const char *hbs_algorithm_name(unsigned int algorithm);

/**
 * hbs_group_fd() - the descriptor that stands for a group
 * @group: the group
 *
 * Pass it to another process (fork, SCM_RIGHTS), which gives it to hbs_group_import().
 * The descriptor belongs to the group: do not close it.
 *
 * Return: a descriptor; -EOPNOTSUPP for a group with a completion function, and for one
 * that was made in software where there was no /proc.
 */
int hbs_group_fd(const struct hbs_group *group);

/**
 * hbs_group_import() - take part in a group that another process made
 * @hbs: a context of the same backend, and for a card of the same card
 * @fd: the group's descriptor; the library duplicates it, and the caller keeps it
 * @group: out: the group
 *
 * Return: 0; -EBADF if @fd is no descriptor; -EINVAL if it is no group of this backend;
 * -EXDEV if it is a group of another card; -EOPNOTSUPP in software where there is no
 * /proc; -EMFILE, -ENOMEM.
 */
int hbs_group_import(struct hbs *hbs, int fd, struct hbs_group **group);

/**
 * hbs_group_close() - let go of a group
 * @group: the group
 *
 * The group itself lives on while others have a handle of it.
 *
 * Return: 0; -EBUSY while it has members that joined through this handle.
 */
int hbs_group_close(struct hbs_group *group);

/**
 * hbs_group_destroy() - break a group for everybody
 * @group: the group
 *
 * All members that wait or arrive get -EIDRM. The handle stays, until the caller closes
 * it; before that hbs_group_reset() can mend the group.
 *
 * Return: 0, also if the group is broken already.
 */
int hbs_group_destroy(struct hbs_group *group);

/**
 * struct hbs_group_stats - counts since the group was made or, on a card, was reset
 * @barriers: barriers completed
 * @arrivals: arrivals (card: the accepted ones)
 * @departure_reads: card: loads from DEPARTURE lines
 * @record_writes: card: DMA writes to departure records
 * @dropped: card: ARRIVAL stores dropped (not a member, double, broken)
 * @interrupts: card: completion interrupts
 * @sleeps: waits that slept in the kernel
 * @line_reads: card: DMA reads of arrival lines
 * @withdrawals: of a refutable group: how often members have withdrawn
 * @in_flight: of a refutable group: messages sent less freed, as members have said since the
 *             last epoch ended; if all are idle, those in flight. After a break, what it was
 *             then. 0 on a card that has no timers
 * @reserved: 0
 */
struct hbs_group_stats {
	uint64_t barriers;
	uint64_t arrivals;
	uint64_t departure_reads;
	uint64_t record_writes;
	uint64_t dropped;
	uint64_t interrupts;
	uint64_t sleeps;
	uint64_t line_reads;
	uint64_t withdrawals;
	int64_t in_flight;
	uint64_t reserved[6];
};

/**
 * hbs_group_stats() - the counts of a group
 * @group: the group
 * @stats: out
 *
 * Return: 0, or the error of a card that is gone or was reset.
 */
int hbs_group_stats(struct hbs_group *group, struct hbs_group_stats *stats);

/**
 * hbs_join() - become a member (HBS paper: barinit)
 * @group: the group
 * @member: out: the membership
 *
 * Does not wait for the others. After the group has started, a join takes a seat that a
 * member left, and the new member counts from the barrier in progress.
 *
 * Return: 0; -ENOSPC if all seats are taken, or all ports but reserved ones; -EDQUOT if
 * the user has as many ports as the administrator allows; an error of a broken group;
 * -ENOMEM.
 */
int hbs_join(struct hbs_group *group, struct hbs_member **member);

/**
 * hbs_join_tagged() - become a member with a name
 * @group: the group
 * @tag: what hbs_group_missing() is to call this member, such as its rank in the program;
 *       it need not be unique, and hbs_join() gives 0
 * @member: out: the membership
 *
 * A seat or a port does not tell which part of the program has it. A process and thread
 * number tells little to a reader on another machine, and nothing in another PID
 * namespace.
 *
 * Return: as hbs_join(); -EOPNOTSUPP if @tag is not 0 and the card's driver is too old.
 */
int hbs_join_tagged(struct hbs_group *group, uint64_t tag, struct hbs_member **member);

/**
 * hbs_leave() - end a membership
 * @member: the membership, freed in every case
 *
 * The other members go on without it, from the barrier in progress. A member of a refutable
 * group leaves only when it has said of all its messages that they are sent or freed, and no
 * message to it is left: the others would wait for these for ever. In software, if the
 * algorithm needs all its members, the others cannot go on: they get -ENOTCONN until
 * all have left, and then a new group starts in the same seats.
 *
 * Return: 0, also if the group is broken.
 */
int hbs_leave(struct hbs_member *member);

/**
 * hbs_barwait() - arrive and wait for all others (HBS paper: barwait)
 * @member: the membership
 *
 * On a card: one store, and a spin on local memory. After the call, a member sees
 * all that any member wrote to memory before its own call.
 *
 * Return: 0; an error of a broken group; -EALREADY if the member called
 * hbs_arrive() and has not departed since.
 */
int hbs_barwait(struct hbs_member *member);

/**
 * hbs_arrive() - arrive, without waiting
 * @member: the membership
 *
 * Return: 0; an error of a broken group; -EALREADY if the member has arrived
 * already and has not yet departed by hbs_test() or hbs_wait(); -EOPNOTSUPP in
 * software, if the algorithm needs members that wait to help the others.
 */
int hbs_arrive(struct hbs_member *member);

/**
 * hbs_test() - depart if all have arrived
 * @member: the membership
 *
 * Return: 1 if the member has departed; 0 if some have not arrived yet; an error of
 * a broken group; -EINVAL if this member has not arrived.
 */
int hbs_test(struct hbs_member *member);

/**
 * hbs_wait() - wait until all have arrived, and depart
 * @member: the membership
 *
 * Spins and sleeps as the context's policy says. A signal does not end it.
 *
 * Return: 0; an error of a broken group; -EINVAL if it has not arrived.
 */
int hbs_wait(struct hbs_member *member);

/**
 * hbs_wait_for() - wait until all have arrived, but not for ever
 * @member: the membership
 * @timeout_ns: how long, in ns; 0 only looks
 *
 * Return: as hbs_wait(); -ETIMEDOUT if the time is over. The arrival still counts:
 * wait again, by any of the calls. (-ETIMEDOUT is also the error of a group that
 * its own timer broke; then the next call returns it again.)
 */
int hbs_wait_for(struct hbs_member *member, uint64_t timeout_ns);

/**
 * hbs_arrive_value() - arrive with a value
 * @member: the membership of a group that reduces
 * @value: the value
 *
 * Return: as hbs_arrive(); -EOPNOTSUPP if the group does not reduce.
 */
int hbs_arrive_value(struct hbs_member *member, uint64_t value);

/**
 * hbs_result() - the result of the barrier that a member departed from last
 * @member: the membership of a group that reduces
 * @result: out: the values of all members, reduced
 *
 * A member can ask for it until it arrives again.
 *
 * Return: 0; -EINVAL if the member has not departed, or has arrived since; the error of
 * a broken group, if a call of this member has returned that error, or if the result went
 * with the card or with resets of the group; -EOPNOTSUPP if the group does not reduce.
 */
int hbs_result(struct hbs_member *member, uint64_t *result);

/**
 * hbs_allreduce() - bring a value, wait for all, and take the result
 * @member: the membership of a group that reduces
 * @value: the value
 * @result: out: the values of all members, reduced
 *
 * This is also a barrier, with the same store and the same spin.
 *
 * Return: as hbs_barwait(); -EOPNOTSUPP if the group does not reduce.
 */
int hbs_allreduce(struct hbs_member *member, uint64_t value, uint64_t *result);

/**
 * hbs_vote() - vote, wait for all, and take the outcome
 * @member: the membership of a group with the reduction HBS_VOTE
 * @yes: the vote, 0 or not
 * @all: out: 1 if all voted yes, else 0; may be NULL
 * @any: out: 1 if at least one voted yes, else 0; may be NULL
 *
 * Return: as hbs_barwait(); -EOPNOTSUPP for a group with another reduction.
 */
int hbs_vote(struct hbs_member *member, int yes, int *all, int *any);

/**
 * struct hbs_idle - what a member of a refutable group says when it is idle
 * @sent: messages that it has sent since its last hbs_begin_idle(); a message counts before
 *        its receiver can find it
 * @freed: messages that it has freed since then; it frees a message when it has done what the
 *         message asked for, and has counted the messages that it sent for that
 * @value: its value, if the group reduces; else 0
 * @vote: its vote, 0 or 1
 * @reserved: 0
 */
struct hbs_idle {
	uint64_t sent;
	uint64_t freed;
	uint64_t value;
	uint32_t vote;
	uint32_t reserved;
};

/**
 * hbs_begin_idle() - say that a member has nothing to do (Tinsel paper: tinselIdle)
 * @member: the membership, in a group of type HBS_REFUTABLE
 * @idle: what it has to say
 *
 * One store to the card; a second one before it if the group reduces. (In software, about as much
 * as arriving at a barrier.) The epoch is over, and
 * hbs_test(), hbs_wait() and hbs_wait_for() depart, when all members are idle and all that
 * they have sent is freed. Then hbs_votes() tells how all have voted, hbs_result() the
 * reduction of the values, and the next epoch has begun.
 *
 * A member that is idle and finds a message may have to work again. Each message carries the
 * number of its sender's epoch. If that is the receiver's own, the receiver calls
 * hbs_withdraw() and takes the message; if it is the next one, the receiver's epoch is over,
 * and it departs first. Nothing else is a reason to withdraw. A member that leaves while it is
 * idle takes its vote and its value along, and what it has said of messages still counts.
 *
 * Return: 0; -EALREADY if the member is idle already; -EOPNOTSUPP if the group is not
 * refutable, or has a value and does not reduce; -EOVERFLOW if @sent and @freed differ by 2^47
 * or more; an error of a broken group; -EINVAL.
 */
int hbs_begin_idle(struct hbs_member *member, const struct hbs_idle *idle);

/**
 * hbs_withdraw() - take back that a member is idle, since it has a message of this epoch
 * @member: the membership
 *
 * One store to the card; on processors other than x86 also a load from it. What the member has
 * said of messages still holds; its vote and its value do not.
 *
 * Return: 0; 1 if the epoch is over, and the member has departed: then the message was not of
 * this epoch; -EINVAL if the member is not idle; -EOPNOTSUPP if the group is not refutable; an
 * error of a broken group.
 */
int hbs_withdraw(struct hbs_member *member);

/**
 * hbs_votes() - how all members voted in the epoch that a member departed from last
 * @member: the membership, in a group of type HBS_REFUTABLE
 * @all: out: 1 if all voted 1, else 0; may be NULL
 * @any: out: 1 if at least one did, else 0; may be NULL
 *
 * Return: 0; -EINVAL if the member has not departed, or is idle again; -EOPNOTSUPP if the
 * group is not refutable; the error of a broken group, if a call of this member has returned
 * that error.
 */
int hbs_votes(const struct hbs_member *member, int *all, int *any);

/**
 * hbs_arrive_and_drop() - arrive, and leave without waiting
 * @member: the membership, freed in every case
 *
 * The barrier in progress counts this arrival, with the value 0 in a group that
 * reduces; the barriers after it need only the other members (C++:
 * std::barrier::arrive_and_drop). If not all seats have been taken yet, the seat
 * becomes vacant again, as by hbs_leave().
 *
 * Return: 0; an error of a broken group; -EALREADY if the member has arrived and not
 * departed: then it only leaves, and its arrival still counts; -EOPNOTSUPP as
 * hbs_arrive(), or if the others could not go on: then it only leaves, too.
 */
int hbs_arrive_and_drop(struct hbs_member *member);

/**
 * struct hbs_absentee - a member that has not arrived, or has died
 * @port: card: its port; software: its seat. Neither is a rank: see @tag for that
 * @pid: its process, 0 if this process cannot see it
 * @tid: its thread, 0 likewise
 * @reserved: 0
 * @tag: the tag that it gave to hbs_join_tagged(); 0 after hbs_join()
 */
struct hbs_absentee {
	uint32_t port;
	int32_t pid;
	int32_t tid;
	uint32_t reserved;
	uint64_t tag;
};

/**
 * hbs_group_missing() - who has not arrived at the barrier in progress, or has died
 * @group: the group
 * @list: out: the members that are missing
 * @room: entries of @list
 *
 * If the group's timer expired in this barrier, or broke the group, the list has the
 * members that were missing then and have not left since. If a death broke the group
 * (-EOWNERDEAD), the list has the members that have died, whether they had arrived or not,
 * and nobody else. If the group broke for another reason, the list is empty. The list has
 * no seats that nobody has taken, and no dead members of a group that goes on without them
 * (HBS_ON_DEATH_SHRINK).
 *
 * Return: how many members are missing, which may be more than @room; the error of a card
 * that is gone or was reset.
 */
int hbs_group_missing(struct hbs_group *group, struct hbs_absentee *list, size_t room);

/**
 * hbs_group_reset() - mend a group
 * @group: the group
 *
 * All memberships end. A member that waits or arrives gets -ECONNRESET, or the error that
 * the group had if it was broken before; it has to leave and to join again. As at the
 * start, the first barrier then completes when all seats are taken and all members have
 * arrived.
 *
 * Return: 0; -EOPNOTSUPP in software, if the algorithm needs all its members; the error
 * of a card that is gone or was reset.
 */
int hbs_group_reset(struct hbs_group *group);

/**
 * hbs_member_fd() - a descriptor for poll, select and epoll
 * @member: the membership
 *
 * The descriptor polls readable when hbs_test() will not return 0; call hbs_test() then.
 * While another member is in the completion function, the descriptor is already readable,
 * but hbs_test() still returns 0. hbs_leave() closes it. Call this function again each
 * time before polling: it also prepares the descriptor for the barrier that the member now
 * waits for.
 *
 * Return: a descriptor; -EOPNOTSUPP in software, if the algorithm has no split phase;
 * -EAGAIN in software, if the process may have no more threads; -EMFILE, -ENOMEM.
 */
int hbs_member_fd(struct hbs_member *member);

/* How many lengths of waits struct hbs_member_stats tells apart */
#define HBS_WAIT_STEPS 24

/**
 * struct hbs_member_stats - how long a member has waited for others, since it joined
 * @epochs: barriers that it has departed from
 * @waited_ns: the time of all its long waits, those of 512 ns or more
 * @slept: how many of them slept in the kernel
 * @waits: how many barriers it has waited for, by how long: the first number is of short waits,
 *         the next one of those of 512 ns or more, then come those of 1024 ns or more, and so on;
 *         the last one has all that were longer
 * @reserved: 0
 */
struct hbs_member_stats {
	uint64_t epochs;
	uint64_t waited_ns;
	uint64_t slept;
	uint64_t waits[HBS_WAIT_STEPS];
	uint64_t reserved[5];
};

/**
 * hbs_member_stats() - how long a member has waited for others
 * @member: the membership
 * @stats: out
 *
 * The member that is late is the one that waits least. Barriers after which a member found that
 * it need not wait count as short waits, and so do those that it waited for by hbs_test() or
 * poll.
 *
 * Return: 0; -EOPNOTSUPP in a refutable group, or if the card's driver is too old or had no
 * memory for it.
 */
int hbs_member_stats(struct hbs_member *member, struct hbs_member_stats *stats);

/**
 * hbs_version() - the version of the library that the program runs with
 *
 * HBS_VERSION is that of the headers that the program was compiled with, which may be another
 * one: it must have the same major number, and be no newer than the library.
 *
 * Return: a constant text, as HBS_VERSION.
 */
const char *hbs_version(void);

/**
 * hbs_strerror() - what a negative return value of this library means
 * @error: the value
 *
 * Return: a constant text; never NULL.
 */
const char *hbs_strerror(int error);

#ifdef __cplusplus
}
#endif

#endif /* HBS_H */
