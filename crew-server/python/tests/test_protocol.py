"""The messages are those of PROTOCOL.md, and nothing else is accepted."""

from __future__ import annotations

import dataclasses
import json
import re
import socket
import types
import typing
from pathlib import Path
from typing import Any

import pytest

from crew_host.wire import messages, orders, reports
from crew_host.wire.channel import Channel

PAGE = (Path(__file__).parent.parent / "PROTOCOL.md").read_text(encoding="utf-8")


def documented(title: str) -> dict[str, set[str]]:
    """The messages of a section, with the names of their fields."""
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` *\|([^|]*)\|", section, re.MULTILINE)
    return {name: set(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", fields))) for name, fields in rows}


@pytest.mark.parametrize(
    ("title", "kinds"),
    [
        ("Server to host", orders.HostOrder),
        ("Host to server", reports.HostReport),
        ("Server to child", orders.ChildOrder),
        ("Child to server", reports.ChildReport),
    ],
)
def test_is_documented(title: str, kinds: types.UnionType) -> None:
    assert documented(title) == {
        messages.name_of(kind): {field.name for field in dataclasses.fields(kind)} for kind in typing.get_args(kinds)
    }


# All fields of that message except one.
BEGIN: dict[str, Any] = {
    "kickoff_id": "a",
    "begun_as": "a",
    "inputs": {"topic": 1},
    "restore": None,
    "traceparent": None,
    "tasks": ["one"],
    "checkpoint": None,
    "done": [],
    "approvals": [],
}


def test_reads_a_message() -> None:
    fields = {**BEGIN, "asked": []}
    line = json.dumps({"type": "begin", **fields}).encode()
    assert messages.read_message(line, orders.ChildOrder) == orders.Begin(**fields)


@pytest.mark.parametrize(
    "line",
    [
        b"no JSON",
        b"[]",
        b"{}",
        b'{"type": "unknown"}',
        b'{"type": "acknowledged"}',
        b'{"type": "acknowledged", "number": 1, "more": 1}',
        b'{"type": "acknowledged", "number": "1"}',
        json.dumps({"type": "begin", **BEGIN}).encode(),
        json.dumps({"type": "begin", **BEGIN, "asked": None}).encode(),
        json.dumps({"type": "begin", **BEGIN, "asked": [], "done": {}}).encode(),
    ],
)
def test_refuses_what_it_does_not_know(line: bytes) -> None:
    with pytest.raises(messages.ProtocolError):
        messages.read_message(line, orders.ChildOrder)


def test_reads_lines_however_they_were_cut() -> None:
    ours, theirs = socket.socketpair()
    channel = Channel(theirs)
    read: list[bytes] = []
    for piece in (b"on", b"e", b"\ntwo\n\nth", b"ree\n"):
        ours.sendall(piece)
        read += channel.receive() or []
    ours.close()
    assert read == [b"one", b"two", b"", b"three"]
    assert channel.receive() is None
    theirs.close()
