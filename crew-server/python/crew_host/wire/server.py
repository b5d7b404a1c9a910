"""The crew server, as a child sees it."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import queue
import select
import signal
import socket
import threading
from collections.abc import Iterable
from typing import NoReturn

from ..redaction import Secrets, hide_printed
from .channel import Channel
from .lease import Lease
from .messages import VERSION, ProtocolError, read_message
from .orders import Acknowledged, Answer, Begin, Build, ChildOrder, Describe, Leased
from .reports import ChildReport, Hello, Lasting

# Results are never changed, and neither is what a later process of the execution continues from.
_WHOLE = ("output", "output_json", "checkpoint")

_STDERR = 2
# By this, the server knows that the process was not ended by the system.
_ENDS_ITSELF = "This process ends itself: "


class Server:
    """The crew server, as a child sees it. Secrets are removed from what is sent, except from results."""

    def __init__(self, path: str, child: int) -> None:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        self._channel = Channel(connection)
        self._secrets = Secrets({})
        self._numbers = itertools.count(1)
        self._waiting: dict[int, threading.Event] = {}
        self.orders: queue.SimpleQueue[Describe | Build | Begin] = queue.SimpleQueue()
        self._lease = Lease(lambda: end_all("the crew server has not said in time that it may go on"))
        self._answers: dict[str, queue.SimpleQueue[Answer]] = {}
        self._process = os.getpid()
        self.send(Hello(VERSION, child, self._process))
        threading.Thread(target=self._listen, name="crew server", daemon=True).start()

    def send(self, report: ChildReport) -> None:
        if self._is_fork():
            return
        fields = {field.name: getattr(report, field.name) for field in dataclasses.fields(report)}
        whole = {name: fields.pop(name) for name in _WHOLE if name in fields}
        try:
            self._channel.send(type(report)(**self._secrets.hide_in(fields), **whole))
        except OSError as error:
            end_all(f"the connection to the crew server is broken: {error}")

    def learn_secrets(self) -> None:
        """Hides the values of secret variables from now on, and that in what is printed, too."""
        self._secrets.learn_variables(os.environ)
        hide_printed(self._secrets)

    def hide(self, values: Iterable[str]) -> None:
        """Also hides these values from now on, e.g. a key in the project's code."""
        self._secrets.learn(values)

    def number(self) -> int:
        """A number for a report that the server acknowledges."""
        number = next(self._numbers)
        self._waiting[number] = threading.Event()
        return number

    def send_and_wait(self, report: Lasting) -> None:
        """Sends a report, and returns once the server's store has it."""
        self.send(report)
        if self._is_fork():
            return
        self._waiting[report.number].wait()
        del self._waiting[report.number]

    def answers(self, name: str) -> queue.SimpleQueue[Answer]:
        """The answers to the questions of a task, as long as this process lives."""
        if self._is_fork():
            raise RuntimeError("A process that the project has forked cannot ask a person.")
        return self._answers.setdefault(name, queue.SimpleQueue())

    def _is_fork(self) -> bool:
        """Whether this is a fork that the project made. CrewAI runs there, too, but must not report."""
        return os.getpid() != self._process

    def _listen(self) -> None:
        try:
            for line in self._channel.lines():
                order: ChildOrder = read_message(line, ChildOrder)
                if isinstance(order, Acknowledged):
                    self._waiting[order.number].set()
                elif isinstance(order, Leased):
                    self._lease.extend(order.milliseconds / 1_000)
                elif isinstance(order, Answer):
                    self.answers(order.task_id).put(order)
                else:
                    self.orders.put(order)
            why = "the crew server has closed the connection"
        except (OSError, ProtocolError, KeyError) as error:
            why = f"the connection to the crew server is broken: {error}"
        end_all(why)


def end_all(why: str) -> NoReturn:
    """Ends this process, since nobody waits for the execution, with all processes that it has started."""
    _, writable, _ = select.select([], [_STDERR], [], 0)
    # It must not wait for a host that does not read. A text this short is written at once or not at all.
    if writable:
        with contextlib.suppress(OSError):
            os.write(_STDERR, f"{_ENDS_ITSELF}{why}\n".encode(errors="replace")[: select.PIPE_BUF])
    os.killpg(0, signal.SIGKILL)
    os._exit(1)
