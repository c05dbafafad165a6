/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: refutable groups, for termination detection. A member that
 * is idle arrives, and says how many messages it has sent less those that it
 * has freed. It can withdraw its arrival. The group is complete when all have
 * arrived and the balance of all is 0.
 */
#include "qemu/osdep.h"
#include "hbs.h"
#include "trace-hbs.h"

/* Handles a store to OPERAND. */
void hbs_refutable_operand(HbsState *s, unsigned g, unsigned port,
                           uint64_t operand)
{
    HbsGroup *group = &s->group[g];

    trace_hbs_operand(port, g, operand);
    if (hbs_group_drops(s, g, port)) {
        return;
    }
    if (hbs_bit(group->s, port)) {
        hbs_group_drop_double(s, g, port);
        return;
    }
    group->operand[port] = operand;
}

/* Handles an idle word, which was stored to ARRIVAL. */
void hbs_refutable_idle(HbsState *s, unsigned g, unsigned port, uint64_t word)
{
    HbsGroup *group = &s->group[g];
    int64_t delta = sextract64(word, HBSR_IDLE_DELTA_SHIFT, HBS_BALANCE_BITS);
    int64_t balance = group->balance + delta;

    trace_hbs_idle(port, g, delta, !!(word & HBSR_IDLE_FREED),
                   !!(word & HBSR_IDLE_VOTE));
    if (hbs_group_drops(s, g, port)) {
        return;
    }
    if (word & ~(HBSR_IDLE_DELTA | HBSR_IDLE_FREED | HBSR_IDLE_VOTE)) {
        hbs_bad_access(s, port, g, "idle word with reserved bits",
                       port * HBSR_ID_PORT_STRIDE_DEFAULT +
                       g * HBSR_LANE_STRIDE + HBSR_LANE_ARRIVAL, 8);
        return;
    }
    if (hbs_bit(group->s, port)) {
        hbs_group_drop_double(s, g, port);
        return;
    }
    if (balance != sextract64(balance, 0, HBS_BALANCE_BITS)) {
        /* As with a timer: the message comes after the broken records. */
        hbs_group_break(s, g, HBSR_REASON_OVERFLOW);
        hbs_group_update(s, g);
        hbs_violation(s, HBSR_VIOLATION_OVERFLOW, port, g);
        return;
    }
    group->balance = balance;
    if (word & HBSR_IDLE_FREED) {
        group->status |= HBSR_GRP_STATUS_BLACK;
    }
    if (word & HBSR_IDLE_VOTE) {
        hbs_set_bit(group->v, port);
    }
    hbs_group_arrive(s, g, port, 0);
}

/* Handles a store to WITHDRAW. */
void hbs_refutable_withdraw(HbsState *s, unsigned g, unsigned port)
{
    HbsGroup *group = &s->group[g];

    trace_hbs_withdraw(port, g);
    if (hbs_group_drops(s, g, port)) {
        return;
    }
    if (!hbs_bit(group->s, port)) {
        group->unarrived++;
        hbs_violation(s, HBSR_VIOLATION_UNARRIVED, port, g);
        return;
    }
    hbs_group_take_back(group, port);
    group->status |= HBSR_GRP_STATUS_BLACK;
    group->withdrawals++;
    hbs_group_update(s, g);
}

/* The reduction of the operands of all members */
uint64_t hbs_refutable_result(const HbsState *s, unsigned g)
{
    const HbsGroup *group = &s->group[g];
    unsigned reduction = hbs_reduction(group), port;
    uint64_t sum = hbs_reduce_identity(reduction);

    for (port = 0; port < s->ports; port++) {
        if (hbs_bit(group->p, port)) {
            sum = hbs_reduce(reduction, sum, group->operand[port]);
        }
    }
    return sum;
}

/* VOTE of the epoch word, when all members have arrived */
unsigned hbs_refutable_vote(const HbsGroup *group)
{
    bool all = true, any = false;
    unsigned i;

    for (i = 0; i < HBS_MASK_WORDS; i++) {
        all &= group->v[i] == group->p[i];
        any |= group->v[i] != 0;
    }
    return all | any << 1;
}
