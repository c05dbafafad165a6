# SPDX-License-Identifier: LGPL-2.1-or-later
"""The C library: its functions, structs and constants, as lib/hbs*.h have them."""

import ctypes
import enum
import os
from ctypes import (POINTER, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint32,
                    c_uint64, c_void_p)


class Backend(enum.IntEnum):
    ANY = 0
    CARD = 1
    SOFTWARE = 2


class WaitPolicy(enum.IntEnum):
    DEFAULT = 0
    ACTIVE = 1
    PASSIVE = 2


class GroupType(enum.IntEnum):
    BARRIER = 0
    REFUTABLE = 1


class Promise(enum.IntFlag):
    FIXED = 1


class Algorithm(enum.IntEnum):
    AUTO = 0
    CENTRAL = 1
    COMBINING = 2
    TOURNAMENT = 3
    FWAY_TOURNAMENT = 4
    MCS = 5
    BINOMIAL = 6
    BUTTERFLY = 7
    PAIRWISE = 8
    DISSEMINATION = 9
    COUNTING = 10
    POOL = 11
    TICKET = 12
    SCAN = 13


class CompleteBy(enum.IntEnum):
    MASK = 0
    COUNT = 1


class ArriveBy(enum.IntEnum):
    STORE = 0
    POLLING = 1


class DepartBy(enum.IntEnum):
    RECORD = 0
    CSR = 1
    MEMBER_RECORD = 2
    NODE_RECORD = 3


class Reduction(enum.IntEnum):
    NONE = 0
    AND = 1
    OR = 2
    XOR = 3
    SUM = 4
    MIN = 5
    MAX = 6
    SMIN = 7
    SMAX = 8
    VOTE = 9


class Policy(enum.IntFlag):
    ON_TIMEOUT_NOTIFY = 1
    ON_DEATH_SHRINK = 2
    ON_THREAD_EXIT = 4


COMPLETION = ctypes.CFUNCTYPE(None, c_void_p)


class Attr(ctypes.Structure):
    _fields_ = [
        ("backend", c_uint32),
        ("wait_policy", c_uint32),
        ("device", c_char_p),
        ("spin_ns", c_uint64),
        ("reserved", c_uint64 * 5),
    ]


class GroupAttr(ctypes.Structure):
    _fields_ = [
        ("members", c_uint32),
        ("type", c_uint32),
        ("reduce", c_uint32),
        ("policy", c_uint32),
        ("timeout_ns", c_uint64),
        ("completion", COMPLETION),
        ("completion_arg", c_void_p),
        ("complete_by", c_uint32),
        ("arrive_by", c_uint32),
        ("depart_by", c_uint32),
        ("algorithm", c_uint32),
        ("fan_in", c_uint32),
        ("promise", c_uint32),
        ("reserved", c_uint64 * 4),
    ]


class GroupStats(ctypes.Structure):
    _fields_ = [
        ("barriers", c_uint64),
        ("arrivals", c_uint64),
        ("departure_reads", c_uint64),
        ("record_writes", c_uint64),
        ("dropped", c_uint64),
        ("interrupts", c_uint64),
        ("sleeps", c_uint64),
        ("line_reads", c_uint64),
        ("withdrawals", c_uint64),
        ("in_flight", c_int64),
        ("reserved", c_uint64 * 6),
    ]


class MemberStats(ctypes.Structure):
    _fields_ = [
        ("epochs", c_uint64),
        ("waited_ns", c_uint64),
        ("slept", c_uint64),
        ("waits", c_uint64 * 24),
        ("reserved", c_uint64 * 5),
    ]


class Idle(ctypes.Structure):
    _fields_ = [
        ("sent", c_uint64),
        ("freed", c_uint64),
        ("value", c_uint64),
        ("vote", c_uint32),
        ("reserved", c_uint32),
    ]


class AbsenteeStruct(ctypes.Structure):
    _fields_ = [
        ("port", c_uint32),
        ("pid", c_int32),
        ("tid", c_int32),
        ("reserved", c_uint32),
        ("tag", c_uint64),
    ]


class MessagesAttr(ctypes.Structure):
    _fields_ = [
        ("members", c_uint32),
        ("slot", c_uint32),
        ("depth", c_uint32),
        ("reserved", c_uint32 * 5),
    ]


class MessagesInfo(ctypes.Structure):
    _fields_ = [
        ("members", c_uint32),
        ("slot", c_uint32),
        ("depth", c_uint32),
        ("payload", c_uint32),
        ("queue_bytes", c_uint64),
        ("bytes", c_uint64),
    ]


