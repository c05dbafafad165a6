// SPDX-License-Identifier: LGPL-2.1-or-later
/* Mailboxes: who is which member, and what its messages add up to */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../guard.h"
#include "../internal.h"
#include "messages.h"

/* A mailbox and its arrays, in lines of their own */
static struct hbs_mailbox *new_mailbox(const struct messages_layout *layout)
{
	size_t box = (sizeof(struct hbs_mailbox) + MESSAGES_LINE - 1) & ~(MESSAGES_LINE - 1UL);
	size_t taken = layout->row * sizeof(uint16_t); /* whole lines */
	size_t out = layout->members * sizeof(struct outgoing);
	size_t in = layout->members * sizeof(struct incoming);
	size_t size = (box + taken + out + in + MESSAGES_LINE - 1) & ~(MESSAGES_LINE - 1UL);
	char *memory = aligned_alloc(MESSAGES_LINE, size);
	struct hbs_mailbox *mailbox = (struct hbs_mailbox *)memory;

	if (!memory)
		return NULL;
	memset(memory, 0, size);
	mailbox->layout = *layout;
	mailbox->taken = (uint16_t *)(memory + box);
	mailbox->in = (struct incoming *)(memory + box + taken);
	mailbox->out = (struct outgoing *)(memory + box + taken + in);
	return mailbox;
}

/* Go on where the member's last mailbox stopped */
static int take_over(struct hbs_mailbox *mailbox)
{
	const struct messages_layout *layout = &mailbox->layout;
	uint32_t member = mailbox->member;

	for (uint32_t i = 0; i < layout->members; i++) {
		struct outgoing *out = &mailbox->out[i];
		struct incoming *in = &mailbox->in[i];

		out->slots = slots_of(layout, i, member);
		in->slots = slots_of(layout, member, i);
		out->queued =
			atomic_load_explicit(queued_of(layout, i, member), memory_order_relaxed);
		out->freed =
			atomic_load_explicit(freed_of(layout, i, member), memory_order_acquire);
		if ((uint16_t)(out->queued - out->freed) > layout->depth)
			return -EBADMSG;
		in->freed = atomic_load_explicit(freed_of(layout, member, i), memory_order_relaxed);
		in->queued = in->freed;
		mailbox->taken[i] = in->freed;
	}
	return 0;
}

/*
 * The lock of a member says that its mailbox is open, and the kernel drops it with the process. So
 * the state in the memory counts only where the guard is not this handle's own.
 */
static int lock_seat(struct hbs_messages *messages, uint32_t member)
{
	struct messages_seat *seat = &messages->layout.seats[member];
	uint32_t nobody = MAILBOX_CLOSED;
	int ret;

	if (messages->alone && !atomic_compare_exchange_strong(&seat->state, &nobody, MAILBOX_OPEN))
		return -EBUSY;
	ret = hbsi_guard_lock(messages->guard, F_OFD_SETLK, F_WRLCK, member);
	if (!ret)
		atomic_store(&seat->state, MAILBOX_OPEN);
	else if (messages->alone)
		atomic_store(&seat->state, MAILBOX_CLOSED);
	if (ret == -ENOLCK)
		return -ENOMEM;
	return ret ? -EBUSY : 0;
}

/* Locks do not exclude the mailboxes of one handle: a bit does */
static int take_seat(struct hbs_messages *messages, uint32_t member)
{
	_Atomic uint64_t *own = &messages->own[member / 64];
	uint64_t bit = 1ULL << member % 64;
	int ret;

	if (atomic_fetch_or(own, bit) & bit)
		return -EBUSY;
	ret = lock_seat(messages, member);
	if (ret)
		atomic_fetch_and(own, ~bit);
	return ret;
}

static void give_seat(struct hbs_messages *messages, uint32_t member)
{
	atomic_store(&messages->layout.seats[member].state, MAILBOX_CLOSED);
	hbsi_guard_lock(messages->guard, F_OFD_SETLK, F_UNLCK, member);
	atomic_fetch_and(&messages->own[member / 64], ~(1ULL << member % 64));
}

int hbs_mailbox_open(struct hbs_messages *messages, uint32_t member, struct hbs_mailbox **mailbox)
{
	struct hbs_mailbox *new;
	int cancel, ret;

	if (!messages || !mailbox || member >= messages->layout.members)
		return -EINVAL;
	if (messages->pid != getpid())
		return -ECHILD;
	new = new_mailbox(&messages->layout);
	if (!new)
		return -ENOMEM;
	cancel = cancel_off();
	ret = take_seat(messages, member);
	cancel_restore(cancel);
	if (ret) {
		free(new);
		return ret;
	}
	checked_after(&messages->layout, CHECKED_MAILBOX, member, member);
	new->messages = messages;
	new->member = member;
	atomic_store(&messages->layout.seats[member].asleep, 0);
	ret = take_over(new);
	if (ret) {
		give_seat(messages, member);
		free(new);
		return ret;
	}
	atomic_fetch_add(&messages->mailboxes, 1);
	*mailbox = new;
	return 0;
}

int hbs_mailbox_close(struct hbs_mailbox *mailbox)
{
	if (!mailbox)
		return -EINVAL;
	if (mailbox->messages->pid == getpid()) {
		checked_before(&mailbox->layout, CHECKED_MAILBOX, mailbox->member, mailbox->member);
		hbsi_mailbox_end_poll(mailbox);
		hbsi_mailbox_rise(mailbox);
		give_seat(mailbox->messages, mailbox->member);
	}
	atomic_fetch_sub(&mailbox->messages->mailboxes, 1);
	free(mailbox);
	return 0;
}

int64_t hbsi_mailbox_balance(struct hbs_mailbox *mailbox, bool *has_freed)
{
	uint64_t now = mailbox->sent - mailbox->freed;
	int64_t balance = (int64_t)(now - mailbox->told);

	*has_freed = mailbox->has_freed;
	mailbox->has_freed = false;
	mailbox->told = now;
	return balance;
}

void hbsi_mailbox_set_epoch(struct hbs_mailbox *mailbox, uint32_t epoch)
{
	mailbox->epoch = epoch;
}
