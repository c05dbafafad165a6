#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Look into rows of "neighbours": neighbours.py FILE.json FILE.csv OUTPUT ROW... -- CONTENDER...

FILE.json, FILE.csv and OUTPUT, the text for people, are of one run of these rows and contenders;
the latter two can be "-" for none.
Each row has to be there, well-formed and with what goes on beside it, or to be said to be left
out. Ends with an error if something is wrong.
"""
import csv
import json
import pathlib
import sys

BUSY = ("busy", "busy-2", "cluster-busy", "programs-2", "programs-4")
LATE_NS = {"late-1": 1e6, "late-10": 1e7, "late-100": 1e8}
MEMBERS = {"quiet": [2, 4, 8]}


def check_repetition(condition, repetition):
    """Its numbers make sense, and the neighbours were there"""
    quantiles = repetition["quantiles"]
    assert quantiles == sorted(quantiles) and quantiles[-1] > 0, quantiles
    assert repetition["barriers"] >= 1 and repetition["samples"] >= 1
    assert repetition["violations"] == 0 and repetition["misplaced"] == 0
    assert repetition["mean"] > 0 and repetition["cpu"] > 0
    if condition in BUSY:
        assert repetition["load"] > 0, repetition
    else:
        assert repetition["load"] == -1, repetition
    if condition in LATE_NS:
        assert repetition["burn"] >= 0
        # the first member can be late itself when the time starts
        assert repetition["mean"] >= LATE_NS[condition] / 2, repetition
    else:
        assert repetition["burn"] == -1, repetition
    if not condition.startswith("programs"):
        # with one program, the mean and the samples measure the same
        assert quantiles[0] <= repetition["mean"] <= quantiles[-1], repetition


def left_out(data, condition):
    """Do the facts say why?"""
    why = data["facts"].get("not measured", [])
    return any(text.startswith(f"{condition}: ") and len(text) > len(condition) + 2
               for text in ([why] if isinstance(why, str) else why))


def check_condition(data, condition, contenders):
    """All contenders are there, each with a repetition at least, and alike"""
    rows = [row for row in data["rows"] if row["condition"] == condition]
    if not rows:
        assert left_out(data, condition), condition
        return
    members = {row["members"] for row in rows}
    assert members == set(MEMBERS.get(condition, members)), members
    assert condition in MEMBERS or (len(members) == 1 and members.pop() >= 2)
    for count in MEMBERS.get(condition, [rows[0]["members"]]):
        there = [row["contender"] for row in rows if row["members"] == count]
        assert sorted(there) == sorted(contenders), (condition, there)
    for row in rows:
        assert row["workload"] == "neighbours" and row["placement"] == "unpinned"
        assert row["error"] is None and row["repetitions"], row
        for repetition in row["repetitions"]:
            check_repetition(condition, repetition)


def check_csv(path, data):
    """The CSV file has the same numbers"""
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    expected = [(row, repetition) for row in data["rows"] for repetition in row["repetitions"]]
    assert len(lines) == len(expected)
    for line, (row, repetition) in zip(lines, expected):
        assert None not in line and None not in line.values(), line
        assert line["condition"] == row["condition"] and line["contender"] == row["contender"]
        assert float(line["barriers"]) == repetition["barriers"]
        assert abs(float(line["mean_ns"]) / repetition["mean"] - 1) < 1e-6
        assert (line["load"] == "") == (repetition["load"] < 0)


def median(numbers):
    """As hbsbench has it"""
    numbers = sorted(numbers)
    middle = len(numbers) // 2
    return numbers[middle] if len(numbers) % 2 else sum(numbers[middle - 1:middle + 1]) / 2


def mean(row):
    """Of all repetitions"""
    return sum(r["mean"] for r in row["repetitions"]) / len(row["repetitions"])


def ratios_of(data, row):
    """What hbs takes of what the best of the others takes: by mean in the same repetitions, and
    by mean of all"""
    others = [other for other in data["rows"]
              if (other["condition"], other["members"]) == (row["condition"], row["members"]) and
              (not other["ours"] or other["policy_of"] == "hbs")]
    best = min(others, key=lambda other: median([r["mean"] for r in other["repetitions"]]))
    yield best["contender"], median([ours["mean"] / theirs["mean"] for ours, theirs in
                                     zip(row["repetitions"], best["repetitions"])])
    best = min(others, key=mean)
    yield best["contender"], mean(row) / mean(best)


def check_ratios(path, data):
    """A line for each row of hbs, with its ratios, marked where the first is above the limit"""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    part = text.split("\nhbs takes, ")[1].split("\n\n")[0].splitlines()[2:]
    # after the last part: rows that this machine cannot have
    part = [line for line in part if not line.startswith("not measured: ")]
    rows = [row for row in data["rows"] if row["contender"] == "hbs"]
    assert len(part) == len(rows) + 2, part
    within = [0, 0]
    cheap = 0
    for line, row in zip(part, rows):
        words = line.split()
        assert words[:2] == [row["condition"], str(row["members"])], line
        for column, (best, ratio) in enumerate(ratios_of(data, row)):
            here = words[2 + 3 * column:5 + 3 * column]
            assert here[1:] == ["of", best], (line, best)
            assert abs(float(here[0]) - ratio) < 0.002 + ratio * 1e-6, (line, ratio)
            assert column or (words[-1] == "*") == (ratio > 1.2), line
            within[column] += ratio <= 1.2
        cheap += 0 <= median([r["burn"] for r in row["repetitions"]]) <= 0.01
    assert f" in {within[0]} of {len(rows)} rows " in part[-2], part[-2]
    assert part[-2].endswith(f"by mean of all in {within[1]}"), part[-2]
    assert f" in {cheap} of {len(LATE_NS)} rows" in part[-1], part[-1]


def main():
    """Look at all three"""
    end = sys.argv.index("--")
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    for condition in sys.argv[4:end]:
        check_condition(data, condition, sys.argv[end + 1:])
    assert {row["condition"] for row in data["rows"]} <= set(sys.argv[4:end])
    if sys.argv[2] != "-":
        check_csv(sys.argv[2], data)
    if sys.argv[3] != "-":
        check_ratios(sys.argv[3], data)


main()
