# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of hbsgraph, and what they print."""
import re
import statistics
import subprocess
from dataclasses import dataclass


class Failed(Exception):
    """A run that did not end well."""


@dataclass
class Run:
    """What a run printed: times in seconds, the median of several."""
    seconds: float
    steps: int
    sent: int
    received: int
    copies: int
    lines: dict     # by their first words, what follows


def command(program, arguments, limit):
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True,
                              timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise Failed(f"hbsgraph {' '.join(arguments)}: not ready after {limit} s") from None
    if done.returncode:
        raise Failed(f"hbsgraph {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", text)]


class Hbsgraph:
    """The program, and what all of its runs have in common."""

    def __init__(self, program, threads, repetitions, limit):
        self.program = program
        self.threads = threads
        self.repetitions = repetitions
        self.limit = limit

    def once(self, app, graph, mode, options):
        threads = [f"--threads={self.threads}"] if self.threads else []
        text = command(self.program, ["run", app, f"--graph={graph}", f"--mode={mode}",
                                      *threads, *options], self.limit)
        return dict(re.findall(r"^(\S+) {2,}(.*)$", text, re.MULTILINE))

    def run(self, app, graph, mode, weighted=False, options=()):
        if weighted:
            options = ["--weights=10-1000", *options]
        every = [self.once(app, graph, mode, options) for _ in range(self.repetitions)]
        last = every[-1]
        sent, received, copies, _ = numbers(last["messages"])
        return Run(statistics.median(numbers(lines["time"])[0] for lines in every),
                   int(last["steps"]), int(sent), int(received), int(copies), last)

    def tune(self, vertices, profile):
        """A line for each graph: its name, weighted, diameter, reconvergence, seconds by mode."""
        threads = [f"--threads={self.threads}"] if self.threads else []
        text = command(self.program, ["tune", f"--vertices={vertices}", f"--profile={profile}",
                                      f"--repetitions={self.repetitions}", *threads],
                       16 * self.limit)
        found = re.findall(r"^(\S+) +(plain|weighted) +(\S+) +(\S+) +(\S+) +(\S+) +\S+$", text,
                           re.MULTILINE)
        cases = [(graph, kind == "weighted", *map(float, rest)) for graph, kind, *rest in found]
        return cases, text.split("\n\n", 1)[1]
