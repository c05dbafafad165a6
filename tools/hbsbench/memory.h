/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory a contender takes, counted in a process of its own */
#ifndef HBSBENCH_MEMORY_H
#define HBSBENCH_MEMORY_H

#include "contender.h"

/* Bytes of a group of @members, or UNKNOWN */
double memory_of(const struct contender *contender, unsigned int members);

#endif /* HBSBENCH_MEMORY_H */
