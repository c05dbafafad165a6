/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one simulation is told */
#ifndef TDSIM_CONFIG_H
#define TDSIM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#define SIDE_MAX    64
#define THREADS_MAX 1024

/* The paper's clock: 240 MHz */
#define CYCLES_A_SECOND 240e6

enum protocol { THREE_PHASE, SOFTWARE, HBS, PROTOCOLS };
enum master { CORNER, CENTRE, MASTERS };

/* In which order a star's master sends its tokens */
enum send_order { FAR_FIRST, ROW_BY_ROW, SEND_ORDERS };

/* Planted faults. A simulation has one of them, or none. */
enum fault {
	FAULT_NONE,
	FAULT_NO_COLOUR,    /* the master ignores colours */
	FAULT_NO_WHITENING, /* a machine stays black for ever */
	FAULT_TWO_SAMPLES,  /* the count is of the token's coming, the rest of its going */
	FAULT_NO_FREEZE,    /* three phases: released threads send at once */
	FAULT_NO_WITHDRAW,  /* hbs: a thread takes a message without a word to its card */
	FAULT_NO_READBACK,  /* hbs: a thread does not wait for its withdraw to reach the card */
	FAULT_NO_STAMP,	    /* hbs: a thread takes a message of any epoch */
	FAULTS
};

extern const char *const protocol_names[PROTOCOLS];
extern const char *const master_names[MASTERS];
extern const char *const send_order_names[SEND_ORDERS];
extern const char *const fault_names[FAULTS];

/**
 * struct config - one simulation; times are in cycles
 * @width, @height: the mesh of boards
 * @threads: of each board
 * @hop: how long a message takes from board to board
 * @gap: how long a message keeps a link busy
 * @local: how long a message between two threads of one board takes
 * @handling: how long a thread works on each message of the software protocol
 * @port: hbs: from a thread to its card, and from the card to the thread
 * @late: hbs: either may take up to that much longer, one time of four
 * @epochs: synchronisations
 * @messages: that the threads of a board begin an epoch with, on average
 * @work: a thread works up to so long before it sends, and as long again before it waits
 * @quiet: all threads wait from the start, for ever
 */
struct config {
	unsigned int width;
	unsigned int height;
	unsigned int threads;
	unsigned int hop;
	unsigned int gap;
	unsigned int local;
	unsigned int handling;
	unsigned int port;
	unsigned int late;
	unsigned int epochs;
	double messages;
	unsigned int work;
	uint64_t seed;
	enum protocol protocol;
	enum master master;
	enum send_order order;
	enum fault fault;
	bool quiet;
};

/* Whether the fault is one of this protocol */
bool fault_applies(enum fault fault, enum protocol protocol);

#endif /* TDSIM_CONFIG_H */
