// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: messages [race]
 *
 * A program without races, for tools that look for races: only messages of libhbs hand on what the
 * threads store, and slots that are used again and again. With "race", both threads store to one
 * place.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include <hbs_messages.h>

#include "expect.h"

#define ROUNDS 200
#define DEPTH  2

static struct hbs_messages *messages[2]; /* two handles of one message space */
static int stored[ROUNDS];
static volatile int everywhere;
static bool race;

static void receive(struct hbs_mailbox *me, int round)
{
	struct hbs_message message;
	int number, ret;

	while ((ret = hbs_message_recv(me, &message)) == -EAGAIN)
		sched_yield();
	EXPECT(!ret);
	EXPECT(message.size == sizeof(number));
	memcpy(&number, message.data, sizeof(number));
	EXPECT(number == round);
	EXPECT(stored[round] == round);
	/* the slot is the receiver's */
	memset(message.data, 0, sizeof(number));
	EXPECT(!hbs_message_free(me, &message));
}

static void send(struct hbs_mailbox *me, uint32_t to, int round)
{
	void *slot;

	stored[round] = round;
	if (race)
		everywhere = round;
	if (round % 2) {
		while (hbs_message_send(me, to, &round, sizeof(round)))
			sched_yield();
		return;
	}
	while (hbs_message_alloc(me, to, &slot))
		sched_yield();
	memcpy(slot, &round, sizeof(round));
	EXPECT(!hbs_message_post(me, to, sizeof(round)));
}

static void *be_a_receiver(void *unused)
{
	struct hbs_mailbox *me;

	/* one that goes on where another one stopped */
	for (int half = 0; half < 2; half++) {
		EXPECT(!hbs_mailbox_open(messages[1], 1, &me));
		for (int i = 0; i < ROUNDS / 2; i++) {
			if (race)
				everywhere = i;
			receive(me, half * ROUNDS / 2 + i);
		}
		EXPECT(!hbs_mailbox_close(me));
	}
	return unused;
}

int main(int argc, char **argv)
{
	struct hbs_messages_attr attr = { .members = 2, .depth = DEPTH };
	struct hbs_mailbox *me;
	pthread_t thread;

	race = argc > 1 && !strcmp(argv[1], "race");
	EXPECT(!hbs_messages_create(&attr, &messages[0]));
	EXPECT(!hbs_messages_import(hbs_messages_fd(messages[0]), &messages[1]));
	EXPECT(!pthread_create(&thread, NULL, be_a_receiver, NULL));
	EXPECT(!hbs_mailbox_open(messages[0], 0, &me));
	for (int i = 0; i < ROUNDS; i++)
		send(me, 1, i);
	EXPECT(!pthread_join(thread, NULL));
	EXPECT(!hbs_mailbox_close(me));
	EXPECT(!hbs_messages_close(messages[0]));
	EXPECT(!hbs_messages_close(messages[1]));
	return 0;
}
