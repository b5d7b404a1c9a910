"""Imports a module of a project, and tells in words that help why that cannot be done."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import Refusal, is_own, last_line_of, place_of
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
    if len(parts) > 1:
        _make_room(root, parts[0])
    return import_module(folder, ".".join(parts))


def import_module(folder: Path, name: str) -> ModuleType:
    """Imports a module by its name.

    Raises:
        Refusal: Likewise.
    """
    with _explained(folder), _no_kickoff():
        return importlib.import_module(name)


def run_script(folder: Path, source: Path) -> tuple[Any, dict[str, Any]]:
    """Runs a program up to where it starts a crew or a flow; gives that, and with which inputs.

    Raises:
        Refusal: It does not come so far.
    """
    if str(source.parent) not in sys.path:
        sys.path.append(str(source.parent))
    sys.argv[0] = str(source)
    with _explained(folder):
        try:
            with _no_kickoff():
                runpy.run_path(str(source), run_name="__main__")
        except _Kickoff as kickoff:
            return kickoff.started, kickoff.inputs
    raise Refusal(f"{source} has come to its end without starting a crew. {NAME_IT}")


def _make_room(root: Path, package: str) -> None:
    """Lets a package be found that is named like one of Python's, which is imported already."""
    if package in sys.stdlib_module_names:
        module = importlib.import_module(package)
        path = [*getattr(module, "__path__", ())]
        if str(root / package) not in path:
            module.__path__ = [*path, str(root / package)]


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Tells what goes wrong with its place, and with what to do."""
    try:
        yield
    except _Kickoff as error:
        raise Refusal(
            f"The project cannot be imported: {place_of(error, folder)}: it starts its work as soon as it is imported. "
            'Put that under `if __name__ == "__main__":`.'
        ) from None
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        raise Refusal(
            f"The project cannot be imported: {place_of(error, folder)}: {last_line_of(error)}\n"
            f"Install what it needs: type `uv sync` or `crewai install` in {folder}, "
            f"or `uv add {missing}` if its pyproject.toml does not name {missing}."
        ) from error
    except ImportError as error:
        why = f"{place_of(error, folder)}: {last_line_of(error)}"
        raise Refusal(f"The project cannot be imported: {why}{_version_note(error, folder)}") from error
    except Exception as error:
        raise Refusal(f"The project cannot be imported: {place_of(error, folder)}: {last_line_of(error)}") from error
    except SystemExit as error:
        said = _said_by_argparse(error)
        why = (
            f"it reads its command line, which is empty here: {said}" if said else f"it called sys.exit({error.code!r})"
        )
        raise Refusal(f"The project cannot be imported: {place_of(error, folder)}: {why}.") from error


def _said_by_argparse(error: SystemExit) -> str | None:
    """What `argparse` had to say before it ended the program."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    inside = [one for one in frames if one.f_code.co_name == "error" and one.f_globals.get("__name__") == "argparse"]
    return str(inside[-1].f_locals.get("message")) if inside else None


def _version_note(error: ImportError, folder: Path) -> str:
    """What to do about a library that has not, or no longer, what is imported from it."""
    library = (error.name or "").partition(".")[0]
    if error.path is not None and is_own(Path(error.path), folder):
        return ""
    try:
        installed = importlib.metadata.version(library)
    except (ValueError, importlib.metadata.PackageNotFoundError):
        return ""
    return (
        f"\nIt was written for another version of {library} than {installed}, which is installed: "
        "change the project's code, or install that version."
    )


class _Kickoff(BaseException):
    """Work that is started by an import; no exception that a project would catch."""

    def __init__(self, started: Any, inputs: dict[str, Any]) -> None:
        super().__init__()
        self.started = started
        self.inputs = inputs


@contextmanager
def _no_kickoff() -> Iterator[None]:
    """Crews and flows of which work is started meanwhile only refuse."""
    from crewai import Crew
    from crewai.flow.flow import Flow

    is_over = False

    def gate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def pass_if_over(*given: Any, **named: Any) -> Any:
            if not is_over:
                inputs = named.get("inputs") or (given[1] if len(given) > 1 else None)
                raise _Kickoff(given[0], dict(inputs or {}))
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
