/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the library share. Nothing here is public. */
#ifndef HBS_INTERNAL_H
#define HBS_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/hbs.h>

/* -fvisibility=hidden is for all but the public header */
#pragma GCC visibility push(default)
#include "hbs.h"
#pragma GCC visibility pop

#define WORD_STATUS    (HBS_WORD_EPOCH_ONE - 1)
#define SOFT_PAGE_SIZE 4096

struct hbs_port;

/* What a backend does. Paths that a barrier takes are not here: see wait.c. */
struct backend_ops {
	enum hbs_backend id;
	uint32_t max_members; /* 0: the card says */
	void (*close)(struct hbs *hbs);
	int (*group_create)(struct hbs *hbs, struct hbs_group *group);
	/* takes a descriptor of the library's own, and closes it on failure */
	int (*group_import)(struct hbs *hbs, struct hbs_group *group);
	int (*group_destroy)(struct hbs_group *group);
	int (*group_stats)(struct hbs_group *group, struct hbs_group_stats *stats);
	int (*join)(struct hbs_member *member);
	void (*leave)(struct hbs_member *member);
	/* Sleep until the group's word is not member->word; give the word. */
	int (*sleep)(struct hbs_member *member, uint64_t *word);
	int (*member_fd)(struct hbs_member *member);
};

struct hbs {
	const struct backend_ops *ops;
	char *device;		/* card: its path */
	int fd;			/* card */
	uint32_t card;		/* card: N of /dev/hbsN */
	uint32_t page_size;	/* bytes to map for a group */
	uint32_t cpus;		/* that the opener may run on */
	uint64_t spin;		/* ticks */
	bool spin_default;	/* no spin in a group of more members than CPUs */
	pid_t pid;		/* of the opener: a child of fork is none */
	atomic_uint groups;	/* handles */
	pthread_mutex_t lock;	/* of ports */
	struct hbs_port *ports; /* card: of this context's threads */
};

struct hbs_group {
	struct hbs *hbs;
	void *page; /* card: departure records; software: struct soft_page */
	int fd;
	uint32_t seats;
	atomic_uint members; /* that joined through this handle */
};

struct hbs_member {
	volatile uint64_t *lane; /* card: the ARRIVAL word; NULL: software */
	const _Atomic uint64_t *record;
	uint64_t word; /* of the barrier in progress, or arrived at */
	int arrived;   /* 1, or the error of a broken group: no arrival any more */
	int poll_fd;   /* -1: none yet */
	uint64_t spin; /* ticks */
	struct hbs_group *group;
	struct hbs_port *port; /* card */
};

extern const struct backend_ops hbsi_card_ops;
extern const struct backend_ops hbsi_software_ops;

/* card.c: open one card, or the first that opens if @device is NULL */
int hbsi_card_open(struct hbs *hbs, const char *device);

/* software.c: the arrival of the software backend, called by wait.c */
int hbsi_software_arrive(struct hbs_member *member);

/* port.c: the ports of a context; the caller holds hbs->lock */
struct hbs_port {
	struct hbs_port *next;
	void *map;
	uint32_t map_size;
	uint32_t number;
	uint32_t users; /* memberships */
	pid_t tid;	/* the thread that took it */
};

int hbsi_port_new(struct hbs *hbs, pid_t tid, struct hbs_port **port);
void hbsi_port_put(struct hbs *hbs, struct hbs_port *port);

/* error.c */
int hbsi_word_error(uint64_t word);

/* A handle that fork copied is not this process's: its mappings are gone. */
bool hbsi_is_foreign(const struct hbs *hbs);

/*
 * No function of the library is a cancellation point: those that open, close or
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
