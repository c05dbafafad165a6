/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Solving with threads that meet at barriers */
#ifndef HEAT_SOLVE_H
#define HEAT_SOLVE_H

#include "field.h"
#include "hbs.h"

struct solve_result {
	int error;		       /* negative errno of libhbs, 0 if all went well */
	const char *call;	       /* the call that failed */
	struct hbs_group_stats before; /* time of the loop, when all threads were warm */
	struct hbs_group_stats after;
	double seconds;
	uint64_t system_calls; /* in the loop, by all threads */
	bool system_calls_known;
	char why_not[160];
};

/* Return: 0, or a negative errno that result->call explains */
int solve(struct hbs *hbs, struct field *field, unsigned int threads, unsigned long sweeps,
	  struct solve_result *result);

#endif /* HEAT_SOLVE_H */
