"""Finds out where a project says what its crew or flow is; imports nothing of it."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import Refusal


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
    modules = sorted(path for path in (*root.glob("*/crew.py"), root / "crew.py") if mentions(path, used))
    if modules:
        return Definition(folder, modules=tuple(modules))
    files = [path for path in (root / "crew.jsonc", root / "crew.json") if path.is_file()]
    return Definition(folder, file=files[0]) if files else None


def _find_flow(folder: Path, root: Path, used: str) -> Definition | None:
    for name in ("main.py", "flow.py"):
        modules = sorted(path for path in (*root.glob(f"*/{name}"), root / name) if mentions(path, used))
        if modules:
            return Definition(folder, modules=tuple(modules), is_flow=True)
    files = sorted(path for path in (*root.glob("*/flow.yaml"), root / "flow.yaml") if path.is_file())
    return Definition(folder, file=files[0], is_flow=True) if files else None


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


def mentions(path: Path, pattern: str) -> bool:
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
