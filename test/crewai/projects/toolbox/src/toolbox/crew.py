import sys
from pathlib import Path

from crewai import Agent, Crew, Process, Task
from crewai.mcp import MCPServerStdio
from crewai.project import CrewBase, agent, before_kickoff, crew, task
from crewai.tasks.task_output import TaskOutput

SERVER = Path(__file__).with_name("server.py")


def noted(output: TaskOutput) -> None:
    with Path("called.txt").open("a") as file:
        file.write(f"{output.name}\n")


@CrewBase
class Toolbox:
    """An agent who uses a server of tools."""

    agents_config = {}
    tasks_config = {}

    @before_kickoff
    def choose(self, inputs: dict) -> dict:
        self.weighing_task().human_input = inputs["asks"]
        return inputs

    @agent
    def weigher(self) -> Agent:
        servers = [MCPServerStdio(command=sys.executable, args=[str(SERVER)])]
        return Agent(role="Weigher", goal="Weigh", backstory="You weigh.", mcps=servers)

    @agent
    def clerk(self) -> Agent:
        return Agent(role="Clerk", goal="Write", backstory="You write.")

    @task
    def weighing_task(self) -> Task:
        return Task(description="Weigh {topic}", expected_output="A weight", agent=self.weigher())

    @task
    def note_task(self) -> Task:
        return Task(description="Note it", expected_output="A note", agent=self.clerk())

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential, task_callback=noted)
