// SPDX-License-Identifier: GPL-2.0-or-later
/* Refutable groups that count the messages of mailboxes: hbs_idle() */
#include <errno.h>

#include "conformance.h"
#include "hbs_messages.h"

static struct hbs_messages *make_messages(unsigned int members)
{
	struct hbs_messages *messages = NULL;

	IS(hbs_messages_create(&(struct hbs_messages_attr){ .members = members }, &messages), 0);
	return messages;
}

static void errors(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 2), *plain = make_group(context, 1);
	struct hbs_member *me, *other, *of_barrier;
	struct hbs_messages *messages = make_messages(2);
	struct hbs_mailbox *box, *sender;
	struct hbs_message message;

	join(group, &me, 1);
	join(group, &other, 1);
	join(plain, &of_barrier, 1);
	IS(hbs_mailbox_open(messages, 0, &box), 0);
	IS(hbs_mailbox_open(messages, 1, &sender), 0);
	IS(hbs_idle(box, 0), -EINVAL);
	IS(hbs_idle(NULL, 0), -EINVAL);
	IS(hbs_mailbox_bind(box, of_barrier), -EOPNOTSUPP);
	IS(hbs_mailbox_bind(box, NULL), -EINVAL);
	IS(hbs_mailbox_bind(NULL, me), -EINVAL);
	IS(hbs_mailbox_bind(box, me), 0);
	IS(hbs_mailbox_bind(box, me), -EBUSY);
	IS(hbs_mailbox_bind(sender, other), 0);
	IS(hbs_idle(box, 2), -EINVAL);
	IS(hbs_idle(box, -1), -EINVAL);
	IS(arrivals(context, group, 0), 0);
	IS(hbs_message_send(sender, 0, "a", 1), 0);
	/* a message that is there needs no arrival */
	IS(hbs_idle(box, 1), 0);
	IS(arrivals(context, group, 0), 0);
	IS(hbs_message_recv(box, &message), 0);
	IS(hbs_idle(box, 1), -EBUSY);
	IS(hbs_message_free(box, &message), 0);
	IS(hbs_group_destroy(group), 0);
	IS(hbs_idle(box, 1), -EIDRM);
	IS(hbs_idle(sender, 1), -EIDRM);
	IS(hbs_mailbox_close(box), 0);
	IS(hbs_mailbox_close(sender), 0);
	IS(hbs_messages_close(messages), 0);
	leave(&me, 1);
	leave(&other, 1);
	leave(&of_barrier, 1);
}

/* A thread with a mailbox */
struct waiting {
	struct hbs_mailbox *box;
	int vote;
	int result;
	pthread_t thread;
};

static void *wait_idle(void *argument)
{
	struct waiting *waiting = argument;

	waiting->result = hbs_idle(waiting->box, waiting->vote);
	return NULL;
}

static void start(struct waiting *waiting, struct hbs_mailbox *box, int vote)
{
	*waiting = (struct waiting){ .box = box, .vote = vote };
	IS(pthread_create(&waiting->thread, NULL, wait_idle, waiting), 0);
	nap_us(3000);
}

static int end(struct waiting *waiting)
{
	IS(pthread_join(waiting->thread, NULL), 0);
	return waiting->result;
}

static void receive(struct hbs_mailbox *box, uint32_t from)
{
	struct hbs_message message;

	IS(hbs_message_recv(box, &message), 0);
	IS(message.from, from);
	IS(hbs_message_free(box, &message), 0);
}

/* A message there and back, and then nothing more; with each outcome of votes */
static void there_and_back(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 2);
	struct hbs_messages *messages = make_messages(2);
	struct hbs_mailbox *box[2];
	struct waiting waiting;
	struct hbs_member *m[2];

	join(group, m, 2);
	for (unsigned int i = 0; i < 2; i++) {
		IS(hbs_mailbox_open(messages, i, &box[i]), 0);
		IS(hbs_mailbox_bind(box[i], m[i]), 0);
	}
	for (unsigned int votes = 0; votes < 8; votes++) {
		int first = votes & 1, second = votes >> 1 & 1, any = -1;

		start(&waiting, box[0], !first);
		IS(hbs_message_send(box[1], 0, "there", 6), 0);
		IS(end(&waiting), 0);
		receive(box[0], 1);
		IS(hbs_message_send(box[0], 1, "back", 5), 0);
		start(&waiting, box[0], first);
		IS(hbs_idle(box[1], !second), 0);
		receive(box[1], 0);
		IS(hbs_idle(box[1], second), first && second ? 2 : 1);
		IS(end(&waiting), first && second ? 2 : 1);
		IS(hbs_votes(m[0], NULL, &any), 0);
		IS(any, first || second);
		IS(barriers(group), votes + 1);
		IS(stats_of(group).in_flight, 0);
	}
	for (unsigned int i = 0; i < 2; i++)
		IS(hbs_mailbox_close(box[i]), 0);
	IS(hbs_messages_close(messages), 0);
	leave(m, 2);
}

/* Also for those who wait for messages */
static void breaks(struct context *context)
{
	struct hbs_group *group = make_group_of(
		context, &(struct hbs_group_attr){
				 .members = 2, .type = HBS_REFUTABLE, .timeout_ns = 200000000 });
	struct hbs_messages *messages = make_messages(2);
	struct hbs_mailbox *box;
	struct hbs_member *m[2];
	struct waiting waiting;

	IS(hbs_mailbox_open(messages, 0, &box), 0);
	join(group, m, 2);
	IS(hbs_mailbox_bind(box, m[0]), 0);
	IS(hbs_idle(box, 1), -ETIMEDOUT);
	IS(hbs_mailbox_close(box), 0);
	leave(m, 2);

	group = make_refutable(context, 2);
	IS(hbs_mailbox_open(messages, 0, &box), 0);
	join(group, m, 2);
	IS(hbs_mailbox_bind(box, m[0]), 0);
	start(&waiting, box, 1);
	IS(hbs_group_reset(group), 0);
	IS(end(&waiting), -ECONNRESET);
	IS(hbs_mailbox_close(box), 0);
	leave(m, 2);
	IS(hbs_messages_close(messages), 0);
}

const struct test mailbox_tests[] = {
	{ "idle mailboxes: errors", errors, REFUTABLE },
	{ "idle mailboxes: messages and votes", there_and_back, REFUTABLE },
	{ "idle mailboxes: the group breaks", breaks, REFUTABLE | TIMEOUTS | RESET },
	{ 0 },
};
