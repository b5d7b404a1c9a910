from pathlib import Path

from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, before_kickoff, crew, task
from crewai.tasks.task_output import TaskOutput
from pydantic import BaseModel


class Review(BaseModel):
    """What the tasks are to give."""

    title: str
    stars: int


def noted(output: TaskOutput) -> None:
    """Notes what later code is handed: a model, a dictionary or a text."""
    shapes = [type(one).__name__ for one in (output.pydantic, output.json_dict) if one is not None]
    with Path("called.txt").open("a") as file:
        file.write(f"{output.name} {shapes}\n")


@CrewBase
class Reviews:
    """A review as a model, another as a dictionary, and a text about both."""

    agents_config = {}
    tasks_config = {}

    @before_kickoff
    def choose(self, inputs: dict) -> dict:
        for one in (self.model_task(), self.dictionary_task()):
            one.human_input = inputs["asks"]
        return inputs

    @agent
    def critic(self) -> Agent:
        return Agent(role="Critic", goal="Judge", backstory="You judge.")

    @task
    def model_task(self) -> Task:
        return Task(
            description="Review {topic}",
            expected_output="A review",
            agent=self.critic(),
            output_pydantic=Review,
            output_file="review.json",
        )

    @task
    def dictionary_task(self) -> Task:
        return Task(
            description="Review it once more", expected_output="A review", agent=self.critic(), output_json=Review
        )

    @task
    def text_task(self) -> Task:
        return Task(description="Compare both", expected_output="A text", agent=self.critic())

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential, task_callback=noted)
