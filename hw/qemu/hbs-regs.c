/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: BAR 0, the registers. Offsets, widths, access rules and
 * reserved bits come from the generated list; this file does the rest.
 */
#include "qemu/osdep.h"
#include "hbs.h"
#include "trace-hbs.h"

typedef enum HbsAccess { RO, RW, WO, W1C } HbsAccess;

typedef struct HbsRegister {
    uint32_t offset;
    uint8_t width;                  /* in bytes */
    uint8_t count;
    HbsAccess access;
    uint64_t mask;                  /* bits that are not reserved */
} HbsRegister;

#define ENTRY(name, type, version, offset, size) \
    { type, version, offset, size },

static const uint32_t block_list[][4] = {
    HBSR_BLOCK_LIST(ENTRY)
};

#define REGISTER(block, name, offset, width, count, access, reset, mask) \
    { offset, (width) / 8, count, access, mask },

static const HbsRegister card_registers[] = {
    { HBSR_ID_BLOCK_LIST_DEFAULT, 4, sizeof(block_list) / 4, RO, UINT32_MAX },
    HBSR_ID_REGISTERS(REGISTER)
    HBSR_CTL_REGISTERS(REGISTER)
    HBSR_INT_REGISTERS(REGISTER)
    HBSR_CNT_REGISTERS(REGISTER)
};

static const HbsRegister group_registers[] = {
    HBSR_GRP_REGISTERS(REGISTER)
};

static const HbsRegister port_registers[] = {
    HBSR_PRT_REGISTERS(REGISTER)
};

/* An access to BAR 0, taken apart. */
typedef struct HbsTarget {
    const HbsRegister *reg;         /* NULL: a reserved offset */
    unsigned group;                 /* HBS_NOBODY: no register of a group */
    unsigned port;                  /* HBS_NOBODY: no register of a port */
    unsigned base;                  /* of the table, 0 if it is in none */
    unsigned offset;                /* of the register, in an entry */
    unsigned index;                 /* in an array of registers */
    unsigned shift;                 /* of the accessed half */
    uint64_t half;                  /* mask of the accessed bits */
    uint64_t mask;                  /* bits that are not reserved */
} HbsTarget;

static const HbsRegister *find_register(const HbsRegister *list, size_t length,
                                        unsigned offset)
{
    size_t i;

    for (i = 0; i < length; i++) {
        if (offset >= list[i].offset &&
            offset < list[i].offset + list[i].width * list[i].count) {
            return &list[i];
        }
    }
    return NULL;
}

/*
 * Finds the register at this offset of BAR 0, NULL if there is none, and its
 * group or port; subtracts the offset of the table's entry from the offset.
 */
static const HbsRegister *find_entry(const HbsState *s, unsigned *offset,
                                     HbsTarget *target)
{
    unsigned index;

    if (*offset < HBSR_GRP_BASE) {
        return find_register(card_registers, ARRAY_SIZE(card_registers),
                             *offset);
    }
    if (*offset < HBSR_PRT_BASE) {
        index = (*offset - HBSR_GRP_BASE) / HBSR_GRP_STRIDE;
        *offset = (*offset - HBSR_GRP_BASE) % HBSR_GRP_STRIDE;
        if (index >= s->groups) {
            return NULL;
        }
        target->group = index;
        target->base = HBSR_GRP_BASE;
        return find_register(group_registers, ARRAY_SIZE(group_registers),
                             *offset);
    }
    index = (*offset - HBSR_PRT_BASE) / HBSR_PRT_STRIDE;
    *offset = (*offset - HBSR_PRT_BASE) % HBSR_PRT_STRIDE;
    if (index >= s->ports) {
        return NULL;
    }
    target->port = index;
    target->base = HBSR_PRT_BASE;
    return find_register(port_registers, ARRAY_SIZE(port_registers), *offset);
}

