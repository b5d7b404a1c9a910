import argparse
import threading
import time

from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, crew, task
from pydantic import BaseModel

# A library may start threads as soon as it is imported.
threading.Thread(target=time.sleep, args=(3_600,), daemon=True).start()
# And a script reads its options, of which it has none.
argparse.ArgumentParser().parse_args()


class Note(BaseModel):
    """What a task is to give."""

    title: str
    stars: int


@CrewBase
class Asking:
    """Asks a person about its only task."""

    agents_config = {}
    tasks_config = {}

    @agent
    def clerk(self) -> Agent:
        return Agent(role="Clerk", goal="Ask", backstory="You ask.")

    @task
    def asking_task(self) -> Task:
        return Task(description="Ask somebody", expected_output="A text", agent=self.clerk(), human_input=True)

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential)


@CrewBase
class Noting:
    """Gives a note of a certain shape, in a file whose name is an input."""

    agents_config = {}
    tasks_config = {}

    @agent
    def clerk(self) -> Agent:
        return Agent(role="Clerk", goal="Take notes", backstory="You take notes.")

    @task
    def note_task(self) -> Task:
        return Task(
            description="Note something",
            expected_output="A note",
            agent=self.clerk(),
            output_pydantic=Note,
            output_file="notes/{name}.json",
        )

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential)
