"""Keeps inputs from moving a task's output file out of its folder, and sets that folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from .. import seams


def leads_out(template: str, filled: str) -> bool:
    """Whether a filled-in path is outside the folder that its template names before the first placeholder."""
    folder = os.path.dirname(template.partition("{")[0])
    if "\0" in filled or (filled.startswith("~") and not template.startswith("~")):
        return True
    inside = os.path.relpath(os.path.normpath(filled), os.path.normpath(folder or "."))
    return inside == os.curdir or inside.split(os.sep)[0] == os.pardir


def guard(crew: Any) -> None:
    """Makes the crew refuse such inputs when it fills them in, after its hooks."""
    fill_in = seams.FILL_IN.of(crew)
    seams.FILL_IN.replace(crew, lambda inputs: _fill_in_and_check(crew, fill_in, inputs))


def guard_all() -> None:
    """Makes each crew that is built from now on refuse them."""
    from crewai import Crew

    fill_in = seams.FILL_IN.of(Crew)
    seams.FILL_IN.set(Crew, lambda crew, inputs: _fill_in_and_check(crew, partial(fill_in, crew), inputs))


def save_below(folder: str | None, written: Callable[[], None]) -> None:
    """Makes all tasks write their output files below a folder.

    Args:
        folder: ``None`` for the project's own.
        written: Called after each file.
    """
    save = seams.SAVE_FILE.load()

    def save_and_tell(task: Any, content: Any) -> None:
        path = task.output_file
        if folder is not None and path is not None:
            task.output_file = os.path.join(folder, path)
            # The task expects its folder in the project, not here.
            os.makedirs(os.path.dirname(task.output_file), exist_ok=True)
        try:
            save(task, content)
        finally:
            task.output_file = path
        written()

    seams.SAVE_FILE.set(seams.SAVE_FILE.load_owner(), save_and_tell)


def _fill_in_and_check(crew: Any, fill_in: Callable[[dict[str, Any]], None], inputs: dict[str, Any]) -> None:
    templates = [(task, task.output_file) for task in crew.tasks if task.output_file]
    fill_in(inputs)
    for task, template in templates:
        if leads_out(template, task.output_file):
            raise ValueError(f"The inputs lead the output file {template} out of its folder: {task.output_file}")
