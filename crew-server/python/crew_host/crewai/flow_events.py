"""Reads the events of a flow: its methods are the execution's tasks."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from .describe_flow import methods_of
from .events import EventReader, Reporter


class FlowReader(EventReader):
    """Reads the events of a flow and of what its methods start.

    Args:
        server: Takes each report, and hides keys.
        begun: Takes the name of a method that begins, and returns once the store has it.
        done: Takes the name of a method that is done, with its output, and likewise.
    """

    def __init__(
        self, flow: Any, server: Reporter, begun: Callable[[str], None], done: Callable[[str, Any], None]
    ) -> None:
        super().__init__({}, server, lambda *_: None, lambda *_: None)
        self._flow = flow
        self._begun = begun
        self._done = done
        # The method in whose work an event comes; each of CrewAI's threads and tasks knows its own.
        self._method: ContextVar[str | None] = ContextVar("method", default=None)
        self.at_work: set[str] = set()
        # The asked method, as long as it only comes back to its question.
        self.coming_back: str | None = None

    @property
    def method(self) -> str | None:
        """The method that calls."""
        return self._method.get()

    def read_from(self, source: object, event: Any) -> None:
        if source is self._flow and event.type.startswith("method_execution_"):
            self._follow_method(event.type, str(event.method_name), event)
        else:
            self.read(source, event)

    def _follow_method(self, kind: str, name: str, event: Any) -> None:
        if kind == "method_execution_started":
            self._method.set(name)
            self.at_work.add(name)
            if name != self.coming_back:
                self._begun(name)
            return
        self.at_work.discard(name)
        if kind == "method_execution_finished":
            self.coming_back = None
            self._done(name, self._output_of(name, event.result))

    def _output_of(self, name: str, result: Any) -> Any:
        """What the method returned, rather than what became of the question about it."""
        if methods_of(self._flow)[name].human_feedback is None:
            return result
        answers = [one.output for one in self._flow.human_feedback_history if one.method_name == name]
        return answers[-1] if answers else result

    def _task_of(self, event: Any) -> str | None:
        return self.method

    def _allowed(self, event: Any, name: str | None) -> dict[str, Any]:
        inner = getattr(getattr(event, "task", None), "name", None) or getattr(event, "task_name", None)
        return super()._allowed(event, name) | ({"task_name": str(inner)} if inner else {})
