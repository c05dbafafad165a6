/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: rounds of polling arrival lines. They go on exactly while a
 * group has a line to read, so nothing but the groups' state decides.
 */
#include "qemu/osdep.h"
#include "hbs.h"
#include "trace-hbs.h"

/* Whether the group has a line to read: that of a member that may arrive. */
bool hbs_poll_wanted(const HbsState *s, unsigned g)
{
    const HbsGroup *group = &s->group[g];

    /* Only a group that is enabled has members. */
    return hbs_running(s) && hbs_arrival(group) == HBSR_ARRIVAL_POLL &&
           !hbs_broken(group) && group->present < group->members &&
           (hbs_completion(group) == HBSR_COMPLETION_MASK ||
            group->arrived < group->count);
}

static bool any_polls(const HbsState *s)
{
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(s->polling); i++) {
        if (s->polling[i]) {
            return true;
        }
    }
    return false;
}

static void set_polling(HbsState *s, unsigned g)
{
    uint64_t bit = 1ULL << (g % 64);

    if (hbs_poll_wanted(s, g)) {
        s->polling[g / 64] |= bit;
    } else {
        s->polling[g / 64] &= ~bit;
    }
}

/* Starts or stops the rounds, the next to be PAUSE from now. */
static void schedule(HbsState *s, int64_t pause)
{
    bool wanted = any_polls(s);

    if (wanted && !s->next_round) {
        s->next_round = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + pause;
        trace_hbs_poll_start(s->next_round);
        timer_mod(&s->round_timer, s->next_round);
    } else if (!wanted && s->next_round) {
        trace_hbs_poll_stop();
        s->next_round = 0;
        timer_del(&s->round_timer);
    }
}

/* After a change of the group's state */
void hbs_poll_update(HbsState *s, unsigned g)
{
    set_polling(s, g);
    schedule(s, s->poll);
}

void hbs_poll_update_all(HbsState *s)
{
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        set_polling(s, g);
    }
    schedule(s, s->poll);
}

/* Goes on with the rounds as a state, newly loaded or reset, asks for. */
void hbs_poll_restore(HbsState *s)
{
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        set_polling(s, g);
    }
    if (s->next_round) {
        timer_mod(&s->round_timer, s->next_round);
    } else {
        timer_del(&s->round_timer);
    }
}

static bool read_word(HbsState *s, unsigned g, unsigned port, unsigned offset,
                      uint64_t *word)
{
    uint64_t addr = s->port_addr[port];

    if (!addr) {
        s->dma_errors++;
        return false;
    }
    addr += g * HBSR_MEMORY_STRIDE + HBSR_MEMORY_ARRIVAL + offset;
    if (!hbs_dma_read(s, addr, word)) {
        return false;
    }
    s->group[g].line_reads++;
    trace_hbs_line_read(port, g, addr, *word);
    return true;
}

/* Reads a member's line, which may be its arrival; false if it cannot. */
static bool read_line(HbsState *s, unsigned g, unsigned port)
{
    HbsGroup *group = &s->group[g];
    uint64_t word, operand = 0;

    if (!read_word(s, g, port, HBSR_LINE_WORD, &word)) {
        return false;
    }
    if (word != hbs_group_awaited_word(group)) {
        return true;
    }
    if (hbs_reduction(group) != HBSR_REDUCE_NONE &&
        !read_word(s, g, port, HBSR_LINE_OPERAND, &operand)) {
        return false;
    }
    hbs_group_arrive(s, g, port, operand);
    return true;
}

/* Looks at the line of a port, if that may be an arrival. */
void hbs_poll_line(HbsState *s, unsigned g, unsigned port)
{
    if (hbs_poll_wanted(s, g) && hbs_group_may_arrive(&s->group[g], port) &&
        !read_line(s, g, port)) {
        hbs_group_line_failed(s, g);
    }
}

/* Until the epoch is complete, for who could arrive for the next by now? */
static void poll_group(HbsState *s, unsigned g)
{
    const HbsGroup *group = &s->group[g];
    uint64_t epoch = group->epoch;
    unsigned port;

    for (port = 0; port < s->ports; port++) {
        hbs_poll_line(s, g, port);
        if (group->epoch != epoch || !hbs_poll_wanted(s, g)) {
            return;
        }
    }
}

static void run_round(void *opaque)
{
    HbsState *s = opaque;
    int64_t start = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), took;
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        if (hbs_bit(s->polling, g)) {
            poll_group(s, g);
        }
    }
    /* At least half of the time is for others, whatever the guest asks for. */
    s->next_round = 0;
    took = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) - start;
    schedule(s, MAX(s->poll - took, took));
}

void hbs_poll_init(HbsState *s)
{
    timer_init_ns(&s->round_timer, QEMU_CLOCK_VIRTUAL, run_round, s);
}

void hbs_poll_exit(HbsState *s)
{
    timer_del(&s->round_timer);
}
