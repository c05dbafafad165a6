// SPDX-License-Identifier: GPL-2.0-or-later
/* The calls of a mailbox, one by one, in one thread */
#include <stdlib.h>

#include "messages/messages.h"
#include "messages_test.h"

#define MEMBERS 3

struct team {
	struct hbs_messages *messages;
	struct hbs_mailbox *member[MEMBERS];
};

static void team_open(struct team *team, uint32_t slot, uint32_t depth)
{
	team->messages = make_messages(MEMBERS, slot, depth);
	for (uint32_t i = 0; i < MEMBERS; i++)
		team->member[i] = open_mailbox(team->messages, i);
}

static void team_close(struct team *team)
{
	for (uint32_t i = 0; i < MEMBERS; i++)
		assert_int_equal(hbs_mailbox_close(team->member[i]), 0);
	assert_int_equal(hbs_messages_close(team->messages), 0);
}

static int send_number(struct team *team, uint32_t from, uint32_t to, uint64_t number)
{
	return hbs_message_send(team->member[from], to, &number, sizeof(number));
}

static uint64_t number_of(const struct hbs_message *message)
{
	uint64_t number;

	assert_int_equal(message->size, sizeof(number));
	memcpy(&number, message->data, sizeof(number));
	return number;
}

static void receive(struct team *team, uint32_t to, uint32_t from, uint64_t number)
{
	struct hbs_message message;

	assert_int_equal(hbs_message_recv(team->member[to], &message), 0);
	assert_int_equal(message.from, from);
	assert_int_equal(number_of(&message), number);
	assert_int_equal(hbs_message_free(team->member[to], &message), 0);
}

static void members(void **state)
{
	struct hbs_messages *messages = make_messages(2, 0, 0);
	struct hbs_mailbox *one = open_mailbox(messages, 1), *other = NULL;

	(void)state;
	assert_int_equal(hbs_mailbox_open(messages, 1, &other), -EBUSY);
	assert_int_equal(hbs_mailbox_open(messages, 2, &other), -EINVAL);
	assert_int_equal(hbs_mailbox_open(messages, UINT32_MAX, &other), -EINVAL);
	assert_int_equal(hbs_mailbox_open(messages, 0, NULL), -EINVAL);
	assert_int_equal(hbs_mailbox_open(NULL, 0, &other), -EINVAL);
	assert_null(other);
	assert_int_equal(hbs_messages_close(messages), -EBUSY);
	assert_int_equal(hbs_mailbox_close(one), 0);
	assert_int_equal(hbs_mailbox_close(NULL), -EINVAL);
	one = open_mailbox(messages, 1);
	assert_int_equal(hbs_mailbox_close(one), 0);
	assert_int_equal(hbs_messages_close(messages), 0);
}

