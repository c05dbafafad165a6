#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Print results that were not measured: noise.py SEED DRIFT [ROW=FACTOR]...

40 rows of two contenders, 9 repetitions each, with noise of 10% and sometimes an
outlier of 30% more. All times are multiplied by DRIFT, and those of row number ROW by FACTOR.
"""
import json
import random
import sys

LEVELS = (0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5,
          0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999, 1)
MEDIAN = LEVELS.index(0.5)


def repetition(source, time):
    """One, with the median @time and noise"""
    median = time * source.lognormvariate(0, 0.1) * (1.3 if source.random() < 0.05 else 1)
    return {
        "quantiles": [median * (1 + 0.01 * (level - MEDIAN)) for level in range(len(LEVELS))],
        "mean": median, "cpu": median, "system": 0.0, "burn": -1.0, "samples": 100.0,
        "violations": 0.0, "misplaced": 0.0,
    }


def main():
    """Print them"""
    source = random.Random(int(sys.argv[1]))
    drift = float(sys.argv[2])
    factors = {int(row): float(factor) for row, factor in
               (argument.split("=") for argument in sys.argv[3:])}
    rows = []
    for number in range(40):
        time = 100.0 * (1 + number) * drift * factors.get(number, 1)
        rows.append({
            "workload": "back-to-back", "unit": "barrier", "placement": "pinned",
            "contender": ("base", "other")[number % 2], "members": 2 + number // 2,
            "ours": False, "ideal": False, "means_little": False, "distribution": True,
            "error": None, "repetitions": [repetition(source, time) for _ in range(9)],
        })
    json.dump({"format": "hbsbench", "version": 1, "levels": LEVELS, "facts": {},
               "contenders": [], "rows": rows}, sys.stdout)


main()
