"""Placeholders for values that come only with a kickoff: an input's name in braces, as in CrewAI's own texts."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from ..errors import NO_LINE, is_own

# CrewAI's own pattern for what it fills in.
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_\-]*)}")
# In characters, of a name that is made from a question.
_LONGEST = 40


def named_in(text: str) -> list[str]:
    """The names in braces in a text, in order."""
    return _PLACEHOLDER.findall(text)


def own_values(values: Mapping[str, Any], asked: Collection[str]) -> dict[str, Any]:
    """The values that a project itself starts its crew with, without those that it only passes on."""
    passed_on = {f"{{{name}}}" for name in asked}
    return {name: value for name, value in values.items() if not isinstance(value, str) or value not in passed_on}


def fill_in(values: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a project gives its crew, with the inputs filled in."""

    def fill(text: str) -> str:
        return _PLACEHOLDER.sub(lambda found: str(inputs.get(found[1], found[0])), text)

    return {name: fill(value) if isinstance(value, str) else value for name, value in values.items()}


def arguments_for(function: Callable[..., Any]) -> dict[str, str] | None:
    """A placeholder for each argument that a function or class needs; ``None`` if one of them is not a text."""
    is_class = inspect.isclass(function)
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    # The signature of a @CrewBase class itself only says that it accepts anything.
    given = [*inspect.signature(function.__init__ if is_class else function).parameters.values()][is_class:]
    needed = [one for one in given if one.default is one.empty and one.kind not in optional]
    if any(one.annotation not in (one.empty, str, "str", Any) or one.kind is one.POSITIONAL_ONLY for one in needed):
        return None
    return {one.name: f"{{{one.name}}}" for one in needed}


class Questions:
    """What a project asks for at a terminal while it creates its crew."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Each with file and line.
        self.places: dict[str, str] = {}
        self._answered: set[str] = set()

    @contextmanager
    def answered(self) -> Iterator[None]:
        """Answers `input()` with a placeholder for an input, named after the variable that gets the answer."""
        self._answered.clear()
        ask, builtins.input = builtins.input, self._answer
        try:
            yield
        finally:
            builtins.input = ask

    def _answer(self, prompt: object = "", /) -> str:
        frame = self._asking()
        name = _variable_at(frame) or re.sub(r"\W+", "_", str(prompt).lower()).strip("_")[:_LONGEST].strip("_")
        # A loop that does not accept the answer would ask forever.
        if frame is None or not name.isidentifier() or name in self._answered:
            raise EOFError(NO_LINE)
        self._answered.add(name)
        self.places[name] = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
        return f"{{{name}}}"

    def _asking(self) -> FrameType | None:
        """The innermost line of the project that is running."""
        frame = inspect.currentframe()
        while frame is not None and not is_own(Path(frame.f_code.co_filename), self._folder):
            frame = frame.f_back
        return frame


def _variable_at(frame: FrameType | None) -> str | None:
    """The variable that the statement in this line sets."""
    if frame is None:
        return None
    try:
        tree = ast.parse(Path(frame.f_code.co_filename).read_bytes())
    except (SyntaxError, ValueError, OSError):
        return None
    found = [
        one
        for one in ast.walk(tree)
        if isinstance(one, (ast.Assign, ast.AnnAssign)) and one.lineno <= frame.f_lineno <= (one.end_lineno or 0)
    ]
    if not found:
        return None
    statement = found[-1]
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    return str(name).lower() or None
