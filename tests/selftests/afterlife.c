// SPDX-License-Identifier: GPL-2.0-or-later
/* What must hold after a card was reset, removed or lost. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "afterlife.h"

static int differs(const char *what, long long is, long long wanted)
{
	if (is == wanted)
		return 0;
	printf("# %s: %lld instead of %lld\n", what, is, wanted);
	return 1;
}

#define DIFFERS(what, wanted) differs(#what, what, wanted)

static int pair_works(struct member *one, struct member *other)
{
	struct waiter waiter;
	int wrong = 0;

	for (int i = 0; i < 3 && !wrong; i++) {
		arrive(other);
		wrong += DIFFERS(barrier(one), 0);
		wrong += DIFFERS(wait_spin(other), 0);
	}
	if (wrong)
		return wrong;
	/* interrupts too */
	arrive(other);
	wrong += DIFFERS(waiter_start(&waiter, other, WAIT_IOCTL), 0);
	wrong += DIFFERS(barrier(one), 0);
	wrong += DIFFERS(waiter_join(&waiter), 0);
	return wrong + DIFFERS(waiter.result, 0);
}

int card_works(void)
{
	struct hbs_group_counters counters = { 0 };
	struct member other;
	struct port port;
	struct one one;
	int card, wrong;

	wrong = DIFFERS(card_wait(10), 0);
	if (wrong)
		return wrong;
	card = card_open();
	if (card < 0)
		return DIFFERS(card, 0);
	wrong = DIFFERS(one_member(card, 2, &one), 0);
	if (!wrong)
		wrong = DIFFERS(port_alloc(card, &port), 0);
	if (!wrong)
		wrong = DIFFERS(join(&one.group, &port, &other), 0);
	if (!wrong)
		wrong = pair_works(&one.member, &other);
	if (wrong)
		return wrong;

	wrong += DIFFERS(group_counters(one.group.fd, &counters), 0);
	wrong += DIFFERS(counters.completions, 4);
	wrong += DIFFERS(counters.arrivals, 8);
	wrong += DIFFERS(counters.non_member + counters.double_arrivals + counters.refused, 0);
	wrong += DIFFERS(leave(&one.member), 0);
	wrong += DIFFERS(leave(&other), 0);
	wrong += DIFFERS(port_free(&one.port), 0);
	wrong += DIFFERS(port_free(&port), 0);
	wrong += DIFFERS(group_close(&one.group), 0);
	return wrong + DIFFERS(close(card), 0);
}

static int calls_dead(int card, struct crowd *crowd, const struct port *spare, int error)
{
	int fd = crowd->group.fd, wrong = 0;
	struct hbs_group_counters counters;
	struct hbs_group_info group_state;
	struct hbs_info info;
	struct member other;
	struct group group;
	struct port port;
	uint64_t word = 0;
	void *map;

	wrong += DIFFERS(card_info(card, &info), error);
	wrong += DIFFERS(port_alloc_only(card, &port), error);
	wrong += DIFFERS(group_create(card, 1, &group), error);
	wrong += DIFFERS(join(&crowd->group, spare, &other), error);
	wrong += DIFFERS(leave(&crowd->member[0]), error);
	wrong += DIFFERS(group_wait(fd, &word), error);
	wrong += DIFFERS(word_error(word), error);
	wrong += DIFFERS(read(fd, &word, 8), 8);
	wrong += DIFFERS(word_error(word), error);
	wrong += DIFFERS(group_counters(fd, &counters), error);
	wrong += DIFFERS(group_missing(fd, NULL, 0, NULL), error);
	wrong += DIFFERS(group_reset(fd), error);
	wrong += DIFFERS(group_destroy(fd), error);
	/* A dead group can be asked */
	wrong += DIFFERS(group_info(fd, &group_state), 0);
	wrong += DIFFERS(word_error(group_state.word), error);
	map = mmap(NULL, spare->size, PROT_READ | PROT_WRITE, MAP_SHARED, card, spare->offset);
	wrong += DIFFERS(map == MAP_FAILED ? -errno : 0, error);
	return wrong;
}

int possessions_dead(int card, struct crowd *crowd, const struct port *spare, int error)
{
	int wrong = calls_dead(card, crowd, spare, error);

	/* The records keep saying so, and stores go nowhere */
	for (int i = 0; i < WAIT_KINDS; i++) {
		arrive(&crowd->member[i]);
		wrong += DIFFERS(word_error(*crowd->member[i].record), error);
	}
	for (size_t offset = 0; offset < spare->size; offset += 8)
		*(volatile uint64_t *)((char *)spare->map + offset) = ~0ULL;
	return wrong + DIFFERS(word_error(*crowd->member[0].departure), error);
}

static void *runner_run(void *arg)
{
	struct runner *runner = arg;

	while (!runner->result) {
		runner->result =
			runner->asleep ? barrier_sleep(&runner->member) : barrier(&runner->member);
		__atomic_add_fetch(&runner->epochs, !runner->result, __ATOMIC_RELAXED);
	}
	return NULL;
}

int runners_start(int card, unsigned int asleep, struct runners *runners)
{
	int wrong = DIFFERS(group_create(card, 2, &runners->group), 0);

	for (int i = 0; i < 2 && !wrong; i++) {
		struct runner *runner = &runners->runner[i];

		*runner = (struct runner){ .asleep = asleep >> i & 1 };
		wrong = DIFFERS(port_alloc(card, &runner->port), 0);
		if (!wrong)
			wrong = DIFFERS(join(&runners->group, &runner->port, &runner->member), 0);
	}
	for (int i = 0; i < 2 && !wrong; i++)
		wrong = DIFFERS(pthread_create(&runners->runner[i].thread, NULL, runner_run,
					       &runners->runner[i]),
				0);
	return wrong;
}

int runners_progress(struct runners *runners, unsigned long epochs)
{
	const unsigned long *done = &runners->runner[0].epochs;
	unsigned long until = __atomic_load_n(done, __ATOMIC_RELAXED) + epochs;
	double end = seconds() + 30;

	while (__atomic_load_n(done, __ATOMIC_RELAXED) < until) {
		if (seconds() > end)
			return differs("epochs in 30 s",
				       epochs - (until - __atomic_load_n(done, __ATOMIC_RELAXED)),
				       epochs);
		sleep_ms(1);
	}
	return 0;
}

int runners_end(struct runners *runners, int error)
{
	int wrong = 0;

	for (int i = 0; i < 2; i++) {
		struct runner *runner = &runners->runner[i];
		struct timespec end;

		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_sec += 10;
		if (DIFFERS(pthread_timedjoin_np(runner->thread, NULL, &end), 0))
			wrong++;
		else
			wrong += DIFFERS(runner->result, error);
	}
	return wrong;
}
