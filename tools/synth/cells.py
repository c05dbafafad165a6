# SPDX-License-Identifier: GPL-2.0-or-later
"""What the cells of a synthesised netlist take of an FPGA, family by family."""
import re
from dataclasses import dataclass, field

# Lookup tables that a memory of lookup tables takes (Xilinx UG574, chapter 2)
XILINX_RAM_LUTS = {
    "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4, "RAM512X1S": 8,
    "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM256X1D": 8,
    "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8,
    "RAM64X8SW": 8, "RAM32X16DR8": 8, "SRL16E": 1, "SRLC32E": 1,
}


@dataclass
class Usage:
    """Lookup tables, those of them that are memory, flip-flops, and memories by kind."""
    luts: int = 0
    lut_memory: int = 0
    flops: int = 0
    memories: dict = field(default_factory=dict)
    # lookup tables that fill an ALM alone, and halves of one that may share it
    whole: int = 0
    halves: int = 0
    arithmetic: int = 0

    def add(self, other):
        for name, value in vars(other).items():
            if name == "memories":
                for kind, number in value.items():
                    self.memories[kind] = self.memories.get(kind, 0) + number
            else:
                setattr(self, name, getattr(self, name) + value)

    def alms(self):
        """The fewest and the most ALMs: two functions share one if their inputs allow it."""
        memory = -(-self.memories.get("MLAB bit", 0) // 2)
        arithmetic = -(-self.arithmetic // 2)
        least = self.whole + -(-self.halves // 2) + arithmetic + memory
        return max(least, -(-self.flops // 4)), self.whole + self.halves + arithmetic + memory

    def memory_text(self):
        parts = [f"{number:g} {kind}" for kind, number in sorted(self.memories.items())]
        if self.lut_memory:
            parts.append(f"{self.lut_memory} LUTs")
        return ", ".join(parts) or "-"


class UnknownCell(Exception):
    """A cell that nobody has said the cost of: the sum would be too small."""


def xilinx(cell, number):
    if re.fullmatch(r"LUT[1-6]|INV", cell):
        return Usage(luts=number)
    if cell in XILINX_RAM_LUTS:
        luts = number * XILINX_RAM_LUTS[cell]
        return Usage(luts=luts, lut_memory=luts)
    if re.fullmatch(r"FD[RSCP]E(_1)?", cell):
        return Usage(flops=number)
    if re.fullmatch(r"RAMB(18|36)E2", cell):
        return Usage(memories={"RAMB36": number / (2 if "18" in cell else 1)})
    if cell == "URAM288":
        return Usage(memories={"URAM": number})
    if re.fullmatch(r"CARRY[48]|MUXF[789]|[IO]BUF|BUFG", cell):
        return Usage()
    raise UnknownCell(cell)


def alm(cell, number):
    if cell in ("MISTRAL_ALUT6", "MISTRAL_ALUT_ARITH", "MISTRAL_NOT") or re.fullmatch(
            r"MISTRAL_ALUT[2-5]", cell):
        kind = {"MISTRAL_ALUT6": "whole", "MISTRAL_ALUT_ARITH": "arithmetic"}
        return Usage(luts=number, **{kind.get(cell, "halves"): number})
    if cell == "MISTRAL_FF":
        return Usage(flops=number)
    if cell == "MISTRAL_MLAB":
        return Usage(memories={"MLAB bit": number})
    if cell == "MISTRAL_M10K":
        return Usage(memories={"M10K": number})
    if cell in ("MISTRAL_IB", "MISTRAL_OB", "MISTRAL_BUF", "MISTRAL_CLKBUF"):
        return Usage()
    raise UnknownCell(cell)


def ice40(cell, number):
    if cell == "SB_LUT4":
        return Usage(luts=number)
    if cell.startswith("SB_DFF"):
        return Usage(flops=number)
    if cell.startswith("SB_RAM40_4K"):
        return Usage(memories={"RAM4K": number})
    if cell in ("SB_CARRY", "SB_GB", "SB_IO"):
        return Usage()
    raise UnknownCell(cell)


COSTS = {"xcup": xilinx, "alm": alm, "ice40": ice40}


def base_name(module):
    """The name that a module has in its source: the parameters are left away."""
    parts = [part for part in module.split("\\") if part]
    return parts[1] if parts[0].startswith("$paramod") else parts[0]


def module_usages(modules, top, family):
    """(instances, usage of all of them without their submodules) of each module's name."""
    totals = {}

    def visit(name, times):
        own = Usage()
        for cell, number in modules[name]["num_cells_by_type"].items():
            inner = cell if cell in modules else f"\\{cell}"
            if inner in modules:
                visit(inner, times * number)
            elif not cell.startswith("$"):
                own.add(COSTS[family](cell, number * times))
            elif cell not in ("$scopeinfo", "$assert", "$assume", "$cover"):
                raise UnknownCell(cell)
        count, usage = totals.setdefault(base_name(name), (0, Usage()))
        usage.add(own)
        totals[base_name(name)] = count + times, usage

    visit(f"\\{top}", 1)
    return totals
