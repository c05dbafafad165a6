/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: the verilated RTL as C sees it. hbs-model.cpp is the other
 * side; it knows nothing of QEMU, nor does this file.
 */
#ifndef HBS_MODEL_H
#define HBS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HbsModel HbsModel;

/* The ports of hbs_card, by their names there; TX_KIND is what leaves */
enum { HBS_TX_WORD, HBS_TX_RECORD, HBS_TX_MESSAGE, HBS_TX_ANSWER };

typedef struct HbsPins {
    /* to the card */
    bool rst_ni;
    uint64_t now;
    bool msix_enable;
    bool req_valid;
    bool req_write;
    bool req_lane;                  /* BAR 2 */
    uint32_t req_addr;              /* in bytes; the card takes no bits 2:0 */
    uint8_t req_be;
    uint64_t req_data;
    uint8_t req_tag;
    bool tx_ready;
    bool tx_refused;
    bool rd_ready;
    bool ans_valid;
    bool ans_error;
    uint8_t ans_tag;
    uint64_t ans_data;
    /* from the card */
    bool req_ready;
    bool tx_valid;
    uint8_t tx_kind;
    uint64_t tx_addr;
    uint64_t tx_data[2];            /* the lower half first */
    uint8_t tx_tag;
    bool rd_valid;
    uint64_t rd_addr;
    uint8_t rd_tag;
    bool ready;
    bool idle;
} HbsPins;

/* Tags that the card was built with */
#define HBS_CARD_READS  8           /* of reads of the card */
#define HBS_CARD_TAGS   32          /* of reads of host memory */

/*
 * The card's state, by name: what hbs_cosim.sv can read and set while the card
 * is idle. INDEX is the group, or the port; ELEMENT says which one of several.
 */
typedef enum HbsField {
    HBS_FIELD_CTRL,                 /* of the card */
    HBS_FIELD_TAG,
    HBS_FIELD_POLL,
    HBS_FIELD_NEXT_ROUND,           /* 0: no round goes on */
    HBS_FIELD_CAUSE,
    HBS_FIELD_ENABLE,
    HBS_FIELD_CAUSE_GROUPS,
    HBS_FIELD_CAUSE_TIMEOUTS,
    HBS_FIELD_VIOLATIONS,
    HBS_FIELD_BAD_ACCESSES,
    HBS_FIELD_DMA_ERRORS,
    HBS_FIELD_INTERRUPTS,
    HBS_FIELD_VIOLATION_LAST,
    HBS_FIELD_FOREIGN_READS,
    HBS_FIELD_MESSAGES,             /* a bit for each vector that is due */
    HBS_FIELD_PORT_ADDR,            /* of a port */
    HBS_FIELD_GROUP_CTRL,           /* of a group */
    HBS_FIELD_STATUS,
    HBS_FIELD_EPOCH,
    HBS_FIELD_VACANT,
    HBS_FIELD_VECTOR,
    HBS_FIELD_RECORDS,
    HBS_FIELD_COUNT,
    HBS_FIELD_ARRIVED,
    HBS_FIELD_OPERATION,
    HBS_FIELD_OPERAND_PORT,
    HBS_FIELD_DUE,
    HBS_FIELD_TIMEOUT,
    HBS_FIELD_DEADLINE,             /* 0: the timer does not run */
    HBS_FIELD_SUM,
    HBS_FIELD_RESULT,
    HBS_FIELD_BALANCE,
    HBS_FIELD_RECORD_ADDR,
    HBS_FIELD_P,
    HBS_FIELD_S,
    HBS_FIELD_MISSING,
    HBS_FIELD_V,
    HBS_FIELD_OPERAND,
    HBS_FIELD_COMPLETIONS,
    HBS_FIELD_ARRIVALS,
    HBS_FIELD_DEPARTURE_READS,
    HBS_FIELD_RECORD_WRITES,
    HBS_FIELD_NON_MEMBER,
    HBS_FIELD_DOUBLE,
    HBS_FIELD_REFUSED,
    HBS_FIELD_GROUP_INTERRUPTS,
    HBS_FIELD_LINE_READS,
    HBS_FIELD_WITHDRAWALS,
    HBS_FIELD_UNARRIVED,
    HBS_FIELD_READBACKS,
} HbsField;

/* NULL if no card of this size or with these features can be had */
HbsModel *hbs_model_new(unsigned ports, unsigned groups, uint64_t features);
void hbs_model_free(HbsModel *model);

/* Gives the card its inputs, and lets the outputs follow. */
void hbs_model_settle(HbsModel *model, HbsPins *pins);
/* A rising edge of the clock */
void hbs_model_edge(HbsModel *model);

/* When a timer of a group is due next, by now_i; 0: never */
uint64_t hbs_model_next_timer(HbsModel *model);
/* Lets the operation of a group begin anew that a state has which was set. */
void hbs_model_start(HbsModel *model, unsigned group);
uint64_t hbs_model_get(HbsModel *model, HbsField field, unsigned index,
                       unsigned element);
void hbs_model_set(HbsModel *model, HbsField field, unsigned index,
                   unsigned element, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif /* HBS_MODEL_H */