/* Bad arguments change nothing, and the calls go on */
static void arguments(void **state)
{
	struct hbs_message message = { 0 };
	struct hbs_mailbox *me;
	struct team team;
	char large[57] = { 0 };
	void *payload = NULL;
	uint64_t set = 1;

	(void)state;
	team_open(&team, 0, 1);
	me = team.member[0];
	assert_int_equal(hbs_message_can_send(NULL, 0), -EINVAL);
	assert_int_equal(hbs_message_can_send(me, MEMBERS), -EINVAL);
	assert_int_equal(hbs_message_can_send(me, UINT32_MAX), -EINVAL);
	assert_int_equal(hbs_message_alloc(NULL, 0, &payload), -EINVAL);
	assert_int_equal(hbs_message_alloc(me, MEMBERS, &payload), -EINVAL);
	assert_int_equal(hbs_message_alloc(me, 1, NULL), -EINVAL);
	assert_int_equal(hbs_message_post(NULL, 1, 0), -EINVAL);
	assert_int_equal(hbs_message_post(me, 1, 0), -EINVAL);
	assert_int_equal(hbs_message_post(me, MEMBERS, 0), -EINVAL);
	assert_int_equal(hbs_message_send(NULL, 1, large, 1), -EINVAL);
	assert_int_equal(hbs_message_send(me, MEMBERS, large, 1), -EINVAL);
	assert_int_equal(hbs_message_send(me, 1, NULL, 1), -EINVAL);
	assert_int_equal(hbs_message_send(me, 1, large, 57), -EMSGSIZE);
	assert_int_equal(hbs_message_send(me, 1, large, SIZE_MAX), -EMSGSIZE);
	assert_int_equal(hbs_message_send(me, 1, large, (size_t)UINT32_MAX + 2), -EMSGSIZE);
	assert_int_equal(hbs_message_multicast(NULL, &set, large, 1), -EINVAL);
	assert_int_equal(hbs_message_multicast(me, NULL, large, 1), -EINVAL);
	assert_int_equal(hbs_message_multicast(me, &set, NULL, 1), -EINVAL);
	assert_int_equal(hbs_message_multicast(me, &set, large, 57), -EMSGSIZE);
	assert_int_equal(set, 1);
	assert_int_equal(hbs_message_can_recv(NULL), -EINVAL);
	assert_int_equal(hbs_message_recv(NULL, &message), -EINVAL);
	assert_int_equal(hbs_message_recv(me, NULL), -EINVAL);
	assert_int_equal(hbs_message_free(NULL, &message), -EINVAL);
	assert_int_equal(hbs_message_free(me, NULL), -EINVAL);
	assert_int_equal(hbs_message_free(me, &message), -EINVAL);
	message.from = MEMBERS;
	assert_int_equal(hbs_message_free(me, &message), -EINVAL);
	for (uint32_t i = 0; i < MEMBERS; i++)
		assert_int_equal(hbs_message_can_recv(team.member[i]), 0);
	assert_int_equal(send_number(&team, 0, 1, 7), 0);
	receive(&team, 1, 0, 7);
	team_close(&team);
}

/* All sizes up to the largest, in each kind of slot, and each byte of them */
static void payloads(void **state)
{
	static const uint32_t slots[] = { 64, 128, 192, 4096 };

	(void)state;
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		uint32_t most = slots[i] - HBS_MESSAGES_HEADER;
		struct team team;

		team_open(&team, slots[i], 2);
		for (uint32_t size = 0; size <= most; size++) {
			uint32_t to = size % MEMBERS;
			struct hbs_message message;
			unsigned char data[4096];

			for (uint32_t j = 0; j < size; j++)
				data[j] = (unsigned char)(size + j * 7);
			assert_int_equal(
				hbs_message_send(team.member[0], to, size ? data : NULL, size), 0);
			assert_int_equal(hbs_message_recv(team.member[to], &message), 0);
			assert_int_equal(message.size, size);
			assert_int_equal(message.from, 0);
			assert_int_equal((uintptr_t)message.data % 8, 0);
			assert_memory_equal(message.data, data, size);
			assert_int_equal(hbs_message_free(team.member[to], &message), 0);
		}
		assert_int_equal(hbs_message_send(team.member[0], 1, slots, most + 1), -EMSGSIZE);
		team_close(&team);
	}
}

static void slots(void **state)
{
	struct hbs_message message;
	struct team team;
	void *slot, *again, *other;

	(void)state;
	team_open(&team, 0, 2);
	assert_int_equal(hbs_message_alloc(team.member[0], 1, &slot), 0);
	assert_int_equal(hbs_message_alloc(team.member[0], 1, &again), 0);
	assert_ptr_equal(slot, again);
	assert_int_equal(hbs_message_alloc(team.member[0], 2, &other), 0);
	assert_ptr_not_equal(slot, other);
	assert_int_equal((uintptr_t)slot % 8, 0);
	memset(slot, 'a', 56);
	memset(other, 'b', 56);
	/* nobody can see it yet */
	assert_int_equal(hbs_message_can_recv(team.member[1]), 0);
	assert_int_equal(hbs_message_post(team.member[0], 1, 57), -EMSGSIZE);
	assert_int_equal(hbs_message_post(team.member[0], 1, 56), 0);
	assert_int_equal(hbs_message_post(team.member[0], 1, 56), -EINVAL);
	assert_int_equal(hbs_message_post(team.member[0], 2, 1), 0);
	assert_int_equal(hbs_message_recv(team.member[1], &message), 0);
	/* no copy was made */
	assert_ptr_equal(message.data, slot);
	assert_int_equal(message.size, 56);
	assert_memory_equal(message.data,
			    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 56);
	assert_int_equal(hbs_message_free(team.member[1], &message), 0);
	assert_int_equal(hbs_message_recv(team.member[2], &message), 0);
	assert_int_equal(message.size, 1);
	assert_memory_equal(message.data, "b", 1);
	assert_int_equal(hbs_message_free(team.member[2], &message), 0);
	/* a message that is sent otherwise takes the slot away */
	assert_int_equal(hbs_message_alloc(team.member[0], 1, &slot), 0);
	assert_int_equal(send_number(&team, 0, 1, 5), 0);
	assert_int_equal(hbs_message_post(team.member[0], 1, 1), -EINVAL);
	receive(&team, 1, 0, 5);
	team_close(&team);
}

