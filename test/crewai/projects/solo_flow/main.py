"""A flow whose method asks an agent without a task."""

from crewai import Agent
from crewai.flow.flow import Flow, listen, start
from crewai.tools import tool


@tool
def measure() -> str:
    """Measures."""
    return "seven inches"


class Solo(Flow):
    @start()
    def ask(self) -> str:
        agent = Agent(role="Carpenter", goal="Measure", backstory="Old", tools=[measure])
        return agent.kickoff("How long is the board?").raw

    @listen(ask)
    def end(self, answer: str) -> str:
        return answer.upper()
