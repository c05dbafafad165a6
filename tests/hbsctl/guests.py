#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hbsctl in guests: with a card, without its driver, with another driver. Prints TAP.

usage: guests.py FOLDER card|driver|pace...

FOLDER is where tests/hbsctl was built. A guest runs a shell, which reads commands from here.
"""

import base64
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools/vm"))
sys.dont_write_bytecode = True

import qmp  # noqa: E402 (its folder comes first)

KERNEL = "6.1"
# in the guest
LIBPCI = "/lib/x86_64-linux-gnu/libpci.so.3"
MARK = "hbsctl-test:"
# As the user nobody, who may not open the card
NOBODY = "su nobody -s /bin/sh -c "
# Where the guest's kernel puts programs. QEMU 7.2 translates a program anew where it lies elsewhere
RANDOM = "/proc/sys/kernel/randomize_va_space"
PLACES = {"at random places": 2, "at the same place each time": 0}
# The name of a thread that does not come: it would colour the terminal
EVIL = r"\033[31mX"
EVIL_SHOWN = r"\x1b[31mX"


class Result:
    """What a command in the guest did."""

    def __init__(self, status, output, errors):
        self.status = status
        self.output = output
        self.errors = errors

    @property
    def json(self):
        return json.loads(self.output)

    @property
    def lines(self):
        """JSON that is one object a line."""
        return [json.loads(line) for line in self.output.splitlines()]

    def __str__(self):
        return f"status {self.status}\n{self.output}{self.errors}"


class Tap:
    """The tests of all guests."""

    def __init__(self):
        self.number = 0
        self.failed = 0

    def report(self, good, name, about=""):
        self.number += 1
        if not good:
            self.failed += 1
            for line in str(about).splitlines()[-30:]:
                print("#", line)
        print(f"{'' if good else 'not '}ok {self.number} - {name}", flush=True)

    def expect(self, result, status, name, output="", errors=""):
        """The status, and patterns of what it printed."""
        good = result.status == status and re.search(output, result.output, re.M) and \
            re.search(errors, result.errors, re.M)
        self.report(good, name, result)


class Guest:
    """A guest of tools/vm/boot with a shell."""

    def __init__(self, folder, programs, options):
        self.folder = folder
        self.socket = os.path.join(folder, "qmp")
        command = [os.path.join(TOP, "tools/vm/boot"), "--input", "--timeout", "600",
                   "--kernel", KERNEL, "--qmp", self.socket, *options]
        for path in programs:
            command += ["--add", f"{path}:/root/{os.path.basename(path)}"]
        # hbsctl loads it itself, and says where there is none
        command += ["--add", f"{find_library()}:{LIBPCI}"]
        self.errors = open(os.path.join(folder, "errors"), "w+", encoding="utf-8",
                           errors="replace")
        self.process = subprocess.Popen(command + ["--", "sh"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors, text=True,
                                        errors="replace")
        self.connection = None

    @property
    def qmp(self):
        if not self.connection:
            self.connection = qmp.Qmp(self.socket)
        return self.connection

    def run(self, command):
        """Runs it to its end. Nothing of the guest's terminal changes what it prints."""
        self.process.stdin.write(
            f"{{ {command}\n}} >/tmp/output 2>/tmp/errors </dev/null; status=$?; "
            f"echo; for file in output errors; do echo {MARK} $file $(gzip -c /tmp/$file | base64 -w 0); "
            f"done; echo {MARK} status $status\n")
        self.process.stdin.flush()
        found = {}
        while "status" not in found:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError(f"the guest ended at: {command}")
            words = line.split()
            if words[:1] == [MARK]:
                found[words[1]] = words[2] if len(words) > 2 else ""
        output, errors = (gzip.decompress(base64.b64decode(found[name])).decode(errors="replace")
                          for name in ("output", "errors"))
        return Result(int(found["status"]), output, errors)

    def start(self, name, command):
        """Starts something that runs on, until stop(); waits until it has printed something."""
        self.run(f"rm -f /tmp/{name}; "  # what one of this name printed before would end the wait
                 f"{command} >/tmp/{name} 2>/tmp/{name}.errors & echo $! >/tmp/{name}.pid; "
                 f"until [ -s /tmp/{name} ] || ! kill -0 $!; do usleep 50000; done")

    def stop(self, name, signal="TERM"):
        """Stops it; what it printed and its status."""
        return self.run(f"kill -{signal} $(cat /tmp/{name}.pid) 2>/dev/null; "
                        f"wait $(cat /tmp/{name}.pid); s=$?; cat /tmp/{name}; "
                        f"cat /tmp/{name}.errors >&2; (exit $s)")

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        status = self.process.wait()
        self.errors.seek(0)
        return Result(status, "", self.errors.read())


