/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: words of host memory, by DMA.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/timer.h"
#include "hbs.h"
#include "trace-hbs.h"

static bool transfer(HbsState *s, uint64_t addr, uint64_t *data,
                     DMADirection direction)
{
    /*
     * The target must be memory: if a guest names a device's registers, even
     * this card's own, the transfer fails, and there is no recursion.
     */
    const MemTxAttrs attrs = { .memory = 1 };
    MemTxResult result;

    result = pci_dma_rw(PCI_DEVICE(s), addr, data, sizeof(*data), direction,
                        attrs);
    if (result != MEMTX_OK) {
        trace_hbs_dma_error(addr, result);
    }
    return result == MEMTX_OK;
}

static bool is_bus_master(HbsState *s)
{
    return pci_get_word(PCI_DEVICE(s)->config + PCI_COMMAND) &
           PCI_COMMAND_MASTER;
}

/*
 * With the property x-gap-ns the CPUs see a word for a while before the card
 * writes the next one; they cannot reach the card meanwhile.
 */
static void leave_gap(const HbsState *s)
{
    int64_t end = s->gap_ns ? get_clock() + (int64_t)s->gap_ns : 0;

    while (end && get_clock() < end) {
        ;
    }
}

/*
 * Returns false if the write failed and the card knows. A posted write has no
 * answer: a real card knows only that it may not send any, if it is no bus
 * master.
 */
bool hbs_dma_send(HbsState *s, uint64_t addr, uint64_t word)
{
    uint64_t data = cpu_to_le64(word);
    bool done = transfer(s, addr, &data, DMA_DIRECTION_FROM_DEVICE);

    leave_gap(s);
    return done || (s->silent_writes && is_bus_master(s));
}

/* Writes a word; returns false, and counts the error, if that failed. */
bool hbs_dma_write(HbsState *s, uint64_t addr, uint64_t word)
{
    bool done = s->rtl ? hbs_both_write(s, addr, word) :
                         hbs_dma_send(s, addr, word);

    s->dma_errors += !done;
    return done;
}

/* Returns false if the read failed. */
bool hbs_dma_fetch(HbsState *s, uint64_t addr, uint64_t *word)
{
    uint64_t data;

    if (!transfer(s, addr, &data, DMA_DIRECTION_TO_DEVICE)) {
        return false;
    }
    *word = le64_to_cpu(data);
    return true;
}

bool hbs_dma_read(HbsState *s, uint64_t addr, uint64_t *word)
{
    return s->rtl ? hbs_both_read(s, addr, word) : hbs_dma_fetch(s, addr, word);
}
