/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: words of host memory, by DMA.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hbs.h"
#include "trace-hbs.h"

static bool transfer(HbsState *s, uint64_t addr, uint64_t *data,
                     DMADirection direction)
{
    /*
     * It must be memory: a guest that names a device's registers, this card's
     * own too, gets an error, not recursion.
     */
    const MemTxAttrs attrs = { .memory = 1 };
    MemTxResult result;

    result = pci_dma_rw(PCI_DEVICE(s), addr, data, sizeof(*data), direction,
                        attrs);
    if (result != MEMTX_OK) {
        trace_hbs_dma_error(addr, result);
        s->dma_errors++;
    }
    return result == MEMTX_OK;
}

/* False, and counted, if it failed. */
bool hbs_dma_write(HbsState *s, uint64_t addr, uint64_t word)
{
    uint64_t data = cpu_to_le64(word);

    return transfer(s, addr, &data, DMA_DIRECTION_FROM_DEVICE);
}

/* The same, for reading */
bool hbs_dma_read(HbsState *s, uint64_t addr, uint64_t *word)
{
    uint64_t data;

    if (!transfer(s, addr, &data, DMA_DIRECTION_TO_DEVICE)) {
        return false;
    }
    *word = le64_to_cpu(data);
    return true;
}
