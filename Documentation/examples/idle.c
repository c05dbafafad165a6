/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Termination: threads send each other work, and learn when all of it is done. A message is a
 * number; who gets it sends the next lower one to somebody else.
 */
#include <hbs_messages.h>
#include <pthread.h>

#include "must.h"

#define THREADS 4

static struct hbs_messages *messages;
static struct hbs_group *group;
static int received[THREADS];

static void send_number(struct hbs_mailbox *mailbox, int number)
{
	must(hbs_message_send(mailbox, (uint32_t)number % THREADS, &number, sizeof(number)));
}

static void *work(void *argument)
{
	int rank = (int)(long)argument;
	struct hbs_mailbox *mailbox;
	struct hbs_message message;
	struct hbs_member *me;
	int number;

	must(hbs_join(group, &me));
	must(hbs_mailbox_open(messages, (uint32_t)rank, &mailbox));
	must(hbs_mailbox_bind(mailbox, me)); /* so the group counts the messages */
	if (rank == 0)
		send_number(mailbox, 100);
	/* 0: there is a message; 1: nobody has work, and no message is on its way */
	while (must(hbs_idle(mailbox, 0)) == 0) {
		must(hbs_message_recv(mailbox, &message));
		number = *(int *)message.data;
		must(hbs_message_free(mailbox, &message));
		received[rank]++;
		if (number > 1)
			send_number(mailbox, number - 1);
	}
	must(hbs_mailbox_close(mailbox));
	must(hbs_leave(me));
	return NULL;
}

int main(void)
{
	struct hbs_group_attr attr = { .members = THREADS, .type = HBS_REFUTABLE };
	struct hbs_messages_attr queues = { .members = THREADS };
	pthread_t threads[THREADS];
	struct hbs *hbs;
	int sum = 0;

	must(hbs_open(&hbs, NULL));
	must(hbs_group_create(hbs, &attr, &group));
	must(hbs_messages_create(&queues, &messages));
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += received[i];
	}
	must(hbs_messages_close(messages));
	must(hbs_group_close(group));
	must(hbs_close(hbs));
	printf("all is done, after %d messages\n", sum);
	return 0;
}
