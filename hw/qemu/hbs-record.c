/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: departure records of a group and of its members.
 */
#include "qemu/osdep.h"
#include "hbs.h"
#include "trace-hbs.h"

static bool write_word(HbsState *s, unsigned g, uint64_t addr, uint64_t word)
{
    bool done = hbs_dma_write(s, addr, word);

    trace_hbs_record_write(g, addr, word, done);
    s->group[g].record_writes += done;
    return done;
}

/* With the property x-lost-breaks the word of a break counts as written. */
static bool is_lost(const HbsState *s, uint64_t word)
{
    return s->lost_breaks && (word & HBSR_WORD_BROKEN);
}

/*
 * Writes the group's word into a record; if RESULT, its result before. A reader
 * that sees the word relies on the result: if that fails, write no word.
 */
static bool write_record(HbsState *s, unsigned g, uint64_t addr, bool result)
{
    const HbsGroup *group = &s->group[g];
    uint64_t word = hbs_group_word(group);

    return (!result || write_word(s, g, addr + HBSR_RECORD_RESULT,
                                  group->result)) &&
           (is_lost(s, word) ||
            write_word(s, g, addr + HBSR_RECORD_WORD, word));
}

/* Writes the record in the memory of the port; false if that failed. */
bool hbs_record_write_member(HbsState *s, unsigned g, unsigned port,
                             bool result)
{
    if (!s->port_addr[port]) {
        s->dma_errors++;
        return false;
    }
    return write_record(s, g, hbs_port_word(s, port, g, HBSR_MEMORY_DEPARTURE),
                        result);
}

/*
 * Writes all records that the group has; false if one write failed. The group's
 * first record comes last: all others show its word by then.
 */
bool hbs_record_write_all(HbsState *s, unsigned g, bool result)
{
    const HbsGroup *group = &s->group[g];
    bool all = true;
    unsigned i;

    if (hbs_departure(group) == HBSR_DEPARTURE_PORT) {
        for (i = 0; i < s->ports; i++) {
            if (hbs_bit(group->p, i)) {
                all &= hbs_record_write_member(s, g, i, result);
            }
        }
    }
    for (i = group->records; i-- > 0;) {
        all &= write_record(s, g, group->record_addr[i], result);
    }
    return all;
}
