"""What a project can import while the crew server runs it."""

from __future__ import annotations

from crew_host.crewai.calls import idempotency_key as _idempotency_key

__all__ = ["idempotency_key"]


def idempotency_key(*what: object) -> str:
    """A key for this call of a tool: the same if the task is interrupted and runs again, so an API does it only once.

    The key depends on the execution, the task, the tool, its arguments, and how often the task has made this call.

    Args:
        what: What must happen only once, for example an order number. It replaces the arguments, which a model may
            phrase differently the next time.

    Returns:
        A UUID.

    Raises:
        RuntimeError: It is not called from a tool, and `what` is empty.
    """
    return _idempotency_key(*what)
