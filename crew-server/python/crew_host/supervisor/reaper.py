"""The process that outlives a host, and kills what the host and its children leave behind, in any order of ends."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import socket
from pathlib import Path
from typing import NoReturn

from .processes import (
    adopt_orphans,
    end_descendants,
    end_leftovers,
    end_with_parent,
    mark_descendants,
    send_signal,
)


def leave_reaper(control: int, storage: str, address: str) -> None:
    """Continues in a fork, which becomes the host. The process that the server has started becomes its reaper.

    Once the host has ended, the reaper kills all that is left of it, and ends in the same way. If the server ends or
    sends SIGTERM, the reaper kills the host first, since the host may be busy or stopped.

    Args:
        control: The descriptor that only the host may have open.
        storage: By this, leftovers of earlier hosts are recognized.
        address: The server's socket. Its folder, which the server has created, is removed if the server is gone.
    """
    server = os.getppid()
    end_leftovers(storage, server)
    mark_descendants(storage, server)
    adopt_orphans()
    # Blocked until the host's process ID is known.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    end_with_parent(signal.SIGTERM)
    # The server may have ended before that.
    if not _is_served(address):
        _remove_folder_of(address)
        os._exit(0)
    host = os.fork()
    if host == 0:
        os.setsid()
        end_with_parent(signal.SIGTERM)
        adopt_orphans()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        return
    os.close(control)
    signal.signal(signal.SIGTERM, lambda *_: send_signal(host, signal.SIGKILL))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    # Until it is waited for, no other process can get its ID.
    os.waitid(os.P_PID, host, os.WEXITED | os.WNOWAIT)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _, status = os.waitpid(host, 0)
    end_descendants()
    if not _is_served(address):
        _remove_folder_of(address)
    _end_like(os.waitstatus_to_exitcode(status))


def _is_served(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(address) == 0


def _remove_folder_of(address: str) -> None:
    shutil.rmtree(Path(address).parent, ignore_errors=True)


def _end_like(code: int) -> NoReturn:
    """Ends with an exit code, or if that is negative, by the signal of that number."""
    if code < 0:
        # One core dump is enough.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code & 0xFF)
