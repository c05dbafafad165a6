// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members that send at random, in bursts and to several at once, and more when they receive. An
 * oracle knows each message: each arrives once, in the order of its sender, as it was sent, in its
 * epoch, and is still so when it is freed. The members are threads, and then processes.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "messages/messages.h"
#include "messages_test.h"
#include "shared/random.h"

#define MEMBERS_MAX 8
#define EPOCHS	    4
#define HELD_MAX    8
#define MESSAGES    25000 /* in each storm, and each of its epochs has its part */

/* In a member's function: end with this line if the condition does not hold */
#define CHECK(condition)                 \
	do {                             \
		if (!(condition))        \
			return __LINE__; \
	} while (0)

struct form {
	uint32_t members;
	uint32_t slot;
	uint32_t depth;
};

/* What the oracle knows, in memory of all members */
struct epoch {
	atomic_uint finished; /* members that will send no more in it */
	atomic_ullong sent;
	atomic_ullong freed;
	atomic_llong balance; /* as the mailboxes say */
};

struct oracle {
	struct form form;
	struct epoch epochs[EPOCHS];
	/* from each member to each */
	atomic_ullong sent[MEMBERS_MAX][MEMBERS_MAX];
	atomic_ullong received[MEMBERS_MAX][MEMBERS_MAX];
	atomic_ullong sum_sent[MEMBERS_MAX][MEMBERS_MAX];
	atomic_ullong sum_received[MEMBERS_MAX][MEMBERS_MAX];
	atomic_ullong was_full;
	atomic_ullong stayed; /* a message of the next epoch was in the queue */
	atomic_int line;      /* where a member failed */
};

/* A message begins with this; then come words that follow from it */
struct head {
	uint64_t number; /* of those of its sender */
	uint64_t epoch;
};

struct member {
	struct oracle *oracle;
	struct hbs_messages *messages;
	struct hbs_mailbox *mailbox;
	uint32_t rank;
	uint32_t payload;
	uint32_t epoch;
	uint64_t random;
	uint64_t number;
	uint64_t sent;
	uint64_t freed;
	int64_t freed_in_epoch;
	uint64_t budget; /* messages that it may send in this epoch */
	uint64_t owed;	 /* that it shall send because it received some */
	uint64_t last[MEMBERS_MAX];
	struct hbs_message held[MEMBERS_MAX][HELD_MAX]; /* of each sender, the oldest one first */
	unsigned int held_count[MEMBERS_MAX];
};

static uint64_t some(struct member *member, uint64_t below)
{
	return (random_next(&member->random) >> 33) % below;
}

static uint32_t size_of(const struct member *member, uint32_t from, uint64_t number)
{
	uint64_t random = random_start(number << 8 | from);

	random_next(&random);
	return (uint32_t)(sizeof(struct head) + (random_next(&random) >>
						 33) % (member->payload - sizeof(struct head) + 1));
}

/* Fill the message up, or compare what is there */
static bool content(char *data, uint32_t size, uint32_t from, bool fill)
{
	uint64_t number, random;

	memcpy(&number, data, sizeof(number));
	random = random_start(number << 8 | from);
	for (uint32_t i = sizeof(struct head); i < size; i++) {
		char byte = (char)(random_next(&random) >> 56);

		if (fill)
			data[i] = byte;
		else if (data[i] != byte)
			return false;
	}
	return true;
}

static uint32_t compose(struct member *member, char *data)
{
	struct head head = { ++member->number, member->epoch };
	uint32_t size = size_of(member, member->rank, head.number);

	memcpy(data, &head, sizeof(head));
	content(data, size, member->rank, true);
	return size;
}

/* Before it is sent, since its receiver may be quick */
static void note_sent(struct member *member, uint32_t to, uint64_t number)
{
	struct oracle *oracle = member->oracle;

	atomic_fetch_add(&oracle->epochs[member->epoch].sent, 1);
	atomic_fetch_add(&oracle->sent[member->rank][to], 1);
	atomic_fetch_add(&oracle->sum_sent[member->rank][to], number);
	member->sent++;
}

static int free_oldest(struct member *member, uint32_t from)
{
	struct hbs_message message = member->held[from][0];
	struct oracle *oracle = member->oracle;
	struct head head;

	memcpy(&head, message.data, sizeof(head));
	CHECK(message.size == size_of(member, from, head.number));
	CHECK(content(message.data, message.size, from, false));
	atomic_fetch_add(&oracle->received[from][member->rank], 1);
	atomic_fetch_add(&oracle->sum_received[from][member->rank], head.number);
	CHECK(!hbs_message_free(member->mailbox, &message));
	memmove(&member->held[from][0], &member->held[from][1],
		sizeof(message) * --member->held_count[from]);
	member->freed++;
	member->freed_in_epoch++;
	atomic_fetch_add(&oracle->epochs[member->epoch].freed, 1);
	return 0;
}

