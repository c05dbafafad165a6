/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line */
#ifndef TDSIM_OPTIONS_H
#define TDSIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"

#define MESHES_MAX 128

struct mesh_size {
	unsigned int width;
	unsigned int height;
};

/**
 * struct options - what to simulate
 * @config: what all simulations share
 * @meshes: sizes of meshes, @mesh_count of them
 * @protocol, @master: the only one, or -1 for all
 * @plot: a file to write, or NULL
 */
struct options {
	struct config config;
	struct mesh_size meshes[MESHES_MAX];
	size_t mesh_count;
	int protocol;
	int master;
	const char *plot;
};

/* Return: whether all are good; else stderr says which is not. --help ends the program. */
bool options_parse(int argc, char **argv, struct options *options);

/* Whether a simulation of this protocol and master is wanted */
bool options_want(const struct options *options, enum protocol protocol, enum master master);

#endif /* TDSIM_OPTIONS_H */
