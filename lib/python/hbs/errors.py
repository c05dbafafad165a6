# SPDX-License-Identifier: LGPL-2.1-or-later
"""What libhbs returns as a negative number, as exceptions."""

import errno
import functools
import threading

from .library import text_of

# with these the group is broken, whatever the call
BROKEN = frozenset((errno.EOWNERDEAD, errno.ECONNRESET, errno.ENODEV, errno.EIDRM, errno.EIO,
                    errno.EOVERFLOW, errno.ENOTCONN))


class Error(OSError):
    """A call of libhbs failed."""


class Broken(Error, threading.BrokenBarrierError):
    """The group is broken: errno says why."""


class Timeout(Error, TimeoutError):
    """A wait has taken as long as it may; the arrival still counts."""


class BrokenByTimeout(Broken, Timeout):
    """The group's own timer has broken it."""


@functools.lru_cache(maxsize=None)
def _class_of(number, own_time):
    if number == errno.ETIMEDOUT:
        return Timeout if own_time else BrokenByTimeout
    if number in BROKEN:
        return Broken
    # PermissionError and the like, as Python itself chooses them
    python = type(OSError(number, ""))
    return Error if python is OSError else type("Error", (Error, python), {})


def check(value, broken=True, own_time=False):
    """Returns what a call returned, or raises its error.

    broken: whether the call is one on a group, whose errors can mean that it is broken;
    own_time: whether the call has a time of its own.
    """
    if value >= 0:
        return value
    number = -value
    kind = _class_of(number, own_time) if broken else _class_of_opening(number)
    raise kind(number, text_of(value))


@functools.lru_cache(maxsize=None)
def _class_of_opening(number):
    return Error if number in BROKEN else _class_of(number, True)