/* A queue holds as many messages as it has slots, until they are freed: not until they are taken */
static void full(void **state)
{
	static const uint32_t depths[] = { 1, 2, 16, 32768 };

	(void)state;
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		uint32_t depth = depths[i];
		struct hbs_message message;
		struct team team;
		void *slot;

		team_open(&team, 0, depth);
		for (uint32_t j = 0; j < depth; j++) {
			assert_int_equal(hbs_message_can_send(team.member[0], 1), 1);
			assert_int_equal(send_number(&team, 0, 1, j), 0);
		}
		for (int again = 0; again < 2; again++) {
			assert_int_equal(hbs_message_can_send(team.member[0], 1), 0);
			assert_int_equal(send_number(&team, 0, 1, depth), -EAGAIN);
			assert_int_equal(hbs_message_alloc(team.member[0], 1, &slot), -EAGAIN);
			if (!again)
				assert_int_equal(hbs_message_recv(team.member[1], &message), 0);
		}
		/* the queues to others, and from the one that cannot send, are as before */
		assert_int_equal(send_number(&team, 0, 2, 1), 0);
		receive(&team, 2, 0, 1);
		assert_int_equal(send_number(&team, 1, 0, 2), 0);
		receive(&team, 0, 1, 2);
		assert_int_equal(number_of(&message), 0);
		assert_int_equal(hbs_message_free(team.member[1], &message), 0);
		assert_int_equal(hbs_message_can_send(team.member[0], 1), 1);
		assert_int_equal(send_number(&team, 0, 1, depth), 0);
		assert_int_equal(hbs_message_can_send(team.member[0], 1), 0);
		for (uint32_t j = 1; j <= depth; j++)
			receive(&team, 1, 0, j);
		assert_int_equal(hbs_message_recv(team.member[1], &message), -EAGAIN);
		assert_int_equal(hbs_message_can_recv(team.member[1]), 0);
		team_close(&team);
	}
}

/* So often that all counters begin anew */
static void counters_wrap(void **state)
{
	struct team team;

	(void)state;
	team_open(&team, 0, 4);
	for (uint64_t i = 0; i < 3 * 65536 + 10; i++) {
		assert_int_equal(send_number(&team, 2, 1, i), 0);
		if (i % 3 == 2)
			for (uint64_t j = i - 2; j <= i; j++)
				receive(&team, 1, 2, j);
	}
	team_close(&team);
}

