# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages in Python: processes send each other work, and learn when all of it is done.

A message is a number; who gets it sends the next lower one to somebody else. Each process has an
event loop, in which something else can go on while the process waits for work.
"""

import asyncio
import os

import hbs

PROCESSES = 4


async def work(mailbox):
    """Receives until nobody has work and no message is on its way; returns how many it got."""
    received = 0
    while await mailbox.idle_async() is hbs.IdleResult.MESSAGE:
        for message in mailbox:
            received += 1
            number = int(message.data)
            if number > 1:
                mailbox.send(number % PROCESSES, b"%d" % (number - 1))
    return received


def worker(rank, group, space):
    """What a child does, with the descriptors of its parent; returns how many messages it got."""
    with hbs.Context() as context, context.import_group(group.fileno()) as same_group, \
            hbs.MessageSpace.from_fd(space.fileno()) as same_space, \
            same_group.join() as me, same_space.mailbox(rank) as mailbox:
        mailbox.bind(me)  # so the group counts the messages
        if rank == 0:
            mailbox.send(1, b"100")
        return asyncio.run(work(mailbox))


def main():
    """Starts the processes, whose exit status is what they got."""
    received = 0
    with hbs.Context() as context, hbs.MessageSpace(PROCESSES) as space, \
            context.group(PROCESSES, type=hbs.GroupType.REFUTABLE) as group:
        children = []
        for rank in range(PROCESSES):
            child = os.fork()
            if not child:
                os._exit(worker(rank, group, space))
            children.append(child)
        for child in children:
            received += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(f"all is done, after {received} messages")


if __name__ == "__main__":
    main()
