/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: the bits that are reserved if the card lacks a feature.
 */
#include "qemu/osdep.h"
#include "hbs.h"

#define PORT_MEMORY (HBSR_FEATURE_POLL_ARRIVAL | HBSR_FEATURE_PORT_RECORD)
#define WHOLE       UINT64_MAX
#define GROUP(name) (HBSR_GRP_BASE + HBSR_GRP_ ## name)

/* The last entry of the block list */
#define LAST_ENTRY  (HBSR_ID_BLOCK_LIST_DEFAULT + \
                     (HBSR_ID_BLOCKS_DEFAULT - 1) * HBSR_ENTRY_STRIDE)

static const struct {
    uint32_t offset;                /* in BAR 0; of entry 0, in a table */
    uint32_t size;
    uint64_t bits;
    uint64_t features;              /* one of these is enough */
} optional[] = {
    { LAST_ENTRY, HBSR_ENTRY_STRIDE, WHOLE, PORT_MEMORY },
    { HBSR_CTL_POLL, 4, WHOLE, HBSR_FEATURE_POLL_ARRIVAL },
    { HBSR_INT_CAUSE, 4, HBSR_INT_CAUSE_TIMEOUT, HBSR_FEATURE_TIMEOUT },
    { HBSR_INT_ENABLE, 4, HBSR_INT_ENABLE_TIMEOUT, HBSR_FEATURE_TIMEOUT },
    { HBSR_INT_TIMEOUTS(0), 8 * HBSR_INT_TIMEOUTS_COUNT, WHOLE,
      HBSR_FEATURE_TIMEOUT },
    { GROUP(CTRL), 4, HBSR_GRP_CTRL_TYPE, HBSR_FEATURE_REFUTABLE },
    { GROUP(CTRL), 4, HBSR_GRP_CTRL_COMPLETION, HBSR_FEATURE_COUNTING },
    { GROUP(CTRL), 4, HBSR_GRP_CTRL_ARRIVAL, HBSR_FEATURE_POLL_ARRIVAL },
    { GROUP(CTRL), 4, HBSR_GRP_CTRL_DEPARTURE, HBSR_FEATURE_PORT_RECORD },
    { GROUP(CTRL), 4, HBSR_GRP_CTRL_REDUCE, HBSR_FEATURE_REDUCE },
    { GROUP(CTRL), 4, HBSR_GRP_CTRL_POLICY, HBSR_FEATURE_TIMEOUT },
    { GROUP(COUNT), 4, WHOLE, HBSR_FEATURE_COUNTING },
    { GROUP(TIMEOUT), 8, WHOLE, HBSR_FEATURE_TIMEOUT },
    { GROUP(RESULT), 8, WHOLE, HBSR_FEATURE_REDUCE },
    { GROUP(BALANCE), 8, WHOLE, HBSR_FEATURE_REFUTABLE },
    { GROUP(MISSING(0)), 8 * HBSR_GRP_MISSING_COUNT, WHOLE,
      HBSR_FEATURE_TIMEOUT },
    { GROUP(LINE_READS), 8, WHOLE, HBSR_FEATURE_POLL_ARRIVAL },
    { GROUP(WITHDRAWALS), 24, WHOLE, HBSR_FEATURE_REFUTABLE },
    { GROUP(V(0)), 8 * HBSR_GRP_V_COUNT, WHOLE, HBSR_FEATURE_REFUTABLE },
    { HBSR_PRT_BASE + HBSR_PRT_ADDR, 8, WHOLE, PORT_MEMORY },
};

bool hbs_has_port_memory(const HbsState *s)
{
    return s->features & PORT_MEMORY;
}

/* Bits that the card lacks of the register at OFFSET, in entry 0 of a table */
uint64_t hbs_reserved_bits(const HbsState *s, uint32_t offset)
{
    uint64_t bits = 0;
    size_t i;

    for (i = 0; i < ARRAY_SIZE(optional); i++) {
        if (offset - optional[i].offset < optional[i].size &&
            !(s->features & optional[i].features)) {
            bits |= optional[i].bits;
        }
    }
    return bits;
}