def test_show(tap, guest):
    tap.expect(guest.run("hbsctl list"), 0, "list: a card that is ready",
               r"^0000:01:00\.0  hbs     /dev/hbs0  ready$")
    card = guest.run("hbsctl list -j").json[0]
    tap.report(card["node"] == "/dev/hbs0" and card["openable"] and card["why"] is None,
               "list: the same in JSON", card)
    tap.expect(guest.run("hbsctl show"), 0, "show: a card",
               r"^hbs0  PCI 0000:01:00\.0, working\n(.*\n)*  ports          0 of 1024 taken")
    card = guest.run("hbsctl show hbs0 -j").json[0]
    tap.report(card["groups"] == 128 and card["state"] == "working" and "record" in
               card["features"] and card["limits"]["ports_per_user"] == 512 and
               card["counters"]["violations"] == 0, "show: the same in JSON", card)
    tap.expect(guest.run("hbsctl groups"), 0, "groups: none", "^There are no groups.$")
    tap.report(guest.run("hbsctl groups -j").json == [], "groups: none in JSON")
    tap.expect(guest.run("hbsctl ports"), 0, "ports: none", "^Nobody has a port.$")
    for command in ("show hbs1", "groups hbs1", "ports hbs1", "stats hbs1", "limits hbs1",
                    "reset hbs1", "selftest hbs1", "top hbs1 --once"):
        tap.expect(guest.run(f"hbsctl {command}"), 4, f"{command}: there is no such card",
                   "", "^hbsctl: hbs1: ")
    for command in ("groups hbs0/5", "stats hbs0/5", "why hbs0/5", "reset hbs0/5"):
        tap.expect(guest.run(f"hbsctl {command}"), 4, f"{command}: there is no such group",
                   "", "^hbsctl: hbs0/5: ")


