// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of the 9th DIMACS challenge, on shortest paths: "p sp VERTICES EDGES", and for each
 * edge "a FROM TO WEIGHT". Vertices count from 1.
 */
#include <string.h>

#include "hbs_graph.h"
#include "read_file.h"

struct problem {
	bool known;
	uint64_t vertices;
	uint64_t edges;
	uint64_t seen;
};

static bool read_problem(struct file *file, struct problem *problem)
{
	const char *at = file->line + strlen("p sp");

	if (problem->known)
		return file_wrong(file, "there is a problem line already");
	if (strncmp(file->line, "p sp ", strlen("p sp ")) ||
	    !file_number(&at, HBS_GRAPH_VERTICES_MAX, &problem->vertices) ||
	    !file_number(&at, HBS_GRAPH_EDGES_MAX, &problem->edges) || *at)
		return file_wrong(file, "not of the form p sp VERTICES EDGES");
	problem->known = true;
	file->edges->vertices = (uint32_t)problem->vertices;
	return true;
}

static bool read_arc(struct file *file, struct problem *problem)
{
	uint64_t from, to, weight;
	const char *at = file->line + 1;

	if (!problem->known)
		return file_wrong(file, "the problem line has to come first");
	if (!file_number(&at, UINT64_MAX, &from) || !file_number(&at, UINT64_MAX, &to) ||
	    !file_number(&at, UINT32_MAX, &weight) || *at)
		return file_wrong(file, "not of the form a FROM TO WEIGHT");
	if (!from || from > problem->vertices || !to || to > problem->vertices)
		return file_wrong(file, "a vertex is 1 to %llu",
				  (unsigned long long)problem->vertices);
	if (++problem->seen > problem->edges)
		return file_wrong(file, "more than the %llu edges of the problem line",
				  (unsigned long long)problem->edges);
	return file_edge(file, from - 1, to - 1, weight);
}

static bool read_line(struct file *file, struct problem *problem)
{
	switch (*file->line) {
	case 'c':
		return true;
	case 'p':
		return read_problem(file, problem);
	case 'a':
		return read_arc(file, problem);
	default:
		return file_wrong(file, "a line begins with c, p or a");
	}
}

bool read_dimacs(struct file *file)
{
	struct problem problem = { 0 };
	bool good;

	do {
		if (!read_line(file, &problem))
			return false;
	} while (file_next(file, &good));
	if (good && !problem.known)
		return file_wrong(file, "there is no problem line");
	if (good && problem.seen < problem.edges)
		return file_wrong(file, "the file is cut short: %llu of %llu edges",
				  (unsigned long long)problem.seen,
				  (unsigned long long)problem.edges);
	return good;
}
