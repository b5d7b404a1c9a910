"""What the system knows about processes. Linux knows most; elsewhere there are only process groups."""

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
# Everything that a host's processes start inherits this variable, even in a new session: the server and the storage.
_MARK = "CREW_SERVER_OWNER"
# In seconds.
_LONGEST_END = 10.0


def end_with_parent(number: int = signal.SIGKILL) -> None:
    """Makes the system send this process a signal when its parent dies, if the system can."""
    if _IS_LINUX:
        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:
            os.kill(os.getpid(), number)


def adopt_orphans() -> None:
    """Makes this process the parent of all descendants whose own parent has ended, so that none is lost."""
    if _IS_LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def leave_files_to_parent() -> None:
    """Keeps a fork from removing, when it ends, what was created before it, such as temporary files: others need it."""
    for one in [*weakref.finalize._registry]:  # type: ignore[attr-defined]  # noqa: SLF001
        one.atexit = False


def children_of(pid: int) -> list[int]:
    """The children of a process; none if the system does not know, or the process is gone."""
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


def end_descendants() -> None:
    """Kills all descendants of this process, and waits until they are gone, if the system knows them.

    The process must adopt orphans. It does not wait for what the system cannot end, e.g. a process stuck on a disk.
    """
    deadline = time.monotonic() + _LONGEST_END
    while _IS_LINUX and time.monotonic() < deadline:
        for pid in descendants_of(os.getpid()):
            send_signal(pid, signal.SIGKILL)
        try:
            # By now, the children of a process that has ended are this one's.
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.005)
        except ChildProcessError:
            return


def mark_descendants(storage: str, server: int) -> None:
    """Marks everything that this process and its forks start as belonging to that server and that storage."""
    os.environ[_MARK] = f"{_identity_of(server)} {storage}"


def end_leftovers(storage: str, server: int) -> None:
    """Kills what killed hosts with this storage have left behind, if the system knows it.

    That is what belongs to this server, or to servers that are gone. Other servers may use the same storage.
    """
    # A process may be starting another one right now, so look again until none is left.
    for _ in range(100):
        left = [pid for pid in _processes() if _is_left_behind(pid, storage, server)]
        if not left:
            return
        for pid in left:
            send_signal(pid, signal.SIGKILL)
        time.sleep(0.01)


def _is_left_behind(pid: int, storage: str, server: int) -> bool:
    prefix = os.fsencode(f"{_MARK}=")
    mark = next((one for one in _environment_of(pid) if one.startswith(prefix)), prefix)
    owner, _, its_storage = os.fsdecode(mark.removeprefix(prefix)).partition(" ")
    if its_storage != storage:
        return False
    number = owner.partition(":")[0]
    return number == str(server) or not number.isdigit() or owner != _identity_of(int(number))


def _identity_of(pid: int) -> str:
    """A process's ID with its start time, since the ID can be reused; without the time if the process is gone."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return f"{pid}:"
    # A process that has ended stays visible until its parent has read its exit code.
    return f"{pid}:" if state in "ZX" else f"{pid}:{fields[18]}"


def _processes() -> list[int]:
    return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()] if _IS_LINUX else []


def _environment_of(pid: int) -> list[bytes]:
    """The variables that a process was started with; none if it is another user's, or gone."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
