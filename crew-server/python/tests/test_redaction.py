"""What leaves a process contains no secrets."""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path

import pytest

from crew_host.redaction import Secrets, hide_printed

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
        ("postgres://me:hunter2!@db", "postgres://[secret]@db"),
        ("Incorrect API key provided: sk-proj-********wxyz.", "Incorrect API key provided: [secret]."),
        ("Incorrect API key provided: wrong-ke*****cdef.", "Incorrect API key provided: [secret]."),
        ("Der Wert sk-****abcd ist falsch", "Der Wert [secret] ist falsch"),
        ("sk-...abcd is no key", "[secret] is no key"),
        ("sk-abcdefghijklmnopqrstuvwx", "[secret]"),
        ("AKIAQ7Q7Q7Q7Q7Q7Q7Q7", "[secret]"),
        ("{'x-api-key': 'kept0815safe', 'b': 1}", "{'x-api-key': '[secret]', 'b': 1}"),
        ("Authorization: Bearer abc-DEF-123", "Authorization: Bearer [secret]"),
        ("SECRET=abc-DEF-123", "SECRET=[secret]"),
        ("Token: abc-DEF-123", "Token: [secret]"),
        ("passwd = abc-DEF-123", "passwd = [secret]"),
        ("passphrase: abc-DEF-123", "passphrase: [secret]"),
        ("\u017fecret: abc-DEF-123", "\u017fecret: [secret]"),
        ("AUTHOR\u0130ZATION: abc-DEF-123", "AUTHOR\u0130ZATION: [secret]"),
    ],
)
def test_hides(text: str, hidden: str) -> None:
    assert SECRETS.hide(text) == hidden


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENAI_API_KEY", "ollama"),
        ("SECRET_NAME", "production"),
        ("KEYCLOAK_URL", "https://sso.example/login"),
        ("MAX_TOKENS", "128000"),
        ("GOOGLE_APPLICATION_CREDENTIALS", str(Path(__file__))),
        ("MONKEY_NAME", "Bonzo-the-2nd"),
    ],
)
def test_a_word_a_number_or_a_path_is_no_secret(name: str, value: str) -> None:
    text = f"Install {value} now"
    assert Secrets({name: value}).hide(text) == text


@pytest.mark.parametrize(
    "name", ["DB_PASS", "db_pwd", "AWS_CREDENTIALS", "BASIC_AUTH", "PASSPHRASE", "OPENAI_API_KEYS"]
)
def test_knows_names(name: str) -> None:
    assert Secrets({name: "plane+chisel-42"}).hide("It is plane+chisel-42.") == "It is [secret]."


@pytest.mark.parametrize(
    "text",
    [
        *("sk-" * 100_000, "key" * 100_000, "key ****" * 40_000, "**** " * 60_000, "*" * 300_000, "://" * 100_000),
        *("password: " * 30_000, "eyJ" * 100_000, "-----BEGIN PRIVATE KEY-----" * 12_000, "ghp_" * 75_000),
    ],
)
def test_takes_time_in_proportion_to_the_text(text: str) -> None:
    def seconds(part: str) -> float:
        begun = time.process_time()
        SECRETS.hide(part)
        return time.process_time() - begun

    # A quadratic pattern would take 64 times as long.
    assert seconds(text) < 24 * max(min(seconds(text[: len(text) // 8]) for _ in range(3)), 0.005)


@pytest.mark.parametrize(
    "text",
    [
        "See sk-learn-tutorial-for-beginners and gsk-foundation",
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


def test_hides_what_is_learned_in_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    secrets = Secrets({})
    handler = logging.StreamHandler(sys.stderr)
    hide_printed(secrets)
    secrets.learn(["team-header-123"])
    print("The header is team-header-123", "as team-header-123")
    handler.emit(logging.makeLogRecord({"msg": "With team-header-123"}))
    assert capsys.readouterr() == ("The header is [secret] as [secret]\n", "With [secret]\n")
