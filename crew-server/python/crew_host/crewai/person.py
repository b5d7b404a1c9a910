"""Asks a person. The process ends with the question, and another one continues there."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .. import seams
from ..wire.orders import Answer
from .activity import Activity
from .dumped_models import model_from
from .guardrails import Guardrails


@dataclass(frozen=True)
class Asked:
    """A question that was asked: its checkpoint, and the person's answer, if there is one."""

    answer: Answer | None
    checkpoint: dict[str, Any]

    @classmethod
    def read(cls, asked: Mapping[str, Any]) -> Asked:
        answer = asked["answer"]
        return cls(Answer(asked["task_id"], **answer) if answer is not None else None, asked["checkpoint"])


class Desk(Protocol):
    """Where questions go, and answers come from."""

    def ask(self, name: str, output: Any, checkpoint: dict[str, Any]) -> None:
        """Asks about the output of a task, and returns once the server's store has the question."""

    def wait(self, name: str) -> Answer:
        """Waits for the answer to the question of a task."""

    def go_on(self, answer: Answer, task: Any) -> None:
        """Called with an answer, before anything follows from it."""


class Provider(Protocol):
    """What CrewAI calls to ask."""

    def handle_feedback(self, finish: Any, context: Any) -> Any:
        """Asks about an answer, until it is approved."""


class Person:
    """What CrewAI calls its human input provider.

    Args:
        names: The names of the crew's tasks by CrewAI's own identifiers.
        asked: The questions to continue at, by the names of their tasks.
        others: Asks for crews that a tool has started.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        desk: Desk,
        activity: Activity,
        guardrails: Guardrails,
        asked: Mapping[str, Asked],
        others: Provider,
    ) -> None:
        self._names = names
        self._desk = desk
        self._activity = activity
        self._guardrails = guardrails
        self._asked = dict(asked)
        self._others = others
        self._undo: dict[str, Callable[[], None]] = {}

    def prepare(self, crew: Any) -> None:
        """Makes tasks that have asked skip what their agents do before they call the model."""
        for task in crew.tasks:
            name = self._names[str(task.id)]
            if name in self._asked:
                # The project may have changed since, and no longer say so.
                task.human_input = True
                self._pass_over_recall(name, task)

    def setup_messages(self, context: Any) -> bool:
        """Continues at the question of a task, if it has asked."""
        # Agents that plan or check an output have no task.
        name = self._names.get(str(getattr(context.task, "id", None)), "")
        asked = self._asked.get(name)
        if asked is None:
            return False
        self._undo.pop(name, lambda: None)()
        context.messages[:] = asked.checkpoint["messages"]
        _answer_at_once(context, asked.checkpoint)
        return True

    def post_setup_messages(self, _context: Any) -> None:
        return None

    def handle_feedback(self, finish: Any, context: Any) -> Any:
        name = self._names.get(str(getattr(context.task, "id", None)))
        if name is None:
            return self._others.handle_feedback(finish, context)
        asked = self._asked.pop(name, None)
        answer = asked.answer if asked is not None else self._ask(name, finish, context)
        # If the question was asked before, it is not asked again.
        answer = answer or self._wait(name)
        while not answer.is_approve:
            self._desk.go_on(answer, context.task)
            append_answer(context.messages, self._get_output_string(finish))
            context.messages.append(seams.FORMAT_FEEDBACK.of(context)(answer.feedback))
            finish = seams.ASK_MODEL_AGAIN.of(context)()
            answer = self._ask(name, finish, context)
        self._desk.go_on(answer, context.task)
        context.ask_for_human_input = False
        return finish

    async def handle_feedback_async(self, finish: Any, context: Any) -> Any:
        return self.handle_feedback(finish, context)

    @staticmethod
    def _get_output_string(finish: Any) -> str:
        output = finish.output
        return output if isinstance(output, str) else str(output.model_dump_json())

    def _ask(self, name: str, finish: Any, context: Any) -> Answer:
        checkpoint = {
            "messages": json.loads(json.dumps(list(context.messages), default=str)),
            "output": self._get_output_string(finish),
            "text": str(getattr(finish, "text", "") or ""),
            "model": None if isinstance(finish.output, str) else type(finish.output).__name__,
            **self._guardrails.checkpoint(context.task),
        }
        self._desk.ask(name, finish.output, checkpoint)
        return self._wait(name)

    def _wait(self, name: str) -> Answer:
        """Waits for an answer while other tasks are running; then the process ends."""
        with self._activity.waiting(asks=True):
            return self._desk.wait(name)

    def _pass_over_recall(self, name: str, task: Any) -> None:
        """Keeps memory and knowledge from being searched again: the checkpoint has what they returned."""
        execute = seams.EXECUTE.of(task)

        def execute_without_recall(agent: Any, context: Any, tools: Any) -> Any:
            seams.EXECUTE.put_back(task)
            worker = agent or task.agent
            seams.RECALL.replace(worker, lambda _task, prompt: prompt)
            seams.KNOWLEDGE_QUERY.replace(worker, lambda *_: None)

            def undo() -> None:
                seams.RECALL.put_back(worker)
                seams.KNOWLEDGE_QUERY.put_back(worker)

            self._undo[name] = undo
            return execute(agent, context, tools)

        seams.EXECUTE.replace(task, execute_without_recall)


def _answer_at_once(context: Any, checkpoint: Mapping[str, Any]) -> None:
    """Makes an executor return the answer in question again, without its model."""
    finish = seams.FINISHED_ANSWER.load()(thought="", output=_output_of(context, checkpoint), text=checkpoint["text"])
    # The older of CrewAI's two executors has no `state`.
    work = seams.RUN_EXECUTOR if hasattr(context, "state") else seams.ASK_MODEL_AGAIN

    def once(*_: object, **__: object) -> Any:
        work.put_back(context)
        if hasattr(context, "state"):
            context.state.current_answer = finish
            context.state.is_finished = True
        return finish

    work.replace(context, once)


def _output_of(context: Any, checkpoint: Mapping[str, Any]) -> Any:
    """The answer as it was. A pydantic model is one again, unless the project now has a different one."""
    task = context.task
    models = (getattr(context, "response_model", None), task.response_model, task.output_pydantic, task.output_json)
    for model in models:
        if model is not None and model.__name__ == checkpoint["model"]:
            try:
                return model_from(model, json.loads(checkpoint["output"]))
            except ValueError as error:
                print(
                    f"The project has changed since a person was asked about {task.name}: its output is taken as "
                    f"text, since it no longer fits {model.__name__}: {error}",
                    file=sys.stderr,
                )
    return checkpoint["output"]


def append_answer(messages: list[Any], text: str) -> None:
    """Shows the model its rejected answer, which CrewAI itself does only in some cases."""
    last = messages[-1] if messages else {}
    if last.get("role") != "assistant" or last.get("content") != text:
        messages.append({"role": "assistant", "content": text})
