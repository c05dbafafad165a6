/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What "hbsbench tune" measured on this machine: a file with a table, whose lines have
 * blanks between their words:
 *
 *	hbs-profile 1				the version comes first
 *	machine 16 CPUs, AMD EPYC 7B13		it is of this one only
 *	kernel 6.1.0-18-amd64			for people
 *	software 4 pinned central 0 212		members, placement, algorithm, fan-in, ns
 *	software 32 oversubscribed counting 0 9050
 *	card 4 pinned 810			members, placement, ns
 *	end 3					lines of the table: nothing is missing
 *
 * A line that starts with # is a comment. Fan-in 0 is that of the algorithm.
 *
 * A profile changes which algorithm "auto" takes, and nothing else. Nobody knows who
 * wrote it, and a bad one must do no other harm: everything has a limit, and the library
 * ignores a profile unless every word of it is right.
 */
#ifndef HBS_PROFILE_H
#define HBS_PROFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PROFILE_HEAD	     "hbs-profile"
#define PROFILE_VERSION	     1
#define PROFILE_ROWS_MAX     2048
#define PROFILE_LINE_SIZE    256 /* length of a line with its end */
#define PROFILE_LINES_MAX    4096
#define PROFILE_MACHINE_SIZE 128
#define PROFILE_NS_MAX	     1000000000000ULL
#define PROFILE_NONE	     "there is none"

enum profile_placement {
	PROFILE_PINNED,		/* a CPU for each member */
	PROFILE_OVERSUBSCRIBED, /* more members than CPUs, and pinned to none */
	PROFILE_PLACEMENTS,
};

/* The words in the file */
extern const char *const hbsi_profile_placements[PROFILE_PLACEMENTS];

/**
 * struct profile_row - a time that was measured
 * @members: 1 to 65535
 * @placement: enum profile_placement
 * @algorithm: enum hbs_algorithm; HBS_ALGORITHM_AUTO: a card was measured
 * @fan_in: 0, or 2 to 64
 * @ns: the median time of a barrier; if oversubscribed the mean, as many are quick and a
 *   few are not
 */
struct profile_row {
	uint32_t members;
	uint32_t placement;
	uint32_t algorithm;
	uint32_t fan_in;
	uint64_t ns;
};

/**
 * struct profile - what a file says
 * @path: the file; empty if there is none
 * @why: why the library does not use it, or NULL
 * @line: the number of the line that is wrong, or 0
 * @machine: the machine that it says it is of
 * @count: 0 if it is not used
 */
struct profile {
	char path[PATH_MAX];
	const char *why;
	uint32_t line;
	char machine[PROFILE_MACHINE_SIZE];
	uint32_t count;
	struct profile_row rows[PROFILE_ROWS_MAX];
};

/* A file of the user's own configuration of hbs. Return: whether the user has a place for it. */
bool hbsi_profile_home(const char *file, char path[PATH_MAX]);

/*
 * Where the library looks for it: the @place-th file, from 0. If HBS_PROFILE names a file,
 * that is the only place; else the user's file comes first, and then the machine's. Return:
 * whether there is such a place.
 */
bool hbsi_profile_place(unsigned int place, char path[PATH_MAX]);

/* The name of this machine in a profile */
void hbsi_profile_machine(char name[PROFILE_MACHINE_SIZE]);

/* Read a file from its start; profile->path is the caller's. */
void hbsi_profile_read(struct profile *profile, FILE *file);

/*
 * The first file that can be opened, of all places; profile->why says if there is none, or a
 * bad one
 */
void hbsi_profile_load(struct profile *profile);

/* The same, once in a process. The caller holds cancellation off. */
const struct profile *hbsi_profile(void);

#endif /* HBS_PROFILE_H */
