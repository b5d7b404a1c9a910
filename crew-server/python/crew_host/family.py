"""The host's children: it starts them, ends them, and tells how they have ended.

Python's own forkserver does not serve here: who orders its children has to be Python, too, and it passes over what goes
wrong when it imports its preloaded modules.
"""

from __future__ import annotations

import dataclasses
import json
import os
import selectors
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

from .child import run_child
from .printed import LineTeller, lines_of
from .processes import adopt_orphans, children_of, descendants_of, end_with_parent, send_signal
from .project import Project
from .protocol import Channel, End, Exited, Fork, HostOrder, Open, Printed, read_message
from .redaction import Secrets

# What is kept of a child's output, in bytes, and what is told of it.
_KEPT = 8_192
_TOLD_LINES = 10
_TOLD_CHARACTERS = 500
# Seconds from SIGTERM to SIGKILL.
_GRACE = 2.0
# How often one child's output is read before others have their turn.
_READS = 16


@dataclasses.dataclass
class Member:
    """A child, which leads a process group of its own."""

    number: int
    pid: int
    # Where its output is read.
    output: int
    teller: LineTeller
    tail: bytes = b""
    is_cut: bool = False
    # When it is to be killed, once it has been told to end.
    deadline: float | None = None

    def read(self) -> bool:
        """Tells what it has written, and keeps the end of it; gives whether more may come."""
        for _ in range(_READS):
            try:
                data = os.read(self.output, 65_536)
            except BlockingIOError:
                return True
            if not data:
                return False
            self.teller.take(data)
            kept = self.tail + data
            self.is_cut = self.is_cut or len(kept) > _KEPT
            self.tail = kept[-_KEPT:]
        return True

    def lines(self, secrets: Secrets) -> list[str]:
        """The last lines that it wrote, without colors and secrets."""
        text = self.tail.decode(errors="replace")
        if self.is_cut:
            # The rest of a secret is not recognized as one.
            text = text[secrets.longest :].partition("\n")[2] or text[secrets.longest :]
        return [line[:_TOLD_CHARACTERS] for line in lines_of(text, secrets)][-_TOLD_LINES:]

    def signal_all(self, number: int) -> None:
        """Sends a signal to it and to all that it has started, also to what has left its group."""
        others = descendants_of(self.pid)
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            # It has not made its group yet, or all of it is gone.
            send_signal(self.pid, number)
        for pid in others:
            send_signal(pid, number)


