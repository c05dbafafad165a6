/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rounds of the master: tokens go down a tree, answers come up and are combined */
#ifndef TDSIM_WAVE_H
#define TDSIM_WAVE_H

#include <stdbool.h>
#include <stdint.h>

struct packet;
struct simulation;

/* What a token asks for */
enum { TOKEN_PROBE = 1, TOKEN_RELEASE = 2, TOKEN_LET_SEND = 4 };

/**
 * struct node - where tokens pass
 * @token: what the token asks for that the node holds; 0 if it holds none
 * @waiting: children that have not answered
 * @sum, @black: of those that have
 * @early_sum: the machine's when the token came
 * @busy: until when the thread of a software node handles packets
 */
struct node {
	uint32_t token;
	uint32_t waiting;
	int64_t sum;
	bool black;
	int64_t early_sum;
	uint64_t busy;
};

/* The master starts its first, or the next round */
void wave_start(struct simulation *sim);

/* A token or an answer has come to the board of its node, and later been handled there */
void wave_packet(struct simulation *sim, const struct packet *packet);
void wave_handled(struct simulation *sim, const struct packet *packet);

/* The machine of @node may have become passive */
void wave_poke(struct simulation *sim, uint32_t node);

#endif /* TDSIM_WAVE_H */
