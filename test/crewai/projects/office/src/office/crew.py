import os
from pathlib import Path

from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, before_kickoff, crew, task
from crewai.tasks.task_output import TaskOutput


def noted(output: TaskOutput) -> None:
    with Path("called.txt").open("a") as file:
        file.write(f"{output.name} {output.agent}\n")


@CrewBase
class Office:
    """A manager who has the work done; the second task has no agent."""

    agents_config = {}
    tasks_config = {}

    @before_kickoff
    def choose(self, inputs: dict) -> dict:
        for one in (self.order_task(), self.letter_task()):
            one.human_input = inputs["asks"]
        return inputs

    @agent
    def clerk(self) -> Agent:
        return Agent(role="Clerk", goal="Write letters", backstory="You write letters.")

    @task
    def order_task(self) -> Task:
        return Task(description="Order {topic}", expected_output="An order", agent=self.clerk())

    @task
    def letter_task(self) -> Task:
        return Task(description="Write a letter about it", expected_output="A letter")

    @crew
    def crew(self) -> Crew:
        return Crew(
            agents=self.agents,
            tasks=self.tasks,
            process=Process.hierarchical,
            manager_llm=os.environ["MODEL"],
            task_callback=noted,
        )
