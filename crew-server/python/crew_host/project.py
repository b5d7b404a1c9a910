"""Finds out what a project is, imports it, and builds its crew or flow."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .errors import Refusal, last_line_of, place_of


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


@dataclass(frozen=True)
class Definition:
    """Where a project says what its crew or flow is: modules that define one each or more, or a file of data."""

    folder: Path
    modules: tuple[Path, ...] = ()
    file: Path | None = None
    is_flow: bool = False


def find_definition(folder: Path) -> Definition:
    """Looks for a crew or a flow in a folder; imports nothing.

    Raises:
        Refusal: There is none; says what was expected.
    """
    settings = _settings_of(folder)
    kind, definition = settings.get("type"), settings.get("definition")
    if isinstance(definition, str):
        path = folder / definition
        if not path.is_file():
            raise Refusal(f"[tool.crewai] in pyproject.toml names {definition}, which is not in {folder}.")
        return Definition(folder, file=path, is_flow=kind == "flow")
    for root in (folder / "src", folder):
        found = (None if kind == "flow" else _find_crew(folder, root)) or _find_flow(folder, root)
        if found is not None:
            return found
    if kind == "flow":
        raise Refusal(
            f"There is no flow in {folder}: expected src/<package>/main.py with a class of Flow, "
            "or flow.yaml, as `crewai create flow` lays them out."
        )
    raise Refusal(
        f"There is no crew in {folder}: expected src/<package>/crew.py with a class of @CrewBase, or crew.jsonc, "
        "as `crewai create` lays them out."
    )


def _find_crew(folder: Path, root: Path) -> Definition | None:
    modules = sorted(path for path in (*root.glob("*/crew.py"), root / "crew.py") if _mentions(path, "CrewBase"))
    if modules:
        return Definition(folder, modules=tuple(modules))
    files = [path for path in (root / "crew.jsonc", root / "crew.json") if path.is_file()]
    return Definition(folder, file=files[0]) if files else None


def _find_flow(folder: Path, root: Path) -> Definition | None:
    for name in ("main.py", "flow.py"):
        modules = sorted(path for path in (*root.glob(f"*/{name}"), root / name) if _mentions(path, "Flow"))
        if modules:
            return Definition(folder, modules=tuple(modules), is_flow=True)
    files = sorted(path for path in (*root.glob("*/flow.yaml"), root / "flow.yaml") if path.is_file())
    return Definition(folder, file=files[0], is_flow=True) if files else None


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
    modules = [(source, _import_source(folder, source)) for source in definition.modules]
    if definition.is_flow:
        return _python_flow(folder, modules, wanted)
    return _classic_crew(folder, modules, wanted)


def _settings_of(folder: Path) -> dict[str, Any]:
    """``[tool.crewai]`` of ``pyproject.toml``, where there is one."""
    path = folder / "pyproject.toml"
    if not path.is_file():
        return {}
    # tomllib has come with Python 3.11; CrewAI brings its predecessor.
    toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        settings = toml.loads(path.read_text(encoding="utf-8")).get("tool", {}).get("crewai", {})
    except ValueError as error:
        raise Refusal(f"{path} cannot be read: {error}") from error
    return settings if isinstance(settings, dict) else {}


def _mentions(path: Path, name: str) -> bool:
    """Whether a module uses a name; one that cannot be read might, and says why when it is imported."""
    if not path.is_file():
        return False
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return True
    return any(name in (getattr(node, "id", None), getattr(node, "attr", None)) for node in ast.walk(tree))


def _json_crew(path: Path) -> Project:
    from crewai.project.crew_loader import load_crew

    # A definition that cannot be read is told now, not at the first kickoff; nothing is built for that.
    from crewai.project.json_loader import parse_jsonc

    try:
        definition = parse_jsonc(path.read_text(encoding="utf-8"), path)
    except Exception as error:
        raise Refusal(f"{path} cannot be read: {error}") from error
    name = definition.get("name") if isinstance(definition, dict) else None
    return Project(str(name or path.parent.name), "JSON crew", lambda: load_crew(path))


def _declared_flow(path: Path) -> Project:
    from crewai.flow.flow import Flow
    from crewai.flow.flow_definition import FlowDefinition

    try:
        definition = FlowDefinition.from_declaration(path=path)
    except Exception as error:
        raise Refusal(f"{path} cannot be read: {error}") from error
    return Project(definition.name, "declarative flow", lambda: (Flow.from_declaration(path=path), {}), is_flow=True)


def _python_flow(folder: Path, modules: list[tuple[Path, ModuleType]], wanted: str | None) -> Project:
    classes = [one for _, module in modules for one in _flow_classes(module)]
    if not classes:
        raise Refusal(f"There is no flow in {modules[0][0]}: expected a class of Flow.")
    flow_class = _choose(folder, classes, wanted, "flow")
    return Project(flow_class.__name__, "flow", lambda: (flow_class(), {}), is_flow=True)


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
    classes = [one for _, module in modules for one in _crew_classes(module)]
    if not classes:
        raise Refusal(f"There is no crew in {modules[0][0]}: expected a class of @CrewBase.")
    crew_class = _choose(folder, classes, wanted, "crew")

    def build() -> tuple[Any, dict[str, Any]]:
        return crew_class().crew(), {}

    # Its agents start the MCP server that such a class names as soon as they are made.
    has_effects = bool(getattr(crew_class, "mcp_server_params", None))
    return Project(crew_class.__name__, "crew", build, has_effects)


def _choose(folder: Path, classes: list[type[Any]], wanted: str | None, kind: str) -> type[Any]:
    names = ", ".join(one.__name__ for one in classes)
    if wanted is None and len(classes) > 1:
        raise Refusal(f"There are several {kind}s in {folder}: {names}. Choose one with --crew <name>.")
    chosen = [one for one in classes if wanted in (None, one.__name__)]
    if not chosen:
        raise Refusal(f"There is no {kind} {wanted} in {folder}. There is: {names}.")
    return chosen[0]


def _crew_classes(module: ModuleType) -> list[type[Any]]:
    classes = [one for one in vars(module).values() if inspect.isclass(one) and getattr(one, "is_crew_class", False)]
    own = [one for one in classes if one.__module__ == module.__name__]
    return own or classes


def _import_source(folder: Path, source: Path) -> ModuleType:
    """Imports a module as the project's own code would.

    Raises:
        Refusal: With file, line and the last line of the traceback.
    """
    package = source.parent
    is_packaged = package not in (folder, folder / "src")
    name = f"{package.name}.{source.stem}" if is_packaged else source.stem
    # Some projects import what stands beside a module as if they were in that folder.
    if str(package) not in sys.path:
        sys.path.append(str(package))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        raise Refusal(
            f"The project cannot be imported: {place_of(error, folder)}: {last_line_of(error)}\n"
            f"Install what it needs: type `uv sync` or `crewai install` in {folder}, "
            f"or `uv add {missing}` if its pyproject.toml does not name {missing}."
        ) from error
    except Exception as error:
        raise Refusal(f"The project cannot be imported: {place_of(error, folder)}: {last_line_of(error)}") from error
    except SystemExit as error:
        raise Refusal(
            f"The project cannot be imported: {place_of(error, folder)}: it called sys.exit({error.code!r})."
        ) from error