static void freeing(void **state)
{
	struct hbs_message first, second, other, wrong;
	struct team team;

	(void)state;
	team_open(&team, 0, 4);
	assert_int_equal(send_number(&team, 0, 1, 1), 0);
	assert_int_equal(send_number(&team, 0, 1, 2), 0);
	assert_int_equal(send_number(&team, 2, 1, 3), 0);
	for (int i = 0; i < 3; i++) {
		struct hbs_message message;

		assert_int_equal(hbs_message_recv(team.member[1], &message), 0);
		*(message.from ? &other : number_of(&message) == 1 ? &first : &second) = message;
	}
	assert_int_equal(number_of(&first), 1);
	assert_int_equal(number_of(&second), 2);
	assert_int_equal(number_of(&other), 3);
	assert_int_equal(hbs_message_free(team.member[1], &second), -EINVAL);
	/* those of others in any order */
	assert_int_equal(hbs_message_free(team.member[1], &other), 0);
	assert_int_equal(hbs_message_free(team.member[1], &other), -EINVAL);
	wrong = first;
	wrong.from = 2;
	assert_int_equal(hbs_message_free(team.member[1], &wrong), -EINVAL);
	assert_int_equal(hbs_message_free(team.member[0], &first), -EINVAL);
	assert_int_equal(hbs_message_free(team.member[1], &first), 0);
	assert_int_equal(hbs_message_free(team.member[1], &first), -EINVAL);
	assert_int_equal(hbs_message_free(team.member[1], &second), 0);
	team_close(&team);
}

