/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What "hbsgraph tune" measured on this machine: a file with a line for each graph
 *
 *	hbs-graph-profile 1
 *	machine 2 CPUs, AMD EPYC 7B13
 *	threads 2
 *	backend software
 *	case weighted 1048576 16 7 4.33 0.51 0.24	vertices, fan-out, diameter, reconvergence;
 *	end 1						seconds in modes sync and async; so many cases
 */
#ifndef HBSGRAPH_PROFILE_H
#define HBSGRAPH_PROFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "classifier.h"
#include "software/profile.h"

struct graph_profile {
	char machine[PROFILE_MACHINE_SIZE];
	uint32_t threads;
	bool card;
	struct classifier classifier;
};

/* Where it is unless the user names a file: HBS_GRAPH_PROFILE, or graph-profile beside the library's
 * own profile. False if there is no such place. */
bool graph_profile_path(char path[PATH_MAX]);

/**
 * graph_profile_read() - read a profile, and fit its models
 * @path: the file
 * @profile: out; graph_profile_free() frees it, also if this fails
 * @closed: out: the errno of a file that cannot be opened, and then there is no message; or 0
 *
 * Return: false, with a message on stderr that names the line, if it is not a profile.
 */
bool graph_profile_read(const char *path, struct graph_profile *profile, int *closed);

/* Write it as a whole. Return: NULL, or what is wrong. */
const char *graph_profile_write(const char *path, const struct graph_profile *profile);

void graph_profile_free(struct graph_profile *profile);

#endif /* HBSGRAPH_PROFILE_H */
