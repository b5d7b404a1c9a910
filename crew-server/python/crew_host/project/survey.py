"""Looks through the modules of a project for crews and flows; imports none."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# What belongs to no project, or is none of its crews.
_PASSED_OVER = {"node_modules", "site-packages", "__pycache__", "build", "dist", "tests", "test", "docs", "env", "venv"}
_DEEPEST = 6
_MOST_FILES = 2_000
_MOST_LINES = 12


@dataclass
class Survey:
    """The modules that define flows, that define crews, that start one as a program, and what else makes one."""

    flows: list[Path] = field(default_factory=list)
    crews: list[Path] = field(default_factory=list)
    scripts: list[Path] = field(default_factory=list)
    notes: dict[Path, str] = field(default_factory=dict)

    def lines(self, folder: Path) -> list[str]:
        """What was seen, for people."""
        return [f"{path.relative_to(folder)}: {note}" for path, note in self.notes.items()][:_MOST_LINES]


def survey(folder: Path) -> Survey:
    """Reads all modules of a project."""
    found = Survey()
    for path in _modules_in(folder):
        tree = _parse(path)
        if tree is None:
            found.notes[path] = "cannot be read"
        else:
            _classify(found, path, tree)
    return found


def mentions(path: Path, pattern: str) -> bool:
    """Whether a module uses such a name; an attribute's begins with a dot.

    A module that cannot be read might, and says why when it is imported.
    """
    if not path.is_file():
        return False
    tree = _parse(path)
    if tree is None:
        return True
    names = (f".{node.attr}" if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in ast.walk(tree))
    return any(re.fullmatch(pattern, name) for name in names if name)


def functions_that_return_crews(path: Path) -> set[str]:
    """The functions of a module that return a new crew, whether they say so or not."""
    tree = _parse(path)
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)] if tree else []
    return {one.name for one in functions if _returns_crew(one)}


def _modules_in(folder: Path) -> Iterator[Path]:
    count = 0
    for place, folders, files in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(
            one
            for one in folders
            if depth < _DEEPEST
            and not one.startswith(".")
            and one not in _PASSED_OVER
            and not (Path(place) / one / "pyvenv.cfg").exists()
        )
        for name in sorted(files):
            if name.endswith(".py") and name not in ("conftest.py", "setup.py"):
                yield Path(place) / name
                count += 1
        if count > _MOST_FILES:
            return


def _parse(path: Path) -> ast.Module | None:
    try:
        return ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return None


def _classify(found: Survey, path: Path, tree: ast.Module) -> None:
    if any(_name_of(base) == "Flow" for kind in _classes(tree) for base in kind.bases):
        found.flows.append(path)
    elif _defines_crew(tree):
        found.crews.append(path)
    elif any(map(_makes_crew, ast.walk(tree))):
        starts = any(isinstance(node, ast.Attribute) and node.attr.startswith("kickoff") for node in ast.walk(tree))
        if starts and not all(isinstance(one, _DEFINING) for one in tree.body):
            found.scripts.append(path)
        else:
            found.notes[path] = f"makes a crew in {_place_of_crew(tree)}, which nothing calls without arguments"
    elif _starts_other(tree):
        found.scripts.append(path)


# Statements that do nothing by themselves.
_DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [one for one in tree.body if isinstance(one, ast.ClassDef)]


def _defines_crew(tree: ast.Module) -> bool:
    """Whether a module has a class, a function or a variable that gives a crew."""
    decorators = [_name_of(one) for kind in _classes(tree) for one in kind.decorator_list]
    methods = [one for kind in _classes(tree) for one in kind.body if isinstance(one, ast.FunctionDef)]
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
    return (
        "CrewBase" in decorators
        or any(one.name == "crew" and _returns_crew(one, "self") for one in methods)
        or any(map(_returns_crew, functions))
        or any(isinstance(one, ast.Assign) and _makes_crew(one.value) for one in tree.body)
    )


def _starts_other(tree: ast.Module) -> bool:
    """Whether a program starts what another module makes."""
    is_main = any(isinstance(one, ast.If) and "__main__" in ast.dump(one.test) for one in tree.body)
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return is_main and any(isinstance(one, ast.Attribute) and one.attr in ("kickoff", "run") for one in calls)


def _returns_crew(function: ast.FunctionDef, given: str | None = None) -> bool:
    arguments = function.args
    needed = arguments.args[: len(arguments.args) - len(arguments.defaults)]
    if {one.arg for one in needed} - {given} or any(one is None for one in arguments.kw_defaults):
        return False
    if function.returns is not None and _name_of(function.returns) == "Crew":
        return True
    nodes = [*ast.walk(function)]
    made = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _makes_crew(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    returned = [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]
    return any(_makes_crew(one) or (isinstance(one, ast.Name) and one.id in made) for one in returned)


def _makes_crew(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _name_of(node.func) == "Crew"


def _name_of(node: ast.AST) -> str:
    """`Crew` of `Crew`, `crewai.Crew`, `"Crew"` and `Crew[...]`."""
    if isinstance(node, ast.Subscript):
        return _name_of(node.value)
    if isinstance(node, ast.Call):
        return _name_of(node.func)
    if isinstance(node, ast.Constant):
        return str(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _place_of_crew(tree: ast.Module) -> str:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    places = [one.name for one in tree.body if isinstance(one, kinds) and any(map(_makes_crew, ast.walk(one)))]
    return places[0] if places else "a block"
