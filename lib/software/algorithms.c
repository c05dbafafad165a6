// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of algorithms: a line for each */
#include "../internal.h"
#include "algorithm.h"

extern const struct algorithm hbsi_central, hbsi_combining, hbsi_tournament, hbsi_fway_tournament,
	hbsi_mcs, hbsi_binomial, hbsi_butterfly, hbsi_pairwise, hbsi_dissemination, hbsi_counting,
	hbsi_pool, hbsi_ticket, hbsi_scan;

const struct algorithm *const hbsi_algorithms[] = {
	[HBS_ALGORITHM_CENTRAL] = &hbsi_central,
	[HBS_ALGORITHM_COMBINING] = &hbsi_combining,
	[HBS_ALGORITHM_TOURNAMENT] = &hbsi_tournament,
	[HBS_ALGORITHM_FWAY_TOURNAMENT] = &hbsi_fway_tournament,
	[HBS_ALGORITHM_MCS] = &hbsi_mcs,
	[HBS_ALGORITHM_BINOMIAL] = &hbsi_binomial,
	[HBS_ALGORITHM_BUTTERFLY] = &hbsi_butterfly,
	[HBS_ALGORITHM_PAIRWISE] = &hbsi_pairwise,
	[HBS_ALGORITHM_DISSEMINATION] = &hbsi_dissemination,
	[HBS_ALGORITHM_COUNTING] = &hbsi_counting,
	[HBS_ALGORITHM_POOL] = &hbsi_pool,
	[HBS_ALGORITHM_TICKET] = &hbsi_ticket,
	[HBS_ALGORITHM_SCAN] = &hbsi_scan,
};

#define COUNT (sizeof(hbsi_algorithms) / sizeof(hbsi_algorithms[0]))

const struct algorithm *hbsi_algorithm(uint32_t number)
{
	return number < COUNT ? hbsi_algorithms[number] : NULL;
}

const char *hbs_algorithm_name(unsigned int algorithm)
{
	if (algorithm == HBS_ALGORITHM_AUTO)
		return "auto";
	return algorithm < COUNT ? hbsi_algorithms[algorithm]->name : NULL;
}
