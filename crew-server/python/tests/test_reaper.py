"""What is left of a host and its children, whatever the order in which they, the server and the reaper end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of a process whose parent has ended")

# A server: listens, starts the host's program, and reads its exit code.
_SERVER = """
import os, socket, subprocess, sys
folder, program = sys.argv[1:]
listening = socket.socket(socket.AF_UNIX)
listening.bind(folder + "/children")
listening.listen()
control, other = socket.socketpair()
host = subprocess.Popen([sys.executable, "-c", program, folder, str(other.fileno())], pass_fds=[other.fileno()])
other.close()
print(host.pid, flush=True)
print(host.wait(), flush=True)
while True:
    listening.accept()
"""

# A host: its child starts one process that does not know the server, and forks another, both in their own sessions.
_HOST = """
import os, signal, subprocess, sys, time
from crew_host.supervisor.processes import adopt_orphans, end_with_parent
from crew_host.supervisor.reaper import leave_reaper
folder, control = sys.argv[1:]
leave_reaper(int(control), folder + "/storage", folder + "/children")
host = os.getpid()
child = os.fork()
if child == 0:
    os.setsid()
    end_with_parent()
    adopt_orphans()
    sleeper = subprocess.Popen(["sleep", "600"], env={}, start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with open(folder + "/pids", "w") as file:
            file.write(f"{host} {os.getppid()} {os.getpid()} {sleeper.pid}\\n")
    time.sleep(600)
signal.signal(signal.SIGUSR1, lambda *_: os._exit(7))
while True:
    time.sleep(600)
"""


@dataclass
class _Processes:
    folder: Path
    server: subprocess.Popen[str]
    reaper: int
    host: int
    child: int
    # The processes that the child has started.
    others: list[int]

    def exit_code(self) -> int:
        """The exit code of the host that the server sees."""
        assert self.server.stdout is not None
        return int(self.server.stdout.readline())


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[_Processes]:
    folder = tmp_path / "s"
    folder.mkdir()
    server = subprocess.Popen([sys.executable, "-c", _SERVER, str(folder), _HOST], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    reaper = int(server.stdout.readline())
    pids = folder / "pids"
    _until(lambda: pids.exists() and pids.read_text().endswith("\n"))
    host, child, *others = map(int, pids.read_text().split())
    yield _Processes(folder, server, reaper, host, child, others)
    server.kill()
    server.wait()
    server.stdout.close()
    for pid in filter(_is_alive, [reaper, host, child, *others]):
        os.kill(pid, signal.SIGKILL)


def _all_are_gone(processes: _Processes) -> bool:
    return not any(map(_is_alive, [processes.reaper, processes.host, processes.child, *processes.others]))


@pytest.mark.parametrize(
    "victims",
    ["server", "host server", "server host", "server child", "child server host", "child host server", "host child"],
)
def test_leaves_nothing_of_what_a_child_has_started_whoever_is_killed(processes: _Processes, victims: str) -> None:
    pids = {"server": processes.server.pid, "host": processes.host, "child": processes.child}
    assert all(map(_is_alive, [*pids.values(), *processes.others]))
    # A server that is killed after its reaper has ended leaves its folder.
    os.kill(processes.reaper, signal.SIGSTOP)
    for victim in victims.split():
        os.kill(pids[victim], signal.SIGKILL)
    os.kill(processes.reaper, signal.SIGCONT)
    _until(lambda: _all_are_gone(processes))
    # The server has created the folder, and uses it with the next host.
    assert processes.folder.exists() == ("server" not in victims)


def test_ends_also_a_host_that_is_stopped(processes: _Processes) -> None:
    os.kill(processes.host, signal.SIGSTOP)
    os.kill(processes.child, signal.SIGSTOP)
    processes.server.kill()
    _until(lambda: _all_are_gone(processes))
    assert not processes.folder.exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGUSR1, 7), (signal.SIGSEGV, -signal.SIGSEGV)])
def test_ends_as_the_host_did_once_nothing_is_left(processes: _Processes, number: signal.Signals, code: int) -> None:
    os.kill(processes.host, number)
    assert processes.exit_code() == code
    assert _all_are_gone(processes)


def test_kills_the_host_when_the_server_tells_it_to_end(processes: _Processes) -> None:
    os.kill(processes.host, signal.SIGSTOP)
    os.kill(processes.reaper, signal.SIGTERM)
    assert processes.exit_code() == -signal.SIGKILL
    assert _all_are_gone(processes)


def test_begins_no_host_without_a_server(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / "children"))
    listening.close()
    host = subprocess.run([sys.executable, "-c", _HOST, str(folder), "1"], check=True)
    assert host.returncode == 0
    assert not folder.exists()
