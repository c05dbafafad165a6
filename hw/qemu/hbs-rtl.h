/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: what the files share that run its RTL.
 */
#ifndef HBS_RTL_H
#define HBS_RTL_H

#include "hbs.h"
#include "hbs-model.h"

/* A read of host memory that the RTL has sent */
typedef struct HbsRtlRead {
    QSIMPLEQ_ENTRY(HbsRtlRead) entry;
    uint8_t tag;
    bool done;                      /* false: it failed */
    uint64_t word;
    int64_t answer_at;
} HbsRtlRead;

/* A write by a message of the card to the card itself */
typedef struct HbsRtlWrite {
    QSIMPLEQ_ENTRY(HbsRtlWrite) entry;
    const HbsSpace *space;
    hwaddr addr;
    uint64_t value;
    unsigned size;
} HbsRtlWrite;

/* What the RTL did to the world in a step of both models */
typedef struct HbsDeed {
    uint8_t kind;                   /* as in tx_kind, or HBS_DEED_READ */
    bool done;                      /* false: it failed, and the card knows */
    bool matched;                   /* the C model has done it too */
    uint64_t addr;                  /* or the vector */
    uint64_t word;
} HbsDeed;

#define HBS_DEED_READ   HBS_TX_ANSWER   /* no answer is a deed */

/* An access that both models have taken */
typedef struct HbsTaken {
    int64_t now;
    uint64_t addr;
    uint64_t value;
    uint8_t bar;
    uint8_t size;                   /* 0: no access, but time that went by */
    bool write;
} HbsTaken;

#define HBS_TAKEN       64          /* of them are remembered */

struct HbsRtl {
    HbsModel *model;
    HbsPins pins;
    bool busy;                      /* it is being clocked */
    bool reset_due;
    bool loaded;                    /* a state, from which it has not gone on */
    bool answered;                  /* the read of the card */
    uint64_t answer;
    bool flushing;                  /* all that waits may leave */
    int64_t leave_at;               /* when it may, 0: nothing waits */
    int64_t rest_until;             /* no timer wakes it before */
    unsigned pause;                 /* cycles until the next read is sent */
    unsigned quiet;                 /* cycles since something was handed over */
    uint32_t tags;                  /* of reads in flight */
    QSIMPLEQ_HEAD(, HbsRtlRead) reads;
    QSIMPLEQ_HEAD(, HbsRtlWrite) writes;
    QEMUTimer wake_timer;
    QEMUBH *write_bh;

    GArray *deeds;                  /* of HbsDeed */
    bool any_order;                 /* the step concerns several groups */
    HbsTaken taken[HBS_TAKEN];
    unsigned taken_count;
};

/* hbs-rtl.c */
void hbs_rtl_power_on(HbsState *s);

/* hbs-both.c */
void hbs_both_init(HbsState *s);
void hbs_both_exit(HbsState *s);
void hbs_both_begin(HbsState *s, const HbsSpace *space, hwaddr addr,
                    uint64_t value, unsigned size, bool write);
void hbs_both_deed(HbsState *s, unsigned kind, uint64_t addr, uint64_t word,
                   bool done);
bool hbs_both_reads_first(HbsState *s);
void hbs_both_compare(HbsState *s, const char *what, uint64_t rtl, uint64_t c);
void hbs_both_end(HbsState *s);

#endif /* HBS_RTL_H */
