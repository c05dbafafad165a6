/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the paths of mssp begin: --sources */
#ifndef HBSGRAPH_SOURCES_H
#define HBSGRAPH_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

struct sources {
	uint32_t count; /* 0: the default */
	uint32_t *list; /* NULL: that many, evenly over the numbers of vertices */
};

#define SOURCES_DEFAULT 16

/*
 * A number, or a list of vertices with commas: "3,5". Return: false, with a message on stderr, if it is
 * neither. sources_free() frees the list.
 */
bool sources_parse(const char *text, struct sources *sources);

/* Whether the graph has these vertices; else a message on stderr says that it has not */
bool sources_fit(const struct sources *sources, uint32_t vertices);

/* The vertex that is source number @number of @count */
uint32_t sources_vertex(const struct sources *sources, uint32_t count, uint32_t number,
			uint32_t vertices);

void sources_free(struct sources *sources);

#endif /* HBSGRAPH_SOURCES_H */
