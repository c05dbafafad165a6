# SPDX-License-Identifier: LGPL-2.1-or-later
"""Barriers on an hbs card, and the same barriers in software: a binding of libhbs.

    with hbs.Context() as context, context.group(members=4) as group:
        ... in each of the 4 threads:
        with group.join() as me:
            for step in range(steps):
                work(step)
                me.barwait()

Functions that fail raise hbs.Error, an OSError whose errno and text are those of libhbs. If the
group is broken it is hbs.Broken, and at the end of a time hbs.Timeout. lib/hbs.h says what each
call does and with which errors. hbs.MessageSpace has messages, and the end of work that they make.

While a call waits it does not hold the interpreter's lock, so the other threads run. A signal does
not end a wait: Python runs its handler when the wait is over. Use member.wait() with a timeout
where Ctrl-C has to come through.
"""

from .errors import Broken, BrokenByTimeout, Error, Timeout
from .handles import Absentee, Context, Group, Member, MemberStats, Stats
from .library import (Algorithm, ArriveBy, Backend, CompleteBy, DepartBy, GroupType, Policy,
                      Promise, Reduction, WaitPolicy, version)
from .messages import IdleResult, Mailbox, Message, MessageSpace, Slot, SpaceInfo

__version__ = version()

__all__ = [
    "Absentee", "Algorithm", "ArriveBy", "Backend", "Broken", "BrokenByTimeout", "CompleteBy",
    "Context", "DepartBy", "Error", "Group", "GroupType", "IdleResult", "Mailbox", "Member",
    "MemberStats", "Message", "MessageSpace", "Policy", "Promise", "Reduction", "Slot", "SpaceInfo",
    "Stats", "Timeout", "WaitPolicy", "version",
]
