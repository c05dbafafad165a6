// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "oracle.h"

/* The first error counts; others may come of it */
static void wrong(struct oracle *oracle, const char *error)
{
	if (!oracle->error)
		oracle->error = error;
}

void oracle_start(struct oracle *oracle, uint64_t threads)
{
	*oracle = (struct oracle){ .threads = threads, .released = threads };
}

void oracle_sent(struct oracle *oracle)
{
	oracle->in_flight++;
}

void oracle_received(struct oracle *oracle, uint32_t epoch, uint32_t sent)
{
	oracle->in_flight--;
	if (epoch != sent)
		wrong(oracle, "a thread received a message of another epoch");
}

void oracle_idle(struct oracle *oracle, uint64_t now)
{
	oracle->idle++;
	/* one that was not released yet waits for the epoch before */
	if (oracle->idle < oracle->threads || oracle->in_flight ||
	    oracle->released < oracle->threads)
		return;
	oracle->terminated = true;
	oracle->terminated_at = now;
}

void oracle_active(struct oracle *oracle)
{
	oracle->idle--;
}

void oracle_detected(struct oracle *oracle, uint64_t now)
{
	if (oracle->in_flight)
		wrong(oracle, "too early: a message is in flight");
	else if (!oracle->terminated)
		wrong(oracle, "too early: a thread does not wait");
	oracle->terminated = false;
	oracle->epoch++;
	oracle->detected_at = now;
	oracle->since = oracle->terminated_at;
	oracle->detection += now - oracle->since;
	oracle->released = 0;
	oracle->may_send = 0;
}

void oracle_released(struct oracle *oracle, uint32_t epoch, bool idle, uint64_t now)
{
	if (!idle || epoch + 1 != oracle->epoch)
		wrong(oracle, "a thread was released that did not wait for it");
	oracle->idle--;
	oracle->released++;
	if (oracle->released == oracle->threads)
		oracle->release += now - oracle->since;
}

void oracle_may_send(struct oracle *oracle, uint64_t count, uint64_t now)
{
	oracle->may_send += count;
	if (oracle->may_send < oracle->threads)
		return;
	oracle->synchronisation += now - oracle->since;
	oracle->finished++;
}

void oracle_time(struct oracle *oracle, uint64_t now, uint64_t limit)
{
	if (oracle->terminated && now - oracle->terminated_at > limit)
		wrong(oracle, "missed: all threads wait, and no message is in flight");
	if (oracle->finished < oracle->epoch && now - oracle->detected_at > limit)
		wrong(oracle, "missed: a thread may not send, long after the detection");
}
