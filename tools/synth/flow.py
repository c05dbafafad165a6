# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of yosys and nextpnr, each in a folder of its own that keeps its log."""
import json
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pins

TOP = "hbs_card"
SYNTHESIS = {
    "xcup": ("synth_xilinx -family xcup -noiopad -noclkbuf -abc9 -nowidelut", "-flatten", ""),
    "alm": ("synth_intel_alm -family cyclonev", "", "-noflatten"),
    "ice40": ("synth_ice40", "", "-noflatten"),
}


class Failed(Exception):
    """A tool failed; the text says which, why, and where the log is."""


def run(command, folder, limit):
    """Run a tool that writes TOOL.log, no longer than limit seconds; its seconds."""
    tool = command[0]
    log = folder / f"{tool}.log"
    start = time.monotonic()
    with open(log, "w", encoding="utf-8") as output:
        # in a group of its own, as yosys starts abc
        with subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, cwd=folder,
                              stdin=subprocess.DEVNULL, start_new_session=True) as process:
            try:
                status = process.wait(limit)
            except BaseException as error:
                os.killpg(process.pid, signal.SIGKILL)
                if isinstance(error, subprocess.TimeoutExpired):
                    raise Failed(f"{tool} took more than {limit} s ({log})") from None
                raise
    if status:
        errors = re.findall(r".*ERROR.*", log.read_text(encoding="utf-8", errors="replace"))
        why = errors[-1].strip() if errors else f"status {status}"
        raise Failed(f"{tool}: {why} ({log})")
    return time.monotonic() - start


def read(sources, parameters):
    """Commands that read the card and give it its parameters."""
    sets = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    files = " ".join(f'"{source}"' for source in sources)
    yield f"read_verilog -sv -defer {files}"
    if sets:
        yield f"chparam {sets} {TOP}"


def yosys(commands, folder, limit):
    (folder / "script.ys").write_text("\n".join(commands) + "\n", encoding="utf-8")
    return run(["yosys", "-s", "script.ys"], folder, limit)


def modules_of(path):
    """The cells of each module, from what stat -json wrote."""
    text = path.read_text(encoding="utf-8")
    # behind the modules yosys 0.23 mixes a table that is no JSON into it
    start = text.index("{", text.index('"modules":'))
    return json.JSONDecoder().raw_decode(text, start)[0]


def memories_of_flops(log):
    """Remarks on memories that the FPGA's memories do not suit."""
    for name, number, width in re.findall(
            r"^Mapping memory \\(\S+) in module .*\n  created (\d+) \$dff cells and \d+ static "
            r"cells of width (\d+)", log, re.MULTILINE):
        yield f"{name}: {number} x {width} bits are flip-flops"


@dataclass
class Netlist:
    modules: dict   # cells by type
    remarks: list
    seconds: float


def synthesise(sources, parameters, family, folder, limit, flat=True):
    """Synthesise the card."""
    command, flatten, keep = SYNTHESIS[family]
    folder.mkdir(parents=True, exist_ok=True)
    script = [*read(sources, parameters), f"{command} {flatten if flat else keep} -top {TOP}"]
    if family == "xcup":
        # yosys inverts an active-low reset for every flip-flop anew
        script.append("opt_merge -share_all t:INV")
    script.append("tee -q -o stat.json stat -json")
    has_loop = Failed(f"the card has a loop of logic ({folder / 'yosys.log'})")
    try:
        seconds = yosys(script, folder, limit)
    except Failed as error:
        # abc9 ends at the first one
        raise has_loop if "no_loops" in str(error) else error from None
    log = (folder / "yosys.log").read_text(encoding="utf-8", errors="replace")
    if "found logic loop" in log:
        raise has_loop
    return Netlist(modules_of(folder / "stat.json"), list(memories_of_flops(log)), seconds)


@dataclass
class Routed:
    megahertz: dict     # by seed
    cells: int          # logic cells, with those at the pins
    seconds: float


def route(sources, parameters, folder, limit, seeds):
    """Place and route the card on an hx8k, once with each seed of the placement."""
    folder.mkdir(parents=True, exist_ok=True)
    # only a netlist says how wide the ports are with these parameters
    seconds = yosys([*read(sources, parameters), f"hierarchy -top {TOP}", "proc",
                     "write_json ports.json"], folder, limit)
    with open(folder / "ports.json", encoding="utf-8") as file:
        ports = json.load(file)["modules"][TOP]["ports"]
    (folder / "pins.v").write_text(pins.wrapper(TOP, ports), encoding="utf-8")
    seconds += yosys([*read(sources, parameters), "read_verilog pins.v",
                      f"synth_ice40 -top {pins.TOP} -json netlist.json"], folder, limit)
    routed = Routed({}, 0, seconds)
    for seed in seeds:
        routed.seconds += run(["nextpnr-ice40", "--hx8k", "--package", "ct256", "--json",
                               "netlist.json", "--report", "report.json", "--freq", "50",
                               "--timing-allow-fail", "--seed", str(seed)], folder, limit)
        with open(folder / "report.json", encoding="utf-8") as file:
            report = json.load(file)
        clocks = [clock["achieved"] for clock in report["fmax"].values()]
        if not clocks:
            raise Failed(f"nextpnr-ice40 reports no clock ({Path(folder) / 'report.json'})")
        routed.megahertz[seed] = min(clocks)
        routed.cells = report["utilization"]["ICESTORM_LC"]["used"]
    return routed
