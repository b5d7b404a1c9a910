"""Private names of CrewAI are used in one module only."""

from __future__ import annotations

from pathlib import Path

import pytest

import crew_host
from crew_host.errors import Refusal
from crew_host.seams import NEWEST_CREWAI, OLDEST_CREWAI, Former, Seam, all_seams, check_seams, text_of_version

ROOT = Path(crew_host.__file__).parent
ENVIRONMENTS = ROOT.parents[2] / "test" / "crewai" / "environments"


def test_no_other_module_has_such_a_name() -> None:
    private = {one.name for one in all_seams() if one.name.startswith("_")}
    others = {path: path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py") if path.name != "seams.py"}
    assert {name for name in private for text in others.values() if f'"{name}"' in text or f".{name}(" in text} == set()
    # Only seams replace methods of CrewAI. The identifier of a state is the project's own.
    assert {path.name for path, text in others.items() if "object.__setattr__" in text} == {"flow_state.py"}


@pytest.mark.parametrize(("name", "version"), [("oldest", OLDEST_CREWAI), ("newest", NEWEST_CREWAI)])
def test_the_versions_are_those_that_are_tested(name: str, version: tuple[int, ...]) -> None:
    assert f"crewai=={text_of_version(version)}\n" in (ENVIRONMENTS / f"{name}.in").read_text()


def test_only_names_that_moved_in_a_supported_version_have_a_former_place() -> None:
    moved = [one.formerly.moved_in for one in all_seams() if one.formerly is not None]
    assert [version for version in moved if not OLDEST_CREWAI < version <= NEWEST_CREWAI] == []


def test_a_name_is_found_at_its_former_place() -> None:
    moved = Seam("no_such_module:Path", "glob", "finds files", formerly=Former("pathlib:Path", moved_in=NEWEST_CREWAI))
    assert moved.is_there()
    assert moved.load() is Path.glob


def test_a_version_that_lacks_something_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    there = Seam("pathlib:Path", "glob", "finds files")
    gone = [Seam("pathlib:Path", "gone", "does what nobody can"), Seam("no_such_module", "it", "does nothing")]
    monkeypatch.setattr("crew_host.seams.all_seams", lambda: iter([there, *gone]))
    with pytest.raises(Refusal) as refusal:
        check_seams("9.9.9")
    assert str(refusal.value).split("\n") == [
        "CrewAI 9.9.9 lacks what the crew server needs:",
        "- Path.gone (pathlib), by which it does what nobody can",
        "- no_such_module.it (no_such_module), by which it does nothing",
        f"It is tested with CrewAI {text_of_version(OLDEST_CREWAI)} to {text_of_version(NEWEST_CREWAI)}: type "
        f"`uv add 'crewai>={text_of_version(OLDEST_CREWAI)},<={text_of_version(NEWEST_CREWAI)}'`, "
        "or install a newer crew-server.",
    ]
