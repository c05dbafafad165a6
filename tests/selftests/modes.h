/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The variants of a fixture: each way to complete, with each way to arrive and each
 * way to depart.
 */
#ifndef HBS_MODES_H
#define HBS_MODES_H

#include <linux/hbs.h>

#define EPOCH_MASK (~(HBS_WORD_EPOCH_ONE - 1))

#define MODE(fixture, c, a, d)                       \
	FIXTURE_VARIANT_ADD(fixture, c##_##a##_##d){ \
		.completion = HBS_COMPLETION_##c,    \
		.arrival = HBS_ARRIVAL_##a,          \
		.departure = HBS_DEPARTURE_##d,      \
	};
#define MODES_TO_DEPART(fixture, c, a) \
	MODE(fixture, c, a, RECORD)    \
	MODE(fixture, c, a, CSR)       \
	MODE(fixture, c, a, PORT)      \
	MODE(fixture, c, a, NODE)
#define MODES(fixture)                          \
	FIXTURE_VARIANT(fixture)                \
	{                                       \
		enum hbs_completion completion; \
		enum hbs_arrival arrival;       \
		enum hbs_departure departure;   \
	};                                      \
	MODES_TO_DEPART(fixture, MASK, STORE)   \
	MODES_TO_DEPART(fixture, MASK, POLL)    \
	MODES_TO_DEPART(fixture, COUNT, STORE)  \
	MODES_TO_DEPART(fixture, COUNT, POLL)

#endif /* HBS_MODES_H */
