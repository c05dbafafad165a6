/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: two models side by side. The RTL takes an access first, and
 * acts on the world. Then the C model takes it; its acts must be the RTL's, and
 * so must its answer. QEMU ends at the first disagreement.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "hbs-rtl.h"

static const char *const kinds[] = {
    [HBS_TX_WORD] = "write", [HBS_TX_RECORD] = "record",
    [HBS_TX_MESSAGE] = "message", [HBS_DEED_READ] = "read",
};

static HbsDeed *deed(HbsState *s, unsigned i)
{
    return &g_array_index(s->rtl->deeds, HbsDeed, i);
}

static void print_taken(const HbsTaken *taken)
{
    if (!taken->size) {
        error_printf("  %12" PRId64 " ns: time went by\n", taken->now);
    } else {
        error_printf("  %12" PRId64 " ns: %s of %u bytes, BAR %u offset 0x%"
                     PRIx64 ", 0x%" PRIx64 "\n", taken->now,
                     taken->write ? "write" : "read", taken->size, taken->bar,
                     taken->addr, taken->value);
    }
}

static void G_NORETURN end(HbsState *s)
{
    HbsRtl *r = s->rtl;
    unsigned i, first;

    first = r->taken_count > HBS_TAKEN ? r->taken_count - HBS_TAKEN : 0;
    error_printf("hbs: the latest accesses:\n");
    for (i = first; i < r->taken_count; i++) {
        print_taken(&r->taken[i % HBS_TAKEN]);
    }
    error_printf("hbs: what the RTL did in the last step:\n");
    for (i = 0; i < r->deeds->len; i++) {
        HbsDeed *d = deed(s, i);

        error_printf("  %s 0x%" PRIx64 " 0x%" PRIx64 "%s%s\n", kinds[d->kind],
                     d->addr, d->word, d->done ? "" : ", which failed",
                     d->matched ? ", and so did the C model" : "");
    }
    abort();
}

/* A step of both models begins: an access; if SPACE is NULL, time goes by. */
void hbs_both_begin(HbsState *s, const HbsSpace *space, hwaddr addr,
                    uint64_t value, unsigned size, bool write)
{
    HbsRtl *r = s->rtl;
    HbsTaken taken = {
        .now = s->now, .addr = addr, .value = value, .size = size,
        .bar = space ? space->bar : 0, .write = write,
    };

    if (s->model != HBS_MODEL_BOTH) {
        return;
    }
    g_array_set_size(r->deeds, 0);
    /* These concern all groups, which have no order among each other. */
    r->any_order = !space || (space->bar == HBSR_BAR_REGISTERS &&
                              (addr < HBSR_GRP_BASE || addr >= HBSR_PRT_BASE));
    if (space) {
        r->taken[r->taken_count++ % HBS_TAKEN] = taken;
    }
}

/* Notes what the RTL did. */
void hbs_both_deed(HbsState *s, unsigned kind, uint64_t addr, uint64_t word,
                   bool done)
{
    const HbsDeed d = {
        .kind = kind, .addr = addr, .word = word, .done = done,
    };

    if (s->model == HBS_MODEL_BOTH) {
        g_array_append_val(s->rtl->deeds, d);
    }
}

/*
 * Finds what the RTL did at the same place of the step, NULL if it did not.
 * Messages have an order of their own.
 */
static HbsDeed *find(HbsState *s, unsigned kind, uint64_t addr, uint64_t word)
{
    unsigned i;

    for (i = 0; i < s->rtl->deeds->len; i++) {
        HbsDeed *d = deed(s, i);

        if (d->matched || d->kind == HBS_TX_MESSAGE) {
            continue;
        }
        if (d->kind == kind && d->addr == addr &&
            (kind == HBS_DEED_READ || d->word == word)) {
            d->matched = true;
            return d;
        }
        if (!s->rtl->any_order) {
            return NULL;
        }
    }
    return NULL;
}

static void G_NORETURN end_without(HbsState *s, unsigned kind, uint64_t addr,
                                   uint64_t word)
{
    error_report("hbs: the C model, and not the RTL: %s 0x%" PRIx64 " 0x%"
                 PRIx64, kinds[kind], addr, word);
    end(s);
}

/*
 * If the last arrival of a member that leaves completes the epoch, the member
 * may have left before its record is written. Then the RTL does not write it,
 * and the word does not count.
 */
static bool is_left_out(HbsState *s, uint64_t addr)
{
    unsigned g;

    for (g = 0; g < s->groups; g++) {
        HbsGroup *group = &s->group[g];

        if (group->operation == HBS_LEAVING &&
            addr - hbs_port_word(s, group->operand_port, g,
                                 HBSR_MEMORY_DEPARTURE) < HBSR_RECORD_STRIDE) {
            group->record_writes--;
            return true;
        }
    }
    return false;
}

