/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine for programs of whole vectors, as VCODE is: a stack of vectors, of which each
 * member holds a slice. All members interpret the same program. Before an instruction they
 * agree that it begins, and after it that it is done, by a barrier each time; so no member
 * sees a vector that another has not finished.
 */
#ifndef HBSBENCH_INTERPRETER_H
#define HBSBENCH_INTERPRETER_H

#include <stdint.h>

enum opcode {
	OP_NOP,
	OP_CONST, /* push a vector that is @operand everywhere */
	OP_INDEX, /* push 0, 1, 2... */
	OP_ADD,	  /* the sum of the two on top */
	OP_MUL,
	OP_COPY,    /* push a copy of the one that is @operand below the top */
	OP_PUT,	    /* the top replaces the one @operand below it */
	OP_POP,	    /* drop the top */
	OP_SUM,	    /* the top becomes its sum, everywhere */
	OP_SCAN,    /* each place of the top becomes the sum of all places before it */
	OP_REVERSE, /* reverse the top */
	OP_LOOP,    /* jump by @operand and decrease the top, unless it is 0 */
	OP_END,
};

struct instruction {
	enum opcode opcode;
	int64_t operand;
};

#define INTERPRETER_BARRIERS 2 /* barriers of an instruction, and one more if it combines values */

struct interpreter;

/* Memory that the members share; ends the program if there is none */
struct interpreter *interpreter_make(unsigned int members);

/* A member interprets @program from its start to OP_END, on an empty stack */
void interpreter_run(struct interpreter *machine, const struct instruction *program,
		     unsigned int member, void (*wait)(unsigned int member));

/* One instruction; returns how far to go in the program */
int64_t interpreter_step(struct interpreter *machine, const struct instruction *instruction,
			 unsigned int member, void (*wait)(unsigned int member));

/* A number that depends on all of the vector on top */
uint64_t interpreter_digest(const struct interpreter *machine);

#endif /* HBSBENCH_INTERPRETER_H */
