/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: its RTL, verilated, behind the card's PCI function. An
 * access becomes a request; the RTL is clocked until it has nothing left to do,
 * so QEMU sees each access as one step. What leaves the RTL becomes DMA and
 * messages. Between accesses the RTL stands still, but its time is QEMU's
 * virtual clock: a timer wakes it when one of its own is due.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "hw/pci/msix.h"
#include "hbs-rtl.h"
#include "trace-hbs.h"

/* Cycles without a handshake after which the RTL hangs: no walk is as long. */
#define HANGS           (1 << 22)

/* Cycles after which a card whose writes are held has done all that it can */
#define HELD            (1 << 12)

/* Cycles in which the RTL, which looks at all groups, finds each timer due */
#define SCAN            (2 * HBS_MAX_GROUPS + 64)

/* Times in the past at which the RTL does what was due then */
#define CATCH_UP        4

/*
 * The RTL tells by 33 bits whether a round is due, and remembers that it was.
 * So it is clocked at least this often while rounds go on, in ns, even if QEMU
 * was stopped for long and the virtual clock leaps.
 */
#define LEAP            (1LL << 31)

/*
 * A read is sent only when the answer to the one before has had its effect. So
 * the order of reads, and what they find, do not depend on cycles.
 */
#define PAUSE           32

static bool is_held(const HbsState *s)
{
    return s->write_ns && !s->rtl->flushing &&
           s->rtl->pins.tx_kind != HBS_TX_ANSWER;
}

/* With the property x-lost-breaks the word of a break counts as written. */
static bool is_lost(const HbsState *s, uint64_t addr, uint64_t word)
{
    return s->lost_breaks && (word & HBSR_WORD_BROKEN) &&
           addr % HBSR_RECORD_STRIDE == HBSR_RECORD_WORD;
}

static bool send_word(HbsState *s, uint64_t addr, uint64_t word)
{
    bool done = is_lost(s, addr, word) || hbs_dma_send(s, addr, word);

    if (s->model == HBS_MODEL_BOTH) {
        hbs_both_deed(s, HBS_TX_WORD, addr, word, done);
    } else {
        trace_hbs_record_write(HBS_NOBODY, addr, word, done);
    }
    return done;
}

static void send_message(HbsState *s, unsigned vector)
{
    PCIDevice *pci = PCI_DEVICE(s);

    if (s->model == HBS_MODEL_RTL) {
        trace_hbs_interrupt(vector);
    }
    if (msix_enabled(pci)) {
        hbs_both_deed(s, HBS_TX_MESSAGE, vector, 0, true);
        msix_notify(pci, vector);
    }
}

/* Takes what the RTL offers; returns false if it knows that it was not sent. */
static bool take(HbsState *s)
{
    HbsRtl *r = s->rtl;
    const HbsPins *pins = &r->pins;

    switch (pins->tx_kind) {
    case HBS_TX_WORD:
        return send_word(s, pins->tx_addr, pins->tx_data[0]);
    case HBS_TX_RECORD:
        return send_word(s, pins->tx_addr + HBSR_RECORD_RESULT,
                         pins->tx_data[1]) &&
               send_word(s, pins->tx_addr + HBSR_RECORD_WORD, pins->tx_data[0]);
    case HBS_TX_MESSAGE:
        send_message(s, pins->tx_data[0]);
        return true;
    default:
        r->answered = true;
        r->answer = pins->tx_data[0];
        return true;
    }
}

static void send_read(HbsState *s)
{
    HbsRtl *r = s->rtl;
    HbsRtlRead *read = g_new0(HbsRtlRead, 1);

    if (r->tags >> r->pins.rd_tag & 1) {
        error_report("hbs: the RTL uses tag %u twice", r->pins.rd_tag);
        abort();
    }
    r->tags |= 1u << r->pins.rd_tag;
    read->tag = r->pins.rd_tag;
    read->done = hbs_dma_fetch(s, r->pins.rd_addr, &read->word);
    read->answer_at = s->read_ns ? s->now + s->read_ns : 0;
    hbs_both_deed(s, HBS_DEED_READ, r->pins.rd_addr, read->word, read->done);
    QSIMPLEQ_INSERT_TAIL(&r->reads, read, entry);
    r->pause = s->read_ns ? 0 : PAUSE;
}