def test_stuck(tap, guest):
    """A group whose last member does not come."""
    guest.start("stuck", f"actor stuck \"$(printf '{EVIL}')\"")
    tap.expect(guest.run("hbsctl groups"), 0, "groups: one",
               r"^hbs0/0  root  running      3/3        1 +\d+  barrier  none +mask/store/record")
    result = guest.run("hbsctl groups hbs0/0")
    tap.expect(result, 0, "groups: its members",
               r"^ *\d+  103  missing +\d+ +\d+ +\d+  " + re.escape(EVIL_SHOWN) + "$")
    tap.report("\033" not in result.output, "groups: a thread's name does not reach the terminal")
    members = guest.run("hbsctl groups hbs0/0 -j").json[0]["members"]
    tap.report(sorted((m["tag"], m["missing"]) for m in members) ==
               [("101", 0), ("102", 0), ("103", 1)], "groups: the members in JSON", members)
    ports = guest.run("hbsctl ports hbs0 -j").json
    tap.report(len(ports) == 3 and {m["tag"] for p in ports for m in p["membership"]} ==
               {"101", "102", "103"} and EVIL_SHOWN in {p["comm"] for p in ports},
               "ports: who has them", ports)
    tap.expect(guest.run("hbsctl ports"), 0, "ports: a table", r"^hbs0 +\d+  root .* 0:103$")
    counters = guest.run("hbsctl stats hbs0/0 -j").json[0]["counters"]
    tap.report(counters["arrivals"] == 2 and counters["completions"] == 0, "stats: of a group",
               counters)
    tap.expect(guest.run("hbsctl stats hbs0/0"), 0, "stats: a table of a group",
               r"^arrivals +2$")
    tap.expect(guest.run("hbsctl stats"), 0, "stats: of all", r"^hbs0/0 +0 +2 ")
    tap.expect(guest.run("hbsctl stats hbs0/0"), 0, "stats: nobody has waited to the end yet",
               r"^port +tag +process .*\n( *\d+ +10[123] +\d+ +\d+ +0 +- +- +- +- +-\n){3}$")
    stats = guest.run("hbsctl stats -j").json
    tap.report(stats[0]["groups"][0]["counters"]["arrivals"] == 2, "stats: of all in JSON", stats)
    tap.expect(guest.run("hbsctl show"), 0, "show: its user", r"^  user +root: 3 ports, 1 groups$")
    test_why(tap, guest)
    top = guest.run("hbsctl top --once -i 4000 -j")
    group = top.json["groups"][0] if top.status == 0 else {}
    slowest = group.get("slowest") or {}
    tap.report(group.get("rate") == 0 and slowest.get("tag") == "103" and
               slowest["share"] == 1 and slowest["comm"] == EVIL_SHOWN,
               "top: the slowest member", top)
    # shorter than what its first question may cost: one sample all the same
    top = guest.run("hbsctl top --once -i 10 -j")
    slowest = top.json["groups"][0]["slowest"] if top.status == 0 else None
    tap.report(slowest and slowest["tag"] == "103", "top: one sample at least", top)
    tap.expect(guest.run("hbsctl top -n 2 -i 4000"), 0, "top: a table",
               r"^hbs0/0  running +3/3 +0 +67% +100%  port \d+, tag 103, thread")


def test_late(tap, guest):
    """A group whose last member comes 100 ms after the others, and one that nobody may see."""
    guest.start("late", "actor late 10 100")
    tap.expect(guest.run("hbsctl stats hbs0/0"), 0, "stats: whom the others wait for",
               r"^The others wait for port \d+, tag 103\.$")
    members = guest.run("hbsctl stats hbs0/0 -j").json[0]["members"]
    # 67 ms or more: between them and 100 is time for a machine that is busy
    waits = {m["tag"]: sum(w["count"] for w in m["waits"] if w["from_ns"] >= 1 << 26)
             for m in members}
    tap.report(all(m["epochs"] == 10 == sum(w["count"] for w in m["waits"]) for m in members) and
               waits["101"] >= 6 and waits["102"] >= 6 and waits["103"] < 5 and
               [m["tag"] for m in members if m["late"]] == ["103"], "stats: the same in JSON",
               members)
    tap.expect(guest.run(NOBODY + "'hbsctl stats hbs0/0'"), 0, "nobody: stats of a group", "^hbs0/0$",
               "you do not see all")
    tap.report(guest.run(NOBODY + "'hbsctl stats hbs0/0 -j'").json[0]["members"] == [],
               "nobody: nor its members in JSON")
    guest.stop("late", "KILL")


def test_why(tap, guest):
    result = guest.run("hbsctl why hbs0/0")
    tap.expect(result, 0, "why: sentences",
               r"^It is stuck: 1 of 3 members has not arrived, and nothing has changed in 250 ms\.$")
    tap.expect(result, 0, "why: since when somebody sleeps",
               r"^Of those that sleep, the first has waited for [\d.]+ m?s\.$")
    tap.expect(result, 0, "why: the thread", r"^  port \d+, tag 103: thread \d+ of process \d+ \(" +
               re.escape(EVIL_SHOWN) + r"\)$")
    tap.expect(result, 0, "why: where it is", r"^    It sleeps, .*in the system call pause; it used")
    why = guest.run("hbsctl why hbs0/0 -j").json[0]
    tap.report(why["verdict"] == "stuck" and [m["tag"] for m in why["missing"]] == ["103"] and
               why["missing"][0]["thread"]["syscall"] == "pause", "why: the same in JSON", why)
    guest.run("kill -STOP $(cat /tmp/stuck.pid)")
    tap.expect(guest.run("hbsctl why hbs0/0"), 0, "why: a thread that is stopped",
               "^    A signal has stopped it")
    guest.run("kill -CONT $(cat /tmp/stuck.pid)")


