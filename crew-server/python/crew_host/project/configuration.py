"""Finds the file of agents or tasks that names something that does not exist."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from pathlib import Path

from ..errors import is_own, place_of

_WHAT = {"agents": "agent", "tasks": "task"}
_TAKEN = re.compile(r"\b(agents|tasks)_config\b")


def explain_key(error: BaseException, folder: Path) -> str | None:
    """The file and the key, if a crew could not be built because a key is missing in such a file."""
    frames = traceback.extract_tb(error.__traceback__)
    if not isinstance(error, KeyError) or not frames:
        return None
    key = str(error.args[0])
    taken = _TAKEN.search(frames[-1].line or "")
    if taken is not None and is_own(Path(frames[-1].filename), folder):
        file = next(_files(folder, f"{taken[1]}.yaml"), f"{taken[1]}.yaml")
        return f"{file} has no {key}, which {place_of(error, folder)} takes"
    if "crewai" not in Path(frames[-1].filename).parts:
        return None
    for file in _files(folder, "*.yaml"):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            if re.search(rf":.*\b{re.escape(key)}\b|^\s*-\s*{re.escape(key)}\s*$", line):
                what = _WHAT.get(line.strip().partition(":")[0] + "s", "agent, @task, @tool or @llm")
                return f"{file}:{number} names {key}, and the crew has no method of this name with @{what}"
    return None


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    return (one for one in sorted(folder.rglob(pattern)) if is_own(one, folder))
