/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the library tells a program that looks for errors in others (the thread sanitizer,
 * helgrind, drd, memcheck), which cannot see it by itself: the order that barriers make, and
 * which memory several threads of the library use at once on purpose. If no checker runs, this
 * costs a load and a branch, and nothing on the fast paths.
 */
#ifndef HBS_CHECKER_H
#define HBS_CHECKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether a checker runs */
extern bool hbsi_checked;

/* What this thread did so far comes before what others do after their checker_acquire() of @at */
void hbsi_checker_release(void *at);
void hbsi_checker_acquire(void *at);

/* It is no error how threads use this memory, until it is given back */
void hbsi_checker_ignore(const volatile void *memory, size_t size);
void hbsi_checker_heed(const volatile void *memory, size_t size);

/* Threads read it, but do not follow it, before anything was stored to it */
void hbsi_checker_defined(const volatile void *memory, size_t size);

static inline void checker_release(void *at)
{
	if (__builtin_expect(hbsi_checked, 0))
		hbsi_checker_release(at);
}

static inline void checker_acquire(void *at)
{
	if (__builtin_expect(hbsi_checked, 0))
		hbsi_checker_acquire(at);
}

static inline void checker_ignore(const volatile void *memory, size_t size)
{
	if (__builtin_expect(hbsi_checked, 0))
		hbsi_checker_ignore(memory, size);
}

static inline void checker_heed(const volatile void *memory, size_t size)
{
	if (__builtin_expect(hbsi_checked, 0))
		hbsi_checker_heed(memory, size);
}

static inline void checker_defined(const volatile void *memory, size_t size)
{
	if (__builtin_expect(hbsi_checked, 0))
		hbsi_checker_defined(memory, size);
}

/* As pthread_once(), which valgrind does not see; @init ends with checker_release(@once) */
static inline void checker_once(pthread_once_t *once, void (*init)(void))
{
	pthread_once(once, init);
	checker_acquire(once);
}

#endif /* HBS_CHECKER_H */
