"""A person's answer to a flow's question, and the types of a flow's inputs."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from crew_host.crewai.describe import shown_default
from crew_host.crewai.describe_flow import type_of
from crew_host.crewai.flow_pause import decide


class FakeFlow:
    """Chooses the last outcome if the model would be asked, else the first, as CrewAI does."""

    async def _finalize_human_feedback(self, raw_feedback: str, emit: list[str] | None) -> Any:
        self.asked = raw_feedback
        outcome = None if not emit else emit[-1] if raw_feedback else emit[0]
        return SimpleNamespace(feedback=raw_feedback, outcome=outcome)


OUTCOMES = ["Approved", "rejected", "other"]


@pytest.mark.parametrize(
    ("outcomes", "is_approve", "text", "asked", "feedback", "outcome"),
    [
        # A decision without a text is the outcome with its name.
        (OUTCOMES, True, "", "", "", "Approved"),
        (OUTCOMES, False, " ", "", "Rejected", "rejected"),
        # A text that names an outcome chooses it, whatever the decision.
        (OUTCOMES, False, "OTHER ", "", "OTHER", "other"),
        # Otherwise, the model is told both.
        (OUTCOMES, False, "More milk", "Rejected. More milk", "More milk", "other"),
        (["publish", "revise"], False, "", "Rejected.", "Rejected", "revise"),
        (["revise", "publish"], True, "", "Approved.", "", "publish"),
        # Without outcomes, the text is all there is.
        (None, True, "", "", "", None),
        (None, False, "", "", "Rejected", None),
        (None, False, "More milk", "", "More milk", None),
    ],
)
def test_a_decision_becomes_an_outcome(
    outcomes: list[str] | None, is_approve: bool, text: str, asked: str, feedback: str, outcome: str | None
) -> None:
    flow = FakeFlow()
    assert decide(flow, is_approve, text) == feedback
    result = asyncio.run(flow._finalize_human_feedback(raw_feedback="as given", emit=outcomes))
    assert (flow.asked, result.feedback, result.outcome) == (asked, feedback, outcome)
    # A later question is not decided yet.
    again = asyncio.run(flow._finalize_human_feedback(raw_feedback="as given", emit=None))
    assert again.feedback == "as given"


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ({"type": "integer"}, "integer"),
        ({"anyOf": [{"type": "array"}, {"type": "null"}]}, "array"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, None),
        ({"$ref": "#/$defs/Style"}, "object"),
        ({"allOf": [{"$ref": "#/$defs/Style"}]}, "object"),
        ({}, None),
    ],
)
def test_thetype_of_a_field(field: dict[str, Any], expected: str | None) -> None:
    assert type_of(field, {"Style": {"type": "object"}}) == expected


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *((one, one) for one in ("short", 3, 0, False, ["a"], {"a": 1})),
        *((one, None) for one in (None, "", [], {}, "x" * 2_000, float("nan"), object(), "plane-and-chisel-42")),
    ],
)
def test_shows_the_defaults_of_inputs(monkeypatch: pytest.MonkeyPatch, value: object, shown: object) -> None:
    monkeypatch.setenv("DB_PASSWORD", "plane-and-chisel-42")
    assert shown_default(value) == shown