def test_rights(tap, guest):
    """While there is a group that is stuck: as another user."""
    tap.expect(guest.run(NOBODY + "'hbsctl list'"), 0, "nobody: list",
               "you may not open /dev/hbs0$")
    for command in ("show", "limits hbs0"):
        tap.expect(guest.run(NOBODY + f"'hbsctl {command}'"), 0, f"nobody: {command}", "hbs0",
                   "^$")
    hidden = "you do not see all: that is for its own user, and for CAP_SYS_PTRACE or CAP_SYS_ADMIN$"
    tap.expect(guest.run(NOBODY + "'hbsctl groups'"), 0, "nobody: groups",
               r"^hbs0/0  - +running +3/3 +- +- +barrier  - +- +- +-$", "^hbsctl: of 1 group " +
               hidden)
    tap.expect(guest.run(NOBODY + "'hbsctl groups hbs0/0'"), 0, "nobody: members",
               r"^ *\d+ +- +- +- +- +- +-$", hidden)
    tap.expect(guest.run(NOBODY + "'hbsctl ports'"), 0, "nobody: ports",
               r"^hbs0 +\d+ +- +- +- +- ", "^hbsctl: of 3 ports " + hidden)
    tap.expect(guest.run(NOBODY + "'hbsctl stats'"), 0, "nobody: stats", "^hbs0 +0",
               "^hbsctl: of 1 group " + hidden)
    tap.report(guest.run(NOBODY + "'hbsctl stats -j'").json[0]["groups"][0]["counters"] is None,
               "nobody: stats in JSON")
    top = guest.run(NOBODY + "'hbsctl top -j --once'")
    tap.report(top.json["groups"][0]["rate"] is None, "nobody: top", top)
    tap.expect(guest.run(NOBODY + "'hbsctl why hbs0/0'"), 3, "nobody: why", "^$",
               "^hbsctl: hbs0/0: you may not see who is missing: that is for its own user")
    for command in ("reset hbs0", "reset hbs0/0", "limits hbs0 --ports-per-user=3",
                    "selftest hbs0"):
        tap.expect(guest.run(NOBODY + f"'hbsctl {command}'"), 3, f"nobody: {command}", "^$",
                   "^hbsctl: .*(Operation not permitted|Permission denied)")
    tap.expect(guest.run(NOBODY + "'hbsctl why $(cat /tmp/stuck.pid)'"), 3,
               "nobody: groups of a process of others", "", "they are for its own user and root")
    guest.run("chmod 666 /dev/hbs0")
    guest.start("own", NOBODY + "'exec actor stuck own'")
    tap.expect(guest.run(NOBODY + "'hbsctl why hbs0/1'"), 0, "nobody: why, of an own group",
               r"103: thread \d+ of process \d+ .own.\n    It sleeps.*\n"
               r"    You may not see .*its stack in the kernel: ")
    tap.expect(guest.run(NOBODY + "'hbsctl groups hbs0'"), 0, "nobody: own groups",
               r"^hbs0/1  nobody +running +3/3 +1 ")
    guest.stop("own", "KILL")
    guest.run("chmod 660 /dev/hbs0")


