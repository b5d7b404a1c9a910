"""Finds the definition of a project's crew or flow, without importing any of it."""

from __future__ import annotations

import importlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import Refusal
from .survey import Survey, mentions, survey

_ENTRY = re.compile(r"([\w.-]+):([\w.]+)")
NAME_IT = (
    "Name it with --entry module:name, a crew, a flow, a class, or a function that returns one, "
    'or once for all in pyproject.toml: [tool.crew-server] entry = "module:name".'
)


@dataclass(frozen=True)
class Definition:
    """Where a project defines its crew or flow: modules with one or more each, or a data file."""

    folder: Path
    modules: tuple[Path, ...] = ()
    file: Path | None = None
    is_flow: bool = False
    # The module, and the name in it, that a person has named.
    entry: tuple[str, str] | None = None
    # Whether to run the module as a program, until it starts its crew.
    is_script: bool = False


def find_definition(folder: Path, entry: str | None = None) -> Definition:
    """Looks for a crew or a flow in a folder.

    Args:
        entry: Where it is, as ``module:name``, if that is known.

    Raises:
        Refusal: There is none; the message says what was expected, and what was found.
    """
    tools = tools_of(folder)
    entry = entry or tools.get("crew-server", {}).get("entry")
    if entry is not None:
        return Definition(folder, entry=_read_entry(str(entry)))
    settings = tools.get("crewai", {})
    kind, definition = settings.get("type"), settings.get("definition")
    if isinstance(definition, str):
        path = folder / definition
        if not path.is_file():
            raise Refusal(f"[tool.crewai] in pyproject.toml names {definition}, which is not in {folder}.")
        return Definition(folder, file=path, is_flow=kind == "flow")
    seen = survey(folder)
    found = _find_as_created(folder, kind) or _find_anywhere(folder, kind, seen)
    if found is not None:
        return found
    looked_at = "".join(f"\n- {line}" for line in seen.lines(folder))
    told = f"\nIt has:{looked_at}" if looked_at else ""
    if kind == "flow":
        raise Refusal(
            f"There is no flow in {folder}: expected src/<package>/main.py with a Flow class, "
            f"or flow.yaml, as `crewai create flow` lays them out.{told}\n{NAME_IT}"
        )
    raise Refusal(
        f"There is no crew in {folder}: expected src/<package>/crew.py with a @CrewBase class, or crew.jsonc, "
        f"as `crewai create` lays them out.{told}\n{NAME_IT}"
    )


def _read_entry(entry: str) -> tuple[str, str]:
    found = _ENTRY.fullmatch(entry)
    if found is None:
        raise Refusal(f'The entry cannot be "{entry}": give module:name, such as my_project.crew:MyCrew.')
    return found[1], found[2]


def _find_as_created(folder: Path, kind: Any) -> Definition | None:
    """The layout of `crewai create` comes first, before modules that may get their crew or flow from elsewhere."""
    for crew_name, flow_name in ((r"\.?CrewBase", r"\.?Flow"), (".*Crew", ".*" if kind == "flow" else ".*Flow")):
        for root in (folder / "src", folder):
            crew = None if kind == "flow" else _find_crew(folder, root, crew_name)
            found = crew or _find_flow(folder, root, flow_name)
            if found is not None:
                return found
    return None


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


def _find_anywhere(folder: Path, kind: Any, seen: Survey) -> Definition | None:
    """A flow, which may have inner crews; else a crew; else a program that starts one, or a function that makes one."""
    if seen.flows and kind != "crew":
        return Definition(folder, modules=tuple(seen.flows), is_flow=True)
    if kind == "flow":
        return None
    if seen.crews:
        return Definition(folder, modules=tuple(seen.crews))
    scripts = [path for path in seen.scripts if path.name in ("main.py", "app.py", "run.py")] or seen.scripts
    if len(scripts) > 1:
        names = ", ".join(str(path.relative_to(folder)) for path in scripts)
        raise Refusal(f"Several programs in {folder} start a crew: {names}. {NAME_IT}")
    if scripts:
        return Definition(folder, modules=tuple(scripts), is_script=True)
    return Definition(folder, modules=tuple(seen.makers)) if seen.makers else None


def tools_of(folder: Path) -> dict[str, dict[str, Any]]:
    """The ``[tool....]`` tables of ``pyproject.toml``, if there are any."""
    path = folder / "pyproject.toml"
    if not path.is_file():
        return {}
    # Python has tomllib since 3.11; CrewAI brings its predecessor.
    toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        tools = toml.loads(path.read_text(encoding="utf-8-sig")).get("tool", {})
    except ValueError as error:
        raise Refusal(f"{path} cannot be read: {error}") from error
    return {name: table for name, table in tools.items() if isinstance(table, dict)}
