// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

uint64_t roll(struct dice *dice)
{
	/* splitmix64 */
	uint64_t z = dice->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

unsigned int below(struct dice *dice, unsigned int n)
{
	return (roll(dice) >> 32) % n;
}

/* How often each call is chosen: slow ones are rare */
static const uint8_t weight[OPS] = {
	[OP_OPEN] = 4,	 [OP_CLOSE] = 3,  [OP_DUP] = 2,	     [OP_IOCTL] = 60,  [OP_MMAP] = 12,
	[OP_MUNMAP] = 4, [OP_MREMAP] = 2, [OP_MPROTECT] = 2, [OP_MADVISE] = 2, [OP_LOAD] = 8,
	[OP_STORE] = 14, [OP_POLL] = 4,	  [OP_EPOLL] = 3,    [OP_READ] = 6,    [OP_WRITE] = 4,
	[OP_FORK] = 2,	 [OP_KILL] = 2,	  [OP_SEND] = 2,     [OP_RECEIVE] = 2, [OP_RACE] = 8,
	[OP_SYSFS] = 3,	 [OP_RESET] = 1,  [OP_REBIND] = 1,
};

static uint8_t random_op(struct dice *dice)
{
	unsigned int total = 0, at;

	for (unsigned int op = 0; op < OPS; op++)
		total += weight[op];
	at = below(dice, total);
	for (unsigned int op = 0; op < OPS; op++) {
		if (at < weight[op])
			return op;
		at -= weight[op];
	}
	return OP_IOCTL;
}

static struct call random_call(struct dice *dice)
{
	uint64_t bits = roll(dice);

	return (struct call){
		.op = random_op(dice),
		.a = bits & 0xff,
		.b = bits >> 8 & 0xff,
		.c = bits >> 16 & 0xff,
		.x = bits >> 32,
		.y = roll(dice),
	};
}

static const struct call start[] = {
	{ .op = OP_OPEN },
	{ .op = OP_IOCTL, .b = 1 }, /* HBS_PORT_ALLOC, as calls.c has them */
	{ .op = OP_MMAP },
	{ .op = OP_IOCTL, .b = 3 }, /* HBS_GROUP_CREATE */
	{ .op = OP_IOCTL, .b = 5 }, /* HBS_GROUP_JOIN */
};

static const unsigned int start_length = sizeof(start) / sizeof(*start);

void program_random(struct program *program, struct dice *dice)
{
	program->calls = 2 + below(dice, MAX_CALLS - 2);
	for (unsigned int i = 0; i < program->calls; i++)
		program->call[i] = random_call(dice);
	/* Without these first there is not much to work on */
	for (unsigned int i = 0; i < start_length && i < program->calls && below(dice, 16); i++) {
		program->call[i] = start[i];
		program->call[i].x = roll(dice);
		program->call[i].y = roll(dice);
	}
}

void program_remove(struct program *program, unsigned int index)
{
	program->calls--;
	memmove(&program->call[index], &program->call[index + 1],
		(program->calls - index) * sizeof(*program->call));
}

static void insert(struct program *program, unsigned int index, struct call call)
{
	if (program->calls == MAX_CALLS)
		program->calls--;
	memmove(&program->call[index + 1], &program->call[index],
		(program->calls - index) * sizeof(*program->call));
	program->call[index] = call;
	program->calls++;
}

static void change(struct call *call, struct dice *dice)
{
	struct call other = random_call(dice);

	switch (below(dice, 8)) {
	case 0:
		*call = other;
		break;
	case 1:
		call->a = other.a;
		break;
	case 2:
		call->b = other.b;
		break;
	case 3:
		call->c = other.c;
		break;
	case 4:
		call->x = other.x;
		break;
	case 5:
		call->y = other.y;
		break;
	case 6:
		call->y ^= 1ULL << below(dice, 64);
		break;
	default:
		call->x ^= 1U << below(dice, 32);
		break;
	}
}

void program_mutate(struct program *program, const struct program *other, struct dice *dice)
{
	unsigned int times = 1 + below(dice, 4);

	while (times--) {
		unsigned int index = below(dice, program->calls);

		switch (below(dice, 8)) {
		case 0:
		case 1:
			if (program->calls < MAX_CALLS)
				insert(program, index, random_call(dice));
			break;
		case 2:
			if (program->calls > 1)
				program_remove(program, index);
			break;
		case 3:
			if (program->calls < MAX_CALLS)
				insert(program, index, program->call[below(dice, program->calls)]);
			break;
		case 4:
			/* The end of the other program, in place of its own */
			if (other) {
				unsigned int from = below(dice, other->calls);

				program->calls = index;
				while (from < other->calls && program->calls < MAX_CALLS)
					program->call[program->calls++] = other->call[from++];
			}
			break;
		default:
			change(&program->call[index], dice);
			break;
		}
	}
}

void program_print(const struct program *program)
{
	const uint8_t *bytes = (const uint8_t *)program->call;

	printf("# corpus ");
	for (size_t i = 0; i < program->calls * sizeof(struct call); i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

bool program_parse(struct program *program, const char *line)
{
	size_t length = strspn(line, "0123456789abcdef");
	uint8_t *bytes = (uint8_t *)program->call;

	program->calls = length / 2 / sizeof(struct call);
	if (!length || length % (2 * sizeof(struct call)) || program->calls > MAX_CALLS)
		return false;
	for (size_t i = 0; i < length / 2; i++) {
		unsigned int byte;

		if (sscanf(line + 2 * i, "%2x", &byte) != 1)
			return false;
		bytes[i] = byte;
	}
	for (unsigned int i = 0; i < program->calls; i++)
		program->call[i].op %= OPS;
	return true;
}
