#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Look into what hbsbench wrote: documents.py FILE.json FILE.csv FILE.html PLOTS

Ends with an error if something in it is wrong.
"""
import csv
import json
import pathlib
import re
import sys
import xml.etree.ElementTree


def same(a, b):
    """Are two numbers the same, to nine digits?"""
    return abs(a - b) <= 1e-8 * max(abs(a), abs(b))


def check_json(data):
    """Every row was measured as often as it should, and its times make sense"""
    assert data["format"] == "hbsbench" and data["version"] == 1
    assert data["rows"] and data["contenders"]
    for name in ("processor", "kernel", "compiler", "C library", "governor", "clock"):
        assert data["facts"][name], name
    for row in data["rows"]:
        assert row["error"] is None, row
        assert len(row["repetitions"]) == 2, row
        for repetition in row["repetitions"]:
            quantiles = repetition["quantiles"]
            assert len(quantiles) == len(data["levels"])
            assert quantiles == sorted(quantiles) and quantiles[-1] > 0
            assert repetition["samples"] >= 1
            assert repetition["misplaced"] == 0, row
            assert repetition["violations"] == 0, row
            assert repetition["mean"] > 0
            assert (repetition["burn"] >= 0) == (row["workload"] == "late")
            assert (repetition["cpu"] >= 0) == (row["workload"] != "late")


def check_csv(path, data):
    """The CSV file has the same numbers as the JSON file, in the same order"""
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    median = data["levels"].index(0.5)
    expected = [(row, repetition) for row in data["rows"] for repetition in row["repetitions"]]
    assert len(lines) == len(expected)
    for line, (row, repetition) in zip(lines, expected):
        assert None not in line and None not in line.values(), line
        for key in ("workload", "contender", "placement"):
            assert line[key] == row[key]
        assert int(line["members"]) == row["members"]
        assert same(float(line["median_ns"]), repetition["quantiles"][median])
        assert same(float(line["max_ns"]), repetition["quantiles"][-1])
        assert (line["burn"] == "") == (repetition["burn"] < 0)


def check_html(path, data):
    """The page names all contenders, has all plots, and needs nothing from elsewhere"""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    for contender in data["contenders"]:
        assert f"<td>{contender['name']}</td>" in text
    assert text.count("<svg") == text.count("</svg>") == text.count("<figure") > 0
    assert not re.search(r"<(script|link|iframe|img|object|base)\b", text)
    # a place inside the page is no link out of it
    for link in re.findall(r"""(?:href|src|action)\s*=\s*["']?([^"'\s>]*)""", text):
        assert link.startswith("#"), link
    assert "@import" not in text and not re.search(r"url\((?!\s*['\"]?#)", text)
    names = r'xmlns(:\w+)?="[^"]*"|<!DOCTYPE[^>]*>'
    assert "://" not in re.sub(names, "", text)
    return text.count("<svg")


def check_plots(folder, count):
    """Each plot is a picture that has lines in it"""
    plots = list(pathlib.Path(folder).glob("*.svg"))
    assert len(plots) == count, (len(plots), count)
    for plot in plots:
        root = xml.etree.ElementTree.parse(plot).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg", plot
        assert root.findall(".//{http://www.w3.org/2000/svg}path"), plot


def main():
    """Look at all four"""
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    check_json(data)
    check_csv(sys.argv[2], data)
    check_plots(sys.argv[4], check_html(sys.argv[3], data))


main()
