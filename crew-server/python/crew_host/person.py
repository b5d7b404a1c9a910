"""Asks a person: the process ends with the question, and another one goes on where it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# Asks the person, and returns once the server's journal has the question: name of the task, output, what is kept.
Ask = Callable[[str, Any, dict[str, Any]], None]


@dataclass(frozen=True)
class Answer:
    """What a person said about the output of a task, with what was kept when they were asked."""

    task_id: str
    is_approve: bool
    feedback: str
    kept: dict[str, Any]


class Person:
    """What CrewAI calls its human input provider.

    Args:
        names: The names of the crew's tasks by CrewAI's own identifiers.
        ask: Asks the person.
        leave: Ends the process.
        answer: What the execution goes on with; none where it begins.
        on_reentry: Called where the question has been reached again; with the task if it is done once more.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        ask: Ask,
        leave: Callable[[], None],
        answer: Answer | None,
        on_reentry: Callable[[Any], None],
    ) -> None:
        self._names = names
        self._ask = ask
        self._leave = leave
        self._answer = answer
        self._on_reentry = on_reentry
        self._undo: Callable[[], None] = lambda: None

    def prepare(self, crew: Any) -> None:
        """Has the asked task pass over what its agent does before it asks the model."""
        for task in crew.tasks:
            if self._answer is not None and self._names[str(task.id)] == self._answer.task_id:
                self._pass_over_recall(task, crew)

    def setup_messages(self, context: Any) -> bool:
        """Re-enters at the question, if it is this task's."""
        answer = self._answer
        if answer is None or self._names.get(str(context.task.id)) != answer.task_id:
            return False
        self._undo()
        context.messages[:] = answer.kept["messages"]
        _answer_at_once(context, answer.kept)
        return True

    def post_setup_messages(self, _context: Any) -> None:
        return None

    def handle_feedback(self, finish: Any, context: Any) -> Any:
        answer, self._answer = self._answer, None
        if answer is None:
            self._put_question(finish, context)
        elif answer.is_approve:
            self._on_reentry(None)
        else:
            self._on_reentry(context.task)
            _append_answer(context.messages, self._get_output_string(finish))
            context.messages.append(context._format_feedback_message(answer.feedback))
            self._put_question(context._invoke_loop(), context)
        context.ask_for_human_input = False
        return finish

    async def handle_feedback_async(self, finish: Any, context: Any) -> Any:
        return self.handle_feedback(finish, context)

    @staticmethod
    def _get_output_string(finish: Any) -> str:
        output = finish.output
        return output if isinstance(output, str) else str(output.model_dump_json())

    def _put_question(self, finish: Any, context: Any) -> None:
        text = self._get_output_string(finish)
        kept = {
            "messages": json.loads(json.dumps(list(context.messages), default=str)),
            "output": text,
            "text": str(getattr(finish, "text", "") or ""),
            "model": None if isinstance(finish.output, str) else type(finish.output).__name__,
        }
        self._ask(self._names[str(context.task.id)], finish.output, kept)
        self._leave()

    def _pass_over_recall(self, task: Any, crew: Any) -> None:
        """What memory and knowledge had to say is in the messages that were kept."""
        execute = task.execute_sync

        def execute_without_recall(agent: Any = None, context: Any = None, tools: Any = None) -> Any:
            object.__delattr__(task, "execute_sync")
            worker = agent or task.agent
            known = [(one, one.knowledge) for one in (worker, crew)]
            for one, _ in known:
                object.__setattr__(one, "knowledge", None)
            object.__setattr__(worker, "_retrieve_memory_context", lambda _task, prompt: prompt)

            def undo() -> None:
                self._undo = lambda: None
                object.__delattr__(worker, "_retrieve_memory_context")
                for one, knowledge in known:
                    object.__setattr__(one, "knowledge", knowledge)

            self._undo = undo
            return execute(agent=agent, context=context, tools=tools)

        object.__setattr__(task, "execute_sync", execute_without_recall)


def _answer_at_once(context: Any, kept: Mapping[str, Any]) -> None:
    """Has an executor come to the answer that it came to when the person was asked, without its model."""
    from crewai.agents.parser import AgentFinish

    finish = AgentFinish(thought="", output=_output_of(context, kept), text=kept["text"])
    # The older of CrewAI's two executors has no state of its own.
    work = "kickoff" if hasattr(context, "state") else "_invoke_loop"

    def once(*_: object, **__: object) -> Any:
        object.__delattr__(context, work)
        if hasattr(context, "state"):
            context.state.current_answer = finish
            context.state.is_finished = True
        return finish

    object.__setattr__(context, work, once)


def _output_of(context: Any, kept: Mapping[str, Any]) -> Any:
    """The answer as it was: a model as a model."""
    task = context.task
    models = (getattr(context, "response_model", None), task.response_model, task.output_pydantic, task.output_json)
    for model in models:
        if model is not None and model.__name__ == kept["model"]:
            return model.model_validate_json(kept["output"])
    return kept["output"]


def _append_answer(messages: list[Any], text: str) -> None:
    """Shows the model what was rejected, which CrewAI itself does only in some cases."""
    last = messages[-1] if messages else {}
    if last.get("role") != "assistant" or last.get("content") != text:
        messages.append({"role": "assistant", "content": text})
