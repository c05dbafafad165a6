// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "gals.h"

struct gals_place *gals_places(const struct edges *edges)
{
	struct gals_place *places = calloc(edges->vertices + 1UL, sizeof(*places));

	for (uint64_t e = 0; places && e < edges->count; e++)
		places[edges->to[e]].in++;
	return places;
}