/* A sender that goes on sending does not keep another one from its turn */
static void turns(void **state)
{
	unsigned int others = 0;
	struct team team;

	(void)state;
	team_open(&team, 0, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(send_number(&team, 0, 1, 0), 0);
	receive(&team, 1, 0, 0);
	assert_int_equal(send_number(&team, 0, 1, 0), 0);
	assert_int_equal(send_number(&team, 2, 1, 1), 0);
	assert_int_equal(send_number(&team, 1, 1, 2), 0);
	/* the rest of what was in the queue, and the two others */
	for (int i = 0; i < 5; i++) {
		struct hbs_message message;

		assert_int_equal(hbs_message_recv(team.member[1], &message), 0);
		assert_int_equal(hbs_message_free(team.member[1], &message), 0);
		others += message.from != 0;
		if (!message.from)
			assert_int_equal(send_number(&team, 0, 1, 0), 0);
	}
	assert_int_equal(others, 2);
	team_close(&team);
}

static void multicast(void **state)
{
	struct hbs_message message;
	struct team team;
	uint64_t set = 0;

	(void)state;
	team_open(&team, 0, 1);
	assert_int_equal(hbs_message_multicast(team.member[0], &set, "x", 1), 0);
	set = 1 << MEMBERS;
	assert_int_equal(hbs_message_multicast(team.member[0], &set, "x", 1), -EINVAL);
	set = UINT64_MAX;
	assert_int_equal(hbs_message_multicast(team.member[0], &set, "x", 1), -EINVAL);
	for (uint32_t i = 0; i < MEMBERS; i++)
		assert_int_equal(hbs_message_can_recv(team.member[i]), 0);
	assert_int_equal(send_number(&team, 0, 1, 1), 0);
	set = 7;
	/* the queue to 1 is full */
	assert_int_equal(hbs_message_multicast(team.member[0], &set, "x", 1), -EAGAIN);
	assert_int_equal(set, 2);
	assert_int_equal(hbs_message_multicast(team.member[0], &set, "x", 1), -EAGAIN);
	assert_int_equal(set, 2);
	receive(&team, 1, 0, 1);
	assert_int_equal(hbs_message_multicast(team.member[0], &set, "x", 1), 0);
	assert_int_equal(set, 0);
	for (uint32_t i = 0; i < MEMBERS; i++) {
		assert_int_equal(hbs_message_recv(team.member[i], &message), 0);
		assert_int_equal(message.size, 1);
		assert_memory_equal(message.data, "x", 1);
		assert_int_equal(message.from, 0);
		assert_int_equal(hbs_message_free(team.member[i], &message), 0);
		assert_int_equal(hbs_message_can_recv(team.member[i]), 0);
	}
	team_close(&team);
}

/* Many members: sets of several words, and each sender is found */
static void many(void **state)
{
	static const uint32_t counts[] = { 2, 5, 31, 32, 33, 63, 64, 65, 200, 1024 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint32_t count = counts[i];
		struct hbs_messages *messages = make_messages(count, 0, 1);
		struct hbs_mailbox **member = calloc(count, sizeof(*member));
		struct hbs_message message;
		uint64_t set[1024 / 64] = { 0 };
		bool seen[1024] = { false };

		assert_non_null(member);
		for (uint32_t j = 0; j < count; j++)
			member[j] = open_mailbox(messages, j);
		/* one after the other, from wherever the last search ended */
		for (uint32_t j = 0; j < 2 * count; j++) {
			uint32_t from = j * 7 % count;

			assert_int_equal(hbs_message_send(member[from], 0, NULL, 0), 0);
			assert_int_equal(hbs_message_recv(member[0], &message), 0);
			assert_int_equal(message.from, from);
			assert_int_equal(hbs_message_free(member[0], &message), 0);
		}
		for (uint32_t j = 0; j < count; j++) {
			set[j / 64] |= 1ULL << j % 64;
			assert_int_equal(hbs_message_send(member[j], count / 2, &j, sizeof(j)), 0);
		}
		for (uint32_t j = 0; j < count; j++) {
			assert_int_equal(hbs_message_can_recv(member[count / 2]), 1);
			assert_int_equal(hbs_message_recv(member[count / 2], &message), 0);
			assert_false(seen[message.from]);
			assert_memory_equal(message.data, &message.from, sizeof(message.from));
			seen[message.from] = true;
			assert_int_equal(hbs_message_free(member[count / 2], &message), 0);
		}
		assert_int_equal(hbs_message_can_recv(member[count / 2]), 0);
		assert_int_equal(hbs_message_multicast(member[1], set, "all", 4), 0);
		for (uint32_t j = 0; j < count; j++) {
			assert_int_equal(set[j / 64], 0);
			assert_int_equal(hbs_message_recv(member[j], &message), 0);
			assert_string_equal(message.data, "all");
			assert_int_equal(message.from, 1);
			assert_int_equal(hbs_mailbox_close(member[j]), 0);
		}
		if (count % 64) {
			set[count / 64] = 1ULL << count % 64;
			member[0] = open_mailbox(messages, 0);
			assert_int_equal(hbs_message_multicast(member[0], set, "all", 4), -EINVAL);
			hbs_mailbox_close(member[0]);
		}
		free(member);
		assert_int_equal(hbs_messages_close(messages), 0);
	}
}

/* The next mailbox of a member goes on where the last one stopped */
static void goes_on(void **state)
{
	struct hbs_message message;
	struct team team;

	(void)state;
	team_open(&team, 0, 4);
	for (uint64_t i = 1; i <= 3; i++)
		assert_int_equal(send_number(&team, 0, 1, i), 0);
	receive(&team, 1, 0, 1);
	/* this one is taken, and not freed */
	assert_int_equal(hbs_message_recv(team.member[1], &message), 0);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(hbs_mailbox_close(team.member[i]), 0);
		team.member[i] = open_mailbox(team.messages, i);
	}
	receive(&team, 1, 0, 2);
	receive(&team, 1, 0, 3);
	for (uint64_t i = 4; i <= 7; i++)
		assert_int_equal(send_number(&team, 0, 1, i), 0);
	assert_int_equal(send_number(&team, 0, 1, 8), -EAGAIN);
	/* and a member may send to one that has no mailbox yet */
	assert_int_equal(hbs_mailbox_close(team.member[1]), 0);
	assert_int_equal(hbs_message_can_send(team.member[0], 1), 0);
	team.member[1] = open_mailbox(team.messages, 1);
	for (uint64_t i = 4; i <= 7; i++)
		receive(&team, 1, 0, i);
	team_close(&team);
}

static void counts(struct hbs_mailbox *mailbox, int64_t balance, bool has_freed)
{
	bool freed;

	assert_int_equal(hbsi_mailbox_balance(mailbox, &freed), balance);
	assert_int_equal(freed, has_freed);
}

