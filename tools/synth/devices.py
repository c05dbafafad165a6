# SPDX-License-Identifier: GPL-2.0-or-later
"""FPGAs whose share a card takes, and what others have published."""
from dataclasses import dataclass


@dataclass
class Device:
    name: str
    source: str
    logic: str      # the unit that the vendor counts
    size: int       # how many of them there are
    memory: str     # the kind of memory blocks
    blocks: int


DEVICES = {
    "xcup": [
        Device("XCKU5P", "AMD DS890, Kintex UltraScale+", "LUTs", 216960, "RAMB36", 480),
        Device("XCKU060", "AMD DS890, Kintex UltraScale", "LUTs", 331680, "RAMB36", 1080),
        Device("XCKU15P", "AMD DS890, Kintex UltraScale+", "LUTs", 522720, "RAMB36", 984),
        # the FPGA of the Alveo U50, and that of the Alveo U200 and of AWS F1
        Device("XCVU35P", "AMD DS890, Virtex UltraScale+ HBM", "LUTs", 871680, "RAMB36", 1344),
        Device("XCVU9P", "AMD DS890, Virtex UltraScale+", "LUTs", 1182240, "RAMB36", 2160),
    ],
    "alm": [
        Device("5CGXC7", "Intel CV-51001, Cyclone V GX", "ALMs", 56480, "M10K", 686),
        # the FPGA of Tinsel's DE5-Net; its blocks are M20K, which are not M10K
        Device("5SGXA7", "Intel SV51001, Stratix V GX", "ALMs", 234720, "M20K", 2560),
        # the FPGA of HARP
        Device("10AX115", "Intel A10-OVERVIEW, Arria 10 GX 1150", "ALMs", 427200, "M20K", 2713),
        Device("AGFB014", "Intel AG-OVERVIEW, Agilex 7 F-Series 014", "ALMs", 487200, "M20K",
               7110),
        # the FPGA of Intel's accelerator card D5005
        Device("1SX280", "Intel S10-OVERVIEW, Stratix 10 SX 2800", "ALMs", 933120, "M20K", 11721),
    ],
    "ice40": [
        Device("iCE40HX8K", "Lattice FPGA-DS-02029", "LUTs", 7680, "RAM4K", 32),
    ],
}

# What others say of theirs: (what, how much, where it stands)
OTHERS = [
    ("Tinsel: termination detection for the 1,024 threads of an FPGA",
     "1,526 ALMs, 0.6% of a Stratix V; Fmax of the whole 226 to 223 MHz",
     "Naylor et al., Termination detection for fine-grained message-passing "
     "architectures, ASAP 2020, figure 5"),
    ("HARP: one barrier that counts arrivals, behind the vendor's bus interface",
     "one cycle at 400 MHz on an Arria 10 GX 1150; the paper does not count its logic",
     "Hetland et al., Paths to Fast Barrier Synchronization on the Node, HPDC 2019"),
    ("HBS in a processor, proposed: 128 subset barriers",
     "944 bytes of memory, 378 square micrometres at 14 nm; not built",
     "the same paper"),
]


def areas(usage, family, card):
    """Lines for hbs-latency --area: device, card, resource, how much of it, how much there is."""
    for device in DEVICES[family]:
        used = {device.logic: usage.luts}
        if device.logic == "ALMs":
            used = dict(zip(("ALMs-least", "ALMs-most"), usage.alms()))
        yield from (f"{device.name} {card} {resource} {number} {device.size}"
                    for resource, number in used.items())
        if device.memory in usage.memories:
            yield (f"{device.name} {card} {device.memory} {usage.memories[device.memory]:g} "
                   f"{device.blocks}")


def shares(usage, family):
    """Lines that say how much of each device the usage is."""
    for device in DEVICES[family]:
        if device.logic == "ALMs":
            least, most = usage.alms()
            logic = (f"{least:,} to {most:,} ALMs, "
                     f"{100 * least / device.size:.2g}% to {100 * most / device.size:.2g}%")
        else:
            logic = f"{100 * usage.luts / device.size:.2g}% of LUTs"
        blocks = usage.memories.get(device.memory)
        if blocks is not None:
            logic += f", {100 * blocks / device.blocks:.2g}% of {device.memory}"
        yield f"{logic} of {device.name}"


def sources(families):
    for family in families:
        for device in DEVICES[family]:
            yield (f"{device.name}: {device.size:,} {device.logic}, {device.blocks:,} "
                   f"{device.memory} ({device.source})")
