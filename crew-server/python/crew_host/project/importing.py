"""Imports a module of a project, and tells in words that help why that cannot be done."""

from __future__ import annotations

import functools
import importlib
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import Refusal, place_of
from .advice import advice_for
from .find import NAME_IT


def import_source(folder: Path, source: Path) -> ModuleType:
    """Imports a module as the project's own code would.

    Raises:
        Refusal: With file, line and the last line of the traceback.
    """
    root = folder / "src" if source.is_relative_to(folder / "src") else folder
    parts = source.relative_to(root).with_suffix("").parts
    # Some projects import what stands beside a module as if they were in that folder.
    if str(source.parent) not in sys.path:
        sys.path.append(str(source.parent))
    _make_room(root)
    return import_module(folder, ".".join(parts))


def import_module(folder: Path, name: str) -> ModuleType:
    """Imports a module by its name.

    Raises:
        Refusal: Likewise.
    """
    with _explained(folder):
        try:
            with _no_kickoff():
                return importlib.import_module(name)
        except Kickoff as kickoff:
            module = _module_of(kickoff, name)
            if module is None:
                raise
            return module


def _module_of(kickoff: Kickoff, name: str) -> ModuleType | None:
    """A module that has started a crew when it was imported, up to there; nothing if another one did."""
    inside = [frame for frame, _ in traceback.walk_tb(kickoff.__traceback__) if frame.f_code.co_name == "<module>"]
    if not inside or inside[-1].f_globals.get("__name__") != name:
        return None
    module = ModuleType(name)
    vars(module).update(inside[-1].f_globals)
    setattr(module, STARTED, kickoff)
    # Python forgets a module whose import has not come to its end.
    sys.modules[name] = module
    return module


def run_script(folder: Path, source: Path) -> Kickoff:
    """Runs a program up to where it starts a crew or a flow.

    Raises:
        Refusal: It does not come so far.
    """
    if str(source.parent) not in sys.path:
        sys.path.append(str(source.parent))
    sys.argv[0] = str(source)
    with _explained(folder):
        kickoff = kickoff_of(lambda: runpy.run_path(str(source), run_name="__main__"))
    if isinstance(kickoff, Kickoff):
        return kickoff
    raise Refusal(f"{source} has come to its end without starting a crew. {NAME_IT}")


def kickoff_of(work: Callable[[], Any]) -> Any:
    """What a piece of the project's work returns, or the crew or flow that it starts."""
    try:
        with _no_kickoff():
            return work()
    except Kickoff as kickoff:
        return kickoff


def _make_room(root: Path) -> None:
    """Lets packages be found that are named like modules of Python, which may be imported already."""
    for package in root.iterdir():
        if package.name in sys.stdlib_module_names and any(package.glob("*.py")):
            module = importlib.import_module(package.name)
            path = [*getattr(module, "__path__", ())]
            if str(package) not in path:
                module.__path__ = [*path, str(package)]


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turns what goes wrong into a refusal, with its place and what to do."""
    try:
        yield
    except Kickoff as error:
        raise Refusal(
            f"The project cannot be imported: {place_of(error, folder)}: it starts its work as soon as it is imported. "
            'Put that under `if __name__ == "__main__":`.'
        ) from None
    except (Exception, SystemExit) as error:
        raise Refusal(f"The project cannot be imported: {advice_for(error, folder)}") from error


# The name under which a module has what it has started.
STARTED = "__crew_server_started__"


class Kickoff(BaseException):
    """A crew or a flow that is started; no exception that a project would catch."""

    def __init__(self, started: Any, inputs: dict[str, Any]) -> None:
        super().__init__()
        self.started = started
        self.inputs = inputs


@contextmanager
def _no_kickoff() -> Iterator[None]:
    """Makes each kickoff of a crew or a flow raise `Kickoff` instead of doing any work."""
    from crewai import Crew
    from crewai.flow.flow import Flow

    is_over = False

    def gate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def pass_if_over(*given: Any, **named: Any) -> Any:
            if not is_over:
                inputs = named.get("inputs") or (given[1] if len(given) > 1 else None)
                raise Kickoff(given[0], dict(inputs or {}))
            return method(*given, **named)

        return pass_if_over

    gates = {}
    for one in (Crew, Flow):
        for name in ("kickoff", "kickoff_async"):
            gates[one, name] = method, closed = getattr(one, name), gate(getattr(one, name))
            setattr(one, name, closed)
    try:
        yield
    finally:
        is_over = True
        for (one, name), (method, closed) in gates.items():
            # What traces has wrapped it meanwhile, and stays.
            if getattr(one, name) is closed:
                setattr(one, name, method)
