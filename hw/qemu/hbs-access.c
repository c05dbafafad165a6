/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: an access of the bus, taken apart into accesses of words.
 *
 * A card sees packets with byte enables. Each word of 8 bytes in a packet is
 * one access: of the whole word, or of a half. QEMU hands over up to 8 bytes at
 * any address, which are one word or two.
 */
#include "qemu/osdep.h"
#include "hbs.h"

/* The bytes from ADDR to the end of its word, at most SIZE */
static unsigned part(hwaddr addr, unsigned size)
{
    return MIN(size, 8 - addr % 8);
}

bool hbs_access_is_whole(hwaddr addr, unsigned size)
{
    return (size == 8 || size == 4) && addr % size == 0;
}

static uint64_t read_part(HbsState *s, const HbsSpace *space, hwaddr addr,
                          unsigned size)
{
    return s->rtl ? hbs_rtl_read(s, space, addr, size) :
                    space->read(s, addr, size);
}

static void write_part(HbsState *s, const HbsSpace *space, hwaddr addr,
                       uint64_t value, unsigned size)
{
    if (s->rtl) {
        hbs_rtl_write(s, space, addr, value, size);
    } else {
        space->write(s, addr, value, size);
    }
}

uint64_t hbs_access_read(HbsState *s, const HbsSpace *space, hwaddr addr,
                         unsigned size)
{
    unsigned first = part(addr, size);
    uint64_t value;

    /* Writes that were due before the answer reach memory before it. */
    hbs_egress_flush(s);
    value = read_part(s, space, addr, first);
    if (first < size) {
        value |= read_part(s, space, addr + first, size - first) << (8 * first);
    }
    return value;
}

void hbs_access_write(HbsState *s, const HbsSpace *space, hwaddr addr,
                      uint64_t value, unsigned size)
{
    unsigned first = part(addr, size);

    write_part(s, space, addr, first < 8 ? extract64(value, 0, 8 * first) :
                                           value, first);
    if (first < size) {
        write_part(s, space, addr + first,
                   extract64(value, 8 * first, 8 * (size - first)),
                   size - first);
    }
}
