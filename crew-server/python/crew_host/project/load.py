"""Imports a project, and has its crew or flow built."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import seams
from ..errors import Refusal, is_own
from .find import Definition, mentions
from .importing import import_source


@dataclass(frozen=True)
class Project:
    """A crew or a flow that can be built, any number of times."""

    name: str
    # What it is, for people.
    kind: str
    # Builds it; gives it with the inputs that it has values for itself.
    build: Callable[[], tuple[Any, dict[str, Any]]]
    # Whether building does more than to make objects.
    builds_with_effects: bool = False
    is_flow: bool = False


def load_project(definition: Definition, wanted: str | None) -> Project:
    """Imports a project.

    Args:
        wanted: The name of the crew or flow, where the project has several.

    Raises:
        Refusal: It cannot be run; says why and what to do.
    """
    folder, file = definition.folder, definition.file
    if file is not None:
        return _declared_flow(file) if definition.is_flow else _json_crew(file)
    modules = [(source, import_source(folder, source)) for source in definition.modules]
    if definition.is_flow:
        return _python_flow(folder, modules, wanted)
    return _classic_crew(folder, modules, wanted)


def _json_crew(path: Path) -> Project:
    # A definition that cannot be read is told now, not at the first kickoff; nothing is built for that.
    try:
        definition = seams.PARSE_JSON.load()(path.read_text(encoding="utf-8"), path)
    except Exception as error:
        raise Refusal(f"{path} cannot be read: {error}") from error
    name = definition.get("name") if isinstance(definition, dict) else None
    return Project(str(name or path.parent.name), "JSON crew", lambda: seams.LOAD_JSON_CREW.load()(path))


def _declared_flow(path: Path) -> Project:
    from crewai.flow.flow import Flow

    try:
        definition = seams.READ_FLOW.load().from_declaration(path=path)
    except Exception as error:
        raise Refusal(f"{path} cannot be read: {error}") from error
    return Project(definition.name, "declarative flow", lambda: (Flow.from_declaration(path=path), {}), is_flow=True)


@dataclass(frozen=True)
class _Source:
    """What gives a crew or a flow of the project."""

    name: str
    build: Callable[[], Any]
    has_effects: bool = False


def _python_flow(folder: Path, modules: list[tuple[Path, ModuleType]], wanted: str | None) -> Project:
    flows = [_Source(one.__name__, one) for _, module in modules for one in _flow_classes(module)]
    if not flows:
        raise Refusal(f"There is no flow in {modules[0][0]}: expected a class of Flow.")
    chosen = _choose(folder, flows, wanted, "flow")
    return Project(chosen.name, "flow", lambda: (chosen.build(), {}), reads_clock(folder), is_flow=True)


def _flow_classes(module: ModuleType) -> list[type[Any]]:
    from crewai.flow.flow import Flow

    classes = [
        one
        for one in vars(module).values()
        if inspect.isclass(one) and issubclass(one, Flow) and not one.__module__.startswith("crewai.")
    ]
    own = [one for one in classes if one.__module__ == module.__name__] or classes
    # What others build upon is none to run.
    return [one for one in own if not any(other is not one and issubclass(other, one) for other in own)]


def _classic_crew(folder: Path, modules: list[tuple[Path, ModuleType]], wanted: str | None) -> Project:
    crews = [one for _, module in modules for one in _crew_classes(module) or _other_crews(module)]
    if not crews:
        raise Refusal(
            f"There is no crew in {modules[0][0]}: expected a class of @CrewBase, another class with a method `crew`, "
            "a function without parameters that is annotated with `-> Crew`, or a Crew."
        )
    chosen = _choose(folder, crews, wanted, "crew")
    has_effects = chosen.has_effects or reads_clock(folder)
    return Project(chosen.name, "crew", lambda: (chosen.build(), {}), has_effects)


def _choose(folder: Path, sources: list[_Source], wanted: str | None, kind: str) -> _Source:
    names = ", ".join(one.name for one in sources)
    if wanted is None and len(sources) > 1:
        raise Refusal(f"There are several {kind}s in {folder}: {names}. Choose one with --crew <name>.")
    chosen = [one for one in sources if wanted in (None, one.name)]
    if not chosen:
        raise Refusal(f"There is no {kind} {wanted} in {folder}. There is: {names}.")
    return chosen[0]


def _crew_classes(module: ModuleType) -> list[_Source]:
    classes = [one for one in vars(module).values() if inspect.isclass(one) and getattr(one, "is_crew_class", False)]
    own = [one for one in classes if one.__module__ == module.__name__]
    return [_from_class(one) for one in own or classes]


def _from_class(crew_class: type[Any]) -> _Source:
    # Its agents start the MCP server that such a class names as soon as they are made.
    has_effects = bool(getattr(crew_class, "mcp_server_params", None))
    return _Source(crew_class.__name__, lambda: crew_class().crew(), has_effects)


def _other_crews(module: ModuleType) -> list[_Source]:
    """Crews that do without @CrewBase, as CrewAI's documentation shows them and its own commands find them."""
    from crewai import Crew

    own = {name: one for name, one in vars(module).items() if getattr(one, "__module__", None) == module.__name__}
    classes = [one for one in own.values() if inspect.isclass(one) and callable(getattr(one, "crew", None))]
    functions = [_Source(name, one) for name, one in own.items() if inspect.isfunction(one) and _gives_crew(one)]
    crews = [_Source(name, partial(_as_it_is, one)) for name, one in vars(module).items() if isinstance(one, Crew)]
    return [_from_class(one) for one in classes] or functions or crews


def _gives_crew(function: Callable[..., Any]) -> bool:
    annotation = inspect.get_annotations(function).get("return")
    needed = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    return getattr(annotation, "__name__", annotation) == "Crew" and not needed


def _as_it_is(crew: Any) -> Any:
    return crew


# What tells the time, or what is different each time.
_CLOCKS = r"\.(now|utcnow|today|time|localtime|gmtime|strftime)|\.?uuid[14]"


def reads_clock(folder: Path) -> bool:
    """Whether the project's own modules ask for the time: a crew that is built early could have an old one."""
    modules = [one for name, one in [*sys.modules.items()] if name.partition(".")[0] not in sys.stdlib_module_names]
    files = [Path(file) for one in modules if (file := getattr(one, "__file__", None)) is not None]
    return any(mentions(file, _CLOCKS) for file in files if is_own(file, folder))
