"""Imports CrewAI, and switches off what it does by itself and a server does not want."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import seams
from ..errors import Refusal, last_line_of, place_of

# What a first kickoff would otherwise import, which takes most of a second.
_LATE = (
    "h11",
    "httpcore",
    "httpcore._sync",
    "httpcore._async",
    "httpx",
    "openai.resources",
    "openai.resources.chat.completions",
    "openai.resources.responses",
    "openai._event_handler",
    "openai._extras",
    "openai.pagination",
    "rich._emoji_codes",
    "tiktoken",
    "sqlite3",
    "rich._unicode_data",
    "asyncio",
    "concurrent.futures.thread",
    "crewai.agents.agent_executor",
    "crewai.hooks.contexts",
    "crewai.llms.cache",
    "crewai.skills.tool",
)


def import_crewai(version: str) -> None:
    """Imports CrewAI and what it would import only at a first kickoff.

    Raises:
        Refusal: It cannot be imported, or this version lacks something that is needed.
    """
    try:
        importlib.import_module("crewai")
        seams.check_seams(version)
    except Refusal:
        raise
    except (Exception, SystemExit) as error:
        # E.g. its database needs a newer SQLite than this Python has.
        raise Refusal(
            f"CrewAI {version} in {sys.prefix} cannot be imported: {last_line_of(error)} "
            f"({place_of(error, Path(sys.prefix))})\nRepair it there, or choose another Python with --python."
        ) from error
    _keep_no_task_outputs()
    for name in _LATE:
        _import_if_there(name)
    _complete_events()


def _import_if_there(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except Exception:
        # Other versions of CrewAI or of a library do not have it. If it is broken, only crews that need it fail.
        return None


def _complete_events() -> None:
    """Completes the event classes that refer to later ones; otherwise each child would at its first event."""
    events = _import_if_there("crewai.events.types.agent_events")
    for event in vars(events).values() if events else ():
        if not getattr(event, "__pydantic_complete__", True):
            event.model_rebuild(raise_errors=False)


def _keep_no_task_outputs() -> None:
    """Keeps CrewAI from storing outputs for `crewai replay`, in a database that each kickoff wipes."""
    handler: Any = seams.TASK_OUTPUT_STORAGE.load()

    def nothing(*_: object, **__: object) -> None:
        return None

    for name in ("__init__", "update", "add", "reset"):
        setattr(handler, name, nothing)
    handler.load = lambda *_: []
