/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cards in the middle of a barrier, to be saved.
 */
#ifndef MIDWAY_H
#define MIDWAY_H

#include "card.h"

#define G 9
/* The test looks for it in the migration stream. */
#define MARK   0x0123456789abcdc0
#define TAG    0x2018
#define T      1000000 /* timeout of the group, in ns */
#define AS_MAX (HBSR_REDUCE_MAX << HBSR_GRP_CTRL_REDUCE_SHIFT)

#define POLLING                                                    \
	(HBSR_COMPLETION_COUNT << HBSR_GRP_CTRL_COMPLETION_SHIFT | \
	 HBSR_ARRIVAL_POLL << HBSR_GRP_CTRL_ARRIVAL_SHIFT |        \
	 HBSR_DEPARTURE_PORT << HBSR_GRP_CTRL_DEPARTURE_SHIFT)
#define PERIOD HBSR_CTL_POLL_DEFAULT

#define PROPERTIES ",ports=70"
/* A card that has only the features that every card has */
#define LACKING PROPERTIES ",x-features=0xf"

/*
 * Three members, of which two have arrived, in epoch 2; armed; marked records. The
 * group reduces, and its timer expires at T + 500.
 */
void prepare(struct card *card);
/* The state that prepare() made, wherever it has been since */
void assert_prepared(struct card *card);

/*
 * A group that polls, counts to 3 and writes the records of its members, in epoch 2; two
 * have arrived; the next round is at 3 PERIOD.
 */
void prepare_polling(struct card *card);

/*
 * A refutable group of three in epoch 2, of which two have arrived, with votes, operands
 * and a balance of 3; its timer expires at T + 500. Another one is not enabled.
 */
void prepare_refutable(struct card *card);
/* The state that prepare_refutable() made, wherever it has been since */
void assert_refutable(struct card *card);

/* A card that lacks features, and a group of three */
void prepare_lacking(struct card *card);

#endif /* MIDWAY_H */
