/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A refutable group, and what its registers and records must show.
 */
#ifndef REFUTABLE_GROUP_H
#define REFUTABLE_GROUP_H

#include "card.h"

#define G     3
#define FREED HBSR_IDLE_FREED
#define VOTE  HBSR_IDLE_VOTE

void join_all(struct card *card, unsigned int members);
/* A group of the first ports, in epoch 1; with these modes besides */
void start(struct card *card, unsigned int members);
void start_as(struct card *card, const char *properties, unsigned int members, uint32_t ctrl);

/* Registers of the group */
uint64_t counter(struct card *card, uint32_t offset);
uint32_t status(struct card *card);

/* The first 64 ports alone: these have arrived, these of them with a vote of true. */
void assert_state(struct card *card, uint64_t arrived, uint64_t votes, int64_t sum);
/* Everything that shows the group's word shows this one. */
void assert_word(struct card *card, uint64_t word);

#endif /* REFUTABLE_GROUP_H */
