"""Reads the events of a flow: its methods are the execution's tasks."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from ..errors import last_line_of
from ..wire.reports import Event
from .describe_flow import methods_of
from .events import EventReader, Reporter
from .flow_replay import FlowRecord

# Events of the project's flow itself. An agent is also a flow internally, and its flow events are ignored.
_OF_FLOWS = (
    "flow_started",
    "flow_finished",
    # Only newer versions of CrewAI send it.
    "flow_failed",
    "method_execution_started",
    "method_execution_finished",
    "method_execution_failed",
)


class FlowReader(EventReader):
    """Reads the events of a flow and of what its methods start.

    Args:
        server: Takes each report, and hides keys.
        begun: Called with the name of a method that begins; returns once the store has it.
        record: Keeps the outputs of methods, and of the tasks of their crews.
        done: Called with the name of a finished method and its output; returns once the store has it.
    """

    def __init__(
        self,
        flow: Any,
        server: Reporter,
        begun: Callable[[str], None],
        record: FlowRecord,
        done: Callable[[str, Any], None],
    ) -> None:
        super().__init__({}, server, lambda *_: None, lambda *_: None)
        self._flow = flow
        self._begun = begun
        self._record = record
        self._done = done
        # The method during which an event occurs; each of CrewAI's threads and asyncio tasks has its own.
        self._method: ContextVar[str | None] = ContextVar("method", default=None)
        self.running: set[str] = set()
        # The method that asked, while it is only returning to its question.
        self.coming_back: str | None = None

    @property
    def method(self) -> str | None:
        """The calling method."""
        return self._method.get()

    @property
    def task(self) -> str | None:
        return self.method or next(iter(self.running), None)

    def read(self, source: object, event: Any) -> None:
        if event.type == "crew_kickoff_started":
            self._record.inner.begin(source)
        elif event.type == "task_completed":
            self._record.inner.note(event)
        if source is not self._flow or event.type not in _OF_FLOWS:
            super().read(source, event)
            return
        if event.type.startswith("method_execution_"):
            self._follow_method(event.type, str(event.method_name), event)
        data = {name: getattr(event, name, None) for name in ("flow_name", "method_name")}
        if event.type in ("method_execution_failed", "flow_failed"):
            data["error"] = last_line_of(event.error)
        if self.coming_back is None or event.type in ("flow_finished", "flow_failed"):
            self._send(Event(event.type, {name: str(one) for name, one in data.items() if one is not None}))

    def _follow_method(self, kind: str, name: str, event: Any) -> None:
        if kind == "method_execution_started":
            self._method.set(name)
            self.running.add(name)
            if name != self.coming_back:
                self._begun(name)
            return
        self.running.discard(name)
        if kind == "method_execution_finished":
            self.coming_back = None
            self._record.add(name, event.result)
            self.tell_done(name, event.result)

    def tell_done(self, name: str, result: Any) -> None:
        """Reports that a method has finished."""
        self._done(name, self._output_of(name, result))

    def _output_of(self, name: str, result: Any) -> Any:
        """What the method returned, rather than the outcome of the question about it."""
        if methods_of(self._flow)[name].human_feedback is None:
            return result
        answers = [one.output for one in self._flow.human_feedback_history if one.method_name == name]
        return answers[-1] if answers else result

    def _task_of(self, event: Any) -> str | None:
        return None