/* What counts when, for termination detection */
static void counting(void **state)
{
	struct hbs_message message;
	struct team team;
	uint64_t set = 6;
	void *slot;

	(void)state;
	team_open(&team, 0, 1);
	counts(team.member[0], 0, false);
	assert_int_equal(hbs_message_alloc(team.member[0], 1, &slot), 0);
	counts(team.member[0], 0, false);
	assert_int_equal(hbs_message_post(team.member[0], 1, 1), 0);
	/* one more that has no room counts for nothing */
	assert_int_equal(send_number(&team, 0, 1, 1), -EAGAIN);
	assert_int_equal(hbs_message_multicast(team.member[0], &set, "x", 1), -EAGAIN);
	counts(team.member[0], 2, false);
	counts(team.member[0], 0, false);
	/* neither a message in the queue nor one that was taken counts */
	assert_int_equal(hbs_message_can_recv(team.member[1]), 1);
	counts(team.member[1], 0, false);
	assert_int_equal(hbs_message_recv(team.member[1], &message), 0);
	counts(team.member[1], 0, false);
	assert_int_equal(hbs_message_free(team.member[1], &message), 0);
	assert_int_equal(hbs_message_free(team.member[1], &message), -EINVAL);
	counts(team.member[1], -1, true);
	counts(team.member[1], 0, false);
	/* as many sent as freed is not nothing */
	assert_int_equal(hbs_message_recv(team.member[2], &message), 0);
	assert_int_equal(hbs_message_free(team.member[2], &message), 0);
	assert_int_equal(send_number(&team, 2, 0, 1), 0);
	counts(team.member[2], 0, true);
	team_close(&team);
}

/* A message of the next epoch stays; one of any other is an error */
static void epochs(void **state)
{
	struct hbs_message message;
	struct team team;

	(void)state;
	team_open(&team, 0, 4);
	for (uint32_t i = 0; i < MEMBERS; i++)
		hbsi_mailbox_set_epoch(team.member[i], UINT32_MAX);
	assert_int_equal(send_number(&team, 0, 1, 1), 0);
	hbsi_mailbox_set_epoch(team.member[0], 0);
	assert_int_equal(send_number(&team, 0, 1, 2), 0);
	assert_int_equal(send_number(&team, 2, 1, 3), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(hbs_message_can_recv(team.member[1]), 1);
		assert_int_equal(hbs_message_recv(team.member[1], &message), 0);
		assert_int_equal(message.epoch, UINT32_MAX);
		assert_int_equal(number_of(&message), message.from ? 3 : 1);
		assert_int_equal(hbs_message_free(team.member[1], &message), 0);
	}
	assert_int_equal(hbs_message_can_recv(team.member[1]), 0);
	assert_int_equal(hbs_message_recv(team.member[1], &message), -EAGAIN);
	hbsi_mailbox_set_epoch(team.member[1], 0);
	assert_int_equal(hbs_message_can_recv(team.member[1]), 1);
	assert_int_equal(hbs_message_recv(team.member[1], &message), 0);
	assert_int_equal(message.epoch, 0);
	assert_int_equal(number_of(&message), 2);
	assert_int_equal(hbs_message_free(team.member[1], &message), 0);
	/* from an epoch that is over */
	assert_int_equal(send_number(&team, 2, 1, 4), 0);
	assert_int_equal(hbs_message_recv(team.member[1], &message), -EBADMSG);
	/* and from one that cannot have begun */
	hbsi_mailbox_set_epoch(team.member[0], 1);
	assert_int_equal(send_number(&team, 0, 2, 5), 0);
	assert_int_equal(hbs_message_recv(team.member[2], &message), -EBADMSG);
	team_close(&team);
}

/* A message that stays holds up those behind it, and nobody else's */
static void stays_in_order(void **state)
{
	struct hbs_message message;
	struct team team;

	(void)state;
	team_open(&team, 0, 4);
	hbsi_mailbox_set_epoch(team.member[0], 1);
	assert_int_equal(send_number(&team, 0, 1, 1), 0);
	assert_int_equal(send_number(&team, 0, 1, 2), 0);
	assert_int_equal(hbs_message_recv(team.member[1], &message), -EAGAIN);
	for (uint64_t i = 0; i < 9; i++) {
		assert_int_equal(send_number(&team, 2, 1, i), 0);
		receive(&team, 1, 2, i);
	}
	assert_int_equal(hbs_message_can_recv(team.member[1]), 0);
	hbsi_mailbox_set_epoch(team.member[1], 1);
	receive(&team, 1, 0, 1);
	receive(&team, 1, 0, 2);
	team_close(&team);
}

