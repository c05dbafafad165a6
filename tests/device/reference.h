/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a card must do, said a second time: a model of its groups that takes the same
 * accesses, and a check that the card's registers agree with it.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "card.h"

/* Sizes of the cards under test; larger ones would only take longer to compare */
#define MOST_PORTS  70
#define MOST_GROUPS 9
#define MASK_WORDS  2

struct reference_group {
	uint32_t ctrl;
	uint32_t status; /* but for EXPIRED, which is the clock's */
	uint64_t epoch;
	uint32_t vacant, count, arrived, records, vector, unused;
	uint64_t timeout;
	uint64_t p[MASK_WORDS], s[MASK_WORDS], v[MASK_WORDS];
	int64_t balance;
	uint64_t result; /* of a refutable group; 0 for others */
	uint64_t completions, arrivals, withdrawals, unarrived, readbacks;
};

/* What a member has stored to OPERAND; no register shows it. */
struct reference_operand {
	bool known;
	uint64_t value;
};

struct reference {
	unsigned int ports, groups;
	bool running;
	bool may_fail; /* DMA can fail, since the guest named an address that is no memory */
	uint32_t tag;  /* CTL_TAG, which only a reset clears */
	uint64_t port_addr[MOST_PORTS];
	uint64_t violations, dma_errors, foreign_reads;
	struct reference_group group[MOST_GROUPS];
	struct reference_operand operand[MOST_GROUPS][MOST_PORTS];
	bool result_unknown[MOST_GROUPS];

	/* over all cards */
	struct reference_totals {
		uint64_t arrivals, completions, violations, withdrawals, refutable;
	} total;
};

/* As after power-on */
void reference_start(struct reference *ref, unsigned int ports, unsigned int groups);

/* Whether the group, which may be any, is refutable */
bool reference_refutable(const struct reference *ref, unsigned int g);
/* Whether the group reads or writes memories of ports */
bool reference_uses_memory(const struct reference *ref, unsigned int g);
/* The word of an arrival line that is an arrival */
uint64_t reference_awaited(const struct reference *ref, unsigned int g);

/* The effect of each access; the functions return how many violations it is. */
unsigned int reference_arrive(struct reference *ref, unsigned int port, unsigned int g,
			      uint64_t datum);
unsigned int reference_operand(struct reference *ref, unsigned int port, unsigned int g,
			       uint64_t datum);
unsigned int reference_withdraw(struct reference *ref, unsigned int port, unsigned int g,
				uint64_t datum);
/* The result of a load of 8 bytes from WITHDRAW */
uint64_t reference_is_idle(struct reference *ref, unsigned int port, unsigned int g);
/* The result of a load of 8 bytes from DEPARTURE; a stranger's load counts */
uint64_t reference_departure(struct reference *ref, unsigned int port, unsigned int g);
/* The card looks at a line that has the awaited word. */
void reference_line(struct reference *ref, unsigned int port, unsigned int g);
unsigned int reference_control(struct reference *ref, unsigned int g, uint32_t value);
unsigned int reference_command(struct reference *ref, unsigned int g, unsigned int op,
			       unsigned int arg);
unsigned int reference_arm(struct reference *ref, unsigned int g, uint32_t epoch);
/* GRP_VACANT, GRP_COUNT, GRP_RECORDS or GRP_VECTOR */
unsigned int reference_set(struct reference *ref, unsigned int g, uint32_t offset, uint32_t value);
unsigned int reference_timeout(struct reference *ref, unsigned int g, uint64_t value);
unsigned int reference_record(struct reference *ref, unsigned int g, uint64_t value);
unsigned int reference_memory(struct reference *ref, unsigned int port, uint64_t value);
void reference_reset(struct reference *ref);
/* Marks the card, so that a reset can be told that nobody has seen */
void reference_mark(struct reference *ref, struct card *card);

/*
 * The card must be in the state that the model has, and have counted so many violations
 * since the last check. The model takes over what it cannot know: failed DMA. If TIME, the
 * clock has run too, and with it rounds of polling: then the arrivals since must add up
 * with the epochs completed. NULL, or what is wrong (to be freed).
 */
char *reference_check(struct reference *ref, struct card *card, unsigned int g,
		      unsigned int violations, bool time);

/*
 * Takes over the card's whole state after accesses that the model has not seen; it must
 * be one that the card can be in. NULL, or what is wrong.
 */
char *reference_adopt(struct reference *ref, struct card *card);

#endif /* REFERENCE_H */
