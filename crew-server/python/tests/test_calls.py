"""The key of a tool's call is the same in each attempt, and different for every other call."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from crew_host.crewai.calls import ToolCalls


class Attempt:
    """A process that works on the execution."""

    def __init__(self, execution: str = "a") -> None:
        self.task = "send"
        self.calls = ToolCalls(execution, lambda _: self.task)

    def begin(self, tool: str, arguments: Any) -> None:
        self._tell("tool_usage_started", tool, arguments)

    def end(self, tool: str, arguments: Any, how: str = "finished") -> None:
        self._tell(f"tool_usage_{how}", tool, arguments)

    def key_of(self, tool: str, arguments: Any, how: str = "finished") -> str:
        """The key that a tool gets in one call."""
        self.begin(tool, arguments)
        key = self.calls.key()
        assert self.calls.key() == key
        self.end(tool, arguments, how)
        return key

    def _tell(self, kind: str, tool: str, arguments: Any) -> None:
        self.calls.read(None, SimpleNamespace(type=kind, tool_name=tool, tool_args=arguments))


ANN, BOB = {"to": "Ann", "text": "Hi"}, {"to": "Bob", "text": "Hi"}


def test_is_the_same_in_each_attempt_in_whatever_order() -> None:
    first, second = Attempt(), Attempt()
    keys = [first.key_of("mail", ANN), first.key_of("mail", BOB), first.key_of("mail", ANN)]
    assert len(set(keys)) == 3
    # The names of arguments may come in another order, and as text.
    again = [second.key_of("mail", one) for one in (BOB, '{"text": "Hi", "to": "Ann"}', ANN)]
    assert again == [keys[1], keys[0], keys[2]]


def test_is_another_for_another_execution_task_or_tool() -> None:
    attempt, other = Attempt(), Attempt("b")
    keys = [attempt.key_of("mail", ANN), attempt.key_of("post", ANN), other.key_of("mail", ANN)]
    attempt.task = "remind"
    assert len({*keys, attempt.key_of("mail", ANN)}) == 4


def test_is_the_same_when_a_call_that_failed_is_tried_again() -> None:
    attempt = Attempt()
    failed = attempt.key_of("mail", ANN, "error")
    assert attempt.key_of("mail", ANN) == failed
    assert attempt.key_of("mail", ANN) != failed


def test_goes_on_behind_a_question() -> None:
    before, after = Attempt(), Attempt()
    keys = [before.key_of("mail", ANN)]
    after.calls.restore("send", before.calls.checkpoint("send"))
    keys += [after.key_of("mail", ANN)]
    assert len(set(keys)) == 2
    assert before.key_of("mail", ANN) == keys[1]


def test_belongs_to_the_innermost_call_and_then_to_the_outer_one_again() -> None:
    attempt = Attempt()
    attempt.begin("delegate", {})
    outer = attempt.calls.key()
    inner = attempt.key_of("mail", ANN)
    # CrewAI may report an end twice.
    attempt.end("mail", ANN)
    assert attempt.calls.key() == outer != inner


def test_can_be_of_what_is_to_be_done_once() -> None:
    attempt, again = Attempt(), Attempt()
    attempt.begin("mail", ANN)
    again.begin("mail", {**ANN, "text": "Hello"})
    assert attempt.calls.key("order", 7) == again.calls.key("order", 7) != attempt.calls.key("order", 8)


def test_is_known_in_a_thread_of_the_tool() -> None:
    attempt = Attempt()
    keys: list[str] = []

    def work() -> None:
        keys.append(attempt.calls.key())

    attempt.begin("mail", ANN)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert keys == [attempt.calls.key()]


def test_is_refused_if_nothing_says_what_it_is_for() -> None:
    attempt = Attempt()
    attempt.key_of("mail", ANN)
    with pytest.raises(RuntimeError, match="does not know which call"):
        attempt.calls.key()
    assert attempt.calls.key("order 7")
