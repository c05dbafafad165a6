/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: migration, snapshots included. The card checks an incoming
 * state: it must be one that the card can be in.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/host-utils.h"
#include "migration/vmstate.h"
#include "hw/pci/msix.h"
#include "hbs.h"

#define EPOCH_MASK          (HBSR_WORD_EPOCH >> HBSR_WORD_EPOCH_SHIFT)
#define STATUS_MASK         (HBSR_GRP_STATUS_BROKEN | HBSR_GRP_STATUS_ARMED | \
                             HBSR_GRP_STATUS_EXPIRED | \
                             HBSR_GRP_STATUS_REASON | \
                             HBSR_GRP_STATUS_VOTE | HBSR_GRP_STATUS_BLACK)
#define CAUSE_MASK          (HBSR_INT_CAUSE_VIOLATION | HBSR_INT_CAUSE_DMA | \
                             HBSR_INT_CAUSE_TIMEOUT)

static unsigned count_bits(const uint64_t *mask)
{
    unsigned i, count = 0;

    for (i = 0; i < HBS_MASK_WORDS; i++) {
        count += ctpop64(mask[i]);
    }
    return count;
}

/* Word i of the mask of the first count bits */
static uint64_t first_bits(unsigned count, unsigned i)
{
    unsigned first = i * 64;

    if (first >= count) {
        return 0;
    }
    return count - first >= 64 ? UINT64_MAX : (1ULL << (count - first)) - 1;
}

/* Only ports that exist are members, and only members have arrived. */
static bool masks_are_good(const HbsState *s, const HbsGroup *group)
{
    unsigned i;

    for (i = 0; i < HBS_MASK_WORDS; i++) {
        uint64_t ports = first_bits(s->ports, i);

        if ((group->p[i] | group->missing[i]) & ~ports ||
            group->s[i] & ~group->p[i]) {
            return false;
        }
    }
    return true;
}

/* Bits of groups that do not exist cannot be set. */
static bool causes_are_good(const HbsState *s)
{
    unsigned i;

    for (i = 0; i < HBSR_INT_GROUPS_COUNT; i++) {
        if ((s->cause_groups[i] | s->cause_timeouts[i]) &
            ~first_bits(s->groups, i)) {
            return false;
        }
    }
    return !((s->cause | s->enable) & ~CAUSE_MASK);
}

static bool ports_are_good(const HbsState *s)
{
    unsigned i;

    for (i = 0; i < HBS_MAX_PORTS; i++) {
        if (s->port_addr[i] % HBSR_MEMORY_STRIDE ||
            (s->port_addr[i] && i >= s->ports)) {
            return false;
        }
    }
    return true;
}

/* Rounds of polling go on exactly if a group has a line to read. */
static bool rounds_are_good(const HbsState *s)
{
    bool wanted = false;
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        wanted |= hbs_poll_wanted(s, g);
    }
    return s->next_round >= 0 && wanted == (s->next_round != 0) &&
           s->poll >= HBS_POLL_MIN && s->poll <= HBS_POLL_MAX;
}

/* If the card lacks a feature, its registers have their reset values. */
static bool lacks(const HbsState *s, uint64_t feature)
{
    return !(s->features & feature);
}

static bool card_features_are_good(const HbsState *s)
{
    unsigned i;

    if (lacks(s, HBSR_FEATURE_TIMEOUT) &&
        ((s->cause | s->enable) & HBSR_INT_CAUSE_TIMEOUT ||
         s->cause_timeouts[0] || s->cause_timeouts[1])) {
        return false;
    }
    if (lacks(s, HBSR_FEATURE_POLL_ARRIVAL) &&
        s->poll != HBSR_CTL_POLL_DEFAULT) {
        return false;
    }
    for (i = 0; i < s->ports; i++) {
        if (s->port_addr[i] && !hbs_has_port_memory(s)) {
            return false;
        }
    }
    return true;
}

