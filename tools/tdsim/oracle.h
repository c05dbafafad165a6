/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knows every thread and every message at once, and judges what the protocol makes of them */
#ifndef TDSIM_ORACLE_H
#define TDSIM_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct oracle - the truth, and what was measured against it
 * @threads: all that there are
 * @idle: threads that wait
 * @in_flight: messages that were sent, and that no thread has received
 * @terminated: whether all wait and none is in flight, since @terminated_at
 * @epoch: the number of detections so far
 * @detected_at: when the master found the last termination
 * @since: the termination that was detected
 * @released: threads that the last detection has released; all of them, before the first
 * @may_send: of these, threads that may send again
 * @detection, @release, @synchronisation: sums over all epochs: from the termination to its
 *	detection, to the last release, and until the last thread may send again
 * @finished: epochs that are over for all
 * @error: what the protocol did wrong, or NULL
 */
struct oracle {
	uint64_t threads;
	uint64_t idle;
	uint64_t in_flight;
	bool terminated;
	uint64_t terminated_at;
	uint32_t epoch;
	uint64_t detected_at;
	uint64_t since;
	uint64_t released;
	uint64_t may_send;
	uint64_t detection;
	uint64_t release;
	uint64_t synchronisation;
	uint32_t finished;
	const char *error;
};

void oracle_start(struct oracle *oracle, uint64_t threads);

void oracle_sent(struct oracle *oracle);

/* A thread that is in @epoch receives a message that was sent in @sent */
void oracle_received(struct oracle *oracle, uint32_t epoch, uint32_t sent);

void oracle_idle(struct oracle *oracle, uint64_t now);
void oracle_active(struct oracle *oracle);

/* The master says that all wait and that no message is in flight */
void oracle_detected(struct oracle *oracle, uint64_t now);

/* A thread that was in @epoch is released from its wait; @idle: whether it did wait */
void oracle_released(struct oracle *oracle, uint32_t epoch, bool idle, uint64_t now);

/* @count more threads may send again */
void oracle_may_send(struct oracle *oracle, uint64_t count, uint64_t now);

/* The time: a termination must not wait for its detection, nor a thread for its release, longer */
void oracle_time(struct oracle *oracle, uint64_t now, uint64_t limit);

#endif /* TDSIM_ORACLE_H */