/* Gives the RTL the next answer that is there. */
static void offer_answer(HbsState *s)
{
    HbsRtl *r = s->rtl;
    HbsRtlRead *read = QSIMPLEQ_FIRST(&r->reads);

    r->pins.ans_valid = read && read->answer_at <= s->now;
    if (r->pins.ans_valid) {
        r->pins.ans_error = !read->done;
        r->pins.ans_tag = read->tag;
        r->pins.ans_data = read->done ? read->word : 0;
        r->tags &= ~(1u << read->tag);
        QSIMPLEQ_REMOVE_HEAD(&r->reads, entry);
        g_free(read);
    }
}

/* Takes what the RTL offers in this cycle, as far as the card lets it. */
static bool shake_hands(HbsState *s)
{
    HbsRtl *r = s->rtl;
    HbsPins *pins = &r->pins;

    if (pins->tx_valid && is_held(s) && !r->leave_at) {
        r->leave_at = s->now + s->write_ns;
    }
    if (pins->tx_valid && !is_held(s)) {
        pins->tx_refused = !take(s);
        pins->tx_ready = true;
    }
    if (pins->rd_valid && !r->pause) {
        send_read(s);
        pins->rd_ready = true;
    } else if (r->pause && !pins->tx_valid) {
        r->pause--;
    }
    return pins->tx_ready || pins->rd_ready;
}

static void cycle(HbsState *s)
{
    HbsRtl *r = s->rtl;
    HbsPins *pins = &r->pins;
    bool was_ready = pins->ready, moved;

    pins->now = s->now;
    pins->msix_enable = msix_enabled(PCI_DEVICE(s));
    pins->tx_ready = pins->tx_refused = pins->rd_ready = false;
    offer_answer(s);
    hbs_model_settle(r->model, pins);
    moved = shake_hands(s);
    if (moved) {
        hbs_model_settle(r->model, pins);
    }
    moved |= pins->ans_valid;
    if (pins->req_valid && pins->req_ready) {
        moved = true;
        hbs_model_edge(r->model);
        pins->req_valid = false;
    } else {
        hbs_model_edge(r->model);
    }
    if (was_ready && !pins->ready && s->model == HBS_MODEL_RTL) {
        s->ready_at = s->reset_ns ? s->now + s->reset_ns : 0;
    }
    r->quiet = moved ? 0 : r->quiet + 1;
}

/* Whether the RTL does nothing more unless something comes from outside */
static bool is_done(const HbsState *s)
{
    const HbsRtl *r = s->rtl;
    const HbsPins *pins = &r->pins;
    const HbsRtlRead *read = QSIMPLEQ_FIRST(&r->reads);

    /* The pins are those from before the latest edge of the clock. */
    if (!r->quiet || pins->req_valid || (read && read->answer_at <= s->now)) {
        return false;
    }
    if (pins->tx_valid && is_held(s)) {
        return r->quiet > HELD;
    }
    /* A reset waits for reads from before it. */
    return pins->idle && !pins->rd_valid && !pins->tx_valid && !r->pause &&
           (pins->ready || read);
}

/* Clocks the RTL for LEAST cycles, and on until it has nothing left to do. */
static void run(HbsState *s, unsigned least)
{
    HbsRtl *r = s->rtl;
    unsigned i;

    r->busy = true;
    r->quiet = 0;
    for (i = 0; i < least || !is_done(s); i++) {
        cycle(s);
        if (r->quiet > HANGS) {
            error_report("hbs: the RTL hangs: request %d of BAR %d at 0x%x, "
                         "tx %d, rd %d, ready %d, idle %d",
                         r->pins.req_valid, r->pins.req_lane ? 2 : 0,
                         r->pins.req_addr, r->pins.tx_valid, r->pins.rd_valid,
                         r->pins.ready, r->pins.idle);
            abort();
        }
    }
    r->busy = false;
    r->flushing = false;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return !a || (b && b < a) ? b : a;
}

/* When a timer of a group or a round is due next, 0: never */
static int64_t next_event(const HbsState *s)
{
    HbsModel *model = s->rtl->model;

    return earlier(hbs_model_next_timer(model),
                   hbs_model_get(model, HBS_FIELD_NEXT_ROUND, 0, 0));
}

