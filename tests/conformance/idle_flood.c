// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A flood: members with mailboxes send each other as many messages as they can, thousands in an
 * epoch, and more when they receive. The messages of each member to each other are numbered: none
 * may be lost, come twice, or be out of turn; and none may be on its way when hbs_idle() says that
 * all is over.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "conformance.h"
#include "hbs_messages.h"

#define DEPTH	 64
#define MESSAGES 40000 /* of all members, unless the command line says another number */
#define BURST	 5000  /* what a member begins an epoch with, on the average, at most */

/* What a member has sent and received; the others look at it between two epochs */
struct ledger {
	_Alignas(64) uint64_t sent[MAX_THREADS]; /* by receiver */
	uint64_t received[MAX_THREADS];		 /* by sender */
};

struct flood {
	struct hbs_messages *messages;
	unsigned int members;
	uint64_t wanted;
	uint64_t burst;
	uint64_t total; /* this and the next: the first member says so */
	unsigned int epochs;
	bool is_over;
	struct ledger ledgers[];
};

struct content {
	uint64_t number; /* of those of its sender to its receiver */
	uint32_t more;	 /* messages that it asks its receiver for */
};

struct swimmer {
	struct flood *flood;
	struct ledger *ledger;
	struct hbs_mailbox *box;
	uint64_t seed;
	uint64_t
		owed; /* messages that it has to send in this epoch, with those that these ask for */
};

static int receive_all(struct swimmer *swimmer)
{
	struct hbs_message message;
	struct content content;
	int ret;

	while (!(ret = hbs_message_recv(swimmer->box, &message))) {
		memcpy(&content, message.data, sizeof(content));
		CHECK_IS(content.number, ++swimmer->ledger->received[message.from]);
		swimmer->owed += content.more;
		CHECK_IS(hbs_message_free(swimmer->box, &message), 0);
	}
	CHECK_IS(ret, -EAGAIN);
	return 0;
}

static int send_all(struct swimmer *swimmer)
{
	while (swimmer->owed) {
		uint32_t to = random_from(&swimmer->seed) % swimmer->flood->members;
		struct content content = { .number = swimmer->ledger->sent[to] + 1 };
		int ret;

		if (random_from(&swimmer->seed) % 2)
			content.more = random_from(&swimmer->seed) % swimmer->owed;
		ret = hbs_message_send(swimmer->box, to, &content, sizeof(content));
		if (ret == -EAGAIN) {
			CHECK_IS(receive_all(swimmer), 0);
			continue;
		}
		CHECK_IS(ret, 0);
		swimmer->ledger->sent[to]++;
		swimmer->owed -= content.more + 1;
	}
	return 0;
}

static int end_epoch(struct swimmer *swimmer)
{
	int ret;

	do {
		CHECK_IS(receive_all(swimmer), 0);
		CHECK_IS(send_all(swimmer), 0);
		ret = hbs_idle(swimmer->box, 1);
		/* work has come while it sent */
	} while (!ret);
	CHECK_IS(ret, 2);
	return 0;
}

/* Nobody sends meanwhile */
static int compare(struct flood *flood, bool first)
{
	uint64_t total = 0;

	for (unsigned int from = 0; from < flood->members; from++)
		for (unsigned int to = 0; to < flood->members; to++) {
			uint64_t sent = flood->ledgers[from].sent[to];

			CHECK_IS(sent, flood->ledgers[to].received[from]);
			total += sent;
		}
	if (first) {
		flood->total = total;
		flood->epochs++;
		flood->is_over = total >= flood->wanted;
	}
	return 0;
}

static int swim(struct part *part)
{
	struct flood *flood = part->shared;
	struct swimmer swimmer = { .flood = flood,
				   .ledger = &flood->ledgers[part->index],
				   .seed = part->seed };

	CHECK_IS(hbs_mailbox_open(flood->messages, part->index, &swimmer.box), 0);
	CHECK_IS(hbs_mailbox_bind(swimmer.box, part->me), 0);
	while (!flood->is_over) {
		swimmer.owed = random_from(&swimmer.seed) % (2 * flood->burst);
		CHECK_IS(end_epoch(&swimmer), 0);
		CHECK_IS(compare(flood, !part->index), 0);
		CHECK_IS(end_epoch(&swimmer), 0);
	}
	CHECK_IS(hbs_mailbox_close(swimmer.box), 0);
	return 0;
}

static void flood_of(struct context *context, unsigned int members, uint64_t wanted)
{
	struct hbs_messages_attr attr = { .members = members, .depth = DEPTH };
	struct flood *flood = shared_memory(sizeof(*flood) + members * sizeof(struct ledger));
	double start = seconds(), took;

	flood->members = members;
	flood->wanted = wanted;
	flood->burst = wanted / members / 4 + 1;
	if (flood->burst > BURST)
		flood->burst = BURST;
	IS(hbs_messages_create(&attr, &flood->messages), 0);
	run_members(context, make_refutable(context, members), members, swim, flood);
	took = seconds() - start;
	if (context->messages)
		printf("# figure: %s, %u members: %.1f million messages in %u epochs, %.1f s\n",
		       context->mode->name, members, flood->total / 1e6, flood->epochs, took);
	IS(hbs_messages_close(flood->messages), 0);
	munmap(flood, sizeof(*flood) + members * sizeof(struct ledger));
}

static void mailboxes(struct context *context)
{
	uint64_t wanted = context->messages ? context->messages : scaled(context, MESSAGES);
	unsigned int sizes = 0;

	while (context->threads[sizes])
		sizes++;
	for (unsigned int i = 0; i < sizes; i++)
		flood_of(context, context->threads[i], wanted / sizes);
}

const struct test idle_flood_tests[] = {
	{ "idle flood of mailboxes", mailboxes, REFUTABLE },
	{ 0 },
};
