/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs something in a process of its own, with a limit on its time */
#ifndef HBSBENCH_CHILD_H
#define HBSBENCH_CHILD_H

#include <stdbool.h>

#define CHILD_ERROR_SIZE 160

/**
 * child_run() - run @work(@arg) in a child and wait for its end
 * @work: what to run
 * @arg: its argument; memory that it writes to has to come from arena_map()
 * @most_s: seconds after which the child is killed, even if it lets nothing else run
 * @error: out: why it failed
 *
 * Return: whether @work returned
 */
bool child_run(void (*work)(void *arg), void *arg, unsigned int most_s,
	       char error[CHILD_ERROR_SIZE]);

/*
 * End the child that the caller runs in, and all its processes, with the error "what: why",
 * or just "why" if @what is NULL
 */
_Noreturn void child_die(const char *what, const char *why);

/*
 * A process that a child forked calls this first: it then ends when its parent is gone, or when
 * it has taken as long as the child may
 */
void child_start(int parent);

#endif /* HBSBENCH_CHILD_H */
