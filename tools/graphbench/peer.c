// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "child.h"
#include "peer.h"
#include "shared/now.h"

void peer_fails(const char *what, const char *why)
{
	child_die(what, why);
}

void *peer_room(uint64_t count, size_t size)
{
	void *room = malloc((count ? count : 1) * size);

	if (!room)
		child_die(NULL, "no memory");
	return room;
}

void peer_has_built(struct answer *answer)
{
	answer->built_ns = now_ns();
}
