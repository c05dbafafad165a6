/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: BAR 2, the port pages and their lanes.
 */
#include "qemu/osdep.h"
#include "hbs.h"
#include "trace-hbs.h"

typedef struct HbsLane {
    unsigned port;
    unsigned group;
    unsigned offset;
} HbsLane;

/* Finds the lane that an access is for; false if there is none. */
static bool find_lane(const HbsState *s, hwaddr addr, HbsLane *lane)
{
    hwaddr page = addr % HBSR_ID_PORT_STRIDE_DEFAULT;

    lane->port = addr / HBSR_ID_PORT_STRIDE_DEFAULT;
    lane->group = page / HBSR_LANE_STRIDE;
    lane->offset = page % HBSR_LANE_STRIDE;
    if (lane->group >= s->groups) {
        lane->group = HBS_NOBODY;
    }
    return lane->port < s->ports && lane->group != HBS_NOBODY;
}

static bool is_within(unsigned offset, unsigned word)
{
    return offset >= word && offset < word + 8;
}

/*
 * Gives a member what it sees of its group. A port that is no member sees
 * nothing, and leaves no trace in the group.
 */
static uint64_t read_group(HbsState *s, const HbsLane *lane)
{
    HbsGroup *group = &s->group[lane->group];
    uint64_t word;

    if (!hbs_bit(group->p, lane->port)) {
        s->foreign_reads++;
        trace_hbs_foreign_read(lane->port, lane->group);
        return 0;
    }
    if (is_within(lane->offset, HBSR_LANE_WITHDRAW)) {
        group->readbacks++;
        return (uint64_t)hbs_bit(group->s, lane->port) >>
               (lane->offset - HBSR_LANE_WITHDRAW) * 8;
    }
    if (is_within(lane->offset, HBSR_LANE_RESULT)) {
        return group->result >> (lane->offset - HBSR_LANE_RESULT) * 8;
    }
    group->departure_reads++;
    word = hbs_group_word(group);
    trace_hbs_departure_read(lane->port, lane->group, word);
    return word >> (lane->offset - HBSR_LANE_DEPARTURE) * 8;
}

static bool can_be_read(const HbsState *s, const HbsLane *lane)
{
    return is_within(lane->offset, HBSR_LANE_DEPARTURE) ||
           is_within(lane->offset, HBSR_LANE_RESULT) ||
           (is_within(lane->offset, HBSR_LANE_WITHDRAW) &&
            hbs_is_refutable(&s->group[lane->group]));
}

static uint64_t read_word(HbsState *s, hwaddr addr, unsigned size)
{
    uint64_t value;
    HbsLane lane;

    if (!hbs_is_ready(s)) {
        return 0;
    }
    if (!find_lane(s, addr, &lane)) {
        hbs_bad_access(s, lane.port, lane.group, "read of no lane", addr, size);
        return 0;
    }
    if (!hbs_access_is_whole(addr, size)) {
        hbs_bad_access(s, lane.port, lane.group,
                       "read of wrong size or alignment", addr, size);
        return 0;
    }
    if (!can_be_read(s, &lane)) {
        return 0;
    }
    value = read_group(s, &lane);
    return size == 4 ? (uint32_t)value : value;
}

/* A write to a word that only a refutable group has; false: it is no such. */
static bool write_refutable(HbsState *s, const HbsLane *lane, uint64_t value)
{
    if (!hbs_is_refutable(&s->group[lane->group])) {
        return false;
    }
    switch (lane->offset) {
    case HBSR_LANE_OPERAND:
        hbs_refutable_operand(s, lane->group, lane->port, value);
        return true;
    case HBSR_LANE_WITHDRAW:
        hbs_refutable_withdraw(s, lane->group, lane->port);
        return true;
    default:
        return false;
    }
}

static void write_word(HbsState *s, hwaddr addr, uint64_t value, unsigned size)
{
    const char *why;
    HbsLane lane;

    if (!hbs_is_ready(s)) {
        return;
    }
    if (!find_lane(s, addr, &lane)) {
        why = "write to no lane";
    } else if (!hbs_access_is_whole(addr, size)) {
        why = "write of wrong size or alignment";
    } else if (lane.offset == HBSR_LANE_ARRIVAL) {
        hbs_group_store(s, lane.group, lane.port, value);
        return;
    } else if (write_refutable(s, &lane, value)) {
        return;
    } else if (is_within(lane.offset, HBSR_LANE_ARRIVAL)) {
        why = "write to half of ARRIVAL";
    } else if (hbs_is_refutable(&s->group[lane.group]) &&
               (is_within(lane.offset, HBSR_LANE_OPERAND) ||
                is_within(lane.offset, HBSR_LANE_WITHDRAW))) {
        why = "write to half of OPERAND or WITHDRAW";
    } else if (is_within(lane.offset, HBSR_LANE_DEPARTURE) ||
               is_within(lane.offset, HBSR_LANE_RESULT)) {
        why = "write to DEPARTURE";
    } else if (value) {
        why = "write to a reserved offset";
    } else {
        return;
    }
    hbs_bad_access(s, lane.port, lane.group, why, addr, size);
}

static const HbsSpace pages = { HBSR_BAR_PORTS, read_word, write_word };

static uint64_t port_read(void *opaque, hwaddr addr, unsigned size)
{
    return hbs_access_read(opaque, &pages, addr, size);
}

static void port_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    hbs_access_write(opaque, &pages, addr, value, size);
}

/* QEMU lets wrong sizes and alignments through; the card counts them. */
const MemoryRegionOps hbs_port_ops = {
    .read = port_read,
    .write = port_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};
