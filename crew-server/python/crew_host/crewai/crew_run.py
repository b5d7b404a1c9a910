"""Does the work of one execution of a crew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..errors import failure_of
from ..wire.orders import Answer, Begin
from ..wire.reports import Checkpoint, CrewDone, Failed, Paused, Question, TaskBegun, TaskDone, TaskSkipped
from ..wire.server import Server
from . import output_files
from .activity import Activity
from .calls import ToolCalls, use_calls
from .describe import role_of, task_names
from .events import EventReader, flush_events, listen_to
from .guardrails import Guardrails
from .leaving import leave
from .outputs import structured_of, told
from .person import Asked, Person
from .resumption import check_tasks, drain_memory, pass_over, tell_approvals, tell_skips, use_checkpoint
from .waiting_person import WaitingPerson, set_provider


def work_on_crew(server: Server, crew: Any, order: Begin) -> None:
    """Does the work up to a question or the end."""
    names = task_names(crew)
    check_tasks(names, order.tasks)
    desk = _Desk(server, crew, names, order)
    # A question from inside a tool belonged to a process that is gone, so that task runs again.
    asked = {one["task_id"]: Asked.read(one) for one in order.asked if one["checkpoint"] is not None}
    desk.reader.silent_tasks.update(asked)
    for name, one in asked.items():
        desk.calls.restore(name, one.checkpoint.get("calls", {}))
    use_calls(desk.calls)
    tasks = dict(zip(names, crew.tasks, strict=True))
    guardrails = Guardrails()
    guardrails.watch(crew, {id(tasks[name]): one.checkpoint for name, one in asked.items()})
    pass_over(crew, names, order.done, asked)
    tell_skips(tasks, lambda name: server.send_and_wait(TaskSkipped(server.number(), name)))
    desk.activity.watch(crew)
    person = Person(desk.names, desk, desk.activity, guardrails, asked, WaitingPerson(desk.ask_and_wait))
    person.prepare(crew)
    tell_approvals(crew, desk.approvals)
    output_files.guard(crew)
    use_checkpoint(crew, order.checkpoint, lambda made: server.send_and_wait(Checkpoint(server.number(), made)))
    result = kick_off(crew, order.inputs, desk, person)
    flush_events()
    server.send_and_wait(CrewDone(server.number(), *told(result)))


class _Desk:
    """Reports the tasks of one execution to the server, and asks people through it."""

    def __init__(self, server: Server, crew: Any, names: Sequence[str], order: Begin) -> None:
        self._server = server
        self._crew = crew
        self.approvals = order.approvals
        self.names = {str(task.id): name for task, name in zip(crew.tasks, names, strict=True)}
        self.reader = EventReader(self.names, server, self._task_begun, self._task_done)
        self.calls = ToolCalls(order.begun_as, self.reader.task_of)
        self.activity = Activity(self._leave)

    def ask(self, name: str, output: Any, checkpoint: dict[str, Any]) -> None:
        self._settle()
        refusal = self.reader.refusals.get(name)
        question = Question(
            number=self._server.number(),
            task_id=name,
            output=checkpoint["output"],
            output_json=None if isinstance(output, str) else output.model_dump(mode="json"),
            reason=f"A guardrail has refused the answer before this one: {refusal}" if refusal else None,
            works_on=not self.activity.is_last(),
            checkpoint={**checkpoint, "calls": self.calls.checkpoint(name)},
        )
        self._server.send_and_wait(question)

    def ask_and_wait(self, output: str) -> Answer:
        """Asks for a crew that a tool has started. Nobody could rebuild that crew, so the process stays."""
        name = self.reader.task or next(iter(self.names.values()))
        self._server.send_and_wait(
            Question(self._server.number(), name, output, None, None, works_on=True, checkpoint=None)
        )
        return self._server.answers(name).get()

    def wait(self, name: str) -> Answer:
        answer = self._server.answers(name).get()
        if answer.is_approve and answer.feedback.strip():
            self.approvals.append({"task_id": name, "feedback": answer.feedback})
        return answer

    def go_on(self, answer: Answer, task: Any) -> None:
        self.reader.silent_tasks.discard(answer.task_id)
        if not answer.is_approve:
            self._task_begun(answer.task_id, task)

    def _task_begun(self, name: str, task: Any) -> None:
        number = self._server.number()
        agent = role_of(task.agent)
        self._server.send_and_wait(TaskBegun(number, name, task.description, task.expected_output, agent))

    def _task_done(self, name: str, output: Any) -> None:
        report = TaskDone(
            number=self._server.number(),
            task_id=name,
            output=output.raw,
            output_json=structured_of(output),
            checkpoint=None,
            description=output.description or "",
            expected_output=output.expected_output or "",
            agent=str(output.agent).strip(),
        )
        self._server.send_and_wait(report)

    def _settle(self) -> None:
        drain_memory(self._crew)
        flush_events()

    def _leave(self, failure: BaseException | None) -> None:
        self._settle()
        number = self._server.number()
        self._server.send_and_wait(Paused(number) if failure is None else Failed(number, *failure_of(failure)))
        leave(0)


def kick_off(crew: Any, inputs: dict[str, Any], desk: _Desk, person: Person) -> Any:
    """Makes CrewAI do the work, and returns its output."""
    # Otherwise, the result would be a stream of chunks instead of the output.
    crew.stream = False
    # A hook that only reads the output may return nothing.
    hooks = crew.after_kickoff_callbacks
    hooks[:] = [partial(_keep_unless_changed, hook) for hook in hooks]
    set_provider(person)
    listen_to(desk.reader.read, desk.calls.read)
    return crew.kickoff(inputs=inputs)


def _keep_unless_changed(hook: Callable[[Any], Any], output: Any) -> Any:
    changed = hook(output)
    return output if changed is None else changed