/* Set words of the memory that this member must not believe */
static void wrong_numbers(void **state)
{
	struct hbs_message message;
	struct messages_layout *layout;
	struct message_slot *slot;
	struct team team;
	void *payload;

	(void)state;
	for (int kind = 0; kind < 7; kind++) {
		team_open(&team, 0, 4);
		layout = &team.messages->layout;
		assert_int_equal(send_number(&team, 0, 1, 1), 0);
		assert_int_equal(send_number(&team, 0, 1, 2), 0);
		receive(&team, 1, 0, 1);
		slot = slot_of(layout, slots_of(layout, 1, 0), 1);
		switch (kind) {
		case 0: /* more than it holds */
			receive(&team, 1, 0, 2);
			*queued_of(layout, 1, 0) = 7;
			break;
		case 1: /* less than were taken */
			receive(&team, 1, 0, 2);
			*queued_of(layout, 1, 0) = 1;
			break;
		case 2:
			slot->size = 57;
			break;
		case 3:
			slot->size = UINT32_MAX;
			break;
		case 4:
			slot->epoch = 2;
			break;
		case 5:
			slot->epoch = UINT32_MAX;
			break;
		case 6: /* the message that it has counts, too */
			assert_int_equal(hbs_message_recv(team.member[1], &message), 0);
			*queued_of(layout, 1, 0) = 6;
			break;
		}
		for (int i = 0; i < 2; i++) {
			assert_int_equal(hbs_message_recv(team.member[1], &message), -EBADMSG);
			assert_int_equal(hbs_message_can_recv(team.member[1]), -EBADMSG);
			assert_int_equal(send_number(&team, 1, 2, 1), -EBADMSG);
		}
		/* the others go on */
		assert_int_equal(send_number(&team, 0, 2, 1), 0);
		receive(&team, 2, 0, 1);
		team_close(&team);
	}
	/* the receiver has freed more than there was, or less than before */
	for (int kind = 0; kind < 2; kind++) {
		team_open(&team, 0, 4);
		layout = &team.messages->layout;
		for (uint64_t i = 0; i < 4; i++)
			assert_int_equal(send_number(&team, 0, 1, i), 0);
		assert_int_equal(hbs_message_alloc(team.member[0], 2, &payload), 0);
		*freed_of(layout, 1, 0) = kind ? 5 : UINT16_MAX;
		assert_int_equal(hbs_message_can_send(team.member[0], 1), -EBADMSG);
		assert_int_equal(send_number(&team, 0, 1, 1), -EBADMSG);
		assert_int_equal(hbs_message_alloc(team.member[0], 1, &payload), -EBADMSG);
		assert_int_equal(hbs_message_post(team.member[0], 2, 1), -EBADMSG);
		assert_int_equal(hbs_message_recv(team.member[0], &message), -EBADMSG);
		/* nor does the next mailbox believe it */
		hbs_mailbox_close(team.member[0]);
		assert_int_equal(hbs_mailbox_open(team.messages, 0, &team.member[0]), -EBADMSG);
		assert_int_equal(hbs_mailbox_open(team.messages, 0, &team.member[0]), -EBADMSG);
		*freed_of(layout, 1, 0) = 0;
		team.member[0] = open_mailbox(team.messages, 0);
		team_close(&team);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members),	 cmocka_unit_test(arguments),
		cmocka_unit_test(payloads),	 cmocka_unit_test(slots),
		cmocka_unit_test(full),		 cmocka_unit_test(counters_wrap),
		cmocka_unit_test(freeing),	 cmocka_unit_test(turns),
		cmocka_unit_test(multicast),	 cmocka_unit_test(many),
		cmocka_unit_test(goes_on),	 cmocka_unit_test(counting),
		cmocka_unit_test(epochs),	 cmocka_unit_test(stays_in_order),
		cmocka_unit_test(wrong_numbers),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
