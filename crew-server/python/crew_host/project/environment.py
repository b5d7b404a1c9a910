"""Prepares a process for CrewAI: variables, paths, and what a fork cannot share."""

from __future__ import annotations

import fcntl
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import re
import stat
import sys
import threading
from pathlib import Path

from ..errors import Refusal
from ..seams import OLDEST_CREWAI, text_of_version

# Variables with keys for models, by CrewAI's names of the providers.
KEYS_OF_PROVIDERS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "gemini": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "azure": ("AZURE_API_KEY",),
}


_OFFERED = "crew_server"

# OpenTelemetry restarts its threads after a fork.
_RESTARTED = "Otel"


def prepare(folder: Path, storage: str) -> str:
    """Sets variables and paths, before anything of CrewAI is imported. Returns CrewAI's version.

    Raises:
        Refusal: There is no CrewAI, or one that is too old.
    """
    os.chdir(folder)
    sys.path[:0] = [str(folder), str(folder / "src")]
    sys.meta_path.append(_Offered())
    version = _version_of_crewai(folder)
    # As CrewAI does, with the same library.
    importlib.import_module("dotenv").load_dotenv(folder / ".env", override=True)
    # A key that is there but empty, as in a new project's .env, would keep the crew from being built.
    for name in (name for names in KEYS_OF_PROVIDERS.values() for name in names):
        if os.environ.get(name) == "":
            del os.environ[name]
    os.environ.update(
        CREWAI_STORAGE_DIR=storage,
        CREWAI_DISABLE_TELEMETRY="true",
        CREWAI_DISABLE_VERSION_CHECK="true",
        # CrewAI asks nothing at a first run then.
        CREWAI_TESTING="true",
    )
    # Otherwise, CrewAI wraps what it prints at the terminal's width, and a long key with it.
    os.environ.setdefault("COLUMNS", "1000")
    return version


class _Offered(importlib.abc.MetaPathFinder):
    """Finds the module that projects can import, unless there is another one with its name."""

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        file = Path(__file__).parents[2] / f"{_OFFERED}.py"
        return importlib.util.spec_from_file_location(name, file) if name == _OFFERED else None


def _version_of_crewai(folder: Path) -> str:
    try:
        version = importlib.metadata.version("crewai")
    except importlib.metadata.PackageNotFoundError as error:
        raise Refusal(
            f"There is no CrewAI in {sys.prefix}: type `uv sync` or `crewai install` in {folder}, "
            "or choose another Python with --python."
        ) from error
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    if numbers < OLDEST_CREWAI:
        oldest = text_of_version(OLDEST_CREWAI)
        raise Refusal(
            f"CrewAI {version} in {sys.prefix} is too old: the oldest that works is {oldest}. "
            f"Type `uv add 'crewai>={oldest}'` in {folder}."
        )
    return version


def unshareable() -> set[str]:
    """What a fork of this process cannot share: threads, connections, event loops, and open database files."""
    try:
        restarted = {one.native_id for one in threading.enumerate() if one.name.startswith(_RESTARTED)}
        tasks = {int(one.name) for one in Path("/proc/self/task").iterdir()}
        threads = {f"thread {one}" for one in tasks - restarted}
        descriptors = {int(one.name) for one in Path("/proc/self/fd").iterdir()}
    except OSError:
        return {f"thread {one.ident}" for one in threading.enumerate()}
    return threads | {target for one in descriptors if (target := _target_of_unshareable(one)) is not None}


def _target_of_unshareable(descriptor: int) -> str | None:
    try:
        target = os.readlink(f"/proc/self/fd/{descriptor}")
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        is_changed = flags & os.O_ACCMODE == os.O_RDWR and stat.S_ISREG(os.fstat(descriptor).st_mode)
    except OSError:
        # It is closed by now: it was the descriptor that read the folder.
        return None
    return target if target.startswith(("socket:", "anon_inode:[eventpoll]")) or is_changed else None
