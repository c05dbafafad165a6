#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Look at the plots of many contenders: can they be told apart, and read?

usage: plots.py HBSBENCH FOLDER

FOLDER is empty. Prints TAP.
"""
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

from results import contender, results, row

MEMBERS = [2, 4, 8]
# times with 2, 4 and 8 members in ns; some are the best with one number of them only
PEERS = {
    "pthread": [40000, 50000, 60000], "gomp": [2000, 3000, 9000], "omp": [300, 2000, 4000],
    "std": [500, 2500, 3900], "slow": [1e5, 1e6, 1e6], "slower": [2e5, 2e6, 2e6],
    "slowest": [3e5, 3e6, 3e6], "bad": [1e5, 1e6, 9e6], "worse": [1e5, 2e6, 9e6],
}
# these never sleep: they are the best with a CPU for each member, and take 0.1 s without
SPINNERS = {"spin": [90, 1e8, 1e8], "spinner": [95, 1e8, 1e8]}
OURS = {"hbs": [70, 1500, 3000], **{f"hbs-dissemination-{number}": [80 + number, 1600, 3100]
                                    for number in range(16)}}
# the best with 2, 4 and 8 members, and then the nearest that have all three points
BEST = ["spin", "omp", "std", "gomp", "pthread"]


def make():
    """Two CPUs, and no contender that is worth more than another but by its times"""
    contenders = [contender("none", ideal=True)]
    contenders += [contender(name) for name in PEERS]
    contenders += [contender(name, spins=True) for name in SPINNERS]
    contenders += [contender(name, ours=True) for name in OURS]
    rows = []
    for index, members in enumerate(MEMBERS):
        rows.append(row("none", members, 20.0, ideal=True))
        rows += [row(name, members, times[index]) for name, times in PEERS.items()]
        rows += [row(name, members, times[index], means_little=members > 2)
                 for name, times in SPINNERS.items()]
        rows += [row(name, members, times[index], ours=True) for name, times in OURS.items()]
    return results(contenders, rows)


class Picture:
    """What is in a plot: its texts, and how its lines look, by their names"""

    def __init__(self, path):
        root = xml.etree.ElementTree.parse(path).getroot()
        tag = "{http://www.w3.org/2000/svg}"
        self.texts = ["".join(text.itertext()).strip() for text in root.iter(f"{tag}text")]
        self.width = float(root.get("viewBox").split()[2])
        # the place of a line's last point; the legend is to the right of it
        self.right = 0
        self.lines = {}
        for group in root.iter(f"{tag}g"):
            title = group.find(f"{tag}title")
            line = next(group.iter(f"{tag}path"), None)
            if title is None or line is None:
                continue
            points = list(group.iter(f"{tag}use"))
            for point in points[:-1]:
                place = re.search(r"translate\(([0-9.]+)", point.get("transform") or "")
                self.right = max(self.right, float(place[1]) if place else 0)
            width = [item.get("stroke-width") for item in group.iter(f"{tag}g")
                     if item.get("stroke-width")][-1]
            self.lines[title.text] = (
                line.get("stroke"), line.get("stroke-dasharray"), float(width),
                [point.get("{http://www.w3.org/1999/xlink}href") for point in points[:1]])


def draw(program, folder, *options):
    """The plots of the results"""
    (folder / "in.json").write_text(json.dumps(make()), encoding="utf-8")
    plots = folder / f"plots{len(options)}"
    subprocess.run([program, "show", "-q", folder / "in.json", f"--plots={plots}", *options],
                   check=True, timeout=120)
    return plots


def check_default(plots):
    """hbs and its best peers, and a time as people write it"""
    picture = Picture(plots / "latency_back_to_back_pinned.svg")
    assert sorted(picture.lines) == sorted(BEST + ["hbs", "none"]), picture.lines
    for mark in ("100 ns", "1 us", "10 us"):
        assert mark in picture.texts, picture.texts
    assert not any("10^" in text or "e+" in text for text in picture.texts), picture.texts
    # 0.1 s of a spinner without a CPU would flatten all others
    assert "100 ms" not in picture.texts, picture.texts


def check_legend(plots):
    """the names take less than two fifths of the width"""
    picture = Picture(plots / "latency_back_to_back_pinned.svg")
    assert picture.right > 0.6 * picture.width, (picture.right, picture.width)


def check_marked(plots):
    """the line of hbs is the only thick one, and nothing is as light as yellow"""
    lines = Picture(plots / "latency_back_to_back_pinned.svg").lines
    others = [look for name, look in lines.items() if name != "hbs"]
    assert all(lines["hbs"][2] >= 2 * look[2] and lines["hbs"][0] != look[0]
               for look in others), lines
    for look in lines.values():
        red, green, _ = (int(part) for part in re.findall(r"[0-9]+", look[0]))
        assert red < 200 or green < 160, look


def check_all(plots):
    """each has its line when all are wanted, and no two of them are alike"""
    lines = Picture(plots / "latency_back_to_back_pinned.svg").lines
    names = {"none", *PEERS, *SPINNERS, *OURS}
    assert set(lines) == names, names ^ set(lines)
    looks = [str(look) for look in lines.values()]
    assert len(set(looks)) == len(looks), [look for look in looks if looks.count(look) > 1]


def main():
    """Draw both, and look"""
    program = str(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(sys.argv[2]).resolve()
    few, everything = draw(program, folder), draw(program, folder, "--all-lines")
    tests = [(check_default, few), (check_legend, few), (check_marked, few),
             (check_all, everything)]
    print(f"1..{len(tests)}")
    for number, (test, plots) in enumerate(tests, 1):
        try:
            test(plots)
            print(f"ok {number} - plots: {test.__doc__}")
        except AssertionError as error:
            print(f"# {error!a}")
            print(f"not ok {number} - plots: {test.__doc__}")


main()
