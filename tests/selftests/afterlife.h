/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must hold after a card was reset, removed or lost: its users are told, and
 * it works again for others. All functions print what is wrong, and return how much
 * that is.
 */
#ifndef HBS_AFTERLIFE_H
#define HBS_AFTERLIFE_H

#include <pthread.h>

#include "hbs_test.h"

/* The card works, from the open on; waits a little for it */
int card_works(void);

/* Everything that a user has of a card that is gone gives @error, and nothing else does */
int possessions_dead(int card, struct crowd *crowd, const struct port *spare, int error);

/* Two threads in the middle of a barrier loop */
struct runner {
	struct member member;
	struct port port;
	bool asleep; /* sleeps at each barrier instead of spinning */
	unsigned long epochs;
	int result;
	pthread_t thread;
};

struct runners {
	struct group group;
	struct runner runner[2];
};

/* Starts them: bit i of @asleep says that runner i sleeps */
int runners_start(int card, unsigned int asleep, struct runners *runners);
/* Waits until each has done @epochs more of them, for at most 30 s */
int runners_progress(struct runners *runners, unsigned long epochs);
/* Both end with @error within 10 s */
int runners_end(struct runners *runners, int error);

#endif /* HBS_AFTERLIFE_H */
