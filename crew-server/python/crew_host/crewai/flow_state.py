"""The state that a flow starts with: its identifier, and what an earlier execution left."""

from __future__ import annotations

import copy
from typing import Any

from .. import seams
from .describe_flow import stores_of

_NO_STATE = (
    "There is no state of {state_id} to restore: that execution ended before a method with @persist had finished. "
    "Start without restoreFromStateId, or with the kickoff_id of one that got further."
)


class NoState(Exception):
    """An execution left no state."""


def name_state(flow: Any, kickoff_id: str) -> None:
    """Gives the state the execution's identifier, so that it can be found by that later.

    A state whose identifier is not a text is left to the project.
    """
    state = seams.FLOW_STATE.of(flow)
    if isinstance(state, dict):
        state["id"] = kickoff_id
    elif isinstance(getattr(state, "id", None), str):
        # As CrewAI does it, since the model may be frozen or validate assignments.
        object.__setattr__(state, "id", kickoff_id)


def restore_state(flow: Any, values: dict[str, Any]) -> None:
    """Restores the values of a flow's state."""
    state = seams.FLOW_STATE.of(flow)
    if isinstance(state, dict):
        state.update(values)
    else:
        seams.FLOW_STATE.set(flow, _state_from(type(state), values))


def _state_from(kind: Any, values: dict[str, Any]) -> Any:
    """A state with these values. If a field does not accept its own default of None, it gets that default again."""
    from pydantic import ValidationError

    try:
        return kind.model_validate(values)
    except ValidationError as error:
        return kind.model_validate(_without(values, [one["loc"] for one in error.errors() if one["input"] is None]))


def _without(values: dict[str, Any], places: list[tuple[int | str, ...]]) -> dict[str, Any]:
    """The values without the fields that are None at these places. A union adds the tried type to a place."""
    whole = copy.deepcopy(values)
    for place in places:
        holder: Any = whole
        for step in place:
            inner = holder.get(step) if isinstance(holder, dict) else holder[step]
            if inner is None:
                if isinstance(holder, dict):
                    holder.pop(step, None)
                break
            holder = inner
    return whole


def use_state(flow: Any, state_id: str) -> None:
    """Makes CrewAI find the state of another execution at the kickoff.

    Raises:
        NoState: There is none. CrewAI would silently start with the defaults.
    """
    store = next((one for one in stores_of(flow) if one.load_state(state_id)), None)
    if store is None:
        raise NoState(_NO_STATE.format(state_id=state_id))
    # CrewAI itself looks only in the store of the whole flow.
    flow.persistence = store
