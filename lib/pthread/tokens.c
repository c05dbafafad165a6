// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * POSIX counts the arrivals of any threads; a group has members. So all members of a group join
 * when the barrier is made, and each is a token: a thread claims a token, arrives by it, and
 * gives it back when it has departed. A free token has departed from the last barrier, so a
 * thread can use it for the one in progress; and a barrier needs all tokens to complete. So a
 * thread that finds none free has come so early for the next barrier that others are still
 * leaving the last one, and a token becomes free soon.
 *
 * Each barrier takes each token once: the thread that has the first token is the serial thread.
 *
 * A thread that destroys the barrier first claims all tokens, for ever. Their memory is never
 * given back, but used again for a barrier of the same size. So a thread that arrives while the
 * barrier is destroyed, which is an error of the program, finds that the barrier is gone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../checker.h"
#include "../fork_lock.h"
#include "../internal.h"
#include "../say.h"
#include "../ticks.h"
#include "drop_in.h"
#include "tokens.h"

#define LINE	 64
#define BARRIERS 8 /* for so many barriers a thread remembers its token */

struct token {
	_Alignas(LINE) atomic_bool claimed;
	_Atomic uint32_t turns; /* barriers arrived at; only its claimer changes it */
	struct hbs_member *member;
	uint64_t arrived_ns[2]; /* if counted: when it arrived, in even and in odd turns */
};

struct tokens {
	struct tokens *next; /* in the pool */
	struct tokens *made; /* before this one */
	struct hbs_group *group;
	uint32_t count;
	uint32_t process; /* the process that made it: see "processes" */
	struct token token[];
};

static struct hbs *context;
static struct tokens *pool;	 /* of barriers that have ended */
static struct tokens *last_made; /* list of all: leak checkers do not look for them in cells */
static uint32_t processes;	 /* how many forks lead to this process, as far as it has adopted */
static void forget_parent(void);
static struct fork_lock lock = FORK_LOCK(forget_parent);
static _Thread_local __attribute__((tls_model("initial-exec"))) uint32_t last_token[BARRIERS];

/* The parent's context and groups do not belong to the child: it makes those that it uses anew */
static void forget_parent(void)
{
	processes++;
	context = NULL;
}

void hbsi_tokens_adopt(void)
{
	hbsi_fork_adopt(&lock);
}

void hbsi_tokens_open(struct hbs *hbs)
{
	hbsi_fork_lock(&lock);
	context = hbs;
	hbsi_fork_unlock(&lock);
}

static void tell(uint32_t members, int error)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		hbsi_say("libhbs-pthread: no barrier of %u can be made: %s", members,
			 hbs_strerror(error));
}

/* The lock is held */
static void dissolve(struct tokens *tokens)
{
	for (uint32_t i = 0; i < tokens->count && tokens->token[i].member; i++)
		hbs_leave(tokens->token[i].member);
	if (tokens->group)
		hbs_group_close(tokens->group);
	tokens->next = pool;
	fork_order();
	pool = tokens;
}

static struct tokens *allocate(size_t size)
{
	struct tokens *tokens = aligned_alloc(LINE, size);

	if (!tokens)
		return NULL;
	checker_ignore(tokens, size);
	tokens->made = last_made;
	fork_order();
	last_made = tokens;
	return tokens;
}

/* Tokens, all claimed, and without members; NULL: no memory. The lock is held. */
static struct tokens *take_tokens(uint32_t count)
{
	size_t size = sizeof(struct tokens) + count * sizeof(struct token);
	struct tokens **link = &pool;
	struct tokens *tokens;

	while (*link && (*link)->count != count)
		link = &(*link)->next;
	tokens = *link;
	if (tokens)
		*link = tokens->next;
	else
		tokens = allocate(size);
	if (!tokens)
		return NULL;
	tokens->group = NULL;
	tokens->count = count;
	tokens->process = processes;
	for (uint32_t i = 0; i < count; i++) {
		atomic_store(&tokens->token[i].claimed, true);
		atomic_store(&tokens->token[i].turns, 0);
		tokens->token[i].member = NULL;
	}
	return tokens;
}

static int join_all(struct tokens *tokens)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < tokens->count; i++)
		ret = hbs_join(tokens->group, &tokens->token[i].member);
	return ret;
}

static void give_back(struct token *token)
{
	atomic_store_explicit(&token->claimed, false, memory_order_release);
}

