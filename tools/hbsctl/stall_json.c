// SPDX-License-Identifier: GPL-2.0-or-later
/* The same as JSON */
#include <string.h>

#include "document.h"
#include "records.h"
#include "stall.h"

static const char *const verdicts[] = {
	[STALL_GATHERING] = "gathering", [STALL_MOVING] = "moving",	[STALL_IDLE] = "idle",
	[STALL_STUCK] = "stuck",	 [STALL_COMPLETE] = "complete", [STALL_BROKEN] = "broken",
};

static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

static json_t *stack_json(const struct thread *thread)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < thread->frames; i++)
		json_array_append_new(array, json_string(thread->stack[i]));
	return array;
}

static json_t *hidden_json(const struct thread *thread)
{
	json_t *array = json_array();

	if (thread->where_hidden)
		json_array_append_new(array, json_string("wchan"));
	if (thread->call_hidden)
		json_array_append_new(array, json_string("syscall"));
	if (thread->stack_hidden)
		json_array_append_new(array, json_string("stack"));
	return array;
}

static json_t *thread_json(const struct absent *absent)
{
	const struct thread *thread = &absent->thread;

	if (!absent->pid || absent->elsewhere)
		return json_null();
	if (absent->ended || thread->gone)
		return json_pack("{s:b}", "ended", 1);
	if (thread->error)
		return json_pack("{s:b, s:s}", "ended", 0, "error", strerror(thread->error));
	return json_pack("{s:b, s:s, s:o, s:i, s:I, s:o, s:o, s:o, s:o}", "ended", 0, "comm",
			 thread->comm, "state", json_sprintf("%c", thread->state), "cpu",
			 thread->cpu, "ran_ms", (json_int_t)absent->ran_ms, "wchan",
			 text_or_null(thread->where), "syscall", text_or_null(thread->call),
			 "stack", stack_json(thread), "hidden", hidden_json(thread));
}

static json_t *absent_json(const struct stall *stall, const struct absent *absent)
{
	return json_pack("{s:i, s:b, s:o, s:i, s:i, s:o}", stall->unit, (int)absent->number, "dead",
			 (int)absent->dead, "tag",
			 json_sprintf("%llu", (unsigned long long)absent->tag), "pid",
			 (int)absent->pid, "tid", (int)absent->tid, "thread", thread_json(absent));
}

json_t *stall_json(const struct stall *stall)
{
	json_t *missing = json_array();
	char room[WORD_SIZE];

	for (size_t i = 0; i < stall->count; i++)
		json_array_append_new(missing, absent_json(stall, &stall->absent[i]));
	return json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:i, s:b, s:o, s:o, s:o, s:o}",
		"name", stall->name, "what", stall->what, "verdict", verdicts[stall->verdict],
		"type", stall->refutable ? "refutable" : "barrier", "reason",
		stall->reason == STALL_LEFT ? "left" : words_of(&words_reason, stall->reason, room),
		"seats", (int)stall->seats, "members", (int)stall->members, "epoch",
		document_number(stall->epoch), "moved", document_number(stall->moved), "watched_ms",
		STALL_WATCH_MS, "expired", (int)stall->expired, "timeout_ns",
		document_number(stall->timeout_ns), "waited_ns",
		stall->waited_ns ? document_number(stall->waited_ns) : json_null(), "slept_ns",
		stall->slept_ns ? document_number(stall->slept_ns) : json_null(), "missing",
		missing);
}
