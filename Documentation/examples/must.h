/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the examples do about an error: they say it, and end */
#ifndef MUST_H
#define MUST_H

#include <hbs.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns what a call returned, unless that is an error */
static inline int must(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", hbs_strerror(ret));
		exit(1);
	}
	return ret;
}

#endif /* MUST_H */
