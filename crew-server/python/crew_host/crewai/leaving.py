"""Ends a process that has done its work and reported it."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
import time
from concurrent.futures import thread as thread_pools
from typing import NoReturn

# In seconds; some threads of CrewAI's libraries never end.
_LONGEST_END = 5.0


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
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(code)
