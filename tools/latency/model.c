// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "constants.h"
#include "cycles.h"
#include "model.h"

const struct place place_harp = { .members = 28, .sockets = 1 };
const struct place place_numa4 = { .members = 64, .sockets = 4 };
const struct place place_numa8 = { .members = 384, .sockets = 8 };
const struct place place_phi = { .members = 256, .sockets = 1 };

double model_ns(double cycles, double mhz)
{
	return cycles * 1000 / mhz;
}

double model_cycles(double ns, double mhz)
{
	return ns * mhz / 1000;
}

static unsigned int log2_up(unsigned int number)
{
	unsigned int log = 0;

	while (1U << log < number)
		log++;
	return log;
}

unsigned int model_rounds_near(const struct place *place)
{
	return log2_up((place->members + place->sockets - 1) / place->sockets);
}

unsigned int model_rounds_far(const struct place *place)
{
	return log2_up(place->sockets);
}

/* A round in a socket, by the best barrier of the paper's machine of one socket */
static double measured_near(void)
{
	return model_ns(constant(HARP_SOFTWARE), constant(HARP_CPU_MHZ)) /
	       model_rounds_near(&place_harp);
}

static double far_of(double ns, const struct place *place)
{
	return (ns - measured_near() * model_rounds_near(place)) / model_rounds_far(place);
}

/* A round among sockets: what is left on the paper's two other machines, in the mean */
static double measured_far(void)
{
	double four = far_of(model_ns(constant(NUMA4_SOFTWARE), constant(NUMA4_MHZ)), &place_numa4);
	double eight =
		far_of(model_ns(constant(NUMA8_SOFTWARE), constant(NUMA8_MHZ)), &place_numa8);

	return (four + eight) / 2;
}

double model_software(enum level level, const struct place *place)
{
	double near = level == LOW ? constant(HANDOVER_NEAR) : measured_near();
	double far = constant(HANDOVER_FAR);

	if (level == TYPICAL)
		far = near * constant(HANDOVER_FAR) / constant(HANDOVER_NEAR);
	if (level == HIGH)
		far = measured_far();
	return near * model_rounds_near(place) + far * model_rounds_far(place);
}

/* From a store to the card, and from the card to memory */
static double way(enum level level)
{
	switch (level) {
	case LOW:
		return constant(POSTED_LOW) *
		       (constant(REGISTER_READ_LOW) + constant(MEMORY_READ_LOW));
	case TYPICAL:
		return constant(PING_PONG);
	default:
		return constant(POSTED_HIGH) *
		       (constant(REGISTER_READ_HIGH) + constant(MEMORY_READ_HIGH));
	}
}

unsigned int model_card_cycles(const struct setting *setting)
{
	unsigned int writes = setting->records * (setting->reduce ? 2 : 1);

	return CYCLES_WRITE + (writes - 1) * CYCLES_FURTHER;
}

_Static_assert(CYCLES_WRITE + (2 * RECORDS_MOST - 1) * CYCLES_FURTHER <= CYCLES_LIMIT,
	       "the last record is late");

double model_card(enum level level, const struct setting *setting, const struct place *place)
{
	double arrival = model_ns(CYCLES_ARRIVAL, setting->clock);
	double packet = constant(PACKET_BYTES) / (constant(LANE_BYTES) * setting->lanes);
	double apart = fmax(arrival, packet);
	double core = model_ns(model_card_cycles(setting), setting->clock);
	double look = constant(HANDOVER_NEAR);

	/* the farthest member is beside another socket, and so are its store and its look */
	if (place->sockets > 1)
		look += 2 * (constant(HANDOVER_FAR) - constant(HANDOVER_NEAR));
	return way(level) + apart * (place->members - 1) + core + look;
}

double model_harp_cycles(unsigned int members)
{
	return constant(HARP_STEPS) * members;
}

double model_harp_alone(unsigned int members)
{
	return model_ns(model_harp_cycles(members), constant(HARP_FPGA_MHZ));
}

double model_harp(const struct place *place)
{
	if (place->sockets > 1)
		return NAN;
	return model_ns(constant(HARP_WAY), constant(HARP_CPU_MHZ)) +
	       model_harp_alone(place->members);
}

double model_harp_projected(const struct place *place)
{
	if (place->sockets > 1 || place->members > place_harp.members)
		return NAN;
	return model_ns(constant(XEON_CACHE) * place->members, constant(HARP_CPU_MHZ));
}

double model_umsg(const struct place *place)
{
	if (place->members * constant(UMSG_COPIES) > constant(UMSG_ADDRESSES))
		return NAN;
	return model_harp(place);
}

double model_hbs(const struct place *place)
{
	double hops = place->sockets > 1 ? place->sockets : 0;

	return model_ns(constant(XEON_CACHE) + hops * constant(XEON_HOP), constant(HARP_CPU_MHZ));
}

double model_hbs_opteron(unsigned int sockets)
{
	double hops = sockets > 1 ? sockets : 0;

	return model_ns(constant(OPTERON_CACHE), constant(OPTERON_MHZ)) +
	       hops * constant(OPTERON_HOP);
}

double model_hbs_phi(void)
{
	return model_ns(2 * constant(PHI_HOPS) * constant(PHI_HOP), constant(PHI_MHZ));
}

double model_photonic(const struct place *place)
{
	return constant(PHOTONIC_GUIDE) * place->sockets + 2 * constant(PHOTONIC_SWITCH);
}
