"""What a failure says about itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from crew_host.errors import failure_of, text_of


def test_says_what_failed_after_the_working_folder_was_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    code = compile("raise OSError('no such thing')", str(tmp_path / "tools" / "own.py"), "exec")
    with pytest.raises(OSError, match="no such thing") as raised:
        exec(code)
    text, told, trace = failure_of(raised.value)
    assert text == "OSError: no such thing"
    assert told is not None
    assert told.endswith("tools/own.py:1)")
    assert trace is not None


def test_says_where_somebody_is_asked_at_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = compile("\nraise EOFError('EOF when reading a line')", str(tmp_path / "tools.py"), "exec")
    with pytest.raises(EOFError) as raised:
        exec(code)
    assert text_of(raised.value).startswith(f"{tmp_path / 'tools.py'}:2 waits for an answer at a terminal")


class Wordless(Exception):
    def __str__(self) -> str:
        raise ValueError


def test_names_an_error_that_cannot_say_what_it_is() -> None:
    assert text_of(Wordless()) == "Wordless"


class Group(Exception):
    """As Python has them since 3.11."""

    exceptions = (ValueError("no milk"), KeyError("tea"))


def test_tells_the_parts_of_a_group() -> None:
    group = Group("unhandled errors in a TaskGroup (2 sub-exceptions)")
    assert text_of(group) == "unhandled errors in a TaskGroup (2 sub-exceptions): no milk; KeyError: 'tea'"