static bool has_rounds(const HbsState *s)
{
    return hbs_model_get(s->rtl->model, HBS_FIELD_NEXT_ROUND, 0, 0) != 0;
}

static bool is_due(int64_t at, int64_t now)
{
    return at && at <= now;
}

static bool answer_is_due(const HbsState *s)
{
    const HbsRtlRead *read = QSIMPLEQ_FIRST(&s->rtl->reads);

    return read && read->answer_at <= s->now;
}

/*
 * Lets the C model do what time alone makes it do. If a timer and a round are
 * due at once, that comes first which came first for the RTL.
 */
static void follow_time(HbsState *s)
{
    hbs_egress_flush(s);
    hbs_operation_run(s);
    if (hbs_both_reads_first(s)) {
        hbs_poll_run(s);
    }
    hbs_timer_run(s);
    hbs_poll_run(s);
}

/* Goes on from a state that was loaded: with what is due, and operations. */
static void resume(HbsState *s)
{
    unsigned g;

    s->rtl->loaded = false;
    s->rtl->flushing = true;
    run(s, SCAN);
    for (g = 0; g < s->groups; g++) {
        if (hbs_model_get(s->rtl->model, HBS_FIELD_OPERATION, g, 0)) {
            hbs_model_start(s->rtl->model, g);
            run(s, SCAN);
        }
    }
}

/* Does what is due by now. */
static void advance(HbsState *s)
{
    HbsRtl *r = s->rtl;

    hbs_both_begin(s, NULL, 0, 0, 0, false);
    if (r->loaded) {
        resume(s);
    }
    if (is_due(r->leave_at, s->now)) {
        r->leave_at = 0;
        r->flushing = true;
        run(s, 1);
    }
    if (is_due(hbs_model_next_timer(r->model), s->now)) {
        run(s, SCAN);
    } else if (is_due(next_event(s), s->now)) {
        run(s, 2);
    }
    if (answer_is_due(s)) {
        run(s, 1);
    }
    if (s->model == HBS_MODEL_BOTH) {
        follow_time(s);
    }
    hbs_both_end(s);
}

/* Brings the card to UNTIL; no timer is due before. */
static void pass(HbsState *s, int64_t until)
{
    while (has_rounds(s) && until - s->now > LEAP) {
        s->now += LEAP;
        advance(s);
    }
    s->now = until;
    advance(s);
}

/*
 * Timers that are due by NOW expire each at its own time, and rounds that are
 * due before them begin before: if both began at once, the timer would break
 * the group somewhere in its round, where the C model does one after the other.
 */
static void expire_timers(HbsState *s, int64_t now)
{
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        int64_t next = hbs_model_next_timer(s->rtl->model);

        if (!is_due(next, now)) {
            break;
        }
        if (next - 1 > s->now) {
            pass(s, next - 1);
        }
        pass(s, MAX(next, s->now));
    }
}

/*
 * Brings the card to the present, by way of the times at which something was
 * due; but if QEMU is too late, not all of them, for rounds can be many.
 */
static void catch_up(HbsState *s)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    unsigned i;

    for (i = 0; i < CATCH_UP; i++) {
        int64_t next = next_event(s);

        if (next <= s->now || next >= now) {
            break;
        }
        s->now = next;
        advance(s);
    }
    expire_timers(s, now);
    pass(s, now);
}

/* Sets the timer to when the RTL has to be clocked again. */
static void set_timer(HbsState *s)
{
    HbsRtl *r = s->rtl;
    const HbsRtlRead *read = QSIMPLEQ_FIRST(&r->reads);
    int64_t next = earlier(next_event(s), r->leave_at);

    if (read) {
        /* What is due and was not done waits for an answer. */
        next = earlier(next > s->now ? next : 0, read->answer_at);
    }
    if (next) {
        timer_mod(&r->wake_timer, next);
    } else {
        timer_del(&r->wake_timer);
    }
}

/* Something may be due. Others get at least half of the time. */
void hbs_rtl_wake(HbsState *s)
{
    HbsRtl *r = s->rtl;
    int64_t start = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), end;

    if (r->busy) {
        return;
    }
    if (start < r->rest_until) {
        timer_mod_anticipate(&r->wake_timer, r->rest_until);
        return;
    }
    catch_up(s);
    set_timer(s);
    end = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    r->rest_until = end > start ? end + (end - start) : 0;
}

