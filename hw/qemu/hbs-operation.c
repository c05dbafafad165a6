/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: operations that take a group longer than one access, as
 * they read memory: enabling, JOIN and LEAVE. GRP_STATUS.BUSY is 1 meanwhile,
 * and the group goes on. While the card is not enabled, operations stand still.
 */
#include "qemu/osdep.h"
#include "hbs.h"
#include "trace-hbs.h"

static bool uses_lines(const HbsGroup *group)
{
    return hbs_arrival(group) == HBSR_ARRIVAL_POLL;
}

static bool uses_member_records(const HbsGroup *group)
{
    return hbs_departure(group) == HBSR_DEPARTURE_PORT;
}

static void read_for(HbsState *s, HbsReadUse use, unsigned g, unsigned port,
                     uint64_t addr, uint64_t expected)
{
    const HbsRead read = {
        .use = use, .group = g, .port = port, .addr = addr,
        .expected = expected,
    };

    hbs_read_send(s, &read);
}

static void finish(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];
    unsigned operation = group->operation;

    group->operation = HBS_IDLE;
    trace_hbs_operation_end(g, operation, !group->failed);
    switch (operation) {
    case HBS_ENABLING:
        if (group->failed) {
            hbs_group_fail_dma(s, g);
        }
        break;
    case HBS_JOINING:
        if (!group->failed && !hbs_broken(group)) {
            hbs_group_join(s, g, group->operand_port);
        }
        break;
    case HBS_LEAVING:
        /* A round may have begun meanwhile; BUSY tells that it reads the line. */
        hbs_read_drop(s, g, group->operand_port);
        hbs_group_leave(s, g, group->operand_port);
        break;
    }
}

/* Reads the records back, to learn whether they are memory. */
static void check_records(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];
    uint64_t word = hbs_group_word(group);
    unsigned i, records = group->records;

    group->checks = records;
    for (i = records; i-- > 0;) {
        read_for(s, HBS_READ_CHECK, g, HBS_NOBODY,
             group->record_addr[i] + HBSR_RECORD_WORD, word);
    }
    if (!records) {
        finish(s, g);
    }
}

static void start_enabling(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];

    hbs_egress_records(s, g, false);
    hbs_egress_flush(s);
    /* A failed write has broken the group already. */
    if (hbs_broken(group)) {
        group->checks = 0;
        finish(s, g);
        return;
    }
    check_records(s, g);
}

/* Checks a port's memory: writes the record and reads it, or reads the line. */
static void start_joining(HbsState *s, unsigned g, unsigned port)
{
    HbsGroup *group = &s->group[g];

    group->checks = 1;
    if (!uses_member_records(group)) {
        read_for(s, HBS_READ_CHECK, g, port,
             hbs_port_word(s, port, g, HBSR_MEMORY_ARRIVAL + HBSR_LINE_WORD),
             HBS_ANYTHING);
    } else if (hbs_record_write_member(s, g, port, false)) {
        group->shown = hbs_group_word(group);
        read_for(s, HBS_READ_CHECK, g, port,
             hbs_port_word(s, port, g,
                           HBSR_MEMORY_DEPARTURE + HBSR_RECORD_WORD),
             group->shown);
    } else {
        group->failed = true;
        finish(s, g);
    }
}

/* Reads the line, for the member may have arrived since the last round. */
static void start_leaving(HbsState *s, unsigned g, unsigned port)
{
    if (!hbs_poll_wanted(s, g) ||
        !hbs_group_may_arrive(&s->group[g], port)) {
        finish(s, g);
        return;
    }
    read_for(s, HBS_READ_LAST_WORD, g, port,
         hbs_port_word(s, port, g, HBSR_MEMORY_ARRIVAL + HBSR_LINE_WORD),
         HBS_ANYTHING);
}

static void start(HbsState *s, unsigned g)
{
    HbsGroup *group = &s->group[g];

    group->failed = false;
    switch (group->operation) {
    case HBS_ENABLING:
        start_enabling(s, g);
        break;
    case HBS_JOINING:
        start_joining(s, g, group->operand_port);
        break;
    case HBS_LEAVING:
        start_leaving(s, g, group->operand_port);
        break;
    }
}

