/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a thread is, as far as /proc shows it to this user */
#ifndef HBSCTL_THREAD_H
#define HBSCTL_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#define THREAD_TEXT_SIZE  256
#define THREAD_STACK_MAX  32
#define THREAD_FRAME_SIZE 96

/**
 * struct thread - a thread
 * @gone: it has ended
 * @error: why /proc does not show it at all: an error number, or 0
 * @comm: its name, escaped
 * @state: a letter of /proc/PID/stat
 * @cpu: where it ran last
 * @cpu_ticks: CPU time so far, in ticks of the kernel
 * @where: function of the kernel in which it sleeps; "" if it does not, or that is hidden
 * @where_hidden: this user may not see it
 * @call: its system call, by name; "" if it is in none, or that is hidden
 * @call_hidden: this user may not see it
 * @stack: its stack in the kernel, from the inside out
 * @frames: of that
 * @stack_hidden: this user may not see it
 */
struct thread {
	bool gone;
	int error;
	char comm[THREAD_TEXT_SIZE];
	char state;
	int cpu;
	uint64_t cpu_ticks;
	char where[THREAD_TEXT_SIZE];
	bool where_hidden;
	char call[THREAD_TEXT_SIZE];
	bool call_hidden;
	char stack[THREAD_STACK_MAX][THREAD_FRAME_SIZE];
	unsigned int frames;
	bool stack_hidden;
};

void thread_look(uint32_t pid, uint32_t tid, struct thread *thread);

#endif /* HBSCTL_THREAD_H */
