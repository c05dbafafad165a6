/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a barrier takes if all members arrive at once, in ns. NAN: there is no such barrier. */
#ifndef LATENCY_MODEL_H
#define LATENCY_MODEL_H

#include <stdbool.h>

/**
 * struct setting - the card
 * @clock: in MHz
 * @lanes: of its link, generation 3
 * @records: departure records of the group
 * @reduce: whether the group reduces
 */
struct setting {
	unsigned int clock;
	unsigned int lanes;
	unsigned int records;
	bool reduce;
};

/* Where the members are: as many in each socket, one more in some */
struct place {
	unsigned int members;
	unsigned int sockets;
};

/* The machines of figure 1 in the HARP paper */
extern const struct place place_harp, place_numa4, place_numa8, place_phi;

/* What is good for the barrier, what is likely, and what is bad for it */
enum level { LOW, TYPICAL, HIGH, LEVELS };

/* Rounds of a dissemination barrier: among the members of a socket, and among the sockets */
unsigned int model_rounds_near(const struct place *place);
unsigned int model_rounds_far(const struct place *place);

double model_software(enum level level, const struct place *place);
double model_card(enum level level, const struct setting *setting, const struct place *place);

/* Cycles of the card from the last arrival to the last word of all records */
unsigned int model_card_cycles(const struct setting *setting);

/* The FPGA of HARP alone, in its cycles and in ns */
double model_harp_cycles(unsigned int members);
double model_harp_alone(unsigned int members);

/*
 * As the paper measured it, as if more threads were there too; and if a message took as long as an
 * access to the cache, one after the other, up to the threads that were there
 */
double model_harp(const struct place *place);
double model_harp_projected(const struct place *place);
double model_umsg(const struct place *place);

/* In the processor: the paper's Xeon, its Opteron and its Phi */
double model_hbs(const struct place *place);
double model_hbs_opteron(unsigned int sockets);
double model_hbs_phi(void);
double model_photonic(const struct place *place);

/* The other way round, for figures in cycles */
double model_cycles(double ns, double mhz);
double model_ns(double cycles, double mhz);

#endif /* LATENCY_MODEL_H */
