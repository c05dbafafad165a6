// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>

#include "cgroup.h"
#include "condition.h"
#include "cpus.h"

#define BARRIER	 "barrier"
#define PROPOSAL "proposal of 3 barriers"

const struct condition conditions[] = {
	{ "quiet", "nothing beside", BARRIER, .members = { 2, 4, 8 }, .programs = 1 },
	{ "one-cpu", "all members pin themselves to one CPU after the group was opened", BARRIER,
	  .programs = 1, .one_cpu = true },
	{ "busy", "beside one busy loop", BARRIER, .programs = 1, .busy = 1 },
	{ "busy-2", "beside two busy loops", BARRIER, .programs = 1, .busy = 2 },
	{ "programs-2", "two such programs at once", BARRIER, .programs = 2 },
	{ "programs-4", "four such programs at once", BARRIER, .programs = 4 },
	{ "quota", "all members together get 40% of a CPU", BARRIER, .programs = 1, .quota = true },
	{ "cpuset", "half of the CPUs are taken away while it runs", BARRIER, .programs = 1,
	  .narrowed = true },
	{ "late-1", "one member comes 1 ms late", BARRIER, .programs = 1, .late_ms = 1 },
	{ "late-10", "one member comes 10 ms late", BARRIER, .programs = 1, .late_ms = 10 },
	{ "late-100", "one member comes 100 ms late", BARRIER, .programs = 1, .late_ms = 100 },
	{ "cluster-busy", "clustering beside one busy loop", PROPOSAL, .programs = 1, .busy = 1,
	  .cluster = true },
	{ 0 },
};

const struct condition *condition_find(const char *name)
{
	for (size_t i = 0; conditions[i].name; i++)
		if (!strcmp(conditions[i].name, name))
			return &conditions[i];
	return NULL;
}

const char *condition_start(const struct condition *condition)
{
	if (condition->narrowed && cpus_count() < 2)
		return "there is only one CPU, and none to take away";
	return condition->quota ? cgroup_start(QUOTA_SHARE) : NULL;
}

void condition_end(const struct condition *condition)
{
	if (condition->quota)
		cgroup_end();
}
