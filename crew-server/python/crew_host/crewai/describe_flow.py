"""A flow that has been built: what it is, and its methods."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from .. import seams
from ..project.load import Project
from ..wire.reports import Described, DescribedInput, DescribedTask
from .describe import inputs_of_project, late_arguments, rehearse, shown_default, unset

# CrewAI passes this input to a start method that has a parameter of this name.
TRIGGER_PAYLOAD = "crewai_trigger_payload"


def describe_flow(project: Project) -> Described:
    """Builds the flow to describe it."""
    flow, defaults, _ = rehearse(project)
    fields = state_inputs(flow)
    texts = [one.name for one in fields]
    known = inputs_of_project(project, defaults, texts)
    inputs = [replace(one, required=one.required and known[one.name]) for one in fields]
    inputs += [
        DescribedInput(name, None, known[name], None, shown_default(defaults.get(name)))
        for name in known
        if name not in {one.name for one in fields}
    ]
    if _takes_payload(flow) and all(one.name != TRIGGER_PAYLOAD for one in inputs):
        inputs.append(DescribedInput(TRIGGER_PAYLOAD, "object", False, "What has triggered the flow"))
    return Described(
        name=project.name,
        kind=project.kind,
        tasks=described_methods(flow),
        inputs=inputs,
        # They are created by its methods.
        agents=[],
        has_hooks=False,
        persists=any(True for _ in stores_of(flow)),
        builds_early=not project.builds_with_effects and not late_arguments(project, defaults, texts),
        warnings=[*project.warnings],
        unset=unset(project.folder),
    )


def described_methods(flow: Any) -> list[DescribedTask]:
    return [
        DescribedTask(
            name=name,
            description=_description_of(flow, name),
            expected_output=method.human_feedback.message if method.human_feedback else "",
            agent=seams.FLOW_DEFINITION.of(flow).name,
            human_input=method.human_feedback is not None,
            guardrails=0,
            output_file=None,
        )
        for name, method in methods_of(flow).items()
    ]


def methods_of(flow: Any) -> dict[str, Any]:
    """The definitions of the flow's methods by their names, in the order of their definition."""
    return {str(name): method for name, method in seams.FLOW_DEFINITION.of(flow).methods.items()}


def stores_of(flow: Any) -> Iterator[Any]:
    """The stores for states after methods, as ``@persist`` on the flow or on methods says."""
    if flow.persistence is not None:
        yield flow.persistence
    declared = (getattr(method, "persist", None) for method in methods_of(flow).values())
    yield from (seams.PERSIST_BACKEND.of(flow)(one) for one in declared if one is not None and one.enabled)


def state_inputs(flow: Any) -> list[DescribedInput]:
    """The fields of a structured state; none for a dict, which can have any."""
    state = flow.state
    if isinstance(state, dict):
        return []
    try:
        schema = type(state).model_json_schema()
    except Exception:
        # Some of its types have no JSON schema.
        schema = {"properties": {name: {} for name in type(state).model_fields}}
    declared = getattr(seams.FLOW_DEFINITION.of(flow).state, "default", None) or {}
    required = set(schema.get("required", ())) - declared.keys()
    converted = _converted(type(state))
    if _converts_all(type(state)):
        # It may also add what is missing.
        required, converted = set(), {"*"}
    return [
        DescribedInput(
            name,
            None if converted & {name, "*"} else type_of(field, schema.get("$defs", {})),
            name in required,
            field.get("description"),
            shown_default(declared.get(name, field.get("default"))),
            field.get("examples", []),
        )
        for name, field in schema["properties"].items()
        if name != "id" or _declares_id(state)
    ]


def _converted(model: Any) -> set[str]:
    """The fields that may be of other types, since the model converts them first, e.g. a text to a list."""
    from pydantic import BeforeValidator, PlainValidator, WrapValidator

    kinds = (BeforeValidator, PlainValidator, WrapValidator)
    annotated = {name for name, one in model.model_fields.items() if any(isinstance(it, kinds) for it in one.metadata)}
    decorators = model.__pydantic_decorators__.field_validators.values()
    return annotated.union(*(one.info.fields for one in decorators if one.info.mode != "after"))


def _converts_all(model: Any) -> bool:
    return any(one.info.mode != "after" for one in model.__pydantic_decorators__.model_validators.values())


def _declares_id(state: Any) -> bool:
    """Whether the model itself declares an ``id``: CrewAI adds one to models that do not."""
    kind = type(state)
    own = kind.__bases__[1:] if kind.__name__ == "StateWithId" else (kind,)
    return any("id" in getattr(one, "model_fields", ()) for one in own)


# Pydantic also takes seconds for these texts.
_ALSO_NUMBERS = ("date", "date-time", "duration", "time")


def type_of(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> str | None:
    """The JSON name of a field's type; none if the field can have several."""
    reference = field.get("$ref")
    if reference is not None:
        return type_of(definitions.get(reference.rpartition("/")[2], {}), definitions)
    branches = field.get("anyOf") or field.get("allOf")
    if branches is not None:
        found = {type_of(one, definitions) for one in branches if one.get("type") != "null"}
        return found.pop() if len(found) == 1 else None
    kind = field.get("type")
    return kind if isinstance(kind, str) and field.get("format") not in _ALSO_NUMBERS else None


def _takes_payload(flow: Any) -> bool:
    starts = [name for name, method in methods_of(flow).items() if method.start]
    return any(TRIGGER_PAYLOAD in inspect.signature(seams.FLOW_METHODS.of(flow)[name]).parameters for name in starts)


def _description_of(flow: Any, name: str) -> str:
    declared = getattr(methods_of(flow)[name], "description", None)
    return str(declared or inspect.getdoc(seams.FLOW_METHODS.of(flow)[name]) or "").strip()
