// SPDX-License-Identifier: GPL-2.0-or-later
#include "busy_loop.h"

_Noreturn void busy_loop(void)
{
	volatile unsigned long count = 0;

	while (1)
		count = count + 1;
}
