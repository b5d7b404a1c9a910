"""The state that a flow starts with: its identifier, and what an earlier execution left."""

from __future__ import annotations

from typing import Any

from .. import seams
from .describe_flow import stores_of
from .dumped_models import model_from

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
        seams.FLOW_STATE.set(flow, model_from(type(state), values))


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
