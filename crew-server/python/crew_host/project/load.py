"""Imports a project, and has its crew or flow built."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import seams
from ..errors import Refusal, is_own
from .find import NAME_IT, Definition
from .importing import import_module, import_source, run_script
from .sources import Source, crews_in, flows_in, source_of
from .survey import mentions


@dataclass(frozen=True)
class Project:
    """A crew or a flow that can be built, any number of times."""

    name: str
    # What it is, and where in the project's folder, for people.
    kind: str
    place: str
    # Builds it; gives it with the inputs that it has values for itself.
    build: Callable[[], tuple[Any, dict[str, Any]]]
    # Whether building does more than to make objects.
    builds_with_effects: bool = False
    is_flow: bool = False


def load_project(definition: Definition, wanted: str | None) -> Project:
    """Imports a project.

    Args:
        wanted: The name of the crew or flow, if the project has several.

    Raises:
        Refusal: It cannot be run; says why and what to do.
    """
    folder, file = definition.folder, definition.file
    if file is not None:
        return _declared_flow(folder, file) if definition.is_flow else _json_crew(folder, file)
    if definition.entry is not None:
        module, name = definition.entry
        return _project(folder, source_of(folder, import_module(folder, module), name), f"{module}:{name}")
    if definition.is_script:
        path = definition.modules[0]
        started, inputs = run_script(folder, path)
        name = path.parent.name if path.stem == "main" else path.stem
        return _project(folder, source_of(folder, started, name), _within(folder, path), inputs)
    modules = [import_source(folder, source) for source in definition.modules]
    kind = "flow" if definition.is_flow else "crew"
    look = flows_in if definition.is_flow else crews_in
    sources = [(one, path) for path, module in zip(definition.modules, modules, strict=True) for one in look(module)]
    if not sources:
        expected = "a class of Flow" if definition.is_flow else _CREWS
        raise Refusal(f"There is no {kind} in {definition.modules[0]}: expected {expected}. {NAME_IT}")
    chosen = _choose(folder, [one for one, _ in sources], wanted, kind)
    return _project(folder, chosen, _within(folder, next(path for one, path in sources if one is chosen)))


_CREWS = (
    "a class of @CrewBase, another class with a method `crew`, a function without parameters that returns a Crew, "
    "or a Crew"
)


def _within(folder: Path, path: Path) -> str:
    return os.path.relpath(path, folder)


def _project(folder: Path, source: Source, place: str, inputs: dict[str, Any] | None = None) -> Project:
    has_effects = reads_clock(folder) or source.has_effects
    kind = "flow" if source.is_flow else "crew"
    return Project(source.name, kind, place, lambda: (source.build(), inputs or {}), has_effects, source.is_flow)


def _choose(folder: Path, sources: list[Source], wanted: str | None, kind: str) -> Source:
    names = ", ".join(one.name for one in sources)
    if wanted is None and len(sources) > 1:
        raise Refusal(f"There are several {kind}s in {folder}: {names}. Choose one with --crew <name>.")
    chosen = [one for one in sources if wanted in (None, one.name)]
    if not chosen:
        raise Refusal(f"There is no {kind} {wanted} in {folder}. There is: {names}.")
    return chosen[0]


def _json_crew(folder: Path, path: Path) -> Project:
    # A definition that cannot be read is told now, not at the first kickoff; nothing is built for that.
    try:
        definition = seams.PARSE_JSON.load()(path.read_text(encoding="utf-8"), path)
    except Exception as error:
        raise Refusal(f"{path} cannot be read: {error}") from error
    name = definition.get("name") if isinstance(definition, dict) else None
    place = _within(folder, path)
    return Project(str(name or path.parent.name), "JSON crew", place, lambda: seams.LOAD_JSON_CREW.load()(path))


def _declared_flow(folder: Path, path: Path) -> Project:
    from crewai.flow.flow import Flow

    try:
        definition = seams.READ_FLOW.load().from_declaration(path=path)
    except Exception as error:
        raise Refusal(f"{path} cannot be read: {error}") from error
    place = _within(folder, path)
    return Project(
        definition.name, "declarative flow", place, lambda: (Flow.from_declaration(path=path), {}), is_flow=True
    )


# What tells the time, or what is different each time.
_CLOCKS = r"\.(now|utcnow|today|time|localtime|gmtime|strftime)|\.?uuid[14]"


def reads_clock(folder: Path) -> bool:
    """Whether the project's own modules ask for the time: a crew that is built early could have an old one."""
    return any(mentions(file, _CLOCKS) for file in own_files(folder))


def own_files(folder: Path) -> list[Path]:
    """The project's own modules that have been imported."""
    modules = [one for name, one in [*sys.modules.items()] if name.partition(".")[0] not in sys.stdlib_module_names]
    files = [Path(file) for one in modules if (file := getattr(one, "__file__", None)) is not None]
    return [file for file in files if is_own(file, folder)]
