"""Models from what they were dumped as."""

from __future__ import annotations

import copy
from typing import Any


def model_from(kind: Any, values: Any) -> Any:
    """A model with the values of its dump, which names fields instead of their aliases, and has computed fields.

    If a field does not accept its own default of None, it gets that default again.

    Raises:
        ValidationError: The values do not fit.
    """
    from pydantic import ValidationError

    if isinstance(values, dict):
        values = {name: one for name, one in values.items() if name not in kind.model_computed_fields}
    try:
        return kind.model_validate(values, by_name=True)
    except ValidationError as error:
        places = [one["loc"] for one in error.errors() if one["input"] is None]
        return kind.model_validate(_without(values, places), by_name=True)


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
