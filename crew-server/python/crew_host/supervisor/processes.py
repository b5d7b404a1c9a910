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
# Whatever a host's processes start has this variable, and keeps it in a session of its own: the server and the storage.
_MARK = "CREW_SERVER_OWNER"
# Seconds.
_LONGEST_END = 10.0


def end_with_parent(number: int = signal.SIGKILL) -> None:
    """Makes the system end this process with a signal when its parent dies, if the system can do that."""
    if _IS_LINUX:
        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:
            os.kill(os.getpid(), number)


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


def end_descendants() -> None:
    """Kills all that this process has started, and that those have, and waits until they are gone, if the system tells.

    It has to adopt orphans. What the system cannot end by now, since it hangs in a disk say, is not waited for.
    """
    deadline = time.monotonic() + _LONGEST_END
    while _IS_LINUX and time.monotonic() < deadline:
        for pid in descendants_of(os.getpid()):
            send_signal(pid, signal.SIGKILL)
        try:
            # Those of a process that has ended are this one's children by now.
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.005)
        except ChildProcessError:
            return


def mark_descendants(storage: str, server: int) -> None:
    """Has whatever this process and its forks start be known as that server's, by its process ID, with that storage."""
    os.environ[_MARK] = f"{_identity_of(server)} {storage}"


def end_leftovers(storage: str, server: int) -> None:
    """Kills what hosts with this storage that were killed have left behind, if the system tells.

    Those of this server are gone, and those of servers that are; other servers may use the same storage.
    """
    # What starts another process just now may take a second look.
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
    """A process's ID with its start, since another one may get its ID once it is gone; without a start if it is."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return f"{pid}:"
    # What has ended is there until its parent has read how.
    return f"{pid}:" if state in "ZX" else f"{pid}:{fields[18]}"


def _processes() -> list[int]:
    return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()] if _IS_LINUX else []


def _environment_of(pid: int) -> list[bytes]:
    """The variables with which a process was started; none if it is another user's, or gone."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
