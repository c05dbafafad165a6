// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "arena.h"
#include "interpreter.h"

#define LENGTH 256
#define DEPTH  8

/* State of one member; all have the same depth */
struct part {
	_Alignas(CACHE_LINE) int64_t sum;
	unsigned int depth;
};

struct interpreter {
	unsigned int members;
	struct part *parts;
	int64_t stack[DEPTH][LENGTH];
	int64_t spare[LENGTH];
};

/* What one member does in an instruction */
struct step {
	struct interpreter *machine;
	struct part *mine;
	unsigned int member;
	unsigned int from;
	unsigned int to;
	void (*wait)(unsigned int member);
};

struct interpreter *interpreter_make(unsigned int members)
{
	struct interpreter *new = arena_map(sizeof(*new));

	new->members = members;
	new->parts = arena_map(members * sizeof(*new->parts));
	return new;
}

static int64_t *top(const struct step *s, unsigned int below)
{
	return s->machine->stack[s->mine->depth - 1 - below];
}

static void push(const struct step *s, int64_t value, int64_t slope)
{
	int64_t *vector = s->machine->stack[s->mine->depth++];

	for (unsigned int i = s->from; i < s->to; i++)
		vector[i] = value + slope * i;
}

static void copy(const struct step *s, unsigned int below)
{
	const int64_t *vector = top(s, below);
	int64_t *new = s->machine->stack[s->mine->depth++];

	for (unsigned int i = s->from; i < s->to; i++)
		new[i] = vector[i];
}

static void put(const struct step *s, unsigned int below)
{
	const int64_t *vector = top(s, 0);
	int64_t *into = top(s, below);

	for (unsigned int i = s->from; i < s->to; i++)
		into[i] = vector[i];
	s->mine->depth--;
}

static void combine(const struct step *s, enum opcode opcode)
{
	int64_t *into = top(s, 1);
	const int64_t *vector = top(s, 0);

	for (unsigned int i = s->from; i < s->to; i++)
		into[i] = opcode == OP_ADD ? into[i] + vector[i] : into[i] * vector[i];
	s->mine->depth--;
}

/* Each member's sum, which all can see; then the sum of the members before @until */
static int64_t share_sums(const struct step *s, unsigned int until)
{
	const int64_t *vector = top(s, 0);
	int64_t sum = 0;

	s->mine->sum = 0;
	for (unsigned int i = s->from; i < s->to; i++)
		s->mine->sum += vector[i];
	s->wait(s->member);
	for (unsigned int i = 0; i < until; i++)
		sum += s->machine->parts[i].sum;
	return sum;
}

static void sum(const struct step *s)
{
	int64_t all = share_sums(s, s->machine->members);

	s->mine->depth--;
	push(s, all, 0);
}

static void scan(const struct step *s)
{
	int64_t before = share_sums(s, s->member);
	int64_t *vector = top(s, 0);

	for (unsigned int i = s->from; i < s->to; i++) {
		int64_t value = vector[i];

		vector[i] = before;
		before += value;
	}
}

static void reverse(const struct step *s)
{
	int64_t *vector = top(s, 0);

	for (unsigned int i = s->from; i < s->to; i++)
		s->machine->spare[i] = vector[LENGTH - 1 - i];
	s->wait(s->member);
	for (unsigned int i = s->from; i < s->to; i++)
		vector[i] = s->machine->spare[i];
}

/* All read the same place, so all go the same way; only after that it changes */
static int64_t loop(const struct step *s, int64_t distance)
{
	int64_t *vector = top(s, 0);
	int64_t left = vector[0];

	s->wait(s->member);
	if (!left)
		return 1;
	for (unsigned int i = s->from; i < s->to; i++)
		vector[i]--;
	return distance;
}

int64_t interpreter_step(struct interpreter *machine, const struct instruction *instruction,
			 unsigned int member, void (*wait)(unsigned int member))
{
	struct step step = {
		.machine = machine,
		.mine = &machine->parts[member],
		.member = member,
		.from = LENGTH * member / machine->members,
		.to = LENGTH * (member + 1) / machine->members,
		.wait = wait,
	};
	int64_t distance = 1;

	wait(member);
	switch (instruction->opcode) {
	case OP_NOP:
	case OP_END:
		break;
	case OP_CONST:
		push(&step, instruction->operand, 0);
		break;
	case OP_INDEX:
		push(&step, 0, 1);
		break;
	case OP_ADD:
	case OP_MUL:
		combine(&step, instruction->opcode);
		break;
	case OP_COPY:
		copy(&step, (unsigned int)instruction->operand);
		break;
	case OP_PUT:
		put(&step, (unsigned int)instruction->operand);
		break;
	case OP_POP:
		step.mine->depth--;
		break;
	case OP_SUM:
		sum(&step);
		break;
	case OP_SCAN:
		scan(&step);
		break;
	case OP_REVERSE:
		reverse(&step);
		break;
	case OP_LOOP:
		distance = loop(&step, instruction->operand);
		break;
	}
	wait(member);
	return distance;
}

void interpreter_run(struct interpreter *machine, const struct instruction *program,
		     unsigned int member, void (*wait)(unsigned int member))
{
	machine->parts[member].depth = 0;
	while (program->opcode != OP_END)
		program += interpreter_step(machine, program, member, wait);
}

uint64_t interpreter_digest(const struct interpreter *machine)
{
	uint64_t digest = machine->parts[0].depth;

	for (unsigned int i = 0; digest && i < LENGTH; i++)
		digest = (digest ^ (uint64_t)machine->stack[machine->parts[0].depth - 1][i]) *
			 0x100000001b3ULL;
	return digest;
}
