"""A child: builds the crew, and describes it or does the work of one execution."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, NoReturn

from .crewai import output_files
from .crewai.crew_run import work_on_crew
from .crewai.describe import describe, embed_nothing, inputs_of, late_arguments, rehearse, task_names
from .crewai.describe_flow import describe_flow, state_inputs
from .crewai.flow_run import work_on_flow
from .crewai.leaving import leave
from .crewai.resumption import check_tasks, memories_of
from .crewai.tracing import attach_trace
from .errors import Refusal, failure_of
from .project.advice import advice_for
from .project.configuration import explain_key
from .project.find import NAME_IT
from .project.interruption import on_interrupt
from .project.load import Project
from .project.placeholders import fill_in, named_in, own_values
from .wire.orders import Begin, Build, Open
from .wire.reports import Failed, FileWritten
from .wire.server import Server

BuiltCrew = tuple[Any, dict[str, Any]]


def run_child(load: Callable[[], Project], opening: Open, child: int) -> NoReturn:
    """Does what the server orders, and ends the process.

    Args:
        load: Imports the project, if that is not done.
        child: The number by which the server knows this process.
    """
    server = Server(opening.socket, child)
    built: BuiltCrew | None = None
    code = 0
    try:
        order = server.orders.get()
        try:
            project = load()
        finally:
            server.learn_secrets()
        while isinstance(order, Build):
            built = _build_early(project)
            order = server.orders.get()
        if isinstance(order, Begin):
            output_files.save_below(opening.files, lambda: server.send(FileWritten()))
            _work(server, built, project, order)
        else:
            _describe(server, project)
    except BaseException as error:
        server.send_and_wait(Failed(server.number(), *failure_of(error)))
        code = 1
    leave(code)


def _build_early(project: Project) -> BuiltCrew | None:
    """Builds the crew, unless that embeds something or opens a memory. Imports the modules either way.

    A memory that is already open does not see what other processes store later.
    """
    crew, defaults, is_whole = rehearse(project)
    return (crew, defaults) if is_whole and not any(True for _ in memories_of(crew)) else None


def _build_for(project: Project, built: BuiltCrew | None, order: Begin) -> tuple[Any, dict[str, Any]]:
    """The crew of an execution, built with those of its inputs that more than its texts need; and all its inputs."""
    # It may first ask for its arguments while it is built.
    crew, defaults, is_whole = (*built, True) if built else _first_build(project)
    if not project.arguments:
        return crew, _filled(project, defaults, order.inputs)
    texts = [one.name for one in state_inputs(crew)] if project.is_flow else inputs_of(crew)
    late = {one: order.inputs[one] for one in late_arguments(project, defaults, texts) if one in order.inputs}
    if late or not is_whole:
        crew, defaults = project.build(late)
    if late and not project.is_flow:
        check_tasks(task_names(crew), order.tasks, [*late])
    return crew, _filled(project, defaults, order.inputs, late)


def _first_build(project: Project) -> tuple[Any, dict[str, Any], bool]:
    return rehearse(project) if project.arguments else (*project.build(), True)


def _filled(
    project: Project, defaults: Mapping[str, Any], inputs: Mapping[str, Any], late: Collection[str] = ()
) -> dict[str, Any]:
    """The inputs, with the project's own ones; those that it makes from an input of the same name come first."""
    own = own_values(defaults, project.asked)
    passed_on = {name for name in project.asked if name in late or name in named_in(str(own.get(name)))}
    return {**fill_in(own, inputs), **{name: one for name, one in inputs.items() if name not in passed_on & own.keys()}}


def _describe(server: Server, project: Project) -> None:
    folder = project.folder
    try:
        described = describe_flow(project) if project.is_flow else describe(project)
        words = on_interrupt(folder, [task.name for task in described.tasks])
        tasks = [replace(task, on_interrupt=words[task.name]) for task in described.tasks]
        server.send(replace(described, tasks=tasks))
    except Refusal as refusal:
        server.send_and_wait(Failed(server.number(), str(refusal)))
    except Exception as error:
        # Anyone who can start the server can also read the project, so it is safe to show what is wrong with it.
        why = explain_key(error, folder) or advice_for(error, folder)
        server.send_and_wait(Failed(server.number(), why + _told_of_placeholders(project)))


def _told_of_placeholders(project: Project) -> str:
    given = ", ".join(f'{name}="{{{name}}}"' for name in project.arguments)
    return (
        f"\nIt was built with placeholders for its arguments: {given}. "
        f"If it needs more than texts, have a function without arguments build it. {NAME_IT}"
        if given
        else ""
    )


def _work(server: Server, built: BuiltCrew | None, project: Project, order: Begin) -> None:
    attach_trace(order.traceparent)
    if order.done or order.asked:
        embed_nothing()
    crew, inputs = _build_for(project, built, order)
    order = replace(order, inputs=inputs)
    if project.is_flow:
        work_on_flow(server, crew, order)
    else:
        work_on_crew(server, crew, order)
