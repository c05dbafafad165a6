/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: rounds of polling arrival lines. Rounds go on exactly while
 * a group has a line to read, so only the state of the groups decides.
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

/* Starts or stops the rounds; the first one starts PAUSE ns from now. */
static void schedule(HbsState *s, int64_t pause)
{
    bool wanted = any_polls(s);

    if (wanted && !s->next_round) {
        s->next_round = hbs_now(s) + pause;
        trace_hbs_poll_start(s->next_round);
        timer_mod(&s->round_timer, s->next_round);
    } else if (!wanted && s->next_round) {
        trace_hbs_poll_stop();
        s->next_round = 0;
        timer_del(&s->round_timer);
    }
}

/* Starts or stops rounds after a change of the group's state. */
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

/* Goes on with the rounds of a state that was newly loaded or reset. */
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

/* Counts a line that was read; is it the arrival that the group waits for? */
bool hbs_poll_is_arrival(HbsState *s, const HbsRead *read)
{
    HbsGroup *group = &s->group[read->group];

    group->line_reads++;
    trace_hbs_line_read(read->port, read->group, read->addr, read->word);
    return read->word == hbs_group_awaited_word(group);
}

static void read_line(HbsState *s, unsigned g, unsigned port, unsigned offset,
                      HbsReadUse use)
{
    const HbsRead read = {
        .use = use, .group = g, .port = port,
        .addr = hbs_port_word(s, port, g, HBSR_MEMORY_ARRIVAL + offset),
        .expected = hbs_group_awaited_word(&s->group[g]),
    };

    hbs_read_send(s, &read);
}

static void word_answered(HbsState *s, const HbsRead *read)
{
    HbsGroup *group = &s->group[read->group];

    if (!hbs_poll_is_arrival(s, read)) {
        return;
    }
    if (hbs_reduction(group) == HBSR_REDUCE_NONE) {
        hbs_group_arrive(s, read->group, read->port, 0);
    } else {
        /* A later read, so the operand is not older than the word. */
        read_line(s, read->group, read->port, HBSR_LINE_OPERAND,
                  HBS_READ_OPERAND);
    }
}

/* Takes the answer to a read of a line; the group may have gone on since. */
void hbs_poll_answer(HbsState *s, const HbsRead *read)
{
    HbsGroup *group = &s->group[read->group];

    if (!hbs_poll_wanted(s, read->group) ||
        !hbs_group_may_arrive(group, read->port)) {
        return;
    }
    if (!read->done) {
        hbs_group_line_failed(s, read->group);
    } else if (read->use == HBS_READ_WORD) {
        word_answered(s, read);
    } else {
        group->line_reads++;
        trace_hbs_line_read(read->port, read->group, read->addr, read->word);
        if (read->expected == hbs_group_awaited_word(group)) {
            hbs_group_arrive(s, read->group, read->port, read->word);
        }
    }
}

/* Reads lines until the epoch is complete: nobody has arrived for the next. */
static void poll_group(HbsState *s, unsigned g)
{
    const HbsGroup *group = &s->group[g];
    uint64_t epoch = group->epoch;
    unsigned port;

    for (port = 0; port < s->ports; port++) {
        if (hbs_group_may_arrive(group, port)) {
            read_line(s, g, port, HBSR_LINE_WORD, HBS_READ_WORD);
        }
        if (group->epoch != epoch || !hbs_poll_wanted(s, g)) {
            return;
        }
    }
}

static void run_round(HbsState *s)
{
    int64_t start = hbs_now(s), took;
    int64_t end = hbs_read_round_end(s);
    unsigned g;

    /* A round is over when all its reads are answered. */
    if (end) {
        s->next_round = MAX(end, start);
        timer_mod(&s->round_timer, s->next_round);
        return;
    }
    for (g = 0; g < s->groups; g++) {
        if (hbs_bit(s->polling, g)) {
            poll_group(s, g);
        }
    }
    /* Leave others at least half of the time, whatever the guest asks for. */
    s->next_round = 0;
    took = hbs_now(s) - start;
    schedule(s, MAX(s->poll - took, took));
}

/* Runs the round that is due, if one is. */
void hbs_poll_run(HbsState *s)
{
    if (s->next_round && s->next_round <= hbs_now(s)) {
        run_round(s);
    }
}

static void round_due(void *opaque)
{
    HbsState *s = opaque;

    if (s->rtl) {
        hbs_rtl_wake(s);
    } else {
        run_round(s);
    }
}

void hbs_poll_init(HbsState *s)
{
    timer_init_ns(&s->round_timer, QEMU_CLOCK_VIRTUAL, round_due, s);
}

void hbs_poll_exit(HbsState *s)
{
    timer_del(&s->round_timer);
}
