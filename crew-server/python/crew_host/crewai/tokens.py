"""Counts the tokens that models take."""

from __future__ import annotations

from threading import Lock
from typing import Any

from .. import seams

# What an execution counts of a call.
_COUNTS = ("total_tokens", "prompt_tokens", "completion_tokens")


class TokenCounts:
    """What each model's own counter has gained. A call's event lacks it, e.g. if the model calls a function."""

    def __init__(self) -> None:
        self._lock = Lock()
        # By the identity of counters, which copies of a model share: each beside what was seen of it last.
        self._seen: dict[int, tuple[Any, tuple[int, ...]]] = {}

    def news(self, model: object) -> tuple[int, ...] | None:
        """What was counted since the last time: in total, of prompts, of completions; nothing the first time."""
        counter = seams.TOKEN_USAGE.of_any(model)
        if not isinstance(counter, dict):
            return None
        with self._lock:
            now = tuple(counter[name] for name in _COUNTS)
            _, before = self._seen.get(id(counter), (None, now))
            self._seen[id(counter)] = (counter, now)
        gained = tuple(one - other for one, other in zip(now, before, strict=True))
        return gained if any(gained) else None
