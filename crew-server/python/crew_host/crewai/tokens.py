"""Counts the tokens that models use."""

from __future__ import annotations

from threading import Lock
from typing import Any

from .. import seams

# The counts of a call that an execution adds up.
_COUNTS = ("total_tokens", "prompt_tokens", "completion_tokens")


class TokenCounts:
    """How much each model's own counter has grown. Some events of calls lack it, e.g. if the model calls a function."""

    def __init__(self) -> None:
        self._lock = Lock()
        # By identity of the counter, which copies of a model share: the counter, and its last known values.
        self._seen: dict[int, tuple[Any, tuple[int, ...]]] = {}

    def news(self, model: object) -> tuple[int, ...] | None:
        """The tokens since the last call: total, prompt, completion; ``None`` if there are none, or the first time."""
        counter = seams.TOKEN_USAGE.of_any(model)
        if not isinstance(counter, dict):
            return None
        with self._lock:
            now = tuple(counter[name] for name in _COUNTS)
            _, before = self._seen.get(id(counter), (None, now))
            self._seen[id(counter)] = (counter, now)
        gained = tuple(one - other for one, other in zip(now, before, strict=True))
        return gained if any(gained) else None
