/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: reads of host memory that are not answered yet. No access
 * to the card ever waits for them: the answer is a step of its own. By default
 * it comes at once; with the property x-read-ns it is late, and shows memory as
 * it was when the read was sent.
 */
#include "qemu/osdep.h"
#include "qemu/queue.h"
#include "hbs.h"
#include "trace-hbs.h"

/* Passes the answer on to the code that asked, unless the read was dropped. */
void hbs_read_answer(HbsState *s, const HbsRead *read)
{
    if (read->dropped) {
        trace_hbs_read_dropped(read->port, read->group, read->addr);
        return;
    }
    if (!read->done) {
        s->dma_errors++;
    }
    switch (read->use) {
    case HBS_READ_WORD:
    case HBS_READ_OPERAND:
        hbs_poll_answer(s, read);
        break;
    case HBS_READ_CHECK:
    case HBS_READ_LAST_WORD:
    case HBS_READ_LAST_OPERAND:
        hbs_operation_answer(s, read);
        break;
    }
}

static void answer_due(void *opaque)
{
    HbsState *s = opaque;
    int64_t now = hbs_now(s);
    HbsRead *read;

    while ((read = QSIMPLEQ_FIRST(&s->reads)) && read->answer_at <= now) {
        QSIMPLEQ_REMOVE_HEAD(&s->reads, entry);
        hbs_read_answer(s, read);
        g_free(read);
    }
    if (read) {
        timer_mod(&s->read_timer, read->answer_at);
    }
}

/* Sends a read of the word at READ's address, for READ's use. */
void hbs_read_send(HbsState *s, const HbsRead *read)
{
    HbsRead sent = *read, *late;

    sent.done = sent.addr != HBS_NO_ADDRESS &&
                hbs_dma_read(s, sent.addr, &sent.word);
    if (!s->read_ns) {
        hbs_read_answer(s, &sent);
        return;
    }
    late = g_new(HbsRead, 1);
    *late = sent;
    late->answer_at = hbs_now(s) + s->read_ns;
    if (QSIMPLEQ_EMPTY(&s->reads)) {
        timer_mod(&s->read_timer, late->answer_at);
    }
    QSIMPLEQ_INSERT_TAIL(&s->reads, late, entry);
}

/*
 * Drops the answers to reads for this group and this port; HBS_NOBODY stands
 * for all groups, or all ports.
 */
void hbs_read_drop(HbsState *s, unsigned group, unsigned port)
{
    HbsRead *read;

    QSIMPLEQ_FOREACH(read, &s->reads, entry) {
        if ((group == HBS_NOBODY || read->group == group) &&
            (port == HBS_NOBODY || read->port == port)) {
            read->dropped = true;
        }
    }
}

bool hbs_read_in_flight(const HbsState *s)
{
    return !QSIMPLEQ_EMPTY(&s->reads);
}

/* Whether a read for the group that was dropped is not answered yet. */
bool hbs_read_drains(const HbsState *s, unsigned group)
{
    HbsRead *read;

    QSIMPLEQ_FOREACH(read, &s->reads, entry) {
        if (read->group == group && read->dropped) {
            return true;
        }
    }
    return false;
}

/* When the last read of a round will be answered; 0: none is in flight. */
int64_t hbs_read_round_end(const HbsState *s)
{
    HbsRead *read;
    int64_t end = 0;

    QSIMPLEQ_FOREACH(read, &s->reads, entry) {
        if (!read->dropped &&
            (read->use == HBS_READ_WORD || read->use == HBS_READ_OPERAND)) {
            end = read->answer_at;
        }
    }
    return end;
}

/* Forgets all reads: a newly loaded state has none, and sends them anew. */
void hbs_read_forget(HbsState *s)
{
    HbsRead *read;

    while ((read = QSIMPLEQ_FIRST(&s->reads))) {
        QSIMPLEQ_REMOVE_HEAD(&s->reads, entry);
        g_free(read);
    }
    timer_del(&s->read_timer);
}

void hbs_read_init(HbsState *s)
{
    QSIMPLEQ_INIT(&s->reads);
    timer_init_ns(&s->read_timer, QEMU_CLOCK_VIRTUAL, answer_due, s);
}

void hbs_read_exit(HbsState *s)
{
    hbs_read_forget(s);
}
