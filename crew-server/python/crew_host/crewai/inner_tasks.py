"""Makes the crews inside a flow's methods continue after their finished tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from .. import seams
from .outputs import structured_of
from .resumption import finish

Outputs = dict[str, list[dict[str, Any]]]


class InnerTasks:
    """The finished tasks of crews whose method has not finished.

    Args:
        outputs: Their outputs in the checkpoint, by the place of their crew.
        call: Returns the name of the calling method, with how often it has finished before.
        keep: Called when there is more to keep.
    """

    def __init__(self, outputs: Outputs, call: Callable[[], str | None], keep: Callable[[], None]) -> None:
        self.outputs = outputs
        self._call = call
        self._keep = keep
        self._crews: Counter[str] = Counter()
        # For each watched task: its crew, and its place there.
        self._places: dict[str, tuple[str, int]] = {}

    def begin(self, crew: Any) -> None:
        """Makes a crew that starts skip the tasks that have finished before."""
        call = self._call()
        if call is None:
            return
        name = f"{call}/{self._crews[call]}"
        self._crews[call] += 1
        done = self.outputs.get(name, [])
        for place, task in enumerate(crew.tasks):
            self._places[str(task.id)] = (name, place)
            if place < len(done):
                self._pass_over(task, done, place)

    def note(self, event: Any) -> None:
        """Keeps a finished task, in the order of its crew's tasks."""
        task = getattr(event, "task", None)
        crew, place = self._places.get(str(getattr(task, "id", None)), ("", -1))
        done = self.outputs.setdefault(crew, []) if crew else []
        if not crew or place != len(done):
            return
        output = event.output
        done.append(
            {
                "output": output.raw,
                "output_json": structured_of(output),
                "description": output.description or "",
                "expected_output": output.expected_output or "",
                "agent": str(output.agent).strip(),
            }
        )
        self._keep()

    def forget(self, call: str) -> None:
        """Forgets the tasks of a method that has finished: they are part of its output."""
        for crew in [one for one in self.outputs if one.startswith(f"{call}/")]:
            del self.outputs[crew]

    def _pass_over(self, task: Any, done: list[dict[str, Any]], place: int) -> None:
        execute = seams.EXECUTE.of(task)

        def execute_or_pass(*given: Any, **named: Any) -> Any:
            seams.EXECUTE.put_back(task)
            # The inputs are filled in by now. It may be a different crew than before.
            if place < len(done) and task.description == done[place]["description"]:
                finish(task, done[place])
                return task.output
            del done[place:]
            return execute(*given, **named)

        seams.EXECUTE.replace(task, execute_or_pass)
