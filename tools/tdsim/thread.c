// SPDX-License-Identifier: GPL-2.0-or-later
#include "shared/random.h"
#include "simulation.h"
#include "thread.h"

/* How many messages a received one may cause: fewer than one on average, so epochs end */
static const uint32_t answers[] = { 0, 0, 1, 2 };

#define ANSWERS (sizeof(answers) / sizeof(answers[0]))

static void work(struct simulation *sim, uint32_t thread, uint32_t to_send)
{
	struct thread *me = &sim->threads[thread];
	uint64_t time = random_next(&sim->random) % ((uint64_t)sim->config->work + 1);

	me->state = THREAD_WORKING;
	me->to_send = sim->thread_count > 1 ? to_send : 0;
	queue_add(&sim->queue,
		  &(struct event){ .time = sim->now + time, .kind = EVENT_WORKED, .at = thread });
}

void thread_begin(struct simulation *sim, uint32_t thread)
{
	double mean = sim->config->messages / sim->config->threads;
	uint32_t sure = (uint32_t)mean;

	work(sim, thread, sure + (random_part(&sim->random) < mean - sure));
}

void thread_departure(struct simulation *sim, uint32_t thread)
{
	struct thread *me = &sim->threads[thread];

	oracle_released(&sim->oracle, me->epoch, me->state == THREAD_IDLE, sim->now);
	if (sim->config->protocol == HBS)
		oracle_may_send(&sim->oracle, 1, sim->now);
	me->epoch++;
	thread_begin(sim, thread);
}

/* The epoch, even or odd, of a message that the thread may receive, or -1 */
static int receivable(const struct simulation *sim, const struct thread *me)
{
	unsigned int mine = me->epoch % 2;
	bool stamps = sim->config->protocol == HBS && sim->config->fault != FAULT_NO_STAMP;

	if (me->inbox[mine])
		return (int)mine;
	return me->inbox[1 - mine] && !stamps ? (int)(1 - mine) : -1;
}

static void receive(struct simulation *sim, uint32_t thread)
{
	struct thread *me = &sim->threads[thread];
	int from = receivable(sim, me);

	me->inbox[from]--;
	/* of another epoch: of the next, for all of this one are received before */
	oracle_received(&sim->oracle, me->epoch, me->epoch + ((unsigned int)from != me->epoch % 2));
	machine_received(sim, thread);
	work(sim, thread, answers[random_next(&sim->random) % ANSWERS]);
}

static void send_all(struct simulation *sim, uint32_t thread)
{
	struct thread *me = &sim->threads[thread];

	for (; me->to_send; me->to_send--) {
		uint32_t to = (uint32_t)(random_next(&sim->random) % (sim->thread_count - 1));

		to += to >= thread;
		oracle_sent(&sim->oracle);
		machine_sent(sim, thread);
		simulation_send(sim, thread / sim->config->threads, sim->config->local,
				&(struct packet){ .kind = PACKET_DATA,
						  .place = to / sim->config->threads,
						  .who = to,
						  .value = me->epoch });
	}
}

void thread_worked(struct simulation *sim, uint32_t thread)
{
	struct thread *me = &sim->threads[thread];

	if (me->to_send && sim->machines[thread / sim->machines[0].count].frozen) {
		me->state = THREAD_FROZEN;
		return;
	}
	if (me->to_send) {
		send_all(sim, thread);
		work(sim, thread, 0);
		return;
	}
	if (receivable(sim, me) >= 0) {
		receive(sim, thread);
		return;
	}
	me->state = THREAD_IDLE;
	oracle_idle(&sim->oracle, sim->now);
	machine_idle(sim, thread);
}

void thread_message(struct simulation *sim, uint32_t thread, uint32_t epoch)
{
	struct thread *me = &sim->threads[thread];

	me->inbox[epoch % 2]++;
	if (me->state != THREAD_IDLE || receivable(sim, me) < 0)
		return;
	oracle_active(&sim->oracle);
	if (machine_active(sim, thread))
		receive(sim, thread);
	else
		me->state = THREAD_WITHDRAWING;
}

void thread_read_back(struct simulation *sim, uint32_t thread)
{
	receive(sim, thread);
}

void thread_may_send(struct simulation *sim, uint32_t thread)
{
	if (sim->threads[thread].state == THREAD_FROZEN)
		thread_worked(sim, thread);
}
