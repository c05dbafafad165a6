/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Delays before each atomic access and fence, and after each one that stores. The compiler includes
 * this before a source file of the library (-include), which so stays as it is. A thread is in
 * moods: for some time it is delayed often, then seldom or never, so that one thread goes through
 * much of its work while another is between two steps. A delay is a busy loop, a yield or a short
 * sleep.
 *
 * This may not include anything that depends on what the source file defines first (_GNU_SOURCE).
 */
#ifndef CONFORMANCE_DELAYS_H
#define CONFORMANCE_DELAYS_H

#include <stdatomic.h>

extern int sched_yield(void);
extern int usleep(unsigned int us);

struct delays {
	unsigned long seed;
	unsigned int accesses; /* that are left of this mood */
	unsigned int often;    /* one of so many is delayed; 0: none */
};

static inline unsigned long delays_random(struct delays *delays)
{
	delays->seed = delays->seed * 6364136223846793005UL + 1442695040888963407UL;
	return delays->seed >> 33;
}

static __attribute__((noinline, unused)) void delays_wait(struct delays *delays)
{
	switch (delays_random(delays) % 8) {
	case 0:
		/* seldom for so long that others go through many steps */
		usleep((unsigned int)(delays_random(delays) %
				      (delays_random(delays) % 8 ? 200 : 3000)));
		break;
	case 1:
	case 2:
	case 3:
		sched_yield();
		break;
	default:
		for (unsigned long i = delays_random(delays) % 4000; i; i--)
			__asm__ __volatile__("" ::: "memory");
	}
}

static __attribute__((noinline, unused)) void delays_change(struct delays *delays)
{
	static const unsigned int moods[] = { 0, 2, 5, 20, 100, 1000 };

	if (!delays->seed)
		delays->seed = (unsigned long)delays ^ (unsigned long)__builtin_frame_address(0);
	delays->accesses = 1 + (unsigned int)(delays_random(delays) % 500);
	delays->often = moods[delays_random(delays) % (sizeof(moods) / sizeof(moods[0]))];
}

static inline void delay(void)
{
	static __thread struct delays delays;

	if (!delays.accesses--)
		delays_change(&delays);
	if (delays.often && delays_random(&delays) % delays.often == 0)
		delays_wait(&delays);
}

#undef atomic_load
#undef atomic_load_explicit
#undef atomic_store
#undef atomic_store_explicit
#undef atomic_exchange
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak
#undef atomic_compare_exchange_weak_explicit
#undef atomic_fetch_add
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_or
#undef atomic_fetch_or_explicit
#undef atomic_fetch_and
#undef atomic_fetch_and_explicit
#undef atomic_thread_fence

/* The type of an object without its qualifiers */
#define DELAYED_TYPE(at) __typeof__(((void)0, *(at)))

#define atomic_load_explicit(at, order)                           \
	__extension__({                                           \
		__auto_type delayed_at = (at);                    \
		DELAYED_TYPE(delayed_at) delayed_value;           \
		delay();                                          \
		__atomic_load(delayed_at, &delayed_value, order); \
		delayed_value;                                    \
	})
#define atomic_store_explicit(at, value, order)                    \
	__extension__({                                            \
		__auto_type delayed_at = (at);                     \
		DELAYED_TYPE(delayed_at) delayed_value = (value);  \
		delay();                                           \
		__atomic_store(delayed_at, &delayed_value, order); \
		delay();                                           \
	})
#define atomic_exchange_explicit(at, value, order)                                  \
	__extension__({                                                             \
		__auto_type delayed_at = (at);                                      \
		DELAYED_TYPE(delayed_at) delayed_value = (value), delayed_old;      \
		delay();                                                            \
		__atomic_exchange(delayed_at, &delayed_value, &delayed_old, order); \
		delay();                                                            \
		delayed_old;                                                        \
	})
#define DELAYED_SWAP(at, old, new, weak, order, failure)                                          \
	__extension__({                                                                           \
		__auto_type delayed_at = (at);                                                    \
		DELAYED_TYPE(delayed_at) delayed_value = (new);                                   \
		_Bool delayed_done;                                                               \
		delay();                                                                          \
		delayed_done = __atomic_compare_exchange(delayed_at, (old), &delayed_value, weak, \
							 order, failure);                         \
		delay();                                                                          \
		delayed_done;                                                                     \
	})
#define atomic_compare_exchange_strong_explicit(at, old, new, order, failure) \
	DELAYED_SWAP(at, old, new, 0, order, failure)
#define atomic_compare_exchange_weak_explicit(at, old, new, order, failure) \
	DELAYED_SWAP(at, old, new, 1, order, failure)
#define DELAYED_FETCH(fetch, at, value, order)                            \
	__extension__({                                                   \
		__auto_type delayed_at = (at);                            \
		DELAYED_TYPE(delayed_at) delayed_old;                     \
		delay();                                                  \
		delayed_old = __atomic_##fetch(delayed_at, value, order); \
		delay();                                                  \
		delayed_old;                                              \
	})
#define atomic_fetch_add_explicit(at, value, order) DELAYED_FETCH(fetch_add, at, value, order)
#define atomic_fetch_sub_explicit(at, value, order) DELAYED_FETCH(fetch_sub, at, value, order)
#define atomic_fetch_or_explicit(at, value, order)  DELAYED_FETCH(fetch_or, at, value, order)
#define atomic_fetch_and_explicit(at, value, order) DELAYED_FETCH(fetch_and, at, value, order)
#define atomic_thread_fence(order)            \
	do {                                  \
		delay();                      \
		__atomic_thread_fence(order); \
		delay();                      \
	} while (0)

#define atomic_load(at)		   atomic_load_explicit(at, __ATOMIC_SEQ_CST)
#define atomic_store(at, value)	   atomic_store_explicit(at, value, __ATOMIC_SEQ_CST)
#define atomic_exchange(at, value) atomic_exchange_explicit(at, value, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_strong(at, old, new) \
	DELAYED_SWAP(at, old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_weak(at, old, new) \
	DELAYED_SWAP(at, old, new, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_fetch_add(at, value) atomic_fetch_add_explicit(at, value, __ATOMIC_SEQ_CST)
#define atomic_fetch_sub(at, value) atomic_fetch_sub_explicit(at, value, __ATOMIC_SEQ_CST)
#define atomic_fetch_or(at, value)  atomic_fetch_or_explicit(at, value, __ATOMIC_SEQ_CST)
#define atomic_fetch_and(at, value) atomic_fetch_and_explicit(at, value, __ATOMIC_SEQ_CST)

#endif /* CONFORMANCE_DELAYS_H */
