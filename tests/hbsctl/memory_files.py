#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory files that say they are software groups, and are not. Prints TAP.

usage: memory_files.py HBSCTL
"""

import fcntl
import os
import random
import struct
import subprocess
import sys

SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
MAGIC = 0x5342485346544F53
VERSION = 8
CENTRAL, SCAN = 1, 13
failed = 0
number = 0


def report(good, name, result):
    global failed, number
    number += 1
    if not good:
        failed = 1
        print(f"# status {result.returncode}:", *(result.stdout + result.stderr).splitlines(),
              sep="\n# ")
    print(f"{'' if good else 'not '}ok {number} - {name}", flush=True)


def page(magic=MAGIC, version=VERSION, members=2, capacity=4, algorithm=CENTRAL, reduce=0,
         kind=0):
    return struct.pack("<Q8IQ", magic, version, members, capacity, algorithm, 0, reduce, kind, 0, 0)


def explain(hbsctl, content, size=4096, seals=SEALS, name="hbs-group", command="why"):
    """What hbsctl says of a memory file of ours."""
    fd = os.memfd_create(name, os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    os.pwrite(fd, content, 0)
    if seals:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    result = subprocess.run([hbsctl, command, f"{os.getpid()}/{fd}"], capture_output=True, text=True,
                            errors="replace", timeout=60, check=False)
    os.close(fd)
    return result


def main():
    hbsctl = sys.argv[1]
    result = explain(hbsctl, page())
    report(result.returncode == 0 and "a software group with 2 seats" in result.stdout,
           "a group without members is one", result)
    result = explain(hbsctl, page(), seals=0)
    report(result.returncode == 1, "a file that can shrink is none", result)
    result = explain(hbsctl, page(), name="hbs-groups")
    report(result.returncode == 4, "nor is a file of another name", result)
    bad = {
        "an empty page": b"",
        "another magic number": page(magic=1),
        "another version": page(version=VERSION + 1),
        "no seats": page(members=0, capacity=0),
        "more seats than the file has": page(members=65535, capacity=131070),
        "another number of seats": page(capacity=3),
        "a huge number of seats": page(members=0xffffffff, capacity=0xfffffffe),
        "no such algorithm": page(algorithm=99),
        "no such reduction": page(reduce=10),
        "no such type": page(kind=2),
    }
    for name, content in bad.items():
        result = explain(hbsctl, content)
        report(result.returncode == 1 and "is damaged, or of another version" in result.stderr,
               f"{name} is damage", result)
    # in a file that would have room for them
    result = explain(hbsctl, page(members=65536, capacity=131072), size=48 << 20)
    report(result.returncode == 1 and "is damaged" in result.stderr, "too many seats are damage",
           result)
    # one seat more, and the waits would not have room
    for members, status in ((9, 0), (10, 1)):
        result = explain(hbsctl, page(members=members, capacity=2 * members), command="stats")
        report(result.returncode == status, f"{members} seats " +
               ("have" if status == 0 else "have no") + " room for what their waits were like",
               result)
    # with the greatest numbers everywhere
    for command in ("why", "stats"):
        for algorithm in (CENTRAL, SCAN):
            content = page(algorithm=algorithm, members=12, capacity=24) + b"\xff" * 16328
            result = explain(hbsctl, content, size=16384, command=command)
            report(result.returncode == 0 and "Sanitizer" not in result.stderr,
                   f"nonsense in all other fields does no harm ({command})", result)
    chance = random.Random(1)
    good = True
    for number_of_try in range(80):
        members = chance.randrange(1, 20)
        # so that waits of some seats count as those of their members
        zeros = chance.randrange(0, 2000)
        content = page(algorithm=chance.randrange(1, 14), members=members,
                       capacity=members * chance.randrange(1, 3), reduce=chance.randrange(10),
                       kind=chance.randrange(2)) + bytes(zeros) + chance.randbytes(16300 - zeros)
        result = explain(hbsctl, content, size=16384,
                         command="stats" if number_of_try % 2 else "why")
        # the sanitizers end a program with another status, or by a signal
        good = good and result.returncode in (0, 1) and "Sanitizer" not in result.stderr \
            and "runtime error" not in result.stderr and result.stdout.isascii()
        if not good:
            break
    report(good, "nor do bytes by chance", result)
    print(f"1..{number}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
