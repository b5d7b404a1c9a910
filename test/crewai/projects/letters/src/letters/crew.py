from pathlib import Path

from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, before_kickoff, crew, task
from crewai.tasks.task_output import TaskOutput


def noted(output: TaskOutput) -> None:
    with Path("called.txt").open("a") as file:
        file.write(f"{output.name}\n")


@CrewBase
class Letters:
    """Answers a letter that has come in."""

    agents_config = {}
    tasks_config = {}

    @before_kickoff
    def choose(self, inputs: dict) -> dict:
        self.reading_task().human_input = inputs["asks"]
        return inputs

    @agent
    def clerk(self) -> Agent:
        return Agent(role="Clerk", goal="Answer letters", backstory="You answer letters.")

    @task
    def reading_task(self) -> Task:
        return Task(description="Read the letter", expected_output="A summary", agent=self.clerk())

    @task
    def answer_task(self) -> Task:
        return Task(description="Answer it", expected_output="A letter", agent=self.clerk())

    @crew
    def crew(self) -> Crew:
        return Crew(
            agents=self.agents, tasks=self.tasks, process=Process.sequential, stream=True, task_callback=noted
        )
