"""One end of a connection."""

from __future__ import annotations

import dataclasses
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

from .messages import name_of
from .reports import ChildReport, HostReport


def _json_of(fields: dict[str, Any]) -> str:
    try:
        return json.dumps(fields, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:
        # Python writes NaN and Infinity, which JSON does not know.
        known = json.loads(json.dumps(fields, default=str), parse_constant=lambda _: None)
        return json.dumps(known, ensure_ascii=False)


class Channel:
    """One end of a connection, with one message per line. Many threads may send; one receives."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._sending = threading.Lock()
        # The pieces of a line that has not ended yet.
        self._begun: list[bytes] = []

    def send(self, message: HostReport | ChildReport) -> None:
        fields = {"type": name_of(type(message)), **dataclasses.asdict(message)}
        # A lone surrogate, which JSON can carry and UTF-8 cannot, becomes a question mark.
        line = _json_of(fields).encode(errors="replace")
        with self._sending:
            self.connection.sendall(line + b"\n")

    def receive(self) -> list[bytes] | None:
        """The lines since the last call, possibly none; ``None`` once the other side has closed."""
        data = self.connection.recv(65_536)
        if not data:
            return None
        first, *others = data.split(b"\n")
        self._begun.append(first)
        if not others:
            return []
        lines = [b"".join(self._begun), *others[:-1]]
        self._begun = others[-1:]
        return lines

    def lines(self) -> Iterator[bytes]:
        """Yields each line, until the other side closes."""
        while (lines := self.receive()) is not None:
            yield from lines
