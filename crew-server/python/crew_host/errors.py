"""What people are told if something cannot be done."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

_NO_TERMINAL = (
    "{place} waits for an answer at a terminal, as input() does, and there is none. Take it from the inputs, "
    "or ask a person with human_input of a task or @human_feedback of a flow."
)

# Python's message if there is no terminal.
NO_LINE = "EOF when reading a line"

# The messages of these mean little without the name of the error.
_NEED_NAMES = (LookupError, NameError, ImportError, TypeError, AttributeError, OSError)

# In characters; the end says most.
_TOLD_OF_TRACEBACK = 20_000
_HOST = Path(__file__).parent


class Refusal(Exception):
    """The project cannot be run; the message says why, and what to do."""


def text_of(error: BaseException) -> str:
    """An error in its own words."""
    if isinstance(error, SystemExit):
        return f"The project's code called sys.exit({error.code!r})."
    if _waits_for_terminal(error):
        return _NO_TERMINAL.format(place=place_of(error, _folder()))
    try:
        text = str(error)
    except Exception:
        # The project's own class cannot say it.
        text = ""
    parts = getattr(error, "exceptions", None)
    if isinstance(parts, tuple) and parts:
        # A group, as of asyncio's tasks, only says how many there are.
        return f"{text}: {'; '.join(map(text_of, parts))}"
    if not text or isinstance(error, _NEED_NAMES):
        return f"{type(error).__name__}: {text}".removesuffix(": ")
    return text


def failure_of(error: BaseException) -> tuple[str, str | None, str | None]:
    """An error's own words, for clients; those with its type and place, for its author; its traceback."""
    text = text_of(error)
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or Path(frames[-1].filename).is_relative_to(_HOST):
        return text, None, None
    folder = _folder()
    path, _, line = place_of(error, folder).rpartition(":")
    file = Path(path)
    short = file.relative_to(folder) if file.is_relative_to(folder) else Path(*file.parts[-2:])
    trace = "".join(traceback.format_exception(error))[-_TOLD_OF_TRACEBACK:]
    return text, f"{last_line_of(error)} ({short}:{line})", trace


def _folder() -> Path:
    """The working folder, which is the project's unless its code has changed it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        # A tool has deleted it, so no file is in it.
        return Path(os.devnull)


def place_of(error: BaseException, folder: Path) -> str:
    """``file:line`` of the project's own code that raised an error, or of any code if none of it is the project's."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    own = [frame for frame in frames if is_own(Path(frame.filename), folder)]
    frame = (own or frames)[-1]
    return f"{frame.filename}:{frame.lineno}"


def is_own(file: Path, folder: Path) -> bool:
    """Whether a file is the project's own, rather than its environment's or the host's."""
    # For most, the path alone is enough: resolving thousands takes a large part of a second.
    if "site-packages" in file.parts or file.is_relative_to(_HOST):
        return False
    try:
        parts = file.resolve().relative_to(folder).parts
    except ValueError:
        return False
    return not {".venv", "site-packages", "node_modules"} & {*parts}


def last_line_of(error: BaseException) -> str:
    """The last line of an error's traceback, or a text that explains it."""
    if _waits_for_terminal(error):
        return "EOFError: " + _NO_TERMINAL.format(place="It")
    return traceback.format_exception_only(error)[-1].strip()


def _waits_for_terminal(error: BaseException) -> bool:
    return isinstance(error, EOFError) and error.args == (NO_LINE,)
