"""Watches an import: what takes long, and which line of the project does something that a fork cannot share."""

from __future__ import annotations

import atexit
import builtins
import functools
import inspect
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import is_own

# How many seconds an import takes to be reported, and how many are reported.
_LONG = 0.1
_MOST_TOLD = 5

# What an import does, by the names of Python's audit events.
_DOES = {
    "socket.__new__": "opens a connection",
    "sqlite3.connect": "opens a database",
}


@dataclass
class Costs:
    """What an import costs, each with file and line, as texts for people."""

    seconds: float = 0.0
    slow: list[str] = field(default_factory=list)
    # Why the process cannot be forked, if it is still open at the end.
    unshareable: list[str] = field(default_factory=list)
    # What is done at the end of each process. After a fork, the first one to end would do it for all.
    at_exit: list[str] = field(default_factory=list)


@contextmanager
def watched(folder: Path) -> Iterator[Costs]:
    """Watches what this thread imports meanwhile."""
    costs = Costs()
    watch = _Watch(folder)
    begun = time.monotonic()
    with watch.standing():
        try:
            yield costs
        finally:
            costs.seconds = time.monotonic() - begun
            costs.unshareable = [*watch.done][:_MOST_TOLD]
            costs.at_exit = [*watch.at_exit][:_MOST_TOLD]
            costs.slow = watch.slowest()


class _Watch:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = threading.get_ident()
        self._own: dict[str, bool] = {}
        self._is_over = False
        # For each running import, the seconds of the imports inside it.
        self._inside = [0.0]
        self._seconds: dict[tuple[str, str], float] = {}
        # In order, without repetitions.
        self.done: dict[str, None] = {}
        self.at_exit: dict[str, None] = {}

    @contextmanager
    def standing(self) -> Iterator[None]:
        # It stays as long as the process does. When nothing is watched, it only checks one variable.
        sys.addaudithook(self._heed)
        imports, builtins.__import__ = builtins.__import__, self._timed(builtins.__import__)
        # Python has audit events for threads only since 3.12.
        start, told = threading.Thread.start, self._told_of(threading.Thread.start)
        setattr(threading.Thread, "start", told)
        register, noted = atexit.register, self._noted_of(atexit.register)
        setattr(atexit, "register", noted)
        try:
            yield
        finally:
            self._is_over = True
            builtins.__import__ = imports
            # If a tracer has wrapped it meanwhile, that stays.
            if threading.Thread.start is told:
                setattr(threading.Thread, "start", start)
            if atexit.register is noted:
                setattr(atexit, "register", register)

    def slowest(self) -> list[str]:
        ranked = sorted(self._seconds.items(), key=lambda one: -one[1])[:_MOST_TOLD]
        return [f"{place} imports {name}: {seconds:.1f} s" for (place, name), seconds in ranked if seconds >= _LONG]

    def _heed(self, event: str, _arguments: tuple[Any, ...]) -> None:
        if not self._is_over and event in _DOES:
            self._note(_DOES[event])

    def _told_of(self, start: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
        @functools.wraps(start)
        def told(thread: threading.Thread) -> None:
            if not self._is_over:
                self._note("starts a thread")
            start(thread)

        return told

    def _noted_of(self, register: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(register)
        def noted(*given: Any, **named: Any) -> Any:
            frame = inspect.currentframe()
            caller = frame.f_back if frame is not None else None
            # What a library registers, such as a tracer, is meant for forks, too.
            if not self._is_over and caller is not None and self._is_own(caller.f_code.co_filename):
                place = self._told(caller.f_code.co_filename, caller.f_lineno)
                self.at_exit[f"{place} registers what to do at the end"] = None
            return register(*given, **named)

        return noted

    def _note(self, what: str) -> None:
        place = self._place()
        if place is not None:
            self.done[f"{place} {what}"] = None

    def _place(self) -> str | None:
        """The innermost line of the project that is running."""
        frame = inspect.currentframe()
        while frame is not None:
            frame = frame.f_back
            if frame is not None and self._is_own(frame.f_code.co_filename):
                return self._told(frame.f_code.co_filename, frame.f_lineno)
        return None

    def _told(self, file: str, line: int) -> str:
        return f"{os.path.relpath(file, self._folder)}:{line}"

    def _is_own(self, file: str) -> bool:
        if file not in self._own:
            self._own[file] = not file.startswith("<") and is_own(Path(file), self._folder)
        return self._own[file]

    def _timed(self, imports: Any) -> Any:
        """Measures the imports of the project's own lines, each without those inside of it."""

        def timed(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
            file = (globals or {}).get("__file__")
            if not isinstance(file, str) or threading.get_ident() != self._thread or not self._is_own(file):
                return imports(name, globals, locals, fromlist, level)
            here = inspect.currentframe()
            line = here.f_back.f_lineno if here is not None and here.f_back is not None else 0
            begun = time.monotonic()
            self._inside.append(0.0)
            try:
                return imports(name, globals, locals, fromlist, level)
            finally:
                seconds = time.monotonic() - begun
                inside = self._inside.pop()
                self._inside[-1] += seconds
                key = self._told(file, line), "." * level + name
                self._seconds[key] = self._seconds.get(key, 0.0) + seconds - inside

        return timed
