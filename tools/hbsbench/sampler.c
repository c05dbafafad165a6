// SPDX-License-Identifier: GPL-2.0-or-later
#include "sampler.h"

/* Keep every second sample, and from now on half as many */
static void thin_out(struct sampler *sampler)
{
	sampler->count /= 2;
	for (uint32_t i = 0; i < sampler->count; i++)
		sampler->samples[i] = sampler->samples[2 * i + 1];
	sampler->spacing = 2 * sampler->spacing + 1;
}

void sampler_add(struct sampler *sampler, uint64_t time)
{
	if (!sampler->least || time < sampler->least)
		sampler->least = time;
	if (time > sampler->greatest)
		sampler->greatest = time;
	if (sampler->skipped++ < sampler->spacing)
		return;
	sampler->skipped = 0;
	sampler->samples[sampler->count++] = time;
	/* room for the samples that are added at the end */
	if (sampler->count + 2 == sampler->room)
		thin_out(sampler);
}

void sampler_finish(struct sampler *sampler)
{
	if (!sampler->greatest)
		return;
	sampler->samples[sampler->count++] = sampler->least;
	sampler->samples[sampler->count++] = sampler->greatest;
}
