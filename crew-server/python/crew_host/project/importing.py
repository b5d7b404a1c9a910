"""Imports a module of a project, and explains in useful words why that fails."""

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
from .survey import imports_relatively


def import_source(folder: Path, source: Path) -> ModuleType:
    """Imports a module as the project's own code would.

    Raises:
        Refusal: With file, line and the last line of the traceback.
    """
    root = _root_of(folder, source)
    # Some projects import a module's neighbors as if they were started in that folder.
    if str(source.parent) not in sys.path:
        sys.path.append(str(source.parent))
    _make_room(root)
    return import_module(folder, _name_of(folder, source))


def _root_of(folder: Path, source: Path) -> Path:
    return folder / "src" if source.is_relative_to(folder / "src") else folder


def _name_of(folder: Path, source: Path) -> str:
    """The name of a module, from the folder that the project imports from."""
    return ".".join(source.relative_to(_root_of(folder, source)).with_suffix("").parts)


def import_module(folder: Path, name: str) -> ModuleType:
    """Imports a module by its name.

    Raises:
        Refusal: With file, line and the last line of the traceback.
    """
    with _explained(folder), _no_kickoff() as started:
        try:
            return importlib.import_module(name)
        except BaseException:
            module = _module_of(started[0], name) if started else None
            if module is None:
                raise
            return module


def _module_of(kickoff: Kickoff, name: str) -> ModuleType | None:
    """A module as it was when its import started a crew; nothing if another module started it."""
    inside = [frame for frame, _ in traceback.walk_tb(kickoff.__traceback__) if frame.f_code.co_name == "<module>"]
    if not inside or inside[-1].f_globals.get("__name__") != name:
        return None
    module = ModuleType(name)
    vars(module).update(inside[-1].f_globals)
    setattr(module, STARTED, kickoff)
    # Python forgets a module whose import has not finished.
    sys.modules[name] = module
    return module


def run_script(folder: Path, source: Path) -> Kickoff:
    """Runs a program until it starts a crew or a flow.

    Raises:
        Refusal: It does not get that far.
    """
    if str(source.parent) not in sys.path:
        sys.path.append(str(source.parent))
    sys.argv[0] = str(source)

    def run() -> None:
        if imports_relatively(source):
            # As `python -m` does.
            runpy.run_module(_name_of(folder, source), run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(str(source), run_name="__main__")

    with _explained(folder):
        kickoff = kickoff_of(run)
    if isinstance(kickoff, Kickoff):
        return kickoff
    raise Refusal(f"{source} has ended without starting a crew. {NAME_IT}")


def kickoff_of(work: Callable[[], Any]) -> Any:
    """What a function of the project returns, or the crew or flow that it starts."""
    with _no_kickoff() as started:
        try:
            made = work()
        except BaseException:
            # The project may have caught it with all else, and ended then.
            if not started:
                raise
    return started[0] if started else made


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
    """Turns an error into a refusal, with its place and what to do."""
    try:
        yield
    except Kickoff as error:
        raise Refusal(
            f"The project cannot be imported: {place_of(error, folder)}: it starts its work as soon as it is imported. "
            'Put that under `if __name__ == "__main__":`.'
        ) from None
    except (Exception, SystemExit) as error:
        raise Refusal(f"The project cannot be imported: {advice_for(error, folder)}") from error


# The name under which a module keeps what it has started.
STARTED = "__crew_server_started__"


class Kickoff(BaseException):
    """A crew or a flow that was started. Not an `Exception`, so that a project does not catch it."""

    def __init__(self, started: Any, inputs: dict[str, Any]) -> None:
        super().__init__()
        self.started = started
        self.inputs = inputs


@contextmanager
def _no_kickoff() -> Iterator[list[Kickoff]]:
    """Makes each kickoff of a crew or a flow raise `Kickoff` instead of doing any work. Gives the raised ones."""
    from crewai import Crew
    from crewai.flow.flow import Flow

    is_over = False
    started: list[Kickoff] = []

    def gate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def pass_if_over(*given: Any, **named: Any) -> Any:
            if not is_over:
                inputs = named.get("inputs") or (given[1] if len(given) > 1 else None)
                started.append(Kickoff(given[0], dict(inputs or {})))
                raise started[-1]
            return method(*given, **named)

        return pass_if_over

    gates = {}
    for one in (Crew, Flow):
        for name in ("kickoff", "kickoff_async", "akickoff"):
            gates[one, name] = method, closed = getattr(one, name), gate(getattr(one, name))
            setattr(one, name, closed)
    try:
        yield started
    finally:
        is_over = True
        for (one, name), (method, closed) in gates.items():
            # If a tracer has wrapped it meanwhile, that stays.
            if getattr(one, name) is closed:
                setattr(one, name, method)
