/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A private barrier as a group of the library, for a backend or algorithm that was chosen */
#ifndef HBS_TOKENS_H
#define HBS_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

struct hbs;
struct tokens;

/* Barriers from now on are groups of this context */
void hbsi_tokens_open(struct hbs *hbs);

/* Before a child looks at what its parent made */
void hbsi_tokens_adopt(void);

/* Return: 0; or the library's error, which is told on stderr once */
int hbsi_tokens_new(uint32_t members, struct tokens **tokens);

/*
 * End what is there, once those who are leaving its last barrier have left, and store NULL.
 * Return: false if a thread has arrived at a barrier; then nothing is done.
 */
bool hbsi_tokens_end(struct tokens *_Atomic *at);

/*
 * Return: as pthread_barrier_wait(); EINVAL if the barrier was destroyed. After a fork, those
 * that are there are made anew.
 */
int hbsi_tokens_wait(struct tokens *_Atomic *at);

#endif /* HBS_TOKENS_H */
