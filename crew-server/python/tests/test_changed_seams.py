"""The command that tells what a new CrewAI has changed: each name that is used is compared in the source of both."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import crew_host
from crew_host.seams import Former, Seam

SUPPORT = Path(crew_host.__file__).parents[3] / "test" / "crewai" / "support"

BEFORE = {
    "crew.py": "class Crew(Base):\n    def same(self): return 1\n    def changed(self): return 1\n    gone: int = 1\n",
    "experimental/executor.py": "class Executor:\n    def moved(self): return 1\n",
}
AFTER = {
    "crew.py": "class Crew(Base):\n    def same(self): return 1\n    def changed(self): return 2\n",
    "parts/__init__.py": "gone = 1\n",
    "agents/executor.py": "class Executor:\n    def moved(self): return 1\n",
}
EXECUTOR = Former("crewai.experimental.executor:Executor", moved_in=(2, 0))
SEAMS = [
    Seam("crewai.crew:Crew", "same", "counts"),
    Seam("crewai.crew:Crew", "changed", "reads"),
    Seam("crewai.crew:Crew", "gone", "writes"),
    Seam("crewai.crew:Crew", "inherited", "waits"),
    Seam("crewai.agents.executor:Executor", "moved", "asks", formerly=EXECUTOR),
]


def installed(folder: Path, version: str, files: dict[str, str]) -> Path:
    (folder / f"crewai-{version}.dist-info").mkdir(parents=True)
    for name, text in files.items():
        path = folder / "crewai" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(SUPPORT)
    command = importlib.import_module("changed_seams")
    monkeypatch.setattr(command, "all_seams", lambda: iter(SEAMS))
    return command


def test_tells_what_is_gone_changed_or_not_seen(
    command: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = command.Source(installed(tmp_path / "before", "1.9.0", BEFORE))
    after = command.Source(installed(tmp_path / "after", "2.0.0", AFTER))
    assert command.tell_changes(before, after) == 1
    assert capsys.readouterr().out.split("\n\n") == [
        "\nCHANGED  Crew.changed, by which the server reads:\n"
        "@@ -1 +1 @@\n-def changed(self): return 1\n+def changed(self): return 2",
        "GONE     Crew.gone, by which the server writes. Named in: ['crewai/parts/__init__.py']",
        "UNSEEN   Crew.inherited, by which the server waits. A base class has it, or it is set at run time.",
        "From CrewAI 1.9.0 to 2.0.0: 1 gone, 2 unchanged, 1 not seen.\n",
    ]
