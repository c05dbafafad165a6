/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fuzzer: processes that make calls of the driver in random order with random
 * arguments, and keep the sequences that reach code which none reached before.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_CALLS   24
#define MAX_SITES   4096
#define MAX_EDGES   65536
#define MAX_CORPUS  4096
#define MAX_WORKERS 16
#define THREADS	    2 /* of a worker */

/* program.c: the sequences that run */

enum op {
	OP_OPEN,
	OP_CLOSE,
	OP_DUP,
	OP_IOCTL,
	OP_MMAP,
	OP_MUNMAP,
	OP_MREMAP,
	OP_MPROTECT,
	OP_MADVISE,
	OP_LOAD,
	OP_STORE,
	OP_POLL,
	OP_EPOLL,
	OP_READ,
	OP_WRITE,
	OP_FORK,
	OP_KILL,
	OP_SEND,
	OP_RECEIVE,
	OP_RACE, /* the second thread makes the next calls, at the same time */
	OP_SYSFS,
	OP_RESET,  /* of the card; one worker only */
	OP_REBIND, /* likewise */
	OPS
};

/* A call. The meaning of a, b, c, x and y depends on op; every value of them is allowed */
struct call {
	uint8_t op, a, b, c;
	uint32_t x;
	uint64_t y;
};

struct program {
	uint32_t calls;
	struct call call[MAX_CALLS];
};

/* A generator of random numbers */
struct dice {
	uint64_t state;
};

uint64_t roll(struct dice *dice);
unsigned int below(struct dice *dice, unsigned int n);
void program_random(struct program *program, struct dice *dice);
void program_mutate(struct program *program, const struct program *other, struct dice *dice);
void program_remove(struct program *program, unsigned int index);
/* As hexadecimal digits, a line for a program */
void program_print(const struct program *program);
bool program_parse(struct program *program, const char *line);

/* coverage.c: which code of the driver ran */

struct coverage {
	_Atomic uint8_t site[MAX_SITES];
	_Atomic uint8_t edge[MAX_EDGES];
};

/* The code that one run has covered */
struct trace {
	uint8_t site[MAX_SITES / 8];
	bool new_site, new_edge;
};

/* Reads the table of sites; the driver need not be loaded yet. Returns 0 or -errno */
int coverage_start(const char *path);
/* Where the driver's sections are, once it is loaded */
int coverage_locate(void);
/* This thread's calls are traced from now on; number is 0 or 1 in each process */
int coverage_thread(unsigned int number);
void coverage_clear(unsigned int number);
/* Adds the code that a thread ran to the trace, and to all that was covered */
void coverage_collect(unsigned int number, struct coverage *coverage, struct trace *trace);
unsigned int coverage_count(const struct coverage *coverage);
unsigned int coverage_sites(void);
void coverage_report(const struct coverage *coverage);

/* corpus.c: the programs that are kept */

struct corpus {
	_Atomic uint32_t count;
	struct {
		_Atomic bool ready;
		bool new_site;
		struct program program;
		struct trace trace;
	} entry[MAX_CORPUS];
};

void corpus_add(struct corpus *corpus, const struct program *program, const struct trace *trace);
/* NULL if there is none */
const struct program *corpus_pick(const struct corpus *corpus, struct dice *dice);
/* Prints as few programs as together reach all sites that the corpus reaches */
unsigned int corpus_print_fewest(const struct corpus *corpus);

/* calls.c: making calls */

/* What a thread is doing, for the watchdog */
struct watch {
	_Atomic uint64_t serial; /* odd in a call */
	_Atomic uint32_t op;
	_Atomic pid_t tid;
};

/* What the processes share */
struct shared {
	struct coverage coverage;
	struct corpus corpus;
	struct watch watch[MAX_WORKERS][THREADS];
	_Atomic uint64_t calls, programs, refused;
	_Atomic uint64_t by_op[OPS], ns_by_op[OPS];
	uint32_t seeds; /* the first programs of the corpus are from earlier runs */
	_Atomic uint32_t next_seed;
	_Atomic bool stop;
	int socket[2]; /* by which descriptors go from one to the other */
	char pci[32];
	char attributes[64]; /* the card's folder in sysfs */
	char counts[64];     /* and in debugfs */
	char device[64];
};

int calls_start(struct shared *shared, unsigned int worker);
/* Runs a program from the first call to the last, and lets go of all that it has */
void calls_run(const struct program *program);

/* worker.c: the loop of one process */

_Noreturn void worker_run(struct shared *shared, unsigned int worker, uint64_t seed);

#endif /* FUZZ_H */
