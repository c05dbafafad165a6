// SPDX-License-Identifier: GPL-2.0-or-later
/* No barrier: what the harness alone costs, and the "ideal" of the HARP paper's figure 3 */
#include "contender.h"

static void none_wait(unsigned int member)
{
	(void)member;
}

const struct contender contender_none = {
	.name = "none",
	.what = "no barrier: the cost of the harness itself",
	.ideal = true,
	.shared = true,
	.wait = none_wait,
};
