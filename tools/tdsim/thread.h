/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads: they work, send, and wait; a message wakes them */
#ifndef TDSIM_THREAD_H
#define TDSIM_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct simulation;

enum thread_state { THREAD_IDLE, THREAD_WORKING, THREAD_FROZEN, THREAD_WITHDRAWING };

/**
 * struct thread - a thread
 * @epoch: releases that it has seen
 * @to_send: messages, when it has worked
 * @inbox: messages that it has not received, of even and of odd epochs
 * @delta: hbs: sent less received since the last idle store
 * @received: hbs: whether it has received since then
 * @arrived: hbs: what the card knows
 */
struct thread {
	enum thread_state state;
	uint32_t epoch;
	uint32_t to_send;
	uint32_t inbox[2];
	int32_t delta;
	bool received;
	bool arrived;
};

/* An epoch begins for the thread: the first, or the next one after a release */
void thread_begin(struct simulation *sim, uint32_t thread);
void thread_departure(struct simulation *sim, uint32_t thread);

void thread_worked(struct simulation *sim, uint32_t thread);
void thread_message(struct simulation *sim, uint32_t thread, uint32_t epoch);
void thread_read_back(struct simulation *sim, uint32_t thread);
void thread_may_send(struct simulation *sim, uint32_t thread);

#endif /* TDSIM_THREAD_H */
