/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MSGBENCH_LOOK_H
#define MSGBENCH_LOOK_H

#include <stdint.h>

/* How long a receiver looks for a message that is not there, in ns; below 0 if that failed */
double look_for_nothing(uint32_t members, uint64_t count);

#endif /* MSGBENCH_LOOK_H */
