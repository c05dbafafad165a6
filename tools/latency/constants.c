// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "constants.h"

const char *const constants_references[] = {
	"[harp] C. Hetland et al., Paths to fast barrier synchronization on the node, HPDC 2019",
	"[tinsel] M. Naylor et al., Termination detection for fine-grained message-passing "
	"architectures, ASAP 2020",
	"[c2c] https://github.com/nviennot/core-to-core-latency, README.md of commit 0dddf509",
	"[pcie-bench] R. Neugebauer et al., Understanding PCIe performance for end host "
	"networking, SIGCOMM 2018; https://github.com/pcie-bench/data, commit b2abf2f7, "
	"nfp6000-1.2GHz_bdw-Xeon-E5-2630v4-dell-t430-s0-s0-s0-iommu-nosp/lat_cmd_details.txt",
	"[pcie-lat] https://github.com/andre-richter/pcie-lat/issues/9, Xeon Gold 6250",
	"[f1] https://github.com/Xilinx/XRT/issues/6053, medians on AWS EC2 F1",
	"[tcc] Intel TCC Tools 2021.3 Developer Guide, Data Streams Supported",
	"[megatron] https://github.com/JungleX/MEGATRON, README.md, on DAC 2021",
	"[virtex] http://hackingnasdaq.blogspot.com/2014/05/pcie-latency.html, Virtex 7, i7-4771",
	"[an708] Intel, AN 708, Understanding PCI Express throughput",
	"[a64fx] https://github.com/RRZE-HPC/A64FX_HWB_kmod, benchmark/gcc_barrier.png",
	"[hbsbench] Documentation/hbsbench.rst, two virtual CPUs",
	NULL,
};

const struct constant_entry constants[CONSTANTS] = {
	[HARP_FPGA_MHZ] = { "HARP: clock of the FPGA", 400, "MHz", "[harp] 3.1" },
	[HARP_CPU_MHZ] = { "HARP: clock of the processor", 2400, "MHz", "[harp] 3.1" },
	[HARP_STEPS] = { "HARP: an arrival and a departure in the FPGA", 2, "cycles",
			 "[harp] 3.3" },
	[HARP_WAY] = { "HARP: to the FPGA and back (\"3000+\")", 3000, "cycles", "[harp] 3.3" },
	[UMSG_ADDRESSES] = { "UMsg: addresses at a time", 8, "", "[harp] 3.2" },
	[UMSG_COPIES] = { "UMsg: addresses for a thread, one a generation", 2, "", "[harp] 3.2" },
	[XEON_CACHE] = { "Xeon E5-2600 v4: last-level cache", 38, "cycles", "[harp] 4.2" },
	[XEON_HOP] = { "Xeon: QPI, the upper end of 30 to 110", 110, "cycles", "[harp] 4.2" },
	[OPTERON_MHZ] = { "Opteron 6272: clock", 2100, "MHz", "[harp] 2, 4.2" },
	[OPTERON_CACHE] = { "Opteron 6272: last-level cache", 20, "cycles", "[harp] 4.2" },
	[OPTERON_HOP] = { "Opteron 6272: HyperTransport", 44, "ns", "[harp] 4.2" },
	[PHI_HOPS] = { "Xeon Phi 7210: hops to the centre", 6, "", "[harp] 4.2" },
	[PHI_HOP] = { "Xeon Phi 7210: a wire and a router", 4, "cycles", "[harp] 4.2" },
	[PHOTONIC_GUIDE] = { "photonic: light in a waveguide of 43 cm", 5, "ns", "[harp] 5" },
	[PHOTONIC_SWITCH] = { "photonic: a modulator or a detector, 10 GHz", 0.1, "ns",
			      "[harp] 5" },
	[HANDOVER_NEAR] = { "a line to a core of this socket, Xeon E5-2695 v4", 44, "ns",
			    "[c2c] single socket results" },
	[HANDOVER_FAR] = { "a line to a core of another socket, the same", 118, "ns",
			   "[c2c] dual sockets results" },
	[HARP_SOFTWARE] = { "HARP, 28 threads: best software barrier", 3300, "cycles",
			    "[harp] 2, figure 1" },
	[NUMA4_SOFTWARE] = { "NUMA-4, 64 threads: the same", 24000, "cycles",
			     "[harp] 2, figure 1" },
	[NUMA4_MHZ] = { "NUMA-4: clock", 2100, "MHz", "[harp] 2" },
	[NUMA8_SOFTWARE] = { "NUMA-8, 384 threads: the same", 37000, "cycles",
			     "[harp] 2, figure 1" },
	[NUMA8_MHZ] = { "NUMA-8: clock", 2100, "MHz", "[harp] 2" },
	[PHI_SOFTWARE] = { "Xeon Phi, 256 threads: the same", 12000, "cycles",
			   "[harp] 2, figure 1" },
	[PHI_MHZ] = { "Xeon Phi: clock", 1300, "MHz", "[harp] 2" },
	[A64FX_SOFTWARE] = { "A64FX, 12 threads: barrier of GCC's OpenMP", 2715, "cycles",
			     "[a64fx] read off the plot" },
	[A64FX_HARDWARE] = { "A64FX, 2 to 12 threads: its hardware barrier, most", 460, "cycles",
			     "[a64fx] read off the plot" },
	[A64FX_MHZ] = { "A64FX: clock", 1800, "MHz", "[a64fx]" },
	[HBS_SOFTWARE] = { "hbs in software, 2 threads, quiet", 70.1, "ns",
			   "[hbsbench] What was found" },
	[REGISTER_READ_LOW] = { "read of a card's register, low", 424, "ns", "[pcie-lat]" },
	[REGISTER_READ_HIGH] = { "the same, high", 1637, "ns", "[f1]" },
	[MEMORY_READ_LOW] = { "read of memory by a card, 8 bytes, low: warm, 8 KB", 413, "ns",
			      "[pcie-bench] LAT_CMD_RD" },
	[MEMORY_READ_HIGH] = { "the same, high: cold, 64 MB, misses of the IOMMU", 746, "ns",
			       "[pcie-bench] LAT_CMD_RD" },
	[POSTED_LOW] = { "a posted write over a read the same way, low", 0.5, "", "[tcc]" },
	[POSTED_HIGH] = { "the same, high (\"a little higher than half\": assumed)", 0.6, "",
			  "[megatron]" },
	[PING_PONG] = { "a card writes, a processor sees it and writes back", 850, "ns",
			"[virtex]" },
	[PACKET_BYTES] = { "a packet of 4 or 8 bytes (28 to 36)", 32, "bytes", "[an708]" },
	[LANE_BYTES] = { "a lane of generation 3", 1, "bytes/ns", "[an708]" },
	[TINSEL_ALMS] = { "Tinsel: termination detection", 1526, "ALMs", "[tinsel] figure 5" },
	[TINSEL_SHARE] = { "Tinsel: the same, of a Stratix V", 0.6, "%", "[tinsel] figure 5" },
	[HBS_GROUPS] = { "HBS: groups", 128, "", "[harp] 4.2" },
	[HBS_SOCKETS] = { "HBS: sockets", 4, "", "[harp] 4.2" },
	[HBS_THREADS] = { "HBS: threads of a socket", 56, "", "[harp] 4.2" },
	[BITCELL] = { "HBS: a bit of static memory at 14 nm", 0.05, "um2", "[harp] 4.2" },
};

double constant(enum constant which)
{
	return constants[which].value;
}
