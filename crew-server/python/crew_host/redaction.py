"""Keeps secrets out of everything that leaves a process."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)

# As a provider writes a key that it does not want to show: API key sk-proj-****abcd, sk-...abcd. Without either sign,
# asterisks are bold text, or a part of the answer.
_MASKED = re.compile(
    r"""((?:key|token|secret|password)\w*\b[^\n*]{0,40}?)(?<![\w-])(?:
        [\w-]{0,24}\*{4,}[\w-]{1,12}
      | [\w-]{2,24}\*{4,}
    )
    | (?<![\w-])(?:sk|pk|rk|gsk|xai)-[\w-]*(?:\*{4,}[\w-]* | (?:\.{3}|…)[\w-]+)
    """,
    re.VERBOSE | re.IGNORECASE,
)

# A real key of a known shape, whoever it belongs to.
_KEY = re.compile(r"(?<![\w-])(?:sk|pk|rk|gsk|xai)-[\w-]{16,}")

REPLACEMENT = "[secret]"

# Shorter values, such as NA or false, are parts of too many words to be secrets.
_SHORTEST = 6


class Secrets:
    """The values of variables whose names say that they are secret."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        values = {
            part
            for name, value in environment.items()
            if _NAMES.search(name)
            # What is printed is told line by line.
            for part in (value, value.strip(), *value.splitlines())
            if len(part) >= _SHORTEST and not (part.isdigit() and len(part) < 8)
        }
        # A longer one may hold a shorter one.
        self._values = sorted(values, key=len, reverse=True)

    @property
    def longest(self) -> int:
        return len(self._values[0]) if self._values else 0

    def hide(self, text: str) -> str:
        """The text without secrets, and without what looks like a key, masked or not."""
        for value in self._values:
            text = text.replace(value, REPLACEMENT)
        return _MASKED.sub(lambda found: (found[1] or "") + REPLACEMENT, _KEY.sub(REPLACEMENT, text))

    def hide_in(self, value: Any) -> Any:
        """The same for all texts in lists and objects, names included."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, dict):
            return {self.hide_in(name): self.hide_in(one) for name, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.hide_in(one) for one in value]
        return value
