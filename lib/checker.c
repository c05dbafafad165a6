// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The thread sanitizer is part of the program, and offers functions to call. Valgrind runs the
 * program: its header has instruction sequences that do nothing outside it. A library that is
 * built without this header (HBS_WITHOUT_VALGRIND) tells valgrind nothing.
 *
 * A library that is itself built under the thread sanitizer tells it nothing: the sanitizer
 * sees all that the library does, and shall find errors there.
 */
#include <stdint.h>
#include <sys/stat.h>

#include "checker.h"
#include "internal.h"

#if __has_include(<valgrind/drd.h>) && !defined(HBS_WITHOUT_VALGRIND)
#include <valgrind/drd.h>
#include <valgrind/helgrind.h>
#include <valgrind/memcheck.h>
#define REQUEST(request, one, other) VALGRIND_DO_CLIENT_REQUEST_STMT(request, one, other, 0, 0, 0)
#else
#define RUNNING_ON_VALGRIND false
#define REQUEST(request, one, other) \
	do {                         \
		(void)(one);         \
		(void)(other);       \
	} while (0)
#endif

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#ifdef __SANITIZE_THREAD__
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

void __tsan_acquire(void *at) __attribute__((weak, visibility("default")));
void __tsan_release(void *at) __attribute__((weak, visibility("default")));

bool hbsi_checked;
static bool by_sanitizer;

/* Each tool of valgrind reacts only to what is meant for it */
void hbsi_checker_acquire(void *at)
{
	if (by_sanitizer)
		__tsan_acquire(at);
	REQUEST(_VG_USERREQ__HG_USERSO_RECV_POST, at, 0);
	REQUEST(VG_USERREQ__DRD_ANNOTATE_HAPPENS_AFTER, at, 0);
}

void hbsi_checker_release(void *at)
{
	if (by_sanitizer)
		__tsan_release(at);
	REQUEST(_VG_USERREQ__HG_USERSO_SEND_PRE, at, 0);
	REQUEST(VG_USERREQ__DRD_ANNOTATE_HAPPENS_BEFORE, at, 0);
}

void hbsi_checker_ignore(const volatile void *memory, size_t size)
{
	REQUEST(_VG_USERREQ__HG_ARANGE_MAKE_UNTRACKED, memory, size);
	REQUEST(VG_USERREQ__DRD_START_SUPPRESSION, memory, size);
}

void hbsi_checker_heed(const volatile void *memory, size_t size)
{
	REQUEST(_VG_USERREQ__HG_ARANGE_MAKE_TRACKED, memory, size);
	REQUEST(VG_USERREQ__DRD_FINISH_SUPPRESSION, memory, size);
}

void hbsi_checker_defined(const volatile void *memory, size_t size)
{
	REQUEST(VG_USERREQ__MAKE_MEM_DEFINED, memory, size);
}

static __attribute__((constructor(101))) void find(void)
{
	by_sanitizer = !IS_SANITIZED && __tsan_acquire && __tsan_release;
	hbsi_checked = by_sanitizer || RUNNING_ON_VALGRIND;
}

/*
 * The addresses that order the barriers of a group, for all its handles in this process: one
 * for even and one for odd barriers, since some members arrive at the next barrier while others
 * leave the last one. Groups with the same address are said to be ordered with each other, too.
 */
#define PLACES 65536
static char places[PLACES][2];

/*
 * Chosen by the file that is the group in software, or by its number on the card; a handle has
 * no room
 */
static void *place(const struct hbs_group *group, uint64_t word)
{
	uint64_t number = 0;
	struct stat st;

	if (group->backend == HBS_BACKEND_CARD)
		number = group->hbs->card << 10 ^ group->number;
	else if (!fstat(group->fd, &st))
		number = st.st_ino;
	return &places[number % PLACES][word >> HBS_WORD_EPOCH_SHIFT & 1];
}

void hbsi_checker_arrival(const struct hbs_member *member)
{
	hbsi_checker_release(place(member->group, member->word + HBS_WORD_EPOCH_ONE));
}

void hbsi_checker_departure(const struct hbs_member *member)
{
	hbsi_checker_acquire(place(member->group, member->word));
}

void hbsi_checker_end(const struct hbs_group *group)
{
	hbsi_checker_release(place(group, 0));
	hbsi_checker_release(place(group, HBS_WORD_EPOCH_ONE));
}

void hbsi_checker_error(const struct hbs_group *group)
{
	hbsi_checker_acquire(place(group, 0));
	hbsi_checker_acquire(place(group, HBS_WORD_EPOCH_ONE));
}

void hbsi_checker_call(const struct hbs_group *group, uint64_t over)
{
	hbsi_checker_acquire(place(group, over));
}

void hbsi_checker_called(const struct hbs_group *group, uint64_t over)
{
	hbsi_checker_release(place(group, over));
}
