// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph_test.h"
#include "serial_spikes.h"
#include "shared/random.h"

struct network {
	uint32_t size;
	bool *inhibits;
	float *a, *b, *c, *d, *v, *u;
	uint64_t *random;
	int64_t *input; /* of synapses, in 0.001 */
};

static void *need(uint64_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	assert_non_null(memory);
	return memory;
}

static struct network make_network(uint32_t size)
{
	return (struct network){
		.size = size,
		.inhibits = need(size, sizeof(bool)),
		.a = need(size, sizeof(float)),
		.b = need(size, sizeof(float)),
		.c = need(size, sizeof(float)),
		.d = need(size, sizeof(float)),
		.v = need(size, sizeof(float)),
		.u = need(size, sizeof(float)),
		.random = need(size, sizeof(uint64_t)),
		.input = need(size, sizeof(int64_t)),
	};
}

static void free_network(struct network *network)
{
	free(network->inhibits);
	free(network->a);
	free(network->b);
	free(network->c);
	free(network->d);
	free(network->v);
	free(network->u);
	free(network->random);
	free(network->input);
}

/* The publication's line for those that excite, and that for those that inhibit */
static void set_parameters(struct network *network, uint32_t i, uint64_t seed)
{
	uint64_t *random = &network->random[i];
	float r;

	*random = random_start(random_start(seed) ^ i);
	random_next(random);
	random_next(random);
	network->inhibits[i] = random_part(random) >= 0.8;
	r = (float)random_part(random);
	if (network->inhibits[i]) {
		network->a[i] = 0.02f + 0.08f * r;
		network->b[i] = 0.25f - 0.05f * r;
		network->c[i] = -65;
		network->d[i] = 2;
	} else {
		network->a[i] = 0.02f;
		network->b[i] = 0.2f;
		network->c[i] = -65 + 15 * (r * r);
		network->d[i] = 8 - 6 * (r * r);
	}
	network->v[i] = -65;
	network->u[i] = network->b[i] * -65;
}

/* Twelve numbers of 16 bits, without their mean: normal, with a deviation of 65536 */
static float thalamic(struct network *network, uint32_t i)
{
	double sum = 0;

	for (int part = 0; part < 4; part++) {
		uint64_t bits = random_next(&network->random[i]);

		for (int shift = 16; shift < 64; shift += 16)
			sum += (double)(uint16_t)(bits >> shift);
	}
	return (network->inhibits[i] ? 2.0f : 5.0f) * ((float)(sum - 6 * 65535.0) / 65536.0f);
}

static float bounded(float v)
{
	return v > 1000 ? 1000 : v < -1000 ? -1000 : v;
}

static void advance(struct network *network, uint32_t i)
{
	float v = network->v[i], u = network->u[i];
	float input = thalamic(network, i) + (float)network->input[i] / 1000.0f;

	v = bounded(v + 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - u + input));
	v = bounded(v + 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - u + input));
	network->v[i] = v;
	network->u[i] = u + network->a[i] * (network->b[i] * v - u);
}

bool *serial_spikes(const struct edges *edges, uint64_t seed, uint32_t times)
{
	struct network network = make_network(edges->vertices);
	bool *spikes = need((times + 1ULL) * network.size, sizeof(*spikes));

	for (uint32_t i = 0; i < network.size; i++)
		set_parameters(&network, i, seed);
	for (uint32_t t = 1; t <= times; t++) {
		bool *now = spikes + (size_t)t * network.size;

		for (uint32_t i = 0; i < network.size; i++) {
			network.input[i] = 0;
			now[i] = network.v[i] >= 30;
			if (!now[i])
				continue;
			network.v[i] = network.c[i];
			network.u[i] += network.d[i];
		}
		for (uint64_t e = 0; e < edges->count; e++)
			if (now[edges->from[e]])
				network.input[edges->to[e]] +=
					(network.inhibits[edges->from[e]] ? -2 : 1) *
					(int64_t)edges->weight[e];
		for (uint32_t i = 0; i < network.size; i++)
			advance(&network, i);
	}
	free_network(&network);
	return spikes;
}