static void wake(void *opaque)
{
    hbs_rtl_wake(opaque);
}

static void request(HbsState *s, const HbsSpace *space, hwaddr addr,
                    uint64_t value, unsigned size, bool write)
{
    HbsRtl *r = s->rtl;
    HbsPins *pins = &r->pins;
    unsigned shift = addr % 8;

    pins->req_valid = true;
    pins->req_write = write;
    pins->req_lane = space->bar == HBSR_BAR_PORTS;
    pins->req_addr = addr - shift;
    pins->req_be = ((1u << size) - 1) << shift;
    pins->req_data = value << (8 * shift);
    pins->req_tag = write ? pins->req_tag :
                            (pins->req_tag + 1) % HBS_CARD_READS;
    r->answered = false;
    /* A read pushes what waits. */
    if (!write) {
        r->flushing = true;
        r->leave_at = 0;
    }
    run(s, 1);
}

/* With the property x-reset-ns the card is not ready though its RTL is. */
static bool is_resetting(const HbsState *s)
{
    return s->now < s->ready_at;
}

static uint64_t answer_of(HbsState *s, const HbsSpace *space, hwaddr addr,
                          unsigned size)
{
    const uint64_t ready = (uint64_t)HBSR_CTL_STATUS_READY <<
                           (8 * (HBSR_CTL_STATUS % 8));
    bool resetting = is_resetting(s);
    uint64_t word;

    if (resetting && (space->bar != HBSR_BAR_REGISTERS ||
                      addr >= HBSR_INT_CAUSE)) {
        return 0;
    }
    request(s, space, addr, 0, size, false);
    if (!s->rtl->answered) {
        error_report("hbs: the RTL answers no read of BAR %u at 0x%"
                     HWADDR_PRIx, space->bar, addr);
        abort();
    }
    word = s->rtl->answer;
    if (resetting && addr / 8 == HBSR_CTL_STATUS / 8) {
        word &= ~ready;
    }
    word >>= 8 * (addr % 8);
    return size < 8 ? word & ((1ULL << (8 * size)) - 1) : word;
}

uint64_t hbs_rtl_read(HbsState *s, const HbsSpace *space, hwaddr addr,
                      unsigned size)
{
    uint64_t value;

    /* What the card does to the world reads nothing of the card. */
    if (s->rtl->busy) {
        return 0;
    }
    catch_up(s);
    hbs_both_begin(s, space, addr, 0, size, false);
    value = answer_of(s, space, addr, size);
    if (s->model == HBS_MODEL_BOTH) {
        hbs_both_compare(s, "answer", value, space->read(s, addr, size));
    } else if (space->bar == HBSR_BAR_REGISTERS) {
        trace_hbs_register_read(addr, size, value);
    }
    hbs_both_end(s);
    set_timer(s);
    return value;
}

/* A message of the card has hit the card: it takes that when it is done. */
static void defer(HbsState *s, const HbsSpace *space, hwaddr addr,
                  uint64_t value, unsigned size)
{
    HbsRtlWrite *write = g_new0(HbsRtlWrite, 1);

    write->space = space;
    write->addr = addr;
    write->value = value;
    write->size = size;
    QSIMPLEQ_INSERT_TAIL(&s->rtl->writes, write, entry);
    qemu_bh_schedule(s->rtl->write_bh);
}

void hbs_rtl_write(HbsState *s, const HbsSpace *space, hwaddr addr,
                   uint64_t value, unsigned size)
{
    if (s->rtl->busy) {
        defer(s, space, addr, value, size);
        return;
    }
    catch_up(s);
    hbs_both_begin(s, space, addr, value, size, true);
    if (s->model == HBS_MODEL_RTL && space->bar == HBSR_BAR_REGISTERS) {
        trace_hbs_register_write(addr, size, value);
    }
    if (!is_resetting(s)) {
        request(s, space, addr, value, size, true);
    }
    if (s->model == HBS_MODEL_BOTH) {
        space->write(s, addr, value, size);
    }
    hbs_both_end(s);
    set_timer(s);
}

