"""Finds out what a project is, imports it, and builds its crew or flow."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from .errors import Refusal, is_own, last_line_of, place_of


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
    # What is laid out as `crewai create` does it comes before what may have its crew or flow from elsewhere.
    for crew_name, flow_name in ((r"\.?CrewBase", r"\.?Flow"), (".*Crew", ".*" if kind == "flow" else ".*Flow")):
        for root in (folder / "src", folder):
            crew = None if kind == "flow" else _find_crew(folder, root, crew_name)
            found = crew or _find_flow(folder, root, flow_name)
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


def _find_crew(folder: Path, root: Path, used: str) -> Definition | None:
    modules = sorted(path for path in (*root.glob("*/crew.py"), root / "crew.py") if _mentions(path, used))
    if modules:
        return Definition(folder, modules=tuple(modules))
    files = [path for path in (root / "crew.jsonc", root / "crew.json") if path.is_file()]
    return Definition(folder, file=files[0]) if files else None


def _find_flow(folder: Path, root: Path, used: str) -> Definition | None:
    for name in ("main.py", "flow.py"):
        modules = sorted(path for path in (*root.glob(f"*/{name}"), root / name) if _mentions(path, used))
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


def _mentions(path: Path, pattern: str) -> bool:
    """Whether a module uses such a name; an attribute's begins with a dot.

    A module that cannot be read might, and says why when it is imported.
    """
    if not path.is_file():
        return False
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return True
    names = (f".{node.attr}" if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in ast.walk(tree))
    return any(re.fullmatch(pattern, name) for name in names if name)


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
    return any(_mentions(file, _CLOCKS) for file in files if is_own(file, folder))


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
        with _no_kickoff():
            return importlib.import_module(name)
    except _Kickoff as error:
        raise Refusal(
            f"The project cannot be imported: {place_of(error, folder)}: it starts its work as soon as it is imported. "
            'Put that under `if __name__ == "__main__":`.'
        ) from None
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        raise Refusal(
            f"The project cannot be imported: {place_of(error, folder)}: {last_line_of(error)}\n"
            f"Install what it needs: type `uv sync` or `crewai install` in {folder}, "
            f"or `uv add {missing}` if its pyproject.toml does not name {missing}."
        ) from error
    except ImportError as error:
        why = f"{place_of(error, folder)}: {last_line_of(error)}"
        raise Refusal(f"The project cannot be imported: {why}{_version_note(error, folder)}") from error
    except Exception as error:
        raise Refusal(f"The project cannot be imported: {place_of(error, folder)}: {last_line_of(error)}") from error
    except SystemExit as error:
        raise Refusal(
            f"The project cannot be imported: {place_of(error, folder)}: it called sys.exit({error.code!r})."
        ) from error


def _version_note(error: ImportError, folder: Path) -> str:
    """What to do about a library that has not, or no longer, what is imported from it."""
    library = (error.name or "").partition(".")[0]
    if error.path is not None and is_own(Path(error.path), folder):
        return ""
    try:
        installed = importlib.metadata.version(library)
    except (ValueError, importlib.metadata.PackageNotFoundError):
        return ""
    return (
        f"\nIt was written for another version of {library} than {installed}, which is installed: "
        "change the project's code, or install that version."
    )


class _Kickoff(BaseException):
    """Work that is started by an import; no exception that a project would catch."""


@contextmanager
def _no_kickoff() -> Iterator[None]:
    """Crews and flows of which work is started meanwhile only refuse."""
    from crewai import Crew
    from crewai.flow.flow import Flow

    def refuse(*_: object, **__: object) -> NoReturn:
        raise _Kickoff

    kept = [(one, name, getattr(one, name)) for one in (Crew, Flow) for name in ("kickoff", "kickoff_async")]
    for one, name, _ in kept:
        setattr(one, name, refuse)
    try:
        yield
    finally:
        for one, name, method in kept:
            setattr(one, name, method)
