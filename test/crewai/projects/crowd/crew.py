"""A crew whose tool starts other crews, in every way that there is."""

import asyncio
import multiprocessing
import threading

from crewai import LLM, Agent, BaseLLM, Crew, Task
from crewai.tools import tool


class OwnModel(BaseLLM):
    """Counts its tokens, and tells no events."""

    def call(self, messages, *args, **kwargs) -> str:
        self._track_token_usage_internal({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})
        return "Final Answer: my own"


TALLY = {"type": "function", "function": {"name": "tally", "description": "Counts", "parameters": {"type": "object"}}}


def inner(name: str, asks: bool = False, tools: list = ()) -> Crew:
    worker = Agent(role=f"{name} worker", goal="Work", backstory="Young", tools=list(tools))
    task = Task(description=f"Do {name}", expected_output="A word", agent=worker, human_input=asks)
    return Crew(agents=[worker], tasks=[task])


@tool
def start_one() -> str:
    """Starts one more crew."""
    return inner("deepest").kickoff().raw


@tool
def start_crews(how: str) -> str:
    """Starts other crews."""
    if how == "asks":
        return inner("asking", asks=True).kickoff().raw
    if how == "functions":
        return LLM("gpt-4o-mini").call("Do functions", tools=[TALLY], available_functions={"tally": lambda: "three"})
    if how == "own":
        return Agent(role="Own", goal="Work", backstory="Young", llm=OwnModel(model="own")).execute_task(
            Task(description="Do own", expected_output="A word")
        )
    if how == "nested":
        return inner("nested", tools=[start_one]).kickoff().raw
    if how == "forks":
        # CrewAI itself bears no whole crew there.
        process = multiprocessing.get_context("fork").Process(target=LLM("gpt-4o-mini").call, args=["Do forked"])
        process.start()
        process.join()
        return f"ended with {process.exitcode}"
    crews = [inner("left"), inner("right")]
    if how == "gather":
        asyncio.run(start_all(crews))
    else:
        threads = [threading.Thread(target=one.kickoff) for one in crews]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    return "both are done"


async def start_all(crews: list[Crew]) -> None:
    await asyncio.gather(*(one.kickoff_async() for one in crews))


def crew() -> Crew:
    head = Agent(role="Head", goal="Lead", backstory="Old", tools=[start_crews])
    lead = Task(name="lead", description="Lead by {how}", expected_output="A word", agent=head)
    return Crew(agents=[head], tasks=[lead])
