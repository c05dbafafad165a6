/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the test programs share. cmocka's asserts leave a test by longjmp, which
 * no thread but the first may do: threads return a line number instead.
 */
#ifndef TEST_THREADS_H
#define TEST_THREADS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hbs.h"

/* In a thread's function: return this line if the condition does not hold */
#define CHECK(condition)                 \
	do {                             \
		if (!(condition))        \
			return __LINE__; \
	} while (0)

/* A thread's work; @index is 0 to count - 1. Return: 0 or the line of a CHECK. */
typedef int thread_work(void *shared, unsigned int index);

/* Run @count threads; return 0, or the line at which one failed */
int run_threads(unsigned int count, thread_work *work, void *shared);

/* HBS_TEST_BACKEND, or software */
enum hbs_backend backend_under_test(void);

/* A context of it */
struct hbs *open_backend(void);

struct hbs_group *create_group(struct hbs *hbs, uint32_t members);

/* Close both, which must be possible */
void close_all(struct hbs *hbs, struct hbs_group *group);

/* How much of a long test to run: less of it where everything is slow */
unsigned int scaled(unsigned int count);

#endif /* TEST_THREADS_H */