/* Finds the target of an access; returns why the access is bad, or NULL. */
static const char *find_target(const HbsState *s, hwaddr addr, unsigned size,
                               HbsTarget *target)
{
    unsigned offset = addr;
    const HbsRegister *reg;

    *target = (HbsTarget) { .group = HBS_NOBODY, .port = HBS_NOBODY };
    reg = find_entry(s, &offset, target);
    if (!hbs_access_is_whole(addr, size)) {
        return "wrong size or alignment";
    }
    if (!reg) {
        return NULL;
    }
    target->mask = reg->mask & ~hbs_reserved_bits(s, target->base + offset);
    if (!target->mask) {
        return NULL;
    }
    if (size > reg->width) {
        return "more than the register";
    }
    target->reg = reg;
    target->offset = reg->offset;
    target->index = (offset - reg->offset) / reg->width;
    target->shift = (offset - reg->offset) % reg->width * 8;
    target->half = (size == 8 ? UINT64_MAX : UINT32_MAX) << target->shift;
    return NULL;
}

static uint64_t read_card(const HbsState *s, const HbsTarget *target)
{
    QEMU_BUILD_BUG_ON(sizeof(block_list) !=
                      HBSR_ID_BLOCKS_DEFAULT * HBSR_ENTRY_STRIDE);

    switch (target->offset) {
    case HBSR_ID_MAGIC:
        return HBSR_ID_MAGIC_DEFAULT;
    case HBSR_ID_VERSION:
        return HBSR_VERSION_MAJOR << HBSR_ID_VERSION_MAJOR_SHIFT |
               HBSR_VERSION_MINOR << HBSR_ID_VERSION_MINOR_SHIFT;
    case HBSR_ID_FEATURES:
        return s->features;
    case HBSR_ID_PORTS:
        return s->ports;
    case HBSR_ID_GROUPS:
        return s->groups;
    case HBSR_ID_PORT_STRIDE:
        return HBSR_ID_PORT_STRIDE_DEFAULT;
    case HBSR_ID_LANE_STRIDE:
        return HBSR_LANE_STRIDE;
    case HBSR_ID_EPOCH_BITS:
        return HBSR_ID_EPOCH_BITS_DEFAULT;
    case HBSR_ID_GROUP_TYPES:
        return 1u << HBSR_TYPE_BARRIER |
               (s->features & HBSR_FEATURE_REFUTABLE ? 1u << HBSR_TYPE_REFUTABLE
                                                     : 0);
    case HBSR_ID_RECORDS:
        return HBSR_GRP_RECORD_ADDR_COUNT;
    case HBSR_ID_VECTORS:
        return HBS_VECTORS;
    case HBSR_ID_BLOCKS:
        return HBSR_ID_BLOCKS_DEFAULT - !hbs_has_port_memory(s);
    case HBSR_ID_BLOCK_LIST:
        return HBSR_ID_BLOCK_LIST_DEFAULT;
    case HBSR_ID_BLOCK_LIST_DEFAULT:
        return block_list[target->index / 4][target->index % 4];
    case HBSR_CTL_CTRL:
        return s->ctrl;
    case HBSR_CTL_STATUS:
        return (hbs_is_ready(s) ? HBSR_CTL_STATUS_READY : 0) |
               (hbs_read_in_flight(s) ? HBSR_CTL_STATUS_READING : 0);
    case HBSR_CTL_TAG:
        return s->tag;
    case HBSR_CTL_POLL:
        return s->poll;
    case HBSR_INT_CAUSE:
        return s->cause;
    case HBSR_INT_ENABLE:
        return s->enable;
    case HBSR_INT_GROUPS(0):
        return s->cause_groups[target->index];
    case HBSR_INT_TIMEOUTS(0):
        return s->cause_timeouts[target->index];
    case HBSR_CNT_VIOLATIONS:
        return s->violations;
    case HBSR_CNT_BAD_ACCESSES:
        return s->bad_accesses;
    case HBSR_CNT_DMA_ERRORS:
        return s->dma_errors;
    case HBSR_CNT_INTERRUPTS:
        return s->interrupts;
    case HBSR_CNT_VIOLATION_LAST:
        return s->violation_last;
    case HBSR_CNT_FOREIGN_READS:
        return s->foreign_reads;
    default:
        g_assert_not_reached();
    }
}

