// SPDX-License-Identifier: GPL-2.0-or-later
#include "neuron.h"
#include "shared/random.h"

#define PEAK 30.0f /* mV: a spike */

/* No input is so strong that numbers become infinite. What the paper has stays far below. */
#define POTENTIAL_MAX 1000.0f

/* Of these 16-bit numbers together, the standard deviation is 1 if each counts as a part of 1 */
#define NOISE_PARTS 12

/* A sum of twelve is normal, nearly; and it is made of whole numbers, the same everywhere */
static float noise(struct neuron *neuron)
{
	int32_t sum = -NOISE_PARTS * 0xffff / 2;

	for (int i = 0; i < NOISE_PARTS / 3; i++) {
		uint64_t bits = random_next(&neuron->random);

		/* the lowest ones are the worst */
		sum += (int32_t)((bits >> 48) + (bits >> 32 & 0xffff) + (bits >> 16 & 0xffff));
	}
	return (float)sum / 65536.0f;
}

void neuron_start(struct neuron *neuron, uint64_t seed, uint32_t number)
{
	uint64_t random = random_start(random_start(seed) ^ number);
	float part, square;
	bool excites;

	/* the first numbers of neighbouring states are alike */
	random_next(&random);
	random_next(&random);
	excites = random_part(&random) < 0.8;
	part = (float)random_part(&random);
	square = part * part;
	*neuron = (struct neuron){
		.v = -65,
		.a = excites ? 0.02f : 0.02f + 0.08f * part,
		.b = excites ? 0.2f : 0.25f - 0.05f * part,
		.c = excites ? -65 + 15 * square : -65,
		.d = excites ? 8 - 6 * square : 2,
		.noise = excites ? 5 : 2,
		.spike = excites ? NEURON_EXCITES : NEURON_INHIBITS,
		.random = random,
	};
	neuron->u = neuron->b * neuron->v;
}

static float half_step(float v, float u, float current)
{
	v += 0.5f * (0.04f * v * v + 5 * v + 140 - u + current);
	if (v > POTENTIAL_MAX)
		return POTENTIAL_MAX;
	return v < -POTENTIAL_MAX ? -POTENTIAL_MAX : v;
}

void neuron_step(struct neuron *neuron, int64_t current)
{
	float all = neuron->noise * noise(neuron) + (float)current / 1000;

	neuron->v = half_step(neuron->v, neuron->u, all);
	neuron->v = half_step(neuron->v, neuron->u, all);
	neuron->u += neuron->a * (neuron->b * neuron->v - neuron->u);
}

bool neuron_spikes(struct neuron *neuron)
{
	if (neuron->v < PEAK)
		return false;
	neuron->v = neuron->c;
	neuron->u += neuron->d;
	neuron->spikes++;
	return true;
}
