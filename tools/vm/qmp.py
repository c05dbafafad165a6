# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's control protocol, as far as tests of a running guest need it."""

import json
import socket
import time

PATIENCE_S = 60


class Error(Exception):
    """QEMU refuses, or does not answer."""


class Qmp:
    """A connection to the socket that tools/vm/boot --qmp makes."""

    def __init__(self, path):
        self.socket = self._connect(path)
        self.socket.settimeout(PATIENCE_S)
        self.stream = self.socket.makefile("rw", encoding="utf-8")
        self.events = []
        self._receive()
        self.command("qmp_capabilities")

    @staticmethod
    def _connect(path):
        """The socket is there as soon as QEMU runs."""
        end = time.monotonic() + PATIENCE_S
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(path)
                return connection
            except OSError as error:
                connection.close()
                if time.monotonic() > end:
                    raise Error(f"{path}: {error}") from error
                time.sleep(0.1)

    def _receive(self):
        line = self.stream.readline()
        if not line:
            raise Error("QEMU closed its control socket")
        return json.loads(line)

    def command(self, name, /, **arguments):
        """Does a command, whose arguments have _ where QEMU has -; returns what it returns."""
        arguments = {key.replace("_", "-"): value for key, value in arguments.items()}
        self.stream.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.stream.flush()
        while True:
            message = self._receive()
            if "event" in message:
                self.events.append(message)
            elif "error" in message:
                raise Error(f"{name}: {message['error']['desc']}")
            else:
                return message["return"]

    def monitor(self, line):
        """Does a command of the human monitor, which says something only if it fails."""
        answer = self.command("human-monitor-command", command_line=line)
        if not answer.startswith("OK ") and answer:
            raise Error(f"{line}: {answer.strip()}")

    def wait_event(self, name, **data):
        """Waits for an event with such data; events before it are forgotten."""
        while True:
            while self.events:
                event = self.events.pop(0)
                if event["event"] == name and \
                        data.items() <= event.get("data", {}).items():
                    return event
            message = self._receive()
            if "event" in message:
                self.events.append(message)

    def job(self, name, **arguments):
        """Does a command that runs as a job, to its end."""
        job = f"job-{name}"
        self.command(name, job_id=job, **arguments)
        self.wait_event("JOB_STATUS_CHANGE", id=job, status="concluded")
        errors = [entry["error"] for entry in self.command("query-jobs")
                  if entry["id"] == job and "error" in entry]
        self.command("job-dismiss", id=job)
        if errors:
            raise Error(f"{name}: {errors[0]}")

    def migrate(self, uri):
        """Moves the machine to who listens at the URI; it has stopped here afterwards."""
        self.command("migrate", uri=uri)
        end = time.monotonic() + PATIENCE_S
        while True:
            state = self.command("query-migrate")
            if state.get("status") == "completed":
                return
            if state.get("status") == "failed" or time.monotonic() > end:
                raise Error(f"migrate: {state.get('status')}: {state.get('error-desc')}")
            time.sleep(0.05)
