// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine.h"
#include "shared/random.h"
#include "simulation.h"

static struct machine *of(struct simulation *sim, uint32_t thread)
{
	return &sim->machines[thread / sim->machines[0].count];
}

static bool by_stores(const struct simulation *sim)
{
	return sim->config->protocol == HBS;
}

void machine_sent(struct simulation *sim, uint32_t thread)
{
	if (by_stores(sim))
		sim->threads[thread].delta++;
	else
		of(sim, thread)->sum++;
}

void machine_received(struct simulation *sim, uint32_t thread)
{
	struct machine *machine = of(sim, thread);

	if (by_stores(sim)) {
		sim->threads[thread].delta--;
		sim->threads[thread].received = true;
		return;
	}
	machine->sum--;
	machine->black = true;
}

/* One store of so many is late */
#define LATE_ONE_OF 4

/* How long a store takes, between a thread and its card or back; wires take no time */
static uint64_t way(struct simulation *sim)
{
	const struct config *config = sim->config;
	uint64_t time = config->port;

	if (!by_stores(sim))
		return 0;
	if (config->late && random_next(&sim->random) % LATE_ONE_OF == 0)
		time += random_next(&sim->random) % (config->late + 1);
	return time;
}

/* A store on its way to the card, as late as it likes, but not before others of this card */
static void store(struct simulation *sim, uint32_t thread, enum event_kind kind, int64_t sum,
		  bool received)
{
	struct machine *machine = of(sim, thread);
	uint64_t time = sim->now + way(sim);

	if (time < machine->last_store)
		time = machine->last_store;
	machine->last_store = time;
	queue_add(&sim->queue, &(struct event){ .time = time,
						.kind = kind,
						.at = thread,
						.packet = { .sum = sum, .black = received } });
}

void machine_idle(struct simulation *sim, uint32_t thread)
{
	struct thread *me = &sim->threads[thread];
	struct machine *machine = of(sim, thread);

	if (by_stores(sim)) {
		store(sim, thread, EVENT_IDLE, me->delta, me->received);
		me->delta = 0;
		me->received = false;
		return;
	}
	machine->active--;
	wave_poke(sim, machine->node);
}

bool machine_active(struct simulation *sim, uint32_t thread)
{
	if (!by_stores(sim)) {
		of(sim, thread)->active++;
		return true;
	}
	if (sim->config->fault == FAULT_NO_WITHDRAW)
		return true;
	store(sim, thread, EVENT_WITHDRAW, 0, false);
	return sim->config->fault == FAULT_NO_READBACK;
}

void machine_take_idle(struct simulation *sim, uint32_t thread, int64_t sum, bool received)
{
	struct machine *machine = of(sim, thread);

	machine->sum += sum;
	machine->black |= received;
	if (!sim->threads[thread].arrived)
		machine->active--;
	sim->threads[thread].arrived = true;
	wave_poke(sim, machine->node);
}

void machine_take_withdraw(struct simulation *sim, uint32_t thread)
{
	struct machine *machine = of(sim, thread);

	machine->black = true;
	if (sim->threads[thread].arrived)
		machine->active++;
	sim->threads[thread].arrived = false;
	if (sim->config->fault != FAULT_NO_READBACK)
		queue_add(&sim->queue, &(struct event){ .time = sim->now + sim->config->port,
							.kind = EVENT_READ_BACK,
							.at = thread });
}

void machine_release(struct simulation *sim, uint32_t index)
{
	struct machine *machine = &sim->machines[index];

	machine->active = machine->count;
	machine->frozen = !by_stores(sim) && sim->config->fault != FAULT_NO_FREEZE;
	for (uint32_t i = 0; i < machine->count; i++) {
		sim->threads[machine->first + i].arrived = false;
		queue_add(&sim->queue, &(struct event){ .time = sim->now + way(sim),
							.kind = EVENT_DEPARTURE,
							.at = machine->first + i });
	}
}

void machine_let_send(struct simulation *sim, uint32_t index)
{
	struct machine *machine = &sim->machines[index];

	machine->frozen = false;
	oracle_may_send(&sim->oracle, machine->count, sim->now);
	for (uint32_t i = 0; i < machine->count; i++)
		thread_may_send(sim, machine->first + i);
}
