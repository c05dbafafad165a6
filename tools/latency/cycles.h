/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the card in hw/rtl takes, in cycles of its clock: the only place that says so */
#ifndef LATENCY_CYCLES_H
#define LATENCY_CYCLES_H

/* An arrival, if they come without a gap */
#define CYCLES_ARRIVAL 1

/* From the last arrival to the epoch word that is offered to the bus, with one record */
#define CYCLES_WORD 6

/* The same, if the group reduces */
#define CYCLES_WORD_REDUCED 7

/* From the last arrival to the last word of RECORDS_MOST records, at most */
#define CYCLES_RECORDS 40
#define RECORDS_MOST   16

#endif /* LATENCY_CYCLES_H */
