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
    }
    return result == MEMTX_OK;
}

static bool is_bus_master(HbsState *s)
{
    return pci_get_word(PCI_DEVICE(s)->config + PCI_COMMAND) &
           PCI_COMMAND_MASTER;
}

/*
 * False, and counted, if it failed and the card knows. A posted write has no
 * answer: a real card knows no more than that it may not send any.
 */
bool hbs_dma_write(HbsState *s, uint64_t addr, uint64_t word)
{
    uint64_t data = cpu_to_le64(word);

    if (transfer(s, addr, &data, DMA_DIRECTION_FROM_DEVICE) ||
        (s->silent_writes && is_bus_master(s))) {
        return true;
    }
    s->dma_errors++;
    return false;
}

/* False if it failed. */
bool hbs_dma_read(HbsState *s, uint64_t addr, uint64_t *word)
{
    uint64_t data;

    if (!transfer(s, addr, &data, DMA_DIRECTION_TO_DEVICE)) {
        return false;
    }
    *word = le64_to_cpu(data);
    return true;
}
