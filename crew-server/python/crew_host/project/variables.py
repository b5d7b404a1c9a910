"""The variables that a project's own modules read."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path


def unset_variables(folder: Path, files: list[Path]) -> dict[str, str]:
    """The unset variables that these files read without a default, each with file and line."""
    found: dict[str, str] = {}
    for file in files:
        for name, line in _read_in(file):
            if name not in os.environ:
                found.setdefault(name, f"{os.path.relpath(file, folder)}:{line}")
    return found


def _read_in(file: Path) -> Iterator[tuple[str, int]]:
    try:
        nodes = [*ast.walk(ast.parse(file.read_bytes()))]
    except (SyntaxError, ValueError, OSError):
        return
    for node in nodes:
        # os.environ["NAME"]
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_environ(node.value):
            name: ast.expr | None = node.slice
        # os.getenv("NAME"), os.environ.get("NAME")
        elif isinstance(node, ast.Call) and _reads_variable(node.func) and len(node.args) == 1 and not node.keywords:
            name = node.args[0]
        else:
            continue
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value, node.lineno


def _is_environ(node: ast.expr) -> bool:
    return getattr(node, "attr", getattr(node, "id", None)) == "environ"


def _reads_variable(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == "get":
        return _is_environ(node.value)
    return getattr(node, "attr", getattr(node, "id", None)) == "getenv"
