from pathlib import Path

from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, before_kickoff, crew, task
from crewai.tasks.conditional_task import ConditionalTask
from crewai.tasks.task_output import TaskOutput


def noted(output: TaskOutput) -> None:
    with Path("called.txt").open("a") as file:
        file.write(f"{output.name}\n")


def not_at_first(_output: TaskOutput) -> bool:
    """Holds from the second time on that it is asked."""
    path = Path("called.txt")
    asked = "condition" in path.read_text()
    with path.open("a") as file:
        file.write("condition\n")
    return asked


@CrewBase
class Crossroads:
    """One task that is skipped, and one that is not."""

    agents_config = {}
    tasks_config = {}

    @before_kickoff
    def choose(self, inputs: dict) -> dict:
        self.taken_task().human_input = inputs["asks"]
        return inputs

    @agent
    def walker(self) -> Agent:
        return Agent(role="Walker", goal="Walk", backstory="You walk.")

    @task
    def start_task(self) -> Task:
        return Task(description="Start at {topic}", expected_output="A text", agent=self.walker())

    @task
    def skipped_task(self) -> Task:
        return ConditionalTask(
            description="Go left", expected_output="A text", agent=self.walker(), condition=not_at_first
        )

    @task
    def taken_task(self) -> Task:
        return ConditionalTask(
            description="Go right", expected_output="A text", agent=self.walker(), condition=lambda _output: True
        )

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential, task_callback=noted)
