/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A contender carries messages of a cache line between two threads, which are its sides 0 and 1.
 * A file for each; traffic.h makes its loops, so that no contender has calls that others have not.
 */
#ifndef MSGBENCH_CONTENDER_H
#define MSGBENCH_CONTENDER_H

#include <stdbool.h>
#include <stdint.h>

#define LINE  64
#define WORDS 7 /* of 8 bytes: what a line holds beside a header of as many */

/**
 * struct contender - what carries messages
 * @name: printed
 * @make: make it, empty, with queues of @depth slots; false if that fails
 * @unmake: undo it
 * @pour: send @count messages from side 0 to side 1; called on both sides. Side 1 returns whether
 *        all were right.
 * @bounce: send a message there and back, @count times; called on both sides, and returns as
 *          @pour
 */
struct contender {
	const char *name;
	bool (*make)(uint32_t depth);
	void (*unmake)(void);
	bool (*pour)(unsigned int side, uint64_t count);
	bool (*bounce)(unsigned int side, uint64_t count);
};

extern const struct contender contender_ck, contender_send, contender_post;

#endif /* MSGBENCH_CONTENDER_H */