static void write_deferred(void *opaque)
{
    HbsState *s = opaque;
    HbsRtlWrite *write = QSIMPLEQ_FIRST(&s->rtl->writes);

    if (s->rtl->reset_due) {
        s->rtl->reset_due = false;
        hbs_stop(s);
    }
    if (write) {
        QSIMPLEQ_REMOVE_HEAD(&s->rtl->writes, entry);
        hbs_rtl_write(s, write->space, write->addr, write->value, write->size);
        g_free(write);
    }
    if (!QSIMPLEQ_EMPTY(&s->rtl->writes)) {
        qemu_bh_schedule(s->rtl->write_bh);
    }
}

static void forget_reads(HbsRtl *r)
{
    HbsRtlRead *read;

    while ((read = QSIMPLEQ_FIRST(&r->reads))) {
        QSIMPLEQ_REMOVE_HEAD(&r->reads, entry);
        g_free(read);
    }
    r->tags = 0;
}

static void forget_writes(HbsRtl *r)
{
    HbsRtlWrite *write;

    while ((write = QSIMPLEQ_FIRST(&r->writes))) {
        QSIMPLEQ_REMOVE_HEAD(&r->writes, entry);
        g_free(write);
    }
}

/* The reset at power-on; no answer comes to a read from before. */
void hbs_rtl_power_on(HbsState *s)
{
    HbsRtl *r = s->rtl;
    unsigned i;

    forget_reads(r);
    forget_writes(r);
    r->pins = (HbsPins) { 0 };
    r->leave_at = 0;
    r->rest_until = 0;
    r->loaded = false;
    /* What the RTL says until it is reset means nothing. */
    for (i = 0; i < 4; i++) {
        r->pins.rst_ni = i == 0;
        hbs_model_settle(r->model, &r->pins);
        hbs_model_edge(r->model);
    }
    r->pins.rst_ni = true;
    run(s, 1);
}

/*
 * A reset of the function or the bus. While a read is in flight the core is
 * told to reset, for it has to wait for the answer.
 */
void hbs_rtl_reset(HbsState *s)
{
    static const HbsSpace registers = { .bar = HBSR_BAR_REGISTERS };
    HbsRtl *r = s->rtl;

    if (r->busy) {
        r->reset_due = true;
        qemu_bh_schedule(r->write_bh);
        return;
    }
    s->now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    if (r->tags) {
        r->leave_at = 0;
        request(s, &registers, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET, 4, true);
    } else {
        hbs_rtl_power_on(s);
    }
    set_timer(s);
}

/* Properties with which the two models need not agree, or that only one has */
static bool check_properties(const HbsState *s, Error **errp)
{
    if (s->spurious) {
        error_setg(errp, "hbs: x-spurious is of x-model=c alone");
        return false;
    }
    if (s->model == HBS_MODEL_BOTH &&
        (s->read_ns || s->write_ns || s->lost_breaks)) {
        error_setg(errp, "hbs: with x-read-ns, x-write-ns or x-lost-breaks "
                   "two models need not agree: x-model=both is impossible");
        return false;
    }
    return true;
}

bool hbs_rtl_init(HbsState *s, Error **errp)
{
    HbsRtl *r;

    if (s->model == HBS_MODEL_C) {
        return true;
    }
    if (!check_properties(s, errp)) {
        return false;
    }
    r = g_new0(HbsRtl, 1);
    r->model = hbs_model_new(s->ports, s->groups, s->features);
    QSIMPLEQ_INIT(&r->reads);
    QSIMPLEQ_INIT(&r->writes);
    timer_init_ns(&r->wake_timer, QEMU_CLOCK_VIRTUAL, wake, s);
    r->write_bh = qemu_bh_new(write_deferred, s);
    s->rtl = r;
    hbs_both_init(s);
    hbs_rtl_power_on(s);
    return true;
}

void hbs_rtl_exit(HbsState *s)
{
    HbsRtl *r = s->rtl;

    if (!r) {
        return;
    }
    timer_del(&r->wake_timer);
    qemu_bh_delete(r->write_bh);
    forget_reads(r);
    forget_writes(r);
    hbs_both_exit(s);
    hbs_model_free(r->model);
    g_free(r);
    s->rtl = NULL;
}
