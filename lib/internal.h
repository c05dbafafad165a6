/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the library share. Nothing here is public. */
#ifndef HBS_INTERNAL_H
#define HBS_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/hbs.h>

/* -fvisibility=hidden applies to everything but the public header */
#pragma GCC visibility push(default)
#include "hbs.h"
#pragma GCC visibility pop

#include "checker.h"
#include "spin.h"
#include "software/algorithm.h"
#include "software/auto.h"

#define WORD_STATUS (HBS_WORD_EPOCH_ONE - 1)

/* As HBSI_PENDING: the barrier is over, but for the completion function */
#define HBSI_IN_COMPLETION 2

struct hbs_port;
struct soft_page;
struct soft_report;
struct soft_seat;
struct soft_watch;
struct waits;

/* What a backend does. The paths of a barrier are not here: see wait.c. */
struct backend_ops {
	enum hbs_backend id;
	uint32_t max_members; /* 0: the card says how many */
	void (*close)(struct hbs *hbs);
	size_t group_size;			     /* bytes of a handle */
	void (*group_free)(struct hbs_group *group); /* what a handle contains; NULL: nothing */
	int (*group_create)(struct hbs *hbs, struct hbs_group *group,
			    const struct hbs_group_attr *attr);
	/* takes a descriptor that the library owns, and closes it on failure */
	int (*group_import)(struct hbs *hbs, struct hbs_group *group);
	int (*group_destroy)(struct hbs_group *group);
	int (*group_stats)(struct hbs_group *group, struct hbs_group_stats *stats);
	int (*group_missing)(struct hbs_group *group, struct hbs_absentee *list, uint32_t room);
	int (*group_reset)(struct hbs_group *group);
	int (*group_word)(struct hbs_group *group, uint64_t *word);
	int (*join)(struct hbs_member *member, uint64_t tag);
	void (*leave)(struct hbs_member *member);
	/* The member's thread has ended: the others see it as if its process had died */
	void (*die)(struct hbs_member *member);
	/* Sleep until the word is not member->word, or the deadline comes; return the word. */
	int (*sleep)(struct hbs_member *member, uint64_t deadline, uint64_t *word);
	/* The last word of the group that the member was in */
	uint64_t (*last_word)(struct hbs_member *member);
	int (*member_fd)(struct hbs_member *member);
	/*
	 * Of members of refutable groups, that another one can wake; NULL: none can. @number: by
	 * which others wake the member, from now on, or an error. @wake: end that member's sleep(),
	 * or the next one, though its epoch is not over; any number may be given.
	 */
	int (*number)(struct hbs_member *member);
	void (*wake)(struct hbs_group *group, uint32_t number);
	/*
	 * As member_fd(), but readable also when wake() has come after this call. @asleep: who wakes
	 * the member first stores 0 there; the backend may look at it until idle_fd_end(), if it
	 * has that.
	 */
	int (*idle_fd)(struct hbs_member *member, const _Atomic uint32_t *asleep);
	void (*idle_fd_end)(struct hbs_member *member);
};

struct hbs {
	const struct backend_ops *ops;
	char *device;  /* card: its path */
	int fd;	       /* card */
	uint32_t card; /* card: N of /dev/hbsN */
	struct spin_policy spin;
	bool verbose;		  /* HBS_VERBOSE */
	bool any;		  /* there is a card, but a group may still be in software */
	struct auto_choice named; /* what HBS_ALGORITHM says */
	pid_t pid;		  /* of the process that opened it: a child of fork has another */
	atomic_uint groups;	  /* handles */
	pthread_mutex_t lock;	  /* of ports */
	struct hbs_port *ports;	  /* card: of this context's threads */
};

/* What a member keeps for software/idle.c and scan.c */
struct soft_idler {
	struct soft_report *report; /* "scan": its own */
	uint64_t moves;
	uint64_t balance;
	uint32_t from;	 /* "scan": the seat that its next look begins with */
	uint16_t resets; /* that the group had when the member joined */
	bool vote;
};

