"""Keys by which an API recognizes a tool's call that is repeated because the first attempt was interrupted."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

_NAMESPACE = UUID("5d0f4f3c-6f0e-4b52-9a8e-3d3f0c1f7a61")


@dataclass(frozen=True)
class _Call:
    """A call of a tool: its task, the tool, the arguments, and how often the same call was made before."""

    task: str
    tool: str
    arguments: str
    place: int


class ToolCalls:
    """The calls of tools in one execution.

    Args:
        execution: The execution's first identifier.
        task_of: Returns the task that an event belongs to, or without an event, the task that calls.
    """

    def __init__(self, execution: str, task_of: Callable[[Any], str | None]) -> None:
        self._execution = execution
        self._task_of = task_of
        self._lock = threading.Lock()
        # For each task, the numbers that are taken, by the names of its calls.
        self._taken: dict[str, dict[str, set[int]]] = {}
        self._running: list[_Call] = []
        # The calls that the caller is inside of, the innermost last.
        self._within: ContextVar[tuple[_Call, ...]] = ContextVar("calls", default=())

    def read(self, _source: object, event: Any) -> None:
        """Reads an event of CrewAI, in the thread that calls the tool."""
        if event.type == "tool_usage_started":
            self._begin(self._task_of(event) or "", str(event.tool_name), _plain(event.tool_args))
        elif event.type in ("tool_usage_finished", "tool_usage_error"):
            self._end(str(event.tool_name), _plain(event.tool_args), event.type == "tool_usage_error")

    def key(self, *what: object) -> str:
        """See ``idempotency_key`` in ``crew_server.py``."""
        within = self._within.get()
        # A thread that the tool has started does not inherit the call.
        call = within[-1] if within else self._running[0] if len(self._running) == 1 else None
        if call is None and not what:
            raise RuntimeError(
                "idempotency_key() does not know which call of a tool it is for here. "
                "Name what must happen only once, for example idempotency_key(order_number)."
            )
        task = call.task if call is not None else self._task_of(None)
        tool = call.tool if call is not None else None
        same = [str(one) for one in what] if call is None or what else [call.arguments, call.place]
        return str(uuid5(_NAMESPACE, json.dumps([self._execution, task, tool, same])))

    def checkpoint(self, task: str) -> dict[str, list[int]]:
        """The calls of a task, for a process that continues at its question."""
        with self._lock:
            return {name: sorted(places) for name, places in self._taken.get(task, {}).items()}

    def restore(self, task: str, checkpoint: Mapping[str, list[int]]) -> None:
        """Continues from a checkpoint."""
        self._taken[task] = {name: set(places) for name, places in checkpoint.items()}

    def _begin(self, task: str, tool: str, arguments: str) -> None:
        with self._lock:
            taken = self._taken.setdefault(task, {}).setdefault(_name(tool, arguments), set())
            call = _Call(task, tool, arguments, next(one for one in itertools.count() if one not in taken))
            taken.add(call.place)
            self._running.append(call)
        self._within.set((*self._within.get(), call))

    def _end(self, tool: str, arguments: str, has_failed: bool) -> None:
        within = self._within.get()
        # CrewAI reports the end of some calls twice.
        if not within or (within[-1].tool, within[-1].arguments) != (tool, arguments):
            return
        call = within[-1]
        self._within.set(within[:-1])
        with self._lock:
            self._running.remove(call)
            # If the call is tried again, it counts as the same one.
            if has_failed:
                self._taken[call.task][_name(tool, arguments)].discard(call.place)


def _name(tool: str, arguments: str) -> str:
    return json.dumps([tool, arguments])


def _plain(arguments: Any) -> str:
    """The arguments as a text that depends neither on their order nor on whether they came as text."""
    try:
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        value = arguments
    return json.dumps(value, sort_keys=True, default=str)


_calls: ToolCalls | None = None


def use_calls(calls: ToolCalls) -> None:
    """Sets the calls of this process, which works on one execution."""
    global _calls
    _calls = calls


def idempotency_key(*what: object) -> str:
    """See ``crew_server.py``, from which projects import it."""
    if _calls is None:
        raise RuntimeError("idempotency_key() can be called only while an execution is running.")
    return _calls.key(*what)