class Family:
    """All children of a host.

    Args:
        shares_memory: Whether they are forked; else each imports on its own.
    """

    def __init__(self, channel: Channel, opening: Open, project: Project, shares_memory: bool) -> None:
        self._channel = channel
        self._opening = opening
        self._project = project
        self._shares_memory = shares_memory
        self._members: dict[int, Member] = {}
        self._secrets = Secrets(os.environ)
        self._selector = selectors.DefaultSelector()
        self._wake, wake_up = os.pipe()
        self._own = [self._wake, wake_up]
        for end in self._own:
            os.set_blocking(end, False)
        # A signal's handler would run at any place; its byte waits until it is looked for.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_up, warn_on_full_buffer=False)
        adopt_orphans()

    def live(self) -> None:
        """Does what the server orders, until it is gone."""
        self._selector.register(self._channel.connection, selectors.EVENT_READ)
        self._selector.register(self._wake, selectors.EVENT_READ)
        try:
            while self._turn():
                self._kill_late()
                self._bury()
        except OSError as error:
            print(f"The host ends: {error}", file=sys.stderr)
        for member in self._members.values():
            member.signal_all(signal.SIGKILL)
            os.waitpid(member.pid, 0)
        self._signal_orphans(signal.SIGKILL)

    def _turn(self) -> bool:
        """Waits until something happens; gives whether the server is still there."""
        deadlines = [one.deadline for one in self._members.values() if one.deadline is not None]
        timeout = max(0.0, min(deadlines) - time.monotonic()) if deadlines else None
        for key, _ in self._selector.select(timeout):
            if isinstance(key.data, Member):
                if not key.data.read():
                    self._selector.unregister(key.fd)
            elif key.fd == self._wake:
                os.read(self._wake, 65_536)
                self._orphans()
            else:
                lines = self._channel.receive()
                if lines is None:
                    return False
                for line in lines:
                    self._obey(read_message(line, HostOrder))
        return True

    def _obey(self, order: HostOrder) -> None:
        if isinstance(order, Fork):
            self._start(order.child)
        elif isinstance(order, End):
            member = self._members.get(order.child)
            if member is not None and member.deadline is None:
                member.deadline = time.monotonic() + _GRACE
                member.signal_all(signal.SIGTERM)

    def _start(self, number: int) -> None:
        output, written = os.pipe()
        os.set_blocking(output, False)
        pid = self._fork(number, output, written) if self._shares_memory else self._spawn(number, written)
        os.close(written)
        teller = LineTeller(self._secrets, lambda lines: self._channel.send(Printed(number, lines)))
        member = self._members[number] = Member(number, pid, output, teller)
        self._selector.register(output, selectors.EVENT_READ, member)

    def _spawn(self, number: int, written: int) -> int:
        """A child that imports on its own."""
        opening = json.dumps(dataclasses.asdict(self._opening))
        program = str(Path(__file__).parent.parent)
        process = subprocess.Popen(
            [sys.executable, program, "--child", str(number), opening],
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            start_new_session=True,
        )
        return process.pid

    def _fork(self, number: int, output: int, written: int) -> int:
        with warnings.catch_warnings():
            # Threads of numpy's library, which bears a fork, are threads too.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid > 0:
            return pid
        try:
            os.setsid()
            end_with_parent()
            adopt_orphans()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.dup2(written, 1)
            os.dup2(written, 2)
            for descriptor in (nothing, written, output):
                os.close(descriptor)
            self._let_go()
            run_child(self._project, self._opening.socket, number)
        finally:
            os._exit(1)

    def _let_go(self) -> None:
        """Closes what is the host's alone; what the project has opened is the child's too."""
        self._selector.close()
        self._channel.connection.close()
        for descriptor in (*self._own, *(member.output for member in self._members.values())):
            os.close(descriptor)

    def _kill_late(self) -> None:
        now = time.monotonic()
        for member in self._members.values():
            if member.deadline is not None and member.deadline <= now:
                member.deadline = None
                member.signal_all(signal.SIGKILL)

    def _orphans(self) -> list[int]:
        """What children that are gone have left behind: those that are there adopt their own. Buries what has ended."""
        members = {member.pid for member in self._members.values()}
        orphans = [pid for pid in children_of(os.getpid()) if pid not in members]
        return [pid for pid in orphans if os.waitpid(pid, os.WNOHANG) == (0, 0)]

    def _signal_orphans(self, number: int) -> None:
        for orphan in self._orphans():
            for pid in (orphan, *descendants_of(orphan)):
                send_signal(pid, number)

    def _bury(self) -> None:
        """Tells which children are gone, with all that they have started."""
        for member in list(self._members.values()):
            # As long as it is not waited for, no other process can have its number.
            if os.waitid(os.P_PID, member.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                continue
            if member.deadline is not None and self._orphans():
                # They were told to end, too, and have the same time for it.
                continue
            member.signal_all(signal.SIGKILL)
            self._signal_orphans(signal.SIGKILL)
            _, status = os.waitpid(member.pid, 0)
            member.read()
            member.teller.end()
            if member.output in self._selector.get_map():
                self._selector.unregister(member.output)
            os.close(member.output)
            del self._members[member.number]
            code = os.waitstatus_to_exitcode(status)
            self._channel.send(
                Exited(
                    child=member.number,
                    code=code if code >= 0 else None,
                    signal=signal.Signals(-code).name if code < 0 else None,
                    lines=member.lines(self._secrets),
                )
            )
