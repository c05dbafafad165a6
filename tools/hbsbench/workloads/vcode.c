// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interpreter of vector code in which all members have to agree on every instruction:
 * the time of a NOP (HARP paper, figure 3). A program that computes something shows whether
 * the barrier does what it should.
 */
#include <stddef.h>

#include "clock.h"
#include "interpreter.h"
#include "pace.h"
#include "usage.h"
#include "workload.h"

static const struct instruction nop = { OP_NOP, 0 };

/* Twice x := sum(x) + reverse(scan(x * x + index)), from the index */
static const struct instruction program[] = {
	{ OP_INDEX, 0 }, { OP_CONST, 1 },   { OP_COPY, 1 },  { OP_SUM, 0 }, { OP_COPY, 2 },
	{ OP_COPY, 0 },	 { OP_MUL, 0 },	    { OP_INDEX, 0 }, { OP_ADD, 0 }, { OP_SCAN, 0 },
	{ OP_NOP, 0 },	 { OP_REVERSE, 0 }, { OP_ADD, 0 },   { OP_PUT, 2 }, { OP_LOOP, -12 },
	{ OP_POP, 0 },	 { OP_END, 0 },
};

static void vcode_prepare(struct run *run)
{
	run->data = interpreter_make(run->members);
}

static void nops(struct run *run, unsigned int member, unsigned long count)
{
	struct interpreter *machine = run->data;
	uint64_t last = ticks_now(), now;

	for (unsigned long i = 0; i < count; i++) {
		interpreter_step(machine, &nop, member, run->wait);
		if (!member) {
			now = ticks_now();
			run->report->samples[i] = now - last;
			last = now;
		}
	}
}

static void alone(unsigned int member)
{
	(void)member;
}

/* The same program by one member */
static void check(struct run *run)
{
	struct interpreter *serial = interpreter_make(1);

	interpreter_run(serial, program, 0, alone);
	if (interpreter_digest(serial) != interpreter_digest(run->data))
		run->report->violations++;
}

static void vcode(struct run *run, unsigned int member)
{
	unsigned long count;
	struct usage usage;

	if (!run->contender->ideal) {
		interpreter_run(run->data, program, member, run->wait);
		run_meet(run);
		if (!member)
			check(run);
	}
	count = pace(run, member, nops, SAMPLES_MAX);
	run_meet(run);
	usage = usage_now();
	nops(run, member, count);
	usage_add(run->report, usage_since(usage));
	run_meet(run);
	if (member)
		return;
	run->report->sample_count = (uint32_t)count;
	run->report->barriers = count * INTERPRETER_BARRIERS;
}

const struct workload workload_vcode = {
	.name = "vcode",
	.what = "NOP of an interpreter of vector code (HARP paper, figure 3)",
	.unit = "NOP of 2 barriers",
	.distribution = true,
	.prepare = vcode_prepare,
	.work = vcode,
};