def test_events(tap, guest):
    """While there is a group that is stuck."""
    guest.start("text", "hbsctl monitor")
    guest.start("json", "hbsctl monitor -j")
    guest.start("other", "hbsctl monitor hbs7")
    guest.start("first", "hbsctl monitor -n 1 -j")
    tap.expect(guest.run("hbsctl reset hbs0/0"), 0, "reset: a group", "^hbs0/0 was reset.$")
    tap.expect(guest.run("hbsctl why hbs0/0"), 0, "why: a group that nobody has joined",
               "^It has not started: 3 of its seats have nobody yet.$")
    guest.stop("stuck", "KILL")
    guest.start("stuck", "actor stuck x")
    guest.stop("stuck", "KILL")
    guest.run("actor violate")
    reset = guest.run("hbsctl reset hbs0 -j")
    tap.report(reset.status == 0 and reset.json == {"name": "hbs0", "reset": True},
               "reset: a card", reset)
    guest.run("sleep 1")
    events = guest.stop("json")
    kinds = [event["event"] for event in events.lines]
    tap.report(events.status == 0 and kinds[0] == "start" and
               {"group_broken", "group_reset", "member_died", "violation", "card_state"} <=
               set(kinds), "monitor: events of all kinds", events)
    states = [event["state"] for event in events.lines if event["event"] == "card_state"]
    tap.report(states == ["resetting", "working"], "monitor: a reset of a card", events)
    tap.expect(guest.stop("text"), 0, "monitor: as lines",
               r"^\d{4}-\d\d-\d\dT[\d:.]+\+00:00 hbs0/0 +group-broken died$")
    other = guest.stop("other")
    tap.report(other.status == 0 and len(other.output.splitlines()) == 1,
               "monitor: of another card nothing", other)
    tap.report(len(guest.stop("first").lines) == 2, "monitor: as many events as wanted")


def test_dma(tap, guest):
    """The card may not write for a while, in which a barrier completes. An interrupt is a write too,
    so the driver hears of it by the next one, that of a violation, or from a member."""
    command = "dd of=/sys/bus/pci/devices/0000:01:00.0/config bs=1 seek=4 conv=notrunc"
    guest.start("json", "hbsctl monitor -j")
    guest.run("actor pace 1 5000 sleep 30 >/dev/null 2>&1 & echo $! >/tmp/pace.pid; sleep 1")
    guest.run(rf"printf '\002' | {command}; sleep 1; printf '\006' | {command}; actor violate; sleep 1")
    events = guest.stop("json")
    # not before: an end of its members would break it, too
    guest.run("kill -KILL $(cat /tmp/pace.pid)")
    tap.report("dma" in [event["reason"] for event in events.lines
                         if event["event"] == "group_broken"],
               "monitor: a group that the card broke, because it could not write", events)


def test_loss(tap, guest):
    guest.start("monitor", "hbsctl monitor -j --buffer=1")
    guest.run("kill -STOP $(cat /tmp/monitor.pid); actor resets 200; "
              "kill -CONT $(cat /tmp/monitor.pid); sleep 1; actor resets 1; sleep 1")
    events = guest.stop("monitor")
    kinds = [event["event"] for event in events.lines]
    tap.report(events.status == 0 and "lost" in kinds and
               "group_reset" in kinds[kinds.index("lost"):] and kinds.count("group_reset") < 200,
               "monitor: tells that it has lost events, and goes on", events)
    guest.start("full", "hbsctl monitor")
    tap.expect(guest.run("hbsctl groups >/dev/full"), 1, "output that cannot be written", "",
               "No space left on device")
    for command in ("monitor", "top -i 100"):
        tap.expect(guest.run(f"timeout 20 hbsctl {command} >/dev/full"), 1,
                   f"{command}: ends when nobody takes its output", "", "^hbsctl: standard output: ")
    tap.expect(guest.stop("full"), 0, "monitor: ends by SIGTERM")


