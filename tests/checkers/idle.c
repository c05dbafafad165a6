// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: idle [race]
 *
 * A program without races, for tools that look for races: members of a refutable group give each
 * other work by messages, and when none is left, the end of the epoch hands on what each has
 * stored. They are idle in every way. With "race", two threads store to one place in each epoch.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include <hbs.h>
#include <hbs_messages.h>

#include "expect.h"

#define MEMBERS 3
#define ROUNDS	4
#define HOPS	7 /* of the message that each member begins a round with */

static struct hbs_group *group;
static struct hbs_messages *messages;
static int stored[MEMBERS];
static volatile int everywhere;
static bool race;

/* Until there is a message (0) or the epoch is over (1, or 2) */
typedef int idle_function(struct hbs_mailbox *me);

static int idle(struct hbs_mailbox *me)
{
	return hbs_idle(me, 0);
}

static int idle_with_value(struct hbs_mailbox *me)
{
	return hbs_idle_value(me, 1, 1);
}

static int try_and_poll(struct hbs_mailbox *me)
{
	int ret;

	while ((ret = hbs_idle_try(me, 1)) == -EAGAIN) {
		struct pollfd poll_for = { .fd = hbs_mailbox_fd(me), .events = POLLIN };

		EXPECT(poll(&poll_for, 1, -1) == 1);
	}
	return ret;
}

static void send(struct hbs_mailbox *me, int index, int hops)
{
	EXPECT(!hbs_message_send(me, (uint32_t)(index + 1) % MEMBERS, &hops, sizeof(hops)));
}

static void work(struct hbs_mailbox *me, int index)
{
	struct hbs_message message;
	int hops;

	while (!hbs_message_recv(me, &message)) {
		memcpy(&hops, message.data, sizeof(hops));
		stored[index]++;
		if (hops)
			send(me, index, hops - 1);
		EXPECT(!hbs_message_free(me, &message));
	}
}

struct thread {
	pthread_t thread;
	int index;
	idle_function *idle;
};

static void end_epoch(struct hbs_mailbox *me, struct thread *thread)
{
	int ret;

	while (!(ret = thread->idle(me)))
		work(me, thread->index);
	EXPECT(ret == 1 + (thread->idle != idle));
}

static void *be_a_member(void *argument)
{
	struct thread *thread = argument;
	struct hbs_member *member;
	struct hbs_mailbox *me;

	EXPECT(!hbs_join(group, &member));
	EXPECT(!hbs_mailbox_open(messages, (uint32_t)thread->index, &me));
	EXPECT(!hbs_mailbox_bind(me, member));
	for (int round = 1; round <= ROUNDS; round++) {
		int sum = 0;

		send(me, thread->index, HOPS);
		if (race)
			everywhere = round;
		end_epoch(me, thread);
		for (int i = 0; i < MEMBERS; i++)
			sum += stored[i];
		EXPECT(sum == round * MEMBERS * (HOPS + 1));
		/* all have looked */
		end_epoch(me, thread);
	}
	EXPECT(!hbs_mailbox_close(me));
	EXPECT(!hbs_leave(member));
	return NULL;
}

static void use_group(struct hbs *hbs, uint32_t algorithm, idle_function *idle_in_a_way)
{
	struct hbs_group_attr attr = {
		.members = MEMBERS,
		.type = HBS_REFUTABLE,
		.algorithm = algorithm,
		.reduce = idle_in_a_way == idle_with_value ? HBS_SUM : 0,
	};
	struct hbs_messages_attr queues = { .members = MEMBERS };
	struct thread threads[MEMBERS];

	memset(stored, 0, sizeof(stored));
	EXPECT(!hbs_group_create(hbs, &attr, &group));
	EXPECT(!hbs_messages_create(&queues, &messages));
	for (int i = 0; i < MEMBERS; i++) {
		threads[i] = (struct thread){ .index = i, .idle = idle_in_a_way };
		EXPECT(!pthread_create(&threads[i].thread, NULL, be_a_member, &threads[i]));
	}
	for (int i = 0; i < MEMBERS; i++)
		EXPECT(!pthread_join(threads[i].thread, NULL));
	EXPECT(!hbs_messages_close(messages));
	EXPECT(!hbs_group_close(group));
}

int main(int argc, char **argv)
{
	static const enum hbs_wait_policy policies[] = { HBS_WAIT_DEFAULT, HBS_WAIT_PASSIVE };
	struct hbs *hbs;

	race = argc > 1 && !strcmp(argv[1], "race");
	for (int i = 0; i < 2; i++) {
		struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE,
					 .wait_policy = policies[i] };

		EXPECT(!hbs_open(&hbs, &attr));
		for (uint32_t algorithm = 0; hbs_algorithm_name(algorithm); algorithm++) {
			struct hbs_group_attr refutable = { .members = MEMBERS,
							    .type = HBS_REFUTABLE,
							    .algorithm = algorithm };

			if (hbs_group_create(hbs, &refutable, &group) == -EOPNOTSUPP)
				continue;
			EXPECT(!hbs_group_close(group));
			use_group(hbs, algorithm, idle);
		}
		use_group(hbs, 0, idle_with_value);
		use_group(hbs, 0, try_and_poll);
		EXPECT(!hbs_close(hbs));
	}
	return 0;
}
