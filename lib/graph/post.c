// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages to other threads: several in a slot, written where the receiver reads them */
#include <errno.h>
#include <string.h>

#include "../spin.h"
#include "../ticks.h"
#include "ahead.h"
#include "deliver.h"
#include "graph.h"

/* How many lines of a slot before their turn a sender has them for itself */
#define AHEAD_SLOT 2

/* How often a sender looks for room before it lets others run */
#define LOOKS 64

uint32_t hbsi_graph_capacity(uint32_t payload, uint32_t message)
{
	return (payload - (uint32_t)sizeof(struct batch_header)) /
	       (message + (uint32_t)sizeof(uint32_t));
}

static char *messages_of(struct batch_header *header)
{
	return (char *)(header + 1);
}

/* The number of the last message; those of the messages before it are after it */
static uint32_t *number_of(const struct graph_worker *worker, struct batch_header *header,
			   uint32_t message)
{
	return (uint32_t *)((char *)header + worker->payload) - 1 - message;
}

/* Most messages are a number: a call of memcpy would take longer than the copy */
static inline void copy(char *to, const char *from, uint32_t size)
{
	if (size == sizeof(uint32_t))
		memcpy(to, from, sizeof(uint32_t));
	else if (size == sizeof(uint64_t))
		memcpy(to, from, sizeof(uint64_t));
	else
		memcpy(to, from, size);
}

static int post(struct graph_worker *worker, uint32_t thread)
{
	struct graph_batch *batch = &worker->batches[thread];

	batch->header->count = batch->count;
	batch->header->kind = batch->kind;
	batch->header = NULL;
	batch->count = 0;
	worker->stats.batches++;
	return hbs_message_post(worker->mailbox, thread, worker->payload);
}

int hbsi_graph_flush(struct graph_worker *worker)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < worker->run->graph->threads; i++)
		if (worker->batches[i].count)
			ret = post(worker, i);
	return ret;
}

/*
 * While the queue is full, receive: then a thread that cannot send does not keep others from
 * sending to it.
 */
static int wait_for_room(struct graph_worker *worker, uint32_t thread, void **payload)
{
	uint32_t looks = 0;
	int ret;

	while ((ret = hbs_message_alloc(worker->mailbox, thread, payload)) == -EAGAIN) {
		ret = hbsi_graph_receive(worker);
		if (ret < 0)
			return ret;
		if (graph_run_error(worker->run))
			return graph_run_error(worker->run);
		if (ret)
			looks = 0;
		else if (++looks % LOOKS == 0)
			hbsi_spin_let_others_run();
		else
			ticks_pause();
	}
	return ret;
}

/* Its first lines, and its last ones, which the receiver has had last */
INLINE void own_slot(const struct graph_worker *worker, const char *slot)
{
	for (uint32_t i = 0; i <= AHEAD_SLOT * GRAPH_LINE; i += GRAPH_LINE) {
		ahead_own(slot + i);
		ahead_own(slot + worker->payload - 1 - i);
	}
}

static int begin(struct graph_worker *worker, uint32_t thread, enum batch_kind kind)
{
	struct graph_batch *batch = &worker->batches[thread];
	void *payload;
	int ret = wait_for_room(worker, thread, &payload);

	if (ret)
		return ret;
	own_slot(worker, payload);
	batch->header = payload;
	batch->kind = kind;
	return 0;
}

/* Whether the message is part of an earlier one now, which has not been sent yet */
static bool combine(struct graph_worker *worker, struct graph_batch *batch, uint32_t slice,
		    const void *message)
{
	uint16_t *last = &batch->last[slice % BATCH_LAST];
	uint32_t at = *last;

	*last = (uint16_t)batch->count;
	if (at >= batch->count || *number_of(worker, batch->header, at) != slice)
		return false;
	*last = (uint16_t)at;
	worker->type.combine(messages_of(batch->header) + (size_t)at * worker->type.message,
			     message);
	return true;
}

