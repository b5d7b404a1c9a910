"""How a line is read as a message of PROTOCOL.md."""

from __future__ import annotations

import json
import re
import types
import typing
from typing import Any

VERSION = 1


class ProtocolError(Exception):
    """The other side sent something that this version does not know."""


def name_of(kind: type[object]) -> str:
    """``TaskDone`` -> ``task_done``: a message's ``type``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def read_message(line: bytes, kinds: types.UnionType) -> Any:
    """Reads a line as one of the messages.

    Raises:
        ProtocolError: It is none of them, or has the wrong fields.
    """
    try:
        fields = json.loads(line)
        kind = {name_of(one): one for one in typing.get_args(kinds)}[fields.pop("type")]
        types_of_fields = typing.get_type_hints(kind)
        if fields.keys() != types_of_fields.keys():
            raise ValueError(f"fields {sorted(fields)}")
        for name, expected in types_of_fields.items():
            if expected is not Any and not isinstance(fields[name], _plain(expected)):
                raise ValueError(f"field {name}")
        return kind(**fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ProtocolError(f"unknown message {line[:200]!r}: {error}") from error


def _plain(expected: Any) -> Any:
    """A type without the types inside its lists and objects."""
    if isinstance(expected, types.UnionType):
        return tuple(map(_plain, typing.get_args(expected)))
    return typing.get_origin(expected) or expected
