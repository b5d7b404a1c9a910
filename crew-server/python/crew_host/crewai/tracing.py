"""Makes the spans of a project that is traced by OpenTelemetry belong to those of its caller."""

from __future__ import annotations


def attach_trace(traceparent: str | None) -> None:
    """Makes all that is called from here on be a part of the caller's span.

    Args:
        traceparent: That span, as W3C Trace Context has it.
    """
    if traceparent is None:
        return
    # It comes with CrewAI.
    from opentelemetry import context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    context.attach(TraceContextTextMapPropagator().extract({"traceparent": traceparent}))
