"""Makes the guardrails of a task continue the count of the previous process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import seams


class Guardrails:
    """The guardrails of a crew's tasks.

    A task can have several, which are checked in order, and each can refuse the output a number of times. If one
    has refused and the person is asked again, those before it are not checked again.
    """

    def __init__(self) -> None:
        # By task: the place of the guardrail that is being checked.
        self._places: dict[int, int] = {}

    def watch(self, crew: Any, checkpoints: Mapping[int, Mapping[str, Any]]) -> None:
        """Keeps count of refusals.

        Args:
            checkpoints: What ``checkpoint`` returned, by the tasks that continue.
        """
        for task in crew.tasks:
            self._watch_task(task, checkpoints.get(id(task), {}))

    def checkpoint(self, task: Any) -> dict[str, Any]:
        """What to keep of a task that asks."""
        place = self._places.get(id(task))
        if place is None:
            return {"guardrail": None, "attempts": 0}
        is_alone = place == _places(task)
        attempts = task.retry_count if is_alone else seams.GUARDRAIL_RETRIES.of(task).get(place, 0)
        return {"guardrail": place, "attempts": attempts}

    def _watch_task(self, task: Any, checkpoint: Mapping[str, Any]) -> None:
        invoke = seams.CHECK_GUARDRAIL.of(task)
        first, used = checkpoint.get("guardrail"), checkpoint.get("attempts", 0)

        def invoke_counted(
            task_output: Any, agent: Any, tools: Any, guardrail: Any, guardrail_index: int | None = None
        ) -> Any:
            place = _places(task) if guardrail_index is None else guardrail_index
            if first is not None and place < first:
                return task_output
            self._places[id(task)] = place
            retries = task.guardrail_max_retries
            if place == first:
                task.guardrail_max_retries = retries - used
            try:
                return invoke(task_output, agent, tools, guardrail, guardrail_index)
            except Exception as error:
                # CrewAI's text has the number of retries that were left.
                left, all_in_all = (f"after {one} retries" for one in (task.guardrail_max_retries, retries))
                if left in str(error):
                    error.args = (str(error).replace(left, all_in_all),)
                raise
            finally:
                task.guardrail_max_retries = retries
                self._places.pop(id(task), None)

        if first is not None:
            if first == _places(task):
                task.retry_count = used
            else:
                seams.GUARDRAIL_RETRIES.of(task)[first] = used
        seams.CHECK_GUARDRAIL.replace(task, invoke_counted)


def guardrails_of(task: Any) -> int:
    """How many guardrails a task has."""
    return _places(task) or int(task.guardrail is not None)


def _places(task: Any) -> int:
    """How many guardrails a task has in its list; the place after them is that of its single guardrail."""
    return len(seams.GUARDRAILS.of(task))
