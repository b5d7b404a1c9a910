"""The state that a flow begins with: its identifier, and what an earlier execution has left."""

from __future__ import annotations

import copy
from typing import Any

from .. import seams
from .describe_flow import stores_of

_NO_STATE = (
    "There is no state of {state_id} to restore: that execution ended before a method with @persist was done. "
    "Start without restoreFromStateId, or with the kickoff_id of one that came further."
)


class NoState(Exception):
    """An execution has left no state."""


def name_state(flow: Any, kickoff_id: str) -> None:
    """Makes the state that of the execution, so that the execution's identifier finds it later.

    A state whose identifier is no text is the project's own concern.
    """
    state = seams.FLOW_STATE.of(flow)
    if isinstance(state, dict):
        state["id"] = kickoff_id
    elif isinstance(getattr(state, "id", None), str):
        # As CrewAI does it: the model may be frozen, or check what it is given.
        object.__setattr__(state, "id", kickoff_id)


def restore_state(flow: Any, kept: dict[str, Any]) -> None:
    """Gives a flow the state that was kept."""
    state = seams.FLOW_STATE.of(flow)
    if isinstance(state, dict):
        state.update(kept)
    else:
        seams.FLOW_STATE.set(flow, _state_from(type(state), kept))


def _state_from(kind: Any, kept: dict[str, Any]) -> Any:
    """A state with these values. Where a default is None that its field does not take, it is the default again."""
    from pydantic import ValidationError

    try:
        return kind.model_validate(kept)
    except ValidationError as error:
        return kind.model_validate(_without(kept, [one["loc"] for one in error.errors() if one["input"] is None]))


def _without(values: dict[str, Any], places: list[tuple[int | str, ...]]) -> dict[str, Any]:
    """The same without the fields that are None there. Of a union, each place goes on with the kind that was tried."""
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
        NoState: There is none; CrewAI would begin with the defaults and say nothing.
    """
    store = next((one for one in stores_of(flow) if one.load_state(state_id)), None)
    if store is None:
        raise NoState(_NO_STATE.format(state_id=state_id))
    # CrewAI itself looks only where the states of the whole flow are.
    flow.persistence = store
