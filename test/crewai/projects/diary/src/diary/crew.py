from pathlib import Path

from crewai import Agent, Crew, Process, Task
from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource
from crewai.project import CrewBase, agent, before_kickoff, crew, task
from crewai.tasks.task_output import TaskOutput


def noted(output: TaskOutput) -> None:
    with Path("called.txt").open("a") as file:
        file.write(f"{output.name}\n")


@CrewBase
class Diary:
    """Knowledge of the crew and of an agent, and a memory."""

    agents_config = {}
    tasks_config = {}

    @before_kickoff
    def choose(self, inputs: dict) -> dict:
        self.entry_task().human_input = inputs["asks"]
        return inputs

    @agent
    def keeper(self) -> Agent:
        known = StringKnowledgeSource(content="The keeper writes with a pen.")
        return Agent(role="Keeper", goal="Write", backstory="You write.", knowledge_sources=[known])

    @task
    def entry_task(self) -> Task:
        return Task(description="Write about {topic}", expected_output="An entry", agent=self.keeper())

    @task
    def title_task(self) -> Task:
        return Task(description="Find a title for it", expected_output="A title", agent=self.keeper())

    @crew
    def crew(self) -> Crew:
        return Crew(
            agents=self.agents,
            tasks=self.tasks,
            process=Process.sequential,
            memory=True,
            knowledge_sources=[StringKnowledgeSource(content="Diaries are on the third shelf.")],
            task_callback=noted,
        )
