"""Ends a process that has done its work and reported it."""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import logging
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterable
from concurrent.futures import thread as thread_pools
from typing import Any, NoReturn

# In seconds; some threads of CrewAI's libraries never end.
_LONGEST_END = 5.0
# In seconds; a file may be a pipe that nobody reads.
_LONGEST_FLUSH = 1.0

# The files that were open before a fork; after it, the garbage collector no longer lists them.
_noted: list[weakref.ref[io.IOBase]] = []


def note_open_files() -> None:
    """Notes the project's open files, and writes what they hold, so that forks do not each write it."""
    files = _open_files()
    _noted.extend(weakref.ref(file) for file in files)
    _flush(files)


def _open_files() -> list[io.IOBase]:
    kinds = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)
    # Some objects run code if they are asked for their class.
    files = [one for one in gc.get_objects() if issubclass(type(one), kinds)]
    # What a text file holds goes to its file of bytes.
    return sorted(files, key=lambda file: not isinstance(file, io.TextIOWrapper))


def _flush(files: Iterable[Any]) -> None:
    for file in files:
        # The project may have its own kinds of streams.
        with contextlib.suppress(Exception):
            file.flush()


def _flush_all() -> None:
    """Writes what open files still hold, as Python does at its end."""
    _flush([sys.stdout, sys.stderr, *(reference() for reference in _noted), *_open_files()])


def _end_as_python_does() -> None:
    """Waits for threads that are not daemons, then calls what was registered with ``atexit``."""
    deadline = time.monotonic() + _LONGEST_END / 2
    # Otherwise, the threads of a pool (CrewAI's events have one) wait for more work. Python itself calls this first.
    pools = threading.Thread(target=thread_pools._python_exit, daemon=True)  # noqa: SLF001
    pools.start()
    pools.join(_LONGEST_END / 2)
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.main_thread():
            thread.join(max(0.0, deadline - time.monotonic()))
    # Python offers no other way to call them before os._exit.
    atexit._run_exitfuncs()  # noqa: SLF001


def leave(code: int) -> NoReturn:
    """Ends the process after the project's own exit handlers, within a bounded time."""
    # The end was already acknowledged, so nobody waits for what a tracer, say, still has to send.
    ending = threading.Thread(target=_end_as_python_does, name="crew server's end", daemon=True)
    ending.start()
    ending.join(_LONGEST_END)
    logging.shutdown()
    flushing = threading.Thread(target=_flush_all, daemon=True)
    flushing.start()
    flushing.join(_LONGEST_FLUSH)
    os._exit(code)
