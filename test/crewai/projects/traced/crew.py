"""A crew that is traced as the documentation of its tracer has it."""

import os
import sys
import tempfile
import threading
import time

# What traces is in a folder of its own beside CrewAI's environment.
sys.path.append(os.environ["TRACING_PACKAGES"])

from crewai import Agent, Crew, Task
from openinference.instrumentation.crewai import CrewAIInstrumentor

FOLDER = tempfile.TemporaryDirectory()

if os.environ["TRACER"] == "langfuse":
    from langfuse import get_client

    get_client()
    CrewAIInstrumentor().instrument(skip_dep_check=True)
else:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk import trace
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

    processor = BatchSpanProcessor if os.environ["TRACER"] == "batch" else SimpleSpanProcessor
    provider = trace.TracerProvider()
    provider.add_span_processor(processor(OTLPSpanExporter(os.environ["COLLECTOR"] + "/v1/traces")))
    CrewAIInstrumentor().instrument(skip_dep_check=True, tracer_provider=provider)


def write_late() -> None:
    time.sleep(0.2)
    with open("late.txt", "a") as file:
        file.write("written\n")


def note(_output: object) -> None:
    with open(os.path.join(FOLDER.name, "noted.txt"), "a") as file:
        file.write(".")
    threading.Thread(target=write_late).start()
    if "FAILS" in os.environ:
        raise ValueError("after all")


class Traced:
    def crew(self) -> Crew:
        writer = Agent(role="Writer", goal="Write", backstory="Old")
        tasks = [
            Task(name=name, description=f"{name} about {{topic}}", expected_output="A text", agent=writer)
            for name in ("outline", "text")
        ]
        tasks[0].human_input = "ASKS" in os.environ
        return Crew(agents=[writer], tasks=tasks, task_callback=note)


if __name__ == "__main__":
    Traced().crew().kickoff(inputs={"topic": "tea"})
