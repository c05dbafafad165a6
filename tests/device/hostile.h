/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hostile guest: its state, its dice and its operations.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "card.h"
#include "reference.h"
#include "saving.h"

struct guest {
	struct card card;
	struct reference ref;
	struct reference at_save;
	bool saved, saved_master;
	bool master; /* the card is a bus master */
	bool slow;   /* its reads of memory take their time: no model follows */
	uint64_t random;

	/* over all cards */
	uint64_t wild, loads;
};

/* A number below LIMIT, which is not 0 */
static inline uint64_t below(struct guest *guest, uint64_t limit)
{
	guest->random ^= guest->random << 13;
	guest->random ^= guest->random >> 7;
	guest->random ^= guest->random << 17;
	return guest->random * 0x2545f4914f6cdd1d % limit;
}

/* A bus address that somebody hostile would name */
uint64_t hostile_address(struct guest *guest);

/* An operation that the model takes too; what is wrong, or NULL */
char *careful_operation(struct guest *guest);

/* Some that it does not take; then the card is set up again; returns how many */
unsigned int wild_operations(struct guest *guest);
/* BARs, bus mastering and MSI-X as they should be */
void recover(struct guest *guest);

#endif /* HOSTILE_H */