class MessageStruct(ctypes.Structure):
    # "from" is a word of Python
    _fields_ = [
        ("data", c_void_p),
        ("size", c_uint32),
        ("sender", c_uint32),
        ("epoch", c_uint32),
    ]


# a pointer to a handle is an argument that the call fills; a handle itself is a plain pointer
_OUT = POINTER(c_void_p)
_FUNCTIONS = {
    "hbs_open": (c_int, _OUT, POINTER(Attr)),
    "hbs_close": (c_int, c_void_p),
    "hbs_backend": (c_int, c_void_p),
    "hbs_backend_name": (c_char_p, c_void_p),
    "hbs_group_create": (c_int, c_void_p, POINTER(GroupAttr), _OUT),
    "hbs_group_algorithm": (c_int, c_void_p),
    "hbs_algorithm_name": (c_char_p, c_uint),
    "hbs_group_fd": (c_int, c_void_p),
    "hbs_group_import": (c_int, c_void_p, c_int, _OUT),
    "hbs_group_close": (c_int, c_void_p),
    "hbs_group_destroy": (c_int, c_void_p),
    "hbs_group_stats": (c_int, c_void_p, POINTER(GroupStats)),
    "hbs_group_missing": (c_int, c_void_p, POINTER(AbsenteeStruct), c_size_t),
    "hbs_group_reset": (c_int, c_void_p),
    "hbs_join_tagged": (c_int, c_void_p, c_uint64, _OUT),
    "hbs_leave": (c_int, c_void_p),
    "hbs_barwait": (c_int, c_void_p),
    "hbs_arrive": (c_int, c_void_p),
    "hbs_test": (c_int, c_void_p),
    "hbs_wait": (c_int, c_void_p),
    "hbs_wait_for": (c_int, c_void_p, c_uint64),
    "hbs_arrive_value": (c_int, c_void_p, c_uint64),
    "hbs_result": (c_int, c_void_p, POINTER(c_uint64)),
    "hbs_allreduce": (c_int, c_void_p, c_uint64, POINTER(c_uint64)),
    "hbs_vote": (c_int, c_void_p, c_int, POINTER(c_int), POINTER(c_int)),
    "hbs_begin_idle": (c_int, c_void_p, POINTER(Idle)),
    "hbs_withdraw": (c_int, c_void_p),
    "hbs_votes": (c_int, c_void_p, POINTER(c_int), POINTER(c_int)),
    "hbs_arrive_and_drop": (c_int, c_void_p),
    "hbs_member_fd": (c_int, c_void_p),
    "hbs_member_stats": (c_int, c_void_p, POINTER(MemberStats)),
    "hbs_messages_create": (c_int, POINTER(MessagesAttr), _OUT),
    "hbs_messages_fd": (c_int, c_void_p),
    "hbs_messages_import": (c_int, c_int, _OUT),
    "hbs_messages_info": (c_int, c_void_p, POINTER(MessagesInfo)),
    "hbs_messages_close": (c_int, c_void_p),
    "hbs_mailbox_open": (c_int, c_void_p, c_uint32, _OUT),
    "hbs_mailbox_close": (c_int, c_void_p),
    "hbs_mailbox_bind": (c_int, c_void_p, c_void_p),
    "hbs_mailbox_fd": (c_int, c_void_p),
    "hbs_message_can_send": (c_int, c_void_p, c_uint32),
    "hbs_message_alloc": (c_int, c_void_p, c_uint32, _OUT),
    "hbs_message_post": (c_int, c_void_p, c_uint32, c_size_t),
    "hbs_message_send": (c_int, c_void_p, c_uint32, c_void_p, c_size_t),
    "hbs_message_multicast": (c_int, c_void_p, POINTER(c_uint64), c_void_p, c_size_t),
    "hbs_message_can_recv": (c_int, c_void_p),
    "hbs_message_recv": (c_int, c_void_p, POINTER(MessageStruct)),
    "hbs_message_free": (c_int, c_void_p, POINTER(MessageStruct)),
    "hbs_idle_value": (c_int, c_void_p, c_int, c_uint64),
    "hbs_idle_try": (c_int, c_void_p, c_int),
    "hbs_version": (c_char_p,),
    "hbs_strerror": (c_char_p, c_int),
}


def _load():
    # calls by CDLL let go of the interpreter's lock
    library = ctypes.CDLL(os.environ.get("HBS_LIBRARY") or "libhbs.so.1")
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()


def version():
    """The version of libhbs."""
    return lib.hbs_version().decode()


def text_of(error):
    """What a negative return value means."""
    return lib.hbs_strerror(error).decode()
