/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is going to happen, in the order of time */
#ifndef TDSIM_QUEUE_H
#define TDSIM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum packet_kind {
	PACKET_DATA,   /* from thread to thread */
	PACKET_TOKEN,  /* from the master's side of a tree */
	PACKET_ANSWER, /* to the master's side */
};

/**
 * struct packet - what links carry
 * @place: where it goes
 * @who: the thread there, or the node of the tree
 * @value: the epoch of data, or what a token asks for
 * @black, @sum: of an answer
 */
struct packet {
	enum packet_kind kind;
	uint32_t place;
	uint32_t who;
	uint32_t value;
	bool black;
	int64_t sum;
};

enum event_kind {
	EVENT_PACKET,	 /* a packet comes to the place @at */
	EVENT_HANDLED,	 /* a thread has handled a packet of its protocol */
	EVENT_SEND,	 /* a thread has made a packet of its protocol, at the place @at */
	EVENT_ROUND,	 /* the master starts the next round */
	EVENT_WORKED,	 /* the thread @at has worked */
	EVENT_IDLE,	 /* an idle store of the thread @at reaches its card */
	EVENT_WITHDRAW,	 /* a withdraw of the thread @at reaches its card */
	EVENT_READ_BACK, /* the thread @at has read its withdraw back */
	EVENT_DEPARTURE, /* the thread @at sees its release */
};

struct event {
	uint64_t time;
	uint64_t order;
	enum event_kind kind;
	uint32_t at;
	struct packet packet;
};

/* Events, those of the same time in the order in which they were added */
struct queue {
	struct event *heap;
	size_t count;
	size_t room;
	uint64_t added;
};

void queue_add(struct queue *queue, const struct event *event);

/* Return: whether there was one */
bool queue_take(struct queue *queue, struct event *event);

void queue_free(struct queue *queue);

#endif /* TDSIM_QUEUE_H */
