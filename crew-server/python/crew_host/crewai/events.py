"""Turns CrewAI's events into reports. Only listed fields pass, since events contain agents with their keys."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any, Protocol

from .. import seams
from ..errors import last_line_of
from ..wire.reports import ChildReport, Event, Step, Tokens
from .conversations import Conversations
from .describe import role_of
from .tokens import TokenCounts

# What leaves the process of each event, besides task and agent. Events of tasks and of the crew itself are
# separate reports. A running agent is a flow internally, and the events of that flow are not reported.
ALLOWED: dict[str, tuple[str, ...]] = {
    "agent_execution_started": ("task_prompt",),
    "agent_execution_completed": ("output",),
    "agent_execution_error": ("error",),
    # From an agent that works without a task.
    "lite_agent_execution_started": ("messages",),
    "lite_agent_execution_completed": ("output",),
    "lite_agent_execution_error": ("error",),
    "tool_usage_started": ("tool_name", "tool_args"),
    "tool_usage_finished": ("tool_name", "tool_args", "output", "from_cache"),
    "tool_usage_error": ("tool_name", "tool_args", "error"),
    "llm_call_started": ("model", "call_id"),
    "llm_call_completed": ("model", "call_id", "usage", "response"),
    "llm_call_failed": ("model", "call_id", "error"),
    "llm_guardrail_started": ("retry_count",),
    "llm_guardrail_completed": ("success", "error", "retry_count"),
    "memory_query_started": (),
    "memory_query_completed": (),
    "memory_query_failed": ("error",),
    "memory_save_started": (),
    "memory_save_completed": (),
    "memory_save_failed": ("error",),
    "knowledge_retrieval_started": (),
    "knowledge_retrieval_completed": (),
    "agent_reasoning_started": (),
    "agent_reasoning_completed": ("plan", "ready"),
    "agent_reasoning_failed": ("error",),
    "mcp_tool_execution_started": ("server_name", "tool_name", "tool_args"),
    "mcp_tool_execution_completed": ("server_name", "tool_name", "tool_args"),
    "mcp_tool_execution_failed": ("server_name", "tool_name", "error"),
}


def listen_to(*readers: Callable[[object, Any], None]) -> None:
    """Makes CrewAI report its events and their source from everywhere, including the project's own threads."""

    def sink(source: object, event: Any) -> None:
        # This must never raise: CrewAI does not catch its errors.
        for read in readers:
            try:
                read(source, event)
            except Exception as error:
                print(f"The event {event.type} could not be reported: {last_line_of(error)}", file=sys.stderr)

    # CrewAI adds a sink only to the current context, and a new thread starts with an empty one.
    seams.SINKS.set(seams.SINKS.load_owner(), ContextVar("sinks", default=(sink,)))


def flush_events() -> None:
    """Waits until the project's own listeners have received all events."""
    seams.EVENT_BUS.load().flush()


class Reporter(Protocol):
    """The parts of the crew server that events need."""

    def send(self, report: ChildReport) -> None:
        """Sends a report."""

    def hide(self, values: Iterable[str]) -> None:
        """Hides these values from now on."""


def keys_of(model: object) -> list[str]:
    """The secrets in a call to a model, however the project got them."""
    holders = [model, getattr(model, "additional_params", None)]
    fields = ("api_key", "extra_headers", "default_headers")
    values = [
        one.get(name) if isinstance(one, dict) else getattr(one, name, None) for one in holders for name in fields
    ]
    texts: list[str] = []
    for value in values:
        for one in value.values() if isinstance(value, Mapping) else [value]:
            # The second word of "Bearer ...".
            texts += str(one).split()[-1:] if one is not None else []
    return texts


