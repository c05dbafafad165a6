# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the binding for Python. Prints TAP."""

import ctypes
import errno
import gc
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import hbs
import hbs.library

MEMBERS = 4
HEADER = os.path.join(os.path.dirname(__file__), "../../lib/hbs.h")


def in_threads(group, function, members=MEMBERS):
    """Calls function(member, index) in as many threads; returns what they raised."""
    errors = []

    def run(index):
        try:
            with group.join(index) as me:
                function(me, index)
        except Exception as error:  # pylint: disable=broad-except
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(members)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return errors


class Constants(unittest.TestCase):
    """The binding has the numbers and structs of the header."""

    def setUp(self):
        with open(HEADER, encoding="utf-8") as file:
            self.header = file.read()

    def test_enums(self):
        """Each constant of an enum has the header's number, and none is missing."""
        prefixes = {
            hbs.Backend: ("hbs_backend", "HBS_BACKEND_"),
            hbs.WaitPolicy: ("hbs_wait_policy", "HBS_WAIT_"),
            hbs.GroupType: ("hbs_group_type", "HBS_"),
            hbs.Algorithm: ("hbs_algorithm", "HBS_ALGORITHM_"),
            hbs.CompleteBy: ("hbs_complete_by", "HBS_COMPLETE_BY_"),
            hbs.ArriveBy: ("hbs_arrive_by", "HBS_ARRIVE_BY_"),
            hbs.DepartBy: ("hbs_depart_by", "HBS_DEPART_BY_"),
            hbs.Reduction: ("hbs_reduction", "HBS_"),
        }
        for ours, (name, prefix) in prefixes.items():
            body = re.search(r"enum %s \{(.*?)\};" % name, self.header, re.S).group(1)
            theirs = {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", body)}
            self.assertEqual(
                {"HBS_NO_REDUCTION" if one is hbs.Reduction.NONE else prefix + one.name: one.value
                 for one in ours}, theirs)

    def test_bits(self):
        """The bits of policy and promise."""
        theirs = {name: int(value, 16) for name, value in
                  re.findall(r"#define (HBS_(?:ON|PROMISE)_\w+)\s+(0x\d+)u", self.header)}
        ours = {"HBS_" + one.name: one.value for one in hbs.Policy}
        ours.update({"HBS_PROMISE_" + one.name: one.value for one in hbs.Promise})
        self.assertEqual(ours, theirs)

    def test_structs(self):
        """A compiler of C says how large they are, and where each field is."""
        structs = {"hbs_attr": hbs.library.Attr, "hbs_group_attr": hbs.library.GroupAttr,
                   "hbs_group_stats": hbs.library.GroupStats, "hbs_idle": hbs.library.Idle,
                   "hbs_absentee": hbs.library.AbsenteeStruct}
        expected, lines = [], []
        for name, struct in structs.items():
            expected.append(ctypes.sizeof(struct))
            lines.append(f"sizeof(struct {name})")
            for field, _ in struct._fields_:
                expected.append(getattr(struct, field).offset)
                lines.append(f"offsetof(struct {name}, {field})")
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            with open(program + ".c", "w", encoding="utf-8") as file:
                file.write("#include <hbs.h>\n#include <stdio.h>\nint main(void)\n{\n")
                file.writelines(f'printf("%zu\\n", {line});\n' for line in lines)
                file.write("return 0;\n}\n")
            subprocess.run(["cc", "-I", os.path.dirname(HEADER), "-o", program, program + ".c"],
                           check=True)
            said = subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual([int(line) for line in said.split()], expected)

    def test_functions(self):
        """The binding has all functions of the header but hbs_join(), which another one does."""
        theirs = set(re.findall(r"^[a-z].*[ *](hbs_[a-z_]+)\(", self.header, re.M))
        self.assertEqual(set(hbs.library._FUNCTIONS), theirs - {"hbs_join"})


class Handles(unittest.TestCase):
    """Contexts, groups and members."""

    def setUp(self):
        self.context = hbs.Context()

    def tearDown(self):
        self.context.close()

    def test_context(self):
        """A context tells what it runs on."""
        self.assertIs(self.context.backend, hbs.Backend.SOFTWARE)
        self.assertEqual(self.context.name, "software")
        with hbs.Context(hbs.Backend.SOFTWARE, spin=0) as other:
            self.assertFalse(other.closed)
        self.assertTrue(other.closed)
        self.assertRaises(ValueError, lambda: other.name)
        other.close()

    def test_errors(self):
        """An error has the library's number and text, and Python's own class if there is one."""
        with self.assertRaises(hbs.Error) as raised:
            self.context.group(members=0)
        self.assertEqual(raised.exception.errno, errno.EINVAL)
        self.assertEqual(raised.exception.strerror, hbs.library.text_of(-errno.EINVAL))
        self.assertNotIsInstance(raised.exception, hbs.Broken)
        with self.assertRaises(hbs.Error) as raised:
            hbs.Context(hbs.Backend.CARD, device="/dev/null/nothing")
        self.assertIsInstance(raised.exception, NotADirectoryError)
        with self.context.group(members=1), self.assertRaises(hbs.Error) as raised:
            self.context.close()
        self.assertEqual(raised.exception.errno, errno.EBUSY)

    def test_close_in_wrong_order(self):
        """A group that has members stays open."""
        group = self.context.group(members=1)
        with group.join(), self.assertRaises(hbs.Error) as raised:
            group.close()
        self.assertEqual(raised.exception.errno, errno.EBUSY)
        group.close()

    def test_forgotten(self):
        """What nobody uses any more is closed."""
        self.context.group(members=1).join().barwait()
        gc.collect()
        self.context.close()

    def test_barriers(self):
        """No member goes on before all have arrived."""
        counts = [0] * MEMBERS
        wrong = []

        def work(me, index):
            for step in range(1, 101):
                counts[index] = step
                me.barwait()
                wrong.extend(count for count in counts if count != step)
                me.barwait()

        with self.context.group(members=MEMBERS) as group:
            self.assertEqual(in_threads(group, work), [])
            self.assertEqual(group.stats().barriers, 200)
            self.assertIsInstance(group.algorithm, hbs.Algorithm)
        self.assertEqual(wrong, [])

    def test_others_run(self):
        """A thread that waits holds up no other: the interpreter's lock is free."""
        with self.context.group(members=2) as group, group.join() as me:
            waiter = threading.Thread(target=lambda: in_threads(
                group, lambda other, _: other.barwait(), 1))
            waiter.start()
            end = time.monotonic() + 0.3
            steps = 0
            while time.monotonic() < end:
                steps += 1
            self.assertTrue(waiter.is_alive())
            me.barwait()
            waiter.join(60)
            self.assertFalse(waiter.is_alive())
        self.assertGreater(steps, 1000)

    def test_split(self):
        """Arrive, look, poll, wait."""
        with self.context.group(members=2) as group, group.join() as one, group.join() as two:
            one.arrive()
            self.assertRaises(BlockingIOError, one.arrive)
            self.assertFalse(one.test())
            self.assertEqual(select.select([one], [], [], 0)[0], [])
            two.arrive()
            self.assertEqual(select.select([one], [], [], 60)[0], [one])
            self.assertTrue(one.test())
            two.wait()

    def test_timeout(self):
        """A wait that took too long is not a broken group."""
        with self.context.group(members=2) as group, group.join() as one, group.join() as two:
            one.arrive()
            with self.assertRaises(TimeoutError) as raised:
                one.wait(0.01)
            self.assertIsInstance(raised.exception, hbs.Timeout)
            self.assertNotIsInstance(raised.exception, hbs.Broken)
            self.assertRaises(hbs.Timeout, one.wait, -1)
            two.arrive()
            one.wait(60)
            two.wait(60)

    def test_group_timeout(self):
        """A group breaks by its timer, and tells who was missing."""
        with self.context.group(members=2, timeout=0.01) as group:
            with group.join(7) as me, group.join(8):
                with self.assertRaises(hbs.BrokenByTimeout) as raised:
                    me.barwait()
                self.assertIsInstance(raised.exception, TimeoutError)
                self.assertIsInstance(raised.exception, threading.BrokenBarrierError)
                self.assertEqual([one.tag for one in group.missing()], [8])
                self.assertEqual(group.missing()[0].pid, os.getpid())

    def test_broken(self):
        """All members of a group that is destroyed get the error; reset mends it."""
        with self.context.group(members=MEMBERS) as group:
            timer = threading.Timer(0.1, group.destroy)
            timer.start()
            errors = in_threads(group, lambda me, index: index and me.barwait() or time.sleep(0.2))
            timer.join()
            self.assertEqual([type(error) for error in errors], [hbs.Broken] * (MEMBERS - 1))
            self.assertEqual({error.errno for error in errors}, {errno.EIDRM})
            group.reset()
            self.assertEqual(in_threads(group, lambda me, _: me.barwait()), [])

    def test_values(self):
        """Sums, and signed numbers."""
        results = []

        def work(me, index):
            results.append(me.allreduce(index - 2))
            me.arrive(index - 3)
            me.wait()
            results.append(me.result())

        with self.context.group(members=MEMBERS, reduce=hbs.Reduction.SMIN) as group:
            self.assertEqual(in_threads(group, work), [])
        self.assertEqual(sorted(results), [-3] * MEMBERS + [-2] * MEMBERS)
        results.clear()
        with self.context.group(members=MEMBERS, reduce=hbs.Reduction.SUM) as group:
            self.assertEqual(in_threads(group, lambda me, i: results.append(me.allreduce(i))), [])
        self.assertEqual(results, [6] * MEMBERS)

    def test_votes(self):
        """Whether all, or any, voted yes."""
        results = []

        def work(me, index):
            results.append(me.vote(index == 1))
            results.append(me.vote(True))

        with self.context.group(members=MEMBERS, reduce=hbs.Reduction.VOTE) as group:
            self.assertEqual(in_threads(group, work), [])
        self.assertEqual(sorted(results), [(False, True)] * MEMBERS + [(True, True)] * MEMBERS)

    def test_drop(self):
        """The others go on without a member that has dropped."""
        with self.context.group(members=2) as group, group.join() as one:
            two = group.join()
            two.arrive_and_drop()
            self.assertTrue(two.closed)
            self.assertRaises(ValueError, two.barwait)
            one.barwait()
            one.barwait()

    def test_completion(self):
        """A function that one member calls for each barrier."""
        calls = []
        seen = []

        def work(me, _):
            for _ in range(10):
                me.barwait()
                seen.append(len(calls))
                me.barwait()

        with self.context.group(members=MEMBERS, completion=lambda: calls.append(1)) as group:
            self.assertEqual(in_threads(group, work), [])
        self.assertEqual(sorted(seen), sorted(list(range(1, 21, 2)) * MEMBERS))

    def test_idle(self):
        """A refutable group."""
        with self.context.group(members=2, type=hbs.GroupType.REFUTABLE) as group:
            with group.join() as one, group.join() as two:
                one.begin_idle(sent=1, vote=True)
                self.assertFalse(one.withdraw())
                one.begin_idle(vote=True)
                two.begin_idle(freed=1, vote=False)
                self.assertTrue(one.test())
                two.wait(60)
                self.assertEqual(one.votes(), (False, True))

    def test_processes(self):
        """A child imports the group; its death breaks it."""
        with self.context.group(members=2) as group, group.join() as me:
            read, write = os.pipe()
            child = os.fork()
            if not child:
                try:
                    with hbs.Context() as context, \
                            context.import_group(group.fileno()) as imported:
                        with imported.join() as other:
                            other.barwait()
                            os.write(write, b"!")
                            signal.pause()
                finally:
                    os._exit(1)
            me.barwait()
            self.assertEqual(os.read(read, 1), b"!")
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            with self.assertRaises(hbs.Broken) as raised:
                me.barwait()
            self.assertEqual(raised.exception.errno, errno.EOWNERDEAD)
            os.close(read)
            os.close(write)


class Tap(unittest.TestResult):
    """Results as TAP."""

    def _say(self, text, test, trouble=""):
        print(f"{text} {self.testsRun} - {test.shortDescription()}")
        for line in trouble.splitlines():
            print(f"# {line}")
        sys.stdout.flush()

    def addSuccess(self, test):
        super().addSuccess(test)
        self._say("ok", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._say("not ok", test, self._exc_info_to_string(err, test))

    def addError(self, test, err):
        super().addError(test, err)
        self._say("not ok", test, self._exc_info_to_string(err, test))


def main():
    """Runs all tests."""
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    print(f"1..{tests.countTestCases()}")
    sys.exit(not tests.run(Tap()).wasSuccessful())


if __name__ == "__main__":
    main()
