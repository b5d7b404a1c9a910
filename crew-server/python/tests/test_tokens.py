"""The counting of tokens."""

from __future__ import annotations

import copy

from crew_host.crewai.tokens import TokenCounts


class Model:
    """The parts of CrewAI's models that are used."""

    def __init__(self) -> None:
        self._token_usage = {"total_tokens": 0, "prompt_tokens": 0, "completion_tokens": 0}

    def call(self) -> None:
        for name, gained in (("total_tokens", 15), ("prompt_tokens", 10), ("completion_tokens", 5)):
            self._token_usage[name] += gained


def test_tells_what_a_model_has_counted_since() -> None:
    model, counts = Model(), TokenCounts()
    model.call()
    assert counts.news(model) is None
    model.call()
    model.call()
    assert counts.news(model) == (30, 20, 10)
    assert counts.news(model) is None


def test_counts_once_what_copies_share() -> None:
    model, counts = Model(), TokenCounts()
    twin = copy.copy(model)
    counts.news(model)
    twin.call()
    assert counts.news(twin) == (15, 10, 5)
    assert counts.news(model) is None


def test_counts_nothing_of_what_has_no_counter() -> None:
    assert TokenCounts().news(None) is None
