// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <string.h>

#include "messages.h"

#define COPIED_BY_WORDS 120

/* See how much the receiver has freed by now; if the caller is to send, it is not idle any more */
MESSAGES_SLOW int see_room(struct hbs_mailbox *mailbox, uint32_t to, bool stirs)
{
	const struct messages_layout *layout = &mailbox->layout;
	struct outgoing *out = &mailbox->out[to];
	uint16_t freed;

	if (mailbox->error && (stirs || mailbox->error != MAILBOX_RESTS)) {
		int ret = hbsi_mailbox_stir(mailbox);

		if (ret)
			return ret;
	}
	freed = atomic_load_explicit(freed_of(layout, to, mailbox->member), memory_order_acquire);
	if ((uint16_t)(out->queued - freed) > layout->depth) {
		mailbox->error = -EBADMSG;
		return -EBADMSG;
	}
	checked_after(layout, CHECKED_SLOT, to, mailbox->member);
	out->freed = freed;
	return (uint16_t)(out->queued - freed) < layout->depth;
}

/* As hbs_message_can_send(), for a member that there is */
MESSAGES_FAST int has_room(struct hbs_mailbox *mailbox, uint32_t to, bool stirs)
{
	const struct outgoing *out = &mailbox->out[to];

	if (!mailbox->error && (uint16_t)(out->queued - out->freed) < mailbox->layout.depth)
		return 1;
	return see_room(mailbox, to, stirs);
}

MESSAGES_FAST struct message_slot *next_slot(const struct hbs_mailbox *mailbox, uint32_t to)
{
	const struct outgoing *out = &mailbox->out[to];

	return slot_of(&mailbox->layout, out->slots, out->queued);
}

static bool is_too_large(const struct hbs_mailbox *mailbox, size_t size)
{
	return size > mailbox->layout.slot - HBS_MESSAGES_HEADER;
}

/* There is room. The message counts as sent before anybody can see it. */
MESSAGES_FAST void queue(struct hbs_mailbox *mailbox, uint32_t to, struct message_slot *slot,
			 size_t size)
{
	message_counter *counter = queued_of(&mailbox->layout, to, mailbox->member);
	struct outgoing *out = &mailbox->out[to];

	atomic_store_explicit(&slot->epoch, mailbox->epoch, memory_order_relaxed);
	atomic_store_explicit(&slot->size, (uint32_t)size, memory_order_relaxed);
	mailbox->sent++;
	out->has_slot = false;
	out->queued++;
	checked_before(&mailbox->layout, CHECKED_MESSAGE, to, mailbox->member);
	atomic_store_explicit(counter, out->queued, memory_order_release);
	/* the CPU may load before it has stored: the sleeper sees to that, see fence.h */
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(atomic_load_explicit(&mailbox->layout.seats[to].asleep,
						  memory_order_relaxed) != 0,
			     0))
		hbsi_mailbox_wake(mailbox, to);
}

MESSAGES_FAST void copy_word(char *to, const char *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof(word));
	memcpy(to, &word, sizeof(word));
	/* so that the compiler makes no wider accesses of several words */
	atomic_signal_fence(memory_order_seq_cst);
}

/*
 * Word by word, if it is small: mostly the program has just written it so. A load of several words
 * would wait until all of these are in the cache, behind stores that wait for the receiver's lines.
 */
MESSAGES_FAST void copy(char *to, const char *from, size_t size)
{
	size_t at = 0;

	if (size <= COPIED_BY_WORDS) {
#pragma GCC unroll 4
		for (; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t))
			copy_word(to + at, from + at);
	}
	if (at < size)
		memcpy(to + at, from + at, size - at);
}

MESSAGES_FAST int send_copy(struct hbs_mailbox *mailbox, uint32_t to, const void *data, size_t size)
{
	struct message_slot *slot;
	int room = has_room(mailbox, to, true);

	if (room <= 0)
		return room ? room : -EAGAIN;
	slot = next_slot(mailbox, to);
	copy(slot->payload, data, size);
	queue(mailbox, to, slot, size);
	return 0;
}

int hbs_message_can_send(struct hbs_mailbox *mailbox, uint32_t to)
{
	if (!mailbox || to >= mailbox->layout.members)
		return -EINVAL;
	return has_room(mailbox, to, false);
}

int hbs_message_alloc(struct hbs_mailbox *mailbox, uint32_t to, void **payload)
{
	int room;

	if (!mailbox || !payload || to >= mailbox->layout.members)
		return -EINVAL;
	room = has_room(mailbox, to, true);
	if (room <= 0)
		return room ? room : -EAGAIN;
	mailbox->out[to].has_slot = true;
	*payload = next_slot(mailbox, to)->payload;
	return 0;
}

int hbs_message_post(struct hbs_mailbox *mailbox, uint32_t to, size_t size)
{
	if (!mailbox || to >= mailbox->layout.members || !mailbox->out[to].has_slot)
		return -EINVAL;
	if (is_too_large(mailbox, size))
		return -EMSGSIZE;
	if (mailbox->error) {
		int ret = hbsi_mailbox_stir(mailbox);

		if (ret)
			return ret;
	}
	queue(mailbox, to, next_slot(mailbox, to), size);
	return 0;
}

int hbs_message_send(struct hbs_mailbox *mailbox, uint32_t to, const void *data, size_t size)
{
	if (!mailbox || to >= mailbox->layout.members || (size && !data))
		return -EINVAL;
	if (is_too_large(mailbox, size))
		return -EMSGSIZE;
	return send_copy(mailbox, to, data, size);
}

/* Send to those of a word of the set, which begins with the member @first */
static int send_to_word(struct hbs_mailbox *mailbox, uint32_t first, uint64_t *word,
			const void *data, size_t size)
{
	int result = 0;

	for (uint64_t left = *word; left; left &= left - 1) {
		int ret = send_copy(mailbox, first + (uint32_t)__builtin_ctzll(left), data, size);

		if (!ret)
			*word &= ~(left & -left);
		else if (ret == -EAGAIN)
			result = ret;
		else
			return ret;
	}
	return result;
}

int hbs_message_multicast(struct hbs_mailbox *mailbox, uint64_t *set, const void *data, size_t size)
{
	uint32_t words, members;
	int result = 0;

	if (!mailbox || !set || (size && !data))
		return -EINVAL;
	members = mailbox->layout.members;
	words = (members + 63) / 64;
	if (members % 64 && set[words - 1] >> members % 64)
		return -EINVAL;
	if (is_too_large(mailbox, size))
		return -EMSGSIZE;
	for (uint32_t i = 0; i < words; i++) {
		int ret = send_to_word(mailbox, i * 64, &set[i], data, size);

		if (ret && ret != -EAGAIN)
			return ret;
		if (ret)
			result = ret;
	}
	return result;
}