def test_limits(tap, guest):
    tap.expect(guest.run("hbsctl limits hbs0"), 0, "limits: shown", r"^ports-per-user +512 *$")
    tap.expect(guest.run("hbsctl limits hbs0 --ports-per-user=500 --timeout-min-ns=2000"), 0,
               "limits: set", r"^ports-per-user +500 *\n(.*\n)*timeout-min-ns +2000  2.00 us$")
    limits = guest.run("hbsctl limits hbs0 --ports-per-user=512 -j").json[0]
    tap.report(limits["ports_per_user"] == 512 and limits["timeout_min_ns"] == 2000,
               "limits: in JSON", limits)
    tap.expect(guest.run("hbsctl limits hbs0 --ports-per-user=5000 --groups-per-user=1"), 1,
               "limits: an attribute that is wrong is named", "^$",
               "^hbsctl: hbs0: ports-per-user: .*Numerical result out of range")
    tap.expect(guest.run("hbsctl limits hbs0 --timeout-min-ns=9000 --timeout-max-ns=8000"), 1,
               "limits: two that do not agree", "^$", "^hbsctl: hbs0: timeout-m")
    tap.expect(guest.run("hbsctl limits hbs0 --timeout-max-ns=0"), 1,
               "limits: a timeout of nothing", "^$", "^hbsctl: hbs0: timeout-max-ns: ")
    limits = guest.run("hbsctl limits hbs0 -j").json[0]
    tap.report(limits["groups_per_user"] == 64 and limits["timeout_max_ns"] == 3600000000000,
               "limits: none is set if one is wrong", limits)


def test_selftest(tap, guest):
    guest.start("stuck", "actor stuck x")
    before = guest.run("hbsctl stats hbs0/0 -j").output
    result = guest.run("hbsctl selftest hbs0")
    tap.expect(result, 0, "selftest: a card that is well", r"^hbs0 is well\.$")
    tap.expect(result, 0, "selftest: says what it did",
               r"^ok      barriers +1000 barriers of 4 threads; the card counted 4000 arrivals$")
    result = guest.run("hbsctl selftest hbs0 -j").json
    tap.report(result["passed"] and {trial["outcome"] for trial in result["trials"]} == {"ok"} and
               len(result["trials"]) == 18, "selftest: in JSON", result)
    tap.report(guest.run("hbsctl stats hbs0/0 -j").output == before,
               "selftest: another group does not notice")
    guest.stop("stuck", "KILL")
    tap.expect(guest.run("hbsctl limits hbs0 --ports-per-user=1 >/dev/null; chmod 666 /dev/hbs0; " +
                         NOBODY + "'hbsctl selftest hbs0'"), 1,
               "selftest: without a port to spare", r"^hbs0 could not be tried in full\.$")
    guest.run("hbsctl limits hbs0 --ports-per-user=512; chmod 660 /dev/hbs0")


def test_crowd(tap, guest):
    """A card that is full, and how long commands take there."""
    guest.start("crowd", "actor crowd 1024 128")
    card = guest.run("hbsctl show -j").json[0]
    tap.report(card["ports_used"] == 1024 and card["groups_used"] == 128, "a card that is full",
               card)
    tap.report(len(guest.run("hbsctl ports -j").json) == 1024, "ports: all of them")
    groups = guest.run("hbsctl groups -j").json
    tap.report(len(groups) == 128 and all(group["joined"] == 8 for group in groups),
               "groups: all of them", groups[:3])
    tap.expect(guest.run("hbsctl selftest hbs0"), 1, "selftest: it would disturb others", "^$",
               "would disturb others")
    for command in ("--help", "show", "groups", "ports"):
        times = [measure(tap, guest, command, place) for place in PLACES]
        print(f"# figure: hbsctl {command}, with 1024 ports and 128 groups in use: " +
              "; ".join(times))
    guest.run(f"echo {list(PLACES.values())[0]} >{RANDOM}")
    guest.stop("crowd", "KILL")


def measure(tap, guest, command, place):
    """How long a command takes, where the kernel puts programs at such a place."""
    guest.run(f"echo {PLACES[place]} >{RANDOM}")
    result = guest.run(f"actor time 15 hbsctl {command}")
    tap.expect(result, 0, f"{command}: its time is measured, {place}", r"^[\d.]+ [\d.]+$")
    least, median = result.output.split() if result.status == 0 else ("?", "?")
    return f"{median} ms {place} (the least {least})"


