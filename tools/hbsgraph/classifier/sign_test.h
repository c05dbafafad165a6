/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of two modes is faster, by pairs of runs */
#ifndef HBSGRAPH_SIGN_TEST_H
#define HBSGRAPH_SIGN_TEST_H

#include <stdbool.h>
#include <stdint.h>

/* Pairs of runs, one in each mode after the other, and in how many of them mode sync took longer */
struct pairs {
	uint32_t count;
	uint32_t sync_longer;
};

/**
 * pairs_are_sure() - is one mode ahead, and not by chance?
 * @pairs: of runs
 *
 * Return: whether the same mode is ahead in so many of them that this comes by chance in about one of a hundred cases, also
 * if one looks again after each further pair up to the 45th (a sign test, by simulation): 9 of 9, or 33 of 45.
 */
bool pairs_are_sure(const struct pairs *pairs);

#endif /* HBSGRAPH_SIGN_TEST_H */
