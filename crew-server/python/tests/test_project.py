"""Where a project's crew or flow is searched for, and what is found out about its code."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from crew_host.errors import Refusal
from crew_host.project.find import find_definition
from crew_host.project.interruption import on_interrupt
from crew_host.project.load import reads_clock
from crew_host.project.placeholders import Argument, Questions, fill_in, own_values
from crew_host.project.survey import calls_at_import, lines_of_kickoffs


@pytest.mark.parametrize(
    ("files", "found"),
    [
        # The layout of `crewai create` comes first, whatever else there is.
        ({"crew.py": "Crew()", "src/one/crew.py": "@CrewBase\nclass A: ..."}, ["src/one/crew.py"]),
        ({"src/one/crew.py": "def a() -> Crew: ...", "src/one/main.py": "class A(Flow): ..."}, ["src/one/main.py"]),
        ({"src/one/crew.py": "from a import b", "main.py": "class A(Flow[B]): ..."}, ["main.py"]),
        # Next come modules that may get it from elsewhere.
        ({"src/one/crew.py": "def a() -> Crew: ..."}, ["src/one/crew.py"]),
        ({"crew.py": "ResearchCrew"}, ["crew.py"]),
        ({"src/one/main.py": "PoemFlow().kickoff()"}, ["src/one/main.py"]),
        ({"src/one/main.py": "Poem().kickoff()", "pyproject.toml": "[tool.crewai]\ntype='flow'"}, ["src/one/main.py"]),
        # Some editors begin a file with a byte order mark.
        ({"main.py": "A(Flow)", "pyproject.toml": "\ufeff[tool.crewai]\ntype='flow'"}, ["main.py"]),
        # A program that reaches a kickoff comes before functions that could only be called.
        ({"a.py": "def a(x): return Crew()", "b.py": "def c(): Crew().kickoff()\ndef d(): c()\nd()"}, ["b.py"]),
        ({"a.py": "def a(x: str): return Crew()", "b.py": "def c(y: int): Crew().kickoff(y)\nserve()"}, ["a.py"]),
    ],
)
def test_finds(tmp_path: Path, files: dict[str, str], found: list[str]) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert [str(path.relative_to(tmp_path)) for path in find_definition(tmp_path).modules] == found


def test_tells_apart_where_a_program_starts_crews(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "def a():\n  One().kickoff()\ndef unused():\n  Two().kickoff()\na()\nThree().crew().kickoff(inputs={})\n"
    )
    assert lines_of_kickoffs(tmp_path / "main.py") == [2, 6]


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("from datetime import datetime\nx = datetime.now()", True),
        ("import time\ntime.sleep(1)", False),
        ("uuid4()", True),
    ],
)
def test_knows_what_asks_for_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, reads: bool) -> None:
    module = ModuleType("clock_of_a_project")
    module.__file__ = str(tmp_path / "clock.py")
    (tmp_path / "clock.py").write_text(text)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert reads_clock(tmp_path) == reads


CLOCKS = """from datetime import date, datetime
from uuid import uuid4

TODAY = f"{date.today():%d}"


class Run:
    id = uuid4()
    at: datetime = Field(default_factory=datetime.now)

    def end(self, now=datetime.now()):
        return datetime.now()


LATE = lambda: date.today()
if __name__ == "__main__":
    date.today()
"""


def test_tells_which_lines_read_the_clock_at_the_import(tmp_path: Path) -> None:
    module = tmp_path / "clocks.py"
    module.write_text(CLOCKS)
    clock = r"\.(today|now)|uuid4"
    assert calls_at_import(module, clock, is_program=False) == [4, 8, 11]
    assert calls_at_import(module, clock, is_program=True) == [4, 8, 11, 12, 15, 17]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("", ["again", "again"]),
        ("[tool.crew-server]\non_interrupt = 'fail'", ["fail", "fail"]),
        ("[tool.crew-server.on_interrupt]\nmail = 'ask'", ["again", "ask"]),
    ],
)
def test_reads_what_is_done_about_tasks_that_are_interrupted(tmp_path: Path, said: str, words: list[str]) -> None:
    (tmp_path / "pyproject.toml").write_text(said)
    assert on_interrupt(tmp_path, ["write", "mail"]) == dict(zip(["write", "mail"], words, strict=True))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("on_interrupt = 'sometimes'", 'cannot be \'sometimes\': write "again", "fail" or "ask"'),
        ("on_interrupt = ['ask']", r"cannot be \['ask'\]"),
        ("on_interrupt = {mail = true}", "cannot be True"),
        ("on_interrupt = {male = 'ask'}", "names male, and there is no such task. There is: write, mail."),
    ],
)
def test_refuses_what_cannot_be_done_about_them(tmp_path: Path, said: str, why: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.crew-server]\n{said}")
    with pytest.raises(Refusal, match=why):
        on_interrupt(tmp_path, ["write", "mail"])


def test_names_what_a_program_asks_for(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "topic = input('What about?').strip()\nkind: str = input()\n"
        "def ask(what): return input(what)\nprint(ask('How long, roughly?'))\n"
    )
    questions = Questions(tmp_path)
    for _ in range(2):
        with questions.answered():
            given = runpy.run_path(str(program))
    assert (given["topic"], given["kind"]) == ("{topic}", "{kind}")
    assert questions.places == {
        "topic": "program.py:1",
        "kind": "program.py:2",
        "how_long_roughly": "program.py:3",
    }
    program.write_text("while True: topic = input()\n")
    with pytest.raises(EOFError), questions.answered():
        runpy.run_path(str(program))


def test_fills_in_what_is_passed_on() -> None:
    given = {"topic": "{subject}", "title": "On {subject} {other}", "count": 3}
    own = own_values(given, ["subject"])
    assert own == {"title": "On {subject} {other}", "count": 3}
    assert fill_in(own, {"subject": "tea"}) == {"title": "On tea {other}", "count": 3}
    assert fill_in({"topics": ["{one}", {"other": "{two}"}]}, {"one": 1}) == {"topics": ["1", {"other": "{two}"}]}


@pytest.mark.parametrize(
    ("used", "is_read"),
    [
        (lambda one: f"On {one}" + one, False),
        (lambda one: "On " + str(one.strip()), False),
        (lambda one: str(Path("texts") / one), False),
        (lambda one: one.strip().lower(), True),
        (lambda one: one.strip("{}"), True),
        (lambda one: one[:5], True),
        (lambda one: one == "tea", True),
        (lambda one: {"tea": 1}.get(one), True),
        (lambda one: int(one) + float(one), True),
        (lambda one: one or "tea", True),
        (lambda one: [*one], True),
    ],
)
def test_notes_what_is_more_than_a_part_of_a_text(used: Callable[[str], object], is_read: bool) -> None:
    argument = Argument("{topic}")
    used(argument)
    assert argument.is_read == is_read
