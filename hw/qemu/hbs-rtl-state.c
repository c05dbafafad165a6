/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: the state of the RTL is saved and loaded as that of the C
 * model, so a state that one has saved can be loaded by the other.
 */
#include "qemu/osdep.h"
#include "hbs-rtl.h"

/* Moves a value from the RTL, or to it. */
typedef void Mover(HbsModel *model, HbsField field, unsigned index,
                   unsigned element, uint64_t *value);

static void get(HbsModel *model, HbsField field, unsigned index,
                unsigned element, uint64_t *value)
{
    *value = hbs_model_get(model, field, index, element);
}

static void set(HbsModel *model, HbsField field, unsigned index,
                unsigned element, uint64_t *value)
{
    hbs_model_set(model, field, index, element, *value);
}

typedef struct HbsMember {
    HbsField field;
    size_t offset;
    size_t size;
    size_t count;
} HbsMember;

#define MEMBER(type, field, name) \
    { field, offsetof(type, name), sizeof_field(type, name), 1 }
#define ARRAY(type, field, name) \
    { field, offsetof(type, name), sizeof_field(type, name[0]), \
      sizeof_field(type, name) / sizeof_field(type, name[0]) }

static const HbsMember of_card[] = {
    MEMBER(HbsState, HBS_FIELD_CTRL, ctrl),
    MEMBER(HbsState, HBS_FIELD_TAG, tag),
    MEMBER(HbsState, HBS_FIELD_POLL, poll),
    MEMBER(HbsState, HBS_FIELD_NEXT_ROUND, next_round),
    MEMBER(HbsState, HBS_FIELD_CAUSE, cause),
    MEMBER(HbsState, HBS_FIELD_ENABLE, enable),
    ARRAY(HbsState, HBS_FIELD_CAUSE_GROUPS, cause_groups),
    ARRAY(HbsState, HBS_FIELD_CAUSE_TIMEOUTS, cause_timeouts),
    MEMBER(HbsState, HBS_FIELD_VIOLATIONS, violations),
    MEMBER(HbsState, HBS_FIELD_BAD_ACCESSES, bad_accesses),
    MEMBER(HbsState, HBS_FIELD_DMA_ERRORS, dma_errors),
    MEMBER(HbsState, HBS_FIELD_INTERRUPTS, interrupts),
    MEMBER(HbsState, HBS_FIELD_VIOLATION_LAST, violation_last),
    MEMBER(HbsState, HBS_FIELD_FOREIGN_READS, foreign_reads),
    MEMBER(HbsState, HBS_FIELD_MESSAGES, due_messages),
};

static const HbsMember of_group[] = {
    MEMBER(HbsGroup, HBS_FIELD_GROUP_CTRL, ctrl),
    MEMBER(HbsGroup, HBS_FIELD_STATUS, status),
    MEMBER(HbsGroup, HBS_FIELD_EPOCH, epoch),
    MEMBER(HbsGroup, HBS_FIELD_VACANT, vacant),
    MEMBER(HbsGroup, HBS_FIELD_VECTOR, vector),
    MEMBER(HbsGroup, HBS_FIELD_RECORDS, records),
    MEMBER(HbsGroup, HBS_FIELD_COUNT, count),
    MEMBER(HbsGroup, HBS_FIELD_ARRIVED, arrived),
    MEMBER(HbsGroup, HBS_FIELD_OPERATION, operation),
    MEMBER(HbsGroup, HBS_FIELD_OPERAND_PORT, operand_port),
    MEMBER(HbsGroup, HBS_FIELD_DUE, due),
    MEMBER(HbsGroup, HBS_FIELD_TIMEOUT, timeout),
    MEMBER(HbsGroup, HBS_FIELD_DEADLINE, deadline),
    MEMBER(HbsGroup, HBS_FIELD_SUM, sum),
    MEMBER(HbsGroup, HBS_FIELD_RESULT, result),
    MEMBER(HbsGroup, HBS_FIELD_BALANCE, balance),
    ARRAY(HbsGroup, HBS_FIELD_RECORD_ADDR, record_addr),
    MEMBER(HbsGroup, HBS_FIELD_COMPLETIONS, completions),
    MEMBER(HbsGroup, HBS_FIELD_ARRIVALS, arrivals),
    MEMBER(HbsGroup, HBS_FIELD_DEPARTURE_READS, departure_reads),
    MEMBER(HbsGroup, HBS_FIELD_RECORD_WRITES, record_writes),
    MEMBER(HbsGroup, HBS_FIELD_NON_MEMBER, non_member),
    MEMBER(HbsGroup, HBS_FIELD_DOUBLE, double_arrivals),
    MEMBER(HbsGroup, HBS_FIELD_REFUSED, refused),
    MEMBER(HbsGroup, HBS_FIELD_GROUP_INTERRUPTS, interrupts),
    MEMBER(HbsGroup, HBS_FIELD_LINE_READS, line_reads),
    MEMBER(HbsGroup, HBS_FIELD_WITHDRAWALS, withdrawals),
    MEMBER(HbsGroup, HBS_FIELD_UNARRIVED, unarrived),
    MEMBER(HbsGroup, HBS_FIELD_READBACKS, readbacks),
};