static uint64_t read_group(const HbsState *s, const HbsTarget *target)
{
    const HbsGroup *group = &s->group[target->group];

    switch (target->offset) {
    case HBSR_GRP_CTRL:
        return group->ctrl;
    case HBSR_GRP_STATUS:
        return group->status | (hbs_operation_busy(s, target->group) ?
                                HBSR_GRP_STATUS_BUSY : 0);
    case HBSR_GRP_EPOCH:
        return group->epoch;
    case HBSR_GRP_VACANT:
        return group->vacant;
    case HBSR_GRP_VECTOR:
        return group->vector;
    case HBSR_GRP_RECORDS:
        return group->records;
    case HBSR_GRP_MEMBERS:
        return group->members;
    case HBSR_GRP_ARRIVED:
        return group->arrived;
    case HBSR_GRP_COUNT:
        return group->count;
    case HBSR_GRP_TIMEOUT:
        return group->timeout;
    case HBSR_GRP_RESULT:
        return group->result;
    case HBSR_GRP_WORD:
        return hbs_group_word(group);
    case HBSR_GRP_BALANCE:
        return group->balance;
    case HBSR_GRP_RECORD_ADDR(0):
        return group->record_addr[target->index];
    case HBSR_GRP_P(0):
        return group->p[target->index];
    case HBSR_GRP_S(0):
        return group->s[target->index];
    case HBSR_GRP_MISSING(0):
        return group->missing[target->index];
    case HBSR_GRP_COMPLETIONS:
        return group->completions;
    case HBSR_GRP_ARRIVALS:
        return group->arrivals;
    case HBSR_GRP_DEPARTURE_READS:
        return group->departure_reads;
    case HBSR_GRP_RECORD_WRITES:
        return group->record_writes;
    case HBSR_GRP_NON_MEMBER:
        return group->non_member;
    case HBSR_GRP_DOUBLE:
        return group->double_arrivals;
    case HBSR_GRP_REFUSED:
        return group->refused;
    case HBSR_GRP_INTERRUPTS:
        return group->interrupts;
    case HBSR_GRP_LINE_READS:
        return group->line_reads;
    case HBSR_GRP_WITHDRAWALS:
        return group->withdrawals;
    case HBSR_GRP_UNARRIVED:
        return group->unarrived;
    case HBSR_GRP_READBACKS:
        return group->readbacks;
    case HBSR_GRP_V(0):
        return group->v[target->index];
    default:
        g_assert_not_reached();
    }
}

static uint64_t read_target(const HbsState *s, const HbsTarget *target)
{
    if (target->reg->access == WO) {
        return 0;
    }
    if (target->group != HBS_NOBODY) {
        return read_group(s, target);
    }
    if (target->port != HBS_NOBODY) {
        return s->port_addr[target->port];
    }
    return read_card(s, target);
}

/* Functions that write registers return false if the value is not allowed. */
static bool write_card(HbsState *s, const HbsTarget *target, uint64_t value)
{
    switch (target->offset) {
    case HBSR_CTL_CTRL:
        if (value & HBSR_CTL_CTRL_RESET) {
            hbs_reset(s);
        } else {
            hbs_set_running(s, value & HBSR_CTL_CTRL_ENABLE);
        }
        break;
    case HBSR_CTL_TAG:
        s->tag = value;
        break;
    case HBSR_CTL_POLL:
        if (value < HBS_POLL_MIN || value > HBS_POLL_MAX) {
            return false;
        }
        s->poll = value;
        break;
    case HBSR_INT_CAUSE:
        s->cause &= ~value;
        break;
    case HBSR_INT_ENABLE:
        hbs_write_cause_enable(s, value);
        break;
    case HBSR_INT_GROUPS(0):
        s->cause_groups[target->index] &= ~value;
        break;
    case HBSR_INT_TIMEOUTS(0):
        s->cause_timeouts[target->index] &= ~value;
        break;
    default:
        g_assert_not_reached();
    }
    return true;
}

