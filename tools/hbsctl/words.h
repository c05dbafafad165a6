/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words for the values of hbs_netlink.h and hbs.h, as the specification has them */
#ifndef HBSCTL_WORDS_H
#define HBSCTL_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* By value, or by bit; NULL for a value that has no word */
struct words {
	const char *const *list;
	size_t count;
};

extern const struct words words_card_state, words_block, words_group_state, words_violation,
	words_feature, words_type, words_reason, words_reduce, words_policy, words_completion,
	words_arrival, words_departure;

/* Room for a word, or for a number that has none */
#define WORD_SIZE 24

/* The word for @value, or its number, in @room */
const char *words_of(const struct words *words, uint64_t value, char room[WORD_SIZE]);

/* The words of all bits in @bits, a comma between; "-" for none. Return: @text. */
const char *words_of_bits(const struct words *words, uint64_t bits, char *text, size_t size);

#endif /* HBSCTL_WORDS_H */
