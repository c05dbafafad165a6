/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: the barrier groups.
 */
#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "hbs.h"
#include "trace-hbs.h"

#define EPOCH_MASK          (HBSR_WORD_EPOCH >> HBSR_WORD_EPOCH_SHIFT)

static bool is_enabled(const HbsGroup *group)
{
    return group->ctrl & HBSR_GRP_CTRL_ENABLE;
}

static void clear_bit_of(uint64_t *mask, unsigned bit)
{
    mask[bit / 64] &= ~(1ULL << (bit % 64));
}

static void clear_arrivals(HbsGroup *group)
{
    memset(group->s, 0, sizeof(group->s));
    memset(group->v, 0, sizeof(group->v));
    group->arrived = 0;
    group->present = 0;
    group->sum = hbs_reduce_identity(hbs_reduction(group));
}

static void clear_members(HbsGroup *group)
{
    memset(group->p, 0, sizeof(group->p));
    group->members = 0;
    clear_arrivals(group);
}

static uint64_t following_epoch(const HbsGroup *group)
{
    return (group->epoch + 1) & EPOCH_MASK;
}

static bool counts(const HbsGroup *group)
{
    return hbs_completion(group) == HBSR_COMPLETION_COUNT;
}

/* The word that makes an arrival line an arrival */
uint64_t hbs_group_awaited_word(const HbsGroup *group)
{
    return following_epoch(group) << HBSR_WORD_EPOCH_SHIFT;
}

/* The epoch word, as the DEPARTURE line and the records show it. */
uint64_t hbs_group_word(const HbsGroup *group)
{
    /* These are in the same places as in GRP_STATUS. */
    QEMU_BUILD_BUG_ON(HBSR_WORD_BROKEN != HBSR_GRP_STATUS_BROKEN);
    QEMU_BUILD_BUG_ON(HBSR_WORD_REASON != HBSR_GRP_STATUS_REASON);
    QEMU_BUILD_BUG_ON(HBSR_WORD_VOTE != HBSR_GRP_STATUS_VOTE);

    return group->epoch << HBSR_WORD_EPOCH_SHIFT |
           (group->status & (HBSR_WORD_BROKEN | HBSR_WORD_REASON |
                             HBSR_WORD_VOTE));
}

static void set_broken(HbsState *s, unsigned g, unsigned reason)
{
    HbsGroup *group = &s->group[g];

    trace_hbs_break(g, reason);
    clear_arrivals(group);
    group->status &= HBSR_GRP_STATUS_ARMED | HBSR_GRP_STATUS_EXPIRED |
                     HBSR_GRP_STATUS_VOTE | HBSR_GRP_STATUS_BLACK;
    group->status |= HBSR_GRP_STATUS_BROKEN |
                     reason << HBSR_GRP_STATUS_REASON_SHIFT;
}

static void raise_armed(HbsState *s, unsigned g)
{
    if (s->group[g].status & HBSR_GRP_STATUS_ARMED) {
        s->group[g].status &= ~HBSR_GRP_STATUS_ARMED;
        hbs_raise_group(s, g);
    }
}

static void show_and_raise(HbsState *s, unsigned g, bool result)
{
    hbs_egress_records(s, g, result);
    raise_armed(s, g);
}

/* Updates timer and polling after a change of the group's state. */
void hbs_group_update(HbsState *s, unsigned g)
{
    hbs_timer_update(s, g);
    hbs_poll_update(s, g);
}

/* Breaks a group whose memory fails; the records that still work say so. */
void hbs_group_fail_dma(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];

    if (!hbs_broken(group)) {
        /* No record shows the word without the result of its epoch. */
        bool result = group->due & HBS_DUE_RESULT;

        set_broken(s, g, HBSR_REASON_DMA);
        group->due = 0;
        hbs_record_write_all(s, g, result);
    }
    hbs_set_cause(s, HBSR_INT_CAUSE_DMA);
    raise_armed(s, g);
}

/* Writes the words that are due to the group's records. */
void hbs_group_show(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];
    unsigned due = group->due;

    group->due = 0;
    if (!hbs_record_write_all(s, g, due & HBS_DUE_RESULT)) {
        group->due = due & HBS_DUE_RESULT;
        hbs_group_fail_dma(s, g);
        group->due = 0;
        hbs_group_update(s, g);
    }
}

/* The card could not read an arrival line. */
void hbs_group_line_failed(HbsState *s, unsigned g)
{
    hbs_group_fail_dma(s, g);
    hbs_group_update(s, g);
}

static bool all_arrived(const HbsGroup *group)
{
    if (counts(group)) {
        return group->count && group->arrived == group->count;
    }
    /* S is a subset of P, hence the counts are enough. */
    return group->present == group->members && !group->balance;
}

