# SPDX-License-Identifier: GPL-2.0-or-later
"""Results as hbsbench writes them, made by hand for its tests"""
LEVELS = [0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95,
          0.99, 0.995, 0.999, 1]


def repetition(median):
    """One, with the median in ns"""
    return {
        "quantiles": [median * (0.5 + level) for level in LEVELS],
        "mean": median, "cpu": median, "system": 0.0, "burn": -1.0, "samples": 100.0,
        "violations": 0.0, "misplaced": 0.0,
    }


def contender(name, **more):
    """A contender"""
    return {
        "name": name, "what": "what", "version": None, "absent": None, "ours": False,
        "ideal": False, "spins": False, "memory_members": 2, "memory": 1.0, "memory_each": 1.0,
        "memory_budget": -1.0, "memory_process": -1.0, **more,
    }


def row(name, members, median, **more):
    """A row of two repetitions"""
    return {
        "workload": "back-to-back", "unit": "barrier", "placement": "pinned", "contender": name,
        "members": members, "ours": False, "ideal": False, "means_little": False,
        "distribution": True, "error": None,
        "repetitions": [repetition(median), repetition(median)], **more,
    }


def results(contenders, rows, facts=None):
    """All of it"""
    return {"format": "hbsbench", "version": 1, "levels": LEVELS, "facts": facts or {},
            "contenders": contenders, "rows": rows}
