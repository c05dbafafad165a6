/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: violations and interrupts.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "hw/pci/msix.h"
#include "hbs.h"
#include "trace-hbs.h"

/* Sends a message: it leaves the card now. */
void hbs_send_message(HbsState *s, unsigned vector)
{
    PCIDevice *pci = PCI_DEVICE(s);

    trace_hbs_interrupt(vector);
    if (!msix_enabled(pci)) {
        return;
    }
    if (s->rtl) {
        s->interrupts += hbs_both_message(s, vector);
    } else {
        s->interrupts++;
        msix_notify(pci, vector);
    }
}

void hbs_set_cause(HbsState *s, uint32_t cause)
{
    uint32_t rising = cause & ~s->cause;

    s->cause |= cause;
    if (hbs_running(s) && (rising & s->enable)) {
        hbs_egress_message(s, 0);
    }
}

void hbs_write_cause_enable(HbsState *s, uint32_t enable)
{
    uint32_t rising = enable & ~s->enable;

    s->enable = enable;
    if (hbs_running(s) && (rising & s->cause)) {
        hbs_egress_message(s, 0);
    }
}

void hbs_set_running(HbsState *s, bool run)
{
    bool start = run && !hbs_running(s);

    /* Due writes still leave; answers to reads are of no use any more. */
    if (!run) {
        hbs_read_drop(s, HBS_NOBODY, HBS_NOBODY);
    }
    s->ctrl = run ? HBSR_CTL_CTRL_ENABLE : 0;
    hbs_timer_update_all(s);
    hbs_poll_update_all(s);
    if (start) {
        hbs_operation_resume_all(s);
    }
    if (start && (s->enable & s->cause)) {
        hbs_egress_message(s, 0);
    }
}

/* Raises the completion interrupt of a group. */
void hbs_raise_group(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];

    group->interrupts++;
    s->cause_groups[g / 64] |= 1ULL << (g % 64);
    hbs_egress_message(s, group->vector);
}

/* Reports that the timer of a group has expired. */
void hbs_raise_timeout(HbsState *s, unsigned g)
{
    s->cause_timeouts[g / 64] |= 1ULL << (g % 64);
    hbs_set_cause(s, HBSR_INT_CAUSE_TIMEOUT);
}

static const char *violation_name(unsigned kind)
{
    switch (kind) {
    case HBSR_VIOLATION_NON_MEMBER:
        return "arrival of a non-member";
    case HBSR_VIOLATION_DOUBLE:
        return "double arrival";
    case HBSR_VIOLATION_REFUSED:
        return "refused arrival";
    case HBSR_VIOLATION_OVERFLOW:
        return "balance that overflows";
    case HBSR_VIOLATION_UNARRIVED:
        return "withdrawal without arrival";
    default:
        return "bad access";
    }
}

void hbs_violation(HbsState *s, unsigned kind, unsigned port, unsigned group)
{
    const char *name = violation_name(kind);

    trace_hbs_violation(name, port, group);
    if (kind == HBSR_VIOLATION_ACCESS) {
        s->bad_accesses++;
    } else {
        qemu_log_mask(LOG_GUEST_ERROR, "hbs: %s: port %u group %u\n",
                      name, port, group);
    }
    s->violations++;
    s->violation_last =
        (uint64_t)kind << HBSR_CNT_VIOLATION_LAST_KIND_SHIFT |
        (uint64_t)port << HBSR_CNT_VIOLATION_LAST_PORT_SHIFT |
        (uint64_t)group << HBSR_CNT_VIOLATION_LAST_GROUP_SHIFT;
    hbs_set_cause(s, HBSR_INT_CAUSE_VIOLATION);
}

/* Counts a bad access to BAR 0 (PORT is HBS_NOBODY) or to a port's page. */
void hbs_bad_access(HbsState *s, unsigned port, unsigned group, const char *why,
                    hwaddr addr, unsigned size)
{
    qemu_log_mask(LOG_GUEST_ERROR,
                  "hbs: %s: BAR %d offset 0x%" HWADDR_PRIx " size %u\n", why,
                  port == HBS_NOBODY ? HBSR_BAR_REGISTERS : HBSR_BAR_PORTS,
                  addr, size);
    hbs_violation(s, HBSR_VIOLATION_ACCESS, port, group);
}
