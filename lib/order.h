/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory-order rule of the card, for each architecture, in one place.
 *
 * Arriving is a release: what the thread loaded and stored before is done before
 * the card sees the store. Leaving is an acquire: nothing after it is done before
 * the record shows the epoch. The card is an observer outside the CPUs, so that
 * the order must hold in the outer shareable domain, and between normal memory
 * and device memory.
 *
 *	x86		stores to uncached memory are ordered after all earlier
 *			loads and stores: no instruction is needed, only that the
 *			compiler keeps the order
 *	arm64		dmb osh before the store; dmb oshld after the load
 *	riscv		fence rw,ow before the store; fence ir,rw after the load
 *	others		a full fence on both sides
 *
 * An arrival line is memory, which the card reads: the word of the line is stored after
 * the operand, and loaded before it.
 */
#ifndef HBS_ORDER_H
#define HBS_ORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#define ORDER_RELEASE_TO_CARD()	  __asm__ __volatile__("" ::: "memory")
#define ORDER_ACQUIRE_FROM_CARD() __asm__ __volatile__("" ::: "memory")
#elif defined(__aarch64__)
#define ORDER_RELEASE_TO_CARD()	  __asm__ __volatile__("dmb osh" ::: "memory")
#define ORDER_ACQUIRE_FROM_CARD() __asm__ __volatile__("dmb oshld" ::: "memory")
#elif defined(__riscv)
#define ORDER_RELEASE_TO_CARD()	  __asm__ __volatile__("fence rw,ow" ::: "memory")
#define ORDER_ACQUIRE_FROM_CARD() __asm__ __volatile__("fence ir,rw" ::: "memory")
#else
#define ORDER_RELEASE_TO_CARD()	  __sync_synchronize()
#define ORDER_ACQUIRE_FROM_CARD() __sync_synchronize()
#endif

/* The one store of an arrival; it is volatile, so that it stays one store. */
static inline void order_arrive(volatile uint64_t *lane, uint64_t operand)
{
	ORDER_RELEASE_TO_CARD();
#if UINTPTR_MAX > 0xffffffffU
	*lane = operand;
#else
	/* a 32-bit CPU would make two arrivals of it; the card takes 4 bytes too */
	*(volatile uint32_t *)lane = (uint32_t)operand;
#endif
}

/*
 * A withdrawal reaches the card before what others do who see later stores of this thread. On
 * x86 that is so. Elsewhere the thread waits until the card has taken it: a load from a device
 * follows the stores to it.
 */
static inline void order_withdraw(volatile uint64_t *withdraw)
{
	ORDER_RELEASE_TO_CARD();
	*withdraw = 0;
#if !defined(__x86_64__) && !defined(__i386__)
	(void)*withdraw;
	ORDER_ACQUIRE_FROM_CARD();
#endif
	__asm__ __volatile__("" ::: "memory");
}

/* An arrival that a card polls: the operand, if the card looks at one, and then the word */
static inline void order_arrive_line(_Atomic uint64_t *line, uint64_t word, bool has_operand,
				     uint64_t operand)
{
	if (has_operand)
		atomic_store_explicit(line + 1, operand, memory_order_relaxed);
	ORDER_RELEASE_TO_CARD();
	atomic_store_explicit(line, word, memory_order_release);
}

/* The load that sees the release, for both backends, from memory or from the card */
static inline uint64_t order_depart(const _Atomic uint64_t *record)
{
	uint64_t word = atomic_load_explicit(record, memory_order_acquire);

	ORDER_ACQUIRE_FROM_CARD();
	return word;
}

/*
 * The result word, beside the epoch word at @record. The card writes it before the
 * epoch word. A thread that loads it after an order_depart() that showed the epoch
 * has that epoch's result.
 */
static inline uint64_t order_result(const _Atomic uint64_t *record)
{
	uint64_t value = atomic_load_explicit(record + 1, memory_order_acquire);

	/* after this, the caller can check whether the record was still that epoch's */
	ORDER_ACQUIRE_FROM_CARD();
	return value;
}

/* The same order after a system call that reported the release */
static inline void order_acquire(void)
{
	ORDER_ACQUIRE_FROM_CARD();
}

#endif /* HBS_ORDER_H */
