"""What the system knows of processes and can do for them. Linux knows most; elsewhere only process groups are left."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
import weakref
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_IS_LINUX = sys.platform == "linux"
# Whatever a deployment's processes start has this variable, and keeps it in a session of its own.
_MARK = "CREW_SERVER_STORAGE"


def end_with_parent(number: int = signal.SIGKILL) -> None:
    """Makes the system end this process with a signal when its parent dies, if the system can do that."""
    if _IS_LINUX:
        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:
            os.kill(os.getpid(), number)


def outlive_parent() -> None:
    """Takes that back."""
    if _IS_LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, 0)


def adopt_orphans() -> None:
    """Makes this process the parent of all descendants whose own parent has ended, so that none gets out of sight."""
    if _IS_LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def leave_files_to_parent() -> None:
    """Keeps a fork from removing at its end what was made before it, such as temporary files: others need it."""
    for one in [*weakref.finalize._registry]:  # type: ignore[attr-defined]  # noqa: SLF001
        one.atexit = False


def children_of(pid: int) -> list[int]:
    """The children of a process; none if the system does not tell, or the process is gone."""
    found: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    except OSError:
        pass
    return found


def descendants_of(pid: int) -> list[int]:
    """Its children with their children, and so on."""
    children = children_of(pid)
    return [*children, *(one for child in children for one in descendants_of(child))]


def send_signal(pid: int, number: int) -> None:
    """Sends a signal to a process, unless it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def mark_descendants(storage: str) -> None:
    """Has whatever this process and its forks start be known as this deployment's."""
    os.environ[_MARK] = storage


def end_leftovers(storage: str) -> None:
    """Kills what a host of this deployment that was killed itself has left behind, if the system tells."""
    mark = os.fsencode(f"{_MARK}={storage}")
    # What starts another process just now may take a second look.
    for _ in range(100):
        left = [pid for pid in _processes() if mark in _environment_of(pid)]
        if not left:
            return
        for pid in left:
            send_signal(pid, signal.SIGKILL)
        time.sleep(0.01)


def _processes() -> list[int]:
    return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()] if _IS_LINUX else []


def _environment_of(pid: int) -> list[bytes]:
    """The variables with which a process was started; none if it is another user's, or gone."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
