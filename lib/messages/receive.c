// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>

#include "messages.h"

static int bad(struct hbs_mailbox *mailbox)
{
	mailbox->error = -EBADMSG;
	return -EBADMSG;
}

/*
 * Look at the oldest message of a queue that has one. Return: 1 if it is one of this epoch; 0 if
 * it is one of the next epoch, which stays; or an error.
 */
MESSAGES_FAST int look(struct hbs_mailbox *mailbox, uint32_t from, struct hbs_message *message)
{
	struct message_slot *slot =
		slot_of(&mailbox->layout, mailbox->in[from].slots, mailbox->taken[from]);
	uint32_t epoch = atomic_load_explicit(&slot->epoch, memory_order_relaxed);
	uint32_t size = atomic_load_explicit(&slot->size, memory_order_relaxed);

	if (epoch != mailbox->epoch)
		return epoch == mailbox->epoch + 1 ? 0 : bad(mailbox);
	if (size > mailbox->layout.slot - HBS_MESSAGES_HEADER)
		return bad(mailbox);
	message->data = slot->payload;
	message->size = size;
	message->from = from;
	message->epoch = epoch;
	mailbox->from = from;
	return 1;
}

/* See how many messages a queue has by now. Return: 0 or an error. */
MESSAGES_FAST int see(struct hbs_mailbox *mailbox, uint32_t from)
{
	message_counter *counter = queued_of(&mailbox->layout, mailbox->member, from);
	struct incoming *in = &mailbox->in[from];
	uint16_t queued = atomic_load_explicit(counter, memory_order_acquire);
	uint32_t held = (uint16_t)(mailbox->taken[from] - in->freed);
	uint32_t new = (uint16_t)(queued - mailbox->taken[from]);

	if (held + new > mailbox->layout.depth)
		return bad(mailbox);
	if (new)
		checked_after(&mailbox->layout, CHECKED_MESSAGE, mailbox->member, from);
	in->queued = queued;
	return 0;
}

/* The same as look() for any queue */
MESSAGES_FAST int look_into(struct hbs_mailbox *mailbox, uint32_t from, struct hbs_message *message)
{
	const struct incoming *in = &mailbox->in[from];

	if (mailbox->taken[from] == in->queued) {
		int ret = see(mailbox, from);

		if (ret || mailbox->taken[from] == in->queued)
			return ret;
	}
	return look(mailbox, from, message);
}

/* The next member, from @from on, that may have sent: many at once have not */
static uint32_t next_sender(const struct hbs_mailbox *mailbox, uint32_t from, uint32_t end)
{
	const message_counter *row = queued_of(&mailbox->layout, mailbox->member, 0);
	const uint16_t *taken = mailbox->taken;

	if (from % COUNTERS_AT_ONCE)
		return from;
	while (from < end &&
	       __atomic_load_n((const message_counters *)&row[from], __ATOMIC_RELAXED) ==
		       *(const message_counters *)&taken[from])
		from += COUNTERS_AT_ONCE;
	return from;
}

MESSAGES_SLOW int look_at_some(struct hbs_mailbox *mailbox, uint32_t from, uint32_t end,
			       struct hbs_message *message)
{
	int ret = 0;

	while (!ret && (from = next_sender(mailbox, from, end)) < end)
		ret = look_into(mailbox, from++, message);
	return ret;
}

/* A message of the sender whose turn it is */
MESSAGES_FAST int find_here(struct hbs_mailbox *mailbox, struct hbs_message *message)
{
	if (mailbox->error)
		return mailbox->error;
	return mailbox->in_turn < mailbox->layout.depth ? look_into(mailbox, mailbox->from, message)
							: 0;
}

/* Of the senders after it */
MESSAGES_SLOW int find_elsewhere(struct hbs_mailbox *mailbox, struct hbs_message *message)
{
	uint32_t from = mailbox->from;
	int ret = look_at_some(mailbox, from + 1, mailbox->layout.members, message);

	mailbox->in_turn = 0;
	return ret ? ret : look_at_some(mailbox, 0, from + 1, message);
}

static void take(struct hbs_mailbox *mailbox, uint32_t from)
{
	mailbox->taken[from]++;
	mailbox->in_turn++;
	mailbox->held++;
}

static int can_recv(struct hbs_mailbox *mailbox)
{
	struct hbs_message message;
	int ret = find_here(mailbox, &message);

	return ret ? ret : find_elsewhere(mailbox, &message);
}

int hbsi_mailbox_peek(struct hbs_mailbox *mailbox)
{
	bool rests = mailbox->error == MAILBOX_RESTS;
	int ret;

	if (rests)
		mailbox->error = 0;
	ret = can_recv(mailbox);
	if (rests && !mailbox->error)
		mailbox->error = MAILBOX_RESTS;
	return ret;
}

int hbs_message_can_recv(struct hbs_mailbox *mailbox)
{
	return mailbox ? hbsi_mailbox_peek(mailbox) : -EINVAL;
}

MESSAGES_SLOW int recv_elsewhere(struct hbs_mailbox *mailbox, struct hbs_message *message)
{
	int ret = find_elsewhere(mailbox, message);

	if (ret <= 0)
		return ret ? ret : -EAGAIN;
	take(mailbox, message->from);
	return 0;
}

/* A member that rests goes on doing so if there is nothing for it */
MESSAGES_SLOW int recv_at_rest(struct hbs_mailbox *mailbox, struct hbs_message *message)
{
	int ret = hbsi_mailbox_peek(mailbox);

	if (ret <= 0)
		return ret ? ret : -EAGAIN;
	ret = hbsi_mailbox_stir(mailbox);
	return ret ? ret : hbs_message_recv(mailbox, message);
}

int hbs_message_recv(struct hbs_mailbox *mailbox, struct hbs_message *message)
{
	int ret;

	if (!mailbox || !message)
		return -EINVAL;
	ret = find_here(mailbox, message);
	if (!ret)
		return recv_elsewhere(mailbox, message);
	if (ret < 0)
		return ret == MAILBOX_RESTS ? recv_at_rest(mailbox, message) : ret;
	take(mailbox, mailbox->from);
	return 0;
}

int hbs_message_free(struct hbs_mailbox *mailbox, const struct hbs_message *message)
{
	const struct messages_layout *layout;
	message_counter *counter;
	struct incoming *in;

	if (!mailbox || !message || message->from >= mailbox->layout.members)
		return -EINVAL;
	layout = &mailbox->layout;
	in = &mailbox->in[message->from];
	if (mailbox->taken[message->from] == in->freed ||
	    message->data != slot_of(layout, in->slots, in->freed)->payload)
		return -EINVAL;
	mailbox->freed++;
	mailbox->held--;
	mailbox->has_freed = true;
	in->freed++;
	counter = freed_of(layout, mailbox->member, message->from);
	checked_before(layout, CHECKED_SLOT, mailbox->member, message->from);
	atomic_store_explicit(counter, in->freed, memory_order_release);
	return 0;
}
