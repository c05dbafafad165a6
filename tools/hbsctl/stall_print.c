// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known of a stuck barrier, as sentences */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/hbs.h>

#include "colour.h"
#include "format.h"
#include "stall.h"

/* More are counted only */
#define ABSENT_MAX 16

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static const char *reason_of(uint32_t reason)
{
	switch (reason) {
	case HBS_REASON_TIMEOUT:
		return "its timer expired";
	case HBS_REASON_DIED:
		return "a member died";
	case HBS_REASON_RESET:
		return "the card or the group was reset";
	case HBS_REASON_GONE:
		return "the card is gone";
	case HBS_REASON_DESTROYED:
		return "somebody destroyed it";
	case HBS_REASON_DMA:
		return "the card could not reach memory";
	case HBS_REASON_OVERFLOW:
		return "more messages are in flight than it can count";
	case STALL_LEFT:
		return "a member left, and its algorithm needs all of them";
	default:
		return "nobody knows why";
	}
}

static void print_stuck(const struct stall *stall)
{
	char text[FORMAT_SIZE];

	printf("%sIt is stuck:%s %zu of %u members %s not %s", colour_on(COLOUR_BAD),
	       colour_off(COLOUR_BAD), stall->count, stall->members,
	       stall->count == 1 ? "has" : "have", stall->refutable ? "become idle" : "arrived");
	printf(", and nothing has changed in %d ms.\n", STALL_WATCH_MS);
	if (stall->waited_ns)
		printf("The first of the others arrived %s ago.\n",
		       format_ns(stall->waited_ns, text));
	/* it may have had messages since, and have worked */
	else if (stall->refutable && !stall->expired)
		puts("It is not known since when the others are idle.");
	else if (stall->slept_ns)
		printf("Of those that sleep, the first has waited for %s.\n",
		       format_ns(stall->slept_ns, text));
	else if (!stall->expired)
		puts("None of the others has gone to sleep in a wait, so nobody has noted since "
		     "when they wait.");
	if (!stall->waited_ns && stall->expired)
		printf("Its timer of %s has expired since the first of the others arrived.\n",
		       format_ns(stall->timeout_ns, text));
}

static void print_verdict(const struct stall *stall)
{
	switch (stall->verdict) {
	case STALL_GATHERING:
		printf("It has not started: %u of its seats have nobody yet.\n",
		       stall->members < stall->seats ? stall->seats - stall->members : 0);
		break;
	case STALL_MOVING:
		printf("It is not stuck: %" PRIu64 " epoch%s ended in %d ms.\n", stall->moved,
		       plural(stall->moved), STALL_WATCH_MS);
		break;
	case STALL_IDLE:
		printf("Nobody waits: none of its members has %s yet.\n",
		       stall->refutable ? "become idle" : "arrived");
		break;
	case STALL_STUCK:
		print_stuck(stall);
		break;
	case STALL_COMPLETE:
		puts(stall->refutable ? "All its members are idle, so messages are still in flight."
				      : "All its members have arrived.");
		break;
	case STALL_BROKEN:
		printf("%sIt is broken:%s %s.\n", colour_on(COLOUR_BAD), colour_off(COLOUR_BAD),
		       reason_of(stall->reason));
		break;
	}
}

static void print_state(const struct absent *absent)
{
	const struct thread *thread = &absent->thread;

	switch (thread->state) {
	case 'R':
		printf("    It runs, on CPU %d", thread->cpu);
		break;
	case 'S':
		printf("    It sleeps");
		break;
	case 'D':
		printf("    It sleeps, and no signal can wake it");
		break;
	case 'T':
		printf("    A signal has stopped it; SIGCONT lets it go on");
		break;
	case 't':
		printf("    A debugger has stopped it");
		break;
	case 'Z':
	case 'X':
		printf("    It has ended");
		break;
	default:
		printf("    It is in the state %c", thread->state >= ' ' ? thread->state : '?');
	}
	if (*thread->where)
		printf(", in the kernel's function %s", thread->where);
	if (*thread->call)
		printf(", in the system call %s", thread->call);
	printf("; it used %" PRIu64 " ms of CPU time in %d ms.\n", absent->ran_ms, STALL_WATCH_MS);
}

/* What this user may not see, and why */
static void print_hidden(const struct thread *thread)
{
	const char *hidden[3];
	size_t count = 0;

	if (thread->where_hidden)
		hidden[count++] = "the kernel's function in which it sleeps";
	if (thread->call_hidden)
		hidden[count++] = "its system call";
	if (thread->stack_hidden)
		hidden[count++] = "its stack in the kernel";
	if (!count)
		return;
	printf("    You may not see ");
	for (size_t i = 0; i < count; i++)
		printf("%s%s", !i ? "" : i + 1 == count ? " and " : ", ", hidden[i]);
	printf(": %s.\n", count == 1 && thread->stack_hidden
				  ? "the kernel shows that to root alone"
				  : "root may, or (but for the stack) who may trace the process");
}

static void print_thread(const struct absent *absent)
{
	const struct thread *thread = &absent->thread;

	if (absent->ended || thread->gone) {
		puts("    The thread has ended without leaving the group.");
		return;
	}
	if (thread->error) {
		printf("    You may not see where it is: %s.\n", strerror(thread->error));
		return;
	}
	print_state(absent);
	for (unsigned int i = 0; i < thread->frames; i++)
		printf("      %s\n", thread->stack[i]);
	print_hidden(thread);
}

static void print_absent(const struct stall *stall, const struct absent *absent)
{
	printf("  %s%s %u%s, tag %" PRIu64 ": ", colour_on(COLOUR_TITLE), stall->unit,
	       absent->number, colour_off(COLOUR_TITLE), absent->tag);
	if (absent->dead)
		printf("dead; it was ");
	if (absent->pid && !absent->elsewhere) {
		printf("thread %u of process %u%s%s%s\n", absent->tid, absent->pid,
		       *absent->thread.comm ? " (" : "", absent->thread.comm,
		       *absent->thread.comm ? ")" : "");
		if (!absent->dead)
			print_thread(absent);
	} else {
		puts("a thread that cannot be seen from here: it is in another PID namespace");
	}
}

void stall_print(const struct stall *stall)
{
	printf("%s%s%s: a %s%s with %u seat%s and %u member%s, in epoch %" PRIu64 ".\n",
	       colour_on(COLOUR_TITLE), stall->name, colour_off(COLOUR_TITLE),
	       stall->refutable ? "refutable " : "", stall->what, stall->seats,
	       plural(stall->seats), stall->members, plural(stall->members), stall->epoch);
	print_verdict(stall);
	if (stall->verdict != STALL_STUCK && stall->verdict != STALL_BROKEN)
		return;
	for (size_t i = 0; i < stall->count && i < ABSENT_MAX; i++)
		print_absent(stall, &stall->absent[i]);
	if (stall->count > ABSENT_MAX)
		printf("  and %zu more\n", stall->count - ABSENT_MAX);
}
