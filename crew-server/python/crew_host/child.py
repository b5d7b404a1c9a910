"""A child: builds the crew, and describes it or does the work of one execution."""

from __future__ import annotations

import dataclasses
import itertools
import logging
import os
import queue
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from . import output_files
from .activity import Activity
from .crew import describe, embed_nothing, rehearse, role_of, task_names
from .errors import failure_of, last_line_of, place_of
from .events import EventReader
from .flow import describe_flow, told
from .flow_work import work_on_flow
from .guardrails import Guardrails
from .person import Asked, Person
from .project import Project
from .protocol import (
    VERSION,
    Acknowledged,
    Answer,
    Begin,
    Build,
    Channel,
    ChildOrder,
    ChildReport,
    CrewDone,
    Describe,
    Failed,
    Hello,
    Lasting,
    Prepared,
    ProtocolError,
    Question,
    TaskBegun,
    TaskDone,
    TaskSkipped,
    read_message,
)
from .redaction import Secrets
from .resumption import check_tasks, drain_memory, keep_preparation, memories_of, pass_over, tell_approvals, tell_skips

BuiltCrew = tuple[Any, dict[str, Any]]


class Server:
    """The crew server, as a child sees it. What is sent holds no secrets, except for what only its store gets."""

    def __init__(self, path: str, child: int) -> None:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        self._channel = Channel(connection)
        self._secrets = Secrets(os.environ)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, threading.Event] = {}
        self.orders: queue.SimpleQueue[Describe | Build | Begin] = queue.SimpleQueue()
        self._answers: dict[str, queue.SimpleQueue[Answer]] = {}
        self.send(Hello(VERSION, child, os.getpid()))
        threading.Thread(target=self._listen, name="crew server", daemon=True).start()

    def send(self, report: ChildReport) -> None:
        fields = {field.name: getattr(report, field.name) for field in dataclasses.fields(report)}
        # What a later process of the execution goes on with has to be whole; nobody else is shown it.
        kept = {"kept": fields.pop("kept")} if "kept" in fields else {}
        try:
            self._channel.send(type(report)(**self._secrets.hide_in(fields), **kept))
        except OSError:
            end_all()

    def kept_of(self, fields: dict[str, Any]) -> dict[str, Any] | None:
        """What is to be kept beside fields of which secrets are hidden; nothing if they have none."""
        return fields if self._secrets.hide_in(fields) != fields else None

    def number(self) -> int:
        """A number for a report that is to be acknowledged."""
        number = next(self._numbers)
        self._waiting[number] = threading.Event()
        return number

    def send_and_wait(self, report: Lasting) -> None:
        """Returns once the server's store has the report."""
        self.send(report)
        self._waiting[report.number].wait()
        del self._waiting[report.number]

    def answers(self, name: str) -> queue.SimpleQueue[Answer]:
        """What people say to the questions of a task while this process is there."""
        return self._answers.setdefault(name, queue.SimpleQueue())

    def _listen(self) -> None:
        try:
            for line in self._channel.lines():
                order: ChildOrder = read_message(line, ChildOrder)
                if isinstance(order, Acknowledged):
                    self._waiting[order.number].set()
                elif isinstance(order, Answer):
                    self.answers(order.task_id).put(order)
                else:
                    self.orders.put(order)
        except (OSError, ProtocolError, KeyError) as error:
            print(f"The connection to the crew server is of no use any more: {error}", file=sys.stderr)
        end_all()


def end_all() -> NoReturn:
    """Nobody waits for this execution: ends it with all processes that it has started."""
    os.killpg(0, signal.SIGKILL)
    os._exit(1)


def run_child(project: Project, path: str, child: int) -> NoReturn:
    """Does what the server orders, and ends the process.

    Args:
        path: Where the server listens.
        child: The number by which the server knows this process.
    """
    server = Server(path, child)
    built: BuiltCrew | None = None
    code = 0
    try:
        while True:
            order = server.orders.get()
            if isinstance(order, Build):
                built = _build_early(project)
            elif isinstance(order, Begin):
                _work(server, built, project, order)
                break
            else:
                _describe(server, project)
                break
    except BaseException as error:
        server.send_and_wait(Failed(server.number(), *failure_of(error)))
        code = 1
    _leave(code)


def _build_early(project: Project) -> BuiltCrew | None:
    """The crew, unless building it embeds something or opens a memory. It imports the modules either way.

    A memory that is open does not see what other processes remember later.
    """
    crew, defaults, is_whole = rehearse(project)
    return (crew, defaults) if is_whole and not any(True for _ in memories_of(crew)) else None


def _describe(server: Server, project: Project) -> None:
    try:
        server.send(describe_flow(project) if project.is_flow else describe(project))
    except Exception as error:
        # Whoever starts the server is who has written the project.
        place = place_of(error, Path.cwd())
        server.send_and_wait(Failed(server.number(), f"{place}: {last_line_of(error)}"))