/* Begins an operation of a group that has none. */
void hbs_operation_begin(HbsState *s, unsigned g, HbsOperation operation,
                         unsigned port)
{
    HbsGroup *group = &s->group[g];

    group->operation = operation;
    group->operand_port = port;
    if (operation == HBS_JOINING && !uses_lines(group) &&
        !uses_member_records(group)) {
        group->failed = false;
        finish(s, g);
    } else if (hbs_running(s)) {
        start(s, g);
    }
}

static void check_answered(HbsState *s, const HbsRead *read)
{
    HbsGroup *group = &s->group[read->group];
    bool right = read->done && (read->expected == HBS_ANYTHING ||
                                read->expected == read->word);

    /* The answer shows memory when the read was sent, just after the write. */
    if (!right) {
        s->dma_errors += read->done;
        group->failed = true;
    }
    if (!--group->checks) {
        finish(s, read->group);
    }
}

static void last_word_answered(HbsState *s, const HbsRead *read)
{
    const HbsGroup *group = &s->group[read->group];
    unsigned g = read->group, port = read->port;

    if (!hbs_poll_wanted(s, g) || !hbs_group_may_arrive(group, port)) {
        finish(s, g);
    } else if (!read->done) {
        hbs_group_line_failed(s, g);
        finish(s, g);
    } else if (!hbs_poll_is_arrival(s, read)) {
        finish(s, g);
    } else if (hbs_reduction(group) != HBSR_REDUCE_NONE) {
        read_for(s, HBS_READ_LAST_OPERAND, g, port,
             hbs_port_word(s, port, g,
                           HBSR_MEMORY_ARRIVAL + HBSR_LINE_OPERAND),
             hbs_group_awaited_word(group));
    } else {
        hbs_group_arrive(s, g, port, 0);
        finish(s, g);
    }
}

static void last_operand_answered(HbsState *s, const HbsRead *read)
{
    hbs_poll_answer(s, read);
    finish(s, read->group);
}

/* Takes the answer to a read of an operation. */
void hbs_operation_answer(HbsState *s, const HbsRead *read)
{
    switch (read->use) {
    case HBS_READ_CHECK:
        check_answered(s, read);
        break;
    case HBS_READ_LAST_WORD:
        last_word_answered(s, read);
        break;
    default:
        last_operand_answered(s, read);
        break;
    }
    hbs_group_update(s, read->group);
}

/* Ends the operation of a group that is disabled, without effect. */
void hbs_operation_cancel(HbsState *s, unsigned g)
{
    s->group[g].operation = HBS_IDLE;
}

/* The port's memory has moved: operations that read it begin anew. */
void hbs_operation_move(HbsState *s, unsigned port)
{
    unsigned g;

    hbs_read_drop(s, HBS_NOBODY, port);
    for (g = 0; g < s->groups; g++) {
        HbsGroup *group = &s->group[g];

        if (hbs_running(s) && group->operand_port == port &&
            (group->operation == HBS_JOINING ||
             group->operation == HBS_LEAVING)) {
            start(s, g);
            hbs_group_update(s, g);
        }
    }
}

/* The card is enabled: operations that stood still begin anew. */
void hbs_operation_resume_all(HbsState *s)
{
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        if (s->group[g].operation != HBS_IDLE) {
            start(s, g);
            hbs_group_update(s, g);
        }
    }
}

bool hbs_operation_busy(const HbsState *s, unsigned g)
{
    return s->group[g].operation != HBS_IDLE || hbs_read_drains(s, g);
}

/* Lets operations begin anew that a newly loaded state has. */
void hbs_operation_run(HbsState *s)
{
    if (s->resuming && hbs_running(s)) {
        hbs_operation_resume_all(s);
    }
    s->resuming = false;
}

static void resume(void *opaque)
{
    HbsState *s = opaque;

    if (s->rtl) {
        hbs_rtl_wake(s);
    } else {
        hbs_operation_run(s);
    }
}

/* Lets operations of a newly loaded state begin anew when the machine runs. */
void hbs_operation_restore(HbsState *s)
{
    unsigned g;

    s->resuming = false;
    timer_del(&s->resume_timer);
    for (g = 0; g < s->groups; g++) {
        s->resuming |= s->group[g].operation != HBS_IDLE && hbs_running(s);
    }
    if (s->resuming) {
        timer_mod(&s->resume_timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    }
}

void hbs_operation_init(HbsState *s)
{
    timer_init_ns(&s->resume_timer, QEMU_CLOCK_VIRTUAL, resume, s);
}

void hbs_operation_exit(HbsState *s)
{
    timer_del(&s->resume_timer);
}
