# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages among members, and the end of the work that they make: lib/hbs_messages.h.

    with hbs.MessageSpace(members=4) as space, group.join() as me:
        with space.mailbox(3) as mailbox:
            mailbox.bind(me)
            while mailbox.idle() is hbs.IdleResult.MESSAGE:
                for message in mailbox:
                    mailbox.send(message.sender, work(message.data))

Where there is no room for a message, the calls that send raise BlockingIOError. A mailbox belongs
to one thread at a time.
"""

import asyncio
import collections
import contextlib
import ctypes
import enum
import errno
import weakref

from . import library
from .errors import check
from .handles import Handle
from .library import lib

Message = collections.namedtuple("Message", "data sender epoch")
SpaceInfo = collections.namedtuple("SpaceInfo",
                                   [name for name, _ in library.MessagesInfo._fields_])


class IdleResult(enum.IntEnum):
    """Why a member is idle no more."""

    MESSAGE = 0  # there is one to receive
    OVER = 1     # all are idle, no message is on its way, and the next epoch has begun
    AGREED = 2   # the same, and the last vote of each member was true


def _unless_none(value):
    """What a call returned, or None if there is nothing for it to return yet."""
    return None if value == -errno.EAGAIN else check(value)


class MessageSpace(Handle):
    """A message space: a queue from each member to each.

    slot: bytes of a slot of a queue, 64 unless another size is named; depth: slots of a queue, 16
    unless another number is named.
    """

    _close = staticmethod(lib.hbs_messages_close)

    def __init__(self, members, slot=0, depth=0):
        super().__init__(None)
        pointer = ctypes.c_void_p()
        attr = library.MessagesAttr(members=members, slot=slot, depth=depth)
        check(lib.hbs_messages_create(attr, pointer), broken=False)
        self._pointer = pointer.value

    @classmethod
    def from_fd(cls, fd):
        """Takes part in the message space of a descriptor, which the caller keeps."""
        pointer = ctypes.c_void_p()
        check(lib.hbs_messages_import(fd, pointer), broken=False)
        space = cls.__new__(cls)
        Handle.__init__(space, pointer.value)
        return space

    def close(self):
        """Lets go of it; EBUSY while it has mailboxes that were opened through this object."""
        if self._pointer:
            check(lib.hbs_messages_close(self._pointer), broken=False)
            self._pointer = None

    @property
    def info(self):
        """How many members it has, and how large its queues are."""
        info = library.MessagesInfo()
        check(lib.hbs_messages_info(self._handle, info), broken=False)
        return SpaceInfo(*(getattr(info, name) for name in SpaceInfo._fields))

    def fileno(self):
        """The descriptor that stands for it; it belongs to the message space."""
        return check(lib.hbs_messages_fd(self._handle), broken=False)

    def mailbox(self, member):
        """Becomes a member, by its number."""
        pointer = ctypes.c_void_p()
        check(lib.hbs_mailbox_open(self._handle, member, pointer), broken=False)
        return Mailbox(self, pointer.value)


class Mailbox(Handle):
    """A member of a message space; MessageSpace.mailbox() makes it."""

    _close = staticmethod(lib.hbs_mailbox_close)

    def __init__(self, space, pointer):
        super().__init__(pointer)
        self._space = space
        self._member = None

    def close(self):
        """Stops being a member; what it has sent can still be received."""
        pointer, self._pointer = self._pointer, None
        self._member = None
        if pointer:
            check(lib.hbs_mailbox_close(pointer), broken=False)

    def can_send(self, to):
        """Whether there is room in the queue to a member."""
        return check(lib.hbs_message_can_send(self._handle, to)) > 0

    def send(self, to, data):
        """Sends a copy of bytes, or of anything that has some."""
        copy = memoryview(data).tobytes()
        check(lib.hbs_message_send(self._handle, to, copy, len(copy)))

    def multicast(self, receivers, data):
        """Sends a copy to each of several members.

        Returns the set of those to whom it was not sent, since there was no room.
        """
        words = (ctypes.c_uint64 * ((self._space.info.members + 63) // 64))()
        for member in receivers:
            if not 0 <= member < 64 * len(words):
                check(-errno.EINVAL)
            words[member // 64] |= 1 << member % 64
        copy = memoryview(data).tobytes()
        _unless_none(lib.hbs_message_multicast(self._handle, words, copy, len(copy)))
        return {64 * index + bit for index, word in enumerate(words)
                for bit in range(64) if word >> bit & 1}

    @contextlib.contextmanager
    def slot(self, to):
        """Room for the largest message, to write it in place: a memoryview.

        At the end of the with statement as many bytes are sent as its variable's "size" says:

            with mailbox.slot(3) as slot:
                slot.view[:4] = b"work"
                slot.size = 4

        Nothing is sent if there is an exception, or no size.
        """
        pointer = ctypes.c_void_p()
        check(lib.hbs_message_alloc(self._handle, to, pointer))
        slot = Slot(pointer.value, self._space.info.payload)
        try:
            yield slot
        finally:
            slot.view.release()
        if slot.size is not None:
            check(lib.hbs_message_post(self._handle, to, slot.size))

    def can_recv(self):
        """Whether there is a message to receive."""
        return check(lib.hbs_message_can_recv(self._handle)) > 0

    def recv(self):
        """The next Message, with a copy of its content, or None if there is none."""
        message = library.MessageStruct()
        if _unless_none(lib.hbs_message_recv(self._handle, message)) is None:
            return None
        data = ctypes.string_at(message.data, message.size)
        check(lib.hbs_message_free(self._handle, message))
        return Message(data, message.sender, message.epoch)

    def __iter__(self):
        """The messages that are there."""
        return iter(self.recv, None)

    @contextlib.contextmanager
    def recv_in_place(self):
        """The next Message for a with statement, at whose end it is freed, or None.

        Its data is a memoryview of the slot, of which nothing may be used after that. Messages of
        one sender are freed in the order in which they were received.
        """
        message = library.MessageStruct()
        if _unless_none(lib.hbs_message_recv(self._handle, message)) is None:
            yield None
            return
        view = _view_of(message.data, message.size)
        try:
            yield Message(view, message.sender, message.epoch)
        finally:
            view.release()
            if self._pointer:
                check(lib.hbs_message_free(self._pointer, message))

    def bind(self, member):
        """Has a refutable group count its messages: member is a membership of the same thread.

        The member cannot leave before the mailbox is closed.
        """
        check(lib.hbs_mailbox_bind(self._handle, member._handle))
        self._member = member
        member._mailbox = weakref.ref(self)

    def idle(self, vote=False, value=0):
        """Waits for a message, or until all members are idle: an IdleResult.

        value: what the member brings to the group's reduction, if the epoch ends with this call.
        """
        return IdleResult(check(lib.hbs_idle_value(self._handle, bool(vote), value)))

    def idle_try(self, vote=False):
        """The same without waiting: None if neither, and then the member is idle and stays so."""
        result = _unless_none(lib.hbs_idle_try(self._handle, bool(vote)))
        return None if result is None else IdleResult(result)

    async def idle_async(self, vote=False):
        """The same as idle(), in a loop of asyncio, whose other tasks run meanwhile."""
        loop = asyncio.get_running_loop()
        while True:
            result = self.idle_try(vote)
            if result is not None:
                return result
            readable = asyncio.Event()
            fd = self.fileno()
            loop.add_reader(fd, readable.set)
            try:
                await readable.wait()
            finally:
                loop.remove_reader(fd)

    def fileno(self):
        """A descriptor that polls readable when idle_try() will not be None: ask before each poll."""
        return check(lib.hbs_mailbox_fd(self._handle))


class Slot:
    """Where Mailbox.slot() has a message written."""

    def __init__(self, address, size):
        self.view = _view_of(address, size)
        self.size = None


def _view_of(address, size):
    return memoryview((ctypes.c_ubyte * size).from_address(address)).cast("B")
