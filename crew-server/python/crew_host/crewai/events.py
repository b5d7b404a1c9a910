"""Turns CrewAI's events into reports: by lists of allowed fields, for events hold agents with their keys."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any, Protocol

from .. import seams
from ..errors import last_line_of
from ..wire.messages import ChildReport, Event, Step, Tokens
from .conversations import Conversations
from .describe import role_of
from .tokens import TokenCounts

# What leaves of each event beside task and agent. Those of tasks and of the crew itself are reports of their own,
# and a running agent is a flow inside, whose events are not reported.
ALLOWED: dict[str, tuple[str, ...]] = {
    "agent_execution_started": ("task_prompt",),
    "agent_execution_completed": ("output",),
    "agent_execution_error": ("error",),
    # Of an agent that works without a task.
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
        # It may never raise: CrewAI calls it unguarded.
        for read in readers:
            try:
                read(source, event)
            except Exception as error:
                print(f"The event {event.type} could not be told: {last_line_of(error)}", file=sys.stderr)

    # What adds a sink does so for its own context only, and a new thread has an empty one.
    seams.SINKS.set(seams.SINKS.load_owner(), ContextVar("sinks", default=(sink,)))


def flush_events() -> None:
    """Waits until what the project listens with has heard all events."""
    seams.EVENT_BUS.load().flush()


class Reporter(Protocol):
    """The crew server, as far as events need it."""

    def send(self, report: ChildReport) -> None:
        """Sends a report."""

    def hide(self, values: Iterable[str]) -> None:
        """Hides these values from now on."""


def keys_of(model: object) -> list[str]:
    """The secrets in a call to a model, no matter where the project got them."""
    holders = [model, getattr(model, "additional_params", None)]
    fields = ("api_key", "extra_headers", "default_headers")
    values = [
        one.get(name) if isinstance(one, dict) else getattr(one, name, None) for one in holders for name in fields
    ]
    texts: list[str] = []
    for value in values:
        for one in value.values() if isinstance(value, Mapping) else [value]:
            # Of "Bearer ..." the second.
            texts += str(one).split()[-1:] if one is not None else []
    return texts


class EventReader:
    """Reads the events of one execution.

    Args:
        names: The names of the crew's tasks by CrewAI's own identifiers.
        server: Takes each report, and hides keys.
        task_begun: Takes a task that begins, and returns once the store has it.
        task_done: Takes a task that is completed, with its output, and likewise.
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
        # The tasks that only come back to where a person was asked: what they do meanwhile was told before.
        self.silent_tasks: set[str] = set()
        # What the guardrail of a task said that has refused its newest output.
        self.refusals: dict[str, str] = {}
        # By who works: crews inside of each other or side by side have their own.
        self._prompts: dict[str, str] = {}
        self._thoughts: dict[str, str] = {}
        self._conversations = Conversations()
        # The task in whose work an event comes, be it of a crew that a tool has started.
        self._current: ContextVar[str | None] = ContextVar("task", default=None)
        self._counted = TokenCounts()
        self._at_work: dict[str, None] = {}

    @property
    def task(self) -> str | None:
        """The task that calls; in a thread of the project's own, the one that has begun last."""
        return self._current.get() or next(reversed(self._at_work), None)

    def task_of(self, event: Any) -> str | None:
        """The task that an event belongs to."""
        return self._task_of(event) or self.task

    def read(self, source: object, event: Any) -> None:
        """Reads an event of CrewAI, and what it comes from."""
        kind = event.type
        if kind.startswith("llm_call_"):
            self._server.hide(keys_of(source))
            self._count(source)
        else:
            # A model of the project's own may count, and have no events.
            self._count(getattr(getattr(event, "agent", None), "llm", None))
        name = self._task_of(event)
        if kind == "task_started" and name:
            self._current.set(name)
            self._at_work[name] = None
        if name in self.silent_tasks:
            if kind == "agent_execution_started":
                self._prompts[_worker_of(event)] = str(event.task_prompt)
            return
        if kind == "task_started" and name:
            self._task_begun(name, event.task)
        elif kind == "task_completed" and name:
            self._at_work.pop(name, None)
            self._task_done(name, event.output)
        elif kind == "llm_guardrail_completed" and name:
            self.refusals[name] = "" if event.success else str(event.error)
        if kind not in ALLOWED:
            return
        self._send(Event(kind, self._allowed(event, name)))
        self._follow(kind, event)

    def _follow(self, kind: str, event: Any) -> None:
        """Makes steps of what belongs to them."""
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
        # The last thought is mostly the answer itself.
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
    """Who works: a task, or an agent without one."""
    holders = ((event, "task", "id"), (event, "agent", "id"))
    task, agent = (getattr(getattr(one, name, None), field, None) for one, name, field in holders)
    info = getattr(event, "agent_info", None) or {}
    known = (task, getattr(event, "task_id", None), agent, getattr(event, "agent_id", None), info.get("id"))
    return str(next((one for one in known if one), info.get("role")))


def _last_text(messages: Any) -> str:
    """What an agent without a task was told."""
    last = messages[-1] if isinstance(messages, list) and messages else messages
    return str(last.get("content") or "") if isinstance(last, dict) else str(last or "")


def _as_text(value: Any) -> str:
    if isinstance(value, BaseException):
        return last_line_of(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _plain(value: Any) -> Any:
    """A value of JSON's types; anything else as its text, since an object may hold anything."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return last_line_of(value) if isinstance(value, BaseException) else f"<{type(value).__name__}>"
