// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process that writes anything to the memory of messages that it shares with others. They may
 * get wrong messages and errors, but they do not crash or hang, and get nothing from outside of the
 * slots. (The build with the sanitizers sees that best.)
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "messages/messages.h"
#include "messages_test.h"
#include "shared/random.h"

#define ROUND_NS 100000000
#define ROUNDS	 12
#define MEMBERS	 3
#define CALLS	 64 /* between two looks at the clock */
#define LIMIT_S	 120

/* Of both processes: whether the victim has begun, and what happened to it */
struct account {
	atomic_bool begun;
	atomic_ulong received;
	atomic_ulong refused;
	atomic_ulong outside;
};

static struct account *account;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct victim {
	struct hbs_messages *messages;
	uint32_t rank;
};

/* Whether a message lies in the slots, and has no more bytes than one has room for */
static bool is_inside(const struct messages_layout *layout, const char *data, size_t size)
{
	size_t all = (size_t)layout->members * layout->members * layout->depth * layout->slot;
	size_t at = (size_t)(data - layout->slots);

	return at < all && at % layout->slot == HBS_MESSAGES_HEADER &&
	       size <= layout->slot - HBS_MESSAGES_HEADER;
}

static void note(const struct messages_layout *layout, int ret, void *data, size_t size)
{
	if (ret == -EBADMSG)
		atomic_fetch_add(&account->refused, 1);
	if (ret)
		return;
	if (is_inside(layout, data, size))
		memset(data, 1, size);
	else
		atomic_fetch_add(&account->outside, 1);
}

/* Everything that a member calls, whatever the calls return */
static void call_all(struct hbs_messages *messages, struct hbs_mailbox *mailbox, uint64_t *random)
{
	const struct messages_layout *layout = &messages->layout;
	uint64_t set = random_next(random) % (1 << MEMBERS);
	uint32_t to = (uint32_t)(random_next(random) >> 33) % MEMBERS;
	size_t room = layout->slot - HBS_MESSAGES_HEADER;
	struct hbs_message message;
	char data[HBS_MESSAGES_SLOT_MAX] = { 0 };
	void *slot;
	int ret;

	hbs_message_can_send(mailbox, to);
	hbs_message_send(mailbox, to, data, room);
	hbs_message_multicast(mailbox, &set, data, room);
	ret = hbs_message_alloc(mailbox, to, &slot);
	note(layout, ret, slot, room);
	hbs_message_post(mailbox, to, room);
	for (int i = 0; i < 3; i++) {
		hbs_message_can_recv(mailbox);
		ret = hbs_message_recv(mailbox, &message);
		note(layout, ret, message.data, message.size);
		if (ret)
			continue;
		if (message.from >= MEMBERS)
			atomic_fetch_add(&account->outside, 1);
		atomic_fetch_add(&account->received, 1);
		if (hbs_message_free(mailbox, &message))
			atomic_fetch_add(&account->outside, 1);
	}
}

static void *take_part(void *argument)
{
	struct victim *victim = argument;
	uint64_t end = now_ns() + ROUND_NS;
	uint64_t random = random_start(victim->rank);

	while (now_ns() < end) {
		struct hbs_mailbox *mailbox;

		if (hbs_mailbox_open(victim->messages, victim->rank, &mailbox))
			continue;
		for (int i = 0; i < CALLS; i++)
			call_all(victim->messages, mailbox, &random);
		hbs_mailbox_close(mailbox);
	}
	return NULL;
}

static void __attribute__((noreturn)) be_the_victim(int fd)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	struct victim victims[MEMBERS];
	pthread_t threads[MEMBERS];
	struct hbs_messages *messages;

	/* cmocka has handlers for them */
	for (int i = 0; i < 4; i++)
		signal(crashes[i], SIG_DFL);
	if (hbs_messages_import(fd, &messages))
		_exit(1);
	atomic_store(&account->begun, true);
	for (uint32_t i = 0; i < MEMBERS; i++) {
		victims[i] = (struct victim){ messages, i };
		if (pthread_create(&threads[i], NULL, take_part, &victims[i]))
			_exit(2);
	}
	for (int i = 0; i < MEMBERS; i++)
		pthread_join(threads[i], NULL);
	_exit(hbs_messages_close(messages) != 0);
}

/* Small numbers, bits, and any others, of a counter's size or larger */
static void scribble_at(char *at, uint64_t *random)
{
	uint64_t value = random_next(random);

	switch (random_next(random) >> 62) {
	case 0:
		value %= 5;
		break;
	case 1:
		value = 1ULL << value % 64;
		break;
	default:
		break;
	}
	if (random_next(random) >> 63)
		__atomic_store_n((uint16_t *)at, (uint16_t)value, __ATOMIC_RELAXED);
	else
		__atomic_store_n((uint64_t *)at, value, __ATOMIC_RELAXED);
}

static void scribble(struct hbs_messages *messages, uint64_t *random)
{
	const struct messages_layout *layout = &messages->layout;
	char *counters = (char *)layout->seats;
	size_t counted = (size_t)((char *)layout->freed - counters) * 2;
	uint64_t end;

	/* before that, what it finds is only an error */
	while (!atomic_load(&account->begun))
		usleep(1000);
	end = now_ns() + ROUND_NS;
	while (now_ns() < end) {
		for (int i = 0; i < 16; i++) {
			size_t in_all = (random_next(random) >> 33) % (messages->size / 8) * 8;
			size_t in_counters = (random_next(random) >> 33) % (counted / 8) * 8;

			scribble_at((char *)messages->memory + in_all, random);
			scribble_at(counters + in_counters, random);
		}
		/* so that its victims can begin anew */
		if (!(random_next(random) >> 60)) {
			memset(counters, 0, counted);
			usleep(100);
		}
	}
}

static void nobody_crashes(void **state)
{
	uint64_t random = random_start(1);

	(void)state;
	account = mmap(NULL, sizeof(*account), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	assert_ptr_not_equal(account, MAP_FAILED);
	alarm(LIMIT_S);
	for (int round = 0; round < ROUNDS; round++) {
		struct hbs_messages *messages =
			make_messages(MEMBERS, round % 3 ? 64 : 4096, 1U << round % 4);
		pid_t pid;

		atomic_store(&account->begun, false);
		pid = fork();
		if (!pid)
			be_the_victim(hbs_messages_fd(messages));
		scribble(messages, &random);
		assert_int_equal(wait_for(pid), 0);
		assert_int_equal(hbs_messages_close(messages), 0);
	}
	alarm(0);
	printf("# %lu messages received, %lu refused\n", account->received, account->refused);
	assert_int_equal(account->outside, 0);
	/* else this has not tested what it should */
	assert_true(account->received > 1000);
	assert_true(account->refused > 1000);
	munmap(account, sizeof(*account));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_crashes),
	};

	return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
