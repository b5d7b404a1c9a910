from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, after_kickoff, agent, before_kickoff, crew, task
from jahreszeiten import JAHRESZEIT


@CrewBase
class Kräuterbuch:
    """Writes about herbs, in German."""

    @before_kickoff
    def ergänze(self, inputs: dict) -> dict:
        if inputs.get("kraut") == "verirrt":
            return {**inputs, "jahreszeit": JAHRESZEIT, "datei": "../../verirrt"}
        return {**inputs, "jahreszeit": JAHRESZEIT, "datei": inputs.get("kraut", "")}

    @after_kickoff
    def unterschreibe(self, result):
        result.raw += "\n– die Kräuterkundige"
        return result

    @agent
    def kräuterkundige(self) -> Agent:
        return Agent(config=self.agents_config["kräuterkundige"])

    @task
    def beschreibung_für_gärtner(self) -> Task:
        return Task(config=self.tasks_config["beschreibung_für_gärtner"], output_file="seiten/{datei}.md")

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential)
