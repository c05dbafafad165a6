// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "memory.h"
#include "shared/random.h"
#include "simulation.h"

/* So many round trips after a termination nobody will detect it any more */
#define PATIENCE 20

/* And that many cycles where there are no round trips to speak of */
#define PATIENCE_CYCLES 10000

static void start(struct simulation *sim, const struct config *config)
{
	uint32_t boards = config->width * config->height, count;

	*sim = (struct simulation){ .config = config,
				    .random = random_start(config->seed),
				    .next_token = TOKEN_PROBE };
	sim->thread_count = boards * config->threads;
	oracle_start(&sim->oracle, sim->thread_count);
	mesh_start(&sim->mesh, config, &sim->queue);
	shape_make(&sim->shape, config);
	sim->nodes = memory_new(sim->shape.count, sizeof(*sim->nodes));
	sim->threads = memory_new(sim->thread_count, sizeof(*sim->threads));
	count = config->protocol == SOFTWARE ? sim->thread_count : boards;
	sim->machines = memory_new(count, sizeof(*sim->machines));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t size = sim->thread_count / count;

		sim->machines[i] = (struct machine){ .first = i * size, .count = size };
		sim->machines[i].active = config->quiet ? 0 : size;
	}
	for (uint32_t i = 0; i < sim->shape.count; i++)
		if (sim->shape.machine[i] != NOWHERE)
			sim->machines[sim->shape.machine[i]].node = i;
	for (uint32_t i = 0; i < sim->thread_count; i++) {
		if (config->quiet)
			oracle_idle(&sim->oracle, 0);
		else
			thread_begin(sim, i);
	}
}

static void end(struct simulation *sim)
{
	queue_free(&sim->queue);
	mesh_end(&sim->mesh);
	shape_free(&sim->shape);
	free(sim->nodes);
	free(sim->machines);
	free(sim->threads);
}

void simulation_send(struct simulation *sim, uint32_t from, unsigned int local,
		     const struct packet *packet)
{
	if (packet->place != from) {
		mesh_forward(&sim->mesh, from, sim->now, packet);
		return;
	}
	queue_add(&sim->queue, &(struct event){ .time = sim->now + local,
						.kind = EVENT_PACKET,
						.at = from,
						.packet = *packet });
}

static void take_packet(struct simulation *sim, uint32_t at, const struct packet *packet)
{
	if (packet->place != at)
		mesh_forward(&sim->mesh, at, sim->now, packet);
	else if (packet->kind == PACKET_DATA)
		thread_message(sim, packet->who, packet->value);
	else
		wave_packet(sim, packet);
}

static void happen(struct simulation *sim, const struct event *event)
{
	switch (event->kind) {
	case EVENT_PACKET:
		take_packet(sim, event->at, &event->packet);
		break;
	case EVENT_HANDLED:
		wave_handled(sim, &event->packet);
		break;
	case EVENT_SEND:
		simulation_send(sim, event->at,
				sim->config->protocol == SOFTWARE ? sim->config->local : 0,
				&event->packet);
		break;
	case EVENT_ROUND:
		wave_start(sim);
		break;
	case EVENT_WORKED:
		thread_worked(sim, event->at);
		break;
	case EVENT_IDLE:
		machine_take_idle(sim, event->at, event->packet.sum, event->packet.black);
		break;
	case EVENT_WITHDRAW:
		machine_take_withdraw(sim, event->at);
		break;
	case EVENT_READ_BACK:
		thread_read_back(sim, event->at);
		break;
	case EVENT_DEPARTURE:
		thread_departure(sim, event->at);
		break;
	}
}

/* Until @epochs are over for all, or @detections are made, or something is wrong */
static void run(struct simulation *sim, uint32_t epochs, uint32_t detections, uint64_t limit)
{
	struct event event;

	wave_start(sim);
	while (!sim->oracle.error && sim->oracle.finished < epochs &&
	       sim->oracle.epoch < detections) {
		if (!queue_take(&sim->queue, &event)) {
			sim->oracle.error = "missed: nothing will happen any more";
			return;
		}
		sim->now = event.time;
		happen(sim, &event);
		oracle_time(&sim->oracle, sim->now, limit);
	}
}

/* How long a round takes when all wait, with the right protocol */
static uint64_t measure_round_trip(const struct config *config)
{
	struct config quiet = *config;
	struct simulation sim;

	quiet.quiet = true;
	quiet.fault = FAULT_NONE;
	start(&sim, &quiet);
	run(&sim, UINT32_MAX, 1, UINT64_MAX);
	end(&sim);
	return sim.now;
}

void simulate(const struct config *config, struct result *result)
{
	struct simulation sim;
	double epochs = config->epochs;
	uint64_t limit;

	*result = (struct result){ .round_trip = measure_round_trip(config) };
	limit = PATIENCE * (result->round_trip + 2 * ((uint64_t)config->port + config->late)) +
		PATIENCE_CYCLES;
	start(&sim, config);
	run(&sim, config->epochs, UINT32_MAX, limit);
	result->probes = (double)sim.probes / epochs;
	result->detection = (double)sim.oracle.detection / epochs;
	result->release = (double)sim.oracle.release / epochs;
	result->synchronisation = (double)sim.oracle.synchronisation / epochs;
	result->period = (double)sim.now / epochs;
	result->error = sim.oracle.error;
	result->error_at = sim.now;
	end(&sim);
}
