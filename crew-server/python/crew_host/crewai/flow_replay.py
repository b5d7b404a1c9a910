"""Makes a flow that was interrupted continue after its finished methods.

A newly built flow starts again, and its finished methods return their earlier outputs at once. So CrewAI itself
brings routers, joins and loops back to their former states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from .. import seams
from .flow_state import restore_state
from .inner_tasks import InnerTasks
from .plain_data import NoData, from_plain, to_plain

_NOT_KEPT = (
    "The flow was cut off by the end of the server or of its host, and cannot continue after {method}, "
    "since what that method made cannot be kept as JSON: {what}. Start it again."
)


class CannotResume(Exception):
    """The process that ran the flow is gone, and the flow cannot continue."""


class FlowRecord:
    """The outputs of a flow's methods, in the order in which they ended, and the state after the last one.

    Args:
        checkpoint: The newest one; empty for a flow that begins.
        keep: Called with the new checkpoint; returns once the store has it.
    """

    def __init__(self, flow: Any, checkpoint: dict[str, Any] | None, keep: Callable[[dict[str, Any]], None]) -> None:
        self._flow = flow
        self._keep = keep
        checkpoint = checkpoint or {}
        self._calls: list[dict[str, Any]] = list(checkpoint.get("calls", ()))
        self._state: Any = checkpoint.get("state")
        # The method after which it cannot continue, and why.
        self._lost: dict[str, str] | None = checkpoint.get("lost")
        self.inner = InnerTasks(dict(checkpoint.get("inner", {})), lambda: self.call_of(self._method()), self.begin)
        self._method: Callable[[], str | None] = lambda: None

    def begin(self) -> None:
        """Starts to keep how far the flow has got."""
        inner = self.inner.outputs
        self._keep({"calls": self._calls, "state": self._state, "lost": self._lost, "inner": inner})

    def watch(self, method: Callable[[], str | None]) -> None:
        """Keeps the finished tasks of crews, too.

        Args:
            method: Returns the calling method.
        """
        self._method = method

    def call_of(self, method: str | None) -> str | None:
        """The name of a running method, with how often it has finished before."""
        return None if method is None else f"{method}#{sum(one['method'] == method for one in self._calls)}"

    def add(self, method: str, output: Any) -> None:
        """Keeps the output of a method."""
        self.inner.forget(f"{self.call_of(method)}")
        try:
            call = {"method": method, "output": to_plain(output), "feedback": self._feedback(method)}
            self._state = plain_state(self._flow)
            self._calls.append(call)
        except NoData as error:
            self._lost = self._lost or {"method": method, "what": str(error)}
        self.begin()

    def replay(self, done: Callable[[str, Any], None], told: set[str]) -> None:
        """Makes the flow, when it starts, skip the methods whose outputs are in the checkpoint.

        Args:
            done: Called with a method whose end is in the checkpoint but was not reported, and its output.
            told: The methods whose end was reported.

        Raises:
            CannotResume: Something could not be kept.
        """
        if self._lost is not None:
            raise CannotResume(_NOT_KEPT.format(**self._lost))
        outputs = [self._output_of(one) for one in self._calls]
        queues: dict[str, list[int]] = {}
        for index, call in enumerate(self._calls):
            queues.setdefault(call["method"], []).append(index)
        counts: Counter[str] = Counter()
        execute = seams.EXECUTE_METHOD.of(self._flow)
        # Not what is kept from now on: a running flow has its state, which may be more than data.
        state = self._state

        async def execute_or_pass(name: Any, method: Any, *given: Any, **named: Any) -> Any:
            nonlocal state
            if state is not None:
                # By now, the inputs are in the state.
                kept, state = state, None
                restore_state(self._flow, from_plain(kept))
            left = queues.get(str(name), [])
            place = counts[str(name)]
            counts[str(name)] += 1
            if place >= len(left):
                return await execute(name, method, *given, **named)
            call, output = self._calls[left[place]], outputs[left[place]]
            self._pass(name, output, call["feedback"])
            if place == len(left) - 1 and str(name) not in told:
                done(str(name), output)
            return output, None

        seams.EXECUTE_METHOD.replace(self._flow, execute_or_pass)

    def _pass(self, name: Any, output: Any, feedback: Any) -> None:
        """Sets what a method leaves behind in the flow, besides the state."""
        flow = self._flow
        seams.METHOD_OUTPUTS.of(flow).append({"method": str(name), "output": output})
        seams.COMPLETED_METHODS.of(flow).add(name)
        if feedback is not None:
            result = from_plain(feedback)
            flow.last_human_feedback = result
            flow.human_feedback_history.append(result)

    def _feedback(self, method: str) -> Any:
        """What a person said about this method, if anything; it may decide what comes next."""
        last = self._flow.last_human_feedback
        return to_plain(last) if last is not None and str(last.method_name) == method else None

    def _output_of(self, call: dict[str, Any]) -> Any:
        try:
            return from_plain(call["output"])
        except NoData as error:
            raise CannotResume(_NOT_KEPT.format(method=call["method"], what=error)) from error


def plain_state(flow: Any) -> Any:
    """The state of a flow as JSON.

    Raises:
        NoData: It contains more than data.
    """
    try:
        state = seams.COPY_STATE.of(flow)()
    except Exception as error:
        raise NoData(f"a state that cannot be copied ({error})") from error
    return to_plain(state)
