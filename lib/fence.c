// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fence.h"

static int membarrier(int command)
{
	return (int)syscall(SYS_membarrier, command, 0, 0);
}

bool hbsi_fence_open(void)
{
	return !membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

bool hbsi_fence_threads(void)
{
	return !membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}
