// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages of libhbs: copied by hbs_message_send(), or written into their slot */
#include <hbs_messages.h>

#include "traffic.h"

static struct hbs_messages *messages;
static struct hbs_mailbox *mailboxes[2];

static void hbs_unmake(void)
{
	for (int i = 0; i < 2; i++)
		hbs_mailbox_close(mailboxes[i]);
	hbs_messages_close(messages);
}

static bool hbs_make(uint32_t depth)
{
	struct hbs_messages_attr attr = { .members = 2, .slot = LINE, .depth = depth };

	mailboxes[0] = NULL;
	mailboxes[1] = NULL;
	messages = NULL;
	if (!hbs_messages_create(&attr, &messages) &&
	    !hbs_mailbox_open(messages, 0, &mailboxes[0]) &&
	    !hbs_mailbox_open(messages, 1, &mailboxes[1]))
		return true;
	hbs_unmake();
	return false;
}

INLINE bool send_put(unsigned int side, uint64_t first)
{
	uint64_t words[WORDS];

	for (int i = 0; i < WORDS; i++)
		words[i] = first + i;
	return !hbs_message_send(mailboxes[side], !side, words, sizeof(words));
}

INLINE bool post_put(unsigned int side, uint64_t first)
{
	void *slot;
	uint64_t *words;

	if (hbs_message_alloc(mailboxes[side], !side, &slot))
		return false;
	words = slot;
	for (int i = 0; i < WORDS; i++)
		words[i] = first + i;
	return !hbs_message_post(mailboxes[side], !side, WORDS * sizeof(*words));
}

INLINE bool try_get(unsigned int side, uint64_t *sum)
{
	struct hbs_message message;
	const uint64_t *words;

	if (hbs_message_recv(mailboxes[side], &message))
		return false;
	words = message.data;
	for (int i = 0; i < WORDS; i++)
		*sum += words[i];
	return !hbs_message_free(mailboxes[side], &message);
}

static bool send_pour(unsigned int side, uint64_t count)
{
	return pour(send_put, try_get, side, count);
}

static bool send_bounce(unsigned int side, uint64_t count)
{
	return bounce(send_put, try_get, side, count);
}

static bool post_pour(unsigned int side, uint64_t count)
{
	return pour(post_put, try_get, side, count);
}

static bool post_bounce(unsigned int side, uint64_t count)
{
	return bounce(post_put, try_get, side, count);
}

const struct contender contender_send = {
	.name = "hbs send",
	.make = hbs_make,
	.unmake = hbs_unmake,
	.pour = send_pour,
	.bounce = send_bounce,
};

const struct contender contender_post = {
	.name = "hbs post",
	.make = hbs_make,
	.unmake = hbs_unmake,
	.pour = post_pour,
	.bounce = post_bounce,
};
