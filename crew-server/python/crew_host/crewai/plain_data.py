"""Turns the outputs of a flow's methods into JSON, and back."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import sys
from typing import Any

# An object with this key stands for a value of another type.
_KIND = "$kind"


class NoData(Exception):
    """A value contains something that JSON cannot express."""


def to_plain(value: Any) -> Any:
    """A value as JSON; models, dataclasses, enumerations, times, tuples and sets are marked with their kind.

    Raises:
        NoData: It is, or contains, something else.
    """
    if isinstance(value, enum.Enum):
        return _tagged("enum", value.value, value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, list):
        return [to_plain(one) for one in value]
    if isinstance(value, (tuple, set, frozenset)):
        return {_KIND: type(value).__name__, "value": [to_plain(one) for one in value]}
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value) or _KIND in value:
            return {_KIND: "dict", "value": [[to_plain(name), to_plain(one)] for name, one in value.items()]}
        return {name: to_plain(one) for name, one in value.items()}
    if isinstance(value, (datetime.datetime, datetime.date)):
        return {_KIND: type(value).__name__, "value": value.isoformat()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {one.name: to_plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
        return _tagged("dataclass", fields, value)
    if hasattr(type(value), "model_fields"):
        return _tagged("model", {name: to_plain(getattr(value, name)) for name in type(value).model_fields}, value)
    raise NoData(f"{type(value).__module__}.{type(value).__qualname__}")


def from_plain(value: Any) -> Any:
    """Turns it back into the value.

    Raises:
        NoData: Its class is gone, or has changed so that the value no longer fits.
    """
    if isinstance(value, list):
        return [from_plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    kind = value.get(_KIND)
    if kind is None:
        return {name: from_plain(one) for name, one in value.items()}
    if kind in ("enum", "dataclass", "model"):
        return _built(kind, value)
    if kind in ("datetime", "date"):
        return getattr(datetime, kind).fromisoformat(value["value"])
    parts = [from_plain(one) for one in value["value"]]
    return {"tuple": tuple, "set": set, "frozenset": frozenset, "dict": dict}[kind](parts)


def _tagged(kind: str, plain: Any, value: Any) -> dict[str, Any]:
    module, name = type(value).__module__, type(value).__qualname__
    if getattr(sys.modules.get(module), name, None) is not type(value):
        raise NoData(f"{module}.{name}")
    return {_KIND: kind, "module": module, "class": name, "value": plain}


def _built(kind: str, value: dict[str, Any]) -> Any:
    # Only classes that the project has already imported.
    found: Any = getattr(sys.modules.get(value["module"]), value["class"], None)
    try:
        if kind == "enum":
            return found(value["value"])
        fields = {name: from_plain(one) for name, one in value["value"].items()}
        # No validation: it was valid when it was kept.
        return found(**fields) if kind == "dataclass" else found.model_construct(**fields)
    except (TypeError, AttributeError, ValueError) as error:
        raise NoData(f"{value['module']}.{value['class']}") from error
