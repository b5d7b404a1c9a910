"""What reads CrewAI's events."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from crew_host import seams
from crew_host.crewai.events import listen_to, with_common_names


class Bus:
    """What is used of CrewAI's."""

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
    assert "The event tool_usage_started could not be told: ValueError: my own bug" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (
            {"inputTokens": 20, "outputTokens": 10, "totalTokens": 30},
            {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30},
        ),
        ({"input_tokens": 20, "output_tokens": 10}, {"input_tokens": 20, "output_tokens": 10}),
        (None, None),
    ],
)
def test_reads_the_counts_of_all_clients(usage: object, counts: object) -> None:
    assert with_common_names(usage) == counts
