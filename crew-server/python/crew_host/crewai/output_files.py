"""Keeps inputs from leading a task's output file out of its folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from .. import seams


def leads_out(template: str, filled: str) -> bool:
    """Whether a filled path lies outside of the folder that stands before its first placeholder."""
    folder = os.path.dirname(template.partition("{")[0])
    if "\0" in filled or (filled.startswith("~") and not template.startswith("~")):
        return True
    inside = os.path.relpath(os.path.normpath(filled), os.path.normpath(folder or "."))
    return inside == os.curdir or inside.split(os.sep)[0] == os.pardir


def guard(crew: Any) -> None:
    """Makes the crew refuse such inputs when it fills them in, which is after its hooks."""
    fill_in = seams.FILL_IN.of(crew)
    seams.FILL_IN.replace(crew, lambda inputs: _fill_in_and_check(crew, fill_in, inputs))


def guard_all() -> None:
    """Makes each crew that is built from now on do so."""
    from crewai import Crew

    fill_in = seams.FILL_IN.of(Crew)
    seams.FILL_IN.set(Crew, lambda crew, inputs: _fill_in_and_check(crew, partial(fill_in, crew), inputs))


def _fill_in_and_check(crew: Any, fill_in: Callable[[dict[str, Any]], None], inputs: dict[str, Any]) -> None:
    templates = [(task, task.output_file) for task in crew.tasks if task.output_file]
    fill_in(inputs)
    for task, template in templates:
        if leads_out(template, task.output_file):
            raise ValueError(f"The inputs lead the output file {template} out of its folder: {task.output_file}")
