from pathlib import Path

from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, before_kickoff, crew, task
from crewai.tasks.task_output import TaskOutput


def noted(output: TaskOutput) -> None:
    with Path("called.txt").open("a") as file:
        file.write(f"{output.name}\n")


@CrewBase
class Teamwork:
    """Two tasks side by side, and one that waits for both."""

    agents_config = {}
    tasks_config = {}

    @before_kickoff
    def choose(self, inputs: dict) -> dict:
        for one in (self.history_task(), self.taste_task()):
            one.human_input = inputs["asks"]
        return inputs

    @agent
    def historian(self) -> Agent:
        return Agent(role="Historian", goal="Find out", backstory="You read.")

    @agent
    def taster(self) -> Agent:
        return Agent(role="Taster", goal="Taste", backstory="You taste.")

    @task
    def history_task(self) -> Task:
        return Task(
            description="Tell the history of {topic}",
            expected_output="A text",
            agent=self.historian(),
            async_execution=True,
        )

    @task
    def taste_task(self) -> Task:
        return Task(
            description="Tell the taste of {topic}",
            expected_output="A text",
            agent=self.taster(),
            async_execution=True,
        )

    @task
    def page_task(self) -> Task:
        return Task(
            description="Make a page of both",
            expected_output="A page",
            agent=self.historian(),
            context=[self.history_task(), self.taste_task()],
        )

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential, task_callback=noted)
