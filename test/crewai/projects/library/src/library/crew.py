from crewai import Agent, Crew, Process, Task
from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource
from crewai.project import CrewBase, agent, crew, task


@CrewBase
class Library:
    """Plans, remembers and knows something; asks a person in the middle and at the end."""

    agents_config = {}
    tasks_config = {}

    @agent
    def librarian(self) -> Agent:
        return Agent(
            role="Librarian",
            goal="Find things",
            backstory="You find things.",
            memory=True,
            knowledge_sources=[StringKnowledgeSource(content="Maps are on the third shelf.")],
        )

    @agent
    def clerk(self) -> Agent:
        return Agent(role="Clerk", goal="Take notes", backstory="You take notes.")

    @task
    def read_task(self) -> Task:
        return Task(description="Read about maps.", expected_output="A text", agent=self.librarian())

    @task
    def check_task(self) -> Task:
        return Task(
            description="Check the text.", expected_output="A text", agent=self.clerk(), human_input=True
        )

    @task
    def tell_task(self) -> Task:
        return Task(
            description="Tell where maps are.", expected_output="A text", agent=self.librarian(), human_input=True
        )

    @crew
    def crew(self) -> Crew:
        return Crew(
            agents=self.agents,
            tasks=self.tasks,
            process=Process.sequential,
            planning=True,
            planning_llm="gpt-4o-mini",
        )
