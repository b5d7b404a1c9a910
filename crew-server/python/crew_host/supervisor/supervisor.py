"""The host's children: it starts them, ends them, and reports how they have ended.

Python's own forkserver is no use here: only Python can order its children, and it ignores errors in the modules that
it preloads.
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

from ..child import run_child
from ..project.load import Project
from ..redaction import Secrets
from ..wire.channel import Channel
from ..wire.messages import read_message
from ..wire.orders import Ask, End, Fork, HostOrder, Open
from ..wire.reports import Alive, Exited, Printed
from .child_process import ChildProcess
from .printed import LineTeller
from .processes import (
    adopt_orphans,
    children_of,
    descendants_of,
    end_descendants,
    end_with_parent,
    leave_files_to_parent,
    send_signal,
)

# Seconds from SIGTERM to SIGKILL.
_GRACE = 2.0


class Supervisor:
    """All children of a host.

    Args:
        shares_memory: Whether they are forked; otherwise, each imports the project itself.
    """

    def __init__(self, channel: Channel, opening: Open, project: Project, shares_memory: bool) -> None:
        self._channel = channel
        self._opening = opening
        self._project = project
        self._shares_memory = shares_memory
        self._children: dict[int, ChildProcess] = {}
        self._secrets = Secrets(os.environ)
        self._selector = selectors.DefaultSelector()
        self._wake, wake_up = os.pipe()
        self._own = [self._wake, wake_up]
        for end in self._own:
            os.set_blocking(end, False)
        self._is_to_end = False
        # Processes that the project's import has started: they live as long as the host.
        self._lasting = set(children_of(os.getpid()))
        # A signal handler could run anywhere. The byte in the wakeup descriptor waits until it is read.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        # The reaper is gone.
        signal.signal(signal.SIGTERM, self._note_end)
        signal.set_wakeup_fd(wake_up, warn_on_full_buffer=False)

    def live(self) -> None:
        """Does what the server orders, until the server is gone."""
        self._selector.register(self._channel.connection, selectors.EVENT_READ)
        self._selector.register(self._wake, selectors.EVENT_READ)
        try:
            while self._turn() and not self._is_to_end:
                self._kill_late()
                self._reap()
        except OSError as error:
            print(f"The host ends: {error}", file=sys.stderr)
        finally:
            # The reaper does that too, unless it is gone or the system does not show it these processes.
            for child in self._children.values():
                child.signal_all(signal.SIGKILL)
            end_descendants()

    def _note_end(self, *_: object) -> None:
        self._is_to_end = True

    def _turn(self) -> bool:
        """Waits until something happens. Returns whether the server is still there."""
        deadlines = [one.deadline for one in self._children.values() if one.deadline is not None]
        timeout = max(0.0, min(deadlines) - time.monotonic()) if deadlines else None
        for key, _ in self._selector.select(timeout):
            if isinstance(key.data, ChildProcess):
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
                    self._handle(read_message(line, HostOrder))
        return True

    def _handle(self, order: HostOrder) -> None:
        if isinstance(order, Fork):
            self._start(order.child)
        elif isinstance(order, Ask):
            self._channel.send(Alive())
        elif isinstance(order, End):
            child = self._children.get(order.child)
            if child is not None and child.deadline is None:
                child.deadline = time.monotonic() + _GRACE
                child.signal_all(signal.SIGTERM)

    def _start(self, number: int) -> None:
        output, written = os.pipe()
        os.set_blocking(output, False)
        pid = self._fork(number, output, written) if self._shares_memory else self._spawn(number, written)
        os.close(written)
        teller = LineTeller(self._secrets, lambda lines: self._channel.send(Printed(number, lines)))
        child = self._children[number] = ChildProcess(number, pid, output, teller)
        self._selector.register(output, selectors.EVENT_READ, child)

    def _spawn(self, number: int, written: int) -> int:
        """Starts a child that imports the project itself."""
        opening = json.dumps(dataclasses.asdict(self._opening))
        program = str(Path(__file__).parent.parent.parent)
        late = ["--late"] if self._project.clocks else []
        process = subprocess.Popen(
            [sys.executable, program, "--child", str(number), opening, *late],
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            start_new_session=True,
        )
        return process.pid

    def _fork(self, number: int, output: int, written: int) -> int:
        with warnings.catch_warnings():
            # Python warns of any thread, even those of numpy's library, which survives a fork.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid > 0:
            return pid
        try:
            os.setsid()
            end_with_parent()
            adopt_orphans()
            leave_files_to_parent()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.dup2(written, 1)
            os.dup2(written, 2)
            for descriptor in (nothing, written, output):
                os.close(descriptor)
            self._let_go()
            run_child(lambda: self._project, self._opening, number)
        finally:
            os._exit(1)

    def _let_go(self) -> None:
        """Closes what only the host may use. What the project has opened stays open in the child."""
        self._selector.close()
        self._channel.connection.close()
        for descriptor in (*self._own, *(child.output for child in self._children.values())):
            os.close(descriptor)

    def _kill_late(self) -> None:
        now = time.monotonic()
        for child in self._children.values():
            if child.deadline is not None and child.deadline <= now:
                child.deadline = None
                child.signal_all(signal.SIGKILL)

    def _orphans(self) -> list[int]:
        """What ended children have left behind; living children adopt their own. Reaps what has ended."""
        childs = {child.pid for child in self._children.values()}
        orphans = []
        for pid in children_of(os.getpid()):
            if pid in childs:
                continue
            if os.waitpid(pid, os.WNOHANG) != (0, 0):
                self._lasting.discard(pid)
            elif pid not in self._lasting:
                orphans.append(pid)
        return orphans

    def _end_orphans(self) -> None:
        """Kills orphans until none is left: what one starts meanwhile becomes an orphan, too."""
        deadline = time.monotonic() + _GRACE
        while (orphans := self._orphans()) and time.monotonic() < deadline:
            for orphan in orphans:
                for pid in (orphan, *descendants_of(orphan)):
                    send_signal(pid, signal.SIGKILL)
            time.sleep(0.001)

    def _reap(self) -> None:
        """Reports which children are gone, with everything that they have started."""
        for child in list(self._children.values()):
            # Until it is waited for, no other process can get its ID.
            if os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                continue
            if child.deadline is not None and self._orphans():
                # Its processes were told to end, too, and have the same time for it.
                continue
            child.signal_all(signal.SIGKILL)
            # Nobody knows whose orphans these are, and those of a child that was told to end still have time.
            if all(one is child or one.deadline is None for one in self._children.values()):
                self._end_orphans()
            _, status = os.waitpid(child.pid, 0)
            child.read()
            child.teller.end()
            if child.output in self._selector.get_map():
                self._selector.unregister(child.output)
            os.close(child.output)
            del self._children[child.number]
            code = os.waitstatus_to_exitcode(status)
            self._channel.send(
                Exited(
                    child=child.number,
                    code=code if code >= 0 else None,
                    signal=signal.Signals(-code).name if code < 0 else None,
                    lines=child.lines(self._secrets),
                )
            )
