/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the five contenders of Concurrency Kit share */
#ifndef HBSBENCH_CK_H
#define HBSBENCH_CK_H

#include <stddef.h>

const char *ck_version(void);

/* A member's own state, in a cache line of its own: make them, and find one */
const char *ck_states_make(unsigned int members, size_t size);
void *ck_state(unsigned int member);

#endif /* HBSBENCH_CK_H */
