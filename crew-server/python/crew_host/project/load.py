"""Imports a project, and builds its crew or flow."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import seams
from ..errors import Refusal, is_own
from .find import NAME_IT, Definition
from .importing import STARTED, Kickoff, import_module, import_source, kickoff_of, run_script
from .placeholders import Argument, Questions
from .sources import Built, Source, crews_in, flows_in, source_of, source_started
from .survey import calls_at_import, function_that_gives, lines_of_kickoffs, mentions


@dataclass(frozen=True)
class Project:
    """A crew or a flow that can be built any number of times."""

    folder: Path
    name: str
    # What it is, and its place in the project's folder, as texts for people.
    kind: str
    place: str
    make: Callable[[Mapping[str, Any]], Built]
    # Whether building has effects beyond making objects.
    builds_with_effects: bool = False
    is_flow: bool = False
    # What it asks for before it has a crew, each with its place. These are inputs if the crew's texts mention them.
    asked: Mapping[str, str] = field(default_factory=dict)
    # Placeholders for it, which it can be built with values instead of.
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    # Warnings for anyone who starts it.
    warnings: tuple[str, ...] = ()
    # The lines that read the clock while it is imported.
    clocks: tuple[str, ...] = ()

    def build(self, given: Mapping[str, Any] | None = None) -> Built:
        """Builds it; gives it with the inputs that it has values for itself.

        Args:
            given: Values of arguments; the others get placeholders.
        """
        return self.make(given or {})


def load_project(definition: Definition, wanted: str | None) -> Project:
    """Imports a project.

    Args:
        wanted: The name of the crew or flow, if the project has several.

    Raises:
        Refusal: It cannot be run; the message says why, and what to do.
    """
    folder, file = definition.folder, definition.file
    if file is not None:
        return _declared_flow(folder, file) if definition.is_flow else _json_crew(folder, file)
    questions = Questions(folder)
    with questions.answered():
        source, place = _source_of(definition, wanted)
    asked_at_import = {*questions.placeholders}

    def make(given: Mapping[str, Any]) -> Built:
        with questions.answered(given):
            if not asked_at_import.isdisjoint(given):
                # A module asks only while it is imported.
                _forget_modules(folder)
                return _source_of(definition, wanted)[0].build(given)
            return source.build(given)

    has_effects = reads_clock(folder) or source.has_effects
    kind = "flow" if source.is_flow else "crew"
    questions.placeholders.update(source.arguments)
    questions.places.update(dict.fromkeys(source.arguments, place))
    # What it asks for while it is built is added later.
    asked = questions.places
    return Project(
        folder,
        source.name,
        kind,
        place,
        make,
        has_effects,
        source.is_flow,
        asked,
        questions.placeholders,
        source.warnings,
        _clocks(definition),
    )


def _forget_modules(folder: Path) -> None:
    files = {*own_files(folder)}
    for name, module in [*sys.modules.items()]:
        if Path(getattr(module, "__file__", None) or "") in files:
            del sys.modules[name]


def _source_of(definition: Definition, wanted: str | None) -> tuple[Source, str]:
    """The source of the crew or flow, and its place."""
    folder = definition.folder
    if definition.entry is not None:
        module, name = definition.entry
        return source_of(folder, import_module(folder, module), name), f"{module}:{name}"
    if definition.is_script:
        return _started(folder, run_script(folder, definition.modules[0]), definition.modules[0])
    kind = "flow" if definition.is_flow else "crew"
    look = flows_in if definition.is_flow else crews_in
    sources: list[tuple[Source, Path]] = []
    for path in definition.modules:
        module_of_path = import_source(folder, path)
        kickoff = getattr(module_of_path, STARTED, None)
        if kickoff is not None and not definition.is_flow:
            return _started(folder, kickoff, path)
        sources += [(one, path) for one in look(module_of_path)]
    if not sources:
        expected = "a Flow class" if definition.is_flow else _CREWS
        raise Refusal(f"There is no {kind} in {definition.modules[0]}: expected {expected}. {NAME_IT}")
    chosen = _choose(folder, [one for one, _ in sources], wanted, kind)
    path = next(path for one, path in sources if one is chosen)
    return _or_by_program(folder, path, chosen), _within(folder, path)


def _or_by_program(folder: Path, path: Path, source: Source) -> Source:
    """Has a class that cannot be built by itself built by the program beside it, as `crewai run` would."""
    program = path.with_name("main.py")
    name = function_that_gives(program, source.name)
    if name is None:
        return source

    def build(given: Mapping[str, Any]) -> Built:
        try:
            return source.build(given)
        except Exception:
            made = kickoff_of(getattr(import_source(folder, program), name))
            if not isinstance(made, Kickoff):
                raise
            return made.started, {}

    return replace(source, build=build)


def _started(folder: Path, kickoff: Kickoff, path: Path) -> tuple[Source, str]:
    name = path.parent.name if path.stem == "main" else path.stem
    source, place = source_started(kickoff, name), _within(folder, path)
    lines = lines_of_kickoffs(path)
    if len(lines) > 1:
        places = ", ".join(map(str, lines))
        warning = f"{place} has kickoffs in lines {places}: only the first one that it reaches runs here. {NAME_IT}"
        source = replace(source, warnings=(warning,))
    return source, place


_CREWS = "a @CrewBase class, another class with a method `crew`, a function of texts that makes a Crew, or a Crew"


def _within(folder: Path, path: Path) -> str:
    return os.path.relpath(path, folder)


def _choose(folder: Path, sources: list[Source], wanted: str | None, kind: str) -> Source:
    names = ", ".join(one.name for one in sources)
    if wanted is None and len(sources) > 1:
        raise Refusal(f"There are several {kind}s in {folder}: {names}. Choose one with --crew <name>.")
    chosen = [one for one in sources if wanted in (None, one.name)]
    if not chosen:
        raise Refusal(f"There is no {kind} {wanted} in {folder}. There is: {names}.")
    return chosen[0]


def _json_crew(folder: Path, path: Path) -> Project:
    # Read now, so that a mistake is found at the start, not at the first kickoff. Nothing is built.
    try:
        definition = seams.PARSE_JSON.load()(path.read_text(encoding="utf-8"), path)
    except Exception as error:
        raise Refusal(f"{path} cannot be read: {error}") from error
    name = definition.get("name") if isinstance(definition, dict) else None
    place = _within(folder, path)
    return Project(
        folder, str(name or path.parent.name), "JSON crew", place, lambda _: seams.LOAD_JSON_CREW.load()(path)
    )


def _declared_flow(folder: Path, path: Path) -> Project:
    from crewai.flow.flow import Flow

    try:
        definition = seams.READ_FLOW.load().from_declaration(path=path)
    except Exception as error:
        raise Refusal(f"{path} cannot be read: {error}") from error
    place = _within(folder, path)

    def make(_: Mapping[str, Any]) -> Built:
        return Flow.from_declaration(path=path), {}

    return Project(folder, definition.name, "declarative flow", place, make, is_flow=True)


# Calls that return the time, or something new each time.
_CLOCKS = r"\.(now|utcnow|today|time|localtime|gmtime|strftime)|\.?uuid[14]"


def reads_clock(folder: Path) -> bool:
    """Whether the project's own modules read the clock: a crew that is built early could have an old time."""
    return any(mentions(file, _CLOCKS) for file in own_files(folder))


def _clocks(definition: Definition) -> tuple[str, ...]:
    """The lines that read the clock while the project is imported: the time would be that of the server's start."""
    folder, program = definition.folder, definition.modules[0] if definition.is_script else None
    files = dict.fromkeys([*own_files(folder), *([program] if program else [])])
    found = [(_within(folder, one), line) for one in files for line in calls_at_import(one, _CLOCKS, one == program)]
    return tuple(f"{file}:{line} reads the clock" for file, line in found)


def own_files(folder: Path) -> list[Path]:
    """The project's own modules that have been imported."""
    modules = [one for name, one in [*sys.modules.items()] if name.partition(".")[0] not in sys.stdlib_module_names]
    files = [Path(file) for one in modules if (file := getattr(one, "__file__", None)) is not None]
    return [file for file in files if is_own(file, folder)]