static bool group_features_are_good(const HbsState *s, const HbsGroup *group)
{
    return !(group->ctrl &
             hbs_reserved_bits(s, HBSR_GRP_BASE + HBSR_GRP_CTRL)) &&
           !(group->timeout && lacks(s, HBSR_FEATURE_TIMEOUT)) &&
           !(group->count && lacks(s, HBSR_FEATURE_COUNTING));
}

/* In each mode, an epoch can have only so many arrivals before it completes. */
static bool arrivals_are_good(const HbsGroup *group)
{
    if (hbs_completion(group) == HBSR_COMPLETION_MASK) {
        return group->arrived == group->present;
    }
    return group->arrived >= group->present && group->arrived <= group->count;
}

static bool status_is_good(const HbsGroup *group)
{
    unsigned reason = (group->status & HBSR_GRP_STATUS_REASON) >>
                      HBSR_GRP_STATUS_REASON_SHIFT;
    bool broken = group->status & HBSR_GRP_STATUS_BROKEN;
    bool armed = group->status & HBSR_GRP_STATUS_ARMED;

    return !(group->status & ~STATUS_MASK) && reason <= HBSR_REASON_OVERFLOW &&
           broken == (reason != HBSR_REASON_NONE) && !(broken && armed) &&
           !(broken && group->arrived);
}

/* A timer runs exactly if it has to; if it expired, its policy was done. */
static bool timer_is_good(const HbsState *s, unsigned g)
{
    const HbsGroup *group = &s->group[g];
    unsigned reason = (group->status & HBSR_GRP_STATUS_REASON) >>
                      HBSR_GRP_STATUS_REASON_SHIFT;

    if (group->deadline < 0 || group->timeout >= HBS_TIMEOUT_LIMIT ||
        hbs_timer_wanted(s, g) != (group->deadline != 0)) {
        return false;
    }
    if (!(group->status & HBSR_GRP_STATUS_EXPIRED)) {
        return true;
    }
    return group->timeout && (hbs_policy(group) != HBSR_POLICY_BREAK ||
                              reason == HBSR_REASON_TIMEOUT);
}

/* While a group is not enabled, its sum is unused, RESULT and MISSING are 0. */
static bool values_are_good(const HbsGroup *group)
{
    if (!(group->ctrl & HBSR_GRP_CTRL_ENABLE)) {
        return !group->result && !count_bits(group->missing);
    }
    return (hbs_reduce_possible(hbs_reduction(group), group->sum) &&
            hbs_reduce_possible(hbs_reduction(group), group->result));
}

/* Who has voted has arrived, and nobody votes true for all and not for any. */
static bool refutable_is_good(const HbsGroup *group)
{
    unsigned vote = (group->status & HBSR_GRP_STATUS_VOTE) >>
                    HBSR_GRP_STATUS_VOTE_SHIFT;
    unsigned i;

    for (i = 0; i < HBS_MASK_WORDS; i++) {
        if (group->v[i] & ~group->s[i]) {
            return false;
        }
    }
    if (!hbs_is_refutable(group) || !(group->ctrl & HBSR_GRP_CTRL_ENABLE)) {
        return !group->balance && !count_bits(group->v) &&
               !(group->status &
                 (HBSR_GRP_STATUS_VOTE | HBSR_GRP_STATUS_BLACK));
    }
    return vote != 1 &&
           group->balance == sextract64(group->balance, 0, HBS_BALANCE_BITS);
}

/* A group that is not enabled is empty; no group stays complete. */
static bool phase_is_good(const HbsGroup *group)
{
    if (!(group->ctrl & HBSR_GRP_CTRL_ENABLE)) {
        return !group->members && !group->arrived && !group->status;
    }
    if (group->vacant || !group->members) {
        return true;
    }
    return hbs_completion(group) == HBSR_COMPLETION_MASK
               ? group->present < group->members || group->balance
               : !group->count || group->arrived < group->count;
}

