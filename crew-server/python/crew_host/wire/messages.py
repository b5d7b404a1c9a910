"""The messages between the crew server, the host and its children, as in PROTOCOL.md."""

from __future__ import annotations

import json
import re
import types
import typing
from dataclasses import dataclass, field
from typing import Any

VERSION = 1


class ProtocolError(Exception):
    """The other side sent something that this version does not know."""


@dataclass(frozen=True)
class Open:
    version: int
    folder: str
    crew: str | None
    entry: str | None
    socket: str
    storage: str
    files: str | None


@dataclass(frozen=True)
class Fork:
    child: int


@dataclass(frozen=True)
class End:
    child: int


@dataclass(frozen=True)
class Ask:
    pass


@dataclass(frozen=True)
class Alive:
    pass


@dataclass(frozen=True)
class Describe:
    pass


@dataclass(frozen=True)
class Build:
    pass


@dataclass(frozen=True)
class Begin:
    kickoff_id: str
    begun_as: str
    inputs: dict[str, Any]
    restore: str | None
    traceparent: str | None
    tasks: list[str]
    checkpoint: Any
    done: list[dict[str, Any]]
    approvals: list[dict[str, str]]
    asked: list[dict[str, Any]]


@dataclass(frozen=True)
class Answer:
    task_id: str
    is_approve: bool
    feedback: str


@dataclass(frozen=True)
class Acknowledged:
    number: int


@dataclass(frozen=True)
class Leased:
    milliseconds: int


@dataclass(frozen=True)
class Imported:
    version: int
    crewai: str
    python: str
    place: str
    shares_memory: bool
    seconds: list[float]
    slow: list[str]
    unshareable: list[str]


@dataclass(frozen=True)
class Refused:
    message: str


@dataclass(frozen=True)
class Printed:
    child: int
    lines: list[str]


@dataclass(frozen=True)
class Exited:
    child: int
    code: int | None
    signal: str | None
    lines: list[str]


@dataclass(frozen=True)
class Hello:
    version: int
    child: int
    pid: int


@dataclass(frozen=True)
class DescribedTask:
    name: str
    description: str
    expected_output: str
    agent: str
    human_input: bool
    guardrails: int
    output_file: str | None
    on_interrupt: str = "again"


@dataclass(frozen=True)
class DescribedInput:
    name: str
    type: str | None
    required: bool
    description: str | None
    # The default, if it can be shown.
    default: Any = None
    examples: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class DescribedAgent:
    role: str
    model: str | None


@dataclass(frozen=True)
class Described:
    name: str
    kind: str
    tasks: list[DescribedTask]
    inputs: list[DescribedInput]
    agents: list[DescribedAgent]
    has_hooks: bool
    persists: bool
    builds_early: bool
    warnings: list[str]
    unset: list[str]


@dataclass(frozen=True)
class Checkpoint:
    number: int
    checkpoint: Any


@dataclass(frozen=True)
class TaskBegun:
    number: int
    task_id: str
    description: str
    expected_output: str
    agent: str


@dataclass(frozen=True)
class Step:
    prompt: str
    thought: str
    tool: str | None
    tool_input: str | None
    result: str


@dataclass(frozen=True)
class Tokens:
    total: int
    prompt: int
    completion: int


@dataclass(frozen=True)
class Event:
    name: str
    data: dict[str, Any]


@dataclass(frozen=True)
class FileWritten:
    pass


@dataclass(frozen=True)
class Question:
    number: int
    task_id: str
    output: str
    output_json: Any
    reason: str | None
    works_on: bool
    checkpoint: Any


@dataclass(frozen=True)
class Paused:
    number: int


@dataclass(frozen=True)
class TaskSkipped:
    number: int
    task_id: str


@dataclass(frozen=True)
class TaskDone:
    number: int
    task_id: str
    output: str
    output_json: Any
    checkpoint: Any
    description: str
    expected_output: str
    agent: str


@dataclass(frozen=True)
class TaskLost:
    number: int
    task_id: str
    error: str


@dataclass(frozen=True)
class CrewDone:
    number: int
    output: str
    output_json: Any


@dataclass(frozen=True)
class Failed:
    number: int
    error: str
    reason: str | None = None
    traceback: str | None = None


HostOrder = Open | Fork | End | Ask
ChildOrder = Describe | Build | Begin | Answer | Acknowledged | Leased
HostReport = Imported | Refused | Printed | Exited | Alive
Lasting = Checkpoint | TaskBegun | Question | Paused | TaskSkipped | TaskDone | TaskLost | CrewDone | Failed
ChildReport = Hello | Described | Step | Tokens | Event | FileWritten | Lasting


def name_of(kind: type[object]) -> str:
    """``TaskDone`` -> ``task_done``: a message's ``type``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def read_message(line: bytes, kinds: types.UnionType) -> Any:
    """Reads a line as one of the messages.

    Raises:
        ProtocolError: It is none of them, or has the wrong fields.
    """
    try:
        fields = json.loads(line)
        kind = {name_of(one): one for one in typing.get_args(kinds)}[fields.pop("type")]
        types_of_fields = typing.get_type_hints(kind)
        if fields.keys() != types_of_fields.keys():
            raise ValueError(f"fields {sorted(fields)}")
        for name, expected in types_of_fields.items():
            if expected is not Any and not isinstance(fields[name], _plain(expected)):
                raise ValueError(f"field {name}")
        return kind(**fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ProtocolError(f"unknown message {line[:200]!r}: {error}") from error


def _plain(expected: Any) -> Any:
    """A type without the types inside its lists and objects."""
    if isinstance(expected, types.UnionType):
        return tuple(map(_plain, typing.get_args(expected)))
    return typing.get_origin(expected) or expected
