/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every number that the model takes from elsewhere, with its source; the card's are in cycles.h */
#ifndef LATENCY_CONSTANTS_H
#define LATENCY_CONSTANTS_H

enum constant {
	/* HARP */
	HARP_FPGA_MHZ,
	HARP_CPU_MHZ,
	HARP_STEPS,
	HARP_WAY,
	UMSG_ADDRESSES,
	UMSG_COPIES,
	/* in the processor */
	XEON_CACHE,
	XEON_HOP,
	OPTERON_MHZ,
	OPTERON_CACHE,
	OPTERON_HOP,
	PHI_HOPS,
	PHI_HOP,
	PHOTONIC_GUIDE,
	PHOTONIC_SWITCH,
	/* software */
	HANDOVER_NEAR,
	HANDOVER_FAR,
	HARP_SOFTWARE,
	NUMA4_SOFTWARE,
	NUMA4_MHZ,
	NUMA8_SOFTWARE,
	NUMA8_MHZ,
	PHI_SOFTWARE,
	PHI_MHZ,
	A64FX_SOFTWARE,
	A64FX_HARDWARE,
	A64FX_MHZ,
	HBS_SOFTWARE,
	/* PCI Express */
	REGISTER_READ_LOW,
	REGISTER_READ_HIGH,
	MEMORY_READ_LOW,
	MEMORY_READ_HIGH,
	POSTED_LOW,
	POSTED_HIGH,
	PING_PONG,
	PACKET_BYTES,
	LANE_BYTES,
	/* area */
	TINSEL_ALMS,
	TINSEL_SHARE,
	HBS_GROUPS,
	HBS_SOCKETS,
	HBS_THREADS,
	BITCELL,
	CONSTANTS
};

/**
 * struct constant_entry - one number
 * @name: what it is
 * @value, @unit: the number
 * @source: a reference of constants_references, and the place in it
 */
struct constant_entry {
	const char *name;
	double value;
	const char *unit;
	const char *source;
};

extern const struct constant_entry constants[CONSTANTS];

/* The references that the sources name; NULL ends them */
extern const char *const constants_references[];

double constant(enum constant which);

#endif /* LATENCY_CONSTANTS_H */
