"""Does the work of one execution of a flow: its methods are the execution's tasks."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Callable
from typing import Any

from .. import seams
from ..wire.orders import Answer, Begin
from ..wire.reports import Checkpoint, CrewDone, Failed, Paused, Question, TaskBegun, TaskDone, TaskLost
from ..wire.server import Server
from . import output_files
from .calls import ToolCalls, use_calls
from .describe_flow import described_methods, methods_of
from .events import listen_to
from .flow_events import FlowReader
from .flow_pause import checkpoint_of, decide, restore
from .flow_replay import CannotResume, FlowRecord
from .flow_state import name_state, use_state
from .leaving import leave
from .outputs import told
from .person import Asked
from .resumption import check_tasks, drain_memory
from .waiting_person import WaitingPerson, set_provider

_WAITED = (
    "The process that waited for a person ended with the server or its host. "
    "A flow cannot continue in the middle of a method: start it again."
)
_ASKS_INSIDE = (
    "The flow {inner} asks a person with @human_feedback inside the method {name} of another flow, "
    "which cannot go on from there. Move @human_feedback to a method of the flow that is run."
)
_ASKED_AT_ONCE = "It asked a person at the same time as {name}, and a flow can continue from only one question."

# Seconds between two looks at whether other methods are still running.
_LOOK = 0.02


class FlowPerson:
    """What CrewAI calls a flow's feedback provider and input provider. The process ends with the question.

    Args:
        ask: Asks the person, and ends the process.
        fail: Fails the execution, and ends the process.
        waiting: Answers `Flow.ask()`.
    """

    def __init__(
        self,
        flow: Any,
        reader: FlowReader,
        ask: Callable[[Any, set[str]], None],
        fail: Callable[[str], None],
        waiting: WaitingPerson,
    ) -> None:
        self._flow = flow
        self._reader = reader
        self._ask = ask
        self._fail = fail
        self._waiting = waiting
        self._asking: set[str] = set()

    def request_feedback(self, context: Any, flow: Any) -> Any:
        if flow is not self._flow:
            self._fail(_ASKS_INSIDE.format(inner=type(flow).__name__, name=self._reader.method))
        return self._ask_alone(context)

    async def _ask_alone(self, context: Any) -> str:
        """Asks when nothing else is running, since other work would be lost."""
        name = str(context.method_name)
        self._asking.add(name)
        looks = 0
        # For a moment between the end of a method and the start of its listener, no method is running.
        while looks < 2:
            await asyncio.sleep(_LOOK)
            looks = looks + 1 if self._reader.running <= self._asking else 0
        self._ask(context, self._asking - {name})
        return ""

    def request_input(self, message: str, _flow: Any, _metadata: Any = None, **_: Any) -> str:
        return self._waiting.answer(message)


def work_on_flow(server: Server, flow: Any, order: Begin) -> None:
    """Does the work up to a question or the end."""
    methods = methods_of(flow)
    check_tasks(list(methods), order.tasks)
    asked = next((Asked.read(one) for one in order.asked if one["checkpoint"] is not None), None)
    answer = asked.answer if asked is not None else None
    if order.checkpoint is not None and asked is None and order.asked:
        raise CannotResume(_WAITED)

    texts = {one.name: (one.description, one.expected_output, one.agent) for one in described_methods(flow)}

    def begun(name: str) -> None:
        server.send_and_wait(TaskBegun(server.number(), name, *texts[name]))

    def done(name: str, output: Any) -> None:
        text, structured = told(output)
        report = TaskDone(server.number(), name, text, structured, None, *texts[name])
        server.send_and_wait(report)

    def ask(context: Any, lost: set[str]) -> None:
        drain_memory(flow)
        name = str(context.method_name)
        for other in sorted(lost):
            server.send_and_wait(TaskLost(server.number(), other, _ASKED_AT_ONCE.format(name=name)))
        text, structured = told(context.method_output)
        question = Question(
            number=server.number(),
            task_id=name,
            output=text,
            output_json=structured,
            reason=_question_of(context),
            works_on=False,
            checkpoint=checkpoint_of(flow, context),
        )
        server.send_and_wait(question)
        server.send_and_wait(Paused(server.number()))
        leave(0)

    def fail(error: str) -> None:
        server.send_and_wait(Failed(server.number(), error))
        leave(1)

    def ask_and_wait(output: str) -> Answer:
        name = reader.task or next(iter(methods))
        server.send_and_wait(Question(server.number(), name, output, None, None, works_on=True, checkpoint=None))
        answer = server.answers(name).get()
        if not answer.is_approve:
            begun(name)
        return answer

    record = FlowRecord(flow, order.checkpoint, lambda made: server.send_and_wait(Checkpoint(server.number(), made)))
    reader = FlowReader(flow, server, begun, record, done)
    waiting = WaitingPerson(ask_and_wait)
    _install(FlowPerson(flow, reader, ask, fail, waiting), waiting)
    record.watch(lambda: reader.method)
    output_files.guard_all()
    calls = ToolCalls(order.begun_as, lambda event: record.call_of(reader.task_of(event)))
    use_calls(calls)
    listen_to(reader.read, calls.read)
    # Chunks would come instead of the output, and the methods would not be reported.
    flow.stream = False
    flow.suppress_flow_events = False
    if asked is None or answer is None:
        record.begin()
        record.replay(reader.tell_done, {one["task_id"] for one in order.done})
        result = _kick_off(flow, order)
    else:
        reader.coming_back = answer.task_id
        restore(flow, asked.checkpoint)
        result = flow.resume(decide(flow, answer.is_approve, answer.feedback))
    # The project's own provider has paused it.
    if isinstance(result, seams.PENDING.load()):
        ask(result.context, set())
    text, structured = told(result)
    server.send_and_wait(CrewDone(server.number(), text, structured))


def _kick_off(flow: Any, order: Begin) -> Any:
    name_state(flow, order.kickoff_id)
    if order.restore is None:
        # Without any inputs, CrewAI does not validate the defaults of the state.
        return flow.kickoff(inputs=order.inputs or None)
    use_state(flow, order.restore)
    # With `id`, the restored state gets this identifier instead of a random one.
    return flow.kickoff(inputs={**order.inputs, "id": order.kickoff_id}, restore_from_state_id=order.restore)


def _question_of(context: Any) -> str:
    """The question to the person, with the outcomes to choose from."""
    outcomes = f" ({', '.join(context.emit)})" if context.emit else ""
    return f"{context.message}{outcomes}"


def _install(person: FlowPerson, waiting: WaitingPerson) -> None:
    """Makes CrewAI ask through us, unless the project itself says who is asked."""
    set_provider(waiting)
    flow_config = seams.FLOW_CONFIG.load()
    flow_config.hitl_provider = flow_config.hitl_provider or person
    flow_config.input_provider = flow_config.input_provider or person
    # The same for what a method asks at a terminal.
    builtins.input = waiting.answer
