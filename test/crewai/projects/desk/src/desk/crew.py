from pathlib import Path

from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, before_kickoff, crew, task
from crewai.tasks.task_output import TaskOutput
from crewai.tools import tool
from pydantic import BaseModel


class Note(BaseModel):
    """What the last task is to give."""

    title: str
    stars: int


@tool("look_up")
def look_up(what: str) -> str:
    """Looks something up."""
    print(f"Looking up {what}")
    return f"{what}: found on page 7"


def short(output: TaskOutput) -> tuple[bool, str]:
    """Refuses what is too long."""
    return (False, "Too long") if "long" in output.raw else (True, output.raw)


def noted(output: TaskOutput) -> None:
    with Path("called.txt").open("a") as file:
        file.write(f"{output.name}\n")


@CrewBase
class Desk:
    """Three tasks, each of which asks a person."""

    agents_config = {}
    tasks_config = {}

    @before_kickoff
    def count(self, inputs: dict) -> dict:
        # Another value in each process: the first one's has to win.
        with Path("hooks.txt").open("a") as file:
            file.write(".")
        return {**inputs, "edition": f"edition {len(Path('hooks.txt').read_text())}"}

    @agent
    def editor(self) -> Agent:
        return Agent(role="Editor", goal="Edit", backstory="You edit.", tools=[look_up])

    @agent
    def clerk(self) -> Agent:
        return Agent(role="Clerk", goal="Take notes", backstory="You take notes.")

    @task
    def draft_task(self) -> Task:
        return Task(
            description="Draft a text about {topic}, {edition}",
            expected_output="A draft",
            agent=self.editor(),
            human_input=True,
            callback=noted,
        )

    @task
    def edit_task(self) -> Task:
        return Task(
            description="Shorten the draft",
            expected_output="A text",
            agent=self.clerk(),
            human_input=True,
            guardrail=short,
            output_file="text.md",
        )

    @task
    def note_task(self) -> Task:
        return Task(
            description="Make a note of {edition}",
            expected_output="A note",
            agent=self.clerk(),
            human_input=True,
            output_pydantic=Note,
        )

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential)
