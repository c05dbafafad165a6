/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: what a barrier group does.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hbs.h"
#include "trace-hbs.h"

#define EPOCH_MASK          (HBSR_WORD_EPOCH >> HBSR_WORD_EPOCH_SHIFT)

static bool is_broken(const HbsGroup *group)
{
    return group->status & HBSR_GRP_STATUS_BROKEN;
}

static bool is_enabled(const HbsGroup *group)
{
    return group->ctrl & HBSR_GRP_CTRL_ENABLE;
}

static void set_bit_of(uint64_t *mask, unsigned bit)
{
    mask[bit / 64] |= 1ULL << (bit % 64);
}

static void clear_bit_of(uint64_t *mask, unsigned bit)
{
    mask[bit / 64] &= ~(1ULL << (bit % 64));
}

static void clear_arrivals(HbsGroup *group)
{
    memset(group->s, 0, sizeof(group->s));
    group->arrived = 0;
    group->sum = hbs_reduce_identity(hbs_reduction(group));
}

static void clear_members(HbsGroup *group)
{
    memset(group->p, 0, sizeof(group->p));
    group->members = 0;
    clear_arrivals(group);
}

/* The epoch word, as the DEPARTURE line and the records show it. */
uint64_t hbs_group_word(const HbsGroup *group)
{
    /* BROKEN and REASON are in the same places as in GRP_STATUS. */
    QEMU_BUILD_BUG_ON(HBSR_WORD_BROKEN != HBSR_GRP_STATUS_BROKEN);
    QEMU_BUILD_BUG_ON(HBSR_WORD_REASON != HBSR_GRP_STATUS_REASON);

    return group->epoch << HBSR_WORD_EPOCH_SHIFT |
           (group->status & (HBSR_WORD_BROKEN | HBSR_WORD_REASON));
}

/* Writes one word of a departure record by DMA. */
static bool write_word(HbsState *s, unsigned g, uint64_t addr, uint64_t word)
{
    /*
     * A record must be in memory: a guest that names a device's registers, this
     * card's own too, gets an error, not recursion.
     */
    const MemTxAttrs attrs = { .memory = 1 };
    uint64_t data = cpu_to_le64(word);
    MemTxResult result;

    result = pci_dma_rw(PCI_DEVICE(s), addr, &data, sizeof(data),
                        DMA_DIRECTION_FROM_DEVICE, attrs);
    trace_hbs_record_write(g, addr, word, result);
    if (result != MEMTX_OK) {
        s->dma_errors++;
        return false;
    }
    s->group[g].record_writes++;
    return true;
}

/*
 * Shows the group's word in its records; if RESULT, with its result before. Who
 * sees the word relies on the result, so without that it is not written.
 */
static bool write_all_records(HbsState *s, unsigned g, bool result)
{
    HbsGroup *group = &s->group[g];
    uint64_t word = hbs_group_word(group);
    bool all = true;
    unsigned i;

    for (i = 0; i < group->records; i++) {
        uint64_t addr = group->record_addr[i];

        all &= (!result || write_word(s, g, addr + HBSR_RECORD_RESULT,
                                      group->result)) &&
               write_word(s, g, addr + HBSR_RECORD_WORD, word);
    }
    return all;
}

static void set_broken(HbsState *s, unsigned g, unsigned reason)
{
    HbsGroup *group = &s->group[g];

    trace_hbs_break(g, reason);
    clear_arrivals(group);
    group->status &= HBSR_GRP_STATUS_ARMED | HBSR_GRP_STATUS_EXPIRED;
    group->status |= HBSR_GRP_STATUS_BROKEN |
                     reason << HBSR_GRP_STATUS_REASON_SHIFT;
}

/*
 * Shows the group's word in its records. A group whose records cannot be
 * written breaks, and those that can be written then say so.
 */
static void publish(HbsState *s, unsigned g, bool result)
{
    HbsGroup *group = &s->group[g];

    if (!hbs_running(s) || write_all_records(s, g, result)) {
        return;
    }
    if (!is_broken(group)) {
        set_broken(s, g, HBSR_REASON_DMA);
        write_all_records(s, g, false);
    }
    hbs_set_cause(s, HBSR_INT_CAUSE_DMA);
}

