"""What a project prints is reported line by line, without secrets, however the pieces were cut."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from crew_host.errors import failure_of
from crew_host.redaction import Secrets
from crew_host.supervisor.printed import LineTeller, lines_of, told_afterwards

SECRETS = Secrets({"MY_KEY": "k-0123456789", "PEM_KEY": "-----BEGIN-----\nabcdefghij\n"})


def test_tells_lines_without_secrets_colors_and_frames() -> None:
    text = "╭── Task ──╮\n│ \x1b[32mdone with k-0123456789\x1b[0m   │\n\n10 %\r20 %\r\n"
    assert lines_of(text, SECRETS) == ["Task", "done with [secret]", "20 %"]


def test_tells_whole_lines_however_they_were_cut() -> None:
    told: list[str] = []
    teller = LineTeller(SECRETS, told.extend)
    for byte in b"one\nkey k-0123456789\nabcdefghij\nlast":
        teller.take(bytes([byte]))
    assert told == ["one", "key [secret]", "[secret]"]
    teller.end()
    assert told[3:] == ["last"]


def test_keeps_little_of_a_line_without_end() -> None:
    told: list[str] = []
    teller = LineTeller(SECRETS, told.extend)
    for _ in range(100):
        teller.take(b"x" * 65_536)
    teller.take(b"\nnext\n")
    assert [len(line) for line in told] == [2_000, 4]


def test_tells_afterwards_also_what_other_programs_print() -> None:
    told: list[str] = []
    with told_afterwards(told.extend):
        subprocess.run([sys.executable, "-c", "print('from another')"], check=True)
        assert told == []
    assert told == ["from another"]


def test_tells_what_a_stream_of_the_project_still_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    with told_afterwards(told.extend):
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.FileIO(1, "w", closefd=False)))
        print("held back")
    assert told == ["held back"]


def test_says_type_and_place_of_a_failure() -> None:
    try:
        raise ValueError("my own bug")
    except ValueError as error:
        text, reason, trace = failure_of(error)
    assert text == "my own bug"
    assert reason is not None and reason.startswith("ValueError: my own bug (tests/test_printed.py:")
    assert trace is not None and trace.startswith("Traceback") and "in test_says_type" in trace
