# SPDX-License-Identifier: GPL-2.0-or-later
"""The experiments: each returns lines of text, and draws its plots into a folder."""
import math
import re
from dataclasses import dataclass
from pathlib import Path

import paper
import plots
import runs


@dataclass
class Bench:
    """What experiments work with."""
    hbsgraph: runs.Hbsgraph
    folder: Path
    quick: bool     # small graphs, to try it out

    def size(self, power, quick):
        return 1 << (quick if self.quick else power)


def vertices_of(graph):
    """How many vertices a graph has, by its name."""
    text = graph.partition(":")[2]
    if re.match(r"(normal|scale-free)", graph):
        return int(text.partition("x")[0])
    return math.prod(int(side) for side in text.split("x"))


def weights_text(weighted):
    return "weighted" if weighted else "unweighted"


def topologies(bench):
    """Tables 1 and 2, figures 6 and 11."""
    size = bench.size(20, 12)
    cases, choices = bench.hbsgraph.tune(size, bench.folder / "graph-profile")
    largest = {}
    for graph, weighted, *rest in cases:
        largest[paper.topology_of(graph).name, weighted] = graph, *rest
    yield "Table 1: characteristics of the largest graphs, beside the paper's"
    yield (f"  {'topology':<16} {'vertices':>9} {'diameter':>9} {'Dw/D':>6}   "
           f"{'paper: fan-out':>14} {'diameter':>13} {'Dw/D':>6}")
    for topology in paper.TOPOLOGIES:
        graph, diameter, ratio, _, _ = largest[topology.name, False]
        yield (f"  {topology.name:<16} {vertices_of(graph):>9} {diameter:>9.0f} {ratio:>6.2f}   "
               f"{topology.fanout:>14} {topology.diameter:>13} {topology.reconvergence:>6.2f}")
    yield ""
    yield "Table 2: time in mode sync divided by that in mode async, here and in the paper"
    yield f"  {'topology':<16} {'unweighted':>10} {'paper':>7} {'weighted':>10} {'paper':>7}"
    for topology in paper.TOPOLOGIES:
        cells = ""
        for weighted in False, True:
            *_, sync, asynchronous = largest[topology.name, weighted]
            cells += f" {sync / asynchronous:>10.2f} {topology.speedup[weighted]:>7.2f}"
        yield f"  {topology.name:<16}{cells}"
    yield ""
    yield "Figure 11 and table 5: what the models of this machine choose"
    yield from ("  " + line for line in choices.splitlines() if line)
    for weighted in False, True:
        series = {}
        for graph, is_weighted, _, _, sync, asynchronous in cases:
            if is_weighted == weighted:
                name = paper.topology_of(graph).name
                series.setdefault(f"{name} sync", []).append((vertices_of(graph), sync))
                series.setdefault(f"{name} async", []).append((vertices_of(graph), asynchronous))
        plots.lines(bench.folder / f"figure-6-{weights_text(weighted)}.svg",
                    f"Shortest paths, {weights_text(weighted)}", "vertices", "seconds", series,
                    "xy")


def both_modes(bench, app, graph, weighted, options=()):
    return (bench.hbsgraph.run(app, graph, "sync", weighted, options),
            bench.hbsgraph.run(app, graph, "async", weighted, options))


def regularity(bench):
    """Figure 7: a grid of which some edges end anywhere."""
    side = 48 if bench.quick else 1024
    series = {}
    yield f"Figure 7: a grid of {side} x {side}, a part r of its edges at random; seconds"
    yield f"  {'r':>4} {'weights':<10} {'sync':>10} {'async':>10} {'sync/async':>10}"
    for weighted in False, True:
        for tenth in range(0, 11, 5 if bench.quick else 1):
            graph = f"mixed:{side}x{side}x{tenth / 10}"
            sync, asynchronous = both_modes(bench, "sssp", graph, weighted)
            yield (f"  {tenth / 10:>4} {weights_text(weighted):<10} {sync.seconds:>10.6f} "
                   f"{asynchronous.seconds:>10.6f} {sync.seconds / asynchronous.seconds:>10.2f}")
            for mode, run in ("sync", sync), ("async", asynchronous):
                name = f"{weights_text(weighted)} {mode}"
                series.setdefault(name, []).append((tenth / 10, run.seconds))
    plots.lines(bench.folder / "figure-7.svg", f"A grid of {side} x {side} that loses its order",
                "part of the edges at random", "seconds", series, "y")


def extremes(bench):
    """Figure 8: trees and rings."""
    powers = (8, 10) if bench.quick else (10, 12, 14, 16, 18, 20)
    series = {}
    yield "Figure 8: the best and the worst case; seconds, and microseconds of a step"
    yield (f"  {'graph':<14} {'sync':>10} {'async':>10} {'sync: a step':>13} "
           f"{'async, by steps':>15}")
    for kind in "tree", "ring":
        for power in powers:
            sync, asynchronous = both_modes(bench, "sssp", f"{kind}:{1 << power}", False)
            yield (f"  {f'{kind}:{1 << power}':<14} {sync.seconds:>10.6f} "
                   f"{asynchronous.seconds:>10.6f} {1e6 * sync.seconds / sync.steps:>13.2f} "
                   f"{1e6 * asynchronous.seconds / sync.steps:>15.2f}")
            for mode, run in ("sync", sync), ("async", asynchronous):
                series.setdefault(f"{kind} {mode}", []).append((1 << power, run.seconds))
    plots.lines(bench.folder / "figure-8.svg", "Trees and rings", "vertices", "seconds", series,
                "xy")


