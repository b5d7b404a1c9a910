"""The costs of an import are reported with file and line."""

from __future__ import annotations

import atexit
import builtins
import importlib
import re
import sys
import threading
from pathlib import Path

import pytest

from crew_host.project.costs import watched
from crew_host.project.variables import unset_variables

SLOW = """import time
time.sleep(0.2)
"""
OPENING = """import sqlite3
import threading
import costs_slow

threading.Thread(target=print, args=("",)).start()
sqlite3.connect(":memory:")
"""


def test_tells_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "costs_slow.py").write_text(SLOW)
    (tmp_path / "costs_opening.py").write_text(OPENING)
    monkeypatch.syspath_prepend(tmp_path)
    before = builtins.__import__, threading.Thread.start
    with watched(tmp_path.resolve()) as costs:
        importlib.import_module("costs_opening")
    assert costs.seconds > 0.2
    assert [re.sub(r"[\d.]+ s$", "", one) for one in costs.slow] == ["costs_opening.py:3 imports costs_slow: "]
    assert costs.unshareable == ["costs_opening.py:5 starts a thread", "costs_opening.py:6 opens a database"]
    # Afterwards, nothing is watched.
    assert (builtins.__import__, threading.Thread.start) == before
    sys.modules["sqlite3"].connect(":memory:").close()
    assert len(costs.unshareable) == 2


AT_EXIT = """import atexit
import costs_library

atexit.register(print)


@atexit.register
def end():
    pass
"""


def test_tells_what_the_project_itself_does_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "costs_library.py").write_text("import atexit\natexit.register(print)\n")
    (tmp_path / "costs_at_exit.py").write_text(AT_EXIT)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(library)
    before = atexit.register
    with watched(tmp_path.resolve()) as costs:
        module = importlib.import_module("costs_at_exit")
    places = [one.partition(" ")[0] for one in costs.at_exit]
    assert (places, atexit.register) == (["costs_at_exit.py:4", "costs_at_exit.py:7"], before)
    for function in (print, module.end):
        atexit.unregister(function)


def test_tells_variables_that_are_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IS_SET", "yes")
    file = tmp_path / "reading.py"
    file.write_text(
        'import os\nfrom os import environ, getenv\nA = os.environ["FIRST"]\nB = getenv("SECOND")\n'
        'C = environ.get("THIRD")\nD = os.environ["IS_SET"], os.getenv("FOURTH", "default")\nos.environ["FIFTH"] = A\n'
    )
    assert unset_variables(tmp_path, [file]) == {
        "FIRST": "reading.py:3",
        "SECOND": "reading.py:4",
        "THIRD": "reading.py:5",
    }
