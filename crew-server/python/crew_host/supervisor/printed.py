"""What a project prints, as the server's operator sees it."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator

from ..redaction import Secrets

# Colors, and the boxes that CrewAI draws.
_DECORATION = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\u2500-\u257f]+")
_LONGEST_LINE = 2_000
# In bytes, of a line that has not ended yet; the rest of it is never shown.
_KEPT_OF_LINE = 65_536
# In bytes, of what is printed during the import.
_KEPT_OF_IMPORT = 1_048_576

Tell = Callable[[list[str]], None]


def lines_of(text: str, secrets: Secrets) -> list[str]:
    """The lines that are not empty, as a terminal would show them, without colors, boxes and secrets."""
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in secrets.hide(text).split("\n"))
    plain = (_DECORATION.sub("", line).strip()[:_LONGEST_LINE] for line in lines)
    return [line for line in plain if line]


class LineTeller:
    """Reports text that comes in pieces, line by line."""

    def __init__(self, secrets: Secrets, tell: Tell) -> None:
        self._secrets = secrets
        self._tell = tell
        self._begun = b""

    def take(self, data: bytes) -> None:
        whole, _, begun = (self._begun + data).rpartition(b"\n")
        self._begun = begun[:_KEPT_OF_LINE]
        self._say(whole)

    def end(self) -> None:
        """Reports a last line that has not ended."""
        self._say(self._begun)
        self._begun = b""

    def _say(self, text: bytes) -> None:
        lines = lines_of(text.decode(errors="replace"), self._secrets)
        if lines:
            self._tell(lines)


@contextlib.contextmanager
def told_afterwards(tell: Tell) -> Iterator[None]:
    """Reports what is printed meanwhile, but only afterwards: a thread that reads it at once would rule out forks."""
    with tempfile.TemporaryFile() as file:
        before = [os.dup(stream) for stream in (1, 2)]
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
        try:
            yield
        finally:
            # The project may have put streams in their place that still hold some of it: each fork would print that.
            for printing in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    printing.flush()
            for stream, former in zip((1, 2), before, strict=True):
                os.dup2(former, stream)
                os.close(former)
            text = os.pread(file.fileno(), _KEPT_OF_IMPORT, 0).decode(errors="replace")
            lines = lines_of(text, Secrets(os.environ))
            if lines:
                tell(lines)