/* Receive one, if there is one, and free some. Return: 0, a line, or -EAGAIN if there was none. */
static int receive(struct member *member)
{
	struct hbs_message message;
	struct head head;
	uint32_t from;
	int ret = hbs_message_recv(member->mailbox, &message);

	if (ret == -EAGAIN)
		return ret;
	CHECK(!ret);
	from = message.from;
	CHECK(from < member->oracle->form.members);
	CHECK(message.size >= sizeof(head) && message.size <= member->payload);
	memcpy(&head, message.data, sizeof(head));
	CHECK(message.epoch == member->epoch && head.epoch == member->epoch);
	CHECK(head.number > member->last[from]);
	member->last[from] = head.number;
	member->held[from][member->held_count[from]++] = message;
	member->owed += some(member, 3);
	if (member->held_count[from] == HELD_MAX || some(member, 2))
		return free_oldest(member, from);
	return 0;
}

static int free_all(struct member *member)
{
	int line = 0;

	for (uint32_t from = 0; !line && from < member->oracle->form.members; from++)
		while (!line && member->held_count[from])
			line = free_oldest(member, from);
	return line;
}

/* There was no room. A member can always receive, and then there is room some time. */
static int make_room(struct member *member)
{
	int line = receive(member);

	atomic_fetch_add(&member->oracle->was_full, 1);
	if (line != -EAGAIN)
		return line;
	line = free_all(member);
	sched_yield();
	return line;
}

static int send_one(struct member *member, uint32_t to)
{
	char data[HBS_MESSAGES_SLOT_MAX];
	uint32_t size;
	void *slot;
	int ret;

	while (!(ret = hbs_message_can_send(member->mailbox, to))) {
		ret = make_room(member);
		CHECK(!ret);
	}
	CHECK(ret == 1);
	if (some(member, 2)) {
		CHECK(!hbs_message_alloc(member->mailbox, to, &slot));
		size = compose(member, slot);
		note_sent(member, to, member->number);
		CHECK(!hbs_message_post(member->mailbox, to, size));
	} else {
		size = compose(member, data);
		note_sent(member, to, member->number);
		CHECK(!hbs_message_send(member->mailbox, to, data, size));
	}
	return 0;
}

static int send_to_several(struct member *member)
{
	uint32_t members = member->oracle->form.members;
	uint64_t set = some(member, 1ULL << members);
	char data[HBS_MESSAGES_SLOT_MAX];
	uint32_t size = compose(member, data);
	int ret;

	for (uint32_t to = 0; to < members; to++)
		if (set >> to & 1)
			note_sent(member, to, member->number);
	while ((ret = hbs_message_multicast(member->mailbox, &set, data, size)) == -EAGAIN) {
		CHECK(set);
		ret = make_room(member);
		CHECK(!ret);
	}
	CHECK(!ret && !set);
	return 0;
}

static int send_some(struct member *member)
{
	uint32_t to = (uint32_t)some(member, member->oracle->form.members);
	uint64_t burst = some(member, 8) ? 1 : some(member, 40) + 1;
	int line = 0;

	if (burst > member->budget)
		burst = member->budget;
	member->budget -= burst;
	if (!some(member, 8))
		return send_to_several(member);
	while (!line && burst--)
		line = send_one(member, to);
	return line;
}

static bool is_over(struct epoch *epoch, uint32_t members)
{
	return atomic_load(&epoch->finished) == members &&
	       atomic_load(&epoch->sent) == atomic_load(&epoch->freed);
}

static int end_epoch(struct member *member, uint64_t sent_before)
{
	struct epoch *epoch = &member->oracle->epochs[member->epoch];
	int64_t balance;
	bool has_freed;

	balance = hbsi_mailbox_balance(member->mailbox, &has_freed);
	CHECK(balance == (int64_t)(member->sent - sent_before) - member->freed_in_epoch);
	CHECK(has_freed == (member->freed_in_epoch != 0));
	atomic_fetch_add(&epoch->balance, balance);
	CHECK(hbs_message_can_recv(member->mailbox) == 0);
	for (uint32_t i = 0; i < member->oracle->form.members; i++)
		if (*queued_of(&member->messages->layout, member->rank, i) !=
		    *freed_of(&member->messages->layout, member->rank, i))
			atomic_fetch_add(&member->oracle->stayed, 1);
	return 0;
}

static int live_one_epoch(struct member *member)
{
	uint32_t members = member->oracle->form.members;
	struct epoch *epoch = &member->oracle->epochs[member->epoch];
	uint64_t sent_before = member->sent;
	bool finished = false;
	int line;

	hbsi_mailbox_set_epoch(member->mailbox, member->epoch);
	member->freed_in_epoch = 0;
	member->budget = MESSAGES / EPOCHS / members;
	member->owed = 1;
	while (!is_over(epoch, members)) {
		if (member->budget && member->owed) {
			member->owed--;
			line = send_some(member);
			CHECK(!line);
		} else if (!member->budget && !finished) {
			finished = true;
			atomic_fetch_add(&epoch->finished, 1);
		}
		line = receive(member);
		CHECK(line <= 0);
		if (line == -EAGAIN) {
			line = free_all(member);
			CHECK(!line);
			/* nobody may owe anything any more */
			member->owed += member->owed ? 0 : 1;
			sched_yield();
		}
	}
	return end_epoch(member, sent_before);
}

