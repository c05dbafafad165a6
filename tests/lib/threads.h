/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the test programs share. cmocka's asserts leave a test by longjmp, which
 * only the first thread may do: other threads return a line number instead.
 */
#ifndef TEST_THREADS_H
#define TEST_THREADS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
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

/* How often members of the group have slept */
uint64_t count_sleeps(struct hbs_group *group);

/* A thread's function: one barrier of a member; returns its error */
void *barwait_in_thread(void *member);

/* Barriers at which each member is late in its turn, so that the others have to wait */
struct lateness {
	struct hbs_group *group;
	unsigned int members;
	unsigned int barriers;
	atomic_uint arrived;
};

/*
 * A member of a struct lateness, which joins and leaves; no member is released before all have
 * come
 */
int be_late_in_turn(void *lateness, unsigned int index);

/* How much of a long test to run: less where everything is slow */
unsigned int scaled(unsigned int count);

#endif /* TEST_THREADS_H */
