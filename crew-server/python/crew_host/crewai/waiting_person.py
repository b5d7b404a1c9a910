"""Asks a person while the process waits, for an inner crew or a flow's method: no other process could continue them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from .. import seams
from ..wire.orders import Answer
from .person import append_answer

_NO_QUESTION = "The flow asks for an answer, and does not say for which."


def set_provider(person: Any) -> None:
    """Makes CrewAI ask a person through this object, also in the project's own threads."""
    seams.PROVIDER.set(seams.PROVIDER.load_owner(), ContextVar("person", default=person))


class WaitingPerson:
    """What CrewAI calls a human input provider.

    Args:
        ask: Asks the person about an output, and returns what they say.
    """

    def __init__(self, ask: Callable[[str], Answer]) -> None:
        self._ask = ask
        # Crews may run at the same time, but a person is asked one question after the other.
        self._one_at_a_time = threading.Lock()

    def setup_messages(self, _context: Any) -> bool:
        return False

    def post_setup_messages(self, _context: Any) -> None:
        return None

    def answer(self, question: object = "", /) -> str:
        """What the person answers to `Flow.ask()` or `input()`."""
        with self._one_at_a_time:
            return self._ask(str(question).strip() or _NO_QUESTION).feedback

    def handle_feedback(self, finish: Any, context: Any) -> Any:
        with self._one_at_a_time:
            answer = self._ask(self._get_output_string(finish))
        if not answer.is_approve:
            append_answer(context.messages, self._get_output_string(finish))
            context.messages.append(seams.FORMAT_FEEDBACK.of(context)(answer.feedback))
            return self.handle_feedback(seams.ASK_MODEL_AGAIN.of(context)(), context)
        context.ask_for_human_input = False
        return finish

    async def handle_feedback_async(self, finish: Any, context: Any) -> Any:
        return await asyncio.to_thread(self.handle_feedback, finish, context)

    @staticmethod
    def _get_output_string(finish: Any) -> str:
        output = finish.output
        return output if isinstance(output, str) else str(output.model_dump_json())
