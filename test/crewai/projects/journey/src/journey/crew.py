import os
from pathlib import Path

from crewai import Agent, Crew, PlanningConfig, Process, Task
from crewai.project import CrewBase, agent, before_kickoff, crew, task
from crewai.tasks.task_output import TaskOutput


def noted(output: TaskOutput) -> None:
    with Path("called.txt").open("a") as file:
        file.write(f"{output.name} {output.description}\n")


@CrewBase
class Journey:
    """The crew plans its tasks, and one of its agents plans its steps."""

    agents_config = {}
    tasks_config = {}

    @before_kickoff
    def choose(self, inputs: dict) -> dict:
        for one in (self.route_task(), self.luggage_task()):
            one.human_input = inputs["asks"]
        return inputs

    @agent
    def guide(self) -> Agent:
        return Agent(role="Guide", goal="Lead", backstory="You lead.")

    @agent
    def thinker(self) -> Agent:
        return Agent(role="Thinker", goal="Think", backstory="You think.", planning_config=PlanningConfig())

    @task
    def route_task(self) -> Task:
        return Task(description="Find a route to {topic}", expected_output="A route", agent=self.guide())

    @task
    def luggage_task(self) -> Task:
        return Task(description="Say what to take along", expected_output="A list", agent=self.thinker())

    @crew
    def crew(self) -> Crew:
        return Crew(
            agents=self.agents,
            tasks=self.tasks,
            process=Process.sequential,
            planning=True,
            planning_llm=os.environ["MODEL"],
            task_callback=noted,
        )
