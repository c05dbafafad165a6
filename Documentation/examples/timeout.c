/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Somebody is late: a wait with an end, a group that breaks by its timer, and who was missing */
#include <errno.h>

#include "must.h"

#define MS 1000000ull

int main(void)
{
	struct hbs_group_attr attr = { .members = 2, .timeout_ns = 50 * MS };
	struct hbs_member *me, *late;
	struct hbs_absentee missing;
	struct hbs_group *group;
	struct hbs *hbs;
	int ret;

	must(hbs_open(&hbs, NULL));
	must(hbs_group_create(hbs, &attr, &group));
	must(hbs_join_tagged(group, 7, &me));
	must(hbs_join_tagged(group, 8, &late));

	/* the time of one wait: the arrival still counts, and the group is as it was */
	must(hbs_arrive(me));
	ret = hbs_wait_for(me, 1 * MS);
	printf("after 1 ms: %s\n", hbs_strerror(ret));

	/* the time of the group, from the first arrival on: it breaks for all */
	ret = hbs_wait(me);
	printf("after 50 ms: %s\n", hbs_strerror(ret));
	if (must(hbs_group_missing(group, &missing, 1)) == 1)
		printf("member %d was missing\n", (int)missing.tag);
	printf("who comes too late gets it too: %s\n", hbs_strerror(hbs_barwait(late)));

	/* all memberships end by a reset; join again */
	must(hbs_group_reset(group));
	must(hbs_leave(me));
	must(hbs_leave(late));
	must(hbs_join(group, &me));
	must(hbs_join(group, &late));
	must(hbs_arrive(me));
	must(hbs_barwait(late));
	must(hbs_wait(me));
	puts("mended");

	must(hbs_leave(me));
	must(hbs_leave(late));
	must(hbs_group_close(group));
	must(hbs_close(hbs));
	return 0;
}
