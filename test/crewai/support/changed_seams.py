"""Tells what a version of CrewAI has changed of the names in ``crew_host.seams``. Nothing of CrewAI is run."""

from __future__ import annotations

import ast
import difflib
import subprocess
import sys
import tempfile
from pathlib import Path

from crew_host.seams import NEWEST_CREWAI, Seam, all_seams, text_of_version

# Lines of a change that are shown.
_SHOWN = 30


class Source:
    """The source of one version.

    Args:
        folder: What it was installed in.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.version = next(folder.glob("crewai-*.dist-info")).name.split("-")[1].removesuffix(".dist")
        self._files: dict[Path, str] = {}

    def of(self, seam: Seam) -> str | None:
        """The code that a name stands for; none if its module or class does not define it."""
        owners = [seam.owner, *([seam.formerly.owner] if seam.formerly is not None else [])]
        for owner in owners:
            module, _, kind = owner.partition(":")
            base = self.folder.joinpath(*module.split("."))
            for path in (base.with_suffix(".py"), base / "__init__.py"):
                found = self._find(path, kind, seam.name) if path.is_file() else None
                if found is not None:
                    return found
        return None

    def moved(self, seam: Seam) -> list[str]:
        """The files that a name may have moved to."""
        files = (one for one in (self.folder / "crewai").rglob("*.py") if seam.name in self._text(one))
        return [str(one.relative_to(self.folder)) for one in files]

    def _text(self, path: Path) -> str:
        return self._files.setdefault(path, path.read_text(encoding="utf-8"))

    def _find(self, path: Path, kind: str, name: str) -> str | None:
        text = self._text(path)
        body = ast.parse(text).body
        kind = kind.removesuffix("[]")
        if kind:
            classes = [one for one in ast.walk(ast.Module(body, [])) if isinstance(one, ast.ClassDef)]
            body = next((one.body for one in classes if one.name == kind), [])
        found = [one for one in body if name in _names_of(one)]
        return "\n".join(ast.get_source_segment(text, one) or "" for one in found) if found else None


def install(folder: Path, wanted: str) -> Source:
    """Installs a version, without the libraries that it needs."""
    options = ["uv", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", *options, wanted], check=True)
    return Source(folder)


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [one.asname or one.name for one in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [one.id for one in targets if isinstance(one, ast.Name)]


def tell_changes(before: Source, after: Source) -> int:
    """Prints them; gives how many names are gone."""
    gone = same = unseen = 0
    for seam in all_seams():
        old, new = before.of(seam), after.of(seam)
        if old is None and new is None:
            unseen += 1
            print(f"\nUNSEEN   {seam}, by which the server {seam.why}. A base class has it, or it is set at run time.")
        elif new is None:
            gone += 1
            print(f"\nGONE     {seam}, by which the server {seam.why}. Named in: {after.moved(seam) or 'no file'}")
        elif old != new:
            print(f"\nCHANGED  {seam}, by which the server {seam.why}:")
            lines = [*difflib.unified_diff((old or "").splitlines(), new.splitlines(), lineterm="", n=1)][2:]
            print("\n".join(lines[:_SHOWN] + ["..."] * (len(lines) > _SHOWN)))
        else:
            same += 1
    print(f"\nFrom CrewAI {before.version} to {after.version}: {gone} gone, {same} unchanged, {unseen} not seen.")
    return gone


def main(version: str | None) -> int:
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        before = install(Path(first), f"crewai=={text_of_version(NEWEST_CREWAI)}")
        after = install(Path(second), f"crewai=={version}" if version else "crewai")
        return 1 if tell_changes(before, after) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
