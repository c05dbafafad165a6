// SPDX-License-Identifier: GPL-2.0-or-later
/* Concurrency Kit's ring for one producer and one consumer; one of its slots stays empty */
#include <stdlib.h>

#include <ck_ring.h>

#include "traffic.h"

struct line {
	uint64_t word[LINE / sizeof(uint64_t)];
};

CK_RING_PROTOTYPE(line, line)

static struct {
	_Alignas(2 * LINE) ck_ring_t ring;
	struct line *lines;
} queues[2]; /* to each side */

static void ck_unmake(void)
{
	free(queues[0].lines);
	free(queues[1].lines);
	queues[0].lines = NULL;
	queues[1].lines = NULL;
}

static bool ck_make(uint32_t depth)
{
	for (int i = 0; i < 2; i++) {
		ck_ring_init(&queues[i].ring, depth);
		queues[i].lines = aligned_alloc(LINE, depth * sizeof(struct line));
		if (!queues[i].lines) {
			ck_unmake();
			return false;
		}
	}
	return true;
}

INLINE bool try_put(unsigned int side, uint64_t first)
{
	struct line line;

	for (int i = 0; i < WORDS; i++)
		line.word[i] = first + i;
	line.word[WORDS] = 0;
	return ck_ring_enqueue_spsc_line(&queues[!side].ring, queues[!side].lines, &line);
}

INLINE bool try_get(unsigned int side, uint64_t *sum)
{
	struct line line;

	if (!ck_ring_dequeue_spsc_line(&queues[side].ring, queues[side].lines, &line))
		return false;
	for (int i = 0; i < WORDS; i++)
		*sum += line.word[i];
	return true;
}

static bool ck_pour(unsigned int side, uint64_t count)
{
	return pour(try_put, try_get, side, count);
}

static bool ck_bounce(unsigned int side, uint64_t count)
{
	return bounce(try_put, try_get, side, count);
}

const struct contender contender_ck = {
	.name = "ck_ring",
	.make = ck_make,
	.unmake = ck_unmake,
	.pour = ck_pour,
	.bounce = ck_bounce,
};
