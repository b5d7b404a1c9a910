"""Processes that a killed host has left behind."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from crew_host.supervisor.processes import end_leftovers, mark_descendants

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the variables of processes")


def sleeper() -> subprocess.Popen[bytes]:
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    # The system tells its variables a moment after it has begun.
    while not Path(f"/proc/{process.pid}/environ").read_bytes():
        time.sleep(0.001)
    return process


def test_ends_what_was_left_behind_and_nothing_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREW_SERVER_STORAGE", "")
    strangers = sleeper()
    mark_descendants("/data/other")
    others = sleeper()
    mark_descendants("/data/ours")
    ours = sleeper()
    end_leftovers("/data/ours")
    assert ours.wait(10) == -9
    assert (strangers.poll(), others.poll()) == (None, None)
    for one in (strangers, others):
        one.kill()
        one.wait()
