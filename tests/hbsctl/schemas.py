#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what hbsctl knows of the messages with their specification. Prints TAP.

usage: schemas.py PROGRAM SPECIFICATION.yaml
"""

import subprocess
import sys

import yaml


def values(definition):
    """The values of an enum, or the bits of flags, by name."""
    number = definition.get("value-start", 0)
    result = {}
    for entry in definition["entries"]:
        if isinstance(entry, str):
            entry = {"name": entry}
        number = entry.get("value", number)
        result[entry["name"]] = number
        number += 1
    return result


def expected(specification):
    definitions = {entry["name"]: values(entry) for entry in specification["definitions"]}
    attributes, words = set(), set()
    for group in specification["attribute-sets"]:
        number = 0
        for entry in group["attributes"]:
            number = entry.get("value", number + 1)
            if entry["type"] == "pad":
                continue
            place = group["name"], entry["name"]
            attributes.add((*place, str(number), entry["type"],
                            entry.get("nested-attributes", "-"),
                            str(int(entry.get("multi-attr", False)))))
            for word, value in definitions.get(entry.get("enum"), {}).items():
                words.add((*place, str(value), word))
    return attributes, words


def known(program):
    attributes, words = set(), set()
    output = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in output.splitlines():
        kind, *rest = line.split()
        (attributes if kind == "attribute" else words).add(tuple(rest))
    return attributes, words


def main():
    program, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        wanted = expected(yaml.safe_load(file))
    failed = 0
    for number, (name, want, have) in enumerate(
            zip(("attributes", "words"), wanted, known(program)), 1):
        good = want == have and len(want) > 20
        for entry in sorted(want ^ have):
            print("#", "missing:" if entry in want else "wrong:", *entry)
        print(f"{'' if good else 'not '}ok {number} - hbsctl knows the {name} of the messages")
        failed |= not good
    print("1..2")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
