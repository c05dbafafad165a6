// SPDX-License-Identifier: GPL-2.0-or-later
/* What a member sends over hbs in one step, spoilt as PLANTED says: wrong, short, lost or twice */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <hbs_messages.h>

/* The message of this process that is spoilt */
#define SPOILT 30

int __real_hbs_message_alloc(struct hbs_mailbox *mailbox, uint32_t to, void **payload);
int __real_hbs_message_post(struct hbs_mailbox *mailbox, uint32_t to, size_t size);
int __wrap_hbs_message_alloc(struct hbs_mailbox *mailbox, uint32_t to, void **payload);
int __wrap_hbs_message_post(struct hbs_mailbox *mailbox, uint32_t to, size_t size);

static _Thread_local uint64_t *slot;
static atomic_int posted;

int __wrap_hbs_message_alloc(struct hbs_mailbox *mailbox, uint32_t to, void **payload)
{
	int ret = __real_hbs_message_alloc(mailbox, to, payload);

	if (!ret)
		slot = *payload;
	return ret;
}

int __wrap_hbs_message_post(struct hbs_mailbox *mailbox, uint32_t to, size_t size)
{
	const char *planted = getenv("PLANTED");
	const uint64_t *first = slot;
	void *second;

	if (!planted || atomic_fetch_add(&posted, 1) != SPOILT)
		return __real_hbs_message_post(mailbox, to, size);
	if (!strcmp(planted, "lost"))
		return 0;
	if (!strcmp(planted, "wrong"))
		slot[size / sizeof(*slot) - 1]++;
	if (!strcmp(planted, "short"))
		size -= sizeof(*slot);
	if (!strcmp(planted, "twice")) {
		__real_hbs_message_post(mailbox, to, size);
		if (__real_hbs_message_alloc(mailbox, to, &second))
			return -1;
		/* nobody writes there while there is room */
		memcpy(second, first, size);
	}
	return __real_hbs_message_post(mailbox, to, size);
}
