"""What is wrong with a project that cannot be imported or built, in which line, and the one thing to do about it."""

from __future__ import annotations

import importlib.metadata
import re
import sys
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from ..errors import is_own, last_line_of, place_of
from .find import NAME_IT
from .variables import unset_variables

# Packages whose names on PyPI nobody would guess, since the module's own name belongs to another package.
_PACKAGES = {
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "decouple": "python-decouple",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "pymupdf",
    "git": "gitpython",
    "googleapiclient": "google-api-python-client",
    "jwt": "pyjwt",
    "PIL": "pillow",
    "pptx": "python-pptx",
    "psycopg2": "psycopg2-binary",
    "serpapi": "google-search-results",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}

# Types of values that can be shown; a text may be a secret.
_SHOWN = (bool, int, float, type(None))


def advice_for(error: BaseException, folder: Path) -> str:
    """The place and the reason of an error in the project's own code, and what to do."""
    place, own_file = place_of(error, folder), _own_file(error, folder)
    if isinstance(error, SystemExit):
        said = _said_by_argparse(error)
        return (
            f"{place}: it reads its command line, which is empty here: {said}."
            if said
            else f"{place}: it called sys.exit({error.code!r})."
        )
    question = _asked_by_click(error)
    if question is not None:
        return f'{place}: it asks at a terminal, and nobody answers here: "{question}"'
    what = _what_does_not_fit(error)
    if what is not None:
        # CrewAI's own line would not help.
        return what if own_file is None else f"{place}: {what} Change it there.{_unset_in(own_file, folder)}"
    return f"{place}: {last_line_of(error)}{_thing_to_do(error, folder)}"


def _thing_to_do(error: BaseException, folder: Path) -> str:
    if isinstance(error, ImportError):
        library = (error.name or "").partition(".")[0]
        version = _version_of(library)
        if version is not None and not (error.path is not None and is_own(Path(error.path), folder)):
            return (
                f"\nIt was written for another version of {library} than {version}, which is installed: "
                "change the project's code, or install that version."
            )
        if library == folder.name:
            return f"\nThat is this folder: give the one above it, {folder.parent}. {NAME_IT}"
        if isinstance(error, ModuleNotFoundError):
            return f"\nInstall what it needs: type {_command_for(_PACKAGES.get(library, library), folder)}."
    if isinstance(error, FileNotFoundError):
        return _other_folder(error, folder)
    if isinstance(error, KeyError) and _frames(error)[-1].f_globals.get("__name__") == "os":
        return f"\nThat variable is not set: set {error.args[0]} in the environment or in {folder / '.env'}."
    return _unset_in(_own_file(error, folder), folder)


def _own_file(error: BaseException, folder: Path) -> Path | None:
    """The project's file that raised an error."""
    file = Path(place_of(error, folder).rpartition(":")[0])
    return file if is_own(file, folder) else None


def _unset_in(file: Path | None, folder: Path) -> str:
    """The unset variables that a file reads, since they may be the cause of the error."""
    unset = unset_variables(folder, [file] if file else [])
    if not unset:
        return ""
    return f"\nIt reads variables that are not set: set {', '.join(unset)} in the environment or in {folder / '.env'}."


def _version_of(library: str) -> str | None:
    try:
        return importlib.metadata.version(library)
    except (ValueError, importlib.metadata.PackageNotFoundError):
        return None


def _command_for(package: str, folder: Path) -> str:
    """The command that installs a package, depending on whether and how the project names it."""
    listed = re.compile(rf"^[\s\"']*{re.sub('[-_.]', '[-_.]', package)}(?![\w.-])", re.IGNORECASE | re.MULTILINE)
    lists = [folder / name for name in ("pyproject.toml", "requirements.txt")]
    present = [one for one in lists if one.is_file()]
    naming = next((one for one in present if listed.search(one.read_text("utf-8", "replace"))), None)
    if naming is not None and naming.name == "requirements.txt":
        return f"`uv pip install --python {sys.executable} -r {naming}`"
    if naming is not None:
        return f"`uv sync` or `crewai install` in {folder}"
    if lists[0] in present:
        return f"`uv add {package}` in {folder}"
    return f"`uv pip install --python {sys.executable} {package}`"


def _other_folder(error: FileNotFoundError, folder: Path) -> str:
    """Advice if a missing file is in another folder, from which the project's author may have started it."""
    name = str(error.filename or "")
    inner = Path(place_of(error, folder).rpartition(":")[0]).parent
    while name and not Path(name).is_absolute() and inner.is_relative_to(folder) and inner != folder:
        if (inner / name).exists():
            return f"\nThat is in {inner}: give that folder instead of {folder}."
        inner = inner.parent
    return ""


def _what_does_not_fit(error: BaseException) -> str | None:
    """What CrewAI does not accept, if the error is its validation of a value."""
    found = getattr(error, "errors", None)
    if type(error).__name__ != "ValidationError" or not callable(found) or not _is_of_crewai(error):
        return None
    first: dict[str, Any] = found()[0]
    title, version = getattr(error, "title", "model"), _version_of("crewai")
    why = first["msg"].rstrip(".")
    if not first["loc"]:
        return f"{title} does not fit CrewAI {version}: {why}."
    field, value = first["loc"][0], first.get("input")
    shown = f"{field}={value!r}" if isinstance(value, _SHOWN) else f"{field} of the type {type(value).__name__}"
    return f"{title} does not take {shown} in CrewAI {version}: {why}."


def _is_of_crewai(error: BaseException) -> bool:
    """Whether the class that validates its values is CrewAI's, or derived from one of CrewAI's."""
    kinds = type(_frames(error)[-1].f_locals.get("self")).__mro__
    return any(one.__module__.partition(".")[0] == "crewai" for one in kinds)


def _frames(error: BaseException) -> list[FrameType]:
    """The frames in which an error was raised, the innermost last."""
    return [frame for frame, _ in traceback.walk_tb(error.__traceback__)]


def _asked_by_click(error: BaseException) -> str | None:
    """What `click` wanted to know when it got no answer: tools of CrewAI's ask whether to install what is missing."""
    if type(error).__name__ != "Abort":
        return None
    asking = [one for one in _frames(error) if one.f_globals.get("__name__") == "click.termui"]
    return str(asking[0].f_locals.get("text")) if asking else None


def _said_by_argparse(error: SystemExit) -> str | None:
    """What `argparse` said before it ended the program."""
    inside = [
        one for one in _frames(error) if one.f_code.co_name == "error" and one.f_globals.get("__name__") == "argparse"
    ]
    return str(inside[-1].f_locals.get("message")) if inside else None