static void publish_and_raise(HbsState *s, unsigned g, bool result)
{
    publish(s, g, result);
    if (s->group[g].status & HBSR_GRP_STATUS_ARMED) {
        s->group[g].status &= ~HBSR_GRP_STATUS_ARMED;
        hbs_raise_group(s, g);
    }
}

static void next_epoch(HbsGroup *group)
{
    group->epoch = (group->epoch + 1) & EPOCH_MASK;
}

static void evaluate(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];

    /* S is a subset of P, hence the counts are enough. */
    if (is_broken(group) || group->vacant || !group->members ||
        group->arrived != group->members) {
        return;
    }
    group->result = group->sum;
    clear_arrivals(group);
    group->status &= ~HBSR_GRP_STATUS_EXPIRED;
    next_epoch(group);
    group->completions++;
    trace_hbs_complete(g, group->epoch, group->result);
    publish_and_raise(s, g, hbs_reduction(group) != HBSR_REDUCE_NONE);
}

void hbs_group_arrive(HbsState *s, unsigned g, unsigned port, uint64_t operand)
{
    HbsGroup *group = &s->group[g];

    trace_hbs_arrival(port, g, operand);
    if (!hbs_running(s)) {
        group->refused++;
        hbs_violation(s, HBSR_VIOLATION_REFUSED, port, g);
    } else if (!hbs_bit(group->p, port)) {
        group->non_member++;
        hbs_violation(s, HBSR_VIOLATION_NON_MEMBER, port, g);
    } else if (is_broken(group)) {
        group->refused++;
        hbs_violation(s, HBSR_VIOLATION_REFUSED, port, g);
    } else if (hbs_bit(group->s, port)) {
        group->double_arrivals++;
        hbs_violation(s, HBSR_VIOLATION_DOUBLE, port, g);
    } else {
        set_bit_of(group->s, port);
        group->arrived++;
        group->arrivals++;
        group->sum = hbs_reduce(hbs_reduction(group), group->sum, operand);
        evaluate(s, g);
        hbs_timer_update(s, g);
    }
}

static void enable_group(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];

    clear_members(group);
    group->status = 0;
    group->result = 0;
    memset(group->missing, 0, sizeof(group->missing));
    group->completions = 0;
    group->arrivals = 0;
    group->departure_reads = 0;
    group->record_writes = 0;
    group->non_member = 0;
    group->double_arrivals = 0;
    group->refused = 0;
    group->interrupts = 0;
    /* So no two epochs of a slot have the same word, broken ones included. */
    next_epoch(group);
    publish(s, g, false);
}

/* Whether the card has such groups. */
bool hbs_group_control_possible(uint32_t value)
{
    const HbsGroup group = { .ctrl = value };
    unsigned type = (value & HBSR_GRP_CTRL_TYPE) >> HBSR_GRP_CTRL_TYPE_SHIFT;

    return !(value & ~(HBSR_GRP_CTRL_ENABLE | HBSR_GRP_CTRL_TYPE |
                       HBSR_GRP_CTRL_REDUCE | HBSR_GRP_CTRL_POLICY)) &&
           HBSR_ID_GROUP_TYPES_DEFAULT >> type & 1 &&
           hbs_reduction(&group) <= HBSR_REDUCE_VOTE &&
           hbs_policy(&group) <= HBSR_POLICY_NOTIFY;
}

/* A write of GRP_CTRL; false if it is a bad access. */
bool hbs_group_control(HbsState *s, unsigned g, uint32_t value)
{
    HbsGroup *group = &s->group[g];
    uint32_t change = value ^ group->ctrl;

    if (!hbs_group_control_possible(value) ||
        (is_enabled(group) && (value & HBSR_GRP_CTRL_ENABLE) && change)) {
        return false;
    }
    group->ctrl = value;
    if (!(change & HBSR_GRP_CTRL_ENABLE)) {
        return true;
    }
    trace_hbs_enable(g, is_enabled(group));
    if (is_enabled(group)) {
        enable_group(s, g);
    } else {
        clear_members(group);
        group->status = 0;
    }
    hbs_timer_update(s, g);
    return true;
}

