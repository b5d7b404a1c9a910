"""Searches the modules of a project for crews and flows, without importing any."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

# Folders that are not part of the project, or have none of its crews.
_PASSED_OVER = {"node_modules", "site-packages", "__pycache__", "build", "dist", "tests", "test", "docs", "env", "venv"}
_DEEPEST = 6
_MOST_FILES = 2_000
_MOST_LINES = 12
# The usual names of the function that starts a crew.
_STARTERS = ("run", "kickoff", "main")
# These do nothing by themselves, but can be called.
_PARTS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass
class Survey:
    """The modules that define flows, that define crews, that start one as a program, and that make one from texts."""

    flows: list[Path] = field(default_factory=list)
    crews: list[Path] = field(default_factory=list)
    scripts: list[Path] = field(default_factory=list)
    makers: list[Path] = field(default_factory=list)
    # Other places that make one.
    notes: dict[Path, str] = field(default_factory=dict)

    def lines(self, folder: Path) -> list[str]:
        """What was found, as lines for people."""
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
    """Whether a module uses a name that fits the pattern; an attribute's name starts with a dot.

    A module that cannot be read counts as if it did: its import will say what is wrong.
    """
    if not path.is_file():
        return False
    tree = _parse(path)
    if tree is None:
        return True
    names = map(_dotted, ast.walk(tree))
    return any(re.fullmatch(pattern, name) for name in names if name)


def calls_at_import(path: Path, pattern: str, is_program: bool) -> list[int]:
    """The lines in which a module calls such a name as soon as it is imported, or run as a program."""
    tree = _parse(path)
    pending: list[ast.AST] = [*tree.body] if tree else []
    lines = set()
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not is_program:
            pending += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        elif is_program or not (isinstance(node, ast.Lambda) or _is_main(node)):
            if isinstance(node, ast.Call) and re.fullmatch(pattern, _dotted(node.func)):
                lines.add(node.lineno)
            pending += ast.iter_child_nodes(node)
    return sorted(lines)


def _dotted(node: ast.AST) -> str:
    return f".{node.attr}" if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_main(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "__main__" in ast.dump(node.test)


def imports_relatively(path: Path) -> bool:
    """Whether a module imports its neighbors by a dot, which only a module of a package can."""
    tree = _parse(path)
    return tree is not None and any(isinstance(one, ast.ImportFrom) and one.level > 0 for one in ast.walk(tree))


def functions_that_make_crews(path: Path) -> dict[str, bool]:
    """The functions of a module that create a crew, and whether they return it or start it themselves."""
    tree = _parse(path)
    return {one.name: _returns_crew(one) for one in _functions(tree) if _makes_any(one)} if tree else {}


def methods_that_start_crews(path: Path) -> dict[str, list[str]]:
    """The classes of a module that make a crew, each with its methods that start or make it."""
    tree = _parse(path)
    return {one.name: methods for one in _classes(tree) if (methods := _methods_that_start(one))} if tree else {}


def function_that_gives(path: Path, class_name: str) -> str | None:
    """The function of a program, which `crewai run` would call, that gives a class its arguments."""
    tree = _parse(path) if path.is_file() else None
    functions = [one for one in _functions(tree) if one.name in _STARTERS and not _needs(one, _ANY)] if tree else []
    calls = ((one.name, node) for one in functions for node in ast.walk(one) if isinstance(node, ast.Call))
    return next((name for name, one in calls if _name_of(one.func) == class_name and (one.args or one.keywords)), None)


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
    elif _makes_any(tree):
        if any(_kickoffs_in(tree)):
            found.scripts.append(path)
        elif any(map(_makes_of_texts, _functions(tree))) or any(map(_methods_that_start, _classes(tree))):
            found.makers.append(path)
        else:
            found.notes[path] = f"makes a crew in {_place_of_crew(tree)}, which nothing calls without arguments"
    elif _starts_other(tree):
        found.scripts.append(path)
    elif any(_kickoffs_in(tree)) and _makes_any(tree, "Agent"):
        found.notes[path] = "starts an agent by itself: put it into a crew, or into a method of a flow"


def _classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [one for one in tree.body if isinstance(one, ast.ClassDef)]


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [one for one in tree.body if isinstance(one, ast.FunctionDef)]


def _defines_crew(tree: ast.Module) -> bool:
    """Whether a module has a class, a function or a variable that makes a crew."""
    decorators = [_name_of(one) for kind in _classes(tree) for one in kind.decorator_list]
    methods = [one for kind in _classes(tree) for one in kind.body if isinstance(one, ast.FunctionDef)]
    return (
        "CrewBase" in decorators
        or any(one.name == "crew" and _returns_crew(one) and not _needs(one, _ANY, {"self"}) for one in methods)
        or any(_returns_crew(one) and not _needs(one, _ANY) for one in _functions(tree))
        or any(isinstance(one, ast.Assign) and _makes_crew(one.value) for one in tree.body)
    )


def lines_of_kickoffs(path: Path) -> list[int]:
    """The lines of its own module in which a program starts a crew or a flow."""
    tree = _parse(path)
    return sorted({node.lineno for node in _kickoffs_in(tree)}) if tree else []


def _kickoffs_in(tree: ast.Module) -> Iterator[ast.Attribute]:
    """The kickoffs that a module reaches by itself, also through its own functions and classes."""
    parts = {one.name: one for one in tree.body if isinstance(one, _PARTS)}
    pending: list[ast.AST] = [one for one in tree.body if not isinstance(one, _PARTS)]
    while pending:
        part = pending.pop()
        yield from _kickoffs_of(part)
        for node in ast.walk(part):
            called = parts.pop(_name_of(node.func), None) if isinstance(node, ast.Call) else None
            if called is not None:
                pending.append(called)


def _starts_other(tree: ast.Module) -> bool:
    """Whether a program starts a crew or flow that another module makes."""
    is_main = any(map(_is_main, tree.body))
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return is_main and any(isinstance(one, ast.Attribute) and one.attr in ("kickoff", "run") for one in calls)


def _needs(function: ast.FunctionDef, kinds: re.Pattern[str], given: Collection[str] = ()) -> bool:
    """Whether a function needs an argument of such a type, by its annotation, besides the given ones."""
    arguments = function.args
    needed = arguments.args[: len(arguments.args) - len(arguments.defaults)]
    needed += [one for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default is None]
    return any(
        one.arg not in given and kinds.fullmatch(_name_of(one.annotation) if one.annotation else "") for one in needed
    )


_ANY = re.compile(r".*")
_KICKOFF = re.compile(r"a?kickoff")
_NO_TEXT = re.compile(r"(?!str$|Any$).+")


def _returns_crew(function: ast.FunctionDef) -> bool:
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


def _methods_that_start(kind: ast.ClassDef) -> list[str]:
    """The methods of a class that start the crew that it makes, else those that make it; none needs an argument."""
    methods = [one for one in kind.body if isinstance(one, ast.FunctionDef)]
    init = [one for one in methods if one.name == "__init__"]
    if not _makes_any(kind) or any(_needs(one, _NO_TEXT, {"self"}) for one in init):
        return []
    free = [one for one in methods if one not in init and not _needs(one, _ANY, {"self"})]
    starting = [one for one in free if any(_kickoffs_of(one))]
    return [one.name for one in starting or free if starting or _makes_any(one)]


def _makes_of_texts(function: ast.FunctionDef) -> bool:
    return _makes_any(function) and not _needs(function, _NO_TEXT)


def _kickoffs_of(node: ast.AST) -> Iterator[ast.Attribute]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Attribute) and _KICKOFF.match(one.attr))


def _makes_any(node: ast.AST, kind: str = "Crew") -> bool:
    return any(_makes(one, kind) for one in ast.walk(node))


def _makes_crew(node: ast.AST) -> bool:
    return _makes(node, "Crew")


def _makes(node: ast.AST, kind: str) -> bool:
    return isinstance(node, ast.Call) and _name_of(node.func) == kind


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
    places = [one.name for one in tree.body if isinstance(one, _PARTS) and _makes_any(one)]
    return places[0] if places else "a block"