int hbsi_graph_append(struct graph_worker *worker, uint32_t thread, enum batch_kind kind,
		      uint32_t number, const void *message)
{
	struct graph_batch *batch = &worker->batches[thread];
	uint32_t size = worker->type.message;
	uint32_t *its_number;
	char *its_place;
	int ret = 0;

	if (batch->count && batch->kind != kind)
		ret = post(worker, thread);
	if (!ret && !batch->header)
		ret = begin(worker, thread, kind);
	if (ret)
		return ret;
	if (batch->last && kind == BATCH_EDGES && combine(worker, batch, number, message))
		return 0;
	its_place = messages_of(batch->header) + (size_t)batch->count * size;
	its_number = number_of(worker, batch->header, batch->count);
	ahead_own(its_place + (size_t)AHEAD_SLOT * GRAPH_LINE);
	ahead_own((char *)its_number - (size_t)AHEAD_SLOT * GRAPH_LINE);
	copy(its_place, message, size);
	*its_number = number;
	worker->stats.copies++;
	return ++batch->count == worker->capacity ? post(worker, thread) : 0;
}

/*
 * Find the slices of the next messages, and fetch what these need, and where the slices of those after them are,
 * unless they lie in a row
 */
static void look_ahead(const struct graph_worker *worker, struct batch_header *header,
		       uint32_t message, struct graph_slices *slices)
{
	const struct graph_part *part = worker->part;
	uint32_t rest = header->count - message, count = rest < GRAPH_CHUNK ? rest : GRAPH_CHUNK;
	const uint32_t *number = number_of(worker, header, message);
	bool in_a_row = number[1 - (int)count] - *number == count - 1;

	for (uint32_t i = 0; !in_a_row && i < count; i++)
		ahead_load(ahead_place(part, *(number - i)));
	slices->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = graph_slice(part, *(number - i));
		uint32_t end = graph_slice(part, *(number - i) + 1);

		graph_slices_add(slices, first, end);
		if (!in_a_row)
			ahead_edges(part, first, end);
	}
	for (uint32_t i = count; !in_a_row && i < rest && i < count + GRAPH_CHUNK; i++)
		ahead_fetch(ahead_place(part, *(number - i)));
}

/* The lines of a slot come together from the sender's cache, not one after the other */
INLINE void fetch_batch(const struct graph_worker *worker, struct batch_header *header)
{
	size_t messages = (size_t)header->count * worker->type.message;
	size_t numbers = header->count * sizeof(uint32_t);

	for (size_t i = 0; i < numbers; i += GRAPH_LINE)
		ahead_fetch((char *)number_of(worker, header, 0) - i);
	for (size_t i = 0; i < messages; i += GRAPH_LINE)
		ahead_fetch(messages_of(header) + i);
	ahead_fetch(messages_of(header) + messages - 1);
}

static int open_batch(struct graph_worker *worker, struct batch_header *header)
{
	const char *messages = messages_of(header);
	struct graph_slices slices;
	int ret = 0;

	fetch_batch(worker, header);
	for (uint32_t i = 0; !ret && i < header->count; i += GRAPH_CHUNK) {
		look_ahead(worker, header, i, &slices);
		ret = hbsi_graph_deliver(worker, &slices,
					 messages + (size_t)i * worker->type.message);
	}
	return ret;
}

static int open_mail(struct graph_worker *worker, struct batch_header *header)
{
	const char *message = messages_of(header);
	int ret = 0;

	for (uint32_t i = 0; !ret && i < header->count; i++) {
		ret = hbsi_graph_tell_host(worker, *number_of(worker, header, i), message);
		message += worker->type.message;
	}
	return ret;
}

int hbsi_graph_receive(struct graph_worker *worker)
{
	struct hbs_message slot;
	int slots = 0, ret;

	if (worker->run->graph->threads == 1)
		return 0;
	while (!(ret = hbs_message_recv(worker->mailbox, &slot))) {
		struct batch_header *header = slot.data;

		ret = header->kind == BATCH_EDGES ? open_batch(worker, header)
						  : open_mail(worker, header);
		hbs_message_free(worker->mailbox, &slot);
		if (ret)
			return ret;
		slots++;
	}
	return ret == -EAGAIN ? slots : ret;
}
