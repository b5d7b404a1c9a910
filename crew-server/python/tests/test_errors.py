"""Errors are told in their own words, wherever the project's code has gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from crew_host.errors import failure_of


def test_tells_an_error_in_a_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
