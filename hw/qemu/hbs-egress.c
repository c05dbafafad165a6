/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: departure records and messages leave it, in order.
 *
 * A group waits here once at most, however often its word changes meanwhile,
 * and then shows the latest. So no arrival ever waits for a write. By default
 * everything leaves at once; with the property x-write-ns it leaves late.
 */
#include "qemu/osdep.h"
#include "hbs.h"
#include "trace-hbs.h"

/* Entries of the queue: a group, or a vector */
#define MESSAGE(vector)     (HBS_MAX_GROUPS + (vector))

static void append(HbsState *s, unsigned entry)
{
    unsigned i, n = 0;

    /*
     * A message that waits already moves to the end, after all records that it
     * tells of. A group keeps its place, before the messages that tell of it.
     */
    for (i = 0; i < s->egress_length; i++) {
        if (s->egress[i] != entry) {
            s->egress[n++] = s->egress[i];
        } else if (entry < HBS_MAX_GROUPS) {
            return;
        }
    }
    s->egress[n++] = entry;
    s->egress_length = n;
    if (!s->write_ns) {
        hbs_egress_flush(s);
    } else if (!timer_pending(&s->egress_timer)) {
        timer_mod(&s->egress_timer,
                  hbs_now(s) + s->write_ns);
    }
}

/* The group's word has changed; if RESULT, its result too. */
void hbs_egress_records(HbsState *s, unsigned g, bool result)
{
    s->group[g].due |= HBS_DUE_WORD | (result ? HBS_DUE_RESULT : 0);
    append(s, g);
}

void hbs_egress_message(HbsState *s, unsigned vector)
{
    append(s, MESSAGE(vector));
}

/* A group that is disabled writes no more. */
void hbs_egress_forget(HbsState *s, unsigned g)
{
    s->group[g].due = 0;
}

void hbs_egress_flush(HbsState *s)
{
    unsigned entry;

    while (s->egress_length) {
        entry = s->egress[0];
        s->egress_length--;
        memmove(s->egress, s->egress + 1, s->egress_length);
        if (entry >= HBS_MAX_GROUPS) {
            hbs_send_message(s, entry - HBS_MAX_GROUPS);
        } else if (s->group[entry].due) {
            hbs_group_show(s, entry);
        }
    }
    timer_del(&s->egress_timer);
}

static void leave(void *opaque)
{
    HbsState *s = opaque;

    if (s->rtl) {
        hbs_rtl_wake(s);
    } else {
        hbs_egress_flush(s);
    }
}

/* A reset drops all that waits. */
void hbs_egress_reset(HbsState *s)
{
    s->egress_length = 0;
    timer_del(&s->egress_timer);
}

/* Queues what a newly loaded state says is due, until the machine runs. */
void hbs_egress_restore(HbsState *s)
{
    unsigned i;

    hbs_egress_reset(s);
    for (i = 0; i < s->groups; i++) {
        if (s->group[i].due) {
            s->egress[s->egress_length++] = i;
        }
    }
    for (i = 0; i < HBS_VECTORS; i++) {
        if (s->due_messages >> i & 1) {
            s->egress[s->egress_length++] = MESSAGE(i);
        }
    }
    if (s->egress_length) {
        timer_mod(&s->egress_timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    }
}

/* Notes the messages that wait, before the state is saved. */
void hbs_egress_save(HbsState *s)
{
    unsigned i;

    s->due_messages = 0;
    for (i = 0; i < s->egress_length; i++) {
        if (s->egress[i] >= HBS_MAX_GROUPS) {
            s->due_messages |= 1u << (s->egress[i] - HBS_MAX_GROUPS);
        }
    }
}

void hbs_egress_init(HbsState *s)
{
    timer_init_ns(&s->egress_timer, QEMU_CLOCK_VIRTUAL, leave, s);
}

void hbs_egress_exit(HbsState *s)
{
    timer_del(&s->egress_timer);
}
