"""What the host and its children tell the crew server, as in PROTOCOL.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
class Alive:
    pass


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


HostReport = Imported | Refused | Printed | Exited | Alive
Lasting = Checkpoint | TaskBegun | Question | Paused | TaskSkipped | TaskDone | TaskLost | CrewDone | Failed
ChildReport = Hello | Described | Step | Tokens | Event | FileWritten | Lasting
