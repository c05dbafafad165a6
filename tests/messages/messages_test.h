/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of messages share */
#ifndef MESSAGES_TEST_H
#define MESSAGES_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hbs_messages.h"

static inline struct hbs_messages *make_messages(uint32_t members, uint32_t slot, uint32_t depth)
{
	struct hbs_messages_attr attr = { .members = members, .slot = slot, .depth = depth };
	struct hbs_messages *messages = NULL;

	assert_int_equal(hbs_messages_create(&attr, &messages), 0);
	assert_non_null(messages);
	return messages;
}

static inline struct hbs_mailbox *open_mailbox(struct hbs_messages *messages, uint32_t member)
{
	struct hbs_mailbox *mailbox = NULL;

	assert_int_equal(hbs_mailbox_open(messages, member, &mailbox), 0);
	return mailbox;
}

/* The exit status of a child; below 0 if it ended otherwise */
static inline int wait_for(pid_t pid)
{
	int status;

	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif /* MESSAGES_TEST_H */
