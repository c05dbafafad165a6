// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * POSIX counts the arrivals of any threads, a group has members. So all members of a group
 * are joined when the barrier is made, and each is a token: a thread claims one, arrives by
 * it, and gives it back when it has departed. Whatever token is free has departed from the
 * last barrier, so it is good for the one in progress; and it takes all of them to complete
 * a barrier. So a thread that finds none free has come so early for the next barrier that
 * others are still leaving the last one, and one gets free soon.
 *
 * Each barrier takes each token once: who has the first one is the serial thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../internal.h"
#include "../ticks.h"
#include "drop_in.h"
#include "tokens.h"

#define LINE	 64
#define BARRIERS 8 /* of which a thread remembers its token */

struct token {
	_Alignas(LINE) atomic_bool claimed;
	_Atomic uint32_t turns; /* barriers arrived at; changed by who has claimed it */
	struct hbs_member *member;
	uint64_t arrived_ns[2]; /* if counted: at barriers of even and of odd turns */
};

struct tokens {
	struct hbs_group *group;
	uint32_t count;
	uint32_t process; /* which made it: see "processes" */
	struct token token[];
};

static struct hbs *context;
static uint32_t processes; /* forks on the way to this one */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local __attribute__((tls_model("initial-exec"))) uint32_t last_token[BARRIERS];

/*
 * The parent's context and groups are not the child's: what it uses is made anew. Nor is
 * the lock that a thread of the parent may have: fork() does not wait for it, since the
 * library has locks that it takes after this one, and fork() before it.
 */
static void in_child(void)
{
	processes++;
	context = NULL;
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void hbsi_tokens_open(struct hbs *hbs)
{
	context = hbs;
	pthread_atfork(NULL, NULL, in_child);
}

static void tell(uint32_t members, int error)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		fprintf(stderr, "libhbs-pthread: no barrier of %u can be made: %s\n", members,
			hbs_strerror(error));
}

static void dissolve(struct tokens *tokens)
{
	for (uint32_t i = 0; i < tokens->count && tokens->token[i].member; i++)
		hbs_leave(tokens->token[i].member);
	hbs_group_close(tokens->group);
	free(tokens);
}

static int join_all(struct tokens *tokens)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < tokens->count; i++)
		ret = hbs_join(tokens->group, &tokens->token[i].member);
	return ret;
}

/* The lock is held */
static int make(uint32_t members, struct tokens **tokens)
{
	const struct hbs_group_attr attr = { .members = members, .promise = HBS_PROMISE_FIXED };
	size_t size = sizeof(struct tokens) + members * sizeof(struct token);
	struct tokens *new;
	int ret = context ? 0 : hbs_open(&context, NULL);

	if (ret)
		return ret;
	new = aligned_alloc(LINE, size);
	if (!new)
		return -ENOMEM;
	memset(new, 0, size);
	new->count = members;
	new->process = processes;
	ret = hbs_group_create(context, &attr, &new->group);
	if (ret) {
		free(new);
		return ret;
	}
	ret = join_all(new);
	if (ret)
		dissolve(new);
	else
		*tokens = new;
	return ret;
}

int hbsi_tokens_new(uint32_t members, struct tokens **tokens)
{
	int ret;

	pthread_mutex_lock(&lock);
	ret = make(members, tokens);
	pthread_mutex_unlock(&lock);
	if (ret)
		tell(members, ret);
	return ret;
}

static bool is_foreign(const struct tokens *tokens)
{
	return tokens->process != processes;
}

bool hbsi_tokens_busy(const struct tokens *tokens)
{
	uint32_t turns = atomic_load(&tokens->token[0].turns);

	if (is_foreign(tokens))
		return false;
	for (uint32_t i = 1; i < tokens->count; i++)
		if (atomic_load(&tokens->token[i].turns) != turns)
			return true;
	return false;
}

void hbsi_tokens_free(struct tokens *tokens)
{
	/* those that the threads of a parent have are not given back */
	for (uint32_t i = 0; i < tokens->count && !is_foreign(tokens); i++)
		while (atomic_load_explicit(&tokens->token[i].claimed, memory_order_acquire))
			sched_yield();
	pthread_mutex_lock(&lock);
	dissolve(tokens);
	pthread_mutex_unlock(&lock);
}

static __attribute__((noreturn)) void give_up(const char *what, int error)
{
	/* POSIX has no error for it, and who goes on without the others does wrong */
	fprintf(stderr, "libhbs-pthread: %s: %s\n", what, hbs_strerror(error));
	abort();
}

static struct tokens *make_anew(struct tokens *_Atomic *at)
{
	struct tokens *old, *new;
	int ret = 0;

	pthread_mutex_lock(&lock);
	old = atomic_load(at);
	if (is_foreign(old)) {
		ret = make(old->count, &new);
		if (!ret) {
			atomic_store(at, new);
			dissolve(old);
		}
	}
	new = atomic_load(at);
	pthread_mutex_unlock(&lock);
	if (ret)
		give_up("a barrier in a child process", ret);
	return new;
}

static inline bool claim(struct token *token)
{
	return !atomic_load_explicit(&token->claimed, memory_order_relaxed) &&
	       !atomic_exchange_explicit(&token->claimed, true, memory_order_acquire);
}

/* The one that this thread had the last time, or any */
static struct token *claim_one(struct tokens *tokens)
{
	uint32_t *last = &last_token[(uintptr_t)tokens / LINE % BARRIERS];
	uint32_t first = *last < tokens->count ? *last : 0;
	uint32_t i = first;

	while (!claim(&tokens->token[i])) {
		i = i + 1 < tokens->count ? i + 1 : 0;
		if (i == first)
			sched_yield();
	}
	*last = i;
	return &tokens->token[i];
}

/* All have arrived, and none can arrive at the barrier after the next before this is done */
static void count(const struct tokens *tokens, uint32_t turn)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = 0; i < tokens->count; i++) {
		uint64_t at = tokens->token[i].arrived_ns[turn & 1];

		first = at < first ? at : first;
		last = at > last ? at : last;
	}
	hbsi_stats_count(tokens->count, last - first);
}

int hbsi_tokens_wait(struct tokens *_Atomic *at)
{
	struct tokens *tokens = atomic_load_explicit(at, memory_order_acquire);
	struct token *token;
	uint32_t turn;
	bool serial;
	int ret;

	if (is_foreign(tokens))
		tokens = make_anew(at);
	token = claim_one(tokens);
	serial = token == &tokens->token[0];
	turn = atomic_load_explicit(&token->turns, memory_order_relaxed) + 1;
	if (hbsi_stats_on)
		token->arrived_ns[turn & 1] = hbsi_clock_ns();
	atomic_store_explicit(&token->turns, turn, memory_order_relaxed);
	ret = hbs_barwait(token->member);
	if (ret)
		give_up("a barrier broke", ret);
	if (serial && hbsi_stats_on)
		count(tokens, turn);
	/* the last that it does with the group, which then may be gone */
	atomic_store_explicit(&token->claimed, false, memory_order_release);
	return serial ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
