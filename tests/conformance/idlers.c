// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tests of refutable groups share */
#include "conformance.h"

struct hbs_group *make_refutable(struct context *context, unsigned int members)
{
	return make_group_of(context,
			     &(struct hbs_group_attr){ .members = members, .type = HBS_REFUTABLE });
}

int be_idle(struct hbs_member *member, uint64_t sent, uint64_t freed, int vote)
{
	return hbs_begin_idle(
		member, &(struct hbs_idle){ .sent = sent, .freed = freed, .vote = (uint32_t)vote });
}

void all_idle(struct hbs_member **members, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		IS(be_idle(members[i], 0, 0, 0), 0);
}

void all_depart(struct context *context, struct hbs_member **members, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		IS(over(context, members[i]), 1);
}

void none_departs(struct hbs_member **members, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		IS(hbs_test(members[i]), 0);
}
