"""The output of a task, a method, a crew or a flow: as text, and structured."""

from __future__ import annotations

import json
from typing import Any

from .. import seams


def structured_of(output: Any) -> Any:
    """The structured output of a task, a crew or an agent, if it has one."""
    model = getattr(output, "pydantic", None)
    return model.model_dump(mode="json") if model is not None else getattr(output, "json_dict", None)


def told(value: Any) -> tuple[str, Any]:
    """The output of a method or a flow: as text, and as structured data if it is that."""
    if isinstance(value, seams.FEEDBACK_RESULT.load()):
        return told(value.output)
    if value is None or isinstance(value, str):
        return value or "", None
    # The output of a crew or an agent.
    raw = getattr(value, "raw", None)
    if isinstance(raw, str):
        return raw, structured_of(value)
    try:
        plain = seams.JSON_SAFE.load()(value)
        text = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    except (ValueError, TypeError):
        # It contains something that JSON cannot express.
        return str(value), None
    return text, plain if isinstance(plain, (dict, list)) else None
