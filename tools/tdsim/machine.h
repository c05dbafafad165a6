/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines in the sense of Safra: boards, or threads of the software protocol */
#ifndef TDSIM_MACHINE_H
#define TDSIM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

struct simulation;

/**
 * struct machine - what the protocol knows of some threads
 * @first: of the threads, @count of them
 * @node: the one that samples the machine
 * @active: threads that do not wait
 * @sum: messages sent, less those received
 * @black: a message was received since the last sample
 * @frozen: the threads may not send
 * @last_store: when the last store to a card reaches it; none overtakes another
 */
struct machine {
	uint32_t first;
	uint32_t count;
	uint32_t node;
	uint32_t active;
	int64_t sum;
	bool black;
	bool frozen;
	uint64_t last_store;
};

/* What a thread does, to its machine: at once by wires, or in hbs by stores to the card */
void machine_sent(struct simulation *sim, uint32_t thread);
void machine_received(struct simulation *sim, uint32_t thread);
void machine_idle(struct simulation *sim, uint32_t thread);

/* A waiting thread goes on. Return: whether it may do so at once, and not when it has read back. */
bool machine_active(struct simulation *sim, uint32_t thread);

/* Stores of hbs that reach the card */
void machine_take_idle(struct simulation *sim, uint32_t thread, int64_t sum, bool received);
void machine_take_withdraw(struct simulation *sim, uint32_t thread);

/* The master's words */
void machine_release(struct simulation *sim, uint32_t machine);
void machine_let_send(struct simulation *sim, uint32_t machine);

#endif /* TDSIM_MACHINE_H */