/* The start of each handle of a group; a handle in software is a struct software */
struct hbs_group {
	struct hbs *hbs;
	void *page; /* card: departure records, or NULL; software: struct soft_page */
	struct completion *completion; /* NULL: none */
	uint32_t map_size;	       /* bytes of the page */
	int fd;
	uint32_t seats;
	atomic_uint members; /* members that joined through this handle */
	union {
		uint32_t number; /* card: which one of its groups */
		int guard;	 /* software: its locks; see guard.h */
	};
	spin_learnt learnt;    /* what the waits of this process have shown */
	uint8_t backend;       /* enum hbs_backend */
	uint8_t reduce;	       /* enum hbs_reduction */
	uint8_t policy;	       /* HBS_ON_ bits */
	uint8_t arrive_by : 4; /* enum hbs_arrive_by */
	uint8_t type : 4;      /* enum hbs_group_type */
	uint8_t depart_by;     /* enum hbs_depart_by */
	uint8_t algorithm;     /* software: enum hbs_algorithm */
	uint8_t fan_in;	       /* software: of a tree, or 0 */
	bool alone;	       /* software: no other process can get it: see guard.h */
};

/*
 * A handle of a member. malloc() puts several of them 128 bytes apart, but not at the start of
 * a line. So the fields that a member writes at each barrier are 32 to 80 bytes behind the
 * start, and the fields that may share a line with another handle are not used in a barrier.
 */
struct hbs_member {
	struct soft_seat *seat; /* software, and NULL on a card */
	struct hbs_group *group;
	union {
		/* on a card */
		struct {
			volatile uint64_t *lane; /* the ARRIVAL word, or NULL */
			_Atomic uint64_t *line;	 /* the arrival line that the card polls, or NULL */
			const _Atomic uint64_t *record; /* or the DEPARTURE word of the card */
			struct hbs_port *port;
			int wake_fd; /* by which it can be woken; -1: none yet */
		};
		/* in software */
		struct {
			struct soft_page *page;
			union {
				struct algorithm_member turn; /* the algorithm is not full */
				struct soft_idler idler;
			};
			/*
			 * the state if nobody has arrived; the epoch word, once the member has
			 * left
			 */
			uint64_t guess;
		};
	};
	uint64_t word;	   /* of the barrier in progress, or of the one it arrived at */
	int arrived;	   /* 1, or the error of a broken group: no more arrivals */
	bool all_arrived;  /* software: it is over, by the algorithm or by this member's arrival */
	bool has_turn;	   /* software: the algorithm decides that, and not the state */
	bool release_line; /* software: it waits on that, and not on the state */
	bool is_dead;	   /* software: its thread has ended */
	union {
		uint32_t expected; /* software: how many arrivals a barrier needs */
		uint32_t votes;	   /* card: HBS_WORD_VOTE bits of the epoch that it departed from */
	};
	uint32_t recounts; /* software: for the guess, see software/layout.h */
	union {
		uint32_t seat_number; /* software */
		int poll_fd;	      /* card: -1: none yet */
	};
	bool plain;		  /* one store is a whole arrival, and one word a whole release */
	bool plain_lane;	  /* card: it is plain, and has a lane */
	bool scans;		  /* software: the algorithm is "scan" */
	uint64_t joined;	  /* the word when it joined */
	struct hbs_member *next;  /* in the list of the port, or in software of the handle */
	struct soft_watch *watch; /* software; NULL: it has never polled */
};

#define MEMBER_IS(condition) _Static_assert(sizeof(void *) != 8 || (condition), "see above")
MEMBER_IS(sizeof(struct soft_idler) <= sizeof(struct algorithm_member));
MEMBER_IS(offsetof(struct hbs_member, turn.epoch) >= 32);
MEMBER_IS(offsetof(struct hbs_member, expected) <= 80);
MEMBER_IS(offsetof(struct hbs_member, watch) >= 112);
MEMBER_IS(sizeof(struct hbs_member) == 120); /* and eight of malloc's */

extern const struct backend_ops hbsi_card_ops;
extern const struct backend_ops hbsi_software_ops;

static inline const struct backend_ops *group_ops(const struct hbs_group *group)
{
	return group->backend == HBS_BACKEND_SOFTWARE ? &hbsi_software_ops : &hbsi_card_ops;
}

/* card.c: open one card, or the first that opens if @device is NULL */
int hbsi_card_open(struct hbs *hbs, const char *device);

/* card_member.c: what a member of a card's group does besides arriving and departing */
int hbsi_card_join(struct hbs_member *member, uint64_t tag);
void hbsi_card_leave(struct hbs_member *member);
void hbsi_card_die(struct hbs_member *member);
int hbsi_card_sleep(struct hbs_member *member, uint64_t deadline, uint64_t *word);
uint64_t hbsi_card_last_word(struct hbs_member *member);
/* The result of the barrier that the member departed from, if the kernel has it, or an error */
int hbsi_card_last_result(struct hbs_member *member, uint64_t *result);
int hbsi_card_member_fd(struct hbs_member *member);
int hbsi_card_number(struct hbs_member *member);
int hbsi_card_idle_fd(struct hbs_member *member, const _Atomic uint32_t *asleep);