class EventReader:
    """Reads the events of one execution.

    Args:
        names: The names of the crew's tasks by CrewAI's own identifiers.
        server: Takes each report, and hides keys.
        task_begun: Called with a task that begins; returns once the store has it.
        task_done: Called with a completed task and its output; returns once the store has it.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        server: Reporter,
        task_begun: Callable[[str, Any], None],
        task_done: Callable[[str, Any], None],
    ) -> None:
        self._names = names
        self._server = server
        self._send = server.send
        self._task_begun = task_begun
        self._task_done = task_done
        # Tasks that are only returning to their questions: what they do was already reported.
        self.silent_tasks: set[str] = set()
        # By task: the message of the guardrail that refused its newest output.
        self.refusals: dict[str, str] = {}
        # By worker, since crews can run inside each other or side by side.
        self._prompts: dict[str, str] = {}
        self._thoughts: dict[str, str] = {}
        self._conversations = Conversations()
        # The task during which an event occurs, even an event of a crew that a tool has started.
        self._current: ContextVar[str | None] = ContextVar("task", default=None)
        self._counted = TokenCounts()
        self._running: dict[str, None] = {}

    @property
    def task(self) -> str | None:
        """The calling task; in a thread of the project, the task that began last."""
        return self._current.get() or next(reversed(self._running), None)

    def task_of(self, event: Any) -> str | None:
        """The task that an event belongs to."""
        return self._task_of(event) or self.task

    def read(self, source: object, event: Any) -> None:
        """Reads an event of CrewAI and its source."""
        kind = event.type
        if kind.startswith("llm_call_"):
            self._server.hide(keys_of(source))
            self._count(source)
        else:
            # The project's own model class may count tokens without sending events.
            self._count(getattr(getattr(event, "agent", None), "llm", None))
        name = self._task_of(event)
        if kind == "task_started" and name:
            self._current.set(name)
            self._running[name] = None
        if name in self.silent_tasks:
            if kind == "agent_execution_started":
                self._prompts[_worker_of(event)] = str(event.task_prompt)
            return
        if kind == "task_started" and name:
            self._task_begun(name, event.task)
        elif kind == "task_completed" and name:
            self._running.pop(name, None)
            self._task_done(name, event.output)
        elif kind == "llm_guardrail_completed" and name:
            self.refusals[name] = "" if event.success else str(event.error)
        if kind not in ALLOWED:
            return
        self._send(Event(kind, self._allowed(event, name)))
        self._follow(kind, event)

    def _follow(self, kind: str, event: Any) -> None:
        """Turns the events that belong to steps into steps."""
        worker = _worker_of(event)
        if kind == "agent_execution_started":
            self._prompts[worker] = str(event.task_prompt)
        elif kind == "lite_agent_execution_started":
            self._prompts[worker] = _last_text(event.messages)
        elif kind == "llm_call_completed":
            self._thoughts[worker] = event.response if isinstance(event.response, str) else ""
        elif kind in ("tool_usage_finished", "tool_usage_error"):
            result = event.output if kind == "tool_usage_finished" else event.error
            self._step(worker, str(event.tool_name), _as_text(event.tool_args), _as_text(result))
        elif kind in ("agent_execution_completed", "lite_agent_execution_completed"):
            self._step(worker, None, None, _as_text(event.output))
            self._conversations.end(worker)

    def _count(self, model: object) -> None:
        counts = self._counted.news(model)
        if counts is not None:
            self._send(Tokens(*counts))

    def _step(self, worker: str, tool: str | None, tool_input: str | None, result: str) -> None:
        thought = self._thoughts.pop(worker, "")
        # The last thought usually repeats the answer.
        thought = "" if thought.strip() == result.strip() else thought
        self._send(Step(self._prompts.get(worker, ""), thought, tool, tool_input, result))

    def _allowed(self, event: Any, name: str | None) -> dict[str, Any]:
        agent = getattr(event, "agent", None)
        info = getattr(event, "agent_info", None) or {}
        role = role_of(agent) if agent is not None else getattr(event, "agent_role", None) or info.get("role")
        data: dict[str, Any] = {}
        place = name or self.task
        if place is not None:
            inner = getattr(getattr(event, "task", None), "name", None) or getattr(event, "task_name", None)
            data |= {"task_id": place, "task_name": name or str(inner or place)}
        if isinstance(role, str):
            data["agent_role"] = role.strip()
        data |= {field: _plain(getattr(event, field, None)) for field in ALLOWED[event.type]}
        if event.type == "llm_call_started":
            data |= _plain(self._conversations.news(_worker_of(event), event.messages))
        return data

    def _task_of(self, event: Any) -> str | None:
        task = getattr(event, "task", None)
        return self._names.get(str(getattr(task, "id", None) or getattr(event, "task_id", None)))


def _worker_of(event: Any) -> str:
    """The worker: a task, or an agent without one."""
    holders = ((event, "task", "id"), (event, "agent", "id"))
    task, agent = (getattr(getattr(one, name, None), field, None) for one, name, field in holders)
    info = getattr(event, "agent_info", None) or {}
    known = (task, getattr(event, "task_id", None), agent, getattr(event, "agent_id", None), info.get("id"))
    return str(next((one for one in known if one), info.get("role")))


def _last_text(messages: Any) -> str:
    """What an agent without a task was asked."""
    last = messages[-1] if isinstance(messages, list) and messages else messages
    return str(last.get("content") or "") if isinstance(last, dict) else str(last or "")


def _as_text(value: Any) -> str:
    if isinstance(value, BaseException):
        return last_line_of(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _plain(value: Any) -> Any:
    """A JSON value as it is; anything else as text, since an object can contain anything."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return last_line_of(value) if isinstance(value, BaseException) else f"<{type(value).__name__}>"