static void evaluate(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];

    if (hbs_broken(group) || group->vacant || !group->members ||
        !all_arrived(group)) {
        return;
    }
    group->status &= ~(HBSR_GRP_STATUS_EXPIRED | HBSR_GRP_STATUS_VOTE |
                       HBSR_GRP_STATUS_BLACK);
    if (hbs_is_refutable(group)) {
        group->status |= hbs_refutable_vote(group) <<
                         HBSR_GRP_STATUS_VOTE_SHIFT;
        group->sum = hbs_refutable_result(s, g);
    }
    group->result = group->sum;
    clear_arrivals(group);
    group->epoch = following_epoch(group);
    group->completions++;
    trace_hbs_complete(g, group->epoch, group->result);
    show_and_raise(s, g, hbs_reduction(group) != HBSR_REDUCE_NONE);
}

/* Whether the port may arrive now: it is a member, and has not done so yet. */
bool hbs_group_may_arrive(const HbsGroup *group, unsigned port)
{
    if (!hbs_bit(group->p, port)) {
        return false;
    }
    if (counts(group) && hbs_arrival(group) == HBSR_ARRIVAL_STORE) {
        return group->arrived < group->count;
    }
    return !hbs_bit(group->s, port);
}

/* Takes an arrival. */
void hbs_group_arrive(HbsState *s, unsigned g, unsigned port, uint64_t operand)
{
    HbsGroup *group = &s->group[g];

    if (!hbs_bit(group->s, port)) {
        hbs_set_bit(group->s, port);
        group->present++;
    }
    group->arrived++;
    group->arrivals++;
    if (!hbs_is_refutable(group)) {
        group->sum = hbs_reduce(hbs_reduction(group), group->sum, operand);
    }
    evaluate(s, g);
    hbs_group_update(s, g);
}

/* Whether the card drops any store to this lane; if so, counts it. */
bool hbs_group_drops(HbsState *s, unsigned g, unsigned port)
{
    HbsGroup *group = &s->group[g];

    if (!hbs_running(s)) {
        group->refused++;
        hbs_violation(s, HBSR_VIOLATION_REFUSED, port, g);
    } else if (!hbs_bit(group->p, port)) {
        group->non_member++;
        hbs_violation(s, HBSR_VIOLATION_NON_MEMBER, port, g);
    } else if (hbs_broken(group) || hbs_arrival(group) != HBSR_ARRIVAL_STORE) {
        group->refused++;
        hbs_violation(s, HBSR_VIOLATION_REFUSED, port, g);
    } else {
        return false;
    }
    return true;
}

/* Counts a store that the card drops, for the member has arrived. */
void hbs_group_drop_double(HbsState *s, unsigned g, unsigned port)
{
    s->group[g].double_arrivals++;
    hbs_violation(s, HBSR_VIOLATION_DOUBLE, port, g);
}

/* Handles a store to ARRIVAL. */
void hbs_group_store(HbsState *s, unsigned g, unsigned port, uint64_t operand)
{
    HbsGroup *group = &s->group[g];

    if (hbs_is_refutable(group)) {
        hbs_refutable_idle(s, g, port, operand);
        return;
    }
    trace_hbs_arrival(port, g, operand);
    if (hbs_group_drops(s, g, port)) {
        return;
    }
    if (!hbs_group_may_arrive(group, port)) {
        hbs_group_drop_double(s, g, port);
    } else {
        hbs_group_arrive(s, g, port, operand);
    }
}

static void enable_group(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];

    clear_members(group);
    group->completions = 0;
    group->arrivals = 0;
    group->departure_reads = 0;
    group->record_writes = 0;
    group->non_member = 0;
    group->double_arrivals = 0;
    group->refused = 0;
    group->interrupts = 0;
    group->line_reads = 0;
    group->withdrawals = 0;
    group->unarrived = 0;
    group->readbacks = 0;
    /* So no two epochs of a slot have the same word, broken ones included. */
    group->epoch = following_epoch(group);
    hbs_operation_begin(s, g, HBS_ENABLING, HBS_NOBODY);
}

static void disable_group(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];

    clear_members(group);
    group->status = 0;
    group->result = 0;
    group->balance = 0;
    memset(group->missing, 0, sizeof(group->missing));
    hbs_egress_forget(s, g);
    hbs_operation_cancel(s, g);
    hbs_read_drop(s, g, HBS_NOBODY);
}

/* Whether the card has groups with this value of GRP_CTRL. */
bool hbs_group_control_possible(uint32_t value)
{
    bool plain = HBS_MODE(value, COMPLETION) == HBSR_COMPLETION_MASK &&
                 HBS_MODE(value, ARRIVAL) == HBSR_ARRIVAL_STORE;

    return !(value & ~(HBSR_GRP_CTRL_ENABLE | HBSR_GRP_CTRL_TYPE |
                       HBSR_GRP_CTRL_COMPLETION | HBSR_GRP_CTRL_ARRIVAL |
                       HBSR_GRP_CTRL_DEPARTURE | HBSR_GRP_CTRL_REDUCE |
                       HBSR_GRP_CTRL_POLICY)) &&
           (HBS_MODE(value, TYPE) == HBSR_TYPE_BARRIER ||
            (HBS_MODE(value, TYPE) == HBSR_TYPE_REFUTABLE && plain)) &&
           HBS_MODE(value, COMPLETION) <= HBSR_COMPLETION_COUNT &&
           HBS_MODE(value, ARRIVAL) <= HBSR_ARRIVAL_POLL &&
           HBS_MODE(value, DEPARTURE) <= HBSR_DEPARTURE_PORT &&
           HBS_MODE(value, REDUCE) <= HBSR_REDUCE_VOTE &&
           HBS_MODE(value, POLICY) <= HBSR_POLICY_NOTIFY;
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
    trace_hbs_enable(g, is_enabled(group), group->timeout);
    if (is_enabled(group)) {
        enable_group(s, g);
    } else {
        disable_group(s, g);
    }
    hbs_group_update(s, g);
    return true;
}

