# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the binding for Python: all, or those of the classes that are named. Prints TAP.

HBS_BACKEND says whether they run on a card, or else in software.
"""

import asyncio
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
ON_CARD = os.environ.get("HBS_BACKEND") == "card"
LIB = os.path.join(os.path.dirname(__file__), "../../lib")


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
    """The binding has the numbers and structs of the headers."""

    def setUp(self):
        self.header = ""
        for name in "hbs.h", "hbs_messages.h":
            with open(os.path.join(LIB, name), encoding="utf-8") as file:
                self.header += file.read()

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
        c_names = {"sender": "from"}
        structs = {"hbs_attr": hbs.library.Attr, "hbs_group_attr": hbs.library.GroupAttr,
                   "hbs_group_stats": hbs.library.GroupStats, "hbs_idle": hbs.library.Idle,
                   "hbs_member_stats": hbs.library.MemberStats,
                   "hbs_absentee": hbs.library.AbsenteeStruct,
                   "hbs_messages_attr": hbs.library.MessagesAttr,
                   "hbs_messages_info": hbs.library.MessagesInfo,
                   "hbs_message": hbs.library.MessageStruct}
        expected, lines = [], []
        for name, struct in structs.items():
            expected.append(ctypes.sizeof(struct))
            lines.append(f"sizeof(struct {name})")
            for field, _ in struct._fields_:
                expected.append(getattr(struct, field).offset)
                lines.append(f"offsetof(struct {name}, {c_names.get(field, field)})")
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            with open(program + ".c", "w", encoding="utf-8") as file:
                file.write("#include <hbs.h>\n#include <hbs_messages.h>\n#include <stdio.h>\n"
                           "int main(void)\n{\n")
                file.writelines(f'printf("%zu\\n", {line});\n' for line in lines)
                file.write("return 0;\n}\n")
            subprocess.run(["cc", "-I", LIB, "-o", program, program + ".c"],
                           check=True)
            said = subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual([int(line) for line in said.split()], expected)

    def test_functions(self):
        """The binding has all functions of the headers but those that another one does as well."""
        theirs = set(re.findall(r"^[a-z].*[ *](hbs_[a-z_]+)\(", self.header, re.M))
        self.assertEqual(set(hbs.library._FUNCTIONS), theirs - {"hbs_join", "hbs_idle"})


class Handles(unittest.TestCase):
    """Contexts, groups and members."""

    def setUp(self):
        self.context = hbs.Context()

    def tearDown(self):
        self.context.close()

    def test_context(self):
        """A context tells what it runs on."""
        self.assertIs(self.context.backend,
                      hbs.Backend.CARD if ON_CARD else hbs.Backend.SOFTWARE)
        self.assertEqual(self.context.name, "/dev/hbs0" if ON_CARD else "software")
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
        waits = [None] * MEMBERS

        def work(me, index):
            for step in range(1, 101):
                counts[index] = step
                me.barwait()
                wrong.extend(count for count in counts if count != step)
                me.barwait()
            waits[index] = me.stats()

        with self.context.group(members=MEMBERS) as group:
            self.assertEqual(in_threads(group, work), [])
            self.assertEqual(group.stats().barriers, 200)
            if ON_CARD:
                self.assertRaises(hbs.Error, lambda: group.algorithm)
            else:
                self.assertIsInstance(group.algorithm, hbs.Algorithm)
        self.assertEqual(wrong, [])
        for stats in waits:
            self.assertEqual((stats.epochs, sum(stats.waits)), (200, 200))

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


class Messages(unittest.TestCase):
    """Message spaces and mailboxes."""

    def test_space(self):
        """A message space tells what it is, and is closed after its mailboxes."""
        with hbs.MessageSpace(3, depth=8) as space:
            self.assertEqual(space.info[:4], (3, 64, 8, 56))
            self.assertRaises(hbs.Error, space.mailbox, 3)
            with space.mailbox(1), self.assertRaises(hbs.Error) as raised:
                space.mailbox(1)
            self.assertEqual(raised.exception.errno, errno.EBUSY)
            mailbox = space.mailbox(1)
            self.assertRaises(hbs.Error, space.close)
            mailbox.close()
            mailbox.close()
            self.assertRaises(ValueError, mailbox.recv)
        self.assertTrue(space.closed)
        self.assertRaises(hbs.Error, hbs.MessageSpace, 0)
        self.assertRaises(hbs.Error, hbs.MessageSpace.from_fd, -1)

    def test_forgotten(self):
        """A mailbox keeps its space, and both are closed when nobody uses them any more."""
        mailbox = hbs.MessageSpace(2).mailbox(1)
        with hbs.MessageSpace.from_fd(mailbox._space.fileno()) as space:
            self.assertRaises(hbs.Error, space.mailbox, 1)
            mailbox.send(1, b"text")
            del mailbox
            gc.collect()
            with space.mailbox(1) as again:
                self.assertEqual([message.data for message in again], [b"text"])

    def test_content(self):
        """Whatever has bytes arrives as these, once, from its sender."""
        with hbs.MessageSpace(2) as space, space.mailbox(0) as me, space.mailbox(1) as other:
            self.assertIsNone(me.recv())
            self.assertFalse(me.can_recv())
            whole = bytearray(b"0123456789")
            for sent in b"some\0bytes", b"", whole, memoryview(whole)[::2], \
                    (ctypes.c_uint16 * 2)(1, 2):
                other.send(0, sent)
                self.assertTrue(me.can_recv())
                self.assertEqual(me.recv(), (memoryview(sent).tobytes(), 1, 0))
            self.assertIsNone(me.recv())
            self.assertRaises(TypeError, me.send, 0, 5)
            self.assertRaises(TypeError, me.send, 0, "text")
            with self.assertRaises(hbs.Error) as raised:
                me.send(0, bytes(57))
            self.assertEqual(raised.exception.errno, errno.EMSGSIZE)
            self.assertRaises(hbs.Error, me.send, 2, b"")
            self.assertRaises(hbs.Error, me.can_send, 2)

    def test_full(self):
        """Where there is no room, sending would block."""
        with hbs.MessageSpace(2, depth=2) as space, space.mailbox(0) as me:
            for number in range(2):
                self.assertTrue(me.can_send(1))
                me.send(1, bytes([number]))
            self.assertFalse(me.can_send(1))
            self.assertRaises(BlockingIOError, me.send, 1, b"")
            with self.assertRaises(BlockingIOError), me.slot(1):
                pass
            with space.mailbox(1) as other:
                self.assertEqual([message.data for message in other], [b"\0", b"\1"])
            self.assertTrue(me.can_send(1))

    def test_slot(self):
        """A message that is written in place."""
        with hbs.MessageSpace(2) as space, space.mailbox(0) as me:
            with me.slot(0) as slot:
                self.assertEqual(len(slot.view), 56)
                slot.view[:4] = b"text"
                slot.size = 4
            self.assertRaises(ValueError, lambda: slot.view[0])
            with me.slot(0):
                pass
            with self.assertRaises(KeyError), me.slot(0) as slot:
                slot.size = 4
                raise KeyError
            with self.assertRaises(hbs.Error), me.slot(0) as slot:
                slot.size = 57
            self.assertEqual([message.data for message in me], [b"text"])

    def test_in_place(self):
        """A message that is read in place has its slot until it is freed."""
        with hbs.MessageSpace(2, depth=1) as space, space.mailbox(0) as me:
            with me.recv_in_place() as message:
                self.assertIsNone(message)
            for text in b"text", b"":
                me.send(0, text)
                with me.recv_in_place() as message:
                    self.assertEqual(message, (text, 0, 0))
                    self.assertFalse(me.can_send(0))
                self.assertRaises(ValueError, message.data.tobytes)
                self.assertTrue(me.can_send(0))
            me.send(0, b"text")
            with self.assertRaises(KeyError), me.recv_in_place():
                raise KeyError
            self.assertTrue(me.can_send(0))

    def test_multicast(self):
        """To several: those to whom it was not sent are the result."""
        with hbs.MessageSpace(70, depth=1) as space, space.mailbox(69) as me:
            self.assertEqual(me.multicast({3, 63, 69}, b"one"), set())
            self.assertEqual(me.multicast([4, 63, 69], b"two"), {63, 69})
            self.assertEqual([message.data for message in me], [b"one"])
            self.assertEqual(me.multicast([], b"none"), set())
            for wrong in 70, 1000, -1:
                self.assertRaises(hbs.Error, me.multicast, [wrong], b"")
            for member, text in (3, b"one"), (4, b"two"):
                with space.mailbox(member) as other:
                    self.assertEqual([message.data for message in other], [text])

    def test_processes(self):
        """A child takes part, and answers."""
        with hbs.MessageSpace(2) as space, space.mailbox(0) as me:
            child = os.fork()
            if not child:
                try:
                    with hbs.MessageSpace.from_fd(space.fileno()) as same, \
                            same.mailbox(1) as other:
                        while not other.can_recv():
                            time.sleep(0.001)
                        for message in other:
                            other.send(message.sender, message.data * 2)
                finally:
                    os._exit(0)
            me.send(1, b"ab")
            os.waitpid(child, 0)
            self.assertEqual(me.recv(), (b"abab", 1, 0))


class Idle(unittest.TestCase):
    """The end of the work that messages make."""

    def setUp(self):
        self.context = hbs.Context()
        self.space = hbs.MessageSpace(MEMBERS)

    def tearDown(self):
        self.space.close()
        self.context.close()

    def refutable(self, members, **attributes):
        """A group that counts messages."""
        return self.context.group(members, type=hbs.GroupType.REFUTABLE, **attributes)

    def test_threads(self):
        """Each message makes its receiver send the next lower number; all see the end."""
        received, results = [], []

        def work(me, index):
            with self.space.mailbox(index) as mailbox:
                mailbox.bind(me)
                for vote in False, True:
                    number = 0
                    if index == 0:
                        mailbox.send(1, bytes([100]))
                    while (result := mailbox.idle(vote, number)) is hbs.IdleResult.MESSAGE:
                        for message in mailbox:
                            received.append(message.data[0])
                            number += 1
                            if message.data[0] > 1:
                                mailbox.send(message.data[0] % MEMBERS,
                                             bytes([message.data[0] - 1]))
                    results.append((result, me.result(), me.votes()))

        with self.refutable(MEMBERS, reduce=hbs.Reduction.SUM) as group:
            self.assertEqual(in_threads(group, work), [])
        self.assertEqual(sorted(received), sorted([*range(1, 101)] * 2))
        self.assertEqual(sorted(results),
                         [(hbs.IdleResult.OVER, 100, (False, False))] * MEMBERS +
                         [(hbs.IdleResult.AGREED, 100, (True, True))] * MEMBERS)

    def test_bind(self):
        """A member that a mailbox is bound to does not leave before that is closed."""
        with self.refutable(1) as group, self.context.group(1) as barrier:
            with group.join() as me, barrier.join() as other, self.space.mailbox(0) as mailbox:
                self.assertRaises(hbs.Error, mailbox.idle)
                self.assertRaises(hbs.Error, mailbox.bind, other)
                mailbox.bind(me)
                self.assertRaises(hbs.Error, mailbox.bind, me)
                for leave in me.leave, me.arrive_and_drop:
                    with self.assertRaises(hbs.Error) as raised:
                        leave()
                    self.assertEqual(raised.exception.errno, errno.EBUSY)
                self.assertIs(mailbox.idle(), hbs.IdleResult.OVER)

    def test_try(self):
        """A member that waits for other things too."""
        with self.refutable(2) as group, group.join() as one, group.join() as two:
            with self.space.mailbox(0) as me, self.space.mailbox(1) as other:
                me.bind(one)
                other.bind(two)
                self.assertRaises(hbs.Error, me.fileno)
                self.assertIsNone(me.idle_try(True))
                self.assertEqual(select.select([me], [], [], 0)[0], [])
                other.send(0, b"")
                self.assertEqual(select.select([me], [], [], 60)[0], [me])
                self.assertIs(me.idle_try(True), hbs.IdleResult.MESSAGE)
                with me.recv_in_place():
                    with self.assertRaises(hbs.Error) as raised:
                        me.idle_try(True)
                    self.assertEqual(raised.exception.errno, errno.EBUSY)
                self.assertIsNone(me.idle_try(True))
                self.assertIs(other.idle(True), hbs.IdleResult.AGREED)
                self.assertIs(me.idle_try(True), hbs.IdleResult.AGREED)

    def test_asyncio(self):
        """Two members in one loop; others of its tasks run meanwhile."""
        received = []

        async def work(mailbox):
            while (result := await mailbox.idle_async(True)) is hbs.IdleResult.MESSAGE:
                for message in mailbox:
                    received.append(message.data[0])
                    if message.data[0] > 1:
                        mailbox.send(1 - message.sender, bytes([message.data[0] - 1]))
            return result

        async def late(mailbox):
            await asyncio.sleep(0.05)
            mailbox.send(0, bytes([10]))
            return await work(mailbox)

        async def both(me, other):
            return await asyncio.wait_for(asyncio.gather(work(me), late(other)), 60)

        with self.refutable(2) as group, group.join() as one, group.join() as two:
            with self.space.mailbox(0) as me, self.space.mailbox(1) as other:
                me.bind(one)
                other.bind(two)
                self.assertEqual(asyncio.run(both(me, other)), [hbs.IdleResult.AGREED] * 2)
        self.assertEqual(received, [*range(10, 0, -1)])

    def test_asyncio_cancelled(self):
        """A member whose wait is cancelled stays idle, and can go on."""
        async def give_up(mailbox):
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(mailbox.idle_async(), 0.01)
            self.assertFalse(asyncio.get_running_loop().remove_reader(mailbox.fileno()))

        with self.refutable(2) as group, group.join() as one, group.join() as two:
            with self.space.mailbox(0) as me, self.space.mailbox(1) as other:
                me.bind(one)
                other.bind(two)
                asyncio.run(give_up(me))
                self.assertIs(other.idle(), hbs.IdleResult.OVER)
                self.assertIs(asyncio.run(me.idle_async()), hbs.IdleResult.OVER)

    def test_broken(self):
        """If the group breaks, so does the wait."""
        with self.refutable(2) as group, group.join() as me, self.space.mailbox(0) as mailbox:
            mailbox.bind(me)
            timer = threading.Timer(0.1, group.destroy)
            timer.start()
            with self.assertRaises(hbs.Broken) as raised:
                mailbox.idle()
            timer.join()
            self.assertEqual(raised.exception.errno, errno.EIDRM)


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
    """Runs the tests."""
    loader, here = unittest.defaultTestLoader, sys.modules["__main__"]
    tests = loader.loadTestsFromNames(sys.argv[1:], here) if sys.argv[1:] else \
        loader.loadTestsFromModule(here)
    print(f"1..{tests.countTestCases()}")
    sys.exit(not tests.run(Tap()).wasSuccessful())


if __name__ == "__main__":
    main()
