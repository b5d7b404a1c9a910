"""Makes a flow leave its process at a question, and continue from there in another process."""

from __future__ import annotations

from typing import Any

from .. import seams
from .flow_state import restore_state

# The parts of a flow's progress that decide which methods come next.
_PROGRESS = (seams.COMPLETED_METHODS, seams.FIRED_LISTENERS)


def checkpoint_of(flow: Any, context: Any) -> dict[str, Any]:
    """What a newly built flow needs to continue at the question. CrewAI itself would keep only state and context."""
    plain = seams.JSON_SAFE.of(context)
    state = seams.COPY_STATE.of(flow)()
    return {
        "context": context.to_dict(),
        "state": plain(state),
        "outputs": [
            {"method": str(one["method"]), "output": plain(one["output"])}
            | ({"human_feedback": _plain_feedback(one["human_feedback"], plain)} if "human_feedback" in one else {})
            for one in seams.METHOD_OUTPUTS.of(flow)
        ],
        "feedback": [_plain_feedback(one, plain) for one in flow.human_feedback_history],
        "progress": {one.name: sorted(map(str, one.of(flow))) for one in _PROGRESS},
        "heard": {str(name): sorted(map(str, events)) for name, events in seams.PENDING_EVENTS.of(flow).items()},
    }


def restore(flow: Any, checkpoint: dict[str, Any]) -> None:
    """Brings a flow back to the question of a checkpoint; the context makes it wait for the answer."""
    restore_state(flow, checkpoint["state"])
    seams.PENDING_FEEDBACK.set(flow, seams.FLOW_CONTEXT.load().from_dict(checkpoint["context"]))
    seams.IS_RESUMING.set(flow, True)
    seams.FLOW_MATCH.set(flow, flow.flow_id)
    for entry in checkpoint["outputs"]:
        feedback = {"human_feedback": _feedback(entry["human_feedback"])} if "human_feedback" in entry else {}
        seams.METHOD_OUTPUTS.of(flow).append({**entry, **feedback})
    flow.human_feedback_history = [_feedback(one) for one in checkpoint["feedback"]]
    flow.last_human_feedback = next(reversed(flow.human_feedback_history), None)
    for one in _PROGRESS:
        one.of(flow).update(checkpoint["progress"][one.name])
    seams.PENDING_EVENTS.of(flow).update({name: set(events) for name, events in checkpoint["heard"].items()})


def _plain_feedback(one: Any, plain: Any) -> dict[str, Any]:
    return {
        "output": plain(one.output),
        "feedback": one.feedback,
        "outcome": one.outcome,
        "timestamp": one.timestamp.isoformat(),
        "method_name": str(one.method_name),
        "metadata": plain(one.metadata),
    }


def _feedback(fields: dict[str, Any]) -> Any:
    from datetime import datetime

    return seams.FEEDBACK_RESULT.load()(**{**fields, "timestamp": datetime.fromisoformat(fields["timestamp"])})


def decide(flow: Any, is_approve: bool, text: str) -> str:
    """Turns a decision and a text into what CrewAI accepts: a text for the flow's methods, and an outcome.

    If the text names an outcome, that is chosen. Without a text, an outcome named like the decision is. Otherwise
    the model chooses, as usual in CrewAI, and is told the decision.

    Returns:
        What to resume the flow with.
    """
    word = "Approved" if is_approve else "Rejected"
    shown = text.strip() or ("" if is_approve else word)
    finalize = seams.FINALIZE_FEEDBACK.of(flow)

    async def finalize_with_decision(**given: Any) -> Any:
        seams.FINALIZE_FEEDBACK.put_back(flow)
        outcomes = given["emit"] or []
        named = next((one for one in outcomes if one.lower() == (text.strip() or word).lower()), None)
        # Without a text, CrewAI asks no model.
        asked = "" if named is not None or not outcomes else f"{word}. {text.strip()}".strip()
        result = await finalize(**{**given, "raw_feedback": asked})
        result.feedback = shown
        if named is not None:
            result.outcome = named
        return result

    seams.FINALIZE_FEEDBACK.replace(flow, finalize_with_decision)
    return shown
