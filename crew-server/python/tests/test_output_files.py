"""Inputs cannot move an output file out of its folder."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from crew_host import seams
from crew_host.crewai.output_files import leads_out, save_below


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("out/{topic}.md", "out/../../x.md"),
        ("out/{topic}.md", "out/../x.md"),
        ("out/{topic}.md", "out/../outside/x.md"),
        ("{topic}", "/etc/passwd"),
        ("{topic}", "~/x"),
        ("{topic}", "../x"),
        ("{topic}", "."),
        ("out/{topic}.md", "out/a\0.md"),
    ],
)
def test_refuses(template: str, filled: str) -> None:
    assert leads_out(template, filled)


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("out/{topic}.md", "out/tea.md"),
        ("out/{topic}.md", "out/green/tea.md"),
        ("out/{topic}.md", "out/a/../tea.md"),
        ("out/{topic}.md", "out/..tea.md"),
        ("report.md", "report.md"),
        ("{folder}/report.md", "here/report.md"),
    ],
)
def test_allows(template: str, filled: str) -> None:
    assert not leads_out(template, filled)


class Task(SimpleNamespace):
    """The parts of CrewAI's tasks that are used."""

    saved: list[tuple[str, str]]

    def save(self, content: str) -> None:
        if content == "":
            raise OSError("No space left on device")
        self.saved.append((self.output_file, content))


@pytest.fixture
def task(monkeypatch: pytest.MonkeyPatch) -> Task:
    monkeypatch.setattr(Task, "save", Task.save)
    monkeypatch.setattr(seams, "SAVE_FILE", seams.Seam(f"{__name__}:Task", "save", "writes a file"))
    return Task(output_file="out/tea.md", saved=[])


@pytest.mark.parametrize("is_shared", [True, False])
def test_are_written_below_a_folder_and_told_of(task: Task, tmp_path: Path, is_shared: bool) -> None:
    told: list[str] = []
    save_below(str(tmp_path) if is_shared else None, lambda: told.append("written"))
    task.save("Leaves")
    assert task.saved == [(str(tmp_path / "out" / "tea.md") if is_shared else "out/tea.md", "Leaves")]
    assert (tmp_path / "out").is_dir() == is_shared
    assert task.output_file == "out/tea.md"
    assert told == ["written"]
    with pytest.raises(OSError, match="No space"):
        task.save("")
    assert task.output_file == "out/tea.md"
    assert told == ["written"]