/* software/: the same in software; wait.c and value.c call what is not in its table */
int hbsi_soft_create(struct hbs *hbs, struct hbs_group *group, const struct hbs_group_attr *attr);
int hbsi_soft_import(struct hbs *hbs, struct hbs_group *group);
void hbsi_soft_group_free(struct hbs_group *group);
int hbsi_soft_destroy(struct hbs_group *group);
int hbsi_soft_stats(struct hbs_group *group, struct hbs_group_stats *stats);
int hbsi_soft_missing(struct hbs_group *group, struct hbs_absentee *list, uint32_t room);
int hbsi_soft_reset(struct hbs_group *group);
int hbsi_soft_group_word(struct hbs_group *group, uint64_t *word);
int hbsi_soft_join(struct hbs_member *member, uint64_t tag);
void hbsi_soft_leave(struct hbs_member *member);
void hbsi_soft_die(struct hbs_member *member);
int hbsi_soft_barwait(struct hbs_member *member);
int hbsi_soft_arrive(struct hbs_member *member, uint64_t value);
/* Refutable groups; 1: the epoch is over, and the member has not withdrawn */
int hbsi_soft_begin_idle(struct hbs_member *member, const struct hbs_idle *idle);
/* The same for a member whose barriers are plain; it sets member->arrived too */
int hbsi_soft_begin_plain(struct hbs_member *member, int64_t delta, bool vote);
int hbsi_soft_withdraw(struct hbs_member *member);
/* The HBS_WORD_VOTE bits of the epoch that the member has departed from, or an error */
int hbsi_soft_votes(const struct hbs_member *member, uint64_t *votes);
/* Depart: 0, HBSI_PENDING, HBSI_IN_COMPLETION or the error of a broken group */
int hbsi_soft_depart(struct hbs_member *member);
/* How many had not arrived when this member had; UINT32_MAX where no counter says that */
uint32_t hbsi_soft_still_out(const struct hbs_member *member);
/*
 * As hbsi_soft_depart(), for a call that looks and does not wait: it also checks the time, and
 * looks for deaths
 */
int hbsi_soft_test(struct hbs_member *member);
int hbsi_soft_wait(struct hbs_member *member, uint64_t deadline);
/*
 * Sleep until the bell of the group rings or the moment @until comes, unless @look returns
 * something else than HBSI_PENDING first; return what it has returned last.
 */
int hbsi_soft_sleep_while(struct hbs_member *member, uint64_t until, int (*look)(void *arg),
			  void *arg);
/* What waiting members do for the group, and when they have to do it again at the latest */
void hbsi_soft_do_duties(struct hbs_group *group, uint64_t word);
uint64_t hbsi_soft_next_duty_of(const struct hbs_member *member);
/* The error for a member that has not arrived, if it is no longer in its group; or 0 */
int hbsi_soft_lost(struct hbs_member *member);
int hbsi_soft_result(struct hbs_member *member, uint64_t *result);
/* Whether members of its algorithm have to wait, or all have to stay */
bool hbsi_soft_has_to_wait(const struct hbs_member *member);
bool hbsi_soft_has_to_stay(const struct hbs_member *member);
/* Whether its barriers are plain ones, which the state decides */
bool hbsi_soft_is_plain(const struct hbs_member *member);

/* wait.c: what values need from it */
int hbsi_arrive(struct hbs_member *member, uint64_t value);
int hbsi_arrive_early(struct hbs_member *member, uint64_t value);
/* Depart, for a member that has arrived: 0, HBSI_PENDING or the error of a broken group */
int hbsi_depart(struct hbs_member *member);
/* Wait, for a member that has arrived */
int hbsi_finish(struct hbs_member *member);
int hbsi_refuse(const struct hbs_member *member);
/* The error of its group for a member that has not arrived, if it is no longer in it; or 0 */
int hbsi_lost(struct hbs_member *member);

/* What a member waits for besides the end of its epoch */
struct idle_source {
	int (*has_message)(void *arg); /* 0, 1 or an error */
	/*
	 * The member is about to look once more and to sleep: from now on, who sends a message
	 * wakes it. Return: when to look again in spite of that, or DEADLINE_NEVER.
	 */
	uint64_t (*lie_down)(void *arg);
	/* Whether that is still so; not if somebody has woken it, or is about to */
	bool (*lies)(void *arg);
	void *arg;
};

