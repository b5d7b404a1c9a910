"""A crew that has been built: what it is, and the names of its tasks."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .. import seams
from ..project.environment import KEYS_OF_PROVIDERS
from ..project.load import Project, own_files
from ..project.placeholders import named_in, own_values
from ..project.variables import unset_variables
from ..redaction import Secrets
from ..wire.reports import Described, DescribedAgent, DescribedInput, DescribedTask
from .guardrails import guardrails_of

# In characters, as JSON.
_LONGEST_DEFAULT = 1_000


def task_names(crew: Any) -> list[str]:
    """A name for each task: its own if no other has it, else with its place; the same for every child."""
    names = [task.name or "task" for task in crew.tasks]
    counts = Counter(names)
    return [
        name if counts[name] == 1 and task.name else f"{name}_{place}"
        for place, (name, task) in enumerate(zip(names, crew.tasks, strict=True), 1)
    ]


def role_of(agent: Any) -> str:
    """An agent's role; a task in a hierarchical crew has no agent of its own."""
    return str(agent.role).strip() if agent is not None else "Crew Manager"


def inputs_of(crew: Any) -> list[str]:
    """The names in braces in the crew's texts, in the order of their first appearance."""
    texts: list[str | None] = []
    for task in crew.tasks:
        texts += [task.description, task.expected_output, task.output_file]
    for agent in crew.agents:
        texts += [agent.role, agent.goal, agent.backstory]
    found = named_in("\n".join(text or "" for text in texts))
    # fetch_inputs also mistakes JSON in a text for a name; what only it finds is left to CrewAI.
    return list(dict.fromkeys(found))


def describe(project: Project) -> Described:
    """Builds the crew to describe it, without embedding anything."""
    crew, defaults, _ = rehearse(project)
    has_hooks = bool(crew.before_kickoff_callbacks)
    texts = inputs_of(crew)
    inputs = inputs_of_project(project, defaults, texts)
    own = {name: one for name, one in own_values(defaults, project.asked).items() if not inputs.get(name)}
    return Described(
        name=project.name,
        kind=project.kind,
        tasks=[
            DescribedTask(
                name=name,
                description=task.description.strip(),
                expected_output=task.expected_output.strip(),
                agent=role_of(task.agent),
                human_input=bool(task.human_input),
                guardrails=guardrails_of(task),
                output_file=task.output_file,
            )
            for name, task in zip(task_names(crew), crew.tasks, strict=True)
        ],
        # Inputs that hooks add are not required.
        inputs=[
            DescribedInput(name, None, not has_hooks and is_needed, None, shown_default(own.get(name)))
            for name, is_needed in inputs.items()
        ],
        agents=[DescribedAgent(role_of(agent), _model_of(agent)) for agent in crew.agents],
        has_hooks=has_hooks,
        persists=False,
        builds_early=not project.builds_with_effects and not late_arguments(project, defaults, texts),
        warnings=[*project.warnings, *_missing_keys(crew), *_lost_answers(project, inputs)],
        unset=unset(project.folder, _needed_by_tools(crew)),
    )


def shown_default(value: Any) -> Any:
    """An input's default if it can be shown: JSON that is short, not empty, and has no secrets."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return None
    is_shown = len(text) <= _LONGEST_DEFAULT and Secrets(os.environ).hide_in(value) == value
    return value if is_shown and value not in ("", [], {}) else None


def inputs_of_project(project: Project, defaults: Mapping[str, Any], texts: list[str]) -> dict[str, bool]:
    """The inputs by name, and whether each is required.

    Args:
        defaults: What the project starts it with itself.
        texts: The names that its texts have in braces.
    """
    own = own_values(defaults, project.asked)
    inside = _inside(project, own)
    late = late_arguments(project, defaults, texts)
    changed = _changed(project, texts)
    whole = [one for one in texts if one not in changed]
    names = dict.fromkeys([*whole, *inside, *(one for one in defaults if one not in own), *late])
    return {name: name not in own or name in {*inside, *late} for name in names}


def late_arguments(project: Project, defaults: Mapping[str, Any], texts: list[str]) -> list[str]:
    """The arguments that something else than its texts needs: it has to be built with their values."""
    inside = _inside(project, own_values(defaults, project.asked))
    whole = {*texts, *inside, *defaults}
    changed = {one.lower() for one in _changed(project, texts)}
    return [
        name
        for name, one in project.arguments.items()
        if one.is_read or name.lower() in changed or (name not in whole and not one.is_answer)
    ]


def _changed(project: Project, texts: list[str]) -> list[str]:
    """The placeholders of arguments whose letters the project has changed, as by ``upper()``; a flow has no texts."""
    lower = [] if project.is_flow else [one.lower() for one in project.arguments]
    return [one for one in texts if one.lower() in lower and one not in project.arguments]


def _inside(project: Project, own: Mapping[str, Any]) -> list[str]:
    return [one for value in own.values() for one in named_in(str(value)) if one in project.asked]


def unset(folder: Path, needed: Mapping[str, str] | None = None) -> list[str]:
    """The unset variables that the project's modules or its tools (``needed``) need, each with its place."""
    found = {**unset_variables(folder, own_files(folder)), **(needed or {})}
    return [f"{name} ({where})" for name, where in found.items()]


def rehearse(project: Project) -> tuple[Any, dict[str, Any], bool]:
    """Builds the crew without embedding its knowledge. Returns what ``build`` does, and whether it is complete."""
    with _no_embedding() as embedded:
        crew, defaults = project.build()
    return crew, defaults, not embedded


@contextmanager
def _no_embedding() -> Iterator[list[Any]]:
    """Meanwhile, new knowledge is only noted, not embedded."""
    knowledge = seams.EMBED.load_owner()
    noted: list[Any] = []
    add_sources = seams.EMBED.of(knowledge)
    seams.EMBED.set(knowledge, noted.append)
    try:
        yield noted
    finally:
        seams.EMBED.set(knowledge, add_sources)


def embed_nothing() -> None:
    """Makes this process use the stored knowledge: the execution's first process has embedded it."""
    seams.EMBED.set(seams.EMBED.load_owner(), lambda _: None)


def _model_of(agent: Any) -> str | None:
    model = getattr(agent.llm, "model", agent.llm)
    return model if isinstance(model, str) else None


def _needed_by_tools(crew: Any) -> dict[str, str]:
    tools = [tool for one in (*crew.agents, *crew.tasks) for tool in one.tools or ()]
    needed = [(one, tool) for tool in tools for one in getattr(tool, "env_vars", ())]
    return {
        one.name: type(tool).__name__
        for one, tool in needed
        if one.required and one.default is None and one.name not in os.environ
    }


def _lost_answers(project: Project, inputs: Mapping[str, bool]) -> list[str]:
    asked = [f"{name} ({place})" for name, place in project.asked.items() if name not in inputs]
    return [
        f"The project asks for {one} at a terminal, and no text of its crew uses the answer: it continues without one."
        for one in asked
    ]


def _missing_keys(crew: Any) -> list[str]:
    """A warning for each known provider whose key is in no variable."""
    warnings = []
    for agent in crew.agents:
        llm = agent.llm
        # A class of the project's own may need no key.
        provider = getattr(llm, "provider", "") if type(llm).__module__.startswith("crewai.") else ""
        names = KEYS_OF_PROVIDERS.get(str(provider), ())
        if not names or getattr(llm, "api_key", None) or any(os.environ.get(name) for name in names):
            continue
        warnings.append(
            f"There is no key for the model {llm.model}: set {' or '.join(names)} in the environment "
            "or in the project's .env. Until then, every execution fails."
        )
    return list(dict.fromkeys(warnings))