static int live(struct oracle *oracle, struct hbs_messages *messages, uint32_t rank)
{
	struct member member = { .oracle = oracle, .messages = messages, .rank = rank };
	int line = 0;

	member.payload = oracle->form.slot - HBS_MESSAGES_HEADER;
	member.random = random_start(rank);
	CHECK(!hbs_mailbox_open(messages, rank, &member.mailbox));
	for (; !line && member.epoch < EPOCHS; member.epoch++) {
		line = live_one_epoch(&member);
		/* now and then another mailbox goes on in the midst */
		if (!line && member.epoch % 2) {
			CHECK(!hbs_mailbox_close(member.mailbox));
			CHECK(!hbs_mailbox_open(messages, rank, &member.mailbox));
		}
	}
	CHECK(!hbs_mailbox_close(member.mailbox));
	return line;
}

static void note_line(struct oracle *oracle, int line)
{
	if (line)
		atomic_store(&oracle->line, line);
}

static struct oracle *new_oracle(const struct form *form)
{
	struct oracle *oracle = mmap(NULL, sizeof(*oracle), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(oracle, MAP_FAILED);
	oracle->form = *form;
	return oracle;
}

/* After all members have ended */
static void judge(struct oracle *oracle)
{
	uint64_t all = 0;

	assert_int_equal(atomic_load(&oracle->line), 0);
	for (uint32_t from = 0; from < oracle->form.members; from++)
		for (uint32_t to = 0; to < oracle->form.members; to++) {
			assert_int_equal(oracle->sent[from][to], oracle->received[from][to]);
			assert_int_equal(oracle->sum_sent[from][to],
					 oracle->sum_received[from][to]);
			all += oracle->sent[from][to];
		}
	for (int i = 0; i < EPOCHS; i++)
		assert_int_equal(oracle->epochs[i].balance, 0);
	assert_in_range(all, MESSAGES / 2, 8 * MESSAGES);
	/* else this has not tested what it should */
	assert_true(oracle->was_full > 0 || oracle->form.depth > 16);
	print_message("# %u members, %u slots of %u: %llu messages, %llu times full, %llu stayed\n",
		      oracle->form.members, oracle->form.depth, oracle->form.slot,
		      (unsigned long long)all, oracle->was_full, oracle->stayed);
	munmap(oracle, sizeof(*oracle));
}

struct thread {
	struct oracle *oracle;
	struct hbs_messages *messages;
	uint32_t rank;
};

static void *live_in_thread(void *argument)
{
	struct thread *thread = argument;

	note_line(thread->oracle, live(thread->oracle, thread->messages, thread->rank));
	return NULL;
}

static const struct form forms[] = {
	{ 2, 64, 16 }, { 2, 4096, 1 }, { 3, 128, 2 }, { 5, 64, 1 }, { 8, 64, 4 }, { 8, 192, 64 },
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* A member that fails makes the others wait for ever */
#define LIMIT_S 120

static void threads(void **state)
{
	(void)state;
	alarm(LIMIT_S);
	for (size_t i = 0; i < FORMS; i++) {
		struct oracle *oracle = new_oracle(&forms[i]);
		struct hbs_messages *messages =
			make_messages(forms[i].members, forms[i].slot, forms[i].depth);
		struct thread thread[MEMBERS_MAX];
		pthread_t id[MEMBERS_MAX];

		for (uint32_t rank = 0; rank < forms[i].members; rank++) {
			thread[rank] = (struct thread){ oracle, messages, rank };
			assert_int_equal(
				pthread_create(&id[rank], NULL, live_in_thread, &thread[rank]), 0);
		}
		for (uint32_t rank = 0; rank < forms[i].members; rank++)
			pthread_join(id[rank], NULL);
		judge(oracle);
		assert_int_equal(hbs_messages_close(messages), 0);
	}
	alarm(0);
}

static void __attribute__((noreturn)) be_a_process(struct oracle *oracle, int fd, uint32_t rank)
{
	struct hbs_messages *messages;

	if (hbs_messages_import(fd, &messages))
		_exit(1);
	note_line(oracle, live(oracle, messages, rank));
	_exit(hbs_messages_close(messages) != 0);
}

static void processes(void **state)
{
	(void)state;
	alarm(LIMIT_S);
	for (size_t i = 0; i < FORMS; i++) {
		struct oracle *oracle = new_oracle(&forms[i]);
		struct hbs_messages *messages =
			make_messages(forms[i].members, forms[i].slot, forms[i].depth);
		pid_t pid[MEMBERS_MAX];

		for (uint32_t rank = 0; rank < forms[i].members; rank++) {
			pid[rank] = fork();
			if (!pid[rank])
				be_a_process(oracle, hbs_messages_fd(messages), rank);
		}
		for (uint32_t rank = 0; rank < forms[i].members; rank++)
			assert_int_equal(wait_for(pid[rank]), 0);
		judge(oracle);
		assert_int_equal(hbs_messages_close(messages), 0);
	}
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads),
		cmocka_unit_test(processes),
	};

	return cmocka_run_group_tests_name("storm", tests, NULL, NULL);
}
