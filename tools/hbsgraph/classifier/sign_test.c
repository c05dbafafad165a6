// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "sign_test.h"

/* By so many standard deviations one mode has to be ahead more often than in half of the pairs */
#define DEVIATIONS 2.99

bool pairs_are_sure(const struct pairs *pairs)
{
	double half = pairs->count / 2.0;

	return fabs(pairs->sync_longer - half) > DEVIATIONS * sqrt(pairs->count) / 2;
}
