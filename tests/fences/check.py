#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: check.py [TEXT]

Takes each fence, and each order of an atomic access on which the library rests, away in a
copy of it, and sees that a test fails; prints TAP. TEXT: only those that have it in their name.

This is the list of them, and of what finds each. What is about store buffers is found by
tests/lib/fences.c on a machine of two CPUs, as x86 has them: there such an error shows in one
of thousands of tries; whether a process is registered for membarrier() the kernel is asked.
What x86 does of itself (loads in order, and stores in order) is found by the thread sanitizer,
which goes by the rules of C11 instead. tests/models finds the first kind too, in all that can
happen, and what no test here can show: the fence of hbsi_soft_result(), which the thread
sanitizer does not know, is in result.pml; the order of depart_fixed()'s looks in breaks.pml.

Not found by any: ORDER_RELEASE_TO_CARD() and ORDER_ACQUIRE_FROM_CARD() of lib/order.h on
CPUs other than x86, which need such a CPU and a card; on x86 they are no instruction. Nor
what hbsi_monitor_arm() orders, which needs a CPU that has such instructions.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT_S = 120
TRIES = 4  # an error of a store buffer may not show at once

TSAN = {"TSAN_OPTIONS": "halt_on_error=1 exitcode=66"}
COUNTING = dict(TSAN, HBS_ALGORITHM="counting")

LITMUS = ("tests/lib", "plain/fences", {"HBS_TEST_FIRST": "1"}, TRIES)
ORDER = ("tests/lib", "thread/order", TSAN, 1)
ORDER_COUNTING = ("tests/lib", "thread/order", COUNTING, 1)
COMPLETION = ("tests/lib", "thread/completion", TSAN, 1)
MEETINGS = ("tests/algorithms", "thread/meetings", TSAN, 1)
DROP_IN = ("tests/fences", "posix", TSAN, 1)

RELAXED = "memory_order_relaxed"

# name, file in lib, what is there, what takes its place, and what finds it
PLANTED = [
    ("a group breaks without membarrier()", "software/recount.c",
     "hbsi_soft_fence_others(software);", "(void)0;", LITMUS),
    ("membarrier() is left out", "fence.c",
     "!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);", "true;", LITMUS),
    ("membarrier() is left out, and others take the time", "fence.c",
     "!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);", "false;", LITMUS),
    ("an error of membarrier() is not seen", "fence.c",
     "!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);",
     "(membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED), true);", LITMUS),
    ("other processes are forgotten", "software/bell.c",
     "!atomic_load(&page->shared) &&", "", LITMUS),
    ("the time for store buffers is left out", "software/bell.c",
     "usleep(FENCE_DRAIN_NS / 1000);", "(void)0;", LITMUS),
    ("the process does not take part in membarrier()", "fence.c",
     "return !membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);", "return true;", LITMUS),
    ("a sleeper does not look again after a time", "software/bell.c",
     "if (again)\n\t\tret = look(arg);\n", "", LITMUS),
    ("the gate opens without a fence", "completion.c",
     "atomic_store(&completion->gate, next);",
     "atomic_store_explicit(&completion->gate, next, memory_order_release);", LITMUS),
    ("the gate opens without a release", "completion.c",
     "atomic_store(&completion->gate, next);",
     f"atomic_store_explicit(&completion->gate, next, {RELAXED});", COMPLETION),
    ("the gate is passed without an acquire", "completion.c",
     "atomic_load_explicit(&completion->gate, memory_order_acquire);",
     f"atomic_load_explicit(&completion->gate, {RELAXED});", COMPLETION),
    ("a swap of the state orders nothing", "software/barrier.c",
     "\t} while (!atomic_compare_exchange_weak(&page->state, &old, new));",
     "\t} while (!atomic_compare_exchange_weak_explicit(&page->state, &old, new,\n"
     f"\t\t\t{RELAXED}, {RELAXED}));", ORDER),
    ("the state is looked at without an acquire", "software/barrier.c",
     "return depart_full(member, atomic_load(&member->page->state));",
     f"return depart_full(member, atomic_load_explicit(&member->page->state, {RELAXED}));",
     ORDER),
    ("the release line is written without a release", "software/software.h",
     "over | votes,\n\t\t\t      memory_order_release);",
     f"over | votes,\n\t\t\t      {RELAXED});",
     ORDER_COUNTING),
    ("the release line is looked at without an acquire", "software/barrier.c",
     "&page->release[generation].word, memory_order_acquire)",
     f"&page->release[generation].word, {RELAXED})", ORDER_COUNTING),
    ("a flag is raised without a release", "software/algorithms/flags.h",
     "epoch, memory_order_release);", f"epoch, {RELAXED});", MEETINGS),
    ("a flag is seen without an acquire", "software/algorithms/flags.h",
     "memory_order_acquire) >= member->epoch", f"{RELAXED}) >= member->epoch", MEETINGS),
    ("a node of the combining tree acquires nothing", "software/algorithms/combining.c",
     "memory_order_acq_rel", "memory_order_release", MEETINGS),
    ("a node of the combining tree releases nothing", "software/algorithms/combining.c",
     "memory_order_acq_rel", "memory_order_acquire", MEETINGS),
    ("a ticket is taken without a release", "software/algorithms/ticket.c",
     "1, memory_order_release", f"1, {RELAXED}", MEETINGS),
    ("tickets are looked at without an acquire", "software/algorithms/ticket.c",
     "memory_order_acquire) >=", f"{RELAXED}) >=", MEETINGS),
    ("the drop-in's arrival releases nothing", "pthread/barrier.c",
     "memory_order_acq_rel,", "memory_order_acquire,", DROP_IN),
    ("the drop-in's last arrival acquires nothing", "pthread/barrier.c",
     "memory_order_acq_rel,\n\t\t\t\t\t\t\tmemory_order_acquire));",
     f"memory_order_release,\n\t\t\t\t\t\t\t{RELAXED}));", DROP_IN),
    ("the drop-in's departure acquires nothing", "pthread/barrier.c",
     "uint64_t seen = atomic_load_explicit(word, memory_order_acquire);\n\n\tif (!is_over",
     f"uint64_t seen = atomic_load_explicit(word, {RELAXED});\n\n\tif (!is_over", DROP_IN),
]


