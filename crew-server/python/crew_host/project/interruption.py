"""What a project wants for tasks that are interrupted by the end of the server or its host."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import Refusal
from .find import tools_of

AGAIN = "again"
_WORDS = (AGAIN, "fail", "ask")


def on_interrupt(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """Reads ``on_interrupt`` in ``[tool.crew-server]`` of ``pyproject.toml``.

    Returns:
        For each of these tasks, what happens if it is interrupted: ``again``, ``fail`` or ``ask``.

    Raises:
        Refusal: It has another word, or names an unknown task.
    """
    said: Any = tools_of(folder).get("crew-server", {}).get("on_interrupt", AGAIN)
    by_name: dict[str, Any] = said if isinstance(said, dict) else dict.fromkeys(names, said)
    for name, word in by_name.items():
        if word not in _WORDS:
            raise Refusal(
                f'on_interrupt in pyproject.toml cannot be {word!r}: write "again", "fail" or "ask", for all tasks, '
                'or for some by their names: [tool.crew-server.on_interrupt] send_mail = "ask".'
            )
        if name not in names:
            raise Refusal(
                f"on_interrupt in pyproject.toml names {name}, and there is no such task. There is: {', '.join(names)}."
            )
    return {name: by_name.get(name, AGAIN) for name in names}
