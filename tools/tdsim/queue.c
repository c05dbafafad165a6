// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "memory.h"
#include "queue.h"

static bool before(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void queue_add(struct queue *queue, const struct event *event)
{
	struct event new = *event;
	size_t at = queue->count++;

	if (queue->count > queue->room) {
		queue->room = queue->room ? 2 * queue->room : 1024;
		queue->heap = memory_more(queue->heap, queue->room, sizeof(*queue->heap));
	}
	new.order = queue->added++;
	while (at && before(&new, &queue->heap[(at - 1) / 2])) {
		queue->heap[at] = queue->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	queue->heap[at] = new;
}

bool queue_take(struct queue *queue, struct event *event)
{
	struct event last;
	size_t at = 0;

	if (!queue->count)
		return false;
	*event = queue->heap[0];
	last = queue->heap[--queue->count];
	for (size_t child = 1; child < queue->count; child = 2 * at + 1) {
		if (child + 1 < queue->count &&
		    before(&queue->heap[child + 1], &queue->heap[child]))
			child++;
		if (!before(&queue->heap[child], &last))
			break;
		queue->heap[at] = queue->heap[child];
		at = child;
	}
	queue->heap[at] = last;
	return true;
}

void queue_free(struct queue *queue)
{
	free(queue->heap);
	*queue = (struct queue){ 0 };
}
