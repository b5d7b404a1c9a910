"""What leaves a process holds no secrets."""

from __future__ import annotations

import pytest

from crew_host.redaction import Secrets

SECRETS = Secrets(
    {
        "OPENAI_API_KEY": "abcdef-123456",
        "DB_PASSWORD": "hunter2!",
        "LONGER_TOKEN": "abcdef-123456-more",
        "HOME": "/home/somebody",
        "KEYED": "NA",
        "MAX_TOKENS": "4096",
    }
)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("The key abcdef-123456 is wrong", "The key [secret] is wrong"),
        ("abcdef-123456-more", "[secret]"),
        ("postgres://me:hunter2!@db", "postgres://me:[secret]@db"),
        ("Incorrect API key provided: sk-proj-********wxyz.", "Incorrect API key provided: [secret]."),
        ("Incorrect API key provided: wrong-ke*****cdef.", "Incorrect API key provided: [secret]."),
        ("Der Wert sk-****abcd ist falsch", "Der Wert [secret] ist falsch"),
        ("sk-...abcd is no key", "[secret] is no key"),
        ("sk-abcdefghijklmnopqrstuvwx", "[secret]"),
    ],
)
def test_hides(text: str, hidden: str) -> None:
    assert SECRETS.hide(text) == hidden


@pytest.mark.parametrize(
    "text",
    [
        "/home/somebody",
        "NA is a word, and so is 4096",
        "**bold** and ***bold and italic*** text\n\n****\n",
        "**Name:****Graz**, the card ****1234, and Hotel ****Superior",
        "a * b ** c, risk-free, a task-...",
    ],
)
def test_leaves_alone(text: str) -> None:
    assert SECRETS.hide(text) == text


def test_looks_into_lists_and_objects() -> None:
    found = SECRETS.hide_in({"abcdef-123456": [{"a": "hunter2!"}, 1, None, True]})
    assert found == {"[secret]": [{"a": "[secret]"}, 1, None, True]}