def test_pace(tap, guest, top_pairs, monitor_pairs):
    """What watching costs a group that does barriers as fast as it can: printed, not judged."""
    # a window of top has all that it does once in a second; monitor does nothing
    for command, pairs, window in ("top", top_pairs, 1000), ("monitor", monitor_pairs, 50):
        result = guest.run(f"actor pace {pairs} {window} hbsctl {command}")
        tap.expect(result, 0, f"{command}: what it costs is measured", r"^\d+ \d+( [\d.]+){3}$")
        if result.status == 0:
            without, beside, *ratios = result.output.split()
            fewer, most, least = (100 * (1 - float(ratio)) for ratio in ratios)
            # a few pairs tell nothing
            print(f"# {'figure: ' if pairs >= 50 else ''}"
                  f"barriers a second beside hbsctl {command}: {beside} of {without}; "
                  f"median of {pairs} ratios: {fewer:+.2f}% fewer ({least:+.2f} to {most:+.2f})")


def test_unplug(tap, guest):
    """The card goes, and then the driver, while they watch."""
    guest.start("crowd", "actor crowd 8 2")
    guest.start("top", "hbsctl top -i 200 -j")
    guest.start("top0", "hbsctl top hbs0 -i 200 -j")
    guest.start("monitor", "hbsctl monitor -j")
    guest.qmp.command("device_del", id="hbs0")
    guest.run("for i in $(seq 100); do [ ! -e /sys/class/hbs/hbs0 ] && break; usleep 100000; done; "
              "sleep 1")
    top = guest.stop("top")
    tap.report(top.status == 0 and len(top.lines[0]["groups"]) == 2 and
               top.lines[-1]["groups"] == [], "top: goes on without the card", top)
    top = guest.stop("top0")
    tap.report(top.status == 4 and "hbs0: " in top.errors, "top: of that card ends", top)
    tap.expect(guest.run("hbsctl list"), 0, "list: no card", "^There is no hbs card on the PCI bus")
    tap.expect(guest.run("hbsctl show"), 0, "show: no card", "^The driver has no card.$")
    tap.expect(guest.run("hbsctl show hbs0"), 4, "show: not that card", "", "^hbsctl: hbs0: ")
    guest.stop("crowd", "KILL")
    guest.run("for i in $(seq 50); do rmmod hbs && break; usleep 100000; done; insmod /root/hbs.ko; "
              "sleep 1")
    events = guest.stop("monitor")
    kinds = [event["event"] for event in events.lines]
    tap.report(events.status == 0 and "card_del" in kinds and
               kinds[-2:] == ["driver_gone", "driver_come"],
               "monitor: tells that the card, and then the driver, has gone and come", events)


def run_card(tap, guest):
    test_show(tap, guest)
    test_late(tap, guest)
    test_stuck(tap, guest)
    test_rights(tap, guest)
    test_events(tap, guest)
    test_dma(tap, guest)
    test_loss(tap, guest)
    test_limits(tap, guest)
    test_selftest(tap, guest)
    test_crowd(tap, guest)
    # that it can be measured; "pace" measures
    test_pace(tap, guest, 3, 20)
    test_unplug(tap, guest)