def run(command, limit=LIMIT_S, **more):
    """What it said, and whether it succeeded"""
    env = dict(os.environ, **more.pop("env", {}))
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=limit, env=env, check=False, text=True,
                              errors="replace", **more)
    except subprocess.TimeoutExpired as late:
        return f"no end after {limit} s\n{late.stdout}", False
    return done.stdout, done.returncode == 0


def build_drop_in(copy, out, target):
    """The drop-in and its test, by the thread sanitizer's rules"""
    flags = ["-fsanitize=thread", "-std=gnu11", "-O2", "-g", "-pthread", "-D_GNU_SOURCE"]
    said, good = run(["make", "-s", "-C", copy + "/lib", "O=" + out + "/lib",
                      "SANITIZE=-fsanitize=thread", out + "/lib/libhbs.a",
                      out + "/lib/libhbs-pthread.so"])
    if not good:
        return said, False
    objects = [os.path.join(out, "lib/pthread", name)
               for name in os.listdir(out + "/lib/pthread") if name.endswith(".o")]
    return run(["cc", *flags, "-o", os.path.join(out, target), copy + "/tests/pthread/posix.c",
                *objects, out + "/lib/libhbs.a"])


def build(copy, out, finder):
    folder, target = finder[:2]
    os.makedirs(os.path.dirname(os.path.join(out, target)), exist_ok=True)
    if folder == "tests/fences":
        return build_drop_in(copy, out, target)
    # the library without its fence is for nobody else
    return run(["make", "-s", "-C", os.path.join(copy, folder), "O=" + out,
                "LIBRARIES=" + os.path.join(out, "libraries"), os.path.join(out, target)])


def fails(copy, out, finder):
    """Whether the test finds anything wrong; and what it said"""
    target, env, tries = finder[1:]
    command = ["setarch", "-R", os.path.join(out, target)]
    said = ""
    if target == "posix":
        command.append("drop-in")
    for _ in range(tries):
        said, good = run(command, env=env)
        if not good or re.search("^not ok", said, re.M):
            return said, True
    return said, False


def plant(copy, name, text, becomes):
    path = os.path.join(copy, "lib", name)
    with open(path, encoding="utf-8") as file:
        source = file.read()
    if source.count(text) != 1:
        return f"{name} has {source.count(text)} times: {text}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(source.replace(text, becomes))
    return ""


def is_found(work, entry):
    """Empty, or why not"""
    copy, out = os.path.join(work, "source"), os.path.join(work, "build")
    for folder in (copy, out):
        shutil.rmtree(folder, ignore_errors=True)
    for part in ("lib", "include", "tests", "tools"):
        shutil.copytree(os.path.join(TOP, part), os.path.join(copy, part))
    problem = plant(copy, *entry[1:4]) if entry[1] else ""
    if problem:
        return problem
    said, good = build(copy, out, entry[4])
    if not good:
        return "it cannot be built:\n" + said
    said, found = fails(copy, out, entry[4])
    if not entry[1]:
        return "it fails without an error:\n" + said if found else ""
    return "" if found else "no error is found:\n" + said


def as_it_is():
    """Each test, with nothing planted"""
    finders = []
    for entry in PLANTED:
        if entry[4] not in finders:
            finders.append(entry[4])
    return [(f"{finder[1]} passes with nothing taken away", "", "", "", finder)
            for finder in finders]


def main():
    if len(sys.argv) > 2 or "--help" in sys.argv:
        print(__doc__.strip())
        return 0 if "--help" in sys.argv else 1
    entries = [entry for entry in as_it_is() + PLANTED
               if len(sys.argv) == 1 or sys.argv[1] in entry[0]]
    if not entries:
        print(f"no test has this in its name: {sys.argv[1]}", file=sys.stderr)
        return 2
    failed = 0
    print(f"1..{len(entries)}", flush=True)
    with tempfile.TemporaryDirectory() as work:
        for number, entry in enumerate(entries, 1):
            problem = is_found(work, entry)
            for line in problem.splitlines():
                print("# " + line)
            failed |= bool(problem)
            print(f"{'not ok' if problem else 'ok'} {number} - {entry[0]}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
