"""A process ends if it has not heard from its server for as long as its lease."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from crew_host.wire.lease import Lease


def test_ends_when_it_was_extended_last() -> None:
    ended = threading.Event()
    begun = time.monotonic()
    lease = Lease(ended.set)
    lease.extend(0.1)
    lease.extend(0.3)
    assert ended.wait(10)
    assert time.monotonic() - begun >= 0.3


def test_ends_at_once_if_it_is_over_already() -> None:
    ended = threading.Event()
    Lease(ended.set).extend(-1)
    assert ended.wait(10)


def test_says_why_it_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        program = "import sys, time; from crew_host.wire.server import Server; Server(sys.argv[1], 1); time.sleep(60)"
        folder = str(Path(__file__).parent.parent)
        with subprocess.Popen(
            [sys.executable, "-c", program, path],
            env={**os.environ, "PYTHONPATH": folder},
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as child:
            connection, _ = listening.accept()
            connection.sendall(b'{"type": "leased", "milliseconds": 1}\n')
            _, errors = child.communicate(timeout=30)
            connection.close()
    assert child.returncode == -signal.SIGKILL
    assert errors == b"This process ends itself: the crew server has not said in time that it may go on\n"
