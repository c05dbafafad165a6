// SPDX-License-Identifier: GPL-2.0-or-later
/* A line for each edge: where it begins, where it ends, and its weight, if it is not 1 */
#include "read_file.h"

static bool read_edge(struct file *file)
{
	uint64_t from, to, weight = 1;
	const char *at = file->line;

	if (!file_number(&at, UINT64_MAX, &from) || !file_number(&at, UINT64_MAX, &to))
		return file_wrong(file, "not of the form FROM TO [WEIGHT]");
	if (*at && (!file_number(&at, UINT32_MAX, &weight) || *at))
		return file_wrong(file, "the weight is no whole number up to %u", UINT32_MAX);
	return file_edge(file, from, to, weight);
}

bool read_edge_list(struct file *file)
{
	bool good;

	do {
		if (*file->line != '#' && *file->line != '%' && !read_edge(file))
			return false;
	} while (file_next(file, &good));
	return good;
}
