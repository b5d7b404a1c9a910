"""How long a process may work without hearing from its server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Lease:
    """The time for which the server has an execution. After that, another server may work on it.

    Args:
        on_end: Called once it is over.
    """

    def __init__(self, on_end: Callable[[], object]) -> None:
        self._on_end = on_end
        self._until = 0.0
        self._watch: threading.Thread | None = None

    def extend(self, seconds: float) -> None:
        """Makes it end this many seconds from now."""
        self._until = time.monotonic() + seconds
        if self._watch is None:
            self._watch = threading.Thread(target=self._wait, name="lease", daemon=True)
            self._watch.start()

    def _wait(self) -> None:
        while (left := self._until - time.monotonic()) > 0:
            time.sleep(left)
        self._on_end()
