"""Attaches the OpenTelemetry spans of a project to the span of its caller."""

from __future__ import annotations


def attach_trace(traceparent: str | None) -> None:
    """Makes everything from here on part of the caller's span.

    Args:
        traceparent: That span, as W3C Trace Context has it.
    """
    if traceparent is None:
        return
    # OpenTelemetry comes with CrewAI.
    from opentelemetry import context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    context.attach(TraceContextTextMapPropagator().extract({"traceparent": traceparent}))
