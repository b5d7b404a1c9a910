"""What of a module gives a crew or a flow."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import seams
from ..errors import Refusal
from .survey import functions_that_return_crews


@dataclass(frozen=True)
class Source:
    """What gives a crew or a flow of the project."""

    name: str
    build: Callable[[], Any]
    has_effects: bool = False
    is_flow: bool = False


def flows_in(module: ModuleType) -> list[Source]:
    """The flows of a module."""
    classes = [one for one in vars(module).values() if _is_flow_class(one) and not one.__module__.startswith("crewai.")]
    own = [one for one in classes if one.__module__ == module.__name__] or classes
    # What others build upon is none to run.
    whole = [one for one in own if not any(other is not one and issubclass(other, one) for other in own)]
    return [_from_flow(one) for one in whole]


def crews_in(module: ModuleType) -> list[Source]:
    """The crews of a module: of @CrewBase, or as CrewAI's documentation shows them without."""
    from crewai import Crew

    classes = [one for one in vars(module).values() if inspect.isclass(one) and getattr(one, "is_crew_class", False)]
    decorated = [one for one in classes if one.__module__ == module.__name__] or classes
    if decorated:
        return [_from_class(one) for one in decorated]
    own = {name: one for name, one in vars(module).items() if getattr(one, "__module__", None) == module.__name__}
    others = [one for one in own.values() if inspect.isclass(one) and callable(getattr(one, "crew", None))]
    returning = functions_that_return_crews(Path(module.__file__ or ""))
    functions = [
        Source(name, one)
        for name, one in own.items()
        if inspect.isfunction(one) and _needs_nothing(one) and (name in returning or _returned_by(one) == "Crew")
    ]
    crews = [Source(name, partial(_as_it_is, one)) for name, one in vars(module).items() if isinstance(one, Crew)]
    return [_from_class(one) for one in others] or functions or crews


def source_of(folder: Path, holder: Any, name: str) -> Source:
    """What a person has named: a crew, a flow, a class, or a function that returns one.

    Args:
        holder: The module that has the name, or what a program has started.

    Raises:
        Refusal: It is none of these.
    """
    from crewai import Crew
    from crewai.flow.flow import Flow

    value = _named(folder, holder, name) if isinstance(holder, ModuleType) else holder
    if isinstance(value, Flow):
        return _from_flow(type(value))
    if isinstance(value, Crew):
        return Source(name, partial(_as_it_is, value))
    if _is_flow_class(value):
        return _from_flow(value)
    if inspect.isclass(value) and callable(getattr(value, "crew", None)):
        return _from_class(value)
    if inspect.isfunction(value) and _needs_nothing(value):
        return Source(name, partial(_call, value), is_flow=_is_flow_class(inspect.get_annotations(value).get("return")))
    raise Refusal(
        f"The entry {name} of {folder} is {value!r:.200}: expected a crew, a flow, a class of @CrewBase or of Flow, "
        "or a function without parameters that returns a crew or, annotated so, a flow."
    )


def _named(folder: Path, module: ModuleType, name: str) -> Any:
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            names = ", ".join(one for one in vars(module) if not one.startswith("_"))
            raise Refusal(f"There is no {name} in {module.__name__} of {folder}. It has: {names[:500]}.")
        value = getattr(value, part)
    return value


def _call(function: Callable[[], Any]) -> Any:
    """What a function returns; if that is an object of @CrewBase, its crew."""
    made = function()
    give = getattr(made, "crew", None)
    return give() if getattr(made, "is_crew_class", False) and callable(give) else made


def _from_class(crew_class: type[Any]) -> Source:
    # Its agents start the MCP server that such a class names as soon as they are made.
    has_effects = bool(getattr(crew_class, "mcp_server_params", None))
    return Source(crew_class.__name__, lambda: crew_class().crew(), has_effects)


def _from_flow(flow_class: type[Any]) -> Source:
    return Source(flow_class.__name__, partial(_build_flow, flow_class), is_flow=True)


def _build_flow(flow_class: type[Any]) -> Any:
    """Builds a flow, also if its state has fields without a default: they are inputs, which come with the kickoff."""
    from crewai.flow.flow import FlowState

    state_class = seams.STATE_CLASS.of_any(flow_class)
    fields = getattr(state_class, "model_fields", {})
    if not any(one.is_required() for name, one in fields.items() if name != "id"):
        return flow_class()
    kind: Any = state_class if issubclass(state_class, FlowState) else type("StateWithId", (FlowState, state_class), {})
    state = kind.model_construct(id=str(uuid.uuid4()))
    create = seams.CREATE_STATE.of(flow_class)
    seams.CREATE_STATE.set(flow_class, lambda _flow: state)
    try:
        return flow_class()
    finally:
        seams.CREATE_STATE.set(flow_class, create)


def _is_flow_class(value: Any) -> bool:
    from crewai.flow.flow import Flow

    return inspect.isclass(value) and issubclass(value, Flow)


def _needs_nothing(function: Callable[..., Any]) -> bool:
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    given = inspect.signature(function).parameters.values()
    return not any(one.default is one.empty and one.kind not in optional for one in given)


def _returned_by(function: Callable[..., Any]) -> str:
    annotation = inspect.get_annotations(function).get("return")
    return str(getattr(annotation, "__name__", annotation))


def _as_it_is(crew: Any) -> Any:
    return crew
