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

/* Return: 0; or the library's error, which is told on stderr once */
int hbsi_tokens_new(uint32_t members, struct tokens **tokens);

/* Nobody may be waiting; waits for those who are leaving the last barrier */
void hbsi_tokens_free(struct tokens *tokens);

/* Whether a thread has arrived at the barrier in progress */
bool hbsi_tokens_busy(const struct tokens *tokens);

/* Return: as pthread_barrier_wait(). After a fork, *@tokens are made anew. */
int hbsi_tokens_wait(struct tokens *_Atomic *tokens);

#endif /* HBS_TOKENS_H */