static bool join(HbsState *s, unsigned g, unsigned port)
{
    HbsGroup *group = &s->group[g];

    if (port >= s->ports || hbs_bit(group->p, port) || is_broken(group)) {
        return false;
    }
    set_bit_of(group->p, port);
    group->members++;
    if (group->vacant) {
        group->vacant--;
    }
    evaluate(s, g);
    return true;
}

static void take_back(HbsGroup *group, unsigned port)
{
    if (hbs_bit(group->s, port)) {
        clear_bit_of(group->s, port);
        group->arrived--;
    }
}

static bool leave(HbsState *s, unsigned g, unsigned port)
{
    HbsGroup *group = &s->group[g];

    if (port >= s->ports || !hbs_bit(group->p, port)) {
        return false;
    }
    take_back(group, port);
    clear_bit_of(group->p, port);
    group->members--;
    if (group->vacant) {
        group->vacant++;
    }
    evaluate(s, g);
    return true;
}

static bool init(HbsState *s, unsigned g, unsigned port)
{
    HbsGroup *group = &s->group[g];

    if (port >= s->ports || !hbs_bit(group->p, port)) {
        return false;
    }
    /* An operand that is in the sum cannot be taken out of it. */
    if (hbs_bit(group->s, port) && hbs_reduction(group) != HBSR_REDUCE_NONE) {
        return false;
    }
    take_back(group, port);
    return true;
}

static bool break_group(HbsState *s, unsigned g, unsigned reason)
{
    if (reason == HBSR_REASON_NONE || reason > HBSR_REASON_DMA) {
        return false;
    }
    if (!is_broken(&s->group[g])) {
        set_broken(s, g, reason);
        publish_and_raise(s, g, false);
    }
    return true;
}

/* A write of GRP_COMMAND; false if it is a bad access. */
bool hbs_group_command(HbsState *s, unsigned g, uint32_t value)
{
    static const struct {
        const char *name;
        bool (*run)(HbsState *s, unsigned g, unsigned argument);
    } operations[] = {
        [HBSR_OP_JOIN] = { "join", join },
        [HBSR_OP_LEAVE] = { "leave", leave },
        [HBSR_OP_BREAK] = { "break", break_group },
        [HBSR_OP_INIT] = { "init", init },
    };
    unsigned op = (value & HBSR_GRP_COMMAND_OP) >> HBSR_GRP_COMMAND_OP_SHIFT;
    unsigned argument = (value & HBSR_GRP_COMMAND_ARG) >>
                        HBSR_GRP_COMMAND_ARG_SHIFT;
    bool done;

    if (!hbs_running(s) || !is_enabled(&s->group[g]) ||
        op >= ARRAY_SIZE(operations) || !operations[op].run) {
        return false;
    }
    done = operations[op].run(s, g, argument);
    trace_hbs_command(g, operations[op].name, argument, done);
    hbs_timer_update(s, g);
    return done;
}

/* The group's timer has expired. */
void hbs_group_expire(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];
    unsigned i;

    trace_hbs_expire(g, group->members - group->arrived);
    for (i = 0; i < HBS_MASK_WORDS; i++) {
        group->missing[i] = group->p[i] & ~group->s[i];
    }
    group->status |= HBSR_GRP_STATUS_EXPIRED;
    if (hbs_policy(group) == HBSR_POLICY_BREAK) {
        break_group(s, g, HBSR_REASON_TIMEOUT);
    }
    hbs_raise_timeout(s, g);
}

/* A write of GRP_ARM; false if it is a bad access. */
bool hbs_group_arm(HbsState *s, unsigned g, uint32_t epoch)
{
    HbsGroup *group = &s->group[g];

    if (!hbs_running(s) || !is_enabled(group)) {
        return false;
    }
    /*
     * Who comes too late for an epoch gets an interrupt of its own: the arming
     * of those who wait on the current one stays.
     */
    if (is_broken(group) || (uint32_t)group->epoch != epoch) {
        hbs_raise_group(s, g);
    } else {
        group->status |= HBSR_GRP_STATUS_ARMED;
    }
    return true;
}
