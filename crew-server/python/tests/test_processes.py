"""Processes that a killed host has left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crew_host.supervisor.processes import end_leftovers, mark_descendants

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the variables of processes")

Sleeper = Callable[[], subprocess.Popen[bytes]]


@pytest.fixture
def sleeper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sleeper]:
    monkeypatch.setenv("CREW_SERVER_OWNER", "")
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        process = subprocess.Popen(["sleep", "600"], start_new_session=True)
        started.append(process)
        # The system shows a process's variables a moment after its start.
        while not Path(f"/proc/{process.pid}/environ").read_bytes():
            time.sleep(0.001)
        return process

    yield start
    for one in started:
        one.kill()
        one.wait()


def test_ends_what_was_left_behind_and_nothing_of_others(sleeper: Sleeper) -> None:
    server = os.getpid()
    strangers = sleeper()
    mark_descendants("/data/other", server)
    others = sleeper()
    mark_descendants("/data/our s", server)
    ours = sleeper()
    end_leftovers("/data/our s", server)
    assert ours.wait(10) == -9
    assert (strangers.poll(), others.poll()) == (None, None)


def test_spares_what_another_server_with_the_same_storage_has_started_as_long_as_that_lives(sleeper: Sleeper) -> None:
    other_server = sleeper()
    mark_descendants("/data", other_server.pid)
    theirs = sleeper()
    end_leftovers("/data", os.getpid())
    assert theirs.poll() is None
    # Its exit code has not been read.
    other_server.kill()
    os.waitid(os.P_PID, other_server.pid, os.WEXITED | os.WNOWAIT)
    end_leftovers("/data", os.getpid())
    assert theirs.wait(10) == -9


def test_ends_what_is_left_of_a_server_whose_process_id_another_process_has_got(sleeper: Sleeper) -> None:
    reused = sleeper()
    mark_descendants("/data", reused.pid)
    mark = os.environ["CREW_SERVER_OWNER"]
    os.environ["CREW_SERVER_OWNER"] = mark.replace(f"{reused.pid}:", f"{reused.pid}:9")
    left = sleeper()
    end_leftovers("/data", os.getpid())
    assert left.wait(10) == -9
    assert reused.poll() is None
