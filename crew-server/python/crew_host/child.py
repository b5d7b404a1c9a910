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
from pathlib import Path
from typing import Any, NoReturn

from . import output_files
from .crew import describe, rehearse, role_of, task_names
from .errors import last_line_of, place_of, text_of
from .events import EventReader
from .person import Answer, Person
from .project import Project
from .protocol import (
    VERSION,
    Acknowledged,
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
    read_message,
)
from .redaction import Secrets
from .resumption import check_tasks, drain_memory, keep_preparation, pass_over, tell_approvals

BuiltCrew = tuple[Any, dict[str, Any]]


class Server:
    """The crew server, as a child sees it. What is sent holds no secrets, except for what only its journal gets."""

    def __init__(self, path: str, child: int) -> None:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        self._channel = Channel(connection)
        self._secrets = Secrets(os.environ)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, threading.Event] = {}
        self.orders: queue.SimpleQueue[Describe | Build | Begin] = queue.SimpleQueue()
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
        """Returns once the server's journal has the report."""
        self.send(report)
        self._waiting[report.number].wait()
        del self._waiting[report.number]

    def _listen(self) -> None:
        try:
            for line in self._channel.lines():
                order: ChildOrder = read_message(line, ChildOrder)
                if isinstance(order, Acknowledged):
                    self._waiting[order.number].set()
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
        server.send_and_wait(Failed(server.number(), text_of(error)))
        code = 1
    _leave(code)


def _build_early(project: Project) -> BuiltCrew | None:
    """The crew, if building it embeds nothing. If it does, the modules that this needs are imported all the same."""
    crew, defaults, is_whole = rehearse(project)
    return (crew, defaults) if is_whole else None


def _describe(server: Server, project: Project) -> None:
    try:
        server.send(describe(project))
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
    crew, defaults = built or project.build()
    names = task_names(crew)
    check_tasks(names, order.tasks)
    names_by_id = {str(task.id): name for task, name in zip(crew.tasks, names, strict=True)}

    def task_begun(name: str, task: Any) -> None:
        report = TaskBegun(server.number(), name, task.description, task.expected_output, role_of(task.agent))
        server.send_and_wait(report)

    def task_done(name: str, output: Any) -> None:
        report = TaskDone(
            number=server.number(),
            task_id=name,
            output=output.raw,
            output_json=_json_of(output),
            kept=server.kept_of({"output": output.raw, "output_json": _json_of(output)}),
            description=output.description or "",
            expected_output=output.expected_output or "",
            agent=str(output.agent).strip(),
        )
        server.send_and_wait(report)

    def ask(name: str, output: Any, kept: dict[str, Any]) -> None:
        drain_memory(crew)
        _flush_events()
        structured = None if isinstance(output, str) else output.model_dump(mode="json")
        server.send_and_wait(Question(server.number(), name, kept["output"], structured, kept))

    def reenter(task: Any) -> None:
        name, reader.silent_task = reader.silent_task, None
        if task is not None and name is not None:
            task_begun(name, task)

    reader = EventReader(names_by_id, server.send, task_begun, task_done)
    answer = Answer(**order.answer) if order.answer is not None else None
    if answer is not None:
        reader.silent_task = answer.task_id
    person = Person(names_by_id, ask, lambda: _leave(0), answer, reenter)
    pass_over(crew, names, order.done)
    person.prepare(crew)
    tell_approvals(crew, order.approvals)
    output_files.guard(crew)
    keep_preparation(crew, order.prepared, lambda kept: server.send_and_wait(Prepared(server.number(), kept)))
    result = kick_off(crew, {**defaults, **order.inputs}, reader, person)
    _flush_events()
    server.send_and_wait(CrewDone(server.number(), result.raw, _json_of(result)))


def kick_off(crew: Any, inputs: dict[str, Any], reader: EventReader, person: Person) -> Any:
    """Has CrewAI do the work, and gives its output."""
    from crewai.core.providers.human_input import set_provider
    from crewai.events.stream_context import add_stream_sink

    def sink(_source: object, event: Any) -> None:
        # It may never raise: CrewAI calls it unguarded.
        try:
            reader.read(event)
        except Exception as error:
            print(f"The event {event.type} could not be told: {last_line_of(error)}", file=sys.stderr)

    # A stream of chunks would come in the place of the output.
    crew.stream = False
    set_provider(person)
    add_stream_sink(sink)
    return crew.kickoff(inputs=inputs)


def _json_of(output: Any) -> Any:
    """The structured output of a task or a crew, if it has one."""
    if output.pydantic is not None:
        return output.pydantic.model_dump(mode="json")
    return output.json_dict


def _flush_events() -> None:
    from crewai.events.event_bus import crewai_event_bus

    crewai_event_bus.flush()
