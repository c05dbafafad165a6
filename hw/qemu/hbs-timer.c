/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: the timers of the groups. A timer runs exactly while
 * hbs_timer_wanted() says so, so only the state of the group decides.
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "hbs.h"
#include "trace-hbs.h"

struct HbsTimer {
    HbsState *card;
    unsigned group;
    QEMUTimer timer;
};

/* Whether the timer of the group has to run. */
bool hbs_timer_wanted(const HbsState *s, unsigned g)
{
    const HbsGroup *group = &s->group[g];

    /* Only a group that is enabled and not broken has arrivals. */
    return hbs_running(s) && group->timeout && group->arrived &&
           !(group->status & HBSR_GRP_STATUS_EXPIRED);
}

/* Starts or stops the timer after a change of the group's state. */
void hbs_timer_update(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];
    bool wanted = hbs_timer_wanted(s, g);

    if (wanted && !group->deadline) {
        group->deadline = hbs_now(s) + group->timeout;
        trace_hbs_timer_start(g, group->deadline);
        timer_mod(&s->timer[g].timer, group->deadline);
    } else if (!wanted && group->deadline) {
        trace_hbs_timer_stop(g);
        group->deadline = 0;
        timer_del(&s->timer[g].timer);
    }
}

void hbs_timer_update_all(HbsState *s)
{
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        hbs_timer_update(s, g);
    }
}

/* Sets the timers to the deadlines of a newly loaded or reset state. */
void hbs_timer_restore(HbsState *s)
{
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        if (s->group[g].deadline) {
            timer_mod(&s->timer[g].timer, s->group[g].deadline);
        } else {
            timer_del(&s->timer[g].timer);
        }
    }
}

static void expire(HbsState *s, unsigned g)
{
    s->group[g].deadline = 0;
    hbs_group_expire(s, g);
}

/* Lets all timers expire that are due. */
void hbs_timer_run(HbsState *s)
{
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        if (s->group[g].deadline && s->group[g].deadline <= hbs_now(s)) {
            timer_del(&s->timer[g].timer);
            expire(s, g);
        }
    }
}

static void timer_due(void *opaque)
{
    HbsTimer *timer = opaque;

    if (timer->card->rtl) {
        hbs_rtl_wake(timer->card);
    } else {
        expire(timer->card, timer->group);
    }
}

void hbs_timer_init(HbsState *s)
{
    unsigned g;

    s->timer = g_new0(HbsTimer, s->groups);
    for (g = 0; g < s->groups; g++) {
        s->timer[g].card = s;
        s->timer[g].group = g;
        timer_init_ns(&s->timer[g].timer, QEMU_CLOCK_VIRTUAL, timer_due,
                      &s->timer[g]);
    }
}

void hbs_timer_exit(HbsState *s)
{
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        timer_del(&s->timer[g].timer);
    }
    g_free(s->timer);
}
