"""The outputs of a flow's methods are the same after they were stored."""

from __future__ import annotations

import datetime
import enum
import json
from dataclasses import dataclass
from typing import Any

import pytest

from crew_host.crewai.plain_data import NoData, from_plain, to_plain


class Color(enum.Enum):
    RED = "red"


@dataclass
class Place:
    name: str
    size: tuple[int, int]


@pytest.mark.parametrize(
    "value",
    [
        None,
        "text",
        [1, 2.5, True, {"a": [None]}],
        (1, ("two", {3})),
        {1: "one", "$kind": "mine"},
        Color.RED,
        [Place("Graz", (1, 2))],
        {"when": datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.timezone.utc), "day": datetime.date(2026, 1, 2)},
    ],
)
def test_comes_back_as_it_was(value: Any) -> None:
    assert from_plain(json.loads(json.dumps(to_plain(value)))) == value


def test_says_what_is_no_data() -> None:
    with pytest.raises(NoData, match="TextIOWrapper"), open(__file__) as file:
        to_plain({"open": [file]})

    @dataclass
    class Local:
        name: str

    # Its class could not be found again.
    with pytest.raises(NoData, match="Local"):
        to_plain(Local("a"))


def test_says_what_class_is_gone() -> None:
    plain = to_plain(Place("Graz", (1, 2)))
    with pytest.raises(NoData, match="Gone"):
        from_plain({**plain, "class": "Gone"})
