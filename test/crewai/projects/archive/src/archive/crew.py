import os
from pathlib import Path

from crewai import Agent, Crew, Process, Task
from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource
from crewai.project import CrewBase, agent, crew, task

KIND = os.environ["ARCHIVE"]


@CrewBase
class Archive:
    """Notes each time that its crew is built."""

    agents_config = {}
    tasks_config = {}
    # As soon as an agent asks for its tools, CrewAI connects to this server.
    mcp_server_params = {"url": "http://127.0.0.1:9/sse"} if KIND == "remote" else None

    @agent
    def archivist(self) -> Agent:
        return Agent(role="Archivist", goal="Find things", backstory="You find things.")

    @task
    def search_task(self) -> Task:
        return Task(description="Find something", expected_output="A text", agent=self.archivist())

    @crew
    def crew(self) -> Crew:
        with Path("built.txt").open("a") as file:
            file.write(".")
        known = [StringKnowledgeSource(content="Maps are on the third shelf.")] if KIND == "knowing" else None
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential, knowledge_sources=known)