def _leave(code: int) -> NoReturn:
    """Ends the process without waiting for threads that CrewAI and its libraries leave behind."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(code)


def _work(server: Server, built: BuiltCrew | None, project: Project, order: Begin) -> None:
    if order.done or order.asked:
        embed_nothing()
    crew, defaults = built or project.build()
    if project.is_flow:
        work_on_flow(server, crew, order, listen_to, _leave)
        return
    names = task_names(crew)
    check_tasks(names, order.tasks)
    desk = _Desk(server, crew, names, order.approvals)
    asked = {one["task_id"]: Asked.read(one) for one in order.asked}
    desk.reader.silent_tasks.update(asked)
    tasks = dict(zip(names, crew.tasks, strict=True))
    guardrails = Guardrails()
    guardrails.watch(crew, {id(tasks[name]): one.kept for name, one in asked.items()})
    pass_over(crew, names, order.done, asked)
    tell_skips(tasks, lambda name: server.send_and_wait(TaskSkipped(server.number(), name)))
    desk.activity.watch(crew)
    person = Person(desk.names, desk, desk.activity, guardrails, asked)
    person.prepare(crew)
    tell_approvals(crew, desk.approvals)
    output_files.guard(crew)
    keep_preparation(crew, order.prepared, lambda kept: server.send_and_wait(Prepared(server.number(), kept)))
    result = kick_off(crew, {**defaults, **order.inputs}, desk.reader, person)
    _flush_events()
    server.send_and_wait(CrewDone(server.number(), *told(result)))


class _Desk:
    """Tells the server of the tasks of one execution, and asks the person there."""

    def __init__(self, server: Server, crew: Any, names: Sequence[str], approvals: list[dict[str, str]]) -> None:
        self._server = server
        self._crew = crew
        self.approvals = approvals
        self.names = {str(task.id): name for task, name in zip(crew.tasks, names, strict=True)}
        self.reader = EventReader(self.names, server.send, self._task_begun, self._task_done)
        self.activity = Activity(self._leave)

    def ask(self, name: str, output: Any, kept: dict[str, Any]) -> None:
        self._settle()
        refusal = self.reader.refusals.get(name)
        question = Question(
            number=self._server.number(),
            task_id=name,
            output=kept["output"],
            output_json=None if isinstance(output, str) else output.model_dump(mode="json"),
            reason=f"A guardrail has refused the answer before this one: {refusal}" if refusal else None,
            works_on=not self.activity.is_last(),
            kept=kept,
        )
        self._server.send_and_wait(question)

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
            output_json=_json_of(output),
            kept=self._server.kept_of({"output": output.raw, "output_json": _json_of(output)}),
            description=output.description or "",
            expected_output=output.expected_output or "",
            agent=str(output.agent).strip(),
        )
        self._server.send_and_wait(report)

    def _settle(self) -> None:
        drain_memory(self._crew)
        _flush_events()

    def _leave(self, failure: BaseException | None) -> None:
        self._settle()
        if failure is not None:
            self._server.send_and_wait(Failed(self._server.number(), *failure_of(failure)))
        _leave(0)


def kick_off(crew: Any, inputs: dict[str, Any], reader: EventReader, person: Person) -> Any:
    """Has CrewAI do the work, and gives its output."""
    from crewai.core.providers.human_input import set_provider

    # A stream of chunks would come in the place of the output.
    crew.stream = False
    # A hook that only looks at the output need not give it back.
    hooks = crew.after_kickoff_callbacks
    hooks[:] = [partial(_keep_unless_changed, hook) for hook in hooks]
    set_provider(person)
    listen_to(lambda _source, event: reader.read(event))
    return crew.kickoff(inputs=inputs)


def _keep_unless_changed(hook: Callable[[Any], Any], output: Any) -> Any:
    changed = hook(output)
    return output if changed is None else changed


def listen_to(read: Callable[[object, Any], None]) -> None:
    """Has CrewAI tell its events, with what they come from, to all that is called from here on."""
    from crewai.events.stream_context import add_stream_sink

    def sink(source: object, event: Any) -> None:
        # It may never raise: CrewAI calls it unguarded.
        try:
            read(source, event)
        except Exception as error:
            print(f"The event {event.type} could not be told: {last_line_of(error)}", file=sys.stderr)

    add_stream_sink(sink)


def _json_of(output: Any) -> Any:
    """The structured output of a task or a crew, if it has one."""
    if output.pydantic is not None:
        return output.pydantic.model_dump(mode="json")
    return output.json_dict


def _flush_events() -> None:
    from crewai.events.event_bus import crewai_event_bus

    crewai_event_bus.flush()