/* The lock is held */
static int make(uint32_t members, struct tokens **tokens)
{
	const struct hbs_group_attr attr = { .members = members, .promise = HBS_PROMISE_FIXED };
	struct tokens *new;
	int ret = context ? 0 : hbs_open(&context, NULL);

	if (ret)
		return ret;
	new = take_tokens(members);
	if (!new)
		return -ENOMEM;
	ret = hbs_group_create(context, &attr, &new->group);
	if (!ret)
		ret = join_all(new);
	if (ret) {
		dissolve(new);
		return ret;
	}
	for (uint32_t i = 0; i < members; i++)
		give_back(&new->token[i]);
	*tokens = new;
	return 0;
}

int hbsi_tokens_new(uint32_t members, struct tokens **tokens)
{
	int ret;

	hbsi_fork_lock(&lock);
	ret = make(members, tokens);
	hbsi_fork_unlock(&lock);
	if (ret)
		tell(members, ret);
	return ret;
}

static bool is_foreign(const struct tokens *tokens)
{
	return tokens->process != processes;
}

/* Whether a thread has arrived at the barrier in progress */
static bool is_busy(const struct tokens *tokens)
{
	uint32_t turns = atomic_load(&tokens->token[0].turns);

	for (uint32_t i = 1; i < tokens->count; i++)
		if (atomic_load(&tokens->token[i].turns) != turns)
			return true;
	return false;
}

static inline bool claim(struct token *token)
{
	return !atomic_load_explicit(&token->claimed, memory_order_relaxed) &&
	       !atomic_exchange_explicit(&token->claimed, true, memory_order_acquire);
}

/* Wait for threads that are leaving the last barrier; false if one has arrived at the next */
static bool claim_all(struct tokens *tokens)
{
	for (uint32_t i = 0; i < tokens->count; i++) {
		while (!claim(&tokens->token[i])) {
			if (is_busy(tokens)) {
				while (i)
					give_back(&tokens->token[--i]);
				return false;
			}
			sched_yield();
		}
	}
	return true;
}

bool hbsi_tokens_end(struct tokens *_Atomic *at)
{
	struct tokens *tokens = atomic_load(at);

	/* the tokens that a parent's threads hold are never given back */
	if (!is_foreign(tokens) && !claim_all(tokens))
		return false;
	atomic_store(at, NULL);
	hbsi_fork_lock(&lock);
	dissolve(tokens);
	hbsi_fork_unlock(&lock);
	return true;
}

static __attribute__((noreturn)) void give_up(const char *what, int error)
{
	/* POSIX has no error for this, and a thread that goes on without the others does wrong */
	hbsi_say("libhbs-pthread: %s: %s", what, hbs_strerror(error));
	abort();
}

static struct tokens *make_anew(struct tokens *_Atomic *at)
{
	struct tokens *old, *new;
	int ret = 0;

	hbsi_fork_lock(&lock);
	old = atomic_load(at);
	if (old && is_foreign(old)) {
		ret = make(old->count, &new);
		if (!ret) {
			atomic_store(at, new);
			dissolve(old);
		}
	}
	new = atomic_load(at);
	hbsi_fork_unlock(&lock);
	if (ret)
		give_up("a barrier in a child process", ret);
	return new;
}

/* The token that this thread had the last time, or any; NULL: the barrier has ended */
static struct token *claim_one(struct tokens *_Atomic *at, struct tokens *tokens)
{
	uint32_t *last = &last_token[(uintptr_t)tokens / LINE % BARRIERS];
	uint32_t first = *last < tokens->count ? *last : 0;
	uint32_t i = first;

	while (!claim(&tokens->token[i])) {
		i = i + 1 < tokens->count ? i + 1 : 0;
		if (i != first)
			continue;
		if (atomic_load(at) != tokens)
			return NULL;
		sched_yield();
	}
	if (atomic_load(at) != tokens) {
		/* the memory belongs to another barrier by now */
		give_back(&tokens->token[i]);
		return NULL;
	}
	*last = i;
	return &tokens->token[i];
}

/* All have arrived, and nobody can arrive at the barrier after the next before this is done */
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

	if (tokens && is_foreign(tokens))
		tokens = make_anew(at);
	token = tokens ? claim_one(at, tokens) : NULL;
	if (!token)
		return EINVAL;
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
	/* this is the last access to the group, which may be gone after it */
	give_back(token);
	return serial ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