static bool may_join(const HbsState *s, const HbsGroup *group, unsigned port)
{
    bool memory = hbs_arrival(group) == HBSR_ARRIVAL_POLL ||
                  hbs_departure(group) == HBSR_DEPARTURE_PORT;
    bool full = counts(group) && !group->vacant &&
                group->count == HBS_COUNT_MAX;

    return port < s->ports && !hbs_bit(group->p, port) &&
           !hbs_broken(group) && !(memory && !s->port_addr[port]) && !full;
}

/* Makes the port a member; its memory, if the group needs one, is good. */
void hbs_group_join(HbsState *s, unsigned g, unsigned port)
{
    HbsGroup *group = &s->group[g];

    hbs_set_bit(group->p, port);
    group->operand[port] = 0;
    group->members++;
    if (group->vacant) {
        group->vacant--;
    } else if (counts(group)) {
        group->count++;
    }
    /* Epochs may have gone by since the card wrote this record. */
    if (hbs_departure(group) == HBSR_DEPARTURE_PORT &&
        group->shown != hbs_group_word(group) &&
        !hbs_record_write_member(s, g, port, false)) {
        hbs_group_fail_dma(s, g);
    }
    evaluate(s, g);
}

static bool join(HbsState *s, unsigned g, unsigned port)
{
    if (hbs_operation_busy(s, g) || !may_join(s, &s->group[g], port)) {
        return false;
    }
    hbs_operation_begin(s, g, HBS_JOINING, port);
    return true;
}

void hbs_group_take_back(HbsGroup *group, unsigned port)
{
    if (hbs_bit(group->s, port)) {
        clear_bit_of(group->s, port);
        clear_bit_of(group->v, port);
        group->present--;
        group->arrived--;
    }
}

/* Ends a membership; if the group polls, the card has read the line before. */
void hbs_group_leave(HbsState *s, unsigned g, unsigned port)
{
    HbsGroup *group = &s->group[g];

    hbs_group_take_back(group, port);
    clear_bit_of(group->p, port);
    group->members--;
    if (group->vacant) {
        group->vacant++;
    } else if (counts(group) && group->count) {
        group->count--;
    }
    evaluate(s, g);
}

static bool is_member(const HbsState *s, unsigned g, unsigned port)
{
    return port < s->ports && hbs_bit(s->group[g].p, port);
}

static bool leave(HbsState *s, unsigned g, unsigned port)
{
    if (hbs_operation_busy(s, g) || !is_member(s, g, port)) {
        return false;
    }
    /* Read what the member stored until now; an older read is of no use. */
    hbs_read_drop(s, g, port);
    hbs_operation_begin(s, g, HBS_LEAVING, port);
    return true;
}

static bool init(HbsState *s, unsigned g, unsigned port)
{
    HbsGroup *group = &s->group[g];

    if (hbs_operation_busy(s, g) || !is_member(s, g, port) ||
        hbs_is_refutable(group)) {
        return false;
    }
    /* An operand that is in the sum cannot be taken out of it. */
    if (hbs_bit(group->s, port) && hbs_reduction(group) != HBSR_REDUCE_NONE) {
        return false;
    }
    hbs_read_drop(s, g, port);
    hbs_group_take_back(group, port);
    return true;
}

bool hbs_group_break(HbsState *s, unsigned g, unsigned reason)
{
    if (reason == HBSR_REASON_NONE || reason > HBSR_REASON_OVERFLOW) {
        return false;
    }
    if (!hbs_broken(&s->group[g])) {
        set_broken(s, g, reason);
        show_and_raise(s, g, false);
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
        [HBSR_OP_BREAK] = { "break", hbs_group_break },
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
    hbs_group_update(s, g);
    return done;
}

/* The group's timer has expired. */
void hbs_group_expire(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];
    unsigned i;

    trace_hbs_expire(g, group->members - group->present);
    for (i = 0; i < HBS_MASK_WORDS; i++) {
        group->missing[i] = group->p[i] & ~group->s[i];
    }
    group->status |= HBSR_GRP_STATUS_EXPIRED;
    if (hbs_policy(group) == HBSR_POLICY_BREAK) {
        hbs_group_break(s, g, HBSR_REASON_TIMEOUT);
        hbs_poll_update(s, g);
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
     * An arming that comes too late for its epoch gets an interrupt of its
     * own; the arming for the current epoch stays.
     */
    if (hbs_broken(group) || (uint32_t)group->epoch != epoch) {
        hbs_raise_group(s, g);
    } else {
        group->status |= HBSR_GRP_STATUS_ARMED;
    }
    return true;
}
