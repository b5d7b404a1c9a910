"""Runs a project without the crew server: builds its crew or flow, calls `kickoff()`, and writes a report."""

from __future__ import annotations

import builtins
import importlib
import json
import os
import pkgutil
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def main(folder: Path, inputs: dict[str, Any], storage: str, report: Path) -> None:
    from crew_host.crewai.events import ALLOWED
    from crew_host.project.environment import prepare
    from crew_host.project.find import find_definition
    from crew_host.project.load import load_project
    from crew_host.project.placeholders import fill_in, own_values

    del sys.argv[1:]
    prepare(folder, storage)
    counts: Counter[str] = Counter()
    project = load_project(find_definition(folder), None)
    built, defaults = project.build()
    bus = importlib.import_module("crewai.events").crewai_event_bus

    def count(source: Any, event: Any) -> None:
        # An agent is a flow inside, and what a tool starts is a crew inside.
        is_outer = event.type.startswith(("flow_", "method_", "crew_")) and source is built
        if event.type in ALLOWED or event.type.startswith("task_") or is_outer:
            counts[event.type] += 1

    for one in _kinds(importlib.import_module("crewai.events.base_events").BaseEvent):
        bus.on(one)(count)
    told: dict[str, Any] = {}
    try:
        given = {**fill_in(own_values(defaults, project.asked), inputs), **inputs}
        builtins.input = _reply_to
        result = built.kickoff(inputs=given or None)
        told["output"] = str(getattr(result, "raw", result))
        usage = getattr(result, "token_usage", None)
        told["tokens"] = getattr(usage, "total_tokens", None)
    except Exception as error:
        told["error"] = f"{type(error).__name__}: {error}"
    bus.flush()
    report.write_text(json.dumps({**told, "events": counts}))
    os._exit(0)


def _reply_to(prompt: object = "", /) -> str:
    """As the other run does: the first answer that a question names; what CrewAI asks about is approved."""
    caller = sys._getframe(1).f_globals.get("__name__", "")
    text = str(prompt).strip()
    option = re.search(r"\((\w+)/", text)
    if caller.partition(".")[0] == "crewai":
        return ""
    return option[1] if option else "tea" if text.endswith(("?", ":")) else ""


def _kinds(base: type[Any]) -> Iterator[type[Any]]:
    package = importlib.import_module("crewai.events.types")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    pending = [base]
    while pending:
        pending += (one := pending.pop()).__subclasses__()
        if one is not base:
            yield one


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
