// SPDX-License-Identifier: LGPL-2.1-or-later
#include "messages.h"

/* The addresses that order messages. Those with the same address seem to be ordered, too. */
#define PLACES 65536
static char places[PLACES];

static void *place(const struct messages_layout *layout, enum checked_order what, uint32_t to,
		   uint32_t from)
{
	uint64_t queue = (uint64_t)to * layout->members + from;

	return &places[(layout->file * 40503 + queue * 3 + what) % PLACES];
}

void hbsi_messages_before(const struct messages_layout *layout, enum checked_order what,
			  uint32_t to, uint32_t from)
{
	hbsi_checker_release(place(layout, what, to, from));
}

void hbsi_messages_after(const struct messages_layout *layout, enum checked_order what, uint32_t to,
			 uint32_t from)
{
	hbsi_checker_acquire(place(layout, what, to, from));
}
