"""The host: imports the project, forks children, and reports how they end. It does nothing else."""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
import platform
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from .child import run_child
from .crewai.importing import import_crewai
from .crewai.leaving import note_open_files
from .errors import Refusal
from .project.costs import Costs, watched
from .project.environment import prepare, unshareable
from .project.find import find_definition
from .project.load import Project, load_project
from .redaction import Secrets
from .supervisor.printed import told_afterwards
from .supervisor.processes import adopt_orphans, end_with_parent
from .supervisor.reaper import leave_reaper
from .supervisor.supervisor import Supervisor
from .wire.channel import Channel
from .wire.messages import VERSION, read_message
from .wire.orders import HostOrder, Open
from .wire.reports import Imported, Printed, Refused

_CONTROL = 3
# In seconds: how often an import that takes longer reports where it is.
_LONG_IMPORT = 20


def main(arguments: list[str]) -> None:
    """Runs the host, or with ``--child <number> <open as JSON>`` a child that shares nothing with it.

    With ``--late`` after that, the child imports the project only once there is something to do.
    """
    # So that what is written just before the end is among the last lines.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    # The arguments are not meant for the project.
    del sys.argv[1:]
    if arguments[:1] == ["--child"]:
        end_with_parent()
        adopt_orphans()
        opening = Open(**json.loads(arguments[2]))
        load = functools.cache(_ready(opening)[1])
        if arguments[3:] != ["--late"]:
            load()
        run_child(load, opening, int(arguments[1]))
    channel = Channel(socket.socket(fileno=_CONTROL))
    channel.connection.set_inheritable(False)
    opening = read_message(next(channel.lines()), HostOrder)
    if not isinstance(opening, Open) or opening.version != VERSION:
        raise SystemExit(f"This host speaks version {VERSION} of the protocol.")
    leave_reaper(_CONTROL, opening.storage, opening.socket)
    _serve(channel, opening)


def _serve(channel: Channel, opening: Open) -> None:
    try:
        printed = told_afterwards(lambda lines: channel.send(Printed(0, lines)))
        with _standing_told():
            opened = _open(opening, printed)
    except Refusal as refusal:
        channel.send(Refused(Secrets(os.environ).hide(str(refusal))))
        raise SystemExit(1) from None
    gc.collect()
    note_open_files()
    # Keeps the children's garbage collectors away from existing objects, so that their memory stays shared.
    gc.freeze()
    channel.send(
        Imported(
            version=VERSION,
            crewai=opened.crewai,
            python=platform.python_version(),
            place=opened.project.place,
            shares_memory=opened.shares_memory,
            seconds=[opened.seconds_of_crewai, opened.costs.seconds],
            slow=opened.costs.slow,
            unshareable=opened.unshareable,
        )
    )
    Supervisor(channel, opening, opened.project, opened.shares_memory).live()


@contextlib.contextmanager
def _standing_told() -> Iterator[None]:
    """Makes a long import write its files and lines to standard error, the innermost first."""
    # What the project prints meanwhile does not go there.
    errors = os.dup(sys.stderr.fileno())

    def tell(_: int, frame: FrameType | None) -> None:
        places = [(inner.f_code, line) for inner, line in traceback.walk_stack(frame)]
        lines = [f'  File "{code.co_filename}", line {line} in {code.co_name}\n' for code, line in places]
        os.write(errors, "".join(["Stack (most recent call first):\n", *lines]).encode(errors="replace"))

    # `faulthandler` interrupts at any point, not only between two instructions, which makes Python 3.13 crash.
    before = signal.signal(signal.SIGALRM, tell)
    signal.setitimer(signal.ITIMER_REAL, _LONG_IMPORT, _LONG_IMPORT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        # If the project has set its own handler meanwhile, that stays.
        if signal.getsignal(signal.SIGALRM) is tell:
            signal.signal(signal.SIGALRM, before)
        os.close(errors)


@dataclass(frozen=True)
class _Opened:
    """A project that has been imported."""

    project: Project
    # CrewAI's version, and how long its own import took.
    crewai: str
    seconds_of_crewai: float
    # What the project's import cost.
    costs: Costs
    # Whether this process can be forked, and why not.
    shares_memory: bool
    unshareable: list[str]


def _ready(opening: Open) -> tuple[str, Callable[[], Project]]:
    """Imports CrewAI. Returns its version, and what imports the project."""
    folder = Path(opening.folder)
    crewai = prepare(folder, opening.storage)
    definition = find_definition(folder, opening.entry)
    import_crewai(crewai)
    return crewai, lambda: load_project(definition, opening.crew)


def _open(opening: Open, meanwhile: contextlib.AbstractContextManager[None]) -> _Opened:
    """Imports the project.

    Args:
        meanwhile: Entered while the project's own code runs.
    """
    begun = time.monotonic()
    crewai, load = _ready(opening)
    seconds = time.monotonic() - begun
    before = unshareable()
    with meanwhile, watched(Path(opening.folder)) as costs:
        project = load()
    # A fork copies only one thread, so a lock that another thread holds then stays locked forever. Two processes cannot
    # share a connection. macOS's own libraries do not survive a fork at all.
    is_alone = unshareable() <= before and sys.platform != "darwin"
    repeated = [*project.clocks, *costs.at_exit]
    why = [*repeated, *([] if is_alone else costs.unshareable)]
    return _Opened(project, crewai, seconds, costs, is_alone and not repeated, why)
