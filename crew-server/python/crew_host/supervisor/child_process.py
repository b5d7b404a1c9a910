"""One child of the host, as a process."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ..redaction import Secrets
from .printed import LineTeller, lines_of
from .processes import descendants_of, send_signal

# How many bytes of a child's output are kept, and how many lines are reported.
_KEPT = 8_192
_TOLD_LINES = 10
_TOLD_CHARACTERS = 500
# How often one child's output is read before the others get their turn.
_READS = 16


@dataclass
class ChildProcess:
    """A child, which leads its own process group."""

    number: int
    pid: int
    # The descriptor to read its output from.
    output: int
    teller: LineTeller
    tail: bytes = b""
    is_cut: bool = False
    # When to kill it, if it was told to end.
    deadline: float | None = None

    def read(self) -> bool:
        """Reports what it has written, and keeps the end of it. Returns whether more may come."""
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
            # A secret without its beginning would not be recognized.
            text = text[secrets.longest :].partition("\n")[2] or text[secrets.longest :]
        return [line[:_TOLD_CHARACTERS] for line in lines_of(text, secrets)][-_TOLD_LINES:]

    def signal_all(self, number: int) -> None:
        """Sends a signal to it and to everything that it has started, even if that has left its group."""
        others = descendants_of(self.pid)
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            # It has not created its group yet, or the whole group is gone.
            send_signal(self.pid, number)
        for pid in others:
            send_signal(pid, number)
