from pathlib import Path

from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, before_kickoff, crew, task
from crewai.tasks.task_output import TaskOutput


def short(output: TaskOutput) -> tuple[bool, str]:
    """Refuses what is too long."""
    return (False, "It is too long") if "long" in output.raw else (True, f"{output.raw}, checked")


def noted(output: TaskOutput) -> None:
    with Path("called.txt").open("a") as file:
        file.write(f"{output.name} {output.raw}\n")


@CrewBase
class Gates:
    """A text that a function guards, and one that a model guards."""

    agents_config = {}
    tasks_config = {}

    @before_kickoff
    def choose(self, inputs: dict) -> dict:
        for one in (self.short_task(), self.kind_task()):
            one.human_input = inputs["asks"]
        return inputs

    @agent
    def writer(self) -> Agent:
        return Agent(role="Writer", goal="Write", backstory="You write.")

    @task
    def short_task(self) -> Task:
        return Task(
            description="Write about {topic}",
            expected_output="A text",
            agent=self.writer(),
            guardrail=short,
            guardrail_max_retries=1,
        )

    @task
    def kind_task(self) -> Task:
        return Task(
            description="Write it anew", expected_output="A text", agent=self.writer(), guardrail="The text is kind"
        )

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential, task_callback=noted)
