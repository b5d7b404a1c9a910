"""Has a flow leave its process at a question, and go on from there in another one."""

from __future__ import annotations

from typing import Any

# What of a flow's progress decides which methods come next.
_PROGRESS = ("_completed_methods", "_fired_or_listeners")


def keep(flow: Any, context: Any) -> dict[str, Any]:
    """What a flow that was built anew needs to go on at the question. CrewAI itself would keep state and context."""
    plain = context._make_json_safe
    state = flow._copy_and_serialize_state()
    return {
        "context": context.to_dict(),
        "state": plain(state),
        "outputs": [
            {"method": str(one["method"]), "output": plain(one["output"])}
            | ({"human_feedback": _plain_feedback(one["human_feedback"], plain)} if "human_feedback" in one else {})
            for one in flow._method_outputs
        ],
        "feedback": [_plain_feedback(one, plain) for one in flow.human_feedback_history],
        "progress": {name: sorted(map(str, getattr(flow, name))) for name in _PROGRESS},
        "heard": {str(name): sorted(map(str, events)) for name, events in flow._pending_events.items()},
    }


def restore(flow: Any, kept: dict[str, Any]) -> None:
    """Brings a flow to where ``keep`` has seen it; the context has it wait for the answer."""
    from crewai.flow.async_feedback.types import PendingFeedbackContext

    flow._initialize_state(kept["state"])
    flow._pending_feedback_context = PendingFeedbackContext.from_dict(kept["context"])
    flow._is_execution_resuming = True
    flow._flow_match_id = flow.flow_id
    for entry in kept["outputs"]:
        feedback = {"human_feedback": _feedback(entry["human_feedback"])} if "human_feedback" in entry else {}
        flow._method_outputs.append({**entry, **feedback})
    flow.human_feedback_history = [_feedback(one) for one in kept["feedback"]]
    flow.last_human_feedback = next(reversed(flow.human_feedback_history), None)
    for name, values in kept["progress"].items():
        getattr(flow, name).update(values)
    flow._pending_events.update({name: set(events) for name, events in kept["heard"].items()})


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

    from crewai.flow.human_feedback import HumanFeedbackResult

    return HumanFeedbackResult(**{**fields, "timestamp": datetime.fromisoformat(fields["timestamp"])})


def decide(flow: Any, is_approve: bool, text: str) -> str:
    """Has a decision and a text become what CrewAI takes: the text that the flow's methods are shown, and an outcome.

    A text that names an outcome is that one. Without a text, an outcome of the decision's name is. Else the model
    chooses, as CrewAI has it, and is told the decision.

    Returns:
        What the flow is to be resumed with.
    """
    word = "Approved" if is_approve else "Rejected"
    shown = text.strip() or ("" if is_approve else word)
    finalize = flow._finalize_human_feedback

    async def finalize_with_decision(**given: Any) -> Any:
        object.__delattr__(flow, "_finalize_human_feedback")
        outcomes = given["emit"] or []
        named = next((one for one in outcomes if one.lower() == (text.strip() or word).lower()), None)
        # Without a text, CrewAI asks no model.
        asked = "" if named is not None or not outcomes else f"{word}. {text.strip()}".strip()
        result = await finalize(**{**given, "raw_feedback": asked})
        result.feedback = shown
        if named is not None:
            result.outcome = named
        return result

    object.__setattr__(flow, "_finalize_human_feedback", finalize_with_decision)
    return shown