/* An operation goes on only where it could have begun. */
static bool operation_is_good(const HbsState *s, const HbsGroup *group)
{
    unsigned port = group->operand_port;
    bool enabled = group->ctrl & HBSR_GRP_CTRL_ENABLE;
    bool polls = hbs_arrival(group) == HBSR_ARRIVAL_POLL;

    switch (group->operation) {
    case HBS_IDLE:
        return true;
    case HBS_ENABLING:
        return enabled && !group->members;
    case HBS_JOINING:
        return enabled && port < s->ports && !hbs_bit(group->p, port) &&
               (polls || hbs_departure(group) == HBSR_DEPARTURE_PORT) &&
               !(hbs_completion(group) == HBSR_COMPLETION_COUNT &&
                 !group->vacant && group->count == HBS_COUNT_MAX);
    case HBS_LEAVING:
        return enabled && polls && port < s->ports && hbs_bit(group->p, port);
    default:
        return false;
    }
}

/* Only a group that is enabled has something to write. */
static bool due_is_good(const HbsGroup *group)
{
    return !(group->due & ~(HBS_DUE_WORD | HBS_DUE_RESULT)) &&
           group->due != HBS_DUE_RESULT &&
           !(group->due && !(group->ctrl & HBSR_GRP_CTRL_ENABLE)) &&
           !(group->due & HBS_DUE_RESULT && !hbs_reduction(group));
}

static bool settings_are_good(const HbsState *s, const HbsGroup *group)
{
    unsigned i;

    for (i = 0; i < HBSR_GRP_RECORD_ADDR_COUNT; i++) {
        if (group->record_addr[i] % HBSR_RECORD_STRIDE) {
            return false;
        }
    }
    return hbs_group_control_possible(group->ctrl) &&
           group->vacant <= s->ports && group->vector < HBS_VECTORS &&
           group->records <= HBSR_GRP_RECORD_ADDR_COUNT &&
           group->count <= HBS_COUNT_MAX &&
           group->epoch <= EPOCH_MASK;
}

static int hbs_post_load(void *opaque, int version)
{
    HbsState *s = opaque;
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        HbsGroup *group = &s->group[g];

        group->members = count_bits(group->p);
        group->present = count_bits(group->s);
        if (!masks_are_good(s, group) || !settings_are_good(s, group) ||
            !group_features_are_good(s, group) || !status_is_good(group) ||
            !arrivals_are_good(group) || !phase_is_good(group) ||
            !timer_is_good(s, g) || !values_are_good(group) ||
            !operation_is_good(s, group) || !due_is_good(group) ||
            !refutable_is_good(group)) {
            error_report("hbs: the migrated state of group %u is impossible",
                         g);
            return -EINVAL;
        }
    }
    if (s->ctrl & ~HBSR_CTL_CTRL_ENABLE || !causes_are_good(s) ||
        !ports_are_good(s) || !rounds_are_good(s) ||
        !card_features_are_good(s) || s->ready_at < 0 ||
        s->due_messages >> HBS_VECTORS) {
        error_report("hbs: the migrated state of the card is impossible");
        return -EINVAL;
    }
    if (s->model != HBS_MODEL_RTL) {
        hbs_timer_restore(s);
        hbs_poll_restore(s);
        hbs_read_forget(s);
        hbs_operation_restore(s);
        hbs_egress_restore(s);
    }
    if (s->rtl) {
        hbs_rtl_load(s);
    }
    return 0;
}

static int hbs_pre_save(void *opaque)
{
    HbsState *s = opaque;

    hbs_mend_link(s);
    hbs_egress_save(s);
    if (s->rtl) {
        hbs_rtl_save(s);
    }
    return 0;
}

