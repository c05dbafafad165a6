// SPDX-License-Identifier: GPL-2.0-or-later
#include "simulation.h"
#include "wave.h"

/* The master takes so long between two rounds */
#define DECISION 1

/* Send from a node to another. A thread makes a packet first, one after the other. */
static void send(struct simulation *sim, uint32_t from, struct packet packet)
{
	struct node *node = &sim->nodes[from];
	unsigned int handling = sim->config->protocol == SOFTWARE ? sim->config->handling : 0;

	packet.place = sim->shape.place[packet.who];
	node->busy = (node->busy > sim->now ? node->busy : sim->now) + handling;
	queue_add(&sim->queue, &(struct event){ .time = node->busy,
						.kind = EVENT_SEND,
						.at = sim->shape.place[from],
						.packet = packet });
}

static uint32_t next_token(const struct simulation *sim, uint32_t token, bool detected)
{
	if (token & TOKEN_PROBE && !detected)
		return TOKEN_PROBE;
	/* no freeze: the word of release is the token of the next round */
	if (sim->config->protocol == HBS)
		return TOKEN_RELEASE | TOKEN_PROBE;
	if (token & TOKEN_PROBE)
		return TOKEN_RELEASE;
	return token & TOKEN_RELEASE ? TOKEN_LET_SEND : TOKEN_PROBE;
}

/* A round is over */
static void decide(struct simulation *sim, const struct node *root, uint32_t token)
{
	bool detected = false;

	if (token & TOKEN_PROBE) {
		sim->probes++;
		detected = !root->sum && (!root->black || sim->config->fault == FAULT_NO_COLOUR);
	}
	if (detected)
		oracle_detected(&sim->oracle, sim->now);
	sim->next_token = next_token(sim, token, detected);
	queue_add(&sim->queue, &(struct event){ .time = sim->now + DECISION, .kind = EVENT_ROUND });
}

static void sample(struct simulation *sim, struct node *node, struct machine *machine)
{
	node->sum += sim->config->fault == FAULT_TWO_SAMPLES ? node->early_sum : machine->sum;
	node->black |= machine->black;
	if (sim->config->fault != FAULT_NO_WHITENING)
		machine->black = false;
}

/* Answer if all children have, and if the machine is passive in case that matters */
static void try_answer(struct simulation *sim, uint32_t index)
{
	struct node *node = &sim->nodes[index];
	uint32_t token = node->token, machine = sim->shape.machine[index];

	if (!token || node->waiting)
		return;
	if (token & TOKEN_PROBE && machine != NOWHERE) {
		if (sim->machines[machine].active)
			return;
		sample(sim, node, &sim->machines[machine]);
	}
	node->token = 0;
	if (index == sim->shape.root)
		decide(sim, node, token);
	else
		send(sim, index,
		     (struct packet){ .kind = PACKET_ANSWER,
				      .who = sim->shape.parent[index],
				      .black = node->black,
				      .sum = node->sum });
}

static void take_token(struct simulation *sim, uint32_t index, uint32_t token)
{
	struct node *node = &sim->nodes[index];
	uint32_t machine = sim->shape.machine[index];
	uint32_t first = sim->shape.first[index], end = sim->shape.first[index + 1];

	node->token = token;
	node->waiting = end - first;
	node->sum = 0;
	node->black = false;
	if (machine != NOWHERE) {
		node->early_sum = sim->machines[machine].sum;
		if (token & TOKEN_RELEASE)
			machine_release(sim, machine);
		if (token & TOKEN_LET_SEND)
			machine_let_send(sim, machine);
	}
	for (uint32_t i = first; i < end; i++)
		send(sim, index,
		     (struct packet){
			     .kind = PACKET_TOKEN, .who = sim->shape.children[i], .value = token });
	try_answer(sim, index);
}

void wave_start(struct simulation *sim)
{
	take_token(sim, sim->shape.root, sim->next_token);
}

void wave_packet(struct simulation *sim, const struct packet *packet)
{
	struct node *node = &sim->nodes[packet->who];

	if (sim->config->protocol != SOFTWARE) {
		wave_handled(sim, packet);
		return;
	}
	node->busy = (node->busy > sim->now ? node->busy : sim->now) + sim->config->handling;
	queue_add(&sim->queue,
		  &(struct event){ .time = node->busy, .kind = EVENT_HANDLED, .packet = *packet });
}

void wave_handled(struct simulation *sim, const struct packet *packet)
{
	struct node *node = &sim->nodes[packet->who];

	if (packet->kind == PACKET_TOKEN) {
		take_token(sim, packet->who, packet->value);
		return;
	}
	node->waiting--;
	node->sum += packet->sum;
	node->black |= packet->black;
	try_answer(sim, packet->who);
}

void wave_poke(struct simulation *sim, uint32_t node)
{
	try_answer(sim, node);
}
