# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contexts, groups and members. Each is a context manager, and closes its handle in the end.

A member belongs to one thread at a time. Close members before their group, and groups before
their context, as nested with statements do.
"""

import collections
import ctypes
import errno
import os

from . import library
from .errors import check
from .library import lib

Absentee = collections.namedtuple("Absentee", "port pid tid tag")
Stats = collections.namedtuple("Stats", [name for name, _ in library.GroupStats._fields_
                                         if name != "reserved"])
MemberStats = collections.namedtuple("MemberStats", "epochs waited_ns slept waits")
_NS = 1000 * 1000 * 1000


def _nanoseconds(seconds):
    return max(0, int(seconds * _NS))


class Handle:
    """A pointer of the library, which belongs to an object of Python."""

    _close = None  # the function that frees it

    def __init__(self, pointer):
        self._pointer = pointer

    @property
    def _handle(self):
        if not self._pointer:
            raise ValueError(f"this {type(self).__name__.lower()} is closed")
        return self._pointer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_pointer", None):
            self._close(self._pointer)

    @property
    def closed(self):
        """Whether it was closed."""
        return not self._pointer


class Context(Handle):
    """A card, or the software backend.

    device: the path of a card; spin: how long a wait spins, in seconds, 0 for not at all.
    """

    _close = staticmethod(lib.hbs_close)

    def __init__(self, backend=library.Backend.ANY, device=None, spin=None,
                 wait_policy=library.WaitPolicy.DEFAULT):
        attr = library.Attr(backend=backend, wait_policy=wait_policy,
                            device=os.fsencode(device) if device is not None else None)
        if spin is not None:
            # 0 is the default there, and all ones mean no spin
            attr.spin_ns = _nanoseconds(spin) or 2 ** 64 - 1
        pointer = ctypes.c_void_p()
        super().__init__(None)
        check(lib.hbs_open(pointer, attr), broken=False)
        self._pointer = pointer.value

    def close(self):
        """Closes it; EBUSY while it has groups."""
        if self._pointer:
            check(lib.hbs_close(self._pointer), broken=False)
            self._pointer = None

    @property
    def backend(self):
        """Backend.CARD or Backend.SOFTWARE."""
        return library.Backend(lib.hbs_backend(self._handle))

    @property
    def name(self):
        """"software", or the path of the card."""
        return lib.hbs_backend_name(self._handle).decode()

    def group(self, members, *, timeout=None, completion=None, **attributes):
        """Makes a group.

        timeout: seconds from the first arrival at a barrier after which the group breaks;
        completion: a function without arguments, called once for each barrier. The other
        attributes are those of struct hbs_group_attr: reduce=Reduction.SUM, for instance.
        """
        attr = library.GroupAttr(members=members, **attributes)
        if timeout is not None:
            attr.timeout_ns = _nanoseconds(timeout)
        if completion is not None:
            attr.completion = library.COMPLETION(lambda _: completion())
        pointer = ctypes.c_void_p()
        check(lib.hbs_group_create(self._handle, attr, pointer), broken=False)
        return Group(self, pointer.value, attr)

    def import_group(self, fd):
        """Takes part in the group of a descriptor, which the caller keeps."""
        pointer = ctypes.c_void_p()
        check(lib.hbs_group_import(self._handle, fd, pointer), broken=False)
        return Group(self, pointer.value, None)


class Group(Handle):
    """A group; Context makes it."""

    _close = staticmethod(lib.hbs_group_close)

    def __init__(self, context, pointer, attr):
        super().__init__(pointer)
        self._context = context
        # the library calls a function of it
        self._attr = attr

    def close(self):
        """Lets go of it; EBUSY while it has members that joined through this object."""
        if self._pointer:
            check(lib.hbs_group_close(self._pointer), broken=False)
            self._pointer = None

    def join(self, tag=0):
        """Becomes a member; tag is what missing() is to call it."""
        pointer = ctypes.c_void_p()
        check(lib.hbs_join_tagged(self._handle, tag, pointer))
        return Member(self, pointer.value)

    def missing(self):
        """The members that have not arrived, or have died: a list of Absentee."""
        count = 0
        while True:
            room = count
            listed = (library.AbsenteeStruct * room)()
            count = check(lib.hbs_group_missing(self._handle, listed, room))
            if count <= room:
                return [Absentee(one.port, one.pid, one.tid, one.tag)
                        for one in listed[:count]]

    def stats(self):
        """What the group has counted."""
        stats = library.GroupStats()
        check(lib.hbs_group_stats(self._handle, stats))
        return Stats(*(getattr(stats, name) for name in Stats._fields))

    def reset(self):
        """Mends it: all memberships end."""
        check(lib.hbs_group_reset(self._handle))

    def destroy(self):
        """Breaks it for everybody."""
        check(lib.hbs_group_destroy(self._handle))

    def fileno(self):
        """The descriptor that stands for it; it belongs to the group."""
        return check(lib.hbs_group_fd(self._handle))

    @property
    def algorithm(self):
        """How the software does its barriers; an error on a card."""
        return library.Algorithm(check(lib.hbs_group_algorithm(self._handle)))


class Member(Handle):
    """A membership; Group.join() makes it."""

    _close = staticmethod(lib.hbs_leave)

    def __init__(self, group, pointer):
        super().__init__(pointer)
        self._group = group
        # of a Mailbox that is bound to it
        self._mailbox = None

    def _check_unbound(self):
        mailbox = self._mailbox and self._mailbox()
        if mailbox and not mailbox.closed:
            check(-errno.EBUSY)

    def leave(self):
        """Ends the membership; the others go on without it. EBUSY while a mailbox is bound to it."""
        self._check_unbound()
        pointer, self._pointer = self._pointer, None
        if pointer:
            check(lib.hbs_leave(pointer))

    close = leave

    def barwait(self):
        """Arrives, and waits for all the others."""
        check(lib.hbs_barwait(self._handle))

    def arrive(self, value=None):
        """Arrives, with a value if the group reduces, and does not wait."""
        if value is None:
            check(lib.hbs_arrive(self._handle))
        else:
            check(lib.hbs_arrive_value(self._handle, value))

    def test(self):
        """Whether all have arrived; then the member has departed."""
        return check(lib.hbs_test(self._handle)) > 0

    def wait(self, timeout=None):
        """Waits until all have arrived; Timeout after so many seconds."""
        if timeout is None:
            check(lib.hbs_wait(self._handle))
        else:
            check(lib.hbs_wait_for(self._handle, _nanoseconds(timeout)), own_time=True)

    def arrive_and_drop(self):
        """Arrives for the last time, and leaves without waiting."""
        self._check_unbound()
        handle, self._pointer = self._handle, None
        check(lib.hbs_arrive_and_drop(handle))

    def allreduce(self, value):
        """Brings a value, waits, and returns the reduction of all values.

        Values have 64 bits; in groups of SMIN and SMAX they are signed.
        """
        result = ctypes.c_uint64()
        check(lib.hbs_allreduce(self._handle, value, result))
        return self._number(result.value)

    def result(self):
        """The result of the barrier that it departed from last."""
        result = ctypes.c_uint64()
        check(lib.hbs_result(self._handle, result))
        return self._number(result.value)

    def _number(self, value):
        attr = self._group._attr
        signed = attr and attr.reduce in (library.Reduction.SMIN, library.Reduction.SMAX)
        return value - 2 ** 64 if signed and value >= 2 ** 63 else value

    def vote(self, yes):
        """Votes and waits; returns (all, any): whether all and whether some voted yes."""
        of_all, of_any = ctypes.c_int(), ctypes.c_int()
        check(lib.hbs_vote(self._handle, bool(yes), of_all, of_any))
        return bool(of_all.value), bool(of_any.value)

    def begin_idle(self, sent=0, freed=0, vote=False, value=0):
        """Says that it has nothing to do, in a refutable group."""
        idle = library.Idle(sent=sent, freed=freed, vote=bool(vote), value=value)
        check(lib.hbs_begin_idle(self._handle, idle))

    def withdraw(self):
        """Takes that back; True if the epoch is over, and the member has departed."""
        return check(lib.hbs_withdraw(self._handle)) > 0

    def votes(self):
        """How all voted in the last epoch, as vote() says it."""
        of_all, of_any = ctypes.c_int(), ctypes.c_int()
        check(lib.hbs_votes(self._handle, of_all, of_any))
        return bool(of_all.value), bool(of_any.value)

    def stats(self):
        """How long it has waited for others; waits: of less than 512 ns, 1024 ns, and so on."""
        stats = library.MemberStats()
        check(lib.hbs_member_stats(self._handle, stats))
        return MemberStats(stats.epochs, stats.waited_ns, stats.slept, tuple(stats.waits))

    def fileno(self):
        """A descriptor that polls readable when test() will be true: ask before each poll."""
        return check(lib.hbs_member_fd(self._handle))
