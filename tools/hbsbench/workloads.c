// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of workloads: a line for each */
#include <stddef.h>
#include <string.h>

#include "workload.h"

extern const struct workload workload_back_to_back, workload_arrival, workload_late,
	workload_cluster, workload_vcode, workload_order, workload_neighbours;

const struct workload *const workloads[] = {
	&workload_back_to_back, &workload_arrival, &workload_late,	 &workload_cluster,
	&workload_vcode,	&workload_order,   &workload_neighbours, NULL,
};

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; workloads[i]; i++)
		if (!strcmp(workloads[i]->name, name))
			return workloads[i];
	return NULL;
}
