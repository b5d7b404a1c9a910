import os

from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, crew, task

from workshop.tools.custom_tool import TOOLS


@CrewBase
class Workshop:
    """One agent with many tools."""

    @agent
    def carpenter(self) -> Agent:
        return Agent(config=self.agents_config["carpenter"], tools=TOOLS, max_retry_limit=0)

    @task
    def work_task(self) -> Task:
        return Task(config=self.tasks_config["work_task"], human_input="WORKSHOP_ASKS" in os.environ)

    @crew
    def crew(self) -> Crew:
        # The output is wanted, not a stream of it.
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential, stream=True)
