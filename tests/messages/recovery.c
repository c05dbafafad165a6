// SPDX-License-Identifier: GPL-2.0-or-later
/* Mailboxes of processes that end without closing them: who may take them over, and with what */
#include <signal.h>

#include "messages_test.h"

/* A child that has the mailbox of member 1, and what it does before it says so and sleeps */
static pid_t start(struct hbs_messages *messages, int (*work)(struct hbs_mailbox *me))
{
	int fd = hbs_messages_fd(messages), ends[2];
	char word = 0;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		struct hbs_messages *own;
		struct hbs_mailbox *me;

		alarm(120);
		if (hbs_messages_import(fd, &own) || hbs_mailbox_open(own, 1, &me) ||
		    (work && work(me)))
			_exit(1);
		if (write(ends[1], &word, 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &word, 1), 1);
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(wait_for(pid), -1);
}

static int open_one(struct hbs_messages *messages)
{
	struct hbs_mailbox *mailbox;
	int ret = hbs_mailbox_open(messages, 1, &mailbox);

	if (!ret)
		assert_int_equal(hbs_mailbox_close(mailbox), 0);
	return ret;
}

/* It frees one message, takes another one and sends one; then a slot is half written */
static int work_on_it(struct hbs_mailbox *me)
{
	struct hbs_message message;
	void *payload;

	if (hbs_message_recv(me, &message) || hbs_message_free(me, &message) ||
	    hbs_message_recv(me, &message) || hbs_message_send(me, 0, "done", 5) ||
	    hbs_message_alloc(me, 0, &payload))
		return 1;
	memcpy(payload, "half", 5);
	return 0;
}

static void next_is(struct hbs_mailbox *mailbox, const char *text)
{
	struct hbs_message message;

	if (!text) {
		assert_int_equal(hbs_message_recv(mailbox, &message), -EAGAIN);
		return;
	}
	assert_int_equal(hbs_message_recv(mailbox, &message), 0);
	assert_string_equal(message.data, text);
	assert_int_equal(hbs_message_free(mailbox, &message), 0);
}

static void killed(void **state)
{
	struct hbs_messages *messages = make_messages(2, 0, 4);
	struct hbs_mailbox *me = open_mailbox(messages, 0), *heir;
	pid_t pid;

	(void)state;
	assert_int_equal(hbs_message_send(me, 1, "one", 4), 0);
	assert_int_equal(hbs_message_send(me, 1, "two", 4), 0);
	assert_int_equal(hbs_message_send(me, 1, "three", 6), 0);
	pid = start(messages, work_on_it);
	for (int i = 0; i < 3; i++)
		assert_int_equal(open_one(messages), -EBUSY);
	end(pid);
	heir = open_mailbox(messages, 1);
	assert_int_equal(open_one(messages), -EBUSY);
	next_is(heir, "two");
	next_is(heir, "three");
	next_is(heir, NULL);
	next_is(me, "done");
	next_is(me, NULL);
	/* and it goes on */
	for (int i = 0; i < 10; i++) {
		assert_int_equal(hbs_message_send(heir, 0, "more", 5), 0);
		assert_int_equal(hbs_message_send(me, 1, "more", 5), 0);
		next_is(me, "more");
		next_is(heir, "more");
	}
	assert_int_equal(hbs_mailbox_close(heir), 0);
	assert_int_equal(hbs_mailbox_close(me), 0);
	assert_int_equal(hbs_messages_close(messages), 0);
}

/* Again and again, by a handle of another process or of this one */
static void many_times(void **state)
{
	struct hbs_messages *messages = make_messages(2, 0, 0);

	(void)state;
	for (int i = 0; i < 20; i++) {
		end(start(messages, NULL));
		if (i % 3 == 0)
			assert_int_equal(open_one(messages), 0);
	}
	assert_int_equal(hbs_messages_close(messages), 0);
}

/* Its child lives on, with a copy of what it had open */
static int leave_a_child(struct hbs_mailbox *me)
{
	char word = 0;
	int ends[2];

	(void)me;
	if (pipe(ends))
		return 1;
	if (!fork()) {
		alarm(120);
		while (write(ends[1], &word, 1) == 1)
			pause();
	}
	return read(ends[0], &word, 1) != 1;
}

static void survived_by_a_child(void **state)
{
	struct hbs_messages *messages = make_messages(2, 0, 0);
	pid_t pid;

	(void)state;
	pid = start(messages, leave_a_child);
	assert_int_equal(open_one(messages), -EBUSY);
	end(pid);
	assert_int_equal(open_one(messages), 0);
	assert_int_equal(hbs_messages_close(messages), 0);
}

/* A living mailbox is nobody else's, by whatever handle; and a child's end does not end it */
static void living(void **state)
{
	struct hbs_messages *messages = make_messages(2, 0, 0), *other;
	struct hbs_mailbox *me = open_mailbox(messages, 1);
	pid_t pid;

	(void)state;
	assert_int_equal(hbs_messages_import(hbs_messages_fd(messages), &other), 0);
	assert_int_equal(open_one(messages), -EBUSY);
	assert_int_equal(open_one(other), -EBUSY);
	pid = fork();
	if (!pid)
		_exit(hbs_mailbox_close(me) || hbs_messages_close(messages));
	assert_int_equal(wait_for(pid), 0);
	assert_int_equal(open_one(messages), -EBUSY);
	assert_int_equal(open_one(other), -EBUSY);
	assert_int_equal(hbs_mailbox_close(me), 0);
	assert_int_equal(open_one(other), 0);
	me = open_mailbox(other, 1);
	assert_int_equal(open_one(messages), -EBUSY);
	assert_int_equal(hbs_mailbox_close(me), 0);
	assert_int_equal(open_one(messages), 0);
	assert_int_equal(hbs_messages_close(other), 0);
	assert_int_equal(hbs_messages_close(messages), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed),
		cmocka_unit_test(many_times),
		cmocka_unit_test(survived_by_a_child),
		cmocka_unit_test(living),
	};

	return cmocka_run_group_tests_name("recovery", tests, NULL, NULL);
}
