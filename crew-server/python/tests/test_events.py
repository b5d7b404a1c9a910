"""The reader of CrewAI's events."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from crew_host import seams
from crew_host.crewai.events import listen_to


class Bus:
    """The parts of CrewAI's event bus that are used."""

    sinks: Any = None


def test_a_reader_that_fails_keeps_no_event_from_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(seams, "SINKS", seams.Seam(f"{__name__}:Bus", "sinks", "reads events"))
    heard: list[str] = []

    def fail(_source: object, _event: Any) -> None:
        raise ValueError("my own bug")

    listen_to(fail, lambda _source, event: heard.append(event.type))
    (sink,) = Bus.sinks.get()
    sink(None, SimpleNamespace(type="tool_usage_started"))
    assert heard == ["tool_usage_started"]
    assert "The event tool_usage_started could not be reported: ValueError: my own bug" in capsys.readouterr().err
