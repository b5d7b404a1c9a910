"""Finds out what a project is, imports it, and builds its crew."""

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
    """A crew that can be built, any number of times."""

    name: str
    # What it is, for people.
    kind: str
    # Builds the crew; gives it with the inputs that it has values for itself.
    build: Callable[[], tuple[Any, dict[str, Any]]]
    # Whether building does more than to make objects.
    builds_with_effects: bool = False


@dataclass(frozen=True)
class Definition:
    """Where a project says what its crew is: modules that define one each or more, or a file of JSON."""

    folder: Path
    modules: tuple[Path, ...] = ()
    json: Path | None = None


def find_definition(folder: Path) -> Definition:
    """Looks for a crew in a folder; imports nothing.

    Raises:
        Refusal: There is none; says what was expected.
    """
    settings = _settings_of(folder)
    kind, definition = settings.get("type"), settings.get("definition")
    if kind == "flow":
        raise Refusal(_FLOW.format(folder=folder))
    if isinstance(definition, str):
        path = folder / definition
        if not path.is_file():
            raise Refusal(f"[tool.crewai] in pyproject.toml names {definition}, which is not in {folder}.")
        return Definition(folder, json=path)
    for root in (folder / "src", folder):
        modules = sorted(path for path in (*root.glob("*/crew.py"), root / "crew.py") if _mentions(path, "CrewBase"))
        if modules:
            return Definition(folder, modules=tuple(modules))
        for path in (root / "crew.jsonc", root / "crew.json"):
            if path.is_file():
                return Definition(folder, json=path)
        if any(_mentions(path, "Flow") for path in (*root.glob("*/main.py"), root / "main.py")):
            raise Refusal(_FLOW.format(folder=folder))
    raise Refusal(
        f"There is no crew in {folder}: expected src/<package>/crew.py with a class of @CrewBase, or crew.jsonc, "
        "as `crewai create` lays them out."
    )


def load_project(definition: Definition, wanted: str | None) -> Project:
    """Imports a project.

    Args:
        wanted: The name of the crew, where the project has several.

    Raises:
        Refusal: It cannot be run; says why and what to do.
    """
    if definition.json is not None:
        return _json_crew(definition.json)
    return _classic_crew(definition.folder, definition.modules, wanted)


_FLOW = (
    "{folder} is a flow. The crew server runs crews so far: give the folder of a crew, or --played for a crew of texts."
)


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


def _classic_crew(folder: Path, sources: tuple[Path, ...], wanted: str | None) -> Project:
    classes = [one for source in sources for one in _crew_classes(_import_source(folder, source))]
    names = ", ".join(one.__name__ for one in classes)
    if not classes:
        raise Refusal(f"There is no crew in {sources[0]}: expected a class of @CrewBase.")
    if wanted is None and len(classes) > 1:
        raise Refusal(f"There are several crews in {folder}: {names}. Choose one with --crew <name>.")
    chosen = [one for one in classes if wanted in (None, one.__name__)]
    if not chosen:
        raise Refusal(f"There is no crew {wanted} in {folder}. There is: {names}.")
    crew_class = chosen[0]

    def build() -> tuple[Any, dict[str, Any]]:
        return crew_class().crew(), {}

    # Its agents start the MCP server that such a class names as soon as they are made.
    has_effects = bool(getattr(crew_class, "mcp_server_params", None))
    return Project(crew_class.__name__, "crew", build, has_effects)


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