bool hbs_both_write(HbsState *s, uint64_t addr, uint64_t word)
{
    HbsDeed *d = find(s, HBS_TX_WORD, addr, word);

    if (!d && is_left_out(s, addr)) {
        return true;
    }
    if (!d) {
        end_without(s, HBS_TX_WORD, addr, word);
    }
    return d->done;
}

bool hbs_both_read(HbsState *s, uint64_t addr, uint64_t *word)
{
    const HbsDeed *d = find(s, HBS_DEED_READ, addr, 0);

    if (!d) {
        end_without(s, HBS_DEED_READ, addr, 0);
    }
    *word = d->word;
    return d->done;
}

/*
 * A message of the C model: the RTL must send one for the vector after all that
 * was written before. It may share one that the C model has sent as well; then
 * this one does not count.
 */
bool hbs_both_message(HbsState *s, unsigned vector)
{
    HbsDeed *first = NULL;
    bool comes = false;
    unsigned i;

    for (i = 0; i < s->rtl->deeds->len; i++) {
        HbsDeed *d = deed(s, i);

        if (d->kind == HBS_TX_WORD && d->matched) {
            comes = false;
        } else if (d->kind == HBS_TX_MESSAGE && d->addr == vector) {
            comes = true;
            first = d->matched || first ? first : d;
        }
    }
    if (!comes) {
        end_without(s, HBS_TX_MESSAGE, vector, 0);
    }
    if (first) {
        first->matched = true;
    }
    return first;
}

/* Whether the step began with a read of the RTL */
bool hbs_both_reads_first(HbsState *s)
{
    return s->rtl->deeds->len && deed(s, 0)->kind == HBS_DEED_READ;
}

void hbs_both_compare(HbsState *s, const char *what, uint64_t rtl, uint64_t c)
{
    if (rtl != c) {
        error_report("hbs: %s: the RTL has 0x%" PRIx64 ", the C model 0x%"
                     PRIx64, what, rtl, c);
        end(s);
    }
}

/*
 * When an answer ends a round for the group, the RTL may have other reads on
 * their way already. The C model takes their answers as well.
 */
static void follow_read(HbsState *s, HbsDeed *d)
{
    HbsRead read = {
        .use = HBS_READ_WORD, .addr = d->addr, .word = d->word, .done = d->done,
    };
    uint64_t size = s->groups * HBSR_MEMORY_STRIDE, offset;

    d->matched = true;
    for (read.port = 0; read.port < s->ports; read.port++) {
        offset = d->addr - s->port_addr[read.port];
        if (s->port_addr[read.port] && offset < size) {
            read.group = offset / HBSR_MEMORY_STRIDE;
            read.expected = hbs_group_awaited_word(&s->group[read.group]);
            if (offset % HBSR_MEMORY_STRIDE != HBSR_MEMORY_ARRIVAL) {
                read.use = HBS_READ_OPERAND;
            }
            hbs_read_answer(s, &read);
            return;
        }
    }
}

/*
 * Rounds begin at the same times. Otherwise one model would now and then read
 * what the other has read before, which follow_read() would take for the same.
 */
static void compare_rounds(HbsState *s)
{
    hbs_both_compare(s, "time of the next round",
                     hbs_model_get(s->rtl->model, HBS_FIELD_NEXT_ROUND, 0, 0),
                     s->next_round);
}

/* The step is over: the C model has done all that the RTL did. */
void hbs_both_end(HbsState *s)
{
    unsigned i;

    if (s->model != HBS_MODEL_BOTH) {
        return;
    }
    for (i = 0; i < s->rtl->deeds->len; i++) {
        HbsDeed *d = deed(s, i);

        if (!d->matched && d->kind == HBS_DEED_READ && s->rtl->any_order) {
            follow_read(s, d);
        }
    }
    for (i = 0; i < s->rtl->deeds->len; i++) {
        const HbsDeed *d = deed(s, i);

        if (!d->matched) {
            error_report("hbs: the RTL, and not the C model: %s 0x%" PRIx64
                         " 0x%" PRIx64, kinds[d->kind], d->addr, d->word);
            end(s);
        }
    }
    compare_rounds(s);
    g_array_set_size(s->rtl->deeds, 0);
}

void hbs_both_init(HbsState *s)
{
    s->rtl->deeds = g_array_new(false, false, sizeof(HbsDeed));
}

void hbs_both_exit(HbsState *s)
{
    g_array_free(s->rtl->deeds, true);
}
