"""What the crew server tells the host and its children, as in PROTOCOL.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


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


HostOrder = Open | Fork | End | Ask
ChildOrder = Describe | Build | Begin | Answer | Acknowledged | Leased