/* Words of masks: all of them, for the RTL looks at those without ports too */
static const HbsMember of_words[] = {
    ARRAY(HbsGroup, HBS_FIELD_P, p),
    ARRAY(HbsGroup, HBS_FIELD_S, s),
    ARRAY(HbsGroup, HBS_FIELD_MISSING, missing),
    ARRAY(HbsGroup, HBS_FIELD_V, v),
};

static void move_member(HbsModel *model, Mover *move, const HbsMember *member,
                        void *object, unsigned index)
{
    size_t i;

    for (i = 0; i < member->count; i++) {
        char *at = (char *)object + member->offset + i * member->size;
        uint64_t value;

        if (member->size == sizeof(uint32_t)) {
            value = *(uint32_t *)at;
            move(model, member->field, index, i, &value);
            *(uint32_t *)at = value;
        } else {
            move(model, member->field, index, i, (uint64_t *)at);
        }
    }
}

static void move_group(HbsState *s, Mover *move, unsigned g)
{
    HbsModel *model = s->rtl->model;
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(of_group); i++) {
        move_member(model, move, &of_group[i], &s->group[g], g);
    }
    for (i = 0; i < ARRAY_SIZE(of_words); i++) {
        move_member(model, move, &of_words[i], &s->group[g], g);
    }
    for (i = 0; i < s->ports; i++) {
        move(model, HBS_FIELD_OPERAND, g, i, &s->group[g].operand[i]);
    }
}

static void move_all(HbsState *s, Mover *move)
{
    HbsModel *model = s->rtl->model;
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(of_card); i++) {
        move_member(model, move, &of_card[i], s, 0);
    }
    for (i = 0; i < s->ports; i++) {
        move(model, HBS_FIELD_PORT_ADDR, i, 0, &s->port_addr[i]);
    }
    for (i = 0; i < s->groups; i++) {
        move_group(s, move, i);
    }
}

/*
 * The RTL's state becomes that of the C model, which is saved. Reads in flight
 * are lost: who loads the state sends them anew.
 */
void hbs_rtl_save(HbsState *s)
{
    unsigned i;

    if (s->model != HBS_MODEL_RTL) {
        return;
    }
    move_all(s, get);
    for (i = 0; i < s->groups; i++) {
        /* as the C model has it where no port is concerned */
        if (s->group[i].operation == HBS_ENABLING) {
            s->group[i].operand_port = HBS_NOBODY;
        }
    }
}

/* The RTL goes on from the state that was loaded, when the machine runs. */
void hbs_rtl_load(HbsState *s)
{
    s->now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    hbs_rtl_power_on(s);
    move_all(s, set);
    s->rtl->loaded = true;
    timer_mod(&s->rtl->wake_timer, s->now);
}