/* The registers that describe a group before it is enabled. */
static bool configure_group(HbsState *s, const HbsTarget *target,
                            uint64_t value)
{
    HbsGroup *group = &s->group[target->group];

    if (group->ctrl & HBSR_GRP_CTRL_ENABLE) {
        return false;
    }
    switch (target->offset) {
    case HBSR_GRP_VACANT:
        if (value > s->ports) {
            return false;
        }
        group->vacant = value;
        return true;
    case HBSR_GRP_VECTOR:
        if (value >= HBS_VECTORS) {
            return false;
        }
        group->vector = value;
        return true;
    case HBSR_GRP_RECORDS:
        if (value > HBSR_GRP_RECORD_ADDR_COUNT) {
            return false;
        }
        group->records = value;
        return true;
    case HBSR_GRP_COUNT:
        if (value > HBS_COUNT_MAX) {
            return false;
        }
        group->count = value;
        return true;
    case HBSR_GRP_TIMEOUT:
        if (value >= HBS_TIMEOUT_LIMIT) {
            return false;
        }
        group->timeout = value;
        return true;
    case HBSR_GRP_RECORD_ADDR(0):
        if (value % HBSR_RECORD_STRIDE) {
            return false;
        }
        group->record_addr[target->index] = value;
        return true;
    default:
        g_assert_not_reached();
    }
}

static bool write_group(HbsState *s, const HbsTarget *target, uint64_t value)
{
    switch (target->offset) {
    case HBSR_GRP_CTRL:
        return hbs_group_control(s, target->group, value);
    case HBSR_GRP_COMMAND:
        return hbs_group_command(s, target->group, value);
    case HBSR_GRP_ARM:
        return hbs_group_arm(s, target->group, value);
    default:
        return configure_group(s, target, value);
    }
}

static bool write_port(HbsState *s, unsigned port, uint64_t value)
{
    if (value % HBSR_MEMORY_STRIDE) {
        return false;
    }
    s->port_addr[port] = value;
    hbs_operation_move(s, port);
    return true;
}

static bool write_register(HbsState *s, const HbsTarget *target, uint64_t value)
{
    if (target->group != HBS_NOBODY) {
        return write_group(s, target, value);
    }
    if (target->port != HBS_NOBODY) {
        return write_port(s, target->port, value);
    }
    return write_card(s, target, value);
}

/* Writes a register or half of it; returns why that is bad, or NULL. */
static const char *write_target(HbsState *s, const HbsTarget *target,
                                uint64_t value)
{
    if (!target->reg) {
        return value ? "write to a reserved offset" : NULL;
    }
    if (target->reg->access == RO) {
        return "write to a read-only register";
    }
    value = value << target->shift & target->half;
    if (value & ~target->mask) {
        return "write to reserved bits";
    }
    if (target->reg->access == RW) {
        value |= read_target(s, target) & ~target->half;
    }
    return write_register(s, target, value) ? NULL : "value that cannot be";
}

/* Whether the address is there: in a reset only the blocks ID and CTL are. */
static bool is_there(const HbsState *s, hwaddr addr)
{
    return hbs_is_ready(s) || addr < HBSR_INT_CAUSE;
}

static uint64_t read_word(HbsState *s, hwaddr addr, unsigned size)
{
    HbsTarget target;
    const char *wrong = find_target(s, addr, size, &target);
    uint64_t value = 0;

    if (!is_there(s, addr)) {
        return 0;
    }
    if (wrong) {
        hbs_bad_access(s, HBS_NOBODY, target.group, wrong, addr, size);
    } else if (target.reg) {
        value = (read_target(s, &target) & target.half) >> target.shift;
    }
    trace_hbs_register_read(addr, size, value);
    return value;
}

static void write_word(HbsState *s, hwaddr addr, uint64_t value, unsigned size)
{
    HbsTarget target;
    const char *wrong = find_target(s, addr, size, &target);

    trace_hbs_register_write(addr, size, value);
    if (!hbs_is_ready(s)) {
        return;
    }
    if (!wrong) {
        wrong = write_target(s, &target, value);
    }
    if (wrong) {
        hbs_bad_access(s, HBS_NOBODY, target.group, wrong, addr, size);
    }
}

static const HbsSpace registers = {
    HBSR_BAR_REGISTERS, read_word, write_word,
};

static uint64_t regs_read(void *opaque, hwaddr addr, unsigned size)
{
    return hbs_access_read(opaque, &registers, addr, size);
}

static void regs_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    hbs_access_write(opaque, &registers, addr, value, size);
}

/* QEMU lets wrong sizes and alignments through; the card counts them. */
const MemoryRegionOps hbs_register_ops = {
    .read = regs_read,
    .write = regs_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};
