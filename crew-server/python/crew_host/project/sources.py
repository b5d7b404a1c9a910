"""What in a module makes a crew or a flow."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import seams
from ..errors import Refusal
from .importing import Kickoff, kickoff_of
from .placeholders import Argument, arguments_for
from .survey import functions_that_make_crews, methods_that_start_crews

# A crew or a flow, with the inputs that the project itself starts it with.
Built = tuple[Any, dict[str, Any]]


@dataclass(frozen=True)
class Source:
    """What makes a crew or a flow of the project."""

    name: str
    # Takes values for arguments, in the place of placeholders.
    build: Callable[[Mapping[str, Any]], Built]
    has_effects: bool = False
    is_flow: bool = False
    # The arguments that it needs for its texts.
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    # Warnings for anyone who starts it.
    warnings: tuple[str, ...] = ()


def flows_in(module: ModuleType) -> list[Source]:
    """The flows of a module."""
    classes = [one for one in vars(module).values() if _is_flow_class(one) and not one.__module__.startswith("crewai.")]
    own = [one for one in classes if one.__module__ == module.__name__] or classes
    # A base class of another flow is not one to run.
    whole = [one for one in own if not any(other is not one and issubclass(other, one) for other in own)]
    return [_from_flow(one) for one in whole]


def crews_in(module: ModuleType) -> list[Source]:
    """The crews of a module: with @CrewBase, or without it as CrewAI's documentation shows them."""
    from crewai import Crew

    classes = [one for one in vars(module).values() if inspect.isclass(one) and getattr(one, "is_crew_class", False)]
    decorated = [one for one in classes if one.__module__ == module.__name__] or classes
    if decorated:
        return [_from_class(one) for one in decorated]
    own = {name: one for name, one in vars(module).items() if getattr(one, "__module__", None) == module.__name__}
    others = [one for one in own.values() if inspect.isclass(one) and callable(getattr(one, "crew", None))]
    making = functions_that_make_crews(Path(module.__file__ or ""))
    functions = [one for name, one in own.items() if inspect.isfunction(one) and (name in making or _says_crew(one))]
    crews = [_as_it_is(name, one) for name, one in vars(module).items() if isinstance(one, Crew)]
    made = [_from_function(one, arguments) for one in functions if (arguments := arguments_for(one)) is not None]
    returning = [one for one in made if not one.arguments and (making.get(one.name, True))]
    starting = methods_that_start_crews(Path(module.__file__ or ""))
    started = [_from_method(own[one], name) for one, names in starting.items() if one in own for name in names]
    return [_from_class(one) for one in others] or returning or crews or made or started


def source_started(kickoff: Kickoff, name: str) -> Source:
    """What a program has started, with its inputs."""
    from crewai.flow.flow import Flow

    if isinstance(kickoff.started, Flow):
        return _from_flow(type(kickoff.started), kickoff.inputs)
    return _as_it_is(name, kickoff.started, kickoff.inputs)


def source_of(folder: Path, module: ModuleType, name: str) -> Source:
    """The crew, flow, class, or function returning one, that a person has named.

    Raises:
        Refusal: It is none of these.
    """
    from crewai import Crew
    from crewai.flow.flow import Flow

    value = _named(folder, module, name)
    if isinstance(value, Flow):
        return _from_flow(type(value))
    if isinstance(value, Crew):
        return _as_it_is(name, value)
    if _is_flow_class(value):
        return _from_flow(value)
    if inspect.isclass(value) and callable(getattr(value, "crew", None)):
        return _from_class(value)
    if inspect.isfunction(value) and (arguments := arguments_for(value)) is not None:
        return replace(_from_function(value, arguments), name=name)
    raise Refusal(
        f"The entry {name} of {folder} is {value!r:.200}: expected a crew, a flow, a @CrewBase or Flow class, "
        "or a function of texts that makes a crew, or a flow if its annotation says so."
    )


def _named(folder: Path, module: ModuleType, name: str) -> Any:
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            names = ", ".join(one for one in vars(module) if not one.startswith("_"))
            raise Refusal(f"There is no {name} in {module.__name__} of {folder}. It has: {names[:500]}.")
        value = getattr(value, part)
    return value


def _from_function(function: Callable[..., Any], arguments: dict[str, Argument]) -> Source:
    name, is_flow = function.__name__, _is_flow_class(inspect.get_annotations(function).get("return"))
    fixed = [one.name for one in inspect.signature(function).parameters.values() if isinstance(one.default, str)]
    warnings = (f"{name} has defaults for {', '.join(fixed)}: only what has none is an input.",) if fixed else ()
    build = partial(_call, function, arguments)
    return Source(name, build, is_flow=is_flow, arguments=arguments, warnings=warnings)


def _call(function: Callable[..., Any], arguments: dict[str, Argument], given: Mapping[str, Any]) -> Built:
    """What a function starts or returns; if that is an object of @CrewBase, its crew."""
    made = kickoff_of(lambda: function(**_filled(arguments, given)))
    if isinstance(made, Kickoff):
        return made.started, made.inputs
    return (_crew_of(made) if getattr(made, "is_crew_class", False) else made), {}


def _filled(arguments: Mapping[str, Argument], given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: given.get(name, placeholder) for name, placeholder in arguments.items()}


def _crew_of(made: Any) -> Any:
    """The crew of an object. Its method is usually called `crew`, but any that is marked with @crew will do."""
    from crewai.project import crew as mark

    def is_from_mark(function: Any) -> bool:
        return bool(function.__code__.co_filename == mark.__code__.co_filename)

    methods = {name: one for name, one in vars(type(made)).items() if inspect.isfunction(one)}
    marked = [name for name, one in methods.items() if is_from_mark(inspect.unwrap(one, stop=is_from_mark))]
    names = ["crew"] if hasattr(made, "crew") else marked
    if len(names) != 1:
        what = f"{', '.join(names)}: call one of them crew" if names else "no method: mark the one that gives its crew"
        raise Refusal(f"{type(made).__name__} marks with @crew {what}.")
    return getattr(made, names[0])()


def _from_class(crew_class: type[Any]) -> Source:
    # As soon as its agents are created, they start the MCP server that such a class names.
    has_effects = bool(getattr(crew_class, "mcp_server_params", None))
    # An argument that is not a text is reported when it is built, in Python's own words.
    arguments = arguments_for(crew_class) or {}

    def build(given: Mapping[str, Any]) -> Built:
        return _crew_of(crew_class(**_filled(arguments, given))), {}

    return Source(crew_class.__name__, build, has_effects, arguments=arguments)


def _from_method(made_by: type[Any], method: str) -> Source:
    # The survey has seen that it needs nothing but texts.
    arguments = arguments_for(made_by) or {}
    build = partial(_call, lambda **values: getattr(made_by(**values), method)(), arguments)
    return Source(f"{made_by.__name__}.{method}", build, arguments=arguments)


def _from_flow(flow_class: type[Any], inputs: dict[str, Any] | None = None) -> Source:
    return Source(flow_class.__name__, lambda _: (_build_flow(flow_class), inputs or {}), is_flow=True)


def _build_flow(flow_class: type[Any]) -> Any:
    """Builds a flow, even if its state has fields without a default: these are inputs, which come with the kickoff."""
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


def _says_crew(function: Callable[..., Any]) -> bool:
    annotation = inspect.get_annotations(function).get("return")
    return str(getattr(annotation, "__name__", annotation)) == "Crew"


def _as_it_is(name: str, crew: Any, inputs: dict[str, Any] | None = None) -> Source:
    return Source(name, lambda _: (crew, inputs or {}))
