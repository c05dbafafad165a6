/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A private barrier as a group of the library, for a chosen backend or algorithm */
#ifndef HBS_TOKENS_H
#define HBS_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

struct hbs;
struct tokens;

/* From now on, barriers are groups of this context */
void hbsi_tokens_open(struct hbs *hbs);

/* Call before a child looks at what its parent made */
void hbsi_tokens_adopt(void);

/* Return: 0; or the library's error, which is reported on stderr once */
int hbsi_tokens_new(uint32_t members, struct tokens **tokens);

/*
 * End the group, once the threads that are leaving its last barrier have left, and store
 * NULL. Return: false if a thread has arrived at a barrier; then nothing is done.
 */
bool hbsi_tokens_end(struct tokens *_Atomic *at);

/*
 * Return: as pthread_barrier_wait(); EINVAL if the barrier was destroyed. After a fork, the
 * first call makes the group anew.
 */
int hbsi_tokens_wait(struct tokens *_Atomic *at);

#endif /* HBS_TOKENS_H */