/* Whether a card's sum of messages has room for a number; a sum in software has as much */
static inline bool idle_sum_fits(int64_t sum)
{
	const int64_t most = (int64_t)(HBS_IDLE_DELTA >> 1);

	return sum <= most && sum >= -most - 1;
}

/*
 * idle.c: wait, for a member that is idle, until its epoch is over (1) or there is a message (0),
 * or either has an error
 */
int hbsi_wait_idle(struct hbs_member *member, const struct idle_source *source);

/* thread.c: threads whose end ends their memberships, in groups with that policy */
int hbsi_thread_watch(struct hbs_member *member);
void hbsi_thread_unwatch(struct hbs_member *member);

/* completion.c: the function that is called once a barrier before any member departs */
struct completion *hbsi_completion_new(const struct hbs_group *group, void (*call)(void *arg),
				       void *arg);
void hbsi_completion_free(struct completion *completion);
/* There are no members yet, or no more: barriers start from the epoch of @word. */
void hbsi_completion_start(struct completion *completion, uint64_t word);
/* Whether members may depart to the epoch @over; calls the function if nobody has. */
bool hbsi_completion_done(struct completion *completion, uint64_t over);
/* The same, but wait for the member that is in the function. */
void hbsi_completion_settle(struct completion *completion, uint64_t over);
/* Sleep while another member is in the function. */
void hbsi_completion_sleep(struct completion *completion, uint64_t deadline);
/* Joining and resetting exclude each other. */
void hbsi_completion_lock(struct completion *completion);
void hbsi_completion_unlock(struct completion *completion);

/* port.c: the ports of a context; the caller holds hbs->lock */
struct hbs_port {
	struct hbs_port *next;
	void *map;
	void *memory; /* arrival lines and records of the port itself; NULL: not needed yet */
	struct waits *waits; /* one for each group of the card, or NULL: see waits.h */
	uint32_t map_size;
	uint32_t memory_size;
	uint64_t memory_offset;
	uint32_t waits_size;
	uint32_t number;
	pid_t tid; /* the thread that took the port */
	struct hbs_member *members;
};

int hbsi_port_new(struct hbs *hbs, pid_t tid, struct hbs_port **port);
/* Map its memory, if that is not done */
int hbsi_port_map_memory(struct hbs *hbs, struct hbs_port *port);
void hbsi_port_add(struct hbs_port *port, struct hbs_member *member);
void hbsi_port_remove(struct hbs_member *member);
/* Whether the port has a member of that group, also from before a reset */
bool hbsi_port_is_in(const struct hbs_port *port, uint32_t group);
/* Give the port back if it has no members. */
void hbsi_port_put(struct hbs *hbs, struct hbs_port *port);

/* checker.c: what the library tells checkers about groups */
/* For the barrier that a member is about to arrive at, and for the one that it has departed from */
void hbsi_checker_arrival(const struct hbs_member *member);
void hbsi_checker_departure(const struct hbs_member *member);
/* A thread that ends a barrier or a membership comes before those that get an error from it */
void hbsi_checker_end(const struct hbs_group *group);
void hbsi_checker_error(const struct hbs_group *group);
/* The completion function comes after all arrivals and before all departures, to @over */
void hbsi_checker_call(const struct hbs_group *group, uint64_t over);
void hbsi_checker_called(const struct hbs_group *group, uint64_t over);

static inline void checked_arrival(const struct hbs_member *member)
{
	if (__builtin_expect(hbsi_checked, 0))
		hbsi_checker_arrival(member);
}

/* @ret: of a call that departs, or that returns an error: the group's, or that time is over */
static inline int checked_departure(const struct hbs_member *member, int ret)
{
	if (__builtin_expect(hbsi_checked, 0)) {
		if (!ret)
			hbsi_checker_departure(member);
		else if (ret < 0 && member->arrived != 1)
			hbsi_checker_error(member->group);
	}
	return ret;
}

static inline void checked_end(const struct hbs_group *group)
{
	if (__builtin_expect(hbsi_checked, 0))
		hbsi_checker_end(group);
}

/* error.c */
int hbsi_word_error(uint64_t word);

/* A handle that fork copied does not belong to this process: its mappings are gone. */
bool hbsi_is_foreign(const struct hbs *hbs);

/*
 * No function of the library is a cancellation point: functions that open, close or
 * write hold cancellation off.
 */
static inline int cancel_off(void)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	return old;
}

static inline void cancel_restore(int old)
{
	pthread_setcancelstate(old, &old);
}

#endif /* HBS_INTERNAL_H */
