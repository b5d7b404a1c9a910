"""Makes a newly built crew continue the work of the previous process."""

from __future__ import annotations

import copy
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

from .. import seams
from .dumped_models import model_from


class ChangedProject(Exception):
    """The tasks of the crew are no longer those that the execution was started with."""


def check_tasks(names: Sequence[str], expected: Sequence[str], arguments: Sequence[str] = ()) -> None:
    """Compares the names of the crew's tasks with those at the kickoff.

    Args:
        arguments: What the crew was built with, which was not known then.

    Raises:
        ChangedProject: They differ.
    """
    if list(names) != list(expected) and arguments:
        raise ChangedProject(
            f"The tasks of the crew depend on {', '.join(arguments)}: they are {', '.join(names)} now, and were "
            f"{', '.join(expected)} when the server started. A crew needs the same tasks for all inputs."
        )
    if list(names) != list(expected):
        raise ChangedProject(
            "The project has changed since this execution was started: "
            f"its tasks were {', '.join(expected)}, and are now {', '.join(names)}. Start it again."
        )


def pass_over(crew: Any, names: Sequence[str], done: Sequence[Mapping[str, Any]], asked: Container[str]) -> None:
    """Makes finished tasks return their outputs again, without working.

    Args:
        asked: The tasks that have asked a person.
    """
    outputs = {one["task_id"]: one for one in done}
    finished = []
    for task, name in zip(crew.tasks, names, strict=True):
        if name in outputs:
            finish(task, outputs[name])
            finished.append(task)
        if (name in outputs or name in asked) and seams.SHOULD_EXECUTE.of_any(task) is not None:
            seams.SHOULD_EXECUTE.replace(task, lambda _output: True)
    prepare_tools = seams.PREPARE_TOOLS.of(crew)

    def prepare_needed_tools(agent: Any, task: Any, tools: Any) -> Any:
        return tools if any(task is one for one in finished) else prepare_tools(agent, task, tools)

    seams.PREPARE_TOOLS.replace(crew, prepare_needed_tools)


def tell_skips(tasks: Mapping[str, Any], tell: Callable[[str], None]) -> None:
    """Reports each conditional task that is skipped."""
    for name, task in tasks.items():
        if seams.SKIPPED_OUTPUT.of_any(task) is not None:
            _tell_skip(name, task, tell)


def _tell_skip(name: str, task: Any, tell: Callable[[str], None]) -> None:
    skip = seams.SKIPPED_OUTPUT.of(task)

    def skip_and_tell() -> Any:
        tell(name)
        return skip()

    seams.SKIPPED_OUTPUT.replace(task, skip_and_tell)


def finish(task: Any, done: Mapping[str, Any]) -> None:
    """Makes a task return its output again, without working."""
    output = _output_of(task, done)
    seams.EXECUTE.replace(task, lambda *_: output)
    task.output = output


def _output_of(task: Any, done: Mapping[str, Any]) -> Any:
    from crewai.tasks.task_output import TaskOutput

    structured = done["output_json"]
    model = task.output_pydantic or task.response_model
    is_model = structured is not None and model is not None
    return TaskOutput(
        name=task.name or task.description,
        description=done["description"],
        expected_output=done["expected_output"],
        raw=done["output"],
        pydantic=model_from(model, structured) if is_model else None,
        json_dict=None if is_model else structured,
        agent=done["agent"],
        output_format=seams.OUTPUT_FORMAT.of(task)(),
    )


def tell_approvals(crew: Any, approvals: Sequence[Mapping[str, str]]) -> None:
    """Adds what people said when they approved to the context of all later tasks. More may be added later."""
    context_of = seams.CONTEXT_OF_TASK.of(crew)

    def context_with_remarks(task: Any, outputs: list[Any]) -> str:
        context = context_of(task, outputs)
        if not approvals:
            return str(context)
        remarks = [f"A person has approved {one['task_id']} and said:\n{one['feedback']}" for one in approvals]
        return "\n\n".join([context, *remarks] if context else remarks)

    seams.CONTEXT_OF_TASK.replace(crew, context_with_remarks)


def use_checkpoint(crew: Any, checkpoint: Mapping[str, Any] | None, tell: Callable[[dict[str, Any]], None]) -> None:
    """Makes the inputs (after hooks) and plans of the first process apply in all later ones.

    Args:
        checkpoint: What the first process reported; ``None`` in that process itself.
        tell: Called with the checkpoint.
    """
    fill_in, plan = seams.FILL_IN.of(crew), seams.PLAN.of(crew)
    told: dict[str, Any] = {}

    def fill_in_the_same(inputs: dict[str, Any]) -> None:
        if checkpoint is not None:
            inputs.clear()
            inputs.update(copy.deepcopy(checkpoint["inputs"]))
        told["inputs"] = dict(inputs)
        fill_in(inputs)
        if checkpoint is None and not crew.planning:
            tell({**told, "plans": None})

    def plan_once() -> None:
        plans = checkpoint["plans"] if checkpoint is not None else None
        if plans is None:
            before = [task.description for task in crew.tasks]
            plan()
            plans = [task.description[len(text) :] for task, text in zip(crew.tasks, before, strict=True)]
            tell({**told, "plans": plans})
            return
        for task, text in zip(crew.tasks, plans, strict=True):
            task.description += text

    seams.FILL_IN.replace(crew, fill_in_the_same)
    seams.PLAN.replace(crew, plan_once)


def memories_of(whole: Any) -> Iterator[Any]:
    """The memories of a crew or a flow and of its agents, each as CrewAI's ``Memory``."""
    for holder in (whole, *getattr(whole, "agents", ())):
        memory = seams.CREW_MEMORY.of_any(holder) or getattr(holder, "memory", None)
        memory = seams.MEMORY_WITHIN.of_any(memory) or memory
        if seams.DRAIN_MEMORY.of_any(memory) is not None:
            yield memory


def drain_memory(whole: Any) -> None:
    """Waits until pending memories are written."""
    for memory in memories_of(whole):
        seams.DRAIN_MEMORY.of(memory)()
