/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs for checkers share: they end with status 1 if something else happens */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition)                                                           \
	do {                                                                        \
		if (!(condition)) {                                                 \
			fprintf(stderr, "line %d: not %s\n", __LINE__, #condition); \
			exit(1);                                                    \
		}                                                                   \
	} while (0)

#endif /* EXPECT_H */