static const VMStateDescription vmstate_group = {
    .name = "hbs/group",
    .version_id = 5,
    .minimum_version_id = 5,
    .fields = (VMStateField[]) {
        VMSTATE_UINT32(ctrl, HbsGroup),
        VMSTATE_UINT32(status, HbsGroup),
        VMSTATE_UINT64(epoch, HbsGroup),
        VMSTATE_UINT32(vacant, HbsGroup),
        VMSTATE_UINT32(vector, HbsGroup),
        VMSTATE_UINT32(records, HbsGroup),
        VMSTATE_UINT32(count, HbsGroup),
        VMSTATE_UINT32(arrived, HbsGroup),
        VMSTATE_UINT32(operation, HbsGroup),
        VMSTATE_UINT32(operand_port, HbsGroup),
        VMSTATE_UINT32(due, HbsGroup),
        VMSTATE_UINT64(timeout, HbsGroup),
        VMSTATE_INT64(deadline, HbsGroup),
        VMSTATE_UINT64(sum, HbsGroup),
        VMSTATE_UINT64(result, HbsGroup),
        VMSTATE_UINT64_ARRAY(record_addr, HbsGroup, HBSR_GRP_RECORD_ADDR_COUNT),
        VMSTATE_UINT64_ARRAY(p, HbsGroup, HBS_MASK_WORDS),
        VMSTATE_UINT64_ARRAY(s, HbsGroup, HBS_MASK_WORDS),
        VMSTATE_UINT64_ARRAY(missing, HbsGroup, HBS_MASK_WORDS),
        VMSTATE_UINT64(completions, HbsGroup),
        VMSTATE_UINT64(arrivals, HbsGroup),
        VMSTATE_UINT64(departure_reads, HbsGroup),
        VMSTATE_UINT64(record_writes, HbsGroup),
        VMSTATE_UINT64(non_member, HbsGroup),
        VMSTATE_UINT64(double_arrivals, HbsGroup),
        VMSTATE_UINT64(refused, HbsGroup),
        VMSTATE_UINT64(interrupts, HbsGroup),
        VMSTATE_UINT64(line_reads, HbsGroup),
        VMSTATE_INT64(balance, HbsGroup),
        VMSTATE_UINT64_ARRAY(v, HbsGroup, HBS_MASK_WORDS),
        VMSTATE_UINT64_ARRAY(operand, HbsGroup, HBS_MAX_PORTS),
        VMSTATE_UINT64(withdrawals, HbsGroup),
        VMSTATE_UINT64(unarrived, HbsGroup),
        VMSTATE_UINT64(readbacks, HbsGroup),
        VMSTATE_END_OF_LIST()
    }
};

/*
 * The configuration space has what AER has logged. PCIDevice has a log of
 * further errors, exp.aer_log, but that has no room (its log_max is 0), and the
 * card does not announce it.
 */
const VMStateDescription hbs_vmstate = {
    .name = "hbs",
    .version_id = 6,
    .minimum_version_id = 6,
    .pre_save = hbs_pre_save,
    .post_load = hbs_post_load,
    .fields = (VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, HbsState),
        VMSTATE_MSIX(parent_obj, HbsState),
        VMSTATE_UINT32_EQUAL(ports, HbsState, "property ports differs"),
        VMSTATE_UINT32_EQUAL(groups, HbsState, "property groups differs"),
        VMSTATE_UINT64_EQUAL(features, HbsState, "property x-features differs"),
        VMSTATE_UINT32(ctrl, HbsState),
        VMSTATE_UINT32(tag, HbsState),
        VMSTATE_UINT32(due_messages, HbsState),
        VMSTATE_INT64(ready_at, HbsState),
        VMSTATE_UINT32(poll, HbsState),
        VMSTATE_INT64(next_round, HbsState),
        VMSTATE_UINT32(cause, HbsState),
        VMSTATE_UINT32(enable, HbsState),
        VMSTATE_UINT64_ARRAY(cause_groups, HbsState, HBSR_INT_GROUPS_COUNT),
        VMSTATE_UINT64_ARRAY(cause_timeouts, HbsState,
                             HBSR_INT_TIMEOUTS_COUNT),
        VMSTATE_UINT64(violations, HbsState),
        VMSTATE_UINT64(bad_accesses, HbsState),
        VMSTATE_UINT64(dma_errors, HbsState),
        VMSTATE_UINT64(interrupts, HbsState),
        VMSTATE_UINT64(violation_last, HbsState),
        VMSTATE_UINT64(foreign_reads, HbsState),
        VMSTATE_UINT64_ARRAY(port_addr, HbsState, HBS_MAX_PORTS),
        VMSTATE_STRUCT_VARRAY_POINTER_UINT32(group, HbsState, groups,
                                             vmstate_group, HbsGroup),
        VMSTATE_END_OF_LIST()
    }
};
