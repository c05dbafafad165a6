/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the card in hw/rtl takes, in cycles of its clock: the only place that says so */
#ifndef LATENCY_CYCLES_H
#define LATENCY_CYCLES_H

/* An arrival, if they come without a gap */
#define CYCLES_ARRIVAL 1

/* From the one in which the last arrival is taken to the one in which a write is offered, both */
#define CYCLES_WRITE 6

/* Each further write: the words of R records, and a result in each if the group reduces */
#define CYCLES_FURTHER 1

#define RECORDS_MOST 16

/* To the last word of RECORDS_MOST records with results: not more than this */
#define CYCLES_LIMIT 40

#endif /* LATENCY_CYCLES_H */
