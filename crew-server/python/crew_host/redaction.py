"""Keeps secrets out of errors, logs and events. Results are never changed."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .secret_forms import FORMS, MASK_BEFORE, MASKED_KEY, NAMED, NAMED_WORDS, NAMES, USER_IN_URL

REPLACEMENT = "[secret]"

# Anything shorter is part of too many words. A passphrase made of words is longer than a name.
_SHORTEST = 8
_SHORTEST_OF_WORDS = 20
_SHORTEST_OF_DIGITS = 12


class Secrets:
    """The values of variables whose names say that they are secret, and everything that looks like a key."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._values: list[str] = []
        self.learn_variables(environment)

    @property
    def longest(self) -> int:
        return len(self._values[0]) if self._values else 0

    def learn_variables(self, environment: Mapping[str, str]) -> None:
        """Also hides the values of secret variables."""
        self.learn(part for name, value in environment.items() for part in _parts_of(name, value))

    def learn(self, values: Iterable[str]) -> None:
        """Also hides these values, if they are surely secret."""
        # Printed text is reported line by line.
        parts = {part for one in values if is_surely_secret(one) for part in (one, one.strip(), *one.splitlines())}
        known = {*self._values, *(one for one in parts if len(one) >= _SHORTEST)}
        # A longer value may contain a shorter one.
        self._values = sorted(known, key=len, reverse=True)

    def hide(self, text: str) -> str:
        """The text without secrets, and without what looks like a key, masked or not."""
        text = self.hide_values(text)
        for start, form in FORMS:
            if start in text:
                text = form.sub(_hide_if_random, text)
        if "://" in text:
            text = USER_IN_URL.sub(_hide_user, text)
        folded = text.casefold()
        if any(word in folded for word in NAMED_WORDS):
            text = NAMED.sub(_hide_named, text)
        return _hide_masked(text)

    def hide_values(self, text: str) -> str:
        """The text without the known values."""
        for value in self._values:
            text = text.replace(value, REPLACEMENT)
        return text

    def hide_in(self, value: Any) -> Any:
        """The same for all texts in lists and objects, names included."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, dict):
            return {self.hide_in(name): self._hide_field(name, one) for name, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.hide_in(one) for one in value]
        return value

    def _hide_field(self, name: object, value: Any) -> Any:
        is_hidden = isinstance(value, str) and NAMES.search(str(name)) is not None and is_surely_secret(value)
        return REPLACEMENT if is_hidden else self.hide_in(value)


def hide_printed(secrets: Secrets) -> None:
    """Also hides what it learns in what this process prints: the host, which reads that, knows only the variables."""
    for stream in (sys.stdout, sys.stderr):
        stream.write = _hiding(stream.write, secrets)  # type: ignore[method-assign]


def _hiding(write: Callable[[str], int], secrets: Secrets) -> Callable[[str], int]:
    def write_hidden(text: str) -> int:
        write(secrets.hide_values(text))
        return len(text)

    return write_hidden


def is_surely_secret(value: str) -> bool:
    """Whether a supposed secret is more than a word, a name, a number or a path.

    `ollama`, `production` and `128000` are values of variables with such names, and parts of many texts.
    """
    kinds = sum(any(map(kind, value)) for kind in (str.islower, str.isupper, str.isdigit, _is_sign))
    if kinds < 2:
        return len(value) >= (_SHORTEST_OF_DIGITS if value.isdigit() else _SHORTEST_OF_WORDS) and not _is_path(value)
    return len(value) >= _SHORTEST and not _is_path(value)


def _is_sign(character: str) -> bool:
    """Whether it is not one of the signs that names, paths and versions have between their parts."""
    return not character.isalnum() and character not in "-_./: "


def _is_path(value: str) -> bool:
    return value.startswith(("/", "~", "./", "../")) and os.path.exists(os.path.expanduser(value))


def _parts_of(name: str, value: str) -> Iterator[str]:
    """The parts of a variable's value that may be secret."""
    for user, password in re.findall(r"://([^\s/@:]*):([^\s/@]+)@", value):
        yield from (password, user)
    if NAMES.search(name) is None or "://" in value:
        return
    yield value
    if value.lstrip().startswith(("{", "[")):
        try:
            yield from _texts_in(json.loads(value))
        except ValueError:
            return


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(one)


def _hide_if_random(found: re.Match[str]) -> str:
    """Hides a key, but not a text that only starts like one: `sk-learn-for-beginners` is a page."""
    body = found[1] if found.re.groups else None
    return found[0] if body is not None and not _is_random(body) else REPLACEMENT


def _is_random(body: str) -> bool:
    """Whether what follows the start of a key is not words: it is too long, or mixes digits and letters."""
    parts = re.split("[-_]", body)
    mixed = sum(len(part) for part in parts if part.isalnum() and not part.isalpha() and not part.isdigit())
    return mixed >= 16 or any(len(part) >= 24 for part in parts)


def _hide_user(found: re.Match[str]) -> str:
    user = found[1]
    return f"{REPLACEMENT}@" if ":" in user or is_surely_secret(user) else found[0]


def _hide_named(found: re.Match[str]) -> str:
    return found[1] + REPLACEMENT if is_surely_secret(found[2]) else found[0]


def _hide_masked(text: str) -> str:
    """Hides keys that a provider has partly masked: sk-proj-****abcd, or API key provided: wrong***ef."""
    text = MASKED_KEY.sub(REPLACEMENT, text) if "***" in text or "..." in text or "…" in text else text
    if "****" not in text:
        return text
    pieces: list[str] = []
    told = 0
    # Other asterisks are bold text, or part of the answer.
    for found in re.finditer(r"\*{4,}[\w-]{0,12}", text):
        before = MASK_BEFORE.search(text[max(told, found.start() - 90) : found.start()])
        if before is None or (found[0].endswith("*") and len(before[1]) < 2):
            continue
        pieces += [text[told : found.start() - len(before[1])], REPLACEMENT]
        told = found.end()
    return "".join([*pieces, text[told:]])
