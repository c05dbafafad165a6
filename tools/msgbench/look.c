// SPDX-License-Identifier: GPL-2.0-or-later
/* What it costs a receiver that it has many senders, while none of them sends */
#include <stddef.h>

#include <hbs_messages.h>

#include "shared/now.h"
#include "look.h"

double look_for_nothing(uint32_t members, uint64_t count)
{
	struct hbs_messages_attr attr = { .members = members };
	struct hbs_messages *messages = NULL;
	struct hbs_mailbox *mailbox = NULL;
	double ns = -1;

	if (!hbs_messages_create(&attr, &messages) && !hbs_mailbox_open(messages, 0, &mailbox)) {
		int found = 0;

		ns = -now_ns();
		for (uint64_t i = 0; i < count; i++)
			found |= hbs_message_can_recv(mailbox);
		ns = found ? -1 : (ns + now_ns()) / (double)count;
	}
	hbs_mailbox_close(mailbox);
	hbs_messages_close(messages);
	return ns;
}
