# SPDX-License-Identifier: GPL-2.0-or-later
"""What paper 002 says of its machine with 48 FPGAs."""
from dataclasses import dataclass


@dataclass
class Topology:
    """A row of tables 1 and 2; the speedups are of mode async, without and with weights."""
    name: str
    graph: str          # how the name of its graph begins
    fanout: int
    diameter: str
    reconvergence: float
    speedup: tuple


TOPOLOGIES = [
    Topology("4-con. 2D grid", "grid4:", 4, "|V|^(1/2)", 1.06, (18.25, 1.81)),
    Topology("8-con. 2D grid", "grid8:", 8, "|V|^(1/2)", 1.73, (5.65, 1.32)),
    Topology("6-con. 3D grid", "grid6:", 6, "|V|^(1/3)", 1.22, (2.01, 0.63)),
    Topology("26-con. 3D grid", "grid26:", 26, "|V|^(1/3)", 2.51, (2.16, 0.32)),
    Topology("normal, 8", "normal:{}x8", 16, "|V|^0.136", 4.33, (0.44, 0.46)),
    Topology("normal, 16", "normal:{}x16", 32, "|V|^0.164", 3.58, (0.56, 0.42)),
    Topology("scale-free, 8", "scale-free:{}x8", 16, "0.533 ln |V|", 2.05, (0.81, 0.52)),
    Topology("scale-free, 16", "scale-free:{}x16", 32, "0.481 ln |V|", 2.14, (0.74, 0.40)),
]

# Figure 10, on an 8-connected grid: the most visits of a vertex, by mode and weights
VISITS = {("async", False): 69, ("sync", True): 7, ("async", True): 190}

# What the authors say of figure 13
PAIRS = "async 80 to 100 times slower than sync"


def topology_of(graph):
    """The topology of a graph by its name."""
    for topology in TOPOLOGIES:
        begin, _, end = topology.graph.partition("{}")
        if graph.startswith(begin) and graph.endswith(end):
            return topology
    return None
