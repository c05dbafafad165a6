/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The members of a group in a storm: processes that meet as fast as they can, each
 * waiting in another way, and say what ended it. Each one writes how far it has
 * come before it arrives, so that the others see whether they were released by
 * mistake.
 */
#ifndef MEMBER_H
#define MEMBER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MEMBERS 5

enum state {
	STATE_IDLE,	/* has nothing to do, or is on its way */
	STATE_MEMBER,	/* the others wait for it */
	STATE_DOOMED,	/* is about to be killed */
	STATE_REPORTED, /* its outcome is there */
};

/* What one member reports */
struct seat {
	_Atomic int state;
	_Atomic int outcome;
	_Atomic uint64_t reached; /* epoch word of the latest epoch that it arrived for */
	_Atomic uint64_t barriers;
	pid_t pid;
	int socket; /* by which it gets groups */
};

/* What all share */
struct gathering {
	struct seat seat[MEMBERS];
	_Atomic uint32_t round;
	_Atomic uint64_t first; /* epoch word that the group starts from */
	_Atomic bool library;	/* one of them uses the library */
	_Atomic uint64_t early; /* releases by mistake */
};

/* In memory that is inherited by fork; NULL if there is none */
struct gathering *gathering_make(void);
/* Starts a member, which waits for a group; returns 0 or -errno */
int member_start(struct gathering *gathering, unsigned int index);
/* Gives it a group to meet in, until something ends that */
int member_send(struct gathering *gathering, unsigned int index, int group);
void member_kill(struct gathering *gathering, unsigned int index);

#endif /* MEMBER_H */
