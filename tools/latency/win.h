/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the card is faster than software */
#ifndef LATENCY_WIN_H
#define LATENCY_WIN_H

#include "model.h"

/* The most ports of a card, and the most sockets of the model */
#define MEMBERS_MOST 1024
#define SOCKETS_MOST 8

/*
 * The card is faster: even if it is slow and software is fast; if both are typical; only if it is
 * fast and software is slow; not even then
 */
enum win { WINS_SURE, WINS_TYPICAL, WINS_LUCKY, WINS_NEVER, WINS };

extern const char *const win_names[WINS];

enum win win_at(const struct setting *setting, const struct place *place);

#endif /* LATENCY_WIN_H */
