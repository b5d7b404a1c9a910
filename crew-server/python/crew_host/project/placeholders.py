"""Placeholders for values that come only with a kickoff: an input's name in braces, as in CrewAI's own texts."""

from __future__ import annotations

import ast
import builtins
import functools
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
    return {name: value for name, value in values.items() if not isinstance(value, str) or str(value) not in passed_on}


def fill_in(values: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a project gives its crew, with the inputs filled in."""

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return _PLACEHOLDER.sub(lambda found: str(inputs.get(found[1], found[0])), value)
        if isinstance(value, list):
            return [fill(one) for one in value]
        return {name: fill(one) for name, one in value.items()} if isinstance(value, dict) else value

    return {name: fill(value) for name, value in values.items()}


class Argument(str):
    """A placeholder for an argument or an answer, which notes when the project does more than put it into a text."""

    is_read = False
    # A project may ask for what it does not need.
    is_answer = False

    def __int__(self) -> int:
        self.is_read = True
        return 1

    def __float__(self) -> float:
        return float(int(self))

    def strip(self, *characters: Any) -> str:
        self.is_read = self.is_read or any(characters)
        return self

    lstrip = rstrip = strip


def _noting(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def note(argument: Argument, *given: Any, **named: Any) -> Any:
        argument.is_read = True
        return method(argument, *given, **named)

    return note


_COMPARING = {"__contains__", "__eq__", "__ge__", "__gt__", "__hash__", "__le__", "__lt__", "__ne__"}
_PARTING = {"__getitem__", "__iter__", "__len__", *(one for one in dir(str) if not one.startswith("_"))}
for _name in _COMPARING.union(_PARTING) - vars(Argument).keys():
    setattr(Argument, _name, _noting(getattr(str, _name)))


def arguments_for(function: Callable[..., Any]) -> dict[str, Argument] | None:
    """A placeholder for each argument that a function or class needs; ``None`` if one of them is not a text."""
    is_class = inspect.isclass(function)
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    # The signature of a @CrewBase class itself only says that it accepts anything.
    given = [*inspect.signature(function.__init__ if is_class else function).parameters.values()][is_class:]
    needed = [one for one in given if one.default is one.empty and one.kind not in optional]
    if any(one.annotation not in (one.empty, str, "str", Any) or one.kind is one.POSITIONAL_ONLY for one in needed):
        return None
    return {one.name: Argument(f"{{{one.name}}}") for one in needed}


class Questions:
    """What a project asks for at a terminal while it creates its crew."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Each with file and line.
        self.places: dict[str, str] = {}
        self.placeholders: dict[str, Argument] = {}
        self._given: Mapping[str, Any] = {}
        self._answered: set[str] = set()

    @contextmanager
    def answered(self, given: Mapping[str, Any] | None = None) -> Iterator[None]:
        """Answers `input()` with a placeholder for an input, named after the variable that gets the answer.

        Args:
            given: The answers that are known.
        """
        self._answered.clear()
        self._given = given or {}
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
        if name in self._given:
            return str(self._given[name])
        placeholder = self.placeholders.setdefault(name, Argument(f"{{{name}}}"))
        placeholder.is_answer = True
        return placeholder

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
