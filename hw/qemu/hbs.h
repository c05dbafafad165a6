/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: state of the device, and functions that its files share.
 *
 * Everything runs under QEMU's big lock, so an access is atomic with respect to
 * all others, as the specification demands.
 */
#ifndef HBS_H
#define HBS_H

#include "qemu/queue.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "compat.h"
#include "hbs_list.h"
#include "hbs_regs.h"

#define TYPE_HBS "hbs"
OBJECT_DECLARE_SIMPLE_TYPE(HbsState, HBS)

#define HBS_MAX_PORTS       1024
#define HBS_MAX_GROUPS      128
#define HBS_MASK_WORDS      (HBS_MAX_PORTS / 64)
#define HBS_VECTORS         HBSR_ID_VECTORS_DEFAULT
#define HBS_TIMEOUT_LIMIT   (1ULL << 48)
#define HBS_COUNT_MAX       0xffff  /* of GRP_COUNT */
#define HBS_POLL_MIN        1000    /* of CTL_POLL, in ns */
#define HBS_POLL_MAX        (1 << 30)
#define HBS_NOBODY          0xffff  /* no port, or no group, in a violation */
#define HBS_BALANCE_BITS    48      /* of a refutable group, with the sign */

/* A field of a value of GRP_CTRL */
#define HBS_MODE(ctrl, name) \
    (((ctrl) & HBSR_GRP_CTRL_ ## name) >> HBSR_GRP_CTRL_ ## name ## _SHIFT)

/* All features that the card can have */
#define HBS_FEATURES (HBSR_FEATURE_MSIX | HBSR_FEATURE_RECORD | \
                      HBSR_FEATURE_CSR_DEPARTURE | HBSR_FEATURE_VIOLATION | \
                      HBSR_FEATURE_TIMEOUT | HBSR_FEATURE_REDUCE | \
                      HBSR_FEATURE_REFUTABLE | HBSR_FEATURE_COUNTING | \
                      HBSR_FEATURE_POLL_ARRIVAL | HBSR_FEATURE_PORT_RECORD)

typedef struct HbsTimer HbsTimer;
typedef struct HbsRtl HbsRtl;

/* What is behind the card's PCI function */
typedef enum HbsModelKind {
    HBS_MODEL_C,                    /* this model */
    HBS_MODEL_RTL,                  /* the card's RTL */
    HBS_MODEL_BOTH,                 /* the RTL; this model must agree with it */
    HBS_MODEL_COUNT,
} HbsModelKind;

/* An operation of a group that takes more than one access */
typedef enum HbsOperation {
    HBS_IDLE, HBS_ENABLING, HBS_JOINING, HBS_LEAVING,
} HbsOperation;

/* Of a group's records: what has changed since they were written */
#define HBS_DUE_WORD        1u
#define HBS_DUE_RESULT      2u

/* The purpose of a read of host memory */
typedef enum HbsReadUse {
    HBS_READ_WORD,                  /* of an arrival line, in a round */
    HBS_READ_OPERAND,
    HBS_READ_CHECK,                 /* is it memory? */
    HBS_READ_LAST_WORD,             /* of the line of a member that leaves */
    HBS_READ_LAST_OPERAND,
} HbsReadUse;

#define HBS_NO_ADDRESS      UINT64_MAX
#define HBS_ANYTHING        UINT64_MAX  /* any word will do: no word is this */

typedef struct HbsRead {
    QSIMPLEQ_ENTRY(HbsRead) entry;
    HbsReadUse use;
    unsigned group;
    unsigned port;                  /* HBS_NOBODY: a record of the group */
    uint64_t addr;
    uint64_t expected;              /* by HBS_READ_CHECK; awaited by others */
    uint64_t word;                  /* the answer */
    bool done;                      /* false: it failed */
    bool dropped;                   /* nobody wants the answer any more */
    int64_t answer_at;
} HbsRead;

typedef struct HbsGroup {
    uint32_t ctrl;
    uint32_t status;
    uint64_t epoch;
    uint32_t vacant;
    uint32_t vector;
    uint32_t records;
    uint32_t members;               /* bits set in p */
    uint32_t count;                 /* of arrivals that complete an epoch */
    uint32_t arrived;               /* arrivals in this epoch */
    uint32_t present;               /* bits set in s */
    uint64_t timeout;               /* in ns, 0 for none */
    int64_t deadline;               /* of the timer, 0: it does not run */
    uint64_t sum;                   /* of the operands of this epoch */
    uint64_t result;                /* of the latest completion */
    int64_t balance;                /* of a refutable group: sent less freed */
    uint64_t record_addr[HBSR_GRP_RECORD_ADDR_COUNT];
    uint32_t operation;             /* HbsOperation */
    uint32_t operand_port;          /* its port */
    uint32_t due;                   /* HBS_DUE_ bits: its records lack these */
    uint32_t checks;                /* reads of the operation in flight */
    bool failed;                    /* one of them failed */
    uint64_t shown;                 /* word in the record of a joining port */
    uint64_t p[HBS_MASK_WORDS];
    uint64_t s[HBS_MASK_WORDS];
    uint64_t missing[HBS_MASK_WORDS];
    uint64_t v[HBS_MASK_WORDS];     /* who has arrived with a vote of true */
    uint64_t operand[HBS_MAX_PORTS]; /* of a refutable group */

    uint64_t completions;
    uint64_t arrivals;
    uint64_t departure_reads;
    uint64_t record_writes;
    uint64_t non_member;
    uint64_t double_arrivals;
    uint64_t refused;
    uint64_t interrupts;
    uint64_t line_reads;
    uint64_t withdrawals;
    uint64_t unarrived;
    uint64_t readbacks;
} HbsGroup;

struct HbsState {
    PCIDevice parent_obj;

    MemoryRegion registers;
    MemoryRegion port_pages;
    MemoryRegion silence[3];        /* over each BAR, if the card fails */

    uint32_t ports;                 /* properties */
    uint32_t groups;
    uint64_t features;
    bool silent_writes;             /* the card knows of no failed write */
    uint64_t read_ns;               /* time of a read of host memory */
    uint64_t write_ns;              /* time until records are written */
    uint64_t gap_ns;                /* time between two words, of the host */
    uint64_t reset_ns;              /* time of a reset */

    int model;                      /* HbsModelKind, property x-model */
    HbsRtl *rtl;                    /* NULL: the card has this model alone */
    int64_t now;                    /* time of what goes on, if there is RTL */

    int fault;                      /* property x-fault */
    bool lost_breaks;               /* no record shows that a group broke */
    bool spurious;                  /* interrupts as soon as it can */
    uint32_t link;                  /* the PCIe link's capabilities */

    int64_t ready_at;               /* when the reset is over */
    bool resetting;                 /* until reads from before are answered */
    uint32_t ctrl;
    uint32_t tag;                   /* the driver's */
    uint32_t poll;                  /* ns from a round of polling to the next */
    uint32_t cause;
    uint32_t enable;
    uint64_t cause_groups[HBSR_INT_GROUPS_COUNT];
    uint64_t cause_timeouts[HBSR_INT_TIMEOUTS_COUNT];

    uint64_t violations;
    uint64_t bad_accesses;
    uint64_t dma_errors;
    uint64_t interrupts;
    uint64_t violation_last;
    uint64_t foreign_reads;

    HbsGroup *group;
    HbsTimer *timer;                /* of each group */
    uint64_t port_addr[HBS_MAX_PORTS];

    uint64_t polling[HBS_MAX_GROUPS / 64];  /* groups whose lines are read */
    int64_t next_round;             /* time of the next round, 0: none polls */
    QEMUTimer round_timer;

    QSIMPLEQ_HEAD(, HbsRead) reads; /* in flight, the oldest first */
    QEMUTimer read_timer;           /* of the first answer */
    QEMUTimer resume_timer;         /* of operations, after loading a state */
    bool resuming;                  /* it is due */

    uint8_t egress[HBS_MAX_GROUPS + HBS_VECTORS];
    unsigned egress_length;
    uint32_t due_messages;          /* of vectors, in a saved state */
    QEMUTimer egress_timer;
};

static inline bool hbs_bit(const uint64_t *mask, unsigned bit)
{
    return mask[bit / 64] >> (bit % 64) & 1;
}

static inline void hbs_set_bit(uint64_t *mask, unsigned bit)
{
    mask[bit / 64] |= 1ULL << (bit % 64);
}

static inline bool hbs_is_refutable(const HbsGroup *group)
{
    return HBS_MODE(group->ctrl, TYPE) == HBSR_TYPE_REFUTABLE;
}

static inline unsigned hbs_reduction(const HbsGroup *group)
{
    return HBS_MODE(group->ctrl, REDUCE);
}

static inline unsigned hbs_policy(const HbsGroup *group)
{
    return HBS_MODE(group->ctrl, POLICY);
}

static inline unsigned hbs_completion(const HbsGroup *group)
{
    return HBS_MODE(group->ctrl, COMPLETION);
}

static inline unsigned hbs_arrival(const HbsGroup *group)
{
    return HBS_MODE(group->ctrl, ARRIVAL);
}

static inline unsigned hbs_departure(const HbsGroup *group)
{
    return HBS_MODE(group->ctrl, DEPARTURE);
}

static inline bool hbs_broken(const HbsGroup *group)
{
    return group->status & HBSR_GRP_STATUS_BROKEN;
}

/* The address of a word of this group in a port's memory */
static inline uint64_t hbs_port_word(const HbsState *s, unsigned port,
                                     unsigned g, unsigned offset)
{
    return s->port_addr[port] ? s->port_addr[port] + g * HBSR_MEMORY_STRIDE +
                                offset : HBS_NO_ADDRESS;
}

static inline bool hbs_running(const HbsState *s)
{
    return s->ctrl & HBSR_CTL_CTRL_ENABLE;
}

/* The time by which the card goes */
static inline int64_t hbs_now(const HbsState *s)
{
    return s->rtl ? s->now : qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* hbs-pci.c */
void hbs_reset(HbsState *s);
void hbs_stop(HbsState *s);
void hbs_mend_link(HbsState *s);
bool hbs_is_ready(const HbsState *s);

/* hbs-access.c */

/* A BAR: what an access of a word, or of a part of it, does there */
typedef struct HbsSpace {
    unsigned bar;
    uint64_t (*read)(HbsState *s, hwaddr addr, unsigned size);
    void (*write)(HbsState *s, hwaddr addr, uint64_t value, unsigned size);
} HbsSpace;

bool hbs_access_is_whole(hwaddr addr, unsigned size);
uint64_t hbs_access_read(HbsState *s, const HbsSpace *space, hwaddr addr,
                         unsigned size);
void hbs_access_write(HbsState *s, const HbsSpace *space, hwaddr addr,
                      uint64_t value, unsigned size);

/* hbs-regs.c */
extern const MemoryRegionOps hbs_register_ops;

/* hbs-ports.c */
extern const MemoryRegionOps hbs_port_ops;

/* hbs-group.c: what the registers and lanes of a group do */
bool hbs_group_control_possible(uint32_t value);
bool hbs_group_drops(HbsState *s, unsigned g, unsigned port);
void hbs_group_drop_double(HbsState *s, unsigned g, unsigned port);
bool hbs_group_may_arrive(const HbsGroup *group, unsigned port);
bool hbs_group_control(HbsState *s, unsigned g, uint32_t value);
bool hbs_group_command(HbsState *s, unsigned g, uint32_t value);
bool hbs_group_arm(HbsState *s, unsigned g, uint32_t epoch);
void hbs_group_store(HbsState *s, unsigned g, unsigned port, uint64_t operand);
void hbs_group_arrive(HbsState *s, unsigned g, unsigned port, uint64_t operand);
void hbs_group_take_back(HbsGroup *group, unsigned port);
bool hbs_group_break(HbsState *s, unsigned g, unsigned reason);
void hbs_group_line_failed(HbsState *s, unsigned g);
void hbs_group_fail_dma(HbsState *s, unsigned g);
void hbs_group_show(HbsState *s, unsigned g);
void hbs_group_join(HbsState *s, unsigned g, unsigned port);
void hbs_group_leave(HbsState *s, unsigned g, unsigned port);
void hbs_group_update(HbsState *s, unsigned g);
void hbs_group_expire(HbsState *s, unsigned g);
uint64_t hbs_group_word(const HbsGroup *group);
uint64_t hbs_group_awaited_word(const HbsGroup *group);

/* hbs-refutable.c */
void hbs_refutable_operand(HbsState *s, unsigned g, unsigned port,
                           uint64_t operand);
void hbs_refutable_idle(HbsState *s, unsigned g, unsigned port, uint64_t word);
void hbs_refutable_withdraw(HbsState *s, unsigned g, unsigned port);
uint64_t hbs_refutable_result(const HbsState *s, unsigned g);
unsigned hbs_refutable_vote(const HbsGroup *group);

/* hbs-dma.c: a word of host memory */
bool hbs_dma_write(HbsState *s, uint64_t addr, uint64_t word);
bool hbs_dma_read(HbsState *s, uint64_t addr, uint64_t *word);
bool hbs_dma_send(HbsState *s, uint64_t addr, uint64_t word);
bool hbs_dma_fetch(HbsState *s, uint64_t addr, uint64_t *word);

/* hbs-read.c: reads of host memory in flight */
void hbs_read_init(HbsState *s);
void hbs_read_exit(HbsState *s);
void hbs_read_send(HbsState *s, const HbsRead *read);
void hbs_read_answer(HbsState *s, const HbsRead *read);
void hbs_read_drop(HbsState *s, unsigned group, unsigned port);
bool hbs_read_in_flight(const HbsState *s);
bool hbs_read_drains(const HbsState *s, unsigned group);
int64_t hbs_read_round_end(const HbsState *s);
void hbs_read_forget(HbsState *s);

/* hbs-operation.c: enabling, JOIN and LEAVE */
void hbs_operation_init(HbsState *s);
void hbs_operation_exit(HbsState *s);
void hbs_operation_begin(HbsState *s, unsigned g, HbsOperation operation,
                         unsigned port);
void hbs_operation_answer(HbsState *s, const HbsRead *read);
void hbs_operation_cancel(HbsState *s, unsigned g);
void hbs_operation_move(HbsState *s, unsigned port);
void hbs_operation_resume_all(HbsState *s);
bool hbs_operation_busy(const HbsState *s, unsigned g);
void hbs_operation_restore(HbsState *s);
void hbs_operation_run(HbsState *s);

/* hbs-egress.c: records and messages, in order */
void hbs_egress_init(HbsState *s);
void hbs_egress_exit(HbsState *s);
void hbs_egress_records(HbsState *s, unsigned g, bool result);
void hbs_egress_message(HbsState *s, unsigned vector);
void hbs_egress_forget(HbsState *s, unsigned g);
void hbs_egress_flush(HbsState *s);
void hbs_egress_reset(HbsState *s);
void hbs_egress_save(HbsState *s);
void hbs_egress_restore(HbsState *s);

/* hbs-record.c: departure records */
bool hbs_record_write_member(HbsState *s, unsigned g, unsigned port,
                             bool result);
bool hbs_record_write_all(HbsState *s, unsigned g, bool result);

/* hbs-poll.c: arrival lines */
void hbs_poll_init(HbsState *s);
void hbs_poll_exit(HbsState *s);
bool hbs_poll_wanted(const HbsState *s, unsigned g);
bool hbs_poll_is_arrival(HbsState *s, const HbsRead *read);
void hbs_poll_answer(HbsState *s, const HbsRead *read);
void hbs_poll_update(HbsState *s, unsigned g);
void hbs_poll_update_all(HbsState *s);
void hbs_poll_restore(HbsState *s);
void hbs_poll_run(HbsState *s);

/* hbs-feature.c */
bool hbs_has_port_memory(const HbsState *s);
uint64_t hbs_reserved_bits(const HbsState *s, uint32_t offset);

/* hbs-reduce.c */
uint64_t hbs_reduce_identity(unsigned reduction);
uint64_t hbs_reduce(unsigned reduction, uint64_t sum, uint64_t operand);
bool hbs_reduce_possible(unsigned reduction, uint64_t sum);

/* hbs-timer.c */
void hbs_timer_init(HbsState *s);
void hbs_timer_exit(HbsState *s);
bool hbs_timer_wanted(const HbsState *s, unsigned g);
void hbs_timer_update(HbsState *s, unsigned g);
void hbs_timer_update_all(HbsState *s);
void hbs_timer_restore(HbsState *s);
void hbs_timer_run(HbsState *s);

/* hbs-event.c: violations and interrupts */
void hbs_violation(HbsState *s, unsigned kind, unsigned port, unsigned group);
void hbs_bad_access(HbsState *s, unsigned port, unsigned group, const char *why,
                    hwaddr addr, unsigned size);
void hbs_set_cause(HbsState *s, uint32_t cause);
void hbs_write_cause_enable(HbsState *s, uint32_t enable);
void hbs_set_running(HbsState *s, bool run);
void hbs_send_message(HbsState *s, unsigned vector);
void hbs_raise_group(HbsState *s, unsigned g);
void hbs_raise_timeout(HbsState *s, unsigned g);

/* hbs-fault.c */
void hbs_fault_add_property(ObjectClass *class);
void hbs_fault_init(HbsState *s);
void hbs_fault_exit(HbsState *s);
bool hbs_is_pulled(const HbsState *s);

/* hbs-rtl.c: the card's RTL, if it was built in; else hbs-rtl-stub.c */
bool hbs_rtl_init(HbsState *s, Error **errp);
void hbs_rtl_exit(HbsState *s);
void hbs_rtl_reset(HbsState *s);
void hbs_rtl_wake(HbsState *s);
uint64_t hbs_rtl_read(HbsState *s, const HbsSpace *space, hwaddr addr,
                      unsigned size);
void hbs_rtl_write(HbsState *s, const HbsSpace *space, hwaddr addr,
                   uint64_t value, unsigned size);
void hbs_rtl_save(HbsState *s);
void hbs_rtl_load(HbsState *s);

/* hbs-both.c: what the RTL did, which this model must do as well */
bool hbs_both_write(HbsState *s, uint64_t addr, uint64_t word);
bool hbs_both_read(HbsState *s, uint64_t addr, uint64_t *word);
bool hbs_both_message(HbsState *s, unsigned vector);

/* hbs-migration.c */
extern const VMStateDescription hbs_vmstate;

#endif /* HBS_H */