def run_driver(tap, guest):
    """A card that the driver does not have, for one reason after the other."""
    device = "/sys/bus/pci/devices/0000:01:00.0"
    tap.expect(guest.run("hbsctl list"), 0, "list: no driver",
               r"^0000:01:00\.0  - +- +the driver hbs is not loaded$")
    tap.expect(guest.run("hbsctl show"), 4, "show: no driver", "^$",
               r"^hbsctl: the driver hbs is not loaded \(try: modprobe hbs\)$")
    tap.expect(guest.run("hbsctl monitor"), 4, "monitor: no driver", "^$", "is not loaded")
    guest.run(f"insmod pci-stub.ko; echo pci-stub >{device}/driver_override; "
              "echo 0000:01:00.0 >/sys/bus/pci/drivers_probe")
    tap.expect(guest.run("hbsctl list"), 0, "list: another driver has the card",
               r"^0000:01:00\.0  pci-stub  - +the driver pci-stub has it$")
    card = guest.run("hbsctl list -j").json[0]
    tap.report(card["driver"] == "pci-stub" and card["node"] is None and card["why"] ==
               "the driver pci-stub has it", "list: the same in JSON", card)
    guest.run("echo 0000:01:00.0 >/sys/bus/pci/drivers/pci-stub/unbind; insmod hbs.ko")
    tap.expect(guest.run("hbsctl list"), 0, "list: the card is kept for another driver",
               "its driver_override keeps it for the driver pci-stub$")
    tap.expect(guest.run("hbsctl show"), 0, "show: the driver has no card",
               "^The driver has no card.$")
    # this card loses what its trial waits for
    guest.run(f"echo >{device}/driver_override; echo 0000:01:00.0 >/sys/bus/pci/drivers_probe")
    tap.expect(guest.run("hbsctl list"), 0, "list: the driver's probe failed",
               "the driver hbs is loaded, but does not have it: its probe failed")
    tap.expect(guest.run("mount -t tmpfs none /sys; hbsctl list"), 1, "list: without sysfs", "^$",
               "no PCI bus, or no sysfs$")
    guest.run("umount /sys")
    tap.expect(guest.run(f"mv {LIBPCI} /tmp && hbsctl list"), 1, "list: without libpci", "^$",
               r"^hbsctl: libpci\.so\.3: cannot be loaded \(Debian: libpci3\)$")


def run_pace(tap, guest):
    """With pairs enough to tell less than a percent, where nothing else runs on this machine."""
    test_pace(tap, guest, 50, 200)


CARD = ["--cpus", "4", "--ports", "1024", "--groups", "128"]
GUESTS = {
    "card": (run_card, CARD),
    "pace": (run_pace, CARD),
    "driver": (run_driver, ["--cpus", "2", "--no-module", "--card", "x-lost-breaks=on"]),
}


def find_library():
    """The library that hbsctl loads when it needs it."""
    found = subprocess.run(["/sbin/ldconfig", "-p"], check=True, stdout=subprocess.PIPE, text=True)
    for line in found.stdout.splitlines():
        if os.path.basename(LIBPCI) in line and "x86-64" in line:
            return line.split("=> ")[1]
    raise FileNotFoundError(LIBPCI)


def find_stub():
    folder = subprocess.run([os.path.join(TOP, "tools/vm/fetch-kernel"), KERNEL], check=True,
                            stdout=subprocess.PIPE, text=True).stdout.strip()
    for path, _, files in os.walk(os.path.join(folder, "root/lib/modules")):
        if "pci-stub.ko" in files:
            return os.path.join(path, "pci-stub.ko")
    raise FileNotFoundError("the kernel has no pci-stub.ko")


def main():
    folder, *names = sys.argv[1:]
    programs = [os.path.join(folder, "plain/hbsctl"), os.path.join(folder, "actor"), find_stub()]
    tap = Tap()
    for name in names:
        run, options = GUESTS[name]
        print(f"# guest: {name}", flush=True)
        with tempfile.TemporaryDirectory() as scratch:
            guest = Guest(scratch, programs, options)
            start = time.monotonic()
            try:
                run(tap, guest)
            except (EOFError, ValueError, KeyError, IndexError, TypeError, qmp.Error) as error:
                tap.report(False, f"{name}: {type(error).__name__}: {error}")
            tap.expect(guest.end(), 0, f"{name}: the guest ends, and its kernel had no warning")
            print(f"# {name}: {time.monotonic() - start:.0f} s")
    print(f"1..{tap.number}")
    return int(tap.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