def visits(bench):
    """Figure 10: how often a vertex learns of a shorter path."""
    side = 32 if bench.quick else 256
    yield f"Figure 10: visits of a vertex of a grid8 of {side} x {side}, from a corner"
    yield f"  {'mode':<6} {'weights':<10} {'most':>6} {'mean':>8}   {'paper: most':>11}"
    for weighted in False, True:
        for mode in "sync", "async":
            name = f"figure-10-{mode}-{weights_text(weighted)}"
            output = bench.folder / f"{name}.txt"
            run = bench.hbsgraph.run("visits", f"grid8:{side}x{side}", mode, weighted,
                                     [f"--output={output}"])
            most, mean, _ = runs.numbers(run.lines["visits"])
            yield (f"  {mode:<6} {weights_text(weighted):<10} {most:>6.0f} {mean:>8.3f}   "
                   f"{paper.VISITS.get((mode, weighted), '-'):>11}")
            values = [int(line.split()[1]) for line in output.read_text().splitlines()]
            plots.picture(bench.folder / f"{name}.svg", f"Visits, {mode}, "
                          f"{weights_text(weighted)}", side, values)


def seismic(bench):
    """Figure 12: the time of waves through rock, which is a weighted 3-D grid."""
    sides = (8, 12) if bench.quick else (32, 48, 64, 80, 100)
    series = {}
    yield "Figure 12: a 3-D grid with weights, as seismic rays take; seconds"
    yield "  The paper's rock has no public data: its weights are random ones here."
    yield f"  {'vertices':>9} {'sync':>10} {'async':>10} {'sync/async':>10}"
    for side in sides:
        sync, asynchronous = both_modes(bench, "sssp", f"grid26:{side}x{side}x{side}", True)
        yield (f"  {side ** 3:>9} {sync.seconds:>10.6f} {asynchronous.seconds:>10.6f} "
               f"{sync.seconds / asynchronous.seconds:>10.2f}")
        for mode, run in ("sync", sync), ("async", asynchronous):
            series.setdefault(mode, []).append((side ** 3, run.seconds))
    plots.lines(bench.folder / "figure-12.svg", "Shortest paths in a weighted 3-D grid",
                "vertices", "seconds", series, "xy")


def proteins(bench):
    """Figure 13: paths between all pairs of a network of proteins."""
    sizes = (64, 128) if bench.quick else (256, 512, 1024, 2048, 4096)
    series = {}
    yield "Figure 13: shortest paths between all pairs; seconds"
    yield "  A scale-free graph without weights stands in for the paper's network of proteins."
    yield (f"  {'vertices':>9} {'sync':>10} {'async':>10} {'async/sync':>10}   "
           f"paper: {paper.PAIRS}")
    for size in sizes:
        sync, asynchronous = both_modes(bench, "apsp", f"scale-free:{size}x8", False)
        yield (f"  {size:>9} {sync.seconds:>10.6f} {asynchronous.seconds:>10.6f} "
               f"{asynchronous.seconds / sync.seconds:>10.2f}")
        for mode, run in ("sync", sync), ("async", asynchronous):
            series.setdefault(mode, []).append((size, run.seconds))
    plots.lines(bench.folder / "figure-13.svg", "Shortest paths between all pairs", "vertices",
                "seconds", series, "xy")


def applications(bench):
    """Paper 000, figure 8: each application in steps and without them."""
    size = 1000 if bench.quick else 60000
    graph = f"geometric:{size}x{20 if bench.quick else 100}"
    other = {"pagerank": "gals", "sssp": "async", "mssp": "async", "spikes": "gals",
             "heat": "gals"}
    yield f"Paper 000, figure 8: applications on {graph}; seconds, and messages along edges"
    yield "  The paper's graphs have 6,000,000 vertices and 600,000,000 edges, and its mssp without"
    yield "  steps is of the kind gals. It finds: without steps pagerank and heat send as many"
    yield "  messages and take slightly longer, mssp and spikes send far more, sssp is faster."
    yield (f"  {'application':<12} {'sync':>10} {'other':>10} {'of kind':<8} {'sync/other':>10} "
           f"{'messages':>12} {'other':>12}")
    for app, mode in other.items():
        weighted = app in ("sssp", "heat")
        sync = bench.hbsgraph.run(app, graph, "sync", weighted)
        without = bench.hbsgraph.run(app, graph, mode, weighted)
        yield (f"  {app:<12} {sync.seconds:>10.6f} {without.seconds:>10.6f} {mode:<8} "
               f"{sync.seconds / without.seconds:>10.2f} {sync.received:>12} "
               f"{without.received:>12}")


ALL = {
    "topologies": topologies,
    "regularity": regularity,
    "extremes": extremes,
    "visits": visits,
    "seismic": seismic,
    "proteins": proteins,
    "applications": applications,
}
