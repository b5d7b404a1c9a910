"""Imports a module of a project, and tells in words that help why that cannot be done."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from ..errors import Refusal, is_own, last_line_of, place_of


def import_source(folder: Path, source: Path) -> ModuleType:
    """Imports a module as the project's own code would.

    Raises:
        Refusal: With file, line and the last line of the traceback.
    """
    package = source.parent
    is_packaged = package not in (folder, folder / "src")
    name = f"{package.name}.{source.stem}" if is_packaged else source.stem
    # Some projects import what stands beside a module as if they were in that folder.
    if str(package) not in sys.path:
        sys.path.append(str(package))
    try:
        with _no_kickoff():
            return importlib.import_module(name)
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
        raise Refusal(
            f"The project cannot be imported: {place_of(error, folder)}: it called sys.exit({error.code!r})."
        ) from error


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


@contextmanager
def _no_kickoff() -> Iterator[None]:
    """Crews and flows of which work is started meanwhile only refuse."""
    from crewai import Crew
    from crewai.flow.flow import Flow

    def refuse(*_: object, **__: object) -> NoReturn:
        raise _Kickoff

    kept = [(one, name, getattr(one, name)) for one in (Crew, Flow) for name in ("kickoff", "kickoff_async")]
    for one, name, _ in kept:
        setattr(one, name, refuse)
    try:
        yield
    finally:
        for one, name, method in kept:
            setattr(one, name, method)
